"""The form of a policy: which tables of weights there are, and what they are multiplied with (log-linear model).

There is a table for each choice, each value of its indices and each piece that is taken; a choice of how many comes
before its pieces. A table has features of the position (its context), multipliers made of the pieces already taken, and
terms of the answer:

    logit of an answer = own weight + sum over terms b, multipliers m, features c of T[b] * Y[m] * W[m, b, c] * X[c]

`chocolatl.interpreter.policy.building` makes it from the declarations of any rules; `docs/policies.md` tells it in
words.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct, field

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.policy.quantities import AmongPlayers
from chocolatl.interpreter.policy.sites import ChoiceSite
from chocolatl.interpreter.program.types import Scalar


class FeatureRole(Enum):
    """What a feature is for."""

    CONTEXT = "context"
    LAID = "laid"
    ANSWER = "answer"


class Feature(Struct, frozen=True):
    """A formula over a position: of the player who decides, then of locals. `group` is the choice that it belongs to,
    empty for what is about the player alone."""

    number: int
    group: str
    role: FeatureRole
    called: str
    formula: ir.Expression
    parameters: tuple[ir.Local, ...]
    among: AmongPlayers | None = None

    @property
    def name(self) -> str:
        """A name that no other feature has."""
        role = "answer: " if self.role is FeatureRole.ANSWER else ""
        return f"{self.group}: {role}{self.called}" if self.group else self.called


class Term(Struct, frozen=True):
    """What is counted of an answer: a feature of it, or the square of the term before."""

    name: str
    feature: Feature
    squared: bool = False


class PolicyTable(Struct, frozen=True, eq=False):
    """One set of weights. `elements` are the answers that have a weight of their own, none last; if no term depends on
    the position, `constants` holds the values that the features of the terms have, element by element."""

    number: int
    name: str
    label: str
    """The choice, as features of it are grouped."""
    site: ChoiceSite
    index: tuple[int, ...]
    piece: int
    features: tuple[int, ...]
    multipliers: tuple[str, ...]
    multiplying: tuple[Feature, ...]
    """The features behind the multipliers from number 1 on."""
    terms: tuple[Term, ...]
    elements: tuple[int, ...] | None
    constants: tuple[tuple[int, ...], ...] | None
    """By element, the value of each term's feature."""

    @property
    def bases(self) -> tuple[str, ...]:
        return tuple(term.name for term in self.terms)


class SiteTables(Struct, frozen=True, eq=False):
    """The tables of a choice, and what they share. `features` are those of the choice alone.

    Table `sizes` is for how many, if that is a question; after it come those of index and piece."""

    site: ChoiceSite
    features: tuple[Feature, ...]
    multiplying: tuple[Feature, ...]
    laying: tuple[tuple[int, ...], ...]
    """What a piece that is taken adds to each multiplier's feature, by kind."""
    pieces: int
    indices: tuple[Scalar, ...]
    sizes: int
    first: int

    def table(self, index: tuple[int, ...], piece: int) -> int:
        """The number of the table for values of the indices and a piece."""
        number = 0
        for value, bound in zip(index, self.indices, strict=True):
            number = number * bound.size + value - bound.low
        return self.first + number * self.pieces + min(piece, self.pieces - 1)


class PolicyForm(Struct, frozen=True, eq=False, weakref=True):
    game: ir.GameRules
    me: ir.Local
    features: tuple[Feature, ...]
    common: range
    """The numbers of the features that are about the player alone."""
    sites: tuple[SiteTables, ...]
    tables: tuple[PolicyTable, ...]
    by_node: dict[int, SiteTables] = field(default_factory=dict)
    """By the id of the choice."""
