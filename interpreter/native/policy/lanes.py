"""What is about each player, for all players at once: values as they are, a row for each player (vectorisation, SIMD).

What can be computed in lanes is; the rest by one player after the other. What is held against the others is taken from
what each of them has, by turning the lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import load_head
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.emit.values_and_rankings.zones import vector_intrinsic
from chocolatl.interpreter.native.layout.memory import REPORT
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.llvm.vectors import Lanes
from chocolatl.interpreter.native.policy.layout import PolicyLayout
from chocolatl.interpreter.native.vector.formulas import emit_lanes, is_player_invariant, is_vectorisable, lanes_for
from chocolatl.interpreter.policy.form import Feature, PolicyForm
from chocolatl.interpreter.policy.quantities import AmongPlayers
from chocolatl.interpreter.policy.writing import FIRST_LOCAL
from chocolatl.interpreter.program.types import Scalar

COUNTED = ir.Local(FIRST_LOCAL - 1, "counted", Scalar("number", 0, 0))
"""Nobody reads it: it stands for each of the elements that are counted."""

EVERYBODY = "-1"
"""In place of a seat."""


def values_text(context: EmitContext, form: PolicyForm, layout: PolicyLayout) -> str:
    """The values of all common features, in rows of 32 bits: of all players, or what is reckoned player by player of
    one of them alone. Of a feature that nobody wants there is none, unless the same quantity is wanted otherwise: what
    a player has, and that held against the others, are reckoned together."""
    f = context.open(Function("policy_values", [("ptr", "%s"), ("i64", "%whose")]))
    base = f.op(f"inttoptr i64 {load_head(context, REPORT)} to ptr")
    lanes = PlayerLanes(context, form)

    def place(seat: int, number: int) -> str:
        return f.op(f"getelementptr i8, ptr {base}, i64 {layout.values + seat * layout.values_row + 4 * number}")

    @contextmanager
    def wanted(*numbers: int) -> Iterator[None]:
        flags = [f.op(f"getelementptr i8, ptr {base}, i64 {layout.wanted + number}") for number in numbers]
        any_, *others = [f.op(f"load i8, ptr {flag}") for flag in flags]
        for other in others:
            any_ = f.op(f"or i8 {any_}, {other}")
        on, done = f.block(), f.block()
        f.branch(f.op(f"icmp ne i8 {any_}, 0"), on, done)
        f.begin(on)
        yield
        f.begin(done)

    numbers = [number for number in form.common if number]  # what is always 1 is written elsewhere
    singly = [number for number in numbers if lanes.is_singly(form.features[number])]
    together: dict[tuple[ir.Expression, ...], list[Feature]] = {}
    for number in numbers:
        if number not in singly:
            feature = form.features[number]
            own = feature.among.own if feature.among is not None else (feature.formula,)
            together.setdefault(tuple(own), []).append(feature)
    for quantities, features in together.items():
        with wanted(*(feature.number for feature in features)):
            held = [lanes.of_all(each) for each in quantities]
            for feature in features:
                value = lanes.among(feature.among, held) if feature.among is not None else held[0]
                for seat in range(lanes.lanes.count):
                    own_value = f.op(f"extractelement {lanes.lanes.type} {value}, i64 {seat}")
                    f.do(f"store i32 {own_value}, ptr {place(seat, feature.number)}")
    for seat in range(lanes.lanes.count if singly else 0):
        at_all, this_one, other = f.block(), f.block(), f.block()
        f.branch(f.compare("eq", "%whose", EVERYBODY), this_one, at_all)
        f.begin(at_all)
        f.branch(f.compare("eq", "%whose", str(seat)), this_one, other)
        f.begin(this_one)
        for number in singly:
            with wanted(number):
                word = f.op(f"trunc i64 {lanes.of_seat(form.features[number].formula, seat)} to i32")
                f.do(f"store i32 {word}, ptr {place(seat, number)}")
        f.begin(other)
    f.leave()
    return f.text()


class PlayerLanes:
    """Formulas about the player who decides, for all players."""

    def __init__(self, context: EmitContext, form: PolicyForm) -> None:
        self.context, self.f, self.form = context, context.f, form
        self.lanes = Lanes(context.f, form.game.player_count, "i32")

    def of_one(self, among: AmongPlayers, player: str) -> str | None:
        """What a player's quantity is, held against the others; None where not all is computed in lanes."""
        for each in among.own:
            if not self.in_lanes(each):
                return None
        held = self.among(among, [self.of_all(each) for each in among.own])
        found = self.f.op(f"extractelement {self.lanes.type} {held}, i64 {player}")
        return self.f.op(f"sext i32 {found} to i64")

    def in_lanes(self, formula: ir.Expression) -> bool:
        """Whether a formula is computed for all at once: it can be, and nothing in it takes more than 32 bits."""
        plain = self.plain(formula)
        small = lanes_for(self.context, [plain]).unit == self.lanes.unit
        return small and is_vectorisable(self.context, plain, self.form.me)

    def plain(self, formula: ir.Expression) -> ir.Expression:
        """With short values written out, and sizes of sets as lanes can count them."""
        return _counted(self.context.fold(formula))

    def of_all(self, formula: ir.Expression) -> str:
        """A formula about the player, for all of them."""
        context, f, me = self.context, self.f, self.form.me
        if is_player_invariant(formula, me):
            return self.lanes.spread(emit(context, formula))
        if self.in_lanes(formula):
            return emit_lanes(context, self.plain(formula), me, self.lanes)
        words = [self.of_seat(formula, seat) for seat in range(self.lanes.count)]
        return self.lanes.gathered([word if word != "0" else f.op("add i64 0, 0") for word in words])

    def is_singly(self, feature: Feature) -> bool:
        """Whether a feature is reckoned player by player, and nothing of the others matters."""
        formula = feature.formula
        return feature.among is None and not is_player_invariant(formula, self.form.me) and not self.in_lanes(formula)

    def of_seat(self, formula: ir.Expression, seat: int) -> str:
        """A formula about the player, for one of them."""
        me = self.form.me
        constant = ir.Constant(formula.span, Scalar(me.type.family, seat, seat), seat)  # type: ignore[union-attr]
        return emit(self.context, self.context.fold(formula, {me.number: constant}))

    def among(self, among: AmongPlayers, own: list[str]) -> str:
        """What is held against the others, by what each of them has."""
        lanes = self.lanes
        turns = range(1, lanes.count)
        match among.kind:
            case AggregateKind.HIGHEST:
                best = lanes.turned(own[0], 1)
                for steps in turns[1:]:
                    best = vector_intrinsic(self.context, "smax", lanes, best, lanes.turned(own[0], steps))
                return lanes.op("sub", own[0], best)
            case AggregateKind.SUM:
                total = lanes.turned(own[0], 1)
                for steps in turns[1:]:
                    total = lanes.op("add", total, lanes.turned(own[0], steps))
                return total
            case None:
                return self.places(own, among.descending)
            case AggregateKind.SOME | AggregateKind.EVERY | AggregateKind.NUMBER | AggregateKind.LOWEST:
                raise AssertionError("nothing is held against the others like that")
            case _:
                assert_never(among.kind)

    def places(self, keys: list[str], descending: tuple[bool, ...]) -> str:
        """The place of each by keys: 1, and one more for each who comes before."""
        f, lanes = self.f, self.lanes
        place = lanes.splat(1)
        for steps in range(1, lanes.count):
            before = ""
            for key, down in reversed(list(zip(keys, descending, strict=True))):
                other = lanes.turned(key, steps)
                better = f.op(f"icmp {'sgt' if down else 'slt'} {lanes.type} {other}, {key}")
                if before:
                    same = f.op(f"icmp eq {lanes.type} {other}, {key}")
                    rest = f.op(f"and {lanes.truth} {same}, {before}")
                    better = f.op(f"or {lanes.truth} {better}, {rest}")
                before = better
            place = lanes.op("add", place, f.op(f"zext {lanes.truth} {before} to {lanes.type}"))
        return place


def _counted(e: ir.Expression) -> ir.Expression:
    """The same with sizes of sets as numbers of elements, which lanes can count."""
    match e:
        case ir.ZoneSize():
            counted = replace(COUNTED, type=ir.set_type(e.zone).element)
            return ir.Aggregate(e.span, e.type, AggregateKind.NUMBER, counted, ir.ZoneElements(e.zone), None, None)
        case ir.Arithmetic() | ir.Comparison():
            return replace(e, left=_counted(e.left), right=_counted(e.right))
        case ir.Conditional():
            parts = (_counted(each) for each in (e.condition, e.then, e.otherwise))
            condition, then, otherwise = parts
            return replace(e, condition=condition, then=then, otherwise=otherwise)
        case _:
            return e
