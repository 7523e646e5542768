"""What all players do in the same way, done by all of them at once: one operation on vectors with a lane for each.

    every player p secretly                           for each p in player
        for each here in location                         reveal p.sealed[here] into p.shown[here]
            p chooses 2 from p.hand into p.sealed[here]

Each moves between zones of their own and draws numbers of their own, so nobody can tell in which order they do it. The
zones of all players lie in rows, and so do their random numbers (`chocolatl.interpreter.native.layout.memory`).
"""

from __future__ import annotations

from functools import reduce
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.elements import parameters
from chocolatl.interpreter.native.emit.kinds import is_uniform
from chocolatl.interpreter.native.emit.register_promotion import HoldingEmitter
from chocolatl.interpreter.native.emit.several import UNROLLED, fixed
from chocolatl.interpreter.native.emit.vector_formulas import is_own
from chocolatl.interpreter.native.layout import bit_planes as planes
from chocolatl.interpreter.native.layout.memory import Memory
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.program.types import PLAYER, Scalar

NOT_AT_ONCE = "this is done by one player after the other"


class TogetherEmitter(HoldingEmitter):
    noted = False
    """Whether events are noted, which come by seat."""

    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.common: dict[tuple[str, ir.Local], str] = {}
        """The functions for procedures that all go through at once, by the parameter that stands for the player."""

    # ------------------------------------------------------------ what can be done at once

    def all_do(self, block: ir.Block, player: ir.Local) -> bool:
        """Whether all players can go through a block at once."""
        return not self.closely and all(self.one_does(s, player) for s in block)

    def one_does(self, s: ir.Statement, player: ir.Local) -> bool:
        """Whether all players can do this at once. What is not looked for is done by one after the other, so that
        nothing is wrong with a kind of statement that is not named."""
        match s:
            case ir.ChooseSet():
                count = fixed(s)
                own = not self.noted and s.where is None and is_own(s.player, player)
                return own and count is not None and 0 < count <= UNROLLED and self.own_zones(s, player)
            case ir.MoveAll():
                return self.own_zones(s, player)
            case ir.Store(target=ir.Load(owner=ir.Read()) as target, value=ir.Constant()):
                own = is_own(target.owner, player) and all(_is_uniform(index, player) for index in target.indices)
                return own and not self.is_looked_at({target.field.key})
            case ir.ForEach(domain=ir.Whole(start=None), where=None, counter=None, backwards=False):
                return self.all_do(s.body, player)
            case ir.ForEach(domain=ir.Numbers() as row, where=None, counter=None, backwards=False):
                same = _is_uniform(row.low, player) and _is_uniform(row.high, player)
                return same and self.all_do(s.body, player)
            case ir.Call():
                given = zip(self.game.procedures[s.procedure].parameters, s.arguments, strict=True)
                who = [parameter for parameter, argument in given if is_own(argument, player)]
                others = [argument for argument in s.arguments if not is_own(argument, player)]
                body = self.game.procedures[s.procedure].body
                return len(who) == 1 and all(_is_uniform(e, player) for e in others) and self.all_do(body, who[0])
        return False

    def own_zones(self, s: ir.ChooseSet | ir.MoveAll, player: ir.Local) -> bool:
        """Whether both zones are the player's own, in rows, and nobody looks at them."""
        keys = set()
        for zone in (s.source, s.target):
            if not isinstance(zone, ir.FieldZone) or zone.owner is None or not is_own(zone.owner, player):
                return False
            if self.memory.places[zone.field.key].shape.lanes != self.game.player_count:
                return False
            if not all(_is_uniform(index, player) for index in zone.indices):
                return False
            keys.add(zone.field.key)
        return not self.is_looked_at(keys)

    def is_looked_at(self, keys: set[tuple[str | None, str]]) -> bool:
        """Whether a latch or an invariant looks at one of some fields when it has changed."""
        return any(looked & keys for looked in [*self.watched, *(self.guarded if self.guards else ())])

    # ------------------------------------------------------------ doing it

    def together(self, block: ir.Block, player: ir.Local) -> None:
        for s in block:
            start = len(self.f.lines)
            match s:
                case ir.ChooseSet():
                    self.all_choose(s, player)
                case ir.MoveAll():
                    self.all_move(s)
                case ir.ForEach():
                    with self.holding(s.body), self.each(s.domain, s.local):
                        self.together(s.body, player)
                case ir.Store():
                    for seat in range(self.game.player_count):
                        self.set_local(player, str(seat))
                        self.statement(s)
                case ir.Call():
                    self.all_call(s, player)
                case ir.SetLocal() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.If():
                    raise AssertionError(NOT_AT_ONCE)
                case ir.InTurn() | ir.Repeat() | ir.Stop() | ir.Secretly() | ir.Contest():
                    raise AssertionError(NOT_AT_ONCE)
                case ir.Choose() | ir.Roll() | ir.Draw():
                    raise AssertionError(NOT_AT_ONCE)
                case _:
                    assert_never(s)
            self.f.beside(start, f"line {s.span.line}")

    def all_call(self, s: ir.Call, player: ir.Local) -> None:
        """A procedure by all players, which is a function of its own."""
        given = list(zip(self.game.procedures[s.procedure].parameters, s.arguments, strict=True))
        who = next(parameter for parameter, argument in given if is_own(argument, player))
        name = self.common.setdefault((s.procedure, who), f"together_{len(self.common)}")
        values = ["ptr %s"]
        for parameter, argument in given:
            if parameter != who:
                assert isinstance(parameter.type, Scalar)
                values.append(f"i64 {self.checked(argument, parameter.type, f'`{parameter.name}`')}")
        self.f.do(f"call void @{name}({', '.join(values)})")

    def common_texts(self) -> list[str]:
        """The procedures that all players go through at once; one may call another."""
        texts: list[str] = []
        while len(texts) < len(self.common):
            (procedure, who), name = list(self.common.items())[len(texts)]
            given = tuple(p for p in self.game.procedures[procedure].parameters if p != who)
            self.f, self.where = Function(name, [("ptr", "%s"), *parameters(given)]), {}
            self.receive(given)
            for _ in range(self.game.player_count):
                self.begun(procedure)
            self.together(self.game.procedures[procedure].body, who)
            self.f.leave()
            texts.append(self.f.text())
        return texts

    def add_to_row(self, zone: ir.Zone, content: list[str]) -> None:
        lanes, pointers, tag = self.lanes_of(zone)
        held = planes.united(lanes, [lanes.load(pointer, tag) for pointer in pointers], content)
        for plane, pointer in zip(held, pointers, strict=False):  # what there is no plane for is not there
            lanes.store(plane, pointer, tag)

    def all_move(self, s: ir.MoveAll) -> None:
        lanes, pointers, tag = self.lanes_of(s.source)
        content = [lanes.load(pointer, tag) for pointer in pointers]
        for pointer in pointers:
            lanes.store("0", pointer, tag)
        self.add_to_row(s.target, content)

    def all_choose(self, s: ir.ChooseSet, player: ir.Local) -> None:
        """A choice of components by all players; where one has too few, the game has failed."""
        f, count = self.f, fixed(s)
        assert count is not None and isinstance(s.source, ir.FieldZone)
        held = s.source.field.key in self.held_zones
        kinds, taken = (self.taken_from_words if held else self.taken_from_rows)(s.source, count)
        fine, bad = f.block(), f.block()
        f.branch(f.compare("ne", reduce(self.lower, kinds), "0"), fine, bad)
        f.begin(bad)
        self.fail_unanswered(s)
        f.begin(fine)
        self.asked(self.game.player_count)
        if self.occurrences is not None:
            lanes, _, _ = self.lanes_of(s.source)
            for seat, chosen in enumerate(zip(*map(lanes.split, taken), strict=True)):
                self.set_local(player, str(seat))
                self.count_planes(s, list(chosen))
        self.add_to_row(s.target, taken)

    def taken_from_words(self, zone: ir.FieldZone, count: int) -> tuple[list[str], list[str]]:
        """So many components from everybody's own zone: the kinds that each has had to choose from at last, and what
        all have taken, in rows."""
        f, (lanes, pointers, _) = self.f, self.lanes_of(zone)
        left, taken, kinds = self.words(zone), ["0"] * len(pointers), [""] * lanes.count
        for _ in range(count):
            kinds = [planes.present(f, own) for own in left]
            bits = [self.bit_of(*each) for each in zip(kinds, self.all_draw(), strict=True)]
            left = [planes.without(f, own, bit) for own, bit in zip(left, bits, strict=True)]
            taken = planes.with_one(lanes, taken, lanes.gathered(bits))
        self.set_words(zone, left)
        return kinds, taken

    def taken_from_rows(self, zone: ir.FieldZone, count: int) -> tuple[list[str], list[str]]:
        """The same where nothing is held, with fewer instructions: components are moved at once, and what a number
        stands for is looked for in each lane."""
        f, (lanes, pointers, tag) = self.f, self.lanes_of(zone)
        left = [lanes.load(pointer, tag) for pointer in pointers]
        taken = ["0"] * len(left)
        kinds, last, bits = [""] * lanes.count, [""] * lanes.count, [""] * lanes.count
        for number in range(count):
            if number % 2 == 0:
                kinds = lanes.split(planes.present(lanes, left))
                last = lanes.split(self.single(lanes, left)) if number + 1 < count else last
            else:  # known sooner than what is left is put together
                gone = [f.both(bit, single) for bit, single in zip(bits, last, strict=True)]
                kinds = [f.differing(*each) for each in zip(kinds, gone, strict=True)]
            bits = [self.bit_of(*each) for each in zip(kinds, self.all_draw(), strict=True)]
            bit = lanes.gathered(bits)
            left, taken = planes.without(lanes, left, bit), planes.with_one(lanes, taken, bit)
        for plane, pointer in zip(left, pointers, strict=True):
            lanes.store(plane, pointer, tag)
        return kinds, taken

    def single(self, lanes: Lanes, held: list[str]) -> str:
        """The kinds of which there is one copy."""
        several = planes.present(lanes, held[1:]) if held[1:] else "0"
        return lanes.both(held[0], lanes.differing(several, lanes.splat(-1))) if several != "0" else held[0]

    def bit_of(self, kinds: str, number: str) -> str:
        """The kind that a random number of 32 bits stands for."""
        f = self.f
        product = f.op(f"mul i64 {number}, {f.op(f'call i64 @llvm.ctpop.i64(i64 {kinds})')}")
        return f.op(f"call i64 @nth_set(i64 {kinds}, i64 {f.op(f'lshr i64 {product}, 32')})")

    def lower(self, a: str, b: str) -> str:
        self.intrinsics.add("declare i64 @llvm.umin.i64(i64, i64)")
        return self.f.op(f"call i64 @llvm.umin.i64(i64 {a}, i64 {b})")

    # ------------------------------------------------------------ numbers of all players

    def all_draw(self) -> list[str]:
        """The next number of each player, as `below` in `chocolatl.interpreter.native.emit.support` draws one."""
        lanes = self.number_lanes
        a, b, c, d = self.number_rows()

        def turned(value: str, by: int) -> str:
            return self.intrinsic("fshl", lanes, value, value, lanes.splat(by))

        result = lanes.op("add", turned(lanes.op("add", a, d), 7), a)
        c, d = lanes.op("xor", c, a), lanes.op("xor", d, b)
        up = lanes.op("shl", b, lanes.splat(9))
        self.set_number_rows([lanes.op("xor", a, d), lanes.op("xor", b, c), lanes.op("xor", c, up), turned(d, 11)])
        return lanes.split(result)


def is_everyone(s: ir.ForEach) -> bool:
    """Whether a loop goes through all players."""
    local = s.local.type
    whole = isinstance(s.domain, ir.Whole) and s.domain.start is None
    plain = s.where is None and s.counter is None and not s.backwards
    return whole and plain and isinstance(local, Scalar) and local.family == PLAYER


def _is_uniform(e: ir.Expression, player: ir.Local) -> bool:
    """Whether a formula is the same for all players."""
    return all(is_uniform(part, player) for part in inside(e))
