"""Statements that wait for somebody: choices of one thing, of several together, of several pieces; rolls and draws."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.fuzzing.programs.blocks import Made, amount, makes_statement, question, sight_of, somebody, wild
from tests.fuzzing.programs.changes import changeable, exchange
from tests.fuzzing.programs.formulas import Number as Formula
from tests.fuzzing.programs.formulas import bracketed, number, truth, within
from tests.fuzzing.programs.places import Run, bound, holds, is_roomy, place, run, zone
from tests.fuzzing.programs.scope import (
    HIDDEN,
    NUMBER,
    OPEN,
    TRUTH,
    Field,
    Name,
    Scope,
    Set,
    Type,
    World,
    numbers,
)
from tests.fuzzing.programs.tree import Line, line

FULL = ("whole", "list")
"""Kinds of domains that are never empty."""
MOST_ANSWERS = 2_000


@makes_statement(10, secret=True, asking=True)
def _choose(world: World, scope: Scope, depth: int) -> Made:
    chance, who = world.chance, somebody(world, scope)
    seen = sight_of(scope, who)
    over = run(world, seen, 1)
    name = bound(world, over, "n")
    where = truth(world, seen.with_names(name), 2) if chance.percent(45) else ""
    label = f" as {world.new('answer')}" if chance.percent(25) else ""
    rest = (f" where {where}" if where else "") + label + question(world, seen)
    if chance.percent(35):
        asked = line(f"{bracketed(who)} may choose {name.text} from {over.text}{rest}")
        there = Name(name.text, replace(name.type, optional=True), name.known)
        used = use(world, scope, name, over)
        return Made([asked, line(f"if {name.text} is not {name.type.none}", used)], (there,))
    asked = line(f"{bracketed(who)} chooses {name.text} from {over.text}{rest}")
    if (over.kind in FULL and not where) or chance.percent(8):
        return Made([asked, *use(world, scope, name, over)], (name,))
    other = bound(world, over, "n")
    condition = truth(world, seen.with_names(other), 1) if where else "yes"
    asked = line(f"{bracketed(who)} chooses {name.text} from {over.text}{_where(condition, other, name)}{label}")
    guard = f"some {other.text} in {over.text} has {condition}"
    return Made([line(f"if {guard}", asked, use(world, scope, name, over))])


def _where(condition: str, other: Name, name: Name) -> str:
    """The condition of one name, said of another."""
    if condition == "yes":
        return ""

    return " where " + re.sub(rf"\b{other.text}\b", name.text, condition)


def use(world: World, scope: Scope, name: Name, over: Run) -> list[Line]:
    """What becomes of an answer: a piece goes elsewhere, anything else is kept if there is a field for it."""
    chance = world.chance
    if (over.kind == "zone" and "." in over.text) or (over.kind == "zone" and not scope.own):
        fields = [f for f in world.fields if isinstance(f.type, Set) and f.name == _field_name(over.text)]
        if fields and fields[0].type.most is None and chance.percent(70):  # type: ignore[union-attr]
            if not scope.own or over.text.startswith(f"{scope.own}."):
                target = zone(world, scope, holds(over.element, short=False), own=True, unread=True)
                if target is not None:
                    return [line(f"move {name.text} from {over.text} to {target.text}")]
    fitting = [f for f in changeable(world, scope, name.type.family)]
    if not fitting:
        return [line("nothing")]
    field = chance.pick(fitting)
    found = place(world, scope, field, own=True)
    assert isinstance(field.type, Type)
    value = name.text
    if name.type.family == NUMBER:
        value = within(world, Formula(name.text, name.type.low, name.type.high), field.type.there)
    return [line(f"{found.text} becomes {value}")]


def _field_name(text: str) -> str:
    return text.rpartition(".")[2].partition("[")[0]


@makes_statement(3, secret=True, asking=True)
def _choose_field(world: World, scope: Scope, depth: int) -> Made | None:
    """Straight into a field."""
    chance, who = world.chance, somebody(world, scope)
    fields = [f for f in changeable(world, scope) if isinstance(f.type, Type)]
    if not fields:
        return None
    field = chance.pick(fields)
    found = place(world, scope, field, own=True)
    if not isinstance(field.type, Type):
        return None
    over = _filling(world, scope, field.type)
    if over is None:
        return None
    verb = "may choose" if field.type.optional and chance.percent(50) else "chooses"
    return Made([line(f"{bracketed(who)} {verb} {found.text} from {over}{question(world, sight_of(scope, who))}")])


def _filling(world: World, scope: Scope, type_: Type) -> str | None:
    """All of a type, or part of it."""
    if type_.family == NUMBER:
        low = world.chance.pick((type_.low, max(type_.high - 4, type_.low)))
        return f"{low}..{min(low + world.chance.below(5), type_.high)}"
    if type_.family == TRUTH:
        return "yes/no"
    if type_.family.startswith(("(", "turned", "owner")):
        return None
    return type_.family if world.size(type_) <= 100 else None


@makes_statement(4, secret=True, asking=True)
def _joint(world: World, scope: Scope, depth: int) -> Made:
    """Several things as one decision, a later one of which may depend on an earlier one."""
    chance, who = world.chance, somebody(world, scope)
    seen, answers = sight_of(scope, who), 1
    picks: list[str] = []
    names: list[Name] = []
    for _ in range(chance.pick((2, 2, 3))):
        over = run(world, seen, 1)
        if names and answers * over.most > MOST_ANSWERS:
            continue
        answers *= over.most
        name = bound(world, over, "n")
        picks.append(f"{name.text} from {over.text}")
        names.append(name)
        seen = seen.with_names(name)
    known = OPEN if all(name.known == OPEN for name in names) else who
    names = [replace(name, known=known) for name in names]
    where = f" where {truth(world, seen, 2)}" if chance.percent(50) else ""
    text = f"{', '.join(picks)}{where} as {world.new('joint')}{question(world, sight_of(scope, who))}"
    if chance.percent(85):
        there = tuple(replace(name, type=replace(name.type, optional=True)) for name in names)
        return Made([line(f"{bracketed(who)} may choose {text}")], there)
    return Made([line(f"{bracketed(who)} chooses {text}")], tuple(names))


@makes_statement(7, secret=True, asking=True)
def _choose_set(world: World, scope: Scope, depth: int) -> Made | None:
    """Several pieces or values move from one set to another."""
    chance, who = world.chance, somebody(world, scope)
    seen = sight_of(scope, who)
    source = zone(world, seen, is_roomy, own=True)
    if source is None:
        return None
    target = zone(world, seen, holds(source.held.element, short=False), own=True, unread=True)
    if target is None:
        return None
    name = Name(world.new("c"), source.held.element, source.known)
    where = f" where {truth(world, seen.with_names(name), 1)}" if chance.percent(45) else ""
    size = f"size of {source.text}"
    most = chance.pick(("1", "2", "3", size, f"min({size}, 2)", amount(world, seen, 0, 4)))
    least = chance.pick(("0", "0", f"min({size}, 1)", amount(world, seen, 0, 2))) if not where else "0"
    counts = [f"up to {most}", f"up to {most}", f"{least}..{most}"]
    if not where:
        counts += [f"min({size}, {chance.pick(('1', '2', '3'))})"] * 2
    guard = ""
    if not where and chance.percent(20):  # so many and no fewer, where there are so many
        counts = [chance.pick(("1", "2", "3", "4"))]
        guard = f"{size} >= {counts[0]}"
    elif chance.percent(6):
        counts = [chance.pick(("1", "2", "1..3", "2..255", "0..256"))]
    elif chance.percent(10):  # what fails now and then does so everywhere
        some = wild(world, seen)
        counts = [some, f"up to {some}", f"{some}..{most}", f"{some}..5", f"{least}..{some}", f"{some}..{some}"]
    label = f" as {world.new('several')}" if chance.percent(40) else ""
    text = f"{chance.pick(counts)} {name.text if where or chance.percent(20) else ''}".rstrip()
    rest = f"from {source.text}{where} into {target.text}{label}{question(world, seen)}"
    asked = line(f"{bracketed(who)} chooses {text} {rest}")
    return Made([line(f"if {guard}", asked) if guard else asked])


# ---------------------------------------------------------------- chance


@makes_statement(6, asking=True)
def _roll(world: World, scope: Scope, depth: int) -> Made:
    chance = world.chance
    over = run(world, scope, 1)
    name = bound(world, over, "d")
    inner = scope.with_names(name)
    where = f" where {truth(world, inner, 1)}" if chance.percent(20) else ""
    odds = f" odds {_odds(world, inner)}" if chance.percent(30) else ""
    text = f"roll {name.text} from {over.text}{where}{odds}{_for(world, scope)}"
    if (over.kind in FULL and not where) or chance.percent(8):
        return Made([line(text)], (name,))
    other = bound(world, over, "d")
    text = f"roll {name.text} from {over.text}{odds}{_for(world, scope)}"
    return Made([line(f"if some {other.text} in {over.text} has yes", line(text), use(world, scope, name, over))])


def _odds(world: World, scope: Scope, depth: int = 1) -> str:
    """Now and then all of them may be nothing."""
    low = 0 if world.chance.percent(12) else 1
    high = world.chance.pick((3, 9, 300))
    return bracketed(within(world, number(world, scope, depth), numbers(low, high), sure=100))


def _for(world: World, scope: Scope) -> str:
    return f" for {bracketed(somebody(world, scope))}" if world.chance.percent(35) else ""


@makes_statement(3, asking=True)
def _roll_field(world: World, scope: Scope, depth: int) -> Made | None:
    fields = [f for f in changeable(world, scope) if isinstance(f.type, Type)]
    field = world.chance.pick(fields)
    found = place(world, scope, field)
    assert isinstance(field.type, Type)
    over = _filling(world, scope, field.type)
    if over is None:
        return None
    # In the odds the field is what is rolled, and no field.
    names = scope.with_names(*([Name(field.name, field.type)] if field.owner is None and not field.indices else []))
    odds = f" odds {_odds(world, names, -1)}" if world.chance.percent(25) else ""
    return Made([line(f"roll {found.text} from {over}{odds}{_for(world, scope)}")])


@makes_statement(4, asking=True, needs="dice")
def _roll_several(world: World, scope: Scope, depth: int) -> Made | None:
    """So many dice: a local set, or a field that holds just these."""
    chance = world.chance
    count = chance.pick(("1", "2", "3", "5", bracketed(amount(world, scope, 0, 4))))
    if chance.percent(10):
        count = wild(world, scope)

    def fits(field: Field) -> bool:
        return isinstance(field.type, Set) and field.type.most is None and field.name.startswith("dice")

    into = zone(world, scope, fits, own=True, unread=True)
    if into is not None and chance.percent(60):
        element = into.held.element
        odds = f" odds {chance.between(1, 9)}" if chance.percent(20) else ""
        return Made([line(f"roll {count} {into.text} from {element.written}{odds}{_for(world, scope)}")])
    name = world.new("rolled")
    element = into.held.element if into is not None else numbers(1, 6)
    text = f"roll {count} {name} from {element.written}{_for(world, scope)}"
    shown = [line(text)]
    if element.family == NUMBER:
        die = world.new("d")
        total = Formula(f"(sum of {die} for {die} in {name})", 255 * min(element.low, 0), 255 * max(element.high, 0))
        count_type = next(field.type for field in world.fields if field.name == "count")
        assert isinstance(count_type, Type)
        shown.append(line(f"count becomes {within(world, total, count_type)}"))
    return Made(shown, sets=((name, Set(element)),))


@makes_statement(5, asking=True)
def _draw(world: World, scope: Scope, depth: int) -> Made | None:
    found = exchange(world, scope)
    if found is None:
        return None
    source, target, field, other = found
    assert isinstance(field.type, Set)
    known = OPEN if other.sight == "open" else HIDDEN
    name = Name(world.new("c"), field.type.element, known)
    drawn = line(f"draw {name.text} from {source} into {target}{_for(world, scope)}")
    if world.chance.percent(8):
        return Made([drawn], (name,))
    kept = [f for f in changeable(world, scope) if isinstance(f.type, Type) and f.type.there == name.type]
    inner = [drawn]
    if kept and world.chance.percent(40):
        into = place(world, scope, world.chance.pick(kept))
        inner.append(line(f"{into.text} becomes {name.text}"))
    return Made([line(f"if size of {source} > 0", inner)])
