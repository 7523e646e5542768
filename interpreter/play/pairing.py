"""Random numbers keyed by what each of them is for, so that a changed rule shifts none of the others (a counter-based
generator, common random numbers).

The contract's generator (`chocolatl.interpreter.lowered.random`) hands out numbers one after the other: one draw more
in the first round, and all later ones are others. Here a number follows from its key alone. Games of two rule files
with the same seed then differ by what the rules do differently, and hardly by luck; a transcript of such a game has
`pairing: 1` in its header. A native back end repeats this:

    step(k, part)  = mix((k ^ part) + GAMMA)                      mix and GAMMA of splitmix64, all modulo 2**64
    name key       = the first 8 bytes of SHA-256 of a text in UTF-8, the lowest first
    element key    = of a number the number itself, of anything else the name key of its name as in files, with players
                     called p1, p2, ... by seat; of none that of `none`; of a domain with more than 4,096 elements the
                     number of the element
    game           = mix(own seed + GAMMA)                        the own seed of the contract
    event          = step of game with, one after the other: the name key of the question; the seat whose it is (from
                     1 on; 0 is nobody's); the period; the element keys of where it stands; how often the same was
                     asked in this period before

The question is `chance NAME`, `choice NAME` or, where pieces move into a field, `into FIELD`: whatever the choice is
called. Where it stands is told by what surrounds it in the rules: parameters that are no numbers, what loops go
through, then its index, from outside to inside; what would make more than 64 combinations is left out, and so is what
is told anyway, as whose it is. The period is the round, where there are rounds. Otherwise it is the turn: how often
that seat was asked openly after another one was, for nobody's chance how often the seat has changed in all.

What an event brings is decided by candidates, of which the one with the smallest number (without a sign) wins, the
first one of equal ones:

    one of several answers   number = step of event with the element keys of its picks
    several pieces           piece by piece: step(event, element key) of each kind left; each piece counts as asked
                             for, and so does their number where it is free
    a piece that is drawn    number = step(step(event, element key), copy) of each copy, from 0 on

So adding or removing a card or an answer changes a draw only if it would have won or has won (consistent sampling by
least hashes). Where two games share all but a part d of what is equally likely, they draw differently with the chance
2d / (1 + d), and nothing that looks at one game at a time does better (Bavarian, Ghazi, Haramaty, Kamath, Rivest and
Sudan 2016, "The optimality of correlated sampling"). Rolls, how many pieces are chosen, and players of other types than
`random` use the contract's generator, seeded for each event: w0 and w1 are outputs 1 and 2 of splitmix64 started at
`event`. A roll keeps its quantile then where odds change.

Why this hash: two multiplications a number, no state, the very function that both back ends have already. It is the
output function of splitmix64 (Steele, Lea and Flood 2014), used by key as the generators of Salmon, Moraes, Dror and
Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", are; their Philox takes ten rounds of two wider products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from math import prod
from operator import itemgetter
from typing import TypeVar, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import blocks
from chocolatl.interpreter.lowered.codec import Codec
from chocolatl.interpreter.lowered.random import Random, game_seed, mix, splitmix64
from chocolatl.interpreter.program.types import NUMBER, Scalar

PAIRING = 1
"""What the header of a transcript says of this generator."""

GAMMA = 0x9E3779B97F4A7C15
NAMED = 4096
"""Elements of larger domains are keyed by their number."""
PLACES = 64
"""In so many places a question can stand at most."""

AskedNode = ir.Choose | ir.ChooseSet | ir.Roll | ir.Draw
"""What a number is asked for."""

Candidate = TypeVar("Candidate")


def step(key: int, part: int) -> int:
    """The key that belongs to a part of what a key is for."""
    return mix((key ^ part) + GAMMA)


@cache
def name_key(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:8], "little")


def game_key(seed: int, game: int = 0) -> int:
    """The key of a game of a series."""
    return splitmix64(game_seed(seed, game), 1)


class KeyedRandom(Random):
    """The contract's generator, seeded by the key of an event."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        w0, w1 = splitmix64(key, 1), splitmix64(key, 2)
        self._state = (w0 & 0xFFFFFFFF, w0 >> 32, w1 & 0xFFFFFFFF, w1 >> 32)
        self.key = key


@dataclass(frozen=True)
class KeyedQuestion:
    """What a question is keyed by: the key of its name, and the types of what tells where it stands. Questions that are
    alike in this share their counts."""

    name: int
    types: tuple[Scalar, ...]

    @property
    def values(self) -> int:
        """In how many places it can stand."""
        return prod(map(_values, self.types))


@dataclass(frozen=True)
class KeyedSite:
    """A place in the rules where a question is asked: variables around it tell where it stands, then parts of its
    index."""

    question: KeyedQuestion
    scope: tuple[ir.Local, ...]
    index: tuple[int, ...]


def keyed_sites(game: ir.GameRules) -> dict[int, KeyedSite]:
    """All places where something is asked, by the identity of the statement."""
    found: dict[int, KeyedSite] = {}
    for procedure in game.procedures.values():
        _visit(procedure.body, _told_by(procedure), found)
    return found


def _told_by(procedure: ir.Procedure) -> tuple[ir.Local, ...]:
    """The parameters that tell where something stands. What one of several procedures of a name is chosen by is none:
    it is the same always."""
    _, is_one, cases = procedure.name.partition("(")
    given = procedure.parameters[1:] if is_one and "," not in cases else procedure.parameters
    return tuple(local for local in given if isinstance(local.type, Scalar) and local.type.family != NUMBER)


