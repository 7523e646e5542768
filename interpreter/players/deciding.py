"""How a policy decides in a position, by the interpreter: features, logits, odds, one draw (inference).

Pieces are taken one after the other, each by a draw of its own; before them comes how many, if that is a question.
Native code does the same with the same integers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered import zones
from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.policy.form import PolicyForm, PolicyTable, SiteTables
from chocolatl.interpreter.policy.integers import (
    MOST_SCALED,
    MOST_SLOPE,
    SCALE_BITS,
    SLOPE_BITS,
    UNIT,
    WEIGHT_BITS,
    drawn,
    odds,
    scaled,
)
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales


@dataclass(frozen=True)
class PolicyDraw:
    """One draw: which of some answers was taken at a table, and all that decided it."""

    table: PolicyTable
    context: Sequence[int]
    multipliers: Sequence[int]
    answers: Sequence[Any]
    terms: Sequence[Sequence[int]] | None
    """By answer, of a table without constants."""
    odds: Sequence[int]
    taken: int


NoteDraw = Callable[[PolicyDraw], None]


class SiteFunctions:
    """The formulas of one choice as functions of slots, the player, what is in scope, and the answer."""

    def __init__(self, game: Game, form: PolicyForm, tables: SiteTables) -> None:
        program, site = game.program, tables.site
        around = (form.me, *site.scope)
        node = site.node
        self.context = program.formulas(around, [feature.formula for feature in tables.features])
        self.multipliers = program.formulas(around, [feature.formula for feature in tables.multiplying])
        locals_ = (node.element,) if isinstance(node, ir.ChooseSet) else tuple(pick.local for pick in node.picks)
        terms = form.tables[tables.first].terms
        self.terms = program.formulas((*around, *locals_), [term.feature.formula for term in terms])


class PolicyReader:
    """Reads from positions what a form asks for."""

    def __init__(self, game: Game, form: PolicyForm) -> None:
        self.game, self.form = game, form
        common = [form.features[number].formula for number in form.common]
        self._common = game.program.formulas((form.me,), common)
        self._sites: dict[int, SiteFunctions] = {}

    def site(self, tables: SiteTables) -> SiteFunctions:
        number = tables.site.number
        if number not in self._sites:
            self._sites[number] = SiteFunctions(self.game, self.form, tables)
        return self._sites[number]

    def common(self, position: Position, player: int, scales: Scales) -> list[int]:
        """The features about the player alone; in a secret block, as all was at entry."""
        return self.scaled(self.form.common, self._common(position.slots, player), scales)

    def scaled(self, numbers: Sequence[int], values: Sequence[int], scales: Scales) -> list[int]:
        offsets, factors = scales.offsets, scales.scales
        return [scaled(value, int(offsets[n]), int(factors[n])) for n, value in zip(numbers, values, strict=True)]


class PolicyDecider:
    """A policy at one game."""

    def __init__(self, reader: PolicyReader, weights: PolicyWeights) -> None:
        self.reader, self.weights, self.scales = reader, weights, weights.scales
        self.form = reader.form

    @cached_property
    def _constants(self) -> dict[int, NDArray[np.int64]]:
        """By table, the scaled terms of its elements."""
        return {}

    def choose(self, position: Position, decision: Decision, random: Random, note: NoteDraw | None = None) -> Answer:
        return _Deciding(self, position, decision, random, note).answer()

    def odds(self, position: Position, decision: Decision) -> Iterator[tuple[Answer, Fraction]]:
        """Every answer that `choose` may draw, and how likely it is."""
        return _Deciding(self, position, decision, Random(0), None).odds()

    def terms(self, table: PolicyTable, values: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """The scaled terms of answers, from the values of their features: all at once, as `scaled` and `squared` say
        number by number."""
        numbers = [term.feature.number for term in table.terms]
        raw = np.array(values, np.int64).reshape(len(values), len(numbers))
        small = (raw - self.scales.offsets[numbers]) * self.scales.scales[numbers] >> SCALE_BITS
        each = small.clip(-MOST_SCALED, MOST_SCALED)
        twice = [term.squared for term in table.terms]
        each[:, twice] = (each[:, twice] ** 2 // UNIT).clip(-MOST_SCALED, MOST_SCALED)
        return each

    def constants(self, table: PolicyTable) -> NDArray[np.int64]:
        assert table.constants is not None
        if table.number not in self._constants:
            self._constants[table.number] = self.terms(table, table.constants)
        return self._constants[table.number]


class PolicyPlayer:
    """A policy as a player of one game."""

    def __init__(self, game: Game, weights: PolicyWeights) -> None:
        self.weights = weights
        self.decider = PolicyDecider(PolicyReader(game, weights.form), weights)

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        return self.decider.choose(position, decision, random)

    def odds(self, position: Position, decision: Decision) -> Iterator[tuple[Answer, Fraction]]:
        return self.decider.odds(position, decision)


class _Deciding:
    """One decision under way."""

    def __init__(
        self, decider: PolicyDecider, position: Position, decision: Decision, random: Random, note: NoteDraw | None
    ) -> None:
        self.decider, self.decision, self.random, self.note = decider, decision, random, note
        reader, self.player, self.slots = decider.reader, decision.player, decision.slots
        self.tables = decider.form.by_node[id(decision.node)]
        self.functions = reader.site(self.tables)
        frame = decision.game.program.layout.frames[decision.stop.procedure]
        self.scope = [self.slots[frame.locals[local.number]] for local in self.tables.site.scope]
        own = self.functions.context(self.slots, self.player, *self.scope)
        features = [feature.number for feature in self.tables.features]
        self.context = reader.common(position, self.player, decider.scales)
        self.context += reader.scaled(features, own, decider.scales)

    def answer(self) -> Answer:
        node = self.decision.node
        match node:
            case ir.Choose():
                values = list(self.decision.answers)
                return values[self.draw(self.table(0), values, [UNIT])]
            case ir.ChooseSet():
                answers = self.decision.answers
                assert isinstance(answers, SeveralAnswers)
                return self.pieces(answers)
            case _:
                assert_never(node)

    def table(self, piece: int) -> PolicyTable:
        index: tuple[int, ...] = ()
        if self.tables.indices:
            index = self.decision.game.program.index[self.decision.stop.pc](self.slots)
        return self.decider.form.tables[self.tables.table(index, piece)]

    def pieces(self, answers: SeveralAnswers) -> Answer:
        """How many, if that is a question, then one piece after the other."""
        size = answers.most
        if answers.least < size:
            sizes = range(answers.least, size + 1)
            size = sizes[self.draw(self.decider.form.tables[self.tables.sizes], sizes, [UNIT])]
        left = dict(zones.copies(answers.zone))
        laid = self.laid_before()
        taken: list[int] = []
        for piece in range(size):
            kinds = list(left)
            y = self.multipliers(laid)
            kind = kinds[self.draw(self.table(piece), [answers.low + kind for kind in kinds], y)]
            taken.append(answers.low + kind)
            left[kind] -= 1
            if not left[kind]:
                del left[kind]
            laid = self.laid(laid, kind)
        return tuple(sorted(taken))

    def laid_before(self) -> list[int]:
        """What has been taken so far, as far as it matters to the next piece: nothing yet."""
        return list(self.functions.multipliers(self.slots, self.player, *self.scope))

    def laid(self, before: Sequence[int], kind: int) -> list[int]:
        """The same with one more piece."""
        return [each + values[kind] for each, values in zip(before, self.tables.laying, strict=True)]

    def multipliers(self, laid: Sequence[int]) -> list[int]:
        numbers = [feature.number for feature in self.tables.multiplying]
        return [UNIT, *self.decider.reader.scaled(numbers, laid, self.decider.scales)]

    def odds(self) -> Iterator[tuple[Answer, Fraction]]:
        """Every answer and how likely it is."""
        node = self.decision.node
        match node:
            case ir.Choose():
                values = list(self.decision.answers)
                chances = self.chances(self.table(0), values, [UNIT])
                yield from zip(values, chances, strict=True)
            case ir.ChooseSet():
                answers = self.decision.answers
                assert isinstance(answers, SeveralAnswers)
                yield from self.odds_of_pieces(answers)
            case _:
                assert_never(node)

    def odds_of_pieces(self, answers: SeveralAnswers) -> Iterator[tuple[Answer, Fraction]]:
        """Pieces taken in any order, level by level: what was taken so far is all that the next draw depends on."""
        sizes = range(answers.least, answers.most + 1)
        shares = [Fraction(1)]
        if len(sizes) > 1:
            shares = self.chances(self.decider.form.tables[self.tables.sizes], sizes, [UNIT])
        copies = dict(zones.copies(answers.zone))
        level: dict[tuple[int, ...], tuple[Fraction, list[int]]] = {(): (Fraction(1), self.laid_before())}
        for piece in range(answers.most + 1):
            if piece >= answers.least:
                for taken, (chance, _) in level.items():
                    answer = tuple(answers.low + kind for kind in taken)
                    yield answer, shares[piece - answers.least] * chance
            following: dict[tuple[int, ...], tuple[Fraction, list[int]]] = {}
            for taken, (chance, laid) in level.items() if piece < answers.most else ():
                count = Counter(taken)
                kinds = [kind for kind, number in copies.items() if number > count[kind]]
                shown = [answers.low + kind for kind in kinds]
                for kind, share in zip(
                    kinds, self.chances(self.table(piece), shown, self.multipliers(laid)), strict=True
                ):
                    key = tuple(sorted((*taken, kind)))
                    before = following[key][0] if key in following else Fraction(0)
                    following[key] = before + chance * share, self.laid(laid, kind)
            level = following

    def chances(self, table: PolicyTable, answers: Sequence[Any], multipliers: Sequence[int]) -> list[Fraction]:
        """How likely each of some answers is drawn at a table."""
        weights = odds(self.logits(table, answers, multipliers, self.rows(table, answers)))
        total = sum(weights)
        return [Fraction(weight, total) for weight in weights]

    def draw(self, table: PolicyTable, answers: Sequence[Any], multipliers: Sequence[int]) -> int:
        """One of some answers, by their odds."""
        rows = self.rows(table, answers)
        chances = odds(self.logits(table, answers, multipliers, rows))
        taken = drawn(chances, self.random.below(sum(chances)))
        if self.note is not None:
            listed = rows.tolist() if table.constants is None else None
            self.note(PolicyDraw(table, self.context, multipliers, answers, listed, chances, taken))
        return taken

    def rows(self, table: PolicyTable, answers: Sequence[Any]) -> NDArray[np.int64]:
        """The scaled terms of each answer."""
        decider = self.decider
        if table.constants is not None:
            assert table.elements is not None
            return decider.constants(table)[[position_of(table, answer) for answer in answers]]
        return decider.terms(table, [self.values(table, answer) for answer in answers])

    def values(self, table: PolicyTable, answer: Any) -> Sequence[int]:
        if table.number == self.tables.sizes:
            return (answer,) * len(table.terms)
        parts = answer if isinstance(answer, tuple) else (answer,)
        return self.functions.terms(self.slots, self.player, *self.scope, *parts)

    def logits(
        self, table: PolicyTable, answers: Sequence[Any], multipliers: Sequence[int], rows: NDArray[np.int64]
    ) -> list[int]:
        weights = self.decider.weights
        products = weights.terms[table.number] @ np.array(self.context, np.int64)
        total = np.array(multipliers, np.int64) @ products
        slopes = np.clip(total >> SLOPE_BITS, -MOST_SLOPE, MOST_SLOPE)
        result = rows @ slopes
        if table.elements is not None:
            own = weights.kinds[table.number]
            result = result + (own[[position_of(table, answer) for answer in answers]] << WEIGHT_BITS)
        found: list[int] = result.tolist()
        return found


def position_of(table: PolicyTable, answer: int) -> int:
    """The place of an answer among the elements of a table, none being the last."""
    assert table.elements is not None
    position = answer - table.elements[0]
    return position if position >= 0 else len(table.elements) - 1
