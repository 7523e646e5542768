"""Numbers: what is there to be read, and what is reckoned from it, each with its range (interval arithmetic)."""

from __future__ import annotations

import re

from tests.fuzzing.programs.formulas import (
    Number,
    argument,
    bracketed,
    called,
    element,
    literal,
    makes_number,
    number,
    truth,
    within,
)
from tests.fuzzing.programs.places import bound, place, run, zone
from tests.fuzzing.programs.scope import FAR, NUMBER, PLAYER, Field, Scope, Type, World, numbers
from tests.fuzzing.programs.things import edge

# ---------------------------------------------------------------- numbers that are there


@makes_number(4)
def _literal(world: World, scope: Scope, depth: int) -> Number:
    return literal(edge(world))


@makes_number(6)
def _local(world: World, scope: Scope, depth: int) -> Number | None:
    names = scope.of(NUMBER)
    if not names:
        return None
    name = world.chance.pick(names)
    return Number(name.text, name.type.low, name.type.high)


def scalar_fields(world: World, scope: Scope, family: str) -> list[Field]:
    return [f for f in world.fields if isinstance(f.type, Type) and f.type.family == family]


@makes_number(8)
def _field(world: World, scope: Scope, depth: int) -> Number | None:
    chosen = world.chance.pick(scalar_fields(world, scope, NUMBER))
    found = place(world, scope, chosen, depth)
    assert isinstance(chosen.type, Type)
    low, high = chosen.type.low, chosen.type.high
    if not chosen.type.optional:
        return Number(found.text, low, high)
    other = world.chance.between(0, 7)
    return Number(f"({found.text} if {found.text} is not none else {other})", low, high)


@makes_number(2)
def _constant(world: World, scope: Scope, depth: int) -> Number | None:
    usable = [(name, type_) for name, type_ in world.constants if type_.family == NUMBER]
    usable += [("player_count", numbers(world.players, world.players))] + [("round", numbers(0, 4))] * world.rounds
    name, type_ = world.chance.pick(usable)
    return Number(name, type_.low, type_.high)


@makes_number(2)
def _entry(world: World, scope: Scope, depth: int) -> Number | None:
    usable = [table for table in world.tables if table.type.family == NUMBER]
    if not usable:
        return None
    table = world.chance.pick(usable)
    indices = ", ".join(argument(world, scope, index, depth) for index in table.parameters)
    return Number(f"{table.name}[{indices}]", table.type.low, table.type.high)


@makes_number(3)
def _attribute(world: World, scope: Scope, depth: int) -> Number | None:
    usable = [a for a in world.attributes if a.type.family == NUMBER]
    if not usable:
        return None
    found = world.chance.pick(usable)
    turned = found.index and world.chance.percent(50)
    whole = element(world, scope, Type("turned tile" if turned else found.component), depth)
    text = f"{bracketed(whole)}.{found.name}"
    if found.index:
        text += f"[{element(world, scope, Type(found.index), depth)}]"
    return Number(text, found.type.low, found.type.high)


@makes_number(1)
def _coordinate(world: World, scope: Scope, depth: int) -> Number | None:
    if "cell" not in world.domains:
        return None
    name, type_ = world.chance.pick(world.domains["cell"].parts)
    return Number(f"{bracketed(element(world, scope, Type('cell'), depth))}.{name}", type_.low, type_.high)


@makes_number(2)
def _size(world: World, scope: Scope, depth: int) -> Number | None:
    if world.tables and world.chance.percent(5):
        return Number(f"size of {world.tables[0].name}", 0, 300)
    found = zone(world, scope, depth=depth, unread=True)  # how many there are is known to all
    return Number(f"size of {found.text}", 0, world.capacity(found.held)) if found else None


@makes_number(3)
def _value(world: World, scope: Scope, depth: int) -> Number | None:
    usable = [v for v in world.values if v.type.family == NUMBER and (scope.sees is None or not v.secret)]
    if not usable:
        return None
    value = world.chance.pick(usable)
    text = called(world, scope, value.name, value.parameters, depth)
    return Number(text, value.type.low, value.type.high)


# ---------------------------------------------------------------- numbers made of others


@makes_number(6, deep=True)
def _sum(world: World, scope: Scope, depth: int) -> Number:
    a, b = number(world, scope, depth), number(world, scope, depth)
    if world.chance.percent(50):
        return Number(f"{a.bracketed} + {b.bracketed}", a.low + b.low, a.high + b.high)
    return Number(f"{a.bracketed} - {b.bracketed}", a.low - b.high, a.high - b.low)


