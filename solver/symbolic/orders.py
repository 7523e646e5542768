"""Rankings in a model (pairwise reified comparisons): who comes before whom, and who has which place.

Every element has one number for all its keys, and every pair one comparison. A place is a literal for each who may have
it, made when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chocolatl.solver.model.facts import PathFacts
from chocolatl.solver.model.linear import BooleanLiteral, SymbolicNumber, Truth, high, low, negated
from chocolatl.solver.model.model import Model


@dataclass(frozen=True)
class SymbolicOrder:
    """A ranking at work. `before[a, b]` tells whether a comes before b; `there`, who is ranked at all."""

    elements: tuple[int, ...]
    there: dict[int, Truth]
    before: dict[tuple[int, int], Truth]
    strict: bool = False
    copies: dict[int, SymbolicNumber] = field(default_factory=dict)
    """Of a kind of components, how many there are; of anything else, one."""
    ahead: dict[int, SymbolicNumber] = field(default_factory=dict)
    """How many come before an element, of those that were asked for."""
    places: dict[int, list[tuple[int, Truth]]] = field(default_factory=dict)
    """Who has a place, of those that were asked for."""
    way: PathFacts | None = None
    """Where the order was made."""

    @property
    def is_complete(self) -> bool:
        """Whether all are surely ranked."""
        return all(there is True for there in self.there.values())

    @property
    def is_known(self) -> bool:
        """Whether no answer decides who comes before whom."""
        return not any(isinstance(before, BooleanLiteral) for before in self.before.values())

    @property
    def has_copies(self) -> bool:
        """Whether somebody may be ranked more than once."""
        return any(high(count) > 1 for count in self.copies.values())

    @property
    def listed(self) -> tuple[int, ...]:
        """All from first to last if that is known, and by their values where they share a place."""
        if not self.is_known:
            return self.elements
        return tuple(sorted(self.elements, key=lambda e: (sum(self.before.get((a, e)) is True for a in self.there), e)))


class Orders:
    """The rankings of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    # ------------------------------------------------------------ who comes before whom

    def compared(self, keys: dict[int, list[SymbolicNumber]], there: dict[int, Truth], strict: bool) -> SymbolicOrder:
        """A ranking by keys of which the lower is the better: one number for each, then one comparison for each
        pair."""
        model = self.model
        combined: dict[int, SymbolicNumber] = dict.fromkeys(keys, 0)
        for column in zip(*keys.values(), strict=True):
            first, last = min(map(low, column)), max(map(high, column))
            for element, key in zip(keys, column, strict=True):
                scaled = model.scaled(combined[element], last - first + 1)
                combined[element] = model.add(scaled, model.shifted(key, -first))
        before: dict[tuple[int, int], Truth] = {}
        for a in keys:
            for b in keys:
                if a < b:
                    first_is_better = model.at_least(model.shifted(combined[b], -1), combined[a])
                    before[a, b] = first_is_better
                    before[b, a] = (
                        negated(first_is_better) if strict
                        else model.at_least(model.shifted(combined[a], -1), combined[b])
                    )  # fmt: skip
        for (a, b), sure in before.items():
            if sure is True:
                self.pass_on(before, a, b)
        return SymbolicOrder(tuple(sorted(there)), there, before, strict, way=model.facts.way)

    def pass_on(self, before: dict[tuple[int, int], Truth], a: int, b: int) -> None:
        """Who comes before a, which surely comes before b, comes before b, too; and who comes after b after a."""
        for other, second in before:
            if second == a and other != b:
                for stronger, weaker in (
                    (before[other, a], before[other, b]),
                    (before[b, other], before[a, other]),
                ):
                    if (
                        isinstance(stronger, BooleanLiteral)
                        and isinstance(weaker, BooleanLiteral)
                        and stronger != weaker
                    ):
                        self.model.facts.implies_here(stronger, weaker)

    def better(self, order: SymbolicOrder, element: int) -> list[tuple[int, Truth]]:
        """Who can come before an element, and when."""
        before, there, every = order.before, order.there, self.model.every
        return [
            (other, before[other, element] if there[other] is True else every((there[other], before[other, element])))
            for other in order.elements
            if other != element
        ]

    def ahead(self, order: SymbolicOrder, element: int) -> SymbolicNumber:
        """How many come before an element."""
        if element not in order.ahead:
            order.ahead[element] = self.model.total(
                [self.model.chosen(t, order.copies.get(other, 1), 0) for other, t in self.better(order, element)]
            )
        return order.ahead[element]

    # ------------------------------------------------------------ places

    def at_place(self, order: SymbolicOrder, place: int) -> list[tuple[int, Truth]]:
        """Who has a place, and when; -1 is the last one."""
        if place not in order.places:
            # Who has a place is asked again by others than those on the way that is run.
            facts = self.model.facts
            here = facts.go(order.way) if order.way is not None else facts.way
            order.places[place] = self.placed(order, place)
            facts.go(here)
        live = [(element, self.model.here(holds)) for element, holds in order.places[place]]
        return [(element, holds) for element, holds in live if holds is not False]

    def alone(self, order: SymbolicOrder, place: int, element: int) -> Truth:
        """Whether an element has a place that nobody shares: the first one, if it comes before all others."""
        model = self.model
        if place not in (1, -1):
            who = dict(self.at_place(order, place))
            together = model.total(model.number(here) for here in who.values())
            return model.every((who.get(element, False), model.equal(together, 1)))
        apart: list[Truth] = [order.there[element]]
        for other in order.elements:
            if other != element:
                pair = (element, other) if place == 1 else (other, element)
                apart.append(model.some((negated(order.there[other]), order.before[pair])))
        return model.every(apart)

    def placed(self, order: SymbolicOrder, place: int) -> list[tuple[int, Truth]]:
        result: list[tuple[int, Truth]] = []
        if place > len(order.elements) and not order.copies:
            return result  # the third of two
        model = self.model
        complete = order.is_complete
        chain = complete and order.strict and not order.copies
        for element in order.elements:
            if place == -1:
                behind = [
                    model.every((order.there[other], order.before[element, other]))
                    for other in order.elements
                    if other != element
                ]
                here = negated(model.some(behind))
            elif place == 1:
                here = negated(model.some([t for _, t in self.better(order, element)]))
            elif not order.strict or order.copies.get(element, 1) == 1:  # copies share a place, too
                chained = self.in_chain(order, element, place) if chain else None
                here = model.equal(self.ahead(order, element), place - 1) if chained is None else chained
            else:
                ahead = self.ahead(order, element)
                upto = model.add(ahead, order.copies[element])
                here = model.every((model.at_least(place - 1, ahead), model.at_least(upto, place)))
            here = model.every((order.there[element], here))
            if here is not False:
                result.append((element, here))
        if order.strict:
            model.facts.group([here for _, here in result], complete)
            if complete and place > 0 and not order.copies:  # copies of a kind have several places
                self.exclude_other_places(order, place, dict(result))
        return result

    def exclude_other_places(self, order: SymbolicOrder, place: int, found: dict[int, Truth]) -> None:
        """Nobody has two places."""
        for other, holders in order.places.items():
            if other != place and (other > 0 or place < len(order.elements)):
                for element, here in holders:
                    self.model.facts.group((here, found.get(element, False)), complete=False)

    def in_chain(self, order: SymbolicOrder, element: int, place: int) -> Truth | None:
        """Whether an element has a place, if it is known how all others stand to one another."""
        others = [other for other in order.elements if other != element]
        before = order.before
        if any(before[a, b].__class__ is BooleanLiteral for a in others for b in others if a != b):
            return None
        ranked = sorted(others, key=lambda a: -sum(before[a, b] is True for b in others if b != a))
        ahead = before[ranked[place - 2], element]
        behind = negated(before[ranked[place - 1], element]) if place <= len(ranked) else True
        return self.model.every((ahead, behind))
