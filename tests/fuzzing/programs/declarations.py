"""Declarations that play relies on: values, modifiers, rankings, procedures, events, windows, latches, invariants.

They are made in an order in which each can use only those before it, so that nothing is computed from itself.
"""

from __future__ import annotations

from dataclasses import replace

from tests.fuzzing.programs.blocks import block
from tests.fuzzing.programs.formulas import Number, argument, number, truth, within
from tests.fuzzing.programs.places import zone
from tests.fuzzing.programs.scope import (
    COMPONENT,
    CYCLIC,
    ENUM,
    FAR,
    GRID,
    NUMBER,
    PAIR,
    PLAYER,
    TRUTH,
    YES_NO,
    Name,
    Named,
    Ranking,
    Scope,
    Set,
    Type,
    World,
    numbers,
)
from tests.fuzzing.programs.tree import Line, line


def parameters(world: World, first: Type | None = None) -> tuple[Name, ...]:
    """None, or a few: players, members, pieces, cells, pairs, numbers."""
    chance = world.chance
    domains = [d.type for d in world.kinds(ENUM, CYCLIC, COMPONENT, GRID, PAIR)]
    types = [Type(PLAYER), Type(PLAYER), numbers(-3, 9), numbers(0, 300), YES_NO, *domains]
    chosen = [first] if first is not None else []
    chosen += [chance.pick(types) for _ in range(chance.pick((0, 1, 1, 2)))]
    return tuple(Name(world.new("p" if type_.family == PLAYER else "a"), type_) for type_ in chosen)


def listed(names: tuple[Name, ...]) -> str:
    return f"({', '.join(f'{name.text} : {name.type.written}' for name in names)})" if names else ""


def values(world: World) -> list[Line]:
    found = []
    for _ in range(world.chance.between(1, 3)):
        given = parameters(world)
        secret = world.chance.percent(15)
        scope = Scope(given, sees=None if secret else "")
        name = world.new("value")
        domains = [d.type for d in world.domains.values()]
        type_ = world.chance.pick([numbers(0, 0), numbers(0, 0), YES_NO, world.chance.pick(domains)])
        if type_.family == NUMBER:
            formula = number(world, scope, 2)
            body, type_ = formula.text, numbers(formula.low, formula.high)
            declared = ""
        else:
            if type_.family != TRUTH and world.chance.percent(30):
                type_ = replace(type_, optional=True)
            body = argument(world, scope, type_, 2)
            declared = f" : {type_.written}" if type_.optional else ""
        found.append(line(f"value {name}{listed(given)}{declared} = {body}"))
        made = Named(name, tuple(each.type for each in given), type_, secret)
        found += modifiers(world, made) if type_.family == NUMBER else []
        world.values.append(
            made if type_.family != NUMBER or not found[-1].text.startswith("modifier") else _wider(made)
        )
    return found


def _wider(value: Named) -> Named:
    """With what modifiers can add."""
    low, high = max(value.type.low - 600, -FAR), min(value.type.high + 600, FAR)
    return replace(value, type=numbers(low, high))


def modifiers(world: World, value: Named) -> list[Line]:
    if not world.has("modifier") or abs(value.type.low) > FAR // 2 or abs(value.type.high) > FAR // 2:
        return []
    found = []
    for _ in range(world.chance.between(1, 2)):
        names = tuple(Name(world.new("m"), type_) for type_ in value.parameters)
        scope = Scope(names)
        by = within(world, number(world, scope, 1), numbers(-300, 300), sure=100)
        while_ = f" while {truth(world, scope, 1)}" if world.chance.percent(60) else ""
        given = f"({', '.join(name.text for name in names)})" if names else ""
        found.append(line(f"modifier {world.new('modifier')} changes {value.name}{given} by {by}{while_}"))
    return found


def rankings(world: World) -> list[Line]:
    """Of players, open; of anything else; of what lies in a set."""
    chance = world.chance
    found = [_ranking(world, Type(PLAYER), PLAYER, world.players, strict=chance.percent(50))]
    if chance.percent(50):
        found.append(_ranking(world, Type(PLAYER), PLAYER, world.players, strict=chance.percent(30)))
    others = [d for d in world.kinds(ENUM, CYCLIC, GRID, COMPONENT) if d.size <= 12]
    if chance.percent(40):
        domain = chance.pick(others)
        found.append(_ranking(world, domain.type, domain.name, domain.size, strict=False))
    if chance.percent(40):
        scope = Scope(sees=None)
        held = zone(world, scope, lambda f: f.owner is None)
        if held is not None:
            found.append(
                _ranking(world, held.held.element, held.text, world.capacity(held.held), False, held.known != "")
            )
    if chance.percent(20):
        found.append(_ranking(world, numbers(1, 4), "1..4", 4, strict=False))
    return found


def _ranking(world: World, element: Type, text: str, most: int, strict: bool, secret: bool = False) -> Line:
    chance = world.chance
    given = parameters(world) if chance.percent(40) else ()
    one = Name(world.new("p" if element.family == PLAYER else "e"), element)
    scope = Scope((*given, one), sees=None if secret else "")
    name = world.new("ranking")
    where = f" where {truth(world, scope, 1)}" if chance.percent(25) and not strict else ""
    keys = []
    for _ in range(chance.pick((1, 1, 2, 3))):
        key = (
            truth(world, scope, 1)
            if chance.percent(25)
            else f"{chance.pick(('highest', 'lowest'))} {_key(world, scope)}"
        )
        if chance.percent(20):
            key += f" when {truth(world, scope, 1)}"
        keys.append(key)
    if strict and element.family == PLAYER and chance.percent(95):
        keys.append(f"{chance.pick(('highest', 'lowest'))} {one.text}.seat")
    rows = [line(("then " if number_ else "") + key) for number_, key in enumerate(keys)]
    world.rankings.append(Ranking(name, tuple(each.type for each in given), element, most, strict, secret))
    return line(f"ranking {name}{listed(given)} of {one.text} in {text}{where}{', strict' if strict else ''}", rows)


