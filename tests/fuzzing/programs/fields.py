"""The state of a random game: fields of every type, owner, index and visibility."""

from __future__ import annotations

from tests.fuzzing.programs.scope import (
    COMPONENT,
    CYCLIC,
    ENUM,
    GRID,
    OWNER,
    PAIR,
    PLAYER,
    TURNED,
    YES_NO,
    Domain,
    Field,
    Set,
    Type,
    World,
    numbers,
)
from tests.fuzzing.programs.things import edge, some_range
from tests.fuzzing.programs.tree import Line, line

MOST_CELLS = 40
"""So many values a field has at most, over all its owners and indices."""


def state(world: World) -> list[Line]:
    """All fields, declared by owner."""
    _needed(world)
    for owner in [None, None, PLAYER, PLAYER, *world.chance.several(_owners(world), 2)]:
        for _ in range(world.chance.between(1, 3)):
            _scalar(world, owner)
    _zones(world)
    _short_sets(world)
    found = []
    for owner in dict.fromkeys(field.owner for field in world.fields):
        rows = [line(field.written) for field in world.fields if field.owner == owner]
        found.append(line("table has" if owner is None else f"each {owner} has", rows))
    return found


def _needed(world: World) -> None:
    """What the rest counts on: a score, a seat by which players differ, a budget of turns, somebody at the table."""
    low, high = world.chance.pick(((-99_999, 99_999), (-300, 300), (0, 255), (0, 256), (-(2**31), 2**31), (-9, 2**62)))
    add(world, Field("score", PLAYER, (), numbers(low, high)))
    add(world, Field("seat", PLAYER, (), numbers(0, 5)))
    add(world, Field("budget", PLAYER, (), numbers(0, 3)))
    add(world, Field("leader", None, (), Type(PLAYER)))
    add(world, Field("count", None, (), some_range(world)))
    for domain in world.kinds(COMPONENT, PAIR, TURNED, OWNER):
        add(world, Field(world.new("held"), None, (), domain.type))


def add(world: World, field: Field) -> None:
    world.fields.append(field)


def _owners(world: World) -> list[str]:
    return [domain.name for domain in world.kinds(ENUM, CYCLIC, COMPONENT, GRID) if domain.size <= 16]


def _scalar(world: World, owner: str | None) -> None:
    chance = world.chance
    domains = [d.type for d in world.domains.values() if d.size <= 64]
    kinds: list[tuple[int, Type]] = [(6, some_range(world)), (2, YES_NO), (4, chance.pick(domains))]
    kinds.append((1, Type("number", 0, 7, True)))
    if owner is not None:
        kinds += [(2, d.type) for d in world.kinds(TURNED)]
    type_ = chance.weighted(kinds)
    if type_.family not in ("number", "yes/no") and chance.percent(45):
        type_ = Type(type_.family, optional=True)
    letter = "t" if owner is None else owner[0]
    field = Field(world.new(letter), owner, _indices(world, owner), type_)
    add(world, Field(field.name, owner, field.indices, type_, start=_start(world, type_)))


def _indices(world: World, owner: str | None) -> tuple[Type, ...]:
    chance = world.chance
    if not chance.percent(35):
        return ()
    usable = [d.type for d in world.kinds(ENUM, CYCLIC, PLAYER, GRID, COMPONENT) if d.size <= 9]
    low = chance.pick((0, 1, 1, -1))
    usable += [numbers(low, low + chance.below(4)), numbers(255, 256)]
    found = tuple(chance.several(usable, chance.pick((1, 1, 1, 2))))
    cells = world.domains[owner].size if owner is not None else 1
    for index in found:
        cells *= world.size(index)
    return found if cells <= MOST_CELLS else ()


def _start(world: World, type_: Type) -> str:
    """A constant to begin with, or nothing for the one that the type begins with."""
    chance = world.chance
    if chance.percent(60):
        return ""
    if type_.family == "number":
        number = min(max(edge(world), type_.low), type_.high)
        return str(number)
    if type_.family == "yes/no":
        return chance.pick(("yes", "no"))
    domain = world.domains[type_.family]
    return chance.pick(domain.members) if domain.members and domain.kind != OWNER else ""


# ---------------------------------------------------------------- sets


def _zones(world: World) -> None:
    chance = world.chance
    for domain in world.kinds(COMPONENT):
        held = Set(domain.type)
        where = f"every {domain.name}"
        lists = [name for name, component in world.lists if component == domain.name]
        first = chance.pick(("open", "open", "hidden", "hidden"))
        add(world, Field(world.new("deck"), None, (), held, first, where))
        for _ in range(chance.between(1, 2)):
            add(world, Field(world.new("heap"), None, _set_index(world), held, chance.pick(("open", "open", "hidden"))))
        for _ in range(chance.between(1, 3)):
            given = ""
            if chance.percent(35) and domain.copies < 60:
                given = where if not lists or chance.percent(60) else f"every {domain.name} in {chance.pick(lists)}"
            index = () if given else _set_index(world)
            add(world, Field(world.new("hand"), PLAYER, index, held, _sight(world, PLAYER), given))
        others = [d for d in world.kinds(ENUM, CYCLIC, GRID) if d.size <= 6]
        if others and chance.percent(25):
            add(world, Field(world.new("lot"), chance.pick(others).name, (), held, chance.pick(("open", "hidden"))))
    if world.has("deal") and "card" in world.domains:
        held, here = Set(world.domains["card"].type), world.domains["suit1"].type
        sealed, given = chance.pick(("open", "secret", "secret")), "every card"
        add(world, Field("palm", PLAYER, (), held, chance.pick(("open", "secret")), given))
        add(world, Field("laid", PLAYER, (here,), held, sealed))
        add(world, Field("shown", PLAYER, (here,), held))
    if world.has("dice"):
        dice = Set(chance.pick((numbers(1, 6), numbers(-3, 3), numbers(0, 1), world.domains["suit1"].type)))
        add(world, Field(world.new("dice"), None, (), dice))
        add(world, Field(world.new("dice"), None, _set_index(world), dice))
        add(world, Field(world.new("dice"), PLAYER, (), dice, _sight(world, PLAYER)))


def _sight(world: World, owner: str | None) -> str:
    chance = world.chance
    sight = chance.pick(("open", "open", "secret", "secret", "hidden"))
    if owner != PLAYER and sight == "secret":
        return "open"
    if sight != "open" and world.symbols and chance.percent(30):
        name, options = chance.pick(world.symbols)
        return f"{sight} when {name} is {chance.pick(options)}"
    return sight


def _set_index(world: World) -> tuple[Type, ...]:
    if not world.chance.percent(30):
        return ()
    usable: list[Domain] = [d for d in world.kinds(ENUM, CYCLIC, PLAYER) if d.size <= 4]
    return (world.chance.pick(usable).type,) if usable else (numbers(1, 2),)


def _short_sets(world: World) -> None:
    if not world.has("short"):
        return
    chance = world.chance
    usable = [d.type for d in world.kinds(ENUM, CYCLIC, GRID, PAIR, PLAYER)] + [numbers(-9, 9), numbers(0, 2**31)]
    for type_ in chance.several(usable, chance.between(1, 2)):
        most = chance.pick((1, 2, 3, 9, 9, 20))
        for owner in chance.pick(((None,), (None, None), (None, PLAYER))):
            add(world, Field(world.new("short"), owner, (), Set(type_, most)))
