"""Statements that change something at once: fields, points, sets, pieces."""

from __future__ import annotations

from tests.fuzzing.programs.blocks import Made, amount, makes_statement, question, somebody, told
from tests.fuzzing.programs.formulas import argument, bracketed, called, literal, number, truth, within
from tests.fuzzing.programs.places import holds, is_loose, is_roomy, pieces, place, zone
from tests.fuzzing.programs.scope import CYCLIC, ENUM, NUMBER, PLAYER, Field, Name, Scope, Set, Type, World, numbers
from tests.fuzzing.programs.tree import line

KEPT = ("score", "seat", "budget")
"""Fields that others rely on."""


def changeable(world: World, scope: Scope, family: str = "") -> list[Field]:
    found = [f for f in world.fields if isinstance(f.type, Type) and f.name not in KEPT]
    if scope.own:
        found = [f for f in found if f.owner == PLAYER]
    return [f for f in found if not family or f.type.family == family]  # type: ignore[union-attr]


def value_for(world: World, scope: Scope, type_: Type, depth: int = 2) -> str:
    """A formula that may be stored in a field of a type."""
    if type_.family == NUMBER and type_.optional:
        if world.chance.percent(30):
            return "none"
        return within(world, number(world, scope, depth), type_.there)
    return argument(world, scope, type_, depth)


@makes_statement(14, secret=True)
def _becomes(world: World, scope: Scope, depth: int) -> Made | None:
    fields = changeable(world, scope)
    if not fields:
        return None
    field = world.chance.pick(fields)
    found = place(world, scope, field, own=True)
    assert isinstance(field.type, Type)
    reads = scope.seen_by(scope.own) if scope.own else told(world, scope)
    return Made([line(f"{found.text} becomes {value_for(world, reads, field.type)}")])


@makes_statement(3, secret=True)
def _local_becomes(world: World, scope: Scope, depth: int) -> Made | None:
    names = [name for name in scope.names if name.settable]
    if not names:
        return None
    name = world.chance.pick(names)
    return Made([line(f"{name.text} becomes {argument(world, scope, name.type, 2)}")])


@makes_statement(4, secret=True)
def _let(world: World, scope: Scope, depth: int) -> Made:
    chance = world.chance
    name = world.new("v")
    types = [numbers(-9, 9), numbers(0, 300), Type("yes/no"), *(d.type for d in world.domains.values())]
    type_ = chance.pick(types)
    if type_.family == NUMBER and chance.percent(40):
        found = number(world, scope, 2)
        return Made([line(f"let {name} = {found.text}")], (Name(name, numbers(found.low, found.high)),))
    if type_.family not in (NUMBER, "yes/no") and chance.percent(30):
        type_ = Type(type_.family, optional=True)
    text = f"let {name} : {type_.written} = {argument(world, scope, type_, 2)}"
    settable = type_.family == NUMBER or not type_.optional
    return Made([line(text)], (Name(name, type_, settable=settable and type_.family != PLAYER),))


@makes_statement(8)
def _award(world: World, scope: Scope, depth: int) -> Made:
    chance, who = world.chance, bracketed(somebody(world, scope))
    score = next(f.type for f in world.fields if f.name == "score")
    assert isinstance(score, Type)
    verb, word, bound_ = chance.pick((("gains", "most", score.high), ("loses", "least", score.low)))
    limit = f", at {word} {literal(bound_).text}" if chance.percent(88) else ""
    if limit and chance.percent(15):
        low, high = (score.low, score.high) if abs(score.high) < 2**40 else (0, 9)
        limit = f", at {word} {amount(world, told(world, scope), low, high)}"
    if limit and word == "most" and world.has("ruling") and chance.percent(10):
        limit = ", at most cap"
    given = amount(world, told(world, scope), 0, 40) if chance.percent(90) else amount(world, scope, -3, 3)
    text = question(world, scope)
    return Made([line(f"{who} {verb} {given} score for {_item(world, scope)}{text}{limit}")])


def _item(world: World, scope: Scope) -> str:
    """What points are for: an item, a member, or a name that holds one."""
    enums = world.kinds(ENUM, CYCLIC)
    names = [name.text for enum in enums for name in scope.of(enum.name)]
    members = [member for enum in enums for member in enum.members]
    return world.chance.pick([*world.items, *world.items, *names, world.chance.pick(members)])


@makes_statement(4, secret=True)
def _gains(world: World, scope: Scope, depth: int) -> Made | None:
    fields = [f for f in changeable(world, scope, NUMBER) if f.owner is not None and not f.type.optional]  # type: ignore[union-attr]
    if not fields:
        return None
    field = world.chance.pick(fields)
    assert isinstance(field.type, Type)
    found = place(world, scope, field, own=True)
    verb, word, end = world.chance.pick((("gains", "most", field.type.high), ("loses", "least", field.type.low)))
    limit = f", at {word} {literal(end).text}" if world.chance.percent(90) else ""
    return Made([line(f"{found.whose} {verb} {amount(world, scope, 0, 3)} {field.name}{found.index}{limit}")])


