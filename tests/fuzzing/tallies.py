"""What comparisons of back ends share: a difference, how a game comes out, counts of what was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from chocolatl.interpreter.play.game import Game, RuleError


class Difference(AssertionError):
    """Two back ends do not come to the same."""


@dataclass
class Tally:
    """What was tried."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, cases: int = 1) -> None:
        self.counts[what] += cases


def same(what: str, found: object, expected: object) -> None:
    if found != expected:
        raise Difference(f"{what}: {found!r}, and by the interpreter {expected!r}")


def outcome(play: Callable[[], object]) -> object:
    """What comes of a game, or how it fails."""
    try:
        return play()
    except RuleError as error:
        return error.span, error.message


def without_invariants(game: Game) -> Game:
    """The same game, which does not look at what always holds."""
    program = game.program.without(frozenset(invariant.name for invariant in game.ir.invariants))
    return Game(game.files, game.ir, program, game.players)
