"""Formulas made at random, each in both ways of writing and with what it comes to (a generator with an oracle)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzzing.settling import COMPARED, GAP, PAY, SIGNS, Fields, Formula, Locals, Stopped, Write, checked

Names = tuple[str, ...]
"""The locals that a formula may read."""


class Maker:
    """Makes formulas over fields."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.fields = Fields(self.random, constants=0.6)
        self.count = 0

    def formula(self) -> Formula:
        return self.random.choice([self.number, self.truth])(3, ())

    # ------------------------------------------------------------ numbers

    def number(self, depth: int, names: Names) -> Formula:
        if depth == 0:
            return self.plain(0, names)
        make = self.random.choice([
            self.plain, self.arithmetic, self.arithmetic, self.extreme, self.chosen, self.looked_up, self.held,
            self.called, self.called, self.lesser, self.part, self.over, self.over,
        ])  # fmt: skip
        return make(depth - 1, names)

    def plain(self, depth: int, names: Names) -> Formula:
        if names and self.random.random() < 0.5:
            name = self.random.choice(names)
            return Formula(lambda settled: f"({name})", lambda known: known[name])
        value = self.random.choice([0, 0, 1, 1, 2, 3, 5, 9, -1, -4])
        return Formula(self.fields.number(value, -9, 20), lambda known: value)

    def arithmetic(self, depth: int, names: Names) -> Formula:
        sign = self.random.choice(list(SIGNS))
        a, b = self.number(depth, names), self.number(depth, names)
        return Formula(lambda s: f"({a.write(s)} {sign} {b.write(s)})", lambda k: SIGNS[sign](a.reckon(k), b.reckon(k)))

    def extreme(self, depth: int, names: Names) -> Formula:
        word = self.random.choice(["min", "max"])
        a, b = self.number(depth, names), self.number(depth, names)
        of = min if word == "min" else max
        return Formula(lambda s: f"{word}({a.write(s)}, {b.write(s)})", lambda k: of(a.reckon(k), b.reckon(k)))

    def chosen(self, depth: int, names: Names) -> Formula:
        condition, a, b = self.truth(depth, names), self.number(depth, names), self.number(depth, names)
        return Formula(
            lambda s: f"({a.write(s)} if {condition.write(s)} else {b.write(s)})",
            lambda k: a.reckon(k) if condition.reckon(k) else b.reckon(k),
        )

    def looked_up(self, depth: int, names: Names) -> Formula:
        index = self.number(depth, names)
        return Formula(lambda s: f"pay[{index.write(s)}]", lambda k: PAY[checked(index.reckon(k), 1, 3) - 1])

    def held(self, depth: int, names: Names) -> Formula:
        """What may be none, where a number is needed."""
        index = self.number(depth, names)

        def reckon(known: Locals) -> int:
            found = GAP[checked(index.reckon(known), 1, 3) - 1]
            if found is None:
                raise Stopped("is none, and a value is needed")
            return found

        return Formula(lambda s: f"(gap[{index.write(s)}] + 0)", reckon)

    def called(self, depth: int, names: Names) -> Formula:
        name = self.random.choice(["twice", "always"])
        of = self.number(depth, names)

        def reckon(known: Locals) -> int:
            value = checked(of.reckon(known), -9, 20)
            return value + value if name == "twice" else 4

        return Formula(lambda s: f"{name}({of.write(s)})", reckon)

    def lesser(self, depth: int, names: Names) -> Formula:
        a, b = self.number(depth, names), self.number(depth, names)
        return Formula(
            lambda s: f"lesser({a.write(s)}, {b.write(s)})",
            lambda k: min([checked(a.reckon(k), -9, 20), checked(b.reckon(k), -9, 20)]),
        )

    def part(self, depth: int, names: Names) -> Formula:
        name = self.random.choice(["x", "y"])
        a, b = self.number(depth, names), self.number(depth, names)
        return Formula(
            lambda s: f"cell({a.write(s)}, {b.write(s)}).{name}",
            lambda k: [checked(a.reckon(k), 1, 3), checked(b.reckon(k), 1, 3)][name == "y"],
        )

    def over(self, depth: int, names: Names) -> Formula:
        """A number made of the elements of a domain that meet a condition, if there is one."""
        kind = self.random.choice(["sum", "number", "highest", "lowest"])
        name, domain, elements, numeric = self.domain(names)
        inner = (*names, name) if numeric else names
        body = self.number(depth, inner)
        where = self.truth(depth, inner) if numeric and self.random.random() < 0.5 else None

        def write(settled: bool) -> str:
            condition = f" where {where.write(settled)}" if where is not None else ""
            if kind == "number":
                return f"(number of {name} in {domain(settled)}{condition})"
            of = "of " if kind == "sum" else ""
            return f"({kind} {of}{body.write(settled)} for {name} in {domain(settled)}{condition})"

        def reckon(known: Locals) -> int:
            found = []
            for element in elements(known):
                each = known | {name: element}
                if where is None or where.reckon(each):
                    found.append(1 if kind == "number" else body.reckon(each))
            if kind in ("highest", "lowest"):
                if not found:
                    raise Stopped("there is nothing to find")
                return max(found) if kind == "highest" else min(found)
            return sum(found)

        return Formula(write, reckon)

    def domain(self, names: Names) -> tuple[str, Write, Callable[[Locals], list[int]], bool]:
        """A new local and what it runs through; whether that are numbers."""
        self.count += 1
        name = f"n{self.count}"
        match self.random.randrange(3):
            case 0:
                first, last = self.random.randint(-1, 2), self.random.randint(0, 4)
                a, b = self.fields.number(first, -2, 5), self.fields.number(last, -2, 5)
                return name, lambda s: f"{a(s)}..{b(s)}", lambda known: [*range(first, last + 1)], True
            case 1:
                items = [self.plain(0, names) for _ in range(self.random.randint(1, 3))]
                listed = lambda s: f"[{', '.join(item.write(s) for item in items)}]"  # noqa: E731
                return name, listed, lambda known: [item.reckon(known) for item in items], True
            case _:
                return name, lambda s: "colour", lambda known: [0, 1, 2], False

    # ------------------------------------------------------------ conditions

    def truth(self, depth: int, names: Names) -> Formula:
        if depth == 0:
            return self.fact(depth, names)
        make = self.random.choice([
            self.fact, self.compared, self.compared, self.compared, self.both, self.both, self.inverse,
            self.quantified, self.coloured, self.missing,
        ])  # fmt: skip
        return make(depth - 1, names)

    def fact(self, depth: int, names: Names) -> Formula:
        value = self.random.random() < 0.5
        return Formula(self.fields.truth(value), lambda known: value)

    def compared(self, depth: int, names: Names) -> Formula:
        word = self.random.choice(list(COMPARED))
        a, b = self.number(depth, names), self.number(depth, names)
        return Formula(
            lambda s: f"({a.write(s)} {word} {b.write(s)})", lambda k: COMPARED[word](a.reckon(k), b.reckon(k))
        )

    def both(self, depth: int, names: Names) -> Formula:
        word = self.random.choice(["and", "or"])
        a, b = self.truth(depth, names), self.truth(depth, names)
        return Formula(
            lambda s: f"({a.write(s)} {word} {b.write(s)})",
            lambda k: (a.reckon(k) and b.reckon(k)) if word == "and" else (a.reckon(k) or b.reckon(k)),
        )

    def inverse(self, depth: int, names: Names) -> Formula:
        a = self.truth(depth, names)
        return Formula(lambda s: f"(not {a.write(s)})", lambda k: not a.reckon(k))

    def quantified(self, depth: int, names: Names) -> Formula:
        word = self.random.choice(["some", "every"])
        name, domain, elements, numeric = self.domain(names)
        body = self.truth(depth, (*names, name) if numeric else names)
        of = any if word == "some" else all
        return Formula(
            lambda s: f"({word} {name} in {domain(s)} has {body.write(s)})",
            lambda k: of([body.reckon(k | {name: element}) for element in elements(k)]),
        )

    def coloured(self, depth: int, names: Names) -> Formula:
        word = self.random.choice(["is", "is not"])
        one, other = self.random.randrange(3), self.random.randrange(3)
        a, b = self.fields.colour(one), self.fields.colour(other)
        return Formula(lambda s: f"({a(s)} {word} {b(s)})", lambda k: COMPARED[word](one, other))

    def missing(self, depth: int, names: Names) -> Formula:
        """What may be none, beside none or a number; the 0 that stands for none is none of them."""
        word = self.random.choice(["is", "is not"])
        index, other = self.number(depth, names), self.number(depth, names) if self.random.random() < 0.7 else None

        def reckon(known: Locals) -> int:
            found = GAP[checked(index.reckon(known), 1, 3) - 1]
            return COMPARED[word](found, None if other is None else other.reckon(known))

        return Formula(
            lambda s: f"(gap[{index.write(s)}] {word} {other.write(s) if other is not None else 'none'})", reckon
        )


class ConstantMaker(Maker):
    """Makes formulas as they may stand for the ends of ranges and for start values: over constants alone."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.fields = Fields(self.random, constants=1)

    def number(self, depth: int, names: Names) -> Formula:
        makes = [self.plain, self.arithmetic, self.arithmetic, self.extreme, self.chosen, self.looked_up]
        return self.random.choice(makes if depth else makes[:1])(depth - 1, names)

    def truth(self, depth: int, names: Names) -> Formula:
        makes = [self.fact, self.compared, self.compared, self.both, self.inverse]
        return self.random.choice(makes if depth else makes[:1])(depth - 1, names)
