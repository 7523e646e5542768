"""What is counted inside the games of a series: how often each procedure ran and each choice came up in a game, how it
was answered, and what ended the game.

It follows the game contract in the pipeline, and both engines count by it. All counts are words of 64 bits in a row and
none is below zero, so that those of many games are one long integer, and two of them are added as such.

Of an answer each part is counted by itself, since few joint answers are ever given twice: of a tile that is laid, which
one it is, where it lies and how it is turned. So the memory does not depend on what is answered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from struct import pack, unpack

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.analysis.endings import OVER, Ending, endings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.lowered.codec import Codec
from chocolatl.interpreter.lowered.position import Answer
from chocolatl.interpreter.program.types import NUMBER, Scalar, number
from chocolatl.interpreter.statistics.estimates import COUNTED, Tally
from chocolatl.interpreter.translate.windows import declared

LABELS = 64
"""A choice with more values of its index than this is counted by its name alone."""

HOW_MANY = "how many"
"""The part of an answer that says how many elements were chosen."""

WORD = 8
"""Bytes."""


class AnswerLabel(Struct, frozen=True):
    """A part of an answer, or a range of numbers, as JSON and in words."""

    json: str
    text: str


class AnswerPart(Struct, frozen=True):
    """A part of an answer: of its picks the one with the number `source`; of a choice of several elements, each element
    is 0 and how many there are is 1. Each value has a word or, of very many numbers, each range of `width` of them.

    What has too many values and is made of parts itself, such as a cell and a side of it, is counted by those: a value
    in steps of `unit`, without whole rounds of `cycle`."""

    name: str
    source: int
    type: Scalar
    start: int
    width: int = 1
    unit: int = 1
    cycle: int = 0

    @property
    def first(self) -> int:
        """The lowest value of the first word."""
        return self.type.bounds[0] // self.width * self.width

    @property
    def words(self) -> int:
        return (self.type.bounds[1] - self.first) // self.width + 1

    def word(self, value: int) -> int:
        """Where a value is counted, among the words of an answer."""
        if self.cycle:
            value = self.type.none if value < 0 else self.type.low + value // self.unit % self.cycle
        return self.start + (value - self.first) // self.width

    def shown(self, word: int, codec: Codec) -> AnswerLabel:
        """What a word stands for."""
        value = self.first + word * self.width
        if self.width == 1:
            return AnswerLabel(json.dumps(codec.encode(self.type, value)), codec.text(self.type, value))
        low, high = max(self.type.low, value), min(self.type.high, value + self.width - 1)
        return AnswerLabel(json.dumps({"from": low, "to": high}), f"{low} to {high}")


class CountedChoice(Struct, frozen=True):
    """Where a choice is counted: for each value of its index its entry, and where the words of its answers start."""

    name: str
    indices: tuple[Scalar, ...]
    entries: tuple[int, ...]
    start: int
    parts: tuple[AnswerPart, ...]

    @property
    def step(self) -> int:
        """So many words the answers have, for each value of the index."""
        return sum(part.words for part in self.parts)


class CountedEnding(Struct, frozen=True):
    """Where an ending is counted: its entry, and those of its alternatives, if there are several."""

    ending: Ending
    entry: int
    alternatives: tuple[int, ...]


class Occurrences:
    """The words: of each entry the sum over all games, then the sum of squares; then the answers.

    An entry is a procedure, each of its clauses by itself, a choice with a value of its index, an ending or one of its
    alternatives. All are in the order of the IR: code from the cache counts by it, whatever the layout of the rules."""

    def __init__(self, game: ir.GameRules) -> None:
        names = dict.fromkeys(declared(name) for name in game.procedures if name != game.main)
        self.procedures = {name: entry for entry, name in enumerate(names)}
        self.choices: dict[tuple[str, tuple[tuple[str, int], ...]], int] = {}
        self.asked: dict[int, CountedChoice] = {}
        """By the identity of the statement."""
        known: dict[tuple[str, tuple[Scalar, ...], tuple[AnswerPart, ...]], CountedChoice] = {}
        self.answers = 0
        for node in _choices(game):
            indices = tuple(index.type for index in node.indices)
            indices = indices if number_of(indices) <= LABELS else ()
            shape = (node.name, indices, tuple(_parts(node, game)))
            if shape not in known:
                entries = tuple(self._entry(node.name, indices, values) for values in labels(indices))
                known[shape] = CountedChoice(node.name, indices, entries, self.answers, shape[2])
                self.answers += known[shape].step * len(entries)
            self.asked[id(node)] = known[shape]
        self.all_asked = list(known.values())
        self.entries = len(self.procedures) + len(self.choices)
        self.all_ended: list[CountedEnding] = []
        for ending in endings(game):
            several = len(ending.alternatives) if len(ending.alternatives) > 1 else 0
            first = self.entries + 1
            self.all_ended.append(CountedEnding(ending, self.entries, tuple(range(first, first + several))))
            self.entries = first + several
        self.ended = {id(each.ending.node): each for each in self.all_ended}
        self.size = 2 * self.entries + self.answers

    def _entry(self, name: str, indices: tuple[Scalar, ...], values: tuple[int, ...]) -> int:
        """That of a choice with an index, wherever the rules ask it."""
        key = (name, tuple((type_.family, value) for type_, value in zip(indices, values, strict=True)))
        return self.choices.setdefault(key, len(self.procedures) + len(self.choices))


def _choices(game: ir.GameRules) -> Iterator[ir.Choice]:
    for procedure in game.procedures.values():
        for statement in statements(procedure.body):
            if isinstance(statement, ir.Choice):
                yield statement


# ---------------------------------------------------------------- the index of a choice


def labels(indices: tuple[Scalar, ...]) -> Iterator[tuple[int, ...]]:
    """All values of an index."""
    return product(*(range(low, high + 1) for low, high in (type_.bounds for type_ in indices)))


def number_of(indices: tuple[Scalar, ...]) -> int:
    """How many values an index has."""
    return prod(high - low + 1 for low, high in (type_.bounds for type_ in indices))


def label_number(indices: tuple[Scalar, ...], values: tuple[int, ...]) -> int:
    """The number of a value of an index, among all of them."""
    found = 0
    for type_, value in zip(indices, values, strict=True):
        low, high = type_.bounds
        found = found * (high - low + 1) + value - low
    return found


def label_with_number(indices: tuple[Scalar, ...], position: int) -> tuple[int, ...]:
    """The value of an index that has a number."""
    found = []
    for type_ in reversed(indices):
        low, high = type_.bounds
        position, value = divmod(position, high - low + 1)
        found.append(low + value)
    return tuple(reversed(found))


# ---------------------------------------------------------------- the parts of an answer


def _parts(node: ir.Choice, game: ir.GameRules) -> Iterator[AnswerPart]:
    """One after the other. What has too many values is left out, if it is neither a number nor made of parts."""
    start = 0
    for source, (name, type_) in enumerate(_kinds(node, game)):
        for part in _counted(game, name, source, type_):
            yield (placed := replace(part, start=start))
            start += placed.words


def _kinds(node: ir.Choice, game: ir.GameRules) -> Iterator[tuple[str, Scalar]]:
    if isinstance(node, ir.Choose):
        for pick in node.picks:
            assert isinstance(pick.local.type, Scalar)
            yield pick.local.name if len(node.picks) > 1 else "", pick.local.type
        return
    zone = ir.set_type(node.source)
    yield "value" if zone.element.family == NUMBER else zone.element.family, zone.element
    if node.least.type.low < node.most.type.high:
        yield HOW_MANY, number(0, max(0, min(node.most.type.high, most_of_set(zone, game))))


def _counted(
    game: ir.GameRules, name: str, source: int, type_: Scalar, unit: int = 1, cycle: int = 0
) -> Iterator[AnswerPart]:
    low, high = type_.bounds
    if type_.family == NUMBER:
        width = 1
        while high // width - low // width >= COUNTED:
            width *= 10
        yield AnswerPart(name, source, type_, 0, width, unit, cycle)
    elif high - low < COUNTED:
        yield AnswerPart(name, source, type_, 0, 1, unit, cycle)
    elif type_.family in game.domains:
        below = game.domains[type_.family].size
        for part_name, part in game.domains[type_.family].parts:
            below //= part.size
            own = replace(part, optional=type_.optional)
            yield from _counted(game, f"{name}.{part_name}".lstrip("."), source, own, unit * below, part.size)


# ---------------------------------------------------------------- counting


class Counting:
    """Counts what happens in games, one after the other, as they are played."""

    def __init__(self, occurrences: Occurrences) -> None:
        self.occurrences = occurrences
        self.words = [0] * occurrences.size
        self.game = [0] * occurrences.entries
        """How often each entry occurred in the game at hand."""

    def ran(self, procedure: str, times: int) -> None:
        self.game[self.occurrences.procedures[procedure]] += times

    def answered(self, node: ir.Choice, label: tuple[int, ...], answer: Answer) -> None:
        asked = self.occurrences.asked[id(node)]
        at = label_number(asked.indices, label) if asked.indices else 0
        self.game[asked.entries[at]] += 1
        start = 2 * self.occurrences.entries + asked.start + at * asked.step
        given = answer if isinstance(answer, tuple) else (answer,)
        for part in asked.parts:
            values = [given[part.source]] if isinstance(node, ir.Choose) else [len(given)] if part.source else given
            for value in values:
                self.words[start + part.word(value)] += 1

    def ended(self, number: int, held: Iterable[bool]) -> None:
        """An ending, and for each of its alternatives whether it held."""
        ended = self.occurrences.all_ended[number]
        self.game[ended.entry] += 1
        for entry, holds in zip(ended.alternatives, held, strict=False):
            self.game[entry] += holds

    def end(self) -> None:
        """The game is over."""
        for entry, times in enumerate(self.game):
            self.words[entry] += times
            self.words[self.occurrences.entries + entry] += times * times
        self.game = [0] * self.occurrences.entries

    @property
    def counts(self) -> int:
        """All words as one number."""
        return int.from_bytes(pack(f"<{len(self.words)}Q", *self.words), "little")


# ---------------------------------------------------------------- what was counted


class Chosen(Struct, frozen=True):
    """How often a choice came up in a game, and part by part how often it was answered how. Where one element is chosen
    there is one part, without a name."""

    times: Tally
    parts: dict[str, Counter[AnswerLabel]]


class EndingCounts(Struct, frozen=True):
    """In how many games something ended, and in how many of them each alternative held."""

    ending: Ending
    games: int
    alternatives: tuple[int, ...]


class OccurrenceCounts:
    """What happened in so many games, by the names that the rules have for it."""

    def __init__(self, occurrences: Occurrences, codec: Codec, games: int, counts: int) -> None:
        self.games = games
        entries = occurrences.entries
        words = unpack(f"<{occurrences.size}Q", counts.to_bytes(WORD * occurrences.size, "little"))

        def times(entry: int) -> Tally:
            return Tally.sums(games, words[entry], words[entries + entry])

        self.procedures = {name: times(entry) for name, entry in occurrences.procedures.items()}
        stopped: Counter[int] = Counter()
        self.ended: list[EndingCounts] = []
        for each in occurrences.all_ended:
            ending, count = each.ending, words[each.entry]
            if ending.kind == OVER:  # counted when the loop is left, in whatever way
                count -= stopped[id(ending.loop)]
            stopped[id(ending.loop)] += count
            held = [words[entry] for entry in each.alternatives] or [count] * len(ending.alternatives)
            self.ended.append(EndingCounts(ending, count, tuple(held)))
        self.choices: dict[str, Chosen] = {}
        for asked in occurrences.all_asked:
            for at, (label, entry) in enumerate(zip(labels(asked.indices), asked.entries, strict=True)):
                shown = ", ".join(map(codec.text, asked.indices, label))
                name = f"{asked.name}[{shown}]" if label else asked.name
                chosen = self.choices.setdefault(name, Chosen(times(entry), {}))
                start = 2 * entries + asked.start + at * asked.step
                for part in asked.parts:
                    given = chosen.parts.setdefault(part.name, Counter())
                    for word in range(part.words):
                        if count := words[start + part.start + word]:
                            given[part.shown(word, codec)] += count
