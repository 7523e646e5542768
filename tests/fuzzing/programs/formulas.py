"""Formulas for a type: what asks for one, and the table of those who can make one (a registry by family).

A maker gives None where it has nothing to make it of; then another one is asked. What they make it of is in
`tests.fuzzing.programs.numbers`, `truths` and `elements`, which are loaded by `tests.fuzzing.programs.whole`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzzing.programs.scope import FAR, NUMBER, TRUTH, Scope, Type, World, numbers
from tests.fuzzing.programs.things import edge


@dataclass(frozen=True)
class Number:
    """A formula and all that it can be."""

    text: str
    low: int
    high: int

    @property
    def bracketed(self) -> str:
        """As an operand."""
        return self.text if _is_plain(self.text) else f"({self.text})"


def _is_plain(text: str) -> bool:
    return text.replace("_", "").replace(".", "").isalnum() or (text[0] == "(" and _closes(text))


def _closes(text: str) -> bool:
    """Whether the first bracket is closed by the last one."""
    depth = 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return position == len(text) - 1
    return False


def bracketed(text: str) -> str:
    """A formula that a dot can follow."""
    return text if _is_plain(text) else f"({text})"


def literal(number: int) -> Number:
    return Number(str(number) if number >= 0 else f"(-{-number})", number, number)


def within(world: World, given: Number, type_: Type, sure: int = 97) -> str:
    """A number brought into a range; now and then it is left as it is, and may fail."""
    if type_.low <= given.low and given.high <= type_.high:
        return given.text
    overlap = given.low <= type_.high and type_.low <= given.high
    if overlap and not world.chance.percent(sure):
        return given.text
    text = given.text
    if given.low < type_.low:
        text = f"max({text}, {type_.low})"
    if given.high > type_.high:
        text = f"min({text}, {type_.high})"
    return text


# ---------------------------------------------------------------- who makes what

NumberMaker = Callable[[World, Scope, int], "Number | None"]
TruthMaker = Callable[[World, Scope, int], "str | None"]
ElementMaker = Callable[[World, Scope, Type, int], "str | None"]

NUMBERS: list[tuple[int, bool, NumberMaker]] = []
TRUTHS: list[tuple[int, bool, TruthMaker]] = []
ELEMENTS: list[tuple[int, bool, ElementMaker]] = []


def makes_number(weight: int, deep: bool = False) -> Callable[[NumberMaker], NumberMaker]:
    """A maker of numbers; a deep one needs other formulas."""

    def register(maker: NumberMaker) -> NumberMaker:
        NUMBERS.append((weight, deep, maker))
        return maker

    return register


def makes_truth(weight: int, deep: bool = False) -> Callable[[TruthMaker], TruthMaker]:
    def register(maker: TruthMaker) -> TruthMaker:
        TRUTHS.append((weight, deep, maker))
        return maker

    return register


def makes_element(weight: int, deep: bool = False) -> Callable[[ElementMaker], ElementMaker]:
    def register(maker: ElementMaker) -> ElementMaker:
        ELEMENTS.append((weight, deep, maker))
        return maker

    return register


TRIES = 20


def terminal(world: World, scope: Scope, type_: Type) -> str:
    """A single word: what formulas end in."""
    names = [name.text for name in scope.of(type_.family)]
    if type_.family == NUMBER:
        fitting = [n.text for n in scope.of(NUMBER) if type_.low <= n.type.low and n.type.high <= type_.high]
        if fitting and world.chance.percent(60):
            return world.chance.pick(fitting)
        return str(min(max(edge(world), type_.low), type_.high))
    if type_.family == TRUTH:
        return world.chance.pick([*names, *names, "yes", "no"])
    if names and world.chance.percent(75):
        return world.chance.pick(names)
    members = world.domains[type_.family].members
    return world.chance.pick(members) if members else fallback(world, type_)


def number(world: World, scope: Scope, depth: int) -> Number:
    if depth < 0:
        names = scope.of(NUMBER)
        if names and world.chance.percent(60):
            name = world.chance.pick(names)
            return Number(name.text, name.type.low, name.type.high)
        return literal(edge(world))
    shallow = depth <= 0 or world.chance.percent(25)
    makers = [(weight, maker) for weight, deep, maker in NUMBERS if not (deep and shallow)]
    for _ in range(TRIES):
        found = world.chance.weighted(makers)(world, scope, depth - 1)
        if found is not None:
            text = within(world, found, numbers(-FAR, FAR), sure=100)
            return Number(text, min(max(found.low, -FAR), FAR), max(min(found.high, FAR), -FAR))
    return literal(edge(world) % 7)


def truth(world: World, scope: Scope, depth: int) -> str:
    """A condition, in brackets where it is not a single word."""
    if depth < 0:
        return terminal(world, scope, Type(TRUTH))
    shallow = depth <= 0 or world.chance.percent(25)
    makers = [(weight, maker) for weight, deep, maker in TRUTHS if not (deep and shallow)]
    for _ in range(TRIES):
        found = world.chance.weighted(makers)(world, scope, depth - 1)
        if found is not None:
            return bracketed(found)
    return "yes"


def element(world: World, scope: Scope, type_: Type, depth: int) -> str:
    """An element of a domain, which may be none only if the type says so."""
    if depth < 0:
        return terminal(world, scope, type_)
    shallow = depth <= 0 or world.chance.percent(50)
    makers = [(weight, maker) for weight, deep, maker in ELEMENTS if not (deep and shallow)]
    for _ in range(TRIES):
        found = world.chance.weighted(makers)(world, scope, type_, depth - 1)
        if found is not None:
            return found
    return fallback(world, type_)


def fallback(world: World, type_: Type) -> str:
    """What can be named anywhere: a member, or the field of the table that every other domain has."""
    domain = world.domains[type_.family]
    if domain.members:
        return domain.members[0]
    for field in world.fields:
        if field.owner is None and field.type == type_.there and not field.indices:
            return field.name
    return type_.none


def argument(world: World, scope: Scope, type_: Type, depth: int = 1) -> str:
    """A formula of any type: what is given to a parameter, or stands in an index."""
    if type_.family == NUMBER:
        return within(world, number(world, scope, depth), type_, sure=98)
    return truth(world, scope, depth) if type_.family == TRUTH else element(world, scope, type_, depth)


def called(world: World, scope: Scope, name: str, parameters: tuple[Type, ...], depth: int = 1) -> str:
    if not parameters:
        return name
    return f"{name}({', '.join(argument(world, scope, parameter, depth) for parameter in parameters)})"
