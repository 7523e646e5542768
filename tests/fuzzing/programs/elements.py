"""Elements of domains: players, members, pieces, cells, pairs, tiles as they lie."""

from __future__ import annotations

from tests.fuzzing.programs.formulas import (
    argument,
    bracketed,
    called,
    element,
    makes_element,
    number,
    truth,
    within,
)
from tests.fuzzing.programs.places import place
from tests.fuzzing.programs.scope import CYCLIC, GRID, OWNER, PAIR, PLAYER, TURNED, Scope, Type, World


@makes_element(12)
def _name(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    """A local name, sure to be there or, where that may be, not."""
    names = [n.text for n in scope.of(type_.family)]
    if type_.optional:
        names += [n.text for n in scope.names if n.type == type_ and scope.may_read(n.known)]
    if type_.family == OWNER:
        names += [n.text for n in scope.of(PLAYER)]
    return world.chance.pick(names) if names else None


@makes_element(3)
def _member(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    if type_.optional and world.chance.percent(30):
        return type_.none
    members = world.domains[type_.family].members
    return world.chance.pick(members) if members else None


@makes_element(3)
def _field(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    """A field; of one that may hold nothing, something else if it does."""
    usable = [f for f in world.fields if isinstance(f.type, Type) and f.type.family == type_.family]
    usable = [f for f in usable if f.owner != PLAYER or scope.of(PLAYER) or scope.own]
    if not usable:
        return None
    field = world.chance.pick(usable)
    if depth < 0 and (field.owner is not None or field.indices):
        return None
    found = place(world, scope, field, depth)
    assert isinstance(field.type, Type)
    if not field.type.optional or type_.optional:
        return found.text
    if world.chance.percent(8):
        return found.text
    members = [*world.domains[type_.family].members, *(n.text for n in scope.of(type_.family))]
    if not members:
        return None
    other = world.chance.pick(members)
    return f"({found.text} if {found.text} is not {type_.none} else {other})"


@makes_element(2)
def _attribute(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    usable = [a for a in world.attributes if a.type.family == type_.family]
    if not usable or depth < 0:
        return None
    found = world.chance.pick(usable)
    return f"{bracketed(element(world, scope, Type(found.component), depth))}.{found.name}"


@makes_element(2)
def _entry(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    usable = [table for table in world.tables if table.type.family == type_.family]
    if not usable or depth < 0:
        return None
    table = world.chance.pick(usable)
    return f"{table.name}[{', '.join(argument(world, scope, index, depth) for index in table.parameters)}]"


@makes_element(2)
def _value(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    def fits(found: Type) -> bool:
        return found.family == type_.family and (type_.optional or not found.optional)

    usable = [v for v in world.values if fits(v.type) and (scope.sees is None or not v.secret)]
    if not usable or depth < 0:
        return None
    value = world.chance.pick(usable)
    return called(world, scope, value.name, value.parameters, depth)


@makes_element(2, deep=True)
def _either(world: World, scope: Scope, type_: Type, depth: int) -> str:
    """One or the other; the first names the type, which the second may need to be understood."""
    one = element(world, scope, type_.there, depth)
    other = element(world, scope, type_, depth)
    return f"({one} if {truth(world, scope, depth)} else {other})"


@makes_element(2, deep=True)
def _placed(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    """Who is at a place: of a strict ranking that is never empty, since otherwise there may be nobody."""
    chance = world.chance
    places = ("first", "second", "third", "fourth", "fifth")[: world.players]
    if scope.orders and type_.family == PLAYER and chance.percent(5):
        return f"{chance.pick(('first', 'last'))} of {chance.pick(scope.orders).text}"
    usable = [r for r in world.rankings if r.element.family == type_.family and (scope.sees is None or not r.secret)]
    usable = [r for r in usable if r.strict] if chance.percent(96) else usable
    if not usable:
        return None
    ranking = chance.pick(usable)
    word = chance.pick((*places, "last")) if ranking.element.family == PLAYER else chance.pick(("first", "last"))
    return f"{word} of {called(world, scope, ranking.name, ranking.parameters, depth)}"


# ---------------------------------------------------------------- space


@makes_element(5, deep=True)
def _around(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    """A member of a circle: the opposite one, or so many further."""
    domain = world.domains[type_.family]
    if domain.kind != CYCLIC:
        return None
    side = bracketed(element(world, scope, type_.there, depth))
    if domain.size % 2 == 0 and world.chance.percent(50):
        return f"(opposite of {side})"
    return f"({side} turned by {number(world, scope, depth).bracketed})"


@makes_element(4)
def _joined(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    """A cell of its coordinates, a pair of its parts."""
    domain = world.domains[type_.family]
    if domain.kind == PAIR:
        return f"({', '.join(element(world, scope, part, depth) for _, part in domain.parts)})"
    if domain.kind != GRID or depth < 0:
        return None
    parts = [within(world, number(world, scope, depth), part, sure=98) for _, part in domain.parts]
    return f"{domain.name}({', '.join(parts)})"


@makes_element(2, deep=True)
def _part(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    pairs = [d for d in world.kinds(PAIR) if type_.family in [name for name, _ in d.parts]]
    if not pairs:
        return None
    return f"{bracketed(element(world, scope, world.chance.pick(pairs).type, depth))}.{type_.family}"


@makes_element(6, deep=True)
def _beside(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    """A neighbour, or something else where there is none."""
    if world.domains[type_.family].kind != GRID:
        return None
    cell, side = element(world, scope, type_.there, depth), element(world, scope, Type("side"), depth)
    beside = f"neighbour of {bracketed(cell)} at {bracketed(side)}"
    if type_.optional or world.chance.percent(8):
        return f"({beside})"
    return f"(({beside}) if {beside} is not none else {bracketed(element(world, scope, type_, 0))})"


@makes_element(8)
def _turned(world: World, scope: Scope, type_: Type, depth: int) -> str | None:
    if world.domains[type_.family].kind != TURNED:
        return None
    tile = bracketed(element(world, scope, Type("tile"), depth))
    return f"({tile} turned by {number(world, scope, depth).bracketed})"
