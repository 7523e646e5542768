"""One game in every way to play it: the interpreter, each build of the native code, left and resumed.

A test that asks whether rules mean the same everywhere takes `ways`: by the name of each way, what came of a game, or
the place and the message of its failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.stepper import Stepper
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.match import PlayedEvent, play_game, streams
from chocolatl.interpreter.play.playout import WHOLE_GAME, played_on
from chocolatl.interpreter.players.uniform import RandomPlayer


def outcome(play: Callable[..., object], *given: object) -> object:
    """What comes of a game, or how it fails: the line, and the words."""
    try:
        return play(*given)
    except RuleError as error:
        return error.span, error.message


def ways(game: Game, seed: int, index: int = 0, care: bool = False) -> Iterator[tuple[str, object, object]]:
    """The name of each way, what came of the game, and what should have. `care`: compiled well, too."""
    told = outcome(_watched, game, seed, index)
    for name, kernel in _kernels(game, care):
        yield name, outcome(_by_kernel, kernel, seed, index), told
        found = kernel.series(seed, index, 1).error
        error = found and (found.span, found.message)
        yield f"{name}, a series", error, told if isinstance(told, tuple) and not isinstance(told[0], list) else None
    played = outcome(_played_out, game, streams(seed, index, game.player_count))
    yield "played out", isinstance(played, tuple) and played, isinstance(played, tuple) and told
    for closely in (False, True):
        stepper = Stepper(game, QUICK, closely=closely)
        yield f"stepwise{', closely' * closely}", outcome(_by_stepper, stepper, seed, index), played


def _kernels(game: Game, care: bool) -> Iterator[tuple[str, Kernel]]:
    """Each of them has one more build, which is asked for events and failures."""
    yield "quick", Kernel(game, QUICK)
    yield "closely", Kernel(game, QUICK, closely=True)
    yield "inspected", Kernel(game, QUICK, inspected=True)
    if care:
        yield "fast", Kernel(game, FAST)
        yield "fast, inspected", Kernel(game, FAST, inspected=True)


def _watched(game: Game, seed: int, index: int) -> object:
    events: list[PlayedEvent] = []
    played = play_game(game, [RandomPlayer()] * game.player_count, seed, index, before=events.append)
    return events, game.result(played.position), played.decisions


def _played_out(game: Game, randoms: Sequence[Random]) -> object:
    return played_on(game, game.initial(), randoms, WHOLE_GAME)


def _by_kernel(kernel: Kernel, seed: int, index: int) -> object:
    played = kernel.play(seed, index)
    return kernel.events(seed, index), played.result, played.decisions


def _by_stepper(stepper: Stepper, seed: int, index: int) -> object:
    table = stepper.start(streams(seed, index, stepper.game.player_count))
    table.play_on()
    return table.position()
