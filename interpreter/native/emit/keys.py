"""Keys of rankings: all keys of an element and the element itself are one number, if they fit."""

from __future__ import annotations

from functools import reduce

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.elements import parameters
from chocolatl.interpreter.native.emit.vector_formulas import AbreastEmitter
from chocolatl.interpreter.native.layout.memory import Memory
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.types import PLAYER, Scalar

WIDEST = 62
"""So many bits of keys and element fit into one number."""

EQUAL = "two are equal in every key, and the ranking is strict"


class KeyEmitter(AbreastEmitter):
    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.unordered: set[str] = set()
        """The rankings of which somebody wants to know only that no two players are equal in them."""

    def opened(self, name: str, ranking: ir.Ranking, more: list[tuple[str, str]], result: str = "void") -> Function:
        self.f = f = Function(name, [("ptr", "%s"), *parameters(ranking.parameters), *more], result)
        self.where = {}
        self.receive(ranking.parameters)
        return f

    def receive(self, given: tuple[ir.Local, ...]) -> None:
        """Parameters into their variables."""
        for parameter in given:
            self.set_local(parameter, f"%v{parameter.number}")

    def key(self, ranking: ir.Ranking, element: str, known: dict[int, ir.Expression] | None = None) -> str:
        """The keys of an element and the element as one number; the lowest comes first."""
        f, shifts = self.f, packed(ranking)
        assert shifts is not None and isinstance(ranking.local.type, Scalar)
        number = f.sub(element, str(ranking.local.type.low))
        for key, shift in zip(ranking.keys, shifts, strict=True):
            value, (least, most) = self.emit(self.fold(key.expression, known)), key.expression.type.bounds
            distance = f.sub(str(most), value) if key.descending else f.sub(value, str(least))
            number = f.add(number, f.mul(distance, str(1 << shift)))
        return number

    def element(self, ranking: ir.Ranking, number: str) -> str:
        """The element that a number stands for."""
        assert isinstance(ranking.local.type, Scalar)
        return self.f.add(self.f.both(number, str((1 << bits_of(ranking)) - 1)), str(ranking.local.type.low))

    def keys(self, ranking: ir.Ranking) -> list[str]:
        """The keys of all, written out."""
        assert isinstance(ranking.domain, ir.Whole) and isinstance(ranking.local.type, Scalar)
        sums = any(isinstance(part, ir.Aggregate) for part in inside(*self.formulas(ranking)))
        if sums and self.is_ranked_abreast(
            ranking
        ):  # it takes too long to read a row of numbers just written one by one
            lanes, keys = self.keys_abreast(ranking)
            step = str(1 << bits_of(ranking))
            return [self.f.add(self.f.mul(key, step), str(seat)) for seat, key in enumerate(lanes.split(keys))]
        words = []
        for value in range(ranking.domain.type.low, ranking.domain.type.high + 1):
            constant = ir.Constant(ranking.span, ranking.local.type, value)
            self.set_local(ranking.local, str(value))
            words.append(self.key(ranking, str(value), {ranking.local.number: constant}))
        return words

    # ------------------------------------------------------------ all players at once

    def formulas(self, ranking: ir.Ranking) -> list[ir.Expression]:
        return [self.fold(key.expression) for key in ranking.keys]

    def is_ranked_abreast(self, ranking: ir.Ranking) -> bool:
        """Whether all players are ranked, by what can be computed for all of them at once."""
        assert isinstance(ranking.local.type, Scalar)
        everyone = ranking.local.type.family == PLAYER and length_of(ranking) is not None
        several = everyone and self.game.player_count > 1 and packed(ranking) is not None
        return several and all(self.is_abreast(formula, ranking.local) for formula in self.formulas(ranking))

    def keys_abreast(self, ranking: ir.Ranking) -> tuple[Lanes, str]:
        """The keys of all players, without the players themselves."""
        bits, shifts = bits_of(ranking), packed(ranking)
        assert shifts is not None
        formulas = self.formulas(ranking)
        least, most = ranking.keys[0].expression.type.bounds
        lanes = self.lanes_for(formulas, shifts[0] - bits + (most - least).bit_length())
        total = lanes.splat(0)
        for key, formula, shift in zip(ranking.keys, formulas, shifts, strict=True):
            value = self.abreast(formula, ranking.local, lanes)
            least, most = key.expression.type.bounds
            bound = lanes.splat(most if key.descending else least)
            distance = lanes.op("sub", *((bound, value) if key.descending else (value, bound)))
            total = lanes.op("add", total, lanes.op("shl", distance, lanes.splat(shift - bits)))
        return lanes, total

    def unlike(self, number: int, ranking: ir.Ranking) -> str:
        """A function that finds out that no two players are equal, and not in which order they are. Mostly they differ
        in the last key already, which is there for those who are equal in all others."""
        f = self.opened(f"unlike_{number}", ranking, [])
        alike, bad, good = f.block(), f.block(), f.block()
        last = self.formulas(ranking)[-1]
        if isinstance(last, ir.Load):
            row = Lanes(f, self.game.player_count, self.memory.places[last.field.key].shape.unit)
            f.branch(self.any_equal(row, self.abreast(last, ranking.local, row)), alike, good)
        f.begin(alike)
        f.branch(self.any_equal(*self.keys_abreast(ranking)), bad, good)
        f.begin(bad)
        self.fail(self.site(ranking.span, EQUAL))
        f.begin(good)
        f.leave()
        return f.text()

    def any_equal(self, lanes: Lanes, keys: str) -> str:
        """Whether two players have the same."""
        f = self.f
        turned = [lanes.turned(keys, step) for step in range(1, lanes.count // 2 + 1)]
        equal = [f.op(f"icmp eq {lanes.type} {keys}, {others}") for others in turned]
        return lanes.any(reduce(lambda a, b: f.op(f"or {lanes.truth} {a}, {b}"), equal))


def length_of(ranking: ir.Ranking) -> str | None:
    """How many are ranked, where that is the same always."""
    return str(ranking.domain.type.size) if ranking.where is None and isinstance(ranking.domain, ir.Whole) else None


def bits_of(ranking: ir.Ranking) -> int:
    """So many bits hold an element."""
    assert isinstance(ranking.local.type, Scalar)
    return max(1, (ranking.local.type.size - 1).bit_length())


def packed(ranking: ir.Ranking) -> list[int] | None:
    """By how many bits each key is to be shifted, so that all of them and the element are one number, if they fit."""
    shifts, used = [], bits_of(ranking)
    for key in reversed(ranking.keys):
        low, high = key.expression.type.bounds
        shifts.append(used)
        used += (high - low).bit_length()
    return shifts[::-1] if used <= WIDEST else None
