"""Shapes that rules of real games have and that random statements hardly ever hit.

Cards that all lay at once, orders of bidders, turns in which most pass, the lowest card of a pile: native code has ways
of its own for each of them.
"""

from __future__ import annotations

from tests.fuzzing.programs.blocks import Made, makes_statement
from tests.fuzzing.programs.formulas import Number, makes_number, makes_truth, number
from tests.fuzzing.programs.scope import (
    COMPONENT,
    NUMBER,
    OWNER,
    PLAYER,
    Field,
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


def has_deal(world: World) -> bool:
    return any(field.name == "palm" for field in world.fields)


def rankings(world: World) -> list[Line]:
    found = []
    chance = world.chance
    if has_deal(world):
        found += _bidders(world)
    if world.has("idle"):
        keys = ["p.seat", "p.seat * 2 - 1", "p.budget * 6 + p.seat", "max(p.seat, 0)"]
        key = chance.pick([*keys, "p.seat * 2 + (1 if p.budget > 1 else 0)"])
        rows = [
            line(f"{chance.pick(('lowest', 'highest'))} p.budget"),
            line(f"then {chance.pick(('lowest', 'highest'))} {key}"),
        ]
        found.append(
            line("ranking turns_of_all of p in player, strict", rows if chance.percent(60) else [line(f"lowest {key}")])
        )
        world.rankings.append(Ranking("turns_of_all", (), Type(PLAYER), world.players, True))
    for field in world.fields:
        if isinstance(field.type, Set) and field.owner is None and not field.indices and chance.percent(25):
            found += _pile(world, field, field.type)
    return found


def _bidders(world: World) -> list[Line]:
    """Who has laid most at a place: sums over what everybody has laid, and who sits first."""
    chance, here = world.chance, world.domains["suit1"].type
    total = chance.pick(("c.value", "c.value", "1", "c.value * 2"))
    keys = [line(f"highest (sum of {total} for c in p.shown[here])")]
    keys += [line("then lowest p.score")] if chance.percent(40) else []
    strict = chance.percent(50)
    keys += [line("then lowest p.seat")] if strict else []
    where = " where size of p.shown[here] > 0" if chance.percent(40) else ""
    world.rankings.append(Ranking("bidders", (here,), Type(PLAYER), world.players, strict and not where))
    return [line(f"ranking bidders(here : suit1) of p in player{where}{', strict' if strict else ''}", keys)]


def _pile(world: World, field: Field, held: Set) -> list[Line]:
    """What lies in a set of the table, by nothing but what it is."""
    domain = world.domains.get(held.element.family)
    if held.most is not None or held.element.family not in (NUMBER, "card") or (domain and domain.kind != COMPONENT):
        return []
    name, key = f"by_kind_of_{field.name}", "e.value" if domain else "e"
    how = world.chance.pick(("highest", "lowest"))
    secret = field.sight != "open"
    world.rankings.append(Ranking(name, (), held.element, world.capacity(held), False, secret))
    return [line(f"ranking {name} of e in {field.name}, strict", line(f"{how} {key}"))]


def values(world: World) -> list[Line]:
    """What everybody has together, asked for even while all of them change it in secret."""
    if not world.has("secret"):
        return []
    world.values.append(Named("everybodys", (), numbers(0, 3 * world.players)))
    return [line("value everybodys = sum of p.budget for p in player")]


def procedures(world: World) -> list[Line]:
    """What everybody does in the same way."""
    if not has_deal(world):
        return []
    count = world.chance.pick((1, 1, 2))
    body = [line(f"p chooses {count} from p.palm into p.laid[here]")]
    if world.chance.percent(40):
        body.append(line("move all p.shown[here] to p.palm"))
    return [line("procedure lay_there(p : player, here : suit1)", body)]


# ---------------------------------------------------------------- all at once


@makes_statement(14, asking=True, needs="deal")
def _lay(world: World, scope: Scope, depth: int) -> Made | None:
    """Everybody lays cards at every place, secretly or openly, and then they are shown."""
    if not has_deal(world) or scope.own or not scope.announces:
        return None
    chance, suit, card = world.chance, world.domains["suit1"], world.domains["card"]
    p, here, count = world.new("p"), world.new("here"), min(chance.pick((1, 1, 2, 3)), max(card.copies // suit.size, 1))
    member, palm = chance.pick(suit.members), next(f for f in world.fields if f.name == "palm")
    at = here if chance.percent(70) else member
    choose = line(f"{p} chooses {count} from {p}.palm into {p}.laid[{at}]")
    body = [choose]
    called = chance.percent(20)
    if called:
        count, body = 2, [line(f"do lay_there({p}, {at})")]
    elif chance.percent(30):
        body.append(line(f"{p}.budget becomes {chance.below(3)}"))
    if at == here:
        body = [line(f"for each {here} in suit1", body)]
    if chance.percent(20):
        body.insert(0, line(f"move all {p}.laid[{member}] to {p}.palm"))
    secretly = chance.percent(65) or palm.sight != "open"
    if not secretly and chance.percent(60):
        body = [line(f"if size of {p}.palm >= {count}", choose)] if at != here else body
    first = line(f"every player {p} secretly" if secretly else f"for each {p} in player", body)
    return Made([_enough(world, first, count * (suit.size if at == here else 1)), *_shown(world)])


def _enough(world: World, asked: Line, count: int) -> Line:
    """Mostly it is asked before whether everybody has so many."""
    if world.chance.percent(15):
        return asked
    q = world.new("p")
    return line(f"if every {q} in player has size of {q}.palm >= {count}", asked)


def _shown(world: World) -> list[Line]:
    chance, p, here = world.chance, world.new("p"), world.new("here")
    laid = next(f for f in world.fields if f.name == "laid")
    verb = "reveal" if laid.sight != "open" else "move all"
    to = "into" if verb == "reveal" else "to"
    moves = [line(f"{verb} {p}.laid[{here}] {to} {p}.shown[{here}]")]
    if chance.percent(40):
        moves.append(line(f"move all {p}.shown[{here}] to {p}.palm"))
    return [line(f"for each {p} in player", line(f"for each {here} in suit1", moves))] if chance.percent(80) else []


@makes_statement(8, asking=True, needs="idle")
def _pass(world: World, scope: Scope, depth: int) -> Made | None:
    """By rank, whoever has something to do is asked; the others pass."""
    if scope.own:
        return None
    chance, p, plays, passed = world.chance, world.new("p"), world.new("plays"), world.new("passed")
    guard = chance.pick((f"{p}.budget > 0", f"{p}.budget > 1 and {p}.seat < 3", f"{p}.score > 0"))
    turn = [
        line(f"let {plays} : yes/no = no"),
        line(f"if {guard}", line(f"{p} chooses {plays} from yes/no")),
        line(f"if {plays}", line(f"{p} loses 1 budget, at least 0")),
        line("else", line(f"{passed} becomes min({passed} + 1, 9)")),
    ]
    if chance.percent(20):
        turn.append(line(f"stop when {passed} > 2"))
    loop = line(f"for each {p} in turns_of_all{' backwards' * chance.percent(20)}", turn)
    return Made([line(f"let {passed} : 0..9 = 0"), loop])


@makes_statement(4, asking=True, needs="secret")
def _aside(world: World, scope: Scope, depth: int) -> Made | None:
    """In a secret block everybody asks for what all have, as it was before, or counts for themselves alone."""
    if scope.own:
        return None
    p, count = world.new("p"), world.new("n")
    ask = line(f"{p} chooses {count} from 0..{world.chance.pick(('2', 'everybodys'))}")
    keep = line(f"{p}.budget becomes min({count}, 3)")
    if world.chance.percent(60):
        return Made([line(f"every player {p} secretly", ask, keep)])
    own = line(f"{count} becomes min({count} + 1 + everybodys, 9)")
    return Made([line(f"let {count} : 0..9 = 0"), line(f"every player {p} secretly", own, keep)])


# ---------------------------------------------------------------- single things


@makes_number(2)
def _furthest(world: World, scope: Scope, depth: int) -> Number:
    """The highest or lowest of a few numbers that meets a condition."""
    chance, name = world.chance, Name(world.new("k"), numbers(0, 4))
    how, low = chance.pick(("highest", "lowest")), chance.below(3)
    where = f" where {name.text} <= {number(world, scope, depth).bracketed}" if low == 0 and chance.percent(50) else ""
    if where:
        where = f" where {name.text} is {low} or {where.removeprefix(' where ')}"
    return Number(f"({how} {name.text} for {name.text} in {low}..4{where})", 0, 4)


@makes_statement(5)
def _lowest(world: World, scope: Scope, depth: int) -> Made | None:
    """The first or last of a pile goes elsewhere."""
    usable = [r for r in world.rankings if r.name.startswith("by_kind_of_")]
    if not usable or scope.own:
        return None
    chance, ranking = world.chance, world.chance.pick(usable)
    source = ranking.name.removeprefix("by_kind_of_")
    targets = [f for f in world.fields if f.owner is None and not f.indices and f.type == Set(ranking.element)]
    word, least = chance.pick((("first", 0), ("last", 0), ("second", 1), ("third", 2)))
    moved = line(f"move {word} of {ranking.name} from {source} to {chance.pick(targets).name}")
    return Made([line(f"if size of {source} > {least}", moved)])


@makes_statement(12, needs="owner")
def _paid(world: World, scope: Scope, depth: int) -> Made | None:
    """An owner who is a player gets something; now and then nobody asks whether it is one."""
    fields = [f for f in world.fields if f.owner is None and not f.indices and f.type in OWNERS]
    if not fields:
        return None
    chance, whose = world.chance, world.chance.pick(fields).name
    change = chance.pick((f"{whose}.budget becomes 1", f"{whose} gains 1 score for item1, at most 9"))
    if chance.percent(8):
        return Made([line(change)])
    return Made([line(f"if {whose} is player", line(change))])


OWNERS = (Type(OWNER), Type(OWNER, optional=True))


@makes_truth(4)
def _anybody(world: World, scope: Scope, depth: int) -> str | None:
    """Whether there is somebody with so much of what everybody has."""
    if scope.own:
        return None
    chance, p = world.chance, world.new("p")
    usable = [f for f in world.fields if f.owner == PLAYER and not f.indices and isinstance(f.type, Type)]
    usable = [f for f in usable if f.type.family == NUMBER and not f.type.optional]  # type: ignore[union-attr]
    parts = []
    for _ in range(chance.pick((1, 1, 2, 3))):
        one, other = chance.pick(usable).name, chance.pick(usable).name
        left = chance.pick((f"{p}.{one}", f"{p}.{one}", f"min({p}.{one}, 9)", f"(1 if {p}.{one} > 2 else {p}.{other})"))
        if has_deal(world) and chance.percent(30):
            left = f"(sum of c.value for c in {p}.shown[{chance.pick(world.domains['suit1'].members)}])"
        right = chance.pick((str(chance.between(0, 9)), str(chance.between(0, 9)), f"{p}.{other}", "count"))
        parts.append(f"{left} {chance.pick(('>', '>=', '<', 'is', 'is not'))} {right}")
    joined = chance.pick((" and ", " or ")).join(parts)
    how = chance.pick(("some", "some", "some", "every"))
    return f"{how} {p} in player has {f'not ({joined})' if chance.percent(15) else f'({joined})'}"
