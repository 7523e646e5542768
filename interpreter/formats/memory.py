"""What players remember, in a position file: groups of cards that a player cannot tell apart, and where they lie."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from interpreter.engine.codec import Codec, Json, NotAValue
from interpreter.engine.compile import Program
from interpreter.engine.knowledge import Start
from interpreter.engine.layout import JOURNAL, Place
from interpreter.engine.runtime import Slots
from interpreter.engine.state import cell_key
from interpreter.formats.place import WrongPlace
from interpreter.game import Game
from interpreter.program.types import Multiset, Scalar


def zone_name(codec: Codec, place: Place, cell: int) -> str:
    """A zone as people write it: `deck`, `p2.hand`, `p2.sealed[quay]`."""
    per_owner = place.cells // place.field.owners
    owner, index = divmod(cell, per_owner)
    front = f"{codec.labels[place.field.owner][owner]}." if place.field.owner is not None else ""
    back = f"[{cell_key(codec, place.field, index)}]" if place.field.indices else ""
    return f"{front}{place.field.name}{back}"


def _names(game: Game) -> tuple[str, ...]:
    """Zones by number; then the known bottoms of decks."""
    return _zone_names(game.program, game.codec)


@lru_cache(maxsize=64)
def _zone_names(program: Program, codec: Codec) -> tuple[str, ...]:
    names = [zone_name(codec, place, cell) for place, cell in program.layout.zones]
    return (*names, *(f"{name} bottom" for name in names))


def _element(game: Game, zone: int) -> Scalar:
    zones = game.program.layout.zones
    type_ = zones[zone % len(zones)][0].field.type
    assert isinstance(type_, Multiset)
    return type_.element


def write_knowledge(game: Game, slots: Slots) -> dict[str, Json]:
    """The groups that lie in several zones, and what lies with them; all else is known as it lies."""
    names = _names(game)
    result: dict[str, Json] = {}
    for player, name in enumerate(game.players):
        groups: list[Json] = []
        belief = game.program.knowledge.belief(slots, player)
        spread = {zone for group in belief.groups if len(group.zones) > 1 for zone in group.zones}
        for group in belief.groups:
            zones = sorted(group.zones)
            if spread & set(zones):
                element = _element(game, zones[0])
                cards = [game.codec.encode(element, element.low + kind) for kind in sorted(group.cards.elements())]
                groups.append({"cards": list(cards), "zones": {names[z]: group.zones[z] for z in zones}})
        for zone, order in belief.bottoms.items():
            unseen: list[Json] = [place for place, card in enumerate(order, start=1) if card is None]
            if unseen:
                groups.append({"bottom": names[zone % len(game.program.layout.zones)], "unseen": unseen})
        if groups:
            result[name] = groups
    return result


def read_knowledge(game: Game, data: dict[str, Any] | None, slots: list[Any]) -> None:
    """Put what players remember into the journal, as the first thing it says."""
    if not game.program.layout.zones:
        return
    knowledge = game.program.knowledge
    if data is None:
        slots[JOURNAL] = (Start(tuple(knowledge.ignorance(slots, player) for player in range(game.player_count))),)
        return
    data = {str(name): groups for name, groups in data.items()}
    for name in data:
        if name not in game.players:
            raise WrongPlace(("knowledge", name), f"there is no player `{name}`")
    names = {name: zone for zone, name in enumerate(_names(game))}
    groups = tuple(
        tuple(
            _group(game, names, group, ("knowledge", player, number))
            for number, group in enumerate(data.get(player, []))
            if "bottom" not in group
        )
        for player in game.players
    )
    unseen = tuple(
        frozenset(
            (names[group["bottom"]] + len(game.program.layout.zones), place - 1)
            for group in data.get(player, [])
            if group.get("bottom") in names
            for place in group.get("unseen", [])
        )
        for player in game.players
    )
    knowledge.remember(slots, groups, unseen)
    for player, name in enumerate(game.players):
        belief = knowledge.belief(slots, player)
        written = {tuple(sorted(z for z, _ in zones)) for _, zones in groups[player]}
        if written - {tuple(sorted(g.zones)) for g in belief.groups}:
            raise WrongPlace(("knowledge", name), "this does not fit the state; correct it, or leave `knowledge` out")


def _group(
    game: Game, names: dict[str, int], group: dict[str, Any], path: tuple[str | int, ...]
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    if "zones" not in group or "cards" not in group:
        raise WrongPlace(path, "a group needs `cards` and `zones`")
    for zone in group["zones"]:
        if zone not in names:
            raise WrongPlace((*path, "zones", zone), f"no hidden or secret zone is called `{zone}`")
    zones = tuple(sorted((names[zone], count) for zone, count in group["zones"].items()))
    if not zones:
        raise WrongPlace(path, "a group lies in at least one zone")
    element = _element(game, zones[0][0])
    try:
        cards = tuple(sorted(game.codec.decode(element, card) - element.low for card in group["cards"]))
    except NotAValue as error:
        raise WrongPlace((*path, "cards"), str(error)) from None
    if len(cards) != Counter(dict(zones)).total():
        raise WrongPlace(path, f"the group has {len(cards)} cards, and its zones hold another number")
    return cards, zones