@makes_number(3, deep=True)
def _product(world: World, scope: Scope, depth: int) -> Number:
    a, b = number(world, scope, depth), number(world, scope, depth)
    if max(abs(a.low), abs(a.high)) * max(abs(b.low), abs(b.high)) > FAR:
        b = literal(world.chance.pick((0, 1, 2, -1)))
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Number(f"{a.bracketed} * {b.bracketed}", min(corners), max(corners))


@makes_number(4, deep=True)
def _quotient(world: World, scope: Scope, depth: int) -> Number:
    a, sign = number(world, scope, depth), world.chance.pick(("/", "mod"))
    if world.chance.percent(60):
        b = literal(world.chance.pick((1, 2, 3, 7, 8, 256, 1000, -1, -5)))
    else:
        given = number(world, scope, depth)
        b = Number(f"max({given.text}, 1)", 1, max(given.high, 1))
    far = max(abs(a.low), abs(a.high))
    most = far if sign == "/" else max(abs(b.low), abs(b.high))
    return Number(f"{a.bracketed} {sign} {b.bracketed}", -most - 1, most + 1)


@makes_number(3, deep=True)
def _extreme(world: World, scope: Scope, depth: int) -> Number:
    given = [number(world, scope, depth) for _ in range(world.chance.pick((2, 2, 3)))]
    how = world.chance.pick((min, max))
    text = f"{how.__name__}({', '.join(each.text for each in given)})"
    return Number(text, how(each.low for each in given), how(each.high for each in given))


@makes_number(3, deep=True)
def _either(world: World, scope: Scope, depth: int) -> Number:
    a, b = number(world, scope, depth), number(world, scope, depth)
    condition = truth(world, scope, depth)
    return Number(f"({a.bracketed} if {condition} else {b.bracketed})", min(a.low, b.low), max(a.high, b.high))


@makes_number(1, deep=True)
def _negative(world: World, scope: Scope, depth: int) -> Number:
    a = number(world, scope, depth)
    return Number(f"(-{a.bracketed})", -a.high, -a.low)


# ---------------------------------------------------------------- numbers of many


@makes_number(3, deep=True)
def _count(world: World, scope: Scope, depth: int) -> Number:
    over = run(world, scope, depth)
    name = bound(world, over)
    where = f" where {truth(world, scope.with_names(name), depth)}" if world.chance.percent(75) else ""
    return Number(f"(number of {name.text} in {over.text}{where})", 0, over.most)


@makes_number(5, deep=True)
def _total(world: World, scope: Scope, depth: int) -> Number:
    over = run(world, scope, depth)
    name = bound(world, over)
    inner = scope.with_names(name)
    body = number(world, inner, depth)
    where = f" where {truth(world, inner, depth)}" if world.chance.percent(50) else ""
    if max(abs(body.low), abs(body.high)) * over.most > FAR:
        body = Number(within(world, body, numbers(-300, 300), sure=100), -300, 300)
    low, high = min(0, body.low * over.most), max(0, body.high * over.most)
    return Number(f"(sum of {body.bracketed} for {name.text} in {over.text}{where})", low, high)


@makes_number(3, deep=True)
def _best(world: World, scope: Scope, depth: int) -> Number:
    """The highest or lowest; mostly of something that is never empty, or asked only if it is not."""
    over = run(world, scope, depth)
    name = bound(world, over)
    inner = scope.with_names(name)
    body, how = number(world, inner, depth), world.chance.pick(("highest", "lowest"))
    if over.kind in ("whole", "list") and world.chance.percent(70):
        return Number(f"({how} {body.bracketed} for {name.text} in {over.text})", body.low, body.high)
    where = truth(world, inner, depth)
    text = f"{how} {body.bracketed} for {name.text} in {over.text} where {where}"
    if world.chance.percent(5):
        return Number(f"({text})", body.low, body.high)
    other = bound(world, over)
    asked = re.sub(rf"\b{name.text}\b", other.text, where)
    return Number(
        f"(({text}) if some {other.text} in {over.text} has {asked} else 0)", min(0, body.low), max(0, body.high)
    )


@makes_number(2, deep=True)
def _rank(world: World, scope: Scope, depth: int) -> Number | None:
    """A place in a ranking, or in the order that a contest keeps."""
    chance = world.chance
    if scope.orders and chance.percent(50):
        who = element(world, scope, Type(PLAYER), depth)
        return Number(f"rank of {bracketed(who)} in {chance.pick(scope.orders).text}", 0, world.players)
    usable = [r for r in world.rankings if scope.sees is None or not r.secret]
    if not usable:
        return None
    ranking = chance.pick(usable)
    ranked = argument(world, scope, ranking.element, depth)
    text = f"rank of ({ranked}) in {called(world, scope, ranking.name, ranking.parameters, depth)}"
    return Number(text, 0, ranking.most)
