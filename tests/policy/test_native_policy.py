"""Native code and the interpreter play the same games by a policy: every draw, with all that it was decided by."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.policy.pieces import TooManyKinds
from chocolatl.interpreter.native.policy.player import PolicyKernel
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.traced import traced_games
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.policy.building import policy_form
from chocolatl.interpreter.policy.trace import Trace
from tests.conftest import Evidence, base_seed
from tests.fuzzing.programs import generate
from tests.fuzzing.tallies import without_invariants
from tests.games import tables
from tests.policy.drawing import form_of, weights_at_random, weights_of_declared_scales

SHIPPED = sorted({table.game for table in tables()})


@cache
def game_of(name: str) -> Game:
    return random.Random(base_seed()).choice([table for table in tables() if table.game == name]).load()


@cache
def kernel_of(game: Game) -> PolicyKernel:
    return PolicyKernel(game, form_of(game))


def assert_same(one: Trace, other: Trace) -> None:
    assert (one.scores == other.scores).all() and (one.shares == other.shares).all()
    pairs = [*zip(one.decisions, other.decisions, strict=True), (one.moments, other.moments)]
    for mine, theirs in pairs:
        assert len(mine) == len(theirs)
        for name in mine.dtype.names or ():
            assert (mine[name] == theirs[name]).all(), name
    for mine, theirs in zip(one.listed, other.listed, strict=True):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("name", SHIPPED)
def test_native_code_draws_as_the_interpreter_does(name: str, evidence: Evidence) -> None:
    game = game_of(name)
    for seed in evidence.cases("games by policies, natively", full=10_000, slice=4):
        two = [weights_at_random(game, seed % 7), weights_at_random(game, seed % 7 + 1, 0.05)]
        seats = [two[seat % 2] for seat in range(game.player_count)]
        traces = [
            traced_games(game, form_of(game), seats, seed, seed % 3, 1),
            kernel_of(game).trace(seats, seed, seed % 3, 1),
        ]
        assert_same(*traces)
        evidence.count("draws", sum(map(len, traces[0].decisions)))


def test_native_code_lets_some_seats_play_at_random() -> None:
    game = game_of("chocolatl")
    none: list[None] = [None] * game.player_count
    summed = kernel_of(game).series(none, 5, 0, 20)
    players = [RandomPlayer() for _ in none]
    scores = [game.result(play_game(game, players, 5, index).position).scores for index in range(20)]
    sums = kernel_of(game).sums
    for seat in range(game.player_count):
        assert summed.sums[sums.scores + 2 * seat] == sum(score[seat] for score in scores)
    mixed = [weights_at_random(game, 3), *none[1:]]
    trace = kernel_of(game).trace(mixed, 5, 0, 20, traced=[True, *[False] * (game.player_count - 1)])
    played = kernel_of(game).series(mixed, 5, 0, 20)
    assert [played.sums[sums.scores + 2 * seat] for seat in range(game.player_count)] == trace.scores.sum(0).tolist()
    assert {int(seat) for rows in trace.decisions for seat in rows["seat"]} == {0}


def test_a_trace_of_many_games_has_room_for_all_of_them() -> None:
    game = game_of("goofspiel")
    kernel = PolicyKernel(game, form_of(game))
    kernel.rows = [1] * len(kernel.rows)
    seats = [weights_at_random(game, 1)] * game.player_count
    assert_same(kernel.trace(seats, 1, 0, 9), traced_games(game, form_of(game), seats, 1, 0, 9))


def test_a_trace_can_lie_where_the_last_one_was() -> None:
    game = game_of("goofspiel")
    kernel = PolicyKernel(game, form_of(game))
    seats = [weights_at_random(game, 1)] * game.player_count
    many, one = kernel.trace(seats, 1, 0, 9, reuse=True), kernel.trace(seats, 1, 4, 1)
    again = kernel.trace(seats, 1, 4, 1, reuse=True)
    assert_same(one, again)
    assert any(np.shares_memory(a, b) for a, b in zip(many.decisions, again.decisions, strict=True))


def test_rules_made_at_random_have_policies_that_play_the_same(tmp_path: Path, evidence: Evidence) -> None:
    seen = 0
    for seed in evidence.cases("rules made at random: games by policies", full=2000, slice=8):
        program = generate(seed)
        try:
            game = without_invariants(load(program.write(tmp_path / str(seed)), program.players))
            kernel = PolicyKernel(game, policy_form(game.ir), QUICK)
        except (Rejected, Refused, TooManyKinds):
            continue
        weights = weights_of_declared_scales(kernel.form, seed)
        seats = [weights, *[None] * (game.player_count - 1)]
        for index in range(3):
            traces = [
                played(kernel.trace, seats, seed, index),
                played(partial(traced_games, game, kernel.form), seats, seed, index),
            ]
            if isinstance(traces[0], Trace) and isinstance(traces[1], Trace):
                assert_same(traces[0], traces[1])
                seen += 1
            else:
                assert traces[0] == traces[1], "they fail in the same place"
    assert seen


def played(trace: Callable[..., Trace], *given: object) -> Trace | tuple[object, str]:
    """A game with its trace, or how the rules fail."""
    try:
        return trace(*given, 1)
    except RuleError as error:
        return error.span, error.message