def _key(world: World, scope: Scope) -> str:
    """Often a field as it is, since keys that are small fit into one number together."""
    return Number(number(world, scope, world.chance.pick((0, 0, 1, 2))).text, 0, 0).bracketed


# ---------------------------------------------------------------- what is done


def procedures(world: World) -> list[Line]:
    found = []
    for _ in range(world.chance.pick((0, 1, 1, 2)) if world.has("procedure") else 0):
        given = parameters(world, Type(PLAYER) if world.chance.percent(60) else None)
        name = world.new("procedure")
        world.loud, world.room = False, 6
        body = block(world, Scope(given), 2, 4)
        text = ' "What is done"' if world.chance.percent(20) else ""
        found.append(line(f"procedure {name}{listed(given)}{text}", body))
        world.procedures.append(Named(name, tuple(each.type for each in given), YES_NO))
        if world.loud:
            world.loud_procedures.add(name)
    if world.has("procedure") and world.chance.percent(30):
        found += _by_member(world)
    if world.has("secret") and world.chance.percent(35):
        given = parameters(world, Type(PLAYER))
        world.room = 5
        name = world.new("alone")
        body = block(world, Scope(given, own=given[0].text, sees=given[0].text), 2, 3)
        found.append(line(f"procedure {name}{listed(given)}", body))
        world.own_procedures.append(Named(name, tuple(each.type for each in given), YES_NO))
    return found


def _by_member(world: World) -> list[Line]:
    """A clause for each member of an enum, or for several of them together."""
    chance = world.chance
    enum, name, rest = chance.pick(world.kinds(ENUM, CYCLIC)), world.new("procedure"), parameters(world)
    members, found, loud = list(enum.members), [], False
    while members:
        taken = [members.pop(0) for _ in range(min(chance.between(1, 2), len(members)))]
        world.loud, world.room = False, 4
        here = Name("here", enum.type)
        listed_ = "".join(f", {each.text} : {each.type.written}" for each in rest)
        body = block(world, Scope((here, *rest)), 1, 2)
        found.append(line(f"procedure {name}(here = {' or '.join(taken)}{listed_})", body))
        loud |= world.loud
    world.procedures.append(Named(name, (enum.type, *(each.type for each in rest)), YES_NO))
    if loud:
        world.loud_procedures.add(name)
    return found


def events(world: World) -> list[Line]:
    """An event can be announced by reactions to those that are declared before it."""
    if not world.has("event"):
        return []
    chance, found = world.chance, []
    for _ in range(chance.pick((1, 1, 2))):
        given = parameters(world, Type(PLAYER) if chance.percent(60) else None)
        name = world.new("event")
        found.append(line(f"event {name}{listed(given)}"))
        for _ in range(chance.pick((1, 1, 2, 0))):
            names = tuple(replace(each, text=world.new("p" if each.type.family == PLAYER else "a")) for each in given)
            scope = Scope(names, announces=bool(world.events) and chance.percent(60))
            while_ = f" while {truth(world, scope, 1)}" if chance.percent(50) else ""
            world.room = 4
            body = block(world, scope, 1, 2)
            told = f"({', '.join(each.text for each in names)})" if names else ""
            text = ' "What follows"' if chance.percent(20) else ""
            found.append(line(f"reaction {world.new('reaction')}{text} to {name}{told}{while_}", body))
        world.events.append(Named(name, tuple(each.type for each in given), YES_NO))
    return found


def windows(world: World) -> list[Line]:
    if not world.has("window"):
        return []
    chance, name, who = world.chance, world.new("window"), Name(world.new("p"), Type(PLAYER))
    scope = Scope((who,), loop=True, announces=False)
    where = f"{who.text}.budget > 0"
    if chance.percent(40):
        where += f" and {truth(world, scope, 1)}"
    world.room = 4
    body = [line(f"{who.text}.budget becomes max({who.text}.budget - 1, 0)"), *block(world, scope, 1, 3)]
    world.windows.append(name)
    return [line(f"window {name} of {who.text} where {where}, at most {chance.pick((3, 9, 9))} times", body)]


# ---------------------------------------------------------------- what is looked at


def latches(world: World) -> list[Line]:
    found = []
    for _ in range(world.chance.pick((1, 1, 2)) if world.has("latch") else 0):
        name = world.new("latch")
        text = ' "Nearly over"' if world.chance.percent(30) else ""
        found.append(line(f"latch {name}{text} when {truth(world, Scope(), 3)}"))
        world.latches.append(name)
    return found


def invariants(world: World) -> list[Line]:
    """Mostly something that holds: bounds of fields, sizes of sets."""
    if not world.has("always"):
        return []
    chance = world.chance
    held = [f for f in world.fields if isinstance(f.type, Set) and f.owner is None and not f.indices]
    conditions = ["every p in player has p.budget <= 3", "(number of p in player where p.seat >= 0) is player_count"]
    conditions += [f"size of {chance.pick(held).name} >= 0"] if held else []
    score = next(f.type for f in world.fields if f.name == "score")
    assert isinstance(score, Type)
    conditions.append(f"every p in player has p.score < {min(score.high, 60)}")
    conditions.append(f"count >= 0 or {truth(world, Scope(), 1)}")
    text = ' "What holds"' if chance.percent(40) else ""
    return [
        line(f"always {world.new('always')}{text} : {condition}")
        for condition in chance.several(conditions, chance.between(1, 2))
    ]
