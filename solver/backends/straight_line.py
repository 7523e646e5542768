"""A model as straight-line code (vectorised, SIMD): what a sum is worth for many answers at once.

Every variable of a model that is no answer has a definition, which makes it a function of others. Read in order, from
the answers to the objective, the definitions are a program without a jump. It is written as the text of an LLVM module,
over vectors: one lane for each row of a table of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import gcd
from typing import assert_never

from chocolatl.solver.model.constraints import (
    BooleanClause,
    Constraint,
    Implication,
    LinearConstraint,
    Product,
    Quotient,
    variables,
)
from chocolatl.solver.model.definitions import (
    Conjunction,
    Definition,
    IfThenElse,
    InInterval,
    NoTable,
    definition_of,
    read,
)
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, Terms
from chocolatl.solver.model.model import Model

LANES = 16
"""So many rows at once: as many short numbers as a vector of nearly any processor holds."""

Form = tuple[int, Terms]
"""A sum over the variables of one decision. All that is asked about an answer to it are such sums."""

NOTHING = "zeroinitializer"


class StraightLineCode:
    """A function that adds something to a number of each row.

    Sums may leave a lane and come back, as those of a clock do; only what is compared or divided has to fit."""

    def __init__(
        self, model: Model, owner: Mapping[int, int], columns: dict[Form, int], span: Callable[[Form], tuple[int, int]]
    ) -> None:
        self.model = model
        self.owner = owner
        """The decision that a variable of the answer belongs to."""
        self.columns = columns
        """What is read of a row, by its number."""
        self.span = span
        """Between what a form lies, in all options of its decision."""
        self.lines: dict[str, str] = {}
        """What is worked out, and its name."""
        self.numbers: dict[int, str] = {}
        self.masks: dict[int, str] = {}
        """Literals: all bits of a lane, or none."""
        self.total = NOTHING
        self.widest = 1
        """What a lane has to hold."""

    # ------------------------------------------------------------ what is added

    def add(self, variable: int, factor: int) -> None:
        """Add a variable, times a factor."""
        self.need([variable])
        mask = self.masks.get(variable)
        wide = self.line(f"WIDEN <{LANES} x LANE> {mask or self.number(variable)} to <{LANES} x TOTAL>")
        part = self.line(f"{'and' if mask else 'mul'} <{LANES} x TOTAL> {wide}, splat (TOTAL {factor})")
        self.total = self.line(f"add <{LANES} x TOTAL> {self.total}, {part}") if self.total != NOTHING else part

    def add_if_broken(self, constraint: Constraint) -> None:
        """Add 1 where a constraint does not hold."""
        self.need(variables(constraint))
        match constraint:
            case LinearConstraint():
                holds = self.between(InInterval(constraint.terms, constraint.low, constraint.high, constraint.gap))
                broken = [self.inverted(holds), *map(self.mask, constraint.only_if)]
            case BooleanClause(exactly=True):
                terms = tuple((x.variable, 1 if x.positive else -1) for x in constraint.literals)
                one = 1 - sum(not x.positive for x in constraint.literals)
                broken = [self.inverted(self.between(InInterval(terms, one, one, None)))]
            case BooleanClause():
                broken = [self.mask(~x) for x in constraint.literals]
            case Implication():
                broken = [self.mask(constraint.only_if), self.inverted(self.all(map(self.mask, constraint.literals)))]
            case Product() | Quotient():
                raise NoTable("not all that is required can be looked up")
            case _:
                assert_never(constraint)
        wide = self.line(f"WIDEN <{LANES} x LANE> {self.all(broken)} to <{LANES} x TOTAL>")
        self.total = self.line(f"sub <{LANES} x TOTAL> {self.total}, {wide}")

    # ------------------------------------------------------------ lines

    def line(self, text: str) -> str:
        """The name of what a line works out, which is done once."""
        return self.lines.setdefault(text, f"%v{len(self.lines)}")

    def emit(self, operation: str, a: str, b: str | int) -> str:
        return self.line(f"{operation} <{LANES} x LANE> {a}, {self.constant(b) if isinstance(b, int) else b}")

    def constant(self, number: int) -> str:
        self.widest = max(self.widest, abs(number))
        return f"splat (LANE {number})" if number else NOTHING

    def compare(self, how: str, a: str, b: int) -> str:
        return self.line(f"sext <{LANES} x i1> {self.emit(f'icmp {how}', a, b)} to <{LANES} x LANE>")

    def all(self, masks: Iterable[str]) -> str:
        result: str | None = None
        for mask in masks:
            result = mask if result is None else self.emit("and", result, mask)
        return self.constant(-1) if result is None else result

    def inverted(self, mask: str) -> str:
        return self.emit("xor", mask, -1)

    # ------------------------------------------------------------ variables

    def need(self, variables: Iterable[int]) -> None:
        """Work out variables, and before them those that they depend on."""
        waiting = [*variables][::-1]
        while waiting:
            variable = waiting[-1]
            if self.is_known(variable):
                waiting.pop()
                continue
            found = definition_of(variable, self.model.definitions.get(variable, ()))
            missing = [v for v in read(found) if not self.is_known(v)]
            waiting += missing[::-1]
            if not missing:
                self.define(variable, found)

    def is_known(self, variable: int) -> bool:
        return variable in self.owner or variable in self.numbers or variable in self.masks

    def define(self, variable: int, found: Definition) -> None:
        match found:
            case InInterval():
                self.masks[variable] = self.between(found)
            case Conjunction():
                self.masks[variable] = self.all(map(self.mask, found.literals))
            case IfThenElse():
                self.numbers[variable] = self.either(found)
            case Product():
                self.numbers[variable] = self.emit("mul", self.expression(found.left), self.expression(found.right))
            case Quotient():
                dividend = self.expression(found.dividend)
                self.fit(found.dividend.terms.items(), found.dividend.constant)
                self.numbers[variable] = self.emit("udiv", dividend, found.divisor)
            case _:
                assert_never(found)
        self.widest = max(self.widest, *map(abs, self.model.bounds[variable]))

    def number(self, variable: int) -> str:
        """A variable as a number; a literal is 1 or 0."""
        if variable in self.owner:
            return self.column(((variable, 1),))
        if variable not in self.numbers:
            self.numbers[variable] = self.emit("and", self.masks[variable], 1)
        return self.numbers[variable]

    def mask(self, literal: BooleanLiteral) -> str:
        variable = literal.variable
        if variable not in self.masks:
            self.masks[variable] = self.compare("ne", self.number(variable), 0)
        return self.masks[variable] if literal.positive else self.inverted(self.masks[variable])

    def column(self, terms: Terms) -> str:
        form = self.owner[terms[0][0]], terms
        self.widest = max(self.widest, *map(abs, self.span(form)))
        return f"%column{self.columns.setdefault(form, len(self.columns))}"

    # ------------------------------------------------------------ sums

    def sum(self, terms: Terms) -> str:
        total = NOTHING
        for form, factor in self.parts(terms):
            variable = form[0][0]
            if variable in self.masks and variable not in self.owner:
                part = self.emit("and", self.masks[variable], factor)
            else:
                part = self.column(form) if variable in self.owner else self.number(variable)
                part = self.emit("mul", part, factor) if factor != 1 else part
            total = part if total == NOTHING else self.emit("add", total, part)
        return total

    def shifted(self, terms: Terms, shift: int) -> str:
        if not terms:
            return self.constant(shift)
        return self.emit("add", self.sum(terms), shift) if shift else self.sum(terms)

    def expression(self, expression: LinearExpression) -> str:
        return self.shifted(tuple(sorted(expression.terms.items())), expression.constant)

    def parts(self, terms: Iterable[tuple[int, int]]) -> list[tuple[Terms, int]]:
        """A sum as forms and single variables, with their factors."""
        own: dict[int, list[tuple[int, int]]] = {}
        others: list[tuple[Terms, int]] = []
        for variable, factor in terms:
            if variable in self.owner:
                own.setdefault(self.owner[variable], []).append((variable, factor))
            else:
                others.append((((variable, 1),), factor))
        forms: list[tuple[Terms, int]] = []
        for each in own.values():
            common = gcd(*(factor for _, factor in each)) * (1 if each[0][1] > 0 else -1)
            forms.append((tuple((variable, factor // common) for variable, factor in each), common))
        return forms + others

    def fit(self, terms: Iterable[tuple[int, int]], shift: int = 0) -> tuple[int, int]:
        """Between what a sum lies; it will fit into a lane."""
        lowest = highest = shift
        for form, factor in self.parts(terms):
            variable = form[0][0]
            ends = self.span((self.owner[variable], form)) if variable in self.owner else self.model.bounds[variable]
            first, last = sorted(factor * end for end in ends)
            lowest, highest = lowest + first, highest + last
        self.widest = max(self.widest, abs(lowest), abs(highest))
        return lowest, highest

    def between(self, found: InInterval) -> str:
        total = self.sum(found.terms)
        lowest, highest = self.fit(found.terms)
        if found.low == found.high:
            return self.compare("eq", total, found.low)
        masks: list[str] = []
        if found.low > lowest:
            masks.append(self.compare("sgt", total, found.low - 1))
        if found.high < highest:
            masks.append(self.compare("slt", total, found.high + 1))
        if found.gap is not None:
            masks.append(self.compare("ne", total, found.gap))
        return self.all(masks)

    def either(self, found: IfThenElse) -> str:
        """One sum in the lanes in which the condition holds, the other one elsewhere."""
        then, otherwise = self.shifted(*found.then), self.shifted(*found.otherwise)
        mask = self.mask(found.condition)
        if otherwise == NOTHING:
            return self.emit("and", mask, then)
        return self.emit("xor", otherwise, self.emit("and", mask, self.emit("xor", then, otherwise)))

    # ------------------------------------------------------------ the module

    def text(self, columns: int, lane: str, total: str) -> str:
        """`evaluate(columns, totals, rows)` adds to the totals; the number of rows is a multiple of the lanes."""
        loads = []
        for number in range(columns):
            loads += [
                f"%at{number} = getelementptr LANE, ptr %start{number}, i64 %row",
                f"%column{number} = load <{LANES} x LANE>, ptr %at{number}, align 1",
            ]
        starts = []
        for number in range(columns):
            starts += [
                f"%pointer{number} = getelementptr ptr, ptr %columns, i64 {number}",
                f"%start{number} = load ptr, ptr %pointer{number}",
            ]
        lines = [
            "define void @evaluate(ptr %columns, ptr noalias %totals, i64 %rows) {",
            "entry:",
            *starts,
            "br label %loop",
            "loop:",
            "%row = phi i64 [0, %entry], [%next, %loop]",
            *loads,
            *(f"{name} = {text}" for text, name in self.lines.items()),
            "%at = getelementptr TOTAL, ptr %totals, i64 %row",
            f"%old = load <{LANES} x TOTAL>, ptr %at, align 1",
            f"%new = add <{LANES} x TOTAL> %old, {self.total}",
            f"store <{LANES} x TOTAL> %new, ptr %at, align 1",
            f"%next = add i64 %row, {LANES}",
            "%more = icmp slt i64 %next, %rows",
            "br i1 %more, label %loop, label %end",
            "end:",
            "ret void",
            "}",
        ]
        widen = "bitcast" if lane == total else "sext"
        return "\n".join(lines).replace("LANE", lane).replace("TOTAL", total).replace("WIDEN", widen)
