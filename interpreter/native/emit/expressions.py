"""IR expressions to LLVM: every value is an integer of 64 bits, every condition one bit.

A check that fails notes its site, if it is the first to fail, and goes on with some value of the right type. All loops
being bounded, a game that has failed still comes to its end; whoever drives it asks afterwards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import prod
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ArithmeticOperator, deciding, tells_apart
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.lowered import complaints
from chocolatl.interpreter.lowered.fold import Folder
from chocolatl.interpreter.lowered.layout import FieldSlots
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.native.emit.kinds import is_simple
from chocolatl.interpreter.native.layout.memory import Memory, Shape, SlotRun, number_shape
from chocolatl.interpreter.native.llvm.instructions import JOINING, PREDICATES
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function, constant
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import Multiset, Scalar
from chocolatl.interpreter.source import Span

HEAD, FRAMES = ", !tbaa !4", ", !tbaa !6"
FIRST_FIELD = 8
"""Numbers of tags, by which LLVM knows what cannot lie in the same place; fields follow in steps of two."""


CHEAP = 12
"""An expression of so many simple parts is computed whether or not it is needed, if it cannot fail."""


class ExpressionEmitter(ABC):
    """`where` maps the number of a local to a pointer: to its variable, its zone or its order."""

    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        self.memory = memory
        self.layout = memory.layout
        self.game = memory.game
        self.sites = sites
        self.closely = closely
        self.values = {name: position for position, name in enumerate(self.game.values)}
        self.rankings = {name: position for position, name in enumerate(self.game.rankings)}
        self.where: dict[int, str] = {}
        self.strict: dict[int, bool] = {}
        """Of each held order, whether nobody shares a place."""
        self.lengths: dict[int, str | None] = {}
        """How many it ranks, if that is known beforehand."""
        self.directions: dict[str, int] = {}
        self.tables: dict[tuple[int, ...], str] = {}
        self.intrinsics: set[str] = set()
        folder = Folder(self.game, closely)
        self.fold, self.written, self.failures = folder.fold, folder.written, folder.failures
        self.f = Function("nothing", [])

    # ------------------------------------------------------------ what `native.emit.elements` and others add

    @abstractmethod
    def aggregate(self, e: ir.Aggregate) -> str: ...

    @abstractmethod
    def verdict(self, e: ir.Aggregate) -> str: ...

    @abstractmethod
    def zone_size(self, zone: ir.Zone) -> str: ...

    @abstractmethod
    def zone_count(self, e: ir.ZoneCount) -> str: ...

    @abstractmethod
    def place_of(self, e: ir.PlaceOf) -> str: ...

    @abstractmethod
    def rank_of(self, e: ir.RankOf) -> str: ...

    # ------------------------------------------------------------ checks

    def site(self, span: Span, message: str) -> int:
        return self.sites.add(span, message)

    def fail(self, site: int, value: str = "0") -> None:
        self.f.do(f"call void @fail(ptr %s, i64 {site}, i64 {value})")

    def otherwise(self, fine: str, value: str, instead: int, site: int, told: str | None = None) -> str:
        """A value if a condition holds, else a failure and another value."""
        f = self.f
        if fine == "true":
            return value
        if fine == "false":  # that is known already, so nothing has to be decided
            self.fail(site, told if told is not None else value)
            return str(instead)
        bad, good = f.block(), f.block()
        before = f.current
        f.branch(fine, good, bad)
        f.begin(bad)
        self.fail(site, told if told is not None else value)
        f.goto(good)
        f.begin(good)
        return f.op(f"phi i64 [{value}, %{before}], [{instead}, %{bad}]")

    def within(self, value: str, known: tuple[int, int], low: int, high: int, site: int) -> str:
        """A value checked against bounds, as far as what is known of it does not prove them."""
        f = self.f
        if self.closely:
            known = (-(2**63), 2**63 - 1)
        number = constant(value)
        if number is not None:
            known = (number, number)
        if known[0] >= low and known[1] <= high:
            return value
        if known[0] >= low:
            fine = f.compare("sle", value, str(high))
        elif known[1] <= high:
            fine = f.compare("sge", value, str(low))
        else:
            lowest = f.op(f"sub i64 {value}, {low}")
            fine = f.compare("ule", lowest, str(max(high - low, 0)))
        return self.otherwise(fine, value, low, site)

    def checked(self, e: ir.Expression, type_: Scalar, what: str) -> str:
        """A value that must be of a type; the check is left out where the ranges prove it."""
        value = self.emit(e)
        if type_.holds(e.type) and not self.closely:
            return value
        low, high = type_.bounds_for(e.type)
        written = self.written(e)
        site = self.site(written.span, complaints.outside(written, type_, what, self.game))
        return self.within(value, e.type.bounds, low, high, site)

    # ------------------------------------------------------------ values

    def emit(self, e: ir.Expression) -> str:
        e = self.fold(e)
        value = self.value(e)
        if self.closely and not isinstance(e, ir.Constant):
            site = self.site(e.span, "this is {}, outside of what was proved for it")
            return self.within(value, (0, 0), *e.type.bounds, site)
        return value

    def value(self, e: ir.Expression) -> str:
        f = self.f
        match e:
            case ir.Constant():
                return str(e.value)
            case ir.Read():
                return f.load(self.pointer(e.local), tag=self.tag_of(e.local))
            case ir.Load():
                pointer, shape, tag = self.address(e.field, e.owner, e.indices)
                return f.load(pointer, shape.unit, tag)
            case ir.Lookup():
                return self.lookup(e)
            case ir.Joined():
                domain = self.game.domains[e.type.family]
                return self.position(e.parts, e.bounds, [complaints.part(domain, name) for name, _ in domain.parts])
            case ir.Part():
                stride = prod(bound.size for bound in e.bounds[e.position + 1 :])
                whole = self.emit(e.whole)
                if stride > 1:
                    whole = f.op(f"udiv i64 {whole}, {stride}")
                if e.position:
                    whole = f.op(f"urem i64 {whole}, {e.bounds[e.position].size}")
                return f.add(whole, str(e.bounds[e.position].low))
            case ir.Arithmetic():
                return self.arithmetic(e)
            case ir.Conditional():
                return self.conditional(e)
            case ir.Required():
                value = self.emit(e.operand)
                if not e.operand.type.optional:
                    return value
                site = self.site(e.span, complaints.absent(e.type, self.written(e.operand), self.game))
                fine = f.compare("ne", value, str(e.operand.type.none))
                return self.otherwise(fine, value, e.type.low, site)
            case ir.Narrowed():
                site = self.site(e.span, complaints.narrowed(e))
                return self.within(self.emit(e.operand), e.operand.type.bounds, e.type.low, e.type.high, site)
            case ir.Aggregate():
                return self.aggregate(e)
            case ir.ZoneSize():
                return self.zone_size(e.zone)
            case ir.ZoneCount():
                return self.zone_count(e)
            case ir.CallValue():
                given = self.arguments(self.game.values[e.name], e.arguments)
                return f.op(f"call i64 @value_{self.values[e.name]}({given})")
            case ir.PlaceOf():
                return self.place_of(e)
            case ir.RankOf():
                return self.rank_of(e)
            case ir.Comparison() | ir.Logic() | ir.Not():
                return f.widen(self.condition(e))
            case _:
                assert_never(e)

    def condition(self, e: ir.Expression) -> str:
        """A yes/no expression as one bit."""
        f, e = self.f, self.fold(e)
        match e:
            case ir.Constant():
                return "true" if e.value else "false"
            case ir.Comparison():
                return self.comparison(e)
            case ir.Not():
                inner = self.condition(e.operand)
                if inner in ("true", "false"):
                    return "false" if inner == "true" else "true"
                return f.op(f"xor i1 {inner}, true")
            case ir.Logic():
                left = self.condition(e.left)
                decided = "true" if deciding(e.operator) else "false"
                if left in ("true", "false"):
                    return left if left == decided else self.condition(e.right)
                return self.either(left, e, decided)
            case ir.Aggregate():
                return self.verdict(e)
            case ir.Read() | ir.Load() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Arithmetic() | ir.Conditional():
                return self.is_yes(e)
            case ir.Required() | ir.Narrowed() | ir.ZoneSize() | ir.ZoneCount() | ir.CallValue():
                return self.is_yes(e)
            case ir.PlaceOf() | ir.RankOf():
                return self.is_yes(e)
            case _:
                assert_never(e)

    def is_yes(self, e: ir.Expression) -> str:
        """A condition that is computed as a number: 1 is yes."""
        return self.f.compare("ne", self.emit(e), "0")

    def either(self, left: str, e: ir.Logic, decided: str) -> str:
        """The right side of a condition, unless the left one has decided it."""
        f = self.f
        if self.is_cheap(e.right):
            right = self.condition(e.right)
            if right in ("true", "false"):
                return right if right == decided else left
            return f.op(f"{JOINING[e.operator]} i1 {left}, {right}")
        right, after = f.block(), f.block()
        before = f.current
        f.branch(left, *((right, after) if decided == "false" else (after, right)))
        f.begin(right)
        found = self.condition(e.right)
        end = f.current
        f.goto(after)
        f.begin(after)
        return f.op(f"phi i1 [{decided}, %{before}], [{found}, %{end}]")

    def conditional(self, e: ir.Conditional) -> str:
        f = self.f
        condition = self.condition(e.condition)
        if condition in ("true", "false"):
            return self.emit(e.then if condition == "true" else e.otherwise)
        if self.is_cheap(e.then) and self.is_cheap(e.otherwise):
            return f.select(condition, self.emit(e.then), self.emit(e.otherwise))
        then, otherwise, after = f.block(), f.block(), f.block()
        f.branch(condition, then, otherwise)
        ways = []
        for block, part in ((then, e.then), (otherwise, e.otherwise)):
            f.begin(block)
            value = self.emit(part)
            ways.append(f"[{value}, %{f.current}]")
            f.goto(after)
        f.begin(after)
        return f.op(f"phi i64 {', '.join(ways)}")

    def comparison(self, e: ir.Comparison) -> str:
        f = self.f
        a, b = e.left.type, e.right.type
        # The none of one side may be a number of the other.
        optional, other = (e.left, e.right) if a.optional else (e.right, e.left)
        none = optional.type.none
        if a.optional != b.optional and isinstance(other, ir.Constant) and other.value == none:
            return f.compare(PREDICATES[e.operator], self.emit(optional), str(none - 1))  # which it never is
        left, right = self.emit(e.left), self.emit(e.right)
        found = f.compare(PREDICATES[e.operator], left, right)
        if a.optional == b.optional:
            return found
        held = left if a.optional else right
        if not isinstance(other, ir.Constant) and other.type.low <= none <= other.type.high:
            absent = f.compare("eq", held, str(none))
            if tells_apart(e.operator):
                return f.op(f"or i1 {absent}, {found}")
            present = f.op(f"xor i1 {absent}, true")
            return f.op(f"and i1 {present}, {found}")
        return found

    def arithmetic(self, e: ir.Arithmetic) -> str:
        f = self.f
        left, right = self.emit(e.left), self.emit(e.right)
        match e.operator:
            case ArithmeticOperator.ADD:
                return f.add(left, right)
            case ArithmeticOperator.SUBTRACT:
                return f.sub(left, right)
            case ArithmeticOperator.MULTIPLY:
                return f.mul(left, right)
            case ArithmeticOperator.MINIMUM:
                return f.minimum(left, right)
            case ArithmeticOperator.MAXIMUM:
                return f.maximum(left, right)
            case ArithmeticOperator.DIVIDE:
                return self.division(True, left, self.divisor(e, right), e.left.type, e.right.type)
            case ArithmeticOperator.MODULO:
                return self.division(False, left, self.divisor(e, right), e.left.type, e.right.type)
            case _:
                assert_never(e.operator)

    def divisor(self, e: ir.Arithmetic, right: str) -> str:
        """The right side of a division, which must not be 0."""
        if not self.failures.of_itself(e):
            return right
        site = self.site(e.span, "this divides by zero")
        return self.otherwise(self.f.compare("ne", right, "0"), right, 1, site)

    def division(self, quotient: bool, left: str, right: str, a: Scalar, b: Scalar) -> str:
        """Rounded down, or what is left then; of few bits where the ranges allow it, which is faster."""
        f = self.f
        width = 32 if all(-(2**31) < bound < 2**31 for bound in (a.low, a.high, b.low, b.high)) else 64
        if width == 32:
            left, right = (v if constant(v) is not None else f.op(f"trunc i64 {v} to i32") for v in (left, right))
        word = f"i{width}"
        if a.low >= 0 and b.low >= 0:
            found = f.op(f"{'udiv' if quotient else 'urem'} {word} {left}, {right}")
        else:
            q, r = f.op(f"sdiv {word} {left}, {right}"), f.op(f"srem {word} {left}, {right}")
            rest = f.op(f"icmp ne {word} {r}, 0")
            signs = f.op(f"icmp slt {word} {f.op(f'xor {word} {r}, {right}')}, 0")
            less = f.op(f"and i1 {rest}, {signs}")
            if quotient:
                found = f.op(f"sub {word} {q}, {f.op(f'zext i1 {less} to {word}')}")
            else:
                found = f.op(f"add {word} {r}, {f.op(f'select i1 {less}, {word} {right}, {word} 0')}")
        return found if width == 64 else f.op(f"sext i32 {found} to i64")

    def arguments(self, owner: ir.Value | ir.Ranking, given: tuple[ir.Expression, ...]) -> str:
        parts = ["ptr %s"]
        for parameter, argument in zip(owner.parameters, given, strict=True):
            assert isinstance(parameter.type, Scalar)
            parts.append(f"i64 {self.checked(argument, parameter.type, f'`{parameter.name}`')}")
        return ", ".join(parts)

    # ------------------------------------------------------------ tables

    def lookup(self, e: ir.Lookup) -> str:
        position = self.position(e.indices, e.bounds)
        number = constant(position)
        if number is not None and 0 <= number < len(e.values):
            return str(e.values[number])
        return self.entry(e.values, position)

    def entry(self, values: tuple[int, ...], position: str) -> str:
        """A value of a constant table."""
        unit = self.table_unit(values)
        name = self.tables.setdefault(values, f"@table_{len(self.tables)}")
        return self.f.load(self.f.element(name, position, unit), unit)

    def table_unit(self, values: tuple[int, ...]) -> str:
        return number_shape(min(values, default=0), max(values, default=0)).unit

    def table_lines(self) -> list[str]:
        """The constant tables as globals. One without entries has one all the same, for what has failed."""
        lines = []
        for values, name in self.tables.items():
            unit = self.table_unit(values)
            entries = ", ".join(f"{unit} {value}" for value in values or (0,))
            lines.append(f"{name} = internal constant [{max(1, len(values))} x {unit}] [{entries}]")
        return lines

    def position(
        self, indices: tuple[ir.Expression, ...], bounds: tuple[Scalar, ...], called: list[str] | None = None
    ) -> str:
        """The number of a combination of indices, in row order."""
        f, position = self.f, "0"
        for index, bound, what in zip(indices, bounds, called or ["the index"] * len(indices), strict=True):
            value = f.sub(self.checked(index, bound, what), str(bound.low))
            position = f.add(f.mul(position, str(bound.size)), value)
        return position

    # ------------------------------------------------------------ places

    def pointer(self, local: ir.Local) -> str:
        """The variable of a local; it is made where it is first needed."""
        if local.number not in self.where:
            if isinstance(local.type, Scalar):
                self.where[local.number] = self.f.variable()
            elif isinstance(local.type, Multiset):
                shape = self.memory.shape(local.type)
                self.where[local.number] = self.f.variable(f"[{shape.size} x i8]", Access.LOCAL_SET)
            else:
                words = 1 + 2 * local.type.most
                self.where[local.number] = self.f.variable(f"[{words} x i64]", Access.ORDER)
        return self.where[local.number]

    def tag_of(self, local: ir.Local) -> str:
        return ""

    def set_local(self, local: ir.Local, value: str) -> None:
        self.f.store(value, self.pointer(local), tag=self.tag_of(local))

    def cell(self, place: FieldSlots, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]) -> str:
        """The number of a field's cell."""
        given = (() if owner is None else (owner,)) + indices
        bounds = (() if owner is None else (self.game.domains[owner.type.family].type,)) + place.field.indices
        return self.position(given, bounds)

    def address(
        self, field: Field, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]
    ) -> tuple[str, Shape, str]:
        """A pointer to a field's cell, how it is laid out, and its tag."""
        place = self.layout.places[field.key]
        run = self.memory.places[field.key]
        base, shape = run.offset, run.shape
        if shape.lanes > 1:
            assert owner is not None
            lane = self.position((owner,), (self.game.domains[owner.type.family].type,))
            row = self.row_at(run, self.position(indices, field.indices))
            meant = Region(shape.kind, shape.row // shape.lanes)
            return self.f.element(row, lane, shape.unit, meant), shape, self.field_tag(field)
        cell = self.cell(place, owner, indices)
        number = constant(cell)
        if number is not None:
            pointer = self.f.part("%s", base + number * shape.size, run.cell(number))
        else:
            start = self.f.part("%s", base, run.meant)
            pointer = self.f.op(f"getelementptr [{shape.size} x i8], ptr {start}, i64 {cell}")
            self.f.mean(pointer, Region(shape.kind, shape.size))
        return pointer, shape, self.field_tag(field)

    def row_at(self, run: SlotRun, position: str) -> str:
        """Where the first plane of all owners lies, by the position of the indices."""
        start = self.f.part("%s", run.offset, run.meant)
        meant = Region(Access.PLANE_ROW, run.shape.row)
        return self.f.element(start, position, f"[{run.shape.lanes * run.shape.size} x i8]", meant)

    def field_tag(self, field: Field) -> str:
        return f", !tbaa !{FIRST_FIELD + 2 * self.memory.fields[field.key]}"

    # ------------------------------------------------------------ what can fail

    def is_cheap(self, e: ir.Expression) -> bool:
        """Whether it costs less to compute an expression in vain than to guess wrong whether it is needed."""
        parts = inside(self.fold(e))
        return all(map(is_simple, parts)) and len(parts) <= CHEAP and not self.can_fail(e)

    def can_fail(self, e: ir.Expression | None) -> bool:
        """Whether computing an expression may fail; if not, it need not be computed once the answer is known."""
        return e is not None and (self.closely or self.failures.can_fail(e))
