"""What formulas and statements name: fields with their owners and indices, sets, and domains to run through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.fuzzing.programs.formulas import argument, bracketed, called, element, number, within
from tests.fuzzing.programs.scope import (
    COMPONENT,
    HIDDEN,
    NUMBER,
    OPEN,
    PLAYER,
    TRUTH,
    TURNED,
    Field,
    Name,
    Scope,
    Set,
    Type,
    World,
    numbers,
)

MOST_RUN = 12
"""So many numbers are run through at most."""


@dataclass(frozen=True)
class Place:
    """A field as it is written at some place, and who may know what it holds."""

    text: str
    field: Field
    known: str
    whose: str = ""
    index: str = ""

    @property
    def held(self) -> Set:
        assert isinstance(self.field.type, Set)
        return self.field.type


@dataclass(frozen=True)
class Run:
    """A domain: what its elements are, how many there are at most, and who may know them."""

    text: str
    element: Type
    most: int
    known: str = OPEN
    kind: str = ""


def place(world: World, scope: Scope, field: Field, depth: int = 0, own: bool = False) -> Place:
    """A field with an owner and indices. Inside a secret block a field of a
    player is that player's own, but for what no such block changes."""
    known, text, whose, index = OPEN, field.name, "", ""
    if field.owner is not None:
        players = [name.text for name in scope.of(PLAYER)] if field.owner == PLAYER else []
        if field.owner == PLAYER and scope.own and (own or field.name != "score"):
            whose = scope.own
        elif players and world.chance.percent(90):
            whose = world.chance.pick(players)
        else:
            whose = element(world, scope, Type(field.owner), depth)
        whose = bracketed(whose)
        text = f"{whose}.{field.name}"
        if isinstance(field.type, Set) and field.sight != "open":
            known = whose if field.sight.startswith("secret") and whose in [n.text for n in scope.names] else HIDDEN
    elif field.sight != "open":
        known = HIDDEN
    if field.indices:
        index = f"[{', '.join(argument(world, scope, each, depth) for each in field.indices)}]"
    return Place(text + index, field, known, whose, index)


def zone(
    world: World,
    scope: Scope,
    fits: Callable[[Field], bool] = lambda field: True,
    depth: int = 0,
    own: bool = False,
    unread: bool = False,
) -> Place | None:
    """A set whose content may be known here, unless it is `unread`; one to be changed if it is `own`."""
    fields = [f for f in world.fields if isinstance(f.type, Set) and fits(f)]
    if own:
        fields = [f for f in fields if f.owner == PLAYER or not scope.own]
    else:
        rolled = [Field(text, None, (), held, "rolled") for text, held in scope.sets]
        fields += [field for field in rolled if fits(field)]
    for field in world.chance.shuffled(fields):
        found = Place(field.name, field, OPEN) if field.sight == "rolled" else place(world, scope, field, depth, own)
        if unread or scope.may_read(found.known):
            return found
    return None


def holds(element: Type, short: bool | None = None) -> Callable[[Field], bool]:
    """Whether a field is a set of these."""

    def fits(field: Field) -> bool:
        assert isinstance(field.type, Set)
        return field.type.element == element and (short is None or (field.type.most is not None) == short)

    return fits


def is_roomy(field: Field) -> bool:
    """Whether pieces or values move into and out of a set: it is not short."""
    return isinstance(field.type, Set) and field.type.most is None


def is_loose(field: Field) -> bool:
    """Whether values come and go in a set: plain ones, in the open."""
    return isinstance(field.type, Set) and field.sight == "open"


# ---------------------------------------------------------------- domains