def _visit(block: ir.Block, scope: tuple[ir.Local, ...], found: dict[int, KeyedSite]) -> None:
    for s in block:
        match s:
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                found[id(s)] = _site(s, scope)
            case ir.ForEach():
                _visit(s.body, scope if s.counter is not None else (*scope, s.local), found)
            case ir.InTurn():
                _visit(s.body, (*scope, s.local), found)
            case ir.Contest():
                for clause in s.clauses:
                    _visit(clause.body, (*scope, clause.local), found)
            case _:
                for inner in blocks(s):
                    _visit(inner, scope, found)


def _site(s: AskedNode, scope: tuple[ir.Local, ...]) -> KeyedSite:
    whose: ir.Expression | None
    match s:
        case ir.Choose():
            name, indices, whose = f"choice {s.name}", s.indices, s.player
        case ir.ChooseSet():
            into = s.target.field.name if isinstance(s.target, ir.FieldZone) else None
            name, indices, whose = f"into {into}" if into is not None else f"choice {s.name}", s.indices, s.player
        case ir.Roll() | ir.Draw():
            name, indices, whose = f"chance {s.local.name}", (), s.owner
        case _:
            assert_never(s)
    owner = whose.local.number if isinstance(whose, ir.Read) else None
    types: list[Scalar] = []
    kept = [local for local in dict.fromkeys(scope) if local.number != owner and _fits(types, local.type)]
    known = {local.number for local in scope}
    index = [
        number
        for number, each in enumerate(indices)
        if not (isinstance(each, ir.Read) and each.local.number in known) and _fits(types, each.type)
    ]
    return KeyedSite(KeyedQuestion(name_key(name), tuple(types)), tuple(kept), tuple(index))


def _fits(types: list[Scalar], type_: object) -> bool:
    """Whether one more type makes not too many combinations; it is added then."""
    if not isinstance(type_, Scalar) or prod(map(_values, types)) * _values(type_) > PLACES:
        return False
    types.append(type_)
    return True


def _values(type_: Scalar) -> int:
    low, high = type_.bounds
    return high - low + 1


class ElementKeys:
    """The keys of the elements of a game, by their names."""

    def __init__(self, game: ir.GameRules) -> None:
        self.codec = Codec(game, tuple(f"p{seat + 1}" for seat in range(game.player_count)))
        self.known: dict[tuple[Scalar, int], int] = {}

    def of(self, type_: Scalar, value: int) -> int:
        found = self.known.get((type_, value))
        if found is None:
            found = self.known[type_, value] = self._of(type_, value)
        return found

    def _of(self, type_: Scalar, value: int) -> int:
        if type_.optional and value == type_.none:
            return name_key("none")
        return name_key(self.codec.text(type_, value)) if is_named(type_) else value

    def table(self, type_: Scalar) -> tuple[int, ...]:
        """The keys of all values that a type holds, as numbers with a sign."""
        low, high = type_.bounds
        keys = [self.of(type_, value) for value in range(low, high + 1)]
        return tuple(key - (1 << 64) if key >> 63 else key for key in keys)


def is_named(type_: Scalar) -> bool:
    """Whether elements are keyed by their names."""
    return type_.family != NUMBER and type_.size <= NAMED


class PairedNumbers:
    """The keys of one game: they are asked for question by question, since it counts what was asked before. Without
    `rounds` it counts turns."""

    def __init__(self, keys: ElementKeys, rounds: bool, seed: int, game: int = 0) -> None:
        self.keys = keys
        self.rounds = rounds
        self.game = game_key(seed, game)
        self.turns = [0] * (keys.codec.game.player_count + 1)
        self.last = 0
        self.counts: dict[tuple[int, KeyedQuestion, tuple[int, ...]], tuple[int, int]] = {}

    def period(self, who: int, asks: bool, round_: int) -> int:
        """When a question is put: to a seat, or for it or for nobody (-1) by chance. `asks`: a seat is asked openly."""
        if self.rounds:
            return round_
        if asks and self.last != who + 1:
            self.last = who + 1
            self.turns[0] += 1
            self.turns[who + 1] += 1
        return self.turns[who + 1]

    def event(self, question: KeyedQuestion, who: int, period: int, place: tuple[int, ...]) -> int:
        """The key of a question that is asked now."""
        entry = (who, question, place)
        before, count = self.counts.get(entry, (period, 0))
        if before != period:
            count = 0
        self.counts[entry] = (period, count + 1)
        key = self.game
        where = (self.keys.of(type_, value) for type_, value in zip(question.types, place, strict=True))
        for part in (question.name, who + 1, period, *where, count):
            key = step(key, part)
        return key


def least(candidates: Iterable[tuple[int, Candidate]]) -> Candidate:
    """The candidate with the smallest number."""
    return min(candidates, key=itemgetter(0))[1]


def chosen_one(key: int, answers: Iterable[Candidate], parts: Callable[[Candidate], Iterable[int]]) -> Candidate:
    """One of several answers, told apart by the keys of their parts."""

    def number(answer: Candidate) -> int:
        found = key
        for part in parts(answer):
            found = step(found, part)
        return found

    return least((number(answer), answer) for answer in answers)


def chosen_pieces(keys: Iterable[int], copies: dict[int, int], element: Callable[[int], int]) -> tuple[int, ...]:
    """A piece for each key, out of a set of which it is told how many copies of each element there are."""
    left, taken = dict(copies), []
    for key in keys:
        found = least((step(key, element(value)), value) for value, number in left.items() if number)
        left[found] -= 1
        taken.append(found)
    return tuple(sorted(taken))


def drawn_piece(key: int, copies: dict[int, int], element: Callable[[int], int]) -> int:
    """One piece of a deck."""
    return least(
        (step(step(key, element(value)), copy), value) for value, number in copies.items() for copy in range(number)
    )
