"""What is known about truths without asking a solver.

A conjunction implies its parts, and of a group, such as all who may have one place, at most one holds. On a way of the
run some truths are given; with them a comparison can often be decided by bounds alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from solver.linear import Literal, Truth


class Way(NamedTuple):
    """What was known before a way was gone."""

    given: dict[int, int]
    groups: int
    passed: int


Bounds = Sequence[tuple[int, int]]
Terms = Iterable[tuple[int, int]]


class Facts:
    """Conjunctions and chains of limits hold everywhere. Groups and orders were found on a way, perhaps by what is
    given there, and are forgotten at its end."""

    def __init__(self) -> None:
        self.given: dict[int, int] = {}
        """The variables that are known on the way that is run."""
        self.parts: dict[Literal, list[Literal]] = {}
        """What a literal implies, such as the parts of a conjunction."""
        self.passing: dict[Literal, list[Literal]] = {}
        """The same, as long as the way is run."""
        self.passed: list[Literal] = []
        self.groups: dict[Literal, list[int]] = {}
        """The groups that a literal is in: at most one of a group holds."""
        self.members: list[tuple[Literal, ...]] = []
        self.complete: set[int] = set()
        """Groups of which one surely holds."""
        self.version = 0
        self.closures: dict[Literal, tuple[int, dict[int, int]]] = {}

    # ------------------------------------------------------------ what is told

    def group(self, truths: Iterable[Truth], complete: bool) -> None:
        """Note that at most one of these holds; if they are complete, just one."""
        literals = tuple(truth for truth in truths if isinstance(truth, Literal))
        if len(literals) > 1:
            if complete:
                self.complete.add(len(self.members))
            for literal in literals:
                self.groups.setdefault(literal, []).append(len(self.members))
            self.members.append(literals)
            self.version += 1

    def implies(self, stronger: Literal, weaker: Literal) -> None:
        """Note that one literal never holds without another one."""
        self.parts.setdefault(stronger, []).append(weaker)
        self.parts.setdefault(~weaker, []).append(~stronger)
        self.version += 1

    def implies_here(self, stronger: Literal, weaker: Literal) -> None:
        """The same on the way that is run."""
        for first, second in ((stronger, weaker), (~weaker, ~stronger)):
            self.passing.setdefault(first, []).append(second)
            self.passed.append(first)
        self.version += 1

    # ------------------------------------------------------------ ways

    def enter(self, condition: Truth) -> Way:
        """Go a way on which a condition holds."""
        before = Way(self.given, len(self.members), len(self.passed))
        if isinstance(condition, Literal):
            self.given = {**self.given, **self.implied(condition)}
        return before

    def leave(self, before: Way) -> None:
        self.given = before.given
        while len(self.members) > before.groups:
            for literal in self.members.pop():
                self.groups[literal].pop()
            self.complete.discard(len(self.members))
            self.version += 1
        while len(self.passed) > before.passed:
            self.passing[self.passed.pop()].pop()
            self.version += 1

    # ------------------------------------------------------------ what follows

    def implied(self, literal: Literal) -> dict[int, int]:
        """The variables that a literal decides, itself among them."""
        version, result = self.closures.get(literal, (-1, {}))
        if version == self.version:
            return result
        result = {}
        waiting = [literal]
        while waiting:
            known = waiting.pop()
            if known.variable not in result:
                result[known.variable] = int(known.positive)
                waiting.extend(self.parts.get(known, ()))
                waiting.extend(self.passing.get(known, ()))
                for group in self.groups.get(known, ()):
                    waiting.extend(~other for other in self.members[group] if other != known)
        self.closures[literal] = self.version, result
        return result

    def known(self, literal: Literal) -> bool | None:
        """Whether a literal holds here, if that is known."""
        value = self.given.get(literal.variable)
        return None if value is None else (value == 1) == literal.positive

    def exclusive(self, a: Literal, b: Literal) -> bool:
        """Whether two literals are known never to hold together."""
        mine = self.groups.get(a)
        return mine is not None and a != b and any(group in mine for group in self.groups.get(b, ()))

    def reach(self, terms: Terms, bounds: Bounds) -> tuple[int, int]:
        """Between what a sum lies on the way that is run."""
        lowest = highest = 0
        grouped: dict[int, list[int]] = {}
        for variable, coefficient in terms:
            value = self.given.get(variable)
            if value is not None:
                lowest += coefficient * value
                highest += coefficient * value
                continue
            groups = self.groups.get(Literal(variable))
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
        return lowest, highest