def run(world: World, scope: Scope, depth: int, only: str = "") -> Run:
    """Something to run through; `only` of one family."""
    chance = world.chance
    kinds: list[tuple[int, Callable[[], Run | None]]] = []
    small = [d for d in world.domains.values() if d.size <= MOST_RUN and d.kind != TURNED and d.name[0] != "("]
    if only:
        small = [d for d in small if d.name == only]
    for domain in small:
        weight = 6 if domain.name == PLAYER else 2
        kinds.append((weight, lambda d=domain: Run(d.name, d.type, d.size, kind="whole")))  # type: ignore[misc]
    kinds += [(8, lambda: _elements(world, scope, depth, only)), (3, lambda: _order(world, scope, depth, only))]
    if only in ("", NUMBER):
        kinds += [(5, lambda: _range(world, scope, depth)), (2, lambda: _turns(world, scope, depth))]
        kinds.append((2, lambda: _list(world, scope, depth, numbers(-300, 300))))
    if only in ("", TRUTH):
        kinds.append((1, lambda: Run("yes/no", Type(TRUTH), 2, kind="whole")))
    if only not in (NUMBER, TRUTH) and (only or small):
        family = only or chance.pick(small).name
        kinds.append((1, lambda: _list(world, scope, depth, Type(family))))
    while True:
        found = chance.weighted(kinds)()
        if found is not None:
            return found


def _elements(world: World, scope: Scope, depth: int, only: str) -> Run | None:
    def fits(field: Field) -> bool:
        return isinstance(field.type, Set) and only in ("", field.type.element.family)

    found = zone(world, scope, fits, depth - 1)
    if found is None:
        return None
    return Run(found.text, found.held.element, world.capacity(found.held), found.known, "zone")


def _order(world: World, scope: Scope, depth: int, only: str) -> Run | None:
    chance = world.chance
    if scope.orders and only in ("", PLAYER) and chance.percent(50):
        return Run(chance.pick(scope.orders).text, Type(PLAYER), world.players, kind="order")
    usable = [r for r in world.rankings if only in ("", r.element.family) and (scope.sees is None or not r.secret)]
    if not usable:
        return None
    ranking = chance.pick(usable)
    known = HIDDEN if ranking.secret else OPEN
    return Run(
        called(world, scope, ranking.name, ranking.parameters, depth - 1), ranking.element, ranking.most, known, "order"
    )


def _range(world: World, scope: Scope, depth: int) -> Run:
    chance = world.chance
    low = chance.pick((0, 0, 1, 1, 1, -2, 254, 2**31 - 2, 2**62))
    high = low + chance.below(MOST_RUN if chance.percent(10) else 5)
    if low < 200 and depth > 0 and chance.percent(40):
        formula = within(world, number(world, scope, depth - 1), numbers(low - 1, high), sure=100)
        return Run(f"{low}..{formula}", numbers(low, high), high - low + 1, kind="range")
    if low == 1 and depth > 0 and chance.percent(20):
        formula = within(world, number(world, scope, depth - 1), numbers(-3, high + 1), sure=100)
        return Run(f"{formula}..{high}", numbers(-3, high), high + 4, kind="range")
    return Run(f"{low}..{high}", numbers(low, high), high - low + 1, kind="range")


def _list(world: World, scope: Scope, depth: int, type_: Type) -> Run:
    chance = world.chance
    size = chance.pick((1, 2, 3, 3, 4))
    if type_.family == NUMBER:
        entries = [chance.pick((1, 5, -2, 5, 0, 9, 255, 256)) for _ in range(size)]
        type_ = numbers(min(entries), max(entries))
        return Run(f"[{', '.join(map(str, entries))}]", type_, size, kind="list")
    entries_ = ", ".join(argument(world, scope, type_, -1) for _ in range(size))
    return Run(f"[{entries_}]", type_, size, kind="list")


def _turns(world: World, scope: Scope, depth: int) -> Run | None:
    if "tile" not in world.domains:
        return None
    tile = bracketed(element(world, scope, Type("tile"), depth - 1))
    return Run(f"turns of {tile}", numbers(0, world.domains["side"].size - 1), 6, kind="turns")


def bound(world: World, run_: Run, letter: str = "k") -> Name:
    """A new name for an element of what is run through."""
    letters = {PLAYER: "p", "cell": "here", NUMBER: letter}
    return Name(
        world.new(letters.get(run_.element.family, run_.element.family.strip("(")[0])), run_.element, run_.known
    )


def pieces(field: Field, world: World) -> bool:
    """Whether a set holds components."""
    domain = world.domains.get(field.type.element.family) if isinstance(field.type, Set) else None
    return domain is not None and domain.kind == COMPONENT
