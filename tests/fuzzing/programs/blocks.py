"""Statements: who makes one (a registry), and blocks of them in a scope that grows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tests.fuzzing.programs.formulas import Number, argument, bracketed, element, number, within
from tests.fuzzing.programs.scope import PLAYER, TRUTH, Name, Scope, Set, Type, World, numbers
from tests.fuzzing.programs.tree import Line, line


@dataclass(frozen=True)
class Made:
    """Lines, and the names that they bring into the rest of the block."""

    lines: Sequence[Line]
    names: tuple[Name, ...] = ()
    sets: tuple[tuple[str, Set], ...] = ()


Maker = Callable[[World, Scope, int], "Made | None"]


@dataclass(frozen=True)
class Kind:
    """`secret` ones can stand in a secret block, `asking` ones wait for somebody, `deep` ones hold others."""

    weight: int
    maker: Maker
    secret: bool
    asking: bool
    deep: bool
    needs: str


STATEMENTS: list[Kind] = []


def makes_statement(
    weight: int, secret: bool = False, asking: bool = False, deep: bool = False, needs: str = ""
) -> Callable[[Maker], Maker]:
    def register(maker: Maker) -> Maker:
        STATEMENTS.append(Kind(weight, maker, secret, asking, deep, needs))
        return maker

    return register


def block(world: World, scope: Scope, depth: int, most: int = 4) -> list[Line]:
    """One or more statements; as long as there is room, some of them hold others."""
    found: list[Line] = []
    for _ in range(world.chance.between(1, most)):
        if found and world.room <= 0:
            break
        made = statement(world, scope, depth)
        found += made.lines
        scope = replace(scope, names=(*scope.names, *made.names), sets=(*scope.sets, *made.sets))
    return found


def statement(world: World, scope: Scope, depth: int) -> Made:
    world.room -= 1
    deep = depth > 0 and world.room > 0

    def fits(kind: Kind) -> bool:
        if kind.needs and not world.has(kind.needs):
            return False
        return (kind.secret or not scope.own) and not (kind.asking and scope.quiet) and (deep or not kind.deep)

    kinds = [(kind.weight, kind.maker) for kind in STATEMENTS if fits(kind)]
    for _ in range(12):
        made = world.chance.weighted(kinds)(world, scope, depth - 1)
        if made is not None:
            return made
    return Made([line("nothing")])


# ---------------------------------------------------------------- what several of them need


def somebody(world: World, scope: Scope) -> str:
    """Who does something: in a secret block its own player, otherwise mostly one that has a name."""
    if scope.own:
        return scope.own
    names = [name.text for name in scope.of(PLAYER)]
    if names and world.chance.percent(92):
        return world.chance.pick(names)
    return element(world, scope, Type(PLAYER), 0)


def sight_of(scope: Scope, who: str) -> Scope:
    """What may be read where it is known who depends on it."""
    return scope.seen_by(who if who in [name.text for name in scope.names] else "")


def told(world: World, scope: Scope) -> Scope:
    """What may be read for something that is told to all: now and then a secret."""
    return scope.seen_by(None) if world.chance.percent(40) else scope


def amount(world: World, scope: Scope, low: int, high: int, depth: int = 1) -> str:
    """A number in a range, to stand behind a verb."""
    found = number(world, scope, depth)
    text = within(world, found, numbers(low, high), sure=98)
    return Number(text, low, high).bracketed if text == found.text else text


def wild(world: World, scope: Scope) -> str:
    """A count that may be less than nothing, or more than there ever is."""
    chance = world.chance
    sign, other = chance.pick((("-", (1, 2, 2, 3, 4, 2**40)), ("+", (1, 3, 250, 255)), ("*", (-1, 3, 100, 2**40))))
    return f"({bracketed(amount(world, scope, 0, 4))} {sign} {bracketed(str(chance.pick(other)))})"


def question(world: World, scope: Scope) -> str:
    """A text, with formulas in it now and then."""
    chance = world.chance
    if not chance.percent(35):
        return ""
    parts = []
    for _ in range(chance.between(0, 2)):
        types = [numbers(-9, 9), Type(TRUTH), *(domain.type for domain in world.domains.values())]
        parts.append(f"{{{argument(world, scope, chance.pick(types), 1)}}}")
    return f' "{" and ".join(["What", *parts])}?"'
