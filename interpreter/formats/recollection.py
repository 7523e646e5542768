"""What players remember, in a position file: groups of cards that a player cannot tell apart, and where they lie.

    {cards: [1, 4], zones: {deck: 1, p2.hand: 1}}
    {rolled: [{dice: 2, faces: [1, 2, 3]}, {dice: 1, faces: [1, 2], odds: [3, 1]}], zones: {p2.cup: 3}}

Where a group has more cards and dice than lie in its zones, the others lie nowhere any more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from chocolatl.interpreter.engine.belief import MAX_TOTAL, Die, Group, die
from chocolatl.interpreter.engine.knowledge import InitialKnowledge
from chocolatl.interpreter.engine.state import cell_key
from chocolatl.interpreter.formats.program_place import WrongPlace
from chocolatl.interpreter.lowered.codec import Codec, Json, NotAValue
from chocolatl.interpreter.lowered.journal import Journal
from chocolatl.interpreter.lowered.layout import JOURNAL, FieldSlots, Slots
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.zones import GONE
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.types import Multiset, Scalar


def zone_name(codec: Codec, place: FieldSlots, cell: int) -> str:
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
def _zone_names(program: LoweredGame, codec: Codec) -> tuple[str, ...]:
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
        unsure = [group for group in belief.groups if len(group.zones) > 1 or group.dice]
        spread = {zone for group in unsure for zone in group.zones}
        for group in belief.groups:
            if not spread.isdisjoint(group.zones):
                groups.append(_written(game, group, names))
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
        start = InitialKnowledge(tuple(knowledge.ignorance(slots, player) for player in range(game.player_count)))
        slots[JOURNAL] = Journal().followed_by([start])
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
        concluded = [(group.zones.keys(), group.dice) for group in knowledge.belief(slots, player).groups]
        if any((group.zones.keys(), group.dice) not in concluded for group in groups[player]):
            raise WrongPlace(("knowledge", name), "this does not fit the state; correct it, or leave `knowledge` out")


def _written(game: Game, group: Group, names: tuple[str, ...]) -> dict[str, Json]:
    zones = sorted(zone for zone in group.zones if zone != GONE)
    element = _element(game, zones[0])

    def values(kinds: Iterable[int]) -> list[Json]:
        return [game.codec.encode(element, element.low + kind) for kind in kinds]

    entry: dict[str, Json] = {}
    if group.cards:
        entry["cards"] = values(sorted(group.cards.elements()))
    dice: list[Json] = []
    for faces, number in sorted(group.dice.items()):
        each: dict[str, Json] = {"dice": number, "faces": values(kind for kind, _ in faces)}
        if any(odds != 1 for _, odds in faces):
            each["odds"] = [odds for _, odds in faces]
        dice.append(each)
    if dice:
        entry["rolled"] = dice
    entry["zones"] = {names[z]: group.zones[z] for z in zones}
    return entry


def _group(game: Game, names: dict[str, int], group: dict[str, Any], path: tuple[str | int, ...]) -> Group:
    if "zones" not in group or ("cards" not in group and "rolled" not in group):
        raise WrongPlace(path, "a group needs `cards` or `rolled`, and `zones`")
    for zone in group["zones"]:
        if zone not in names:
            raise WrongPlace((*path, "zones", zone), f"no hidden or secret zone is called `{zone}`")
    zones = Counter({names[zone]: count for zone, count in group["zones"].items()})
    if not zones:
        raise WrongPlace(path, "a group lies in at least one zone")
    element = _element(game, min(zones))
    found = Group(Counter(_kinds(game, element, group.get("cards", []), (*path, "cards"))), zones)
    for number, entry in enumerate(group.get("rolled", [])):
        if element.family in game.ir.totals:
            raise WrongPlace((*path, "rolled"), f"a {element} is a piece, and never rolled")
        faces = _faces(game, element, entry, (*path, "rolled", number))
        found.count(faces, entry.get("dice", 1))
    lying, there = zones.total(), found.cards.total() + found.dice.total()
    if there < lying or (there > lying and element.family in game.ir.totals):
        raise WrongPlace(path, f"the group has {there} cards, and its zones hold another number")
    if there > lying:
        zones[GONE] = there - lying
    return found


def _faces(game: Game, element: Scalar, entry: dict[str, Any], path: tuple[str | int, ...]) -> Die:
    kinds = _kinds(game, element, entry.get("faces", []), (*path, "faces"))
    odds = entry.get("odds", [1] * len(kinds))
    if not kinds or len(odds) != len(kinds) or sum(odds) > MAX_TOTAL:
        raise WrongPlace(path, f"a die has faces, and as many odds, which come to {MAX_TOTAL:,} at most")
    return die(tuple(zip(kinds, odds, strict=True)))


def _kinds(game: Game, element: Scalar, values: list[Any], path: tuple[str | int, ...]) -> list[int]:
    try:
        return [game.codec.decode(element, value) - element.low for value in values]
    except NotAValue as error:
        raise WrongPlace(path, str(error)) from None