# ---------------------------------------------------------------- sets of values


@makes_statement(4)
def _add(world: World, scope: Scope, depth: int) -> Made | None:
    found = zone(world, scope, lambda f: is_loose(f) and not pieces(f, world), own=True)
    if found is None:
        return None
    grows = line(f"add {bracketed(argument(world, scope, found.held.element, 1))} to {found.text}")
    if world.chance.percent(10):
        return Made([grows])
    return Made([line(f"if size of {found.text} < {min(world.capacity(found.held), 12)}", grows)])


@makes_statement(3)
def _remove(world: World, scope: Scope, depth: int) -> Made | None:
    found = zone(world, scope, lambda f: is_loose(f) and not pieces(f, world), own=True)
    if found is None:
        return None
    if world.chance.percent(30):
        return Made([line(f"clear {found.text}")])
    gone = bracketed(argument(world, scope, found.held.element, 1))
    shrinks = line(f"remove {gone} from {found.text}")
    return Made([shrinks] if world.chance.percent(10) else [line(f"if {gone} in {found.text}", shrinks)])


@makes_statement(2, secret=True)
def _copy(world: World, scope: Scope, depth: int) -> Made | None:
    target = zone(world, scope, lambda f: not pieces(f, world) and f.sight == "open", own=True, unread=True)
    if target is None:
        return None
    short = target.held.most is not None
    source = zone(world, scope.seen_by(scope.own or None), holds(target.held.element, short))
    return Made([line(f"{target.text} becomes {source.text}")]) if source else None


# ---------------------------------------------------------------- pieces


def exchange(world: World, scope: Scope) -> tuple[str, str, Field, Field] | None:
    """Two sets between which something can move, and their fields."""
    source = zone(world, scope, is_roomy, own=True, unread=True)
    if source is None:
        return None
    target = zone(world, scope, holds(source.held.element, short=False), own=True, unread=True)
    return (source.text, target.text, source.field, target.field) if target else None


@makes_statement(6, secret=True)
def _move(world: World, scope: Scope, depth: int) -> Made | None:
    """One that is there: the one at hand, one after the other, or whatever comes first in a ranking."""
    chance, found = world.chance, exchange(world, scope)
    if found is None:
        return None
    source, target, field, _ = found
    assert isinstance(field.type, Set)
    under = chance.percent(30) and not scope.own and pieces(field, world)
    verb, to = ("put", "under") if under else ("move", "to")
    if chance.percent(40):
        name = Name(world.new("c"), field.type.element, "*")
        where = f" where {truth(world, scope.seen_by(scope.own or None).with_names(name), 1)}"
        moved = line(f"{verb} {name.text} from {source} {to} {target}")
        back = " backwards" if chance.percent(15) else ""
        return Made([line(f"for each {name.text} in {source}{back}{where if chance.percent(60) else ''}", moved)])
    which = bracketed(argument(world, scope.seen_by(scope.own or None), field.type.element, 2))
    moved = line(f"{verb} {which} from {source} {to} {target}")
    return Made([moved] if chance.percent(6) else [line(f"if {which} in {source}", moved)])


@makes_statement(4, secret=True)
def _move_all(world: World, scope: Scope, depth: int) -> Made | None:
    found = exchange(world, scope)
    if found is None or found[0] == found[1]:
        return None
    source, target, field, other = found
    shown = field.sight != "open" and other.sight == "open"
    if shown and world.chance.percent(60):
        return Made([line(f"reveal {source} into {target}")])
    return Made([line(f"move all {source} to {target}")])


# ---------------------------------------------------------------- what is declared elsewhere


@makes_statement(6, secret=True, asking=True)
def _do(world: World, scope: Scope, depth: int) -> Made | None:
    usable = world.procedures
    if scope.own:
        if not world.own_procedures:
            return None
        procedure = world.chance.pick(world.own_procedures)
        rest = [argument(world, scope, parameter, 1) for parameter in procedure.parameters[1:]]
        return Made([line(f"do {procedure.name}({', '.join([scope.own, *rest])})")])
    if not scope.announces:
        usable = [procedure for procedure in usable if procedure.name not in world.loud_procedures]
    if not usable:
        return None
    procedure = world.chance.pick(usable)
    if procedure.name in world.loud_procedures:
        world.loud = True
    return Made([line(f"do {called(world, scope, procedure.name, procedure.parameters)}")])


@makes_statement(6, asking=True, needs="event")
def _announce(world: World, scope: Scope, depth: int) -> Made | None:
    if not world.events or not scope.announces:
        return None
    event = world.chance.pick(world.events)
    world.loud = True
    return Made([line(f"announce {called(world, scope, event.name, event.parameters)}")])


@makes_statement(2, asking=True, needs="window")
def _open_window(world: World, scope: Scope, depth: int) -> Made | None:
    if not world.windows:
        return None
    return Made([line(f"do {world.chance.pick(world.windows)}({somebody(world, scope)})")])


@makes_statement(1, secret=True)
def _nothing(world: World, scope: Scope, depth: int) -> Made:
    return Made([line("nothing")])
