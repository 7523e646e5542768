"""How many elements there are at most (cardinality bounds): of a set, of an order, of what a loop runs through.

A bound that is reckoned in one place, since back ends make room by it: types of results, work, slots, arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.model import MANY
from chocolatl.interpreter.program.types import Multiset, OrderType

Total = Callable[[str], int]
"""How many components of a family the game holds at most; of plain values, how many a set may hold."""


def total_of(family: str, game: ir.GameRules) -> int:
    return game.totals.get(family, MANY)


def most_of_set(type_: Multiset, game: ir.GameRules) -> int:
    """How many elements a set can hold, copies counted."""
    return most_held(type_, lambda family: total_of(family, game))


def most_held(type_: Multiset, total: Total) -> int:
    return type_.most if type_.most is not None else total(type_.element.family)


def most_elements(domain: ir.Elements, game: ir.GameRules) -> int:
    """How many elements a domain can have, copies counted."""
    return reckoned(domain, lambda family: total_of(family, game), lambda name: game.rankings[name].domain)


def reckoned(domain: ir.Elements, total: Total, ranked: Callable[[str], ir.Elements | None]) -> int:
    """The same while the game is not complete yet; `ranked` is what a ranking ranks, None if that is wrong."""
    match domain:
        case ir.Numbers():
            return max(domain.high.type.high - domain.low.type.low + 1, 0)
        case ir.Whole():
            return domain.type.size
        case ir.Listing():
            return len(domain.items)
        case ir.ZoneElements():
            return most_held(ir.set_type(domain.zone), total)
        case ir.OrderElements():
            return reckoned_order(domain.order, total, ranked)
        case _:
            assert_never(domain)


def reckoned_order(order: ir.OrderSource, total: Total, ranked: Callable[[str], ir.Elements | None]) -> int:
    """How many elements an order can have: a set holds several equal ones."""
    if isinstance(order, ir.HeldOrder):
        assert isinstance(order.local.type, OrderType)
        return order.local.type.most
    domain = ranked(order.name)
    return reckoned(domain, total, ranked) if domain is not None else 0
