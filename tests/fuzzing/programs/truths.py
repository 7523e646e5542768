"""Conditions: comparisons of everything with everything that it can be compared with, and what is made of them."""

from __future__ import annotations

from tests.fuzzing.programs.formulas import (
    argument,
    bracketed,
    called,
    element,
    makes_truth,
    number,
    truth,
)
from tests.fuzzing.programs.places import bound, place, run, zone
from tests.fuzzing.programs.scope import NUMBER, OWNER, TRUTH, Scope, Type, World


@makes_truth(9)
def _compared(world: World, scope: Scope, depth: int) -> str:
    sign = world.chance.pick(("<", "<=", ">", ">=", "is", "is not"))
    return f"{number(world, scope, depth).bracketed} {sign} {number(world, scope, depth).bracketed}"


@makes_truth(5)
def _same(world: World, scope: Scope, depth: int) -> str | None:
    """Whether two elements of a domain are the same one."""
    domain = world.chance.pick(list(world.domains.values()))
    one, other = (bracketed(element(world, scope, domain.type, depth)) for _ in range(2))
    return f"{one} {world.chance.pick(('is', 'is not'))} {other}"


@makes_truth(4)
def _there(world: World, scope: Scope, depth: int) -> str | None:
    """Whether something is none."""
    chance = world.chance
    names = [n for n in scope.names if n.type.optional and scope.may_read(n.known)]
    fields = [f for f in world.fields if isinstance(f.type, Type) and f.type.optional]
    sign = chance.pick(("is", "is not"))
    if names and chance.percent(50):
        name = chance.pick(names)
        return f"{name.text} {sign} {name.type.none}"
    if not fields:
        return None
    field = chance.pick(fields)
    found = place(world, scope, field, depth)
    assert isinstance(field.type, Type)
    if field.type.family != NUMBER and chance.percent(40):
        return f"{found.text} {sign} {bracketed(element(world, scope, field.type.there, depth))}"
    return f"{found.text} {sign} {field.type.none}"


@makes_truth(3)
def _field(world: World, scope: Scope, depth: int) -> str | None:
    usable = [f for f in world.fields if isinstance(f.type, Type) and f.type.family == TRUTH]
    if not usable:
        return None
    return place(world, scope, world.chance.pick(usable), depth).text


@makes_truth(2)
def _name(world: World, scope: Scope, depth: int) -> str | None:
    names = [name.text for name in scope.of(TRUTH)] + world.latches
    return world.chance.pick(names) if names else None


@makes_truth(2)
def _constant(world: World, scope: Scope, depth: int) -> str | None:
    usable = [name for name, type_ in world.constants if type_.family == TRUTH]
    usable += [f"{name} is {world.chance.pick(options)}" for name, options in world.symbols]
    return world.chance.pick(usable) if usable else None


@makes_truth(1)
def _literal(world: World, scope: Scope, depth: int) -> str:
    return world.chance.pick(("yes", "no"))


@makes_truth(2)
def _attribute(world: World, scope: Scope, depth: int) -> str | None:
    usable = [a for a in world.attributes if a.type.family == TRUTH]
    if not usable:
        return None
    found = world.chance.pick(usable)
    return f"{bracketed(element(world, scope, Type(found.component), depth))}.{found.name}"


@makes_truth(2)
def _entry(world: World, scope: Scope, depth: int) -> str | None:
    usable = [table for table in world.tables if table.type.family == TRUTH]
    if not usable:
        return None
    table = world.chance.pick(usable)
    return f"{table.name}[{', '.join(argument(world, scope, index, depth) for index in table.parameters)}]"


@makes_truth(2)
def _is_player(world: World, scope: Scope, depth: int) -> str | None:
    """Of owners, some are players."""
    if OWNER not in world.domains:
        return None
    usable = [f for f in world.fields if isinstance(f.type, Type) and f.type.family == OWNER]
    owners = [name.text for name in scope.of(OWNER)] + list(world.domains[OWNER].members)
    owners += [place(world, scope, field, depth).text for field in usable]
    return f"{world.chance.pick(owners)} {world.chance.pick(('is', 'is not'))} player"


@makes_truth(4)
def _contained(world: World, scope: Scope, depth: int) -> str | None:
    found = zone(world, scope, depth=depth)
    if found is None:
        return None
    return f"{bracketed(argument(world, scope, found.held.element, depth))} in {found.text}"


@makes_truth(2)
def _value(world: World, scope: Scope, depth: int) -> str | None:
    usable = [v for v in world.values if v.type.family == TRUTH and (scope.sees is None or not v.secret)]
    if not usable:
        return None
    value = world.chance.pick(usable)
    return called(world, scope, value.name, value.parameters, depth)


@makes_truth(2)
def _neighbour(world: World, scope: Scope, depth: int) -> str | None:
    """Whether there is a cell at a side, and what lies there."""
    if "cell" not in world.domains:
        return None
    beside = f"neighbour of {bracketed(element(world, scope, Type('cell'), depth))} at "
    beside += bracketed(element(world, scope, Type("side"), depth))
    sign = world.chance.pick(("is", "is not"))
    if world.chance.percent(60):
        return f"{beside} {sign} none"
    return f"{beside} {sign} {bracketed(element(world, scope, Type('cell'), depth))}"


# ---------------------------------------------------------------- made of others


@makes_truth(5, deep=True)
def _both(world: World, scope: Scope, depth: int) -> str:
    parts = [truth(world, scope, depth) for _ in range(world.chance.pick((2, 2, 3)))]
    return world.chance.pick((" and ", " or ")).join(parts)


@makes_truth(2, deep=True)
def _not(world: World, scope: Scope, depth: int) -> str:
    return f"not {truth(world, scope, depth)}"


@makes_truth(5, deep=True)
def _some(world: World, scope: Scope, depth: int) -> str:
    over = run(world, scope, depth)
    name = bound(world, over)
    how = world.chance.pick(("some", "every"))
    return f"{how} {name.text} in {over.text} has {truth(world, scope.with_names(name), depth)}"


@makes_truth(1, deep=True)
def _whether(world: World, scope: Scope, depth: int) -> str:
    one, condition, other = (truth(world, scope, depth) for _ in range(3))
    return f"{one} if {condition} else {other}"
