"""What is known about truths without asking a solver (path conditions, implications).

A conjunction implies its parts, and of a group, such as all who may have one place, at most one holds. On a way of the
run some truths are given; with them a comparison can often be decided by bounds alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chocolatl.solver.model.linear import BooleanLiteral, Terms, Truth

BoundsByVariable = Sequence[tuple[int, int]]
Ranges = dict[Terms, tuple[int, int]]


class PathFacts:
    """A way of the run: what is given on it, and what was found on it, perhaps because of that."""

    __slots__ = ("depth", "given", "groups", "orders", "parent", "ranges")

    def __init__(self, parent: PathFacts | None, given: dict[int, int], ranges: Ranges) -> None:
        self.parent = parent
        self.given = given
        """The variables that are known on it."""
        self.ranges = ranges
        """Between what sums lie on it."""
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.groups: list[int] = []
        self.orders: list[tuple[BooleanLiteral, BooleanLiteral]] = []
        """Pairs of literals of which the first one never holds without the second."""


class Facts:
    """Conjunctions and chains of limits hold everywhere. Groups and orders hold on the way on which they were found,
    and on those that branch off from it."""

    def __init__(self) -> None:
        self.way = self.main = PathFacts(None, {}, {})
        """The way that is run, and the one from which all others branch off."""
        self.given: dict[int, int] = {}
        """The variables that are known on it."""
        self.meanings: dict[BooleanLiteral, tuple[Terms, int, int]] = {}
        """Between what a sum lies if a literal holds."""
        self.parts: dict[BooleanLiteral, list[BooleanLiteral]] = {}
        """What a literal implies, such as the parts of a conjunction."""
        self.passing: dict[BooleanLiteral, list[BooleanLiteral]] = {}
        """The same, on the way that is run."""
        self.groups: dict[BooleanLiteral, list[int]] = {}
        """The groups that a literal is in: at most one of a group holds."""
        self.members: list[tuple[BooleanLiteral, ...]] = []
        self.complete: set[int] = set()
        """Groups of which one surely holds."""
        self.version = 0
        self.closures: dict[BooleanLiteral, tuple[int, dict[int, int]]] = {}

    # ------------------------------------------------------------ what is told

    def group(self, truths: Iterable[Truth], complete: bool) -> None:
        """Note that at most one of these holds; if they are complete, just one."""
        literals = tuple([truth for truth in truths if truth.__class__ is BooleanLiteral])
        if len(literals) > 1:
            number = len(self.members)
            self.members.append(literals)
            if complete:
                self.complete.add(number)
            self.way.groups.append(number)
            self.show_group(number)

    def part_of_group(self, literals: Sequence[BooleanLiteral], one_of_them: BooleanLiteral) -> None:
        """Note that one literal stands for some of a group: it and the rest of them are a group, too."""
        for number in self.groups.get(literals[0], ()):
            members = self.members[number]
            if all(literal in members for literal in literals):
                rest = [member for member in members if member not in literals]
                self.group([one_of_them, *rest], number in self.complete)
                return

    def implies(self, stronger: BooleanLiteral, weaker: BooleanLiteral) -> None:
        """Note that one literal never holds without another one."""
        self.parts.setdefault(stronger, []).append(weaker)
        self.parts.setdefault(~weaker, []).append(~stronger)
        self.version += 1

    def implies_here(self, stronger: BooleanLiteral, weaker: BooleanLiteral) -> None:
        """The same on the way that is run."""
        self.way.orders.append((stronger, weaker))
        self.show_order(stronger, weaker)

    # ------------------------------------------------------------ ways

    def enter(self, condition: Truth) -> None:
        """Go a way on which a condition holds."""
        given, ranges = self.given, self.way.ranges
        if isinstance(condition, BooleanLiteral):
            implied = self.implied(condition)
            given = {**given, **implied}
            ranges = self.narrowed(ranges, implied)
        self.way = PathFacts(self.way, given, ranges)
        self.given = given

    def narrowed(self, ranges: Ranges, implied: dict[int, int]) -> Ranges:
        """The ranges of sums where some variables are known."""
        result = ranges
        for variable, value in implied.items():
            literal = BooleanLiteral.made[variable]
            meaning = self.meanings.get(literal if value else literal.opposite)
            if meaning is not None:
                terms, lowest, highest = meaning
                if result is ranges:
                    result = ranges.copy()
                low, high = result.get(terms, (lowest, highest))
                result[terms] = max(low, lowest), min(high, highest)
        return result

    def leave(self) -> None:
        assert self.way.parent is not None, "nobody leaves the main way"
        self.go(self.way.parent)

    def go(self, way: PathFacts) -> PathFacts:
        """Change to any way that was ever gone; which one it was before."""
        before = here = self.way
        if way is here:
            return before
        there: list[PathFacts] = []
        target = way
        while target is not here:
            if target.depth >= here.depth:
                there.append(target)
                assert target.parent is not None
                target = target.parent
            else:
                self.hide(here)
                assert here.parent is not None
                here = here.parent
        for step in reversed(there):
            self.show(step)
        self.way = way
        self.given = way.given
        return before

    def show(self, way: PathFacts) -> None:
        for number in way.groups:
            self.show_group(number)
        for stronger, weaker in way.orders:
            self.show_order(stronger, weaker)

    def show_group(self, number: int) -> None:
        for literal in self.members[number]:
            self.groups.setdefault(literal, []).append(number)
        self.version += 1

    def show_order(self, stronger: BooleanLiteral, weaker: BooleanLiteral) -> None:
        self.passing.setdefault(stronger, []).append(weaker)
        self.passing.setdefault(~weaker, []).append(~stronger)
        self.version += 1

    def hide(self, way: PathFacts) -> None:
        for number in way.groups:
            for literal in self.members[number]:
                self.groups[literal].remove(number)
        for stronger, weaker in way.orders:
            self.passing[stronger].remove(weaker)
            self.passing[~weaker].remove(~stronger)
        self.version += len(way.groups) + len(way.orders)

    # ------------------------------------------------------------ what follows

    def implied(self, literal: BooleanLiteral) -> dict[int, int]:
        """The variables that a literal decides, itself among them."""
        version, result = self.closures.get(literal, (-1, {}))
        if version == self.version:
            return result
        result = {}
        waiting = [literal]
        parts, passing, groups, members = self.parts, self.passing, self.groups, self.members
        while waiting:
            known = waiting.pop()
            if known.variable not in result:
                result[known.variable] = 1 if known.positive else 0
                if known in parts:
                    waiting += parts[known]
                if known in passing:
                    waiting += passing[known]
                for group in groups.get(known, ()):
                    waiting += [other.opposite for other in members[group] if other is not known]
        self.closures[literal] = self.version, result
        return result

    def known(self, literal: BooleanLiteral) -> bool | None:
        """Whether a literal holds here, if that is known."""
        value = self.given.get(literal.variable)
        return None if value is None else (value == 1) == literal.positive

    def exclusive(self, a: BooleanLiteral, b: BooleanLiteral) -> bool:
        """Whether two literals are known never to hold together."""
        mine = self.groups.get(a)
        return mine is not None and a != b and any(group in mine for group in self.groups.get(b, ()))

    def reach(self, terms: Terms, bounds: BoundsByVariable) -> tuple[int, int]:
        """Between what a sum lies on the way that is run."""
        lowest = highest = 0
        grouped: dict[int, list[int]] = {}
        given, literals = self.given, len(BooleanLiteral.made)
        for variable, coefficient in terms:
            value = given.get(variable)
            if value is not None:
                lowest += coefficient * value
                highest += coefficient * value
                continue
            groups = self.groups.get(BooleanLiteral.made[variable]) if variable < literals else None
            if groups:
                group = next((g for g in groups if g in grouped), groups[0])
                grouped.setdefault(group, []).append(coefficient)
                continue
            first, last = bounds[variable]
            lowest += coefficient * (first if coefficient > 0 else last)
            highest += coefficient * (last if coefficient > 0 else first)
        for group, coefficients in grouped.items():
            open_ = sum(1 for literal in self.members[group] if self.known(literal) is not False)
            if group not in self.complete or len(coefficients) < open_:
                coefficients.append(0)
            lowest += min(coefficients)
            highest += max(coefficients)
        if self.way.ranges:
            known = self.range(terms)
            if known is not None:
                return max(lowest, known[0]), min(highest, known[1])
        return lowest, highest

    def range(self, terms: Terms) -> tuple[int, int] | None:
        """What is known of a sum as such, or of its opposite."""
        ranges = self.way.ranges
        if terms in ranges:
            return ranges[terms]
        found = ranges.get(tuple([(v, -c) for v, c in terms]))
        return None if found is None else (-found[1], -found[0])
