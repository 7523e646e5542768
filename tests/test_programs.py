"""Rules made at random go the same way in both back ends: to the same results, and to the same failures at the same
lines, whether they are played as a whole, closely checked, compiled with care, or left and resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from interpreter.diagnostics import Rejected
from interpreter.game import Game, RuleError
from interpreter.library import load
from interpreter.match import Event, play_game, streams
from interpreter.native.compile import FAST, QUICK
from interpreter.native.kernel import Kernel
from interpreter.native.stepper import Stepper
from interpreter.players.uniform import RandomPlayer
from interpreter.playout import WHOLE_GAME, played_on
from tests.conftest import Evidence
from tests.fuzzing.programs import CARDS, Program
from tests.games import write_game
from tests.test_native import own_cache  # noqa: F401  # a fixture for all tests here

GAMES = 5
"""So many are played of each program."""


def outcome(play: Callable[..., object], *given: object) -> object:
    """What comes of a game, or how it fails."""
    try:
        return play(*given)
    except RuleError as error:
        return error.span, error.message


def by_interpreter(game: Game, seed: int, index: int) -> object:
    events: list[Event] = []
    played = play_game(game, [RandomPlayer()] * 2, seed, index, before=events.append)
    return events, game.result(played.position), played.decisions


def by_kernel(kernel: Kernel, seed: int, index: int) -> object:
    played = kernel.play(seed, index)
    return kernel.events(seed, index), played.result, played.decisions


def played_out(game: Game, seed: int, index: int) -> object:
    return played_on(game, game.initial(), streams(seed, index, 2), WHOLE_GAME)


def by_stepper(stepper: Stepper, seed: int, index: int) -> object:
    table = stepper.start(streams(seed, index, 2))
    table.play_on()
    return table.position()


def test_rules_made_at_random_go_the_same_way(tmp_path: Path, evidence: Evidence) -> None:
    played = 0
    for seed in evidence.cases("rules made at random go the same way in both back ends", full=3000, slice=12):
        try:
            game = load(write_game(tmp_path, Program(seed).text(), CARDS), 2)
        except Rejected:  # one in a hundred can grow beyond 64 bits
            continue
        played += 1
        stepper, kernels = Stepper(game, QUICK), [Kernel(game, QUICK, closely=True), Kernel(game, QUICK)]
        kernels += [Kernel(game, FAST)] if seed % 4 == 0 else []
        for index in range(GAMES):
            expected = outcome(by_interpreter, game, seed, index)
            assert all(outcome(by_kernel, kernel, seed, index) == expected for kernel in kernels)
            assert outcome(by_stepper, stepper, seed, index) == outcome(played_out, game, seed, index)
    assert played > 0
