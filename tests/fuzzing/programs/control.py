"""Statements that hold others: branches, loops, turns, contests, secret blocks."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzzing.programs.blocks import Made, block, makes_statement, somebody
from tests.fuzzing.programs.formulas import Number, called, truth, within
from tests.fuzzing.programs.places import bound, run
from tests.fuzzing.programs.scope import ENUM, OPEN, PLAYER, Name, Order, Scope, Type, World, numbers
from tests.fuzzing.programs.tree import Line, line


@makes_statement(8, secret=True, deep=True)
def _if(world: World, scope: Scope, depth: int) -> Made:
    chance = world.chance
    quiet = not scope.own and chance.percent(15)  # a secret may decide, where nobody is asked
    inner = replace(scope, quiet=scope.quiet or quiet)
    seen = scope.seen_by(None) if quiet else scope.seen_by(scope.own)
    found = [line(f"if {truth(world, seen, 2)}", block(world, inner, depth, 3))]
    if chance.percent(20):
        found.append(line(f"else if {truth(world, seen, 2)}", block(world, inner, depth, 2)))
    if chance.percent(35):
        found.append(line("else", block(world, inner, depth, 2)))
    return Made(found)


@makes_statement(8, secret=True, deep=True)
def _for_each(world: World, scope: Scope, depth: int) -> Made:
    chance = world.chance
    over = run(world, scope.seen_by(scope.own), 1)
    name = bound(world, over, "i")
    inner = replace(scope.with_names(name), loop=True)
    start = ""
    if over.text == PLAYER and chance.percent(25) and not scope.own:
        start = f" from {somebody(world, scope)}"
    back = " backwards" if chance.percent(20) else ""
    if back and world.symbols and chance.percent(30):
        rule, options = chance.pick(world.symbols)
        back += f" when {rule} is {chance.pick(options)}"
    where = f" where {truth(world, inner.seen_by(scope.own), 1)}" if chance.percent(25) else ""
    if over.most > 60:
        inner = replace(inner, quiet=True)
    return Made([line(f"for each {name.text} in {over.text}{start}{back}{where}", block(world, inner, depth, 3))])


@makes_statement(3, secret=True)
def _stop(world: World, scope: Scope, depth: int) -> Made | None:
    return Made([line(f"stop when {truth(world, scope.seen_by(scope.own), 2)}")]) if scope.loop else None


@makes_statement(4, secret=True, deep=True)
def _repeat(world: World, scope: Scope, depth: int) -> Made:
    """Until it was done so often, or something else holds; now and then the limit is reached."""
    chance, count = world.chance, Name(world.new("n"), numbers(0, 9), settable=False)
    times = chance.between(1, 4)
    limit = times if chance.percent(85) else chance.pick((1, times, 255))
    until = f"{count.text} >= {times}"
    if chance.percent(60):
        until = f"{until} or {truth(world, scope.seen_by(scope.own), 1)}"
    inner = replace(scope.with_names(count), loop=True)
    body = [line(f"{count.text} becomes min({count.text} + 1, 9)"), *block(world, inner, depth, 2)]
    start = line(f"let {count.text} : 0..9 = 0")
    return Made([start, line(f"repeat until {until}, at most {limit} times", body)], (count,))


@makes_statement(4, deep=True)
def _in_turn(world: World, scope: Scope, depth: int) -> Made:
    """Whoever has turns left; each turn takes one."""
    chance, name = world.chance, Name(world.new("p"), Type(PLAYER))
    inner = replace(scope.with_names(name), loop=True)
    other = world.new("p")
    deal = line(f"for each {other} in player", line(f"{other}.budget becomes {chance.between(1, 2)}"))
    where = f"{name.text}.budget > 0"
    if chance.percent(40):
        where += f" and {truth(world, inner, 1)}"
    body = [line(f"{name.text}.budget becomes max({name.text}.budget - 1, 0)"), *block(world, inner, depth, 2)]
    head = (
        f"in turn {name.text} from {somebody(world, scope)} where {where}, at most {chance.pick((12, 99, 12, 4))} turns"
    )
    return Made([deal, line(head, body)])


@makes_statement(6, deep=True)
def _contest(world: World, scope: Scope, depth: int) -> Made | None:
    chance = world.chance
    usable = [r for r in world.rankings if r.element.family == PLAYER and not r.secret]
    if not usable:
        return None
    ranking = chance.pick(usable)
    order = Order(world.new("order")) if chance.percent(50) else None
    inner = replace(scope, orders=(*scope.orders, order)) if order else scope
    clauses: list[Line] = []
    for _ in range(chance.pick((1, 1, 2, 3))):
        name, place = Name(world.new("p"), Type(PLAYER)), chance.pick(PLACES)
        inside = inner.with_names(name)
        sharing = chance.pick(("", "", " alone", " shared"))
        if sharing == " shared":
            sharers = Name(world.new("n"), numbers(1, world.players))
            sharing, inside = f" shared by {sharers.text}", inside.with_names(sharers)
        body = block(world, inside, depth, 2)
        if order and chance.percent(60):
            body = [*_held(world, order, name), *body]
        clauses.append(line(f"{place} {name.text}{sharing}", body))
    back = " backwards" if chance.percent(15) else ""
    label = f" as {order.text}" if order else ""
    return Made([line(f"contest {called(world, scope, ranking.name, ranking.parameters)}{back}{label}", clauses)])


def _held(world: World, order: Order, one: Name) -> list[Line]:
    """What is done with the order that a contest keeps: places are told, and it is run through."""
    other = Name(world.new("p"), Type(PLAYER))
    text = world.chance.pick((f"rank of {one.text} in {order.text}", f"number of {other.text} in {order.text}"))
    count = next(field.type for field in world.fields if field.name == "count")
    assert isinstance(count, Type)
    found = [line(f"count becomes {within(world, Number(f'({text})', 0, world.players), count)}")]
    if world.chance.percent(40):
        awarded = line(f"{other.text}.budget becomes min(rank of {other.text} in {order.text}, 3)")
        back = " backwards" if world.chance.percent(30) else ""
        found.append(line(f"for each {other.text} in {order.text}{back}", awarded))
    return found


PLACES = ("first", "first", "second", "third", "fourth", "fifth", "last", "last")


@makes_statement(6, asking=True, deep=True, needs="secret")
def secretly(world: World, scope: Scope, depth: int) -> Made:
    """All at once, each with what is their own."""
    own = Name(world.new("p"), Type(PLAYER))
    others = tuple(name for name in scope.names if name.type.family != PLAYER)
    # Nothing of what was known around the block is a secret of its own player.
    names = tuple(name for name in others if name.known == OPEN)
    inner = replace(scope, names=(*names, own), sets=(), orders=(), own=own.text, loop=False, sees=own.text)
    if world.chance.percent(25):
        enum = world.chance.pick(world.kinds(ENUM))
        here = Name(world.new("here"), enum.type)
        body = block(world, replace(inner.with_names(here), loop=True), depth, 3)
        return Made([line(f"every player {own.text} secretly", line(f"for each {here.text} in {enum.name}", body))])
    return Made([line(f"every player {own.text} secretly", block(world, inner, depth, 4))])


@makes_statement(10, deep=True)
def _everybody(world: World, scope: Scope, depth: int) -> Made:
    return everybody(world, scope, depth)


def everybody(world: World, scope: Scope, depth: int) -> Made:
    """What most games do: each player in turn."""
    name = Name(world.new("p"), Type(PLAYER))
    inner = replace(scope.with_names(name), loop=True)
    return Made([line(f"for each {name.text} in player", block(world, inner, depth, 4))])
