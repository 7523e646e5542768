"""Position files (serialised states): a game at any decision as YAML that a person can read, edit and hand on.

The file holds the whole state, hidden parts included. In a secret block the state is that at its entry, and `answered`
holds what each player has chosen since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chocolatl.interpreter.data.load import load_document
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, Rejected
from chocolatl.interpreter.engine import machine
from chocolatl.interpreter.engine.state import encode_state, mistakes_in_state
from chocolatl.interpreter.formats.frame_validation import complaints
from chocolatl.interpreter.formats.position_game import games_of, path_to_game
from chocolatl.interpreter.formats.program_place import WrongPlace, find_place, read_place, write_place
from chocolatl.interpreter.formats.recollection import read_knowledge, write_knowledge, zone_name
from chocolatl.interpreter.formats.yaml_text import to_yaml
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.codec import Json, NotAValue
from chocolatl.interpreter.lowered.layout import PC, Slots
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.lowered.zones import copies
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import WrongPlayerCount, load
from chocolatl.interpreter.program.types import Multiset


@dataclass(frozen=True)
class LoadedPosition:
    """What a position file holds; `random` is the state of the generators, if it was kept."""

    game: Game
    position: Position
    random: dict[str, Any] | None


# ---------------------------------------------------------------- writing


def position_data(
    game: Game, position: Position, random: dict[str, Any] | None = None, folder: Path | None = None
) -> dict[str, Json]:
    """The content of a position file. For one in a folder it is told how the game is found from there."""
    path = path_to_game(game.files, folder) if folder is not None else None
    data: dict[str, Json] = {
        "kind": "position",
        "format": 1,
        "game": game.files.name,
        "variant": game.files.variant,
        **({"path": path} if path is not None else {}),
        "rules": game.files.rules_hash,
        "players": list(game.players),
        "state": encode_state(game.program.layout, game.codec, position.slots),
        "pending": pending_data(game, position),
        "at": write_place(game.program, game.codec, position.slots),
    }
    if position.sealed is not None:
        first = machine.enter(game.program, position.slots, _sealed_stop(game, position))
        data["answered"] = {
            name: _answers(game, position, Position(position.slots, first), player)
            for player, name in enumerate(game.players)
        }
    if game.program.layout.zones:
        data["knowledge"] = write_knowledge(game, position.slots)
    bottoms = _bottoms(game, position.slots)
    if bottoms:
        data["bottoms"] = bottoms
    if random is not None:
        data["random"] = random
    return data


def dump_position(
    game: Game, position: Position, random: dict[str, Any] | None = None, folder: Path | None = None
) -> str:
    return to_yaml(position_data(game, position, random, folder))


def pending_data(game: Game, position: Position) -> list[Json]:
    chance = game.chance(position)
    if chance is not None:
        return [{"chance": chance.name}]
    return [{"player": game.players[d.player], "choice": d.name} for d in game.pending(position)]


def _answers(game: Game, position: Position, current: Position, player: int) -> list[Json]:
    """What a player has answered in the secret block, each in words: it is run again along them from its beginning."""
    assert position.sealed is not None
    result: list[Json] = []
    for answer in position.sealed[player].answers:
        decision = game.decision(current, player)
        assert decision is not None
        result.append(decision.encode(answer))
        current = game.answer(current, player, answer)
    return result


def _sealed_stop(game: Game, position: Position) -> Any:
    return game.program.stops[position.slots[PC]]


def _bottoms(game: Game, slots: Slots) -> dict[str, Json]:
    """The cards at the bottom of decks whose order is known, the first to be drawn first."""
    layout = game.program.layout
    result: dict[str, Json] = {}
    for (owner, name), base in layout.unders.items():
        place = layout.places[owner, name]
        assert isinstance(place.field.type, Multiset)
        element = place.field.type.element
        for cell in range(place.cells):
            start = base + cell * layout.under_width(place.field)
            known = slots[start + 1 : start + 1 + slots[start]]
            if known:
                result[zone_name(game.codec, place, cell)] = [
                    game.codec.encode(element, element.low + k) for k in known
                ]
    return result


# ---------------------------------------------------------------- reading


def load_position(path: Path, findings: Findings, game_path: Path | None = None) -> LoadedPosition | None:
    """A position file with its game, or None after a finding. `game_path` overrides where the game is looked for."""
    document = load_document(path, "position", findings)
    if document is None:
        return None
    places = [game_path] if game_path is not None else games_of(path, document, findings)
    game = _game(places, document)
    return read_position(document, game, findings) if game is not None else None


def _game(places: list[Path], document: Document) -> Game | None:
    """The first game that the position was written with, or else the first; raises what `load` raises about that."""
    players, rules = tuple(document.value["players"]), document.value.get("rules")
    for place in places if len(places) > 1 else []:
        try:
            game = load(place, players)
        except (Rejected, WrongPlayerCount):
            continue
        if rules in (None, game.files.rules_hash):
            return game
    return load(places[0], players) if places else None


def read_position(document: Document, game: Game, findings: Findings) -> LoadedPosition | None:
    """The position of a game that a document holds, or None after a finding."""
    data = document.value
    if data["game"] != game.files.name:
        message = f"this is a position of `{data['game']}`, and the game is `{game.files.name}`"
        findings.error("E601", message, document.span(("game",)))
        return None
    if "rules" in data and data["rules"] != game.files.rules_hash:
        findings.error(
            "E607", f"this position was written with other rules than those in {game.files.path}",
            document.span(("rules",)), "write it anew with these rules; if it fits them all the same, delete this line",
        )  # fmt: skip
        return None
    reader = _PositionReader(game, document, findings)
    position = reader.read()
    return LoadedPosition(game, position, data.get("random")) if position is not None else None


class _PositionReader:
    def __init__(self, game: Game, document: Document, findings: Findings) -> None:
        self.game = game
        self.document = document
        self.findings = findings

    def read(self) -> Position | None:
        game, data = self.game, self.document.value
        slots = list(game.program.layout.defaults)
        before = len(self.findings.items)
        for wrong in mistakes_in_state(game.program.layout, game.codec, data["state"], slots, complete=True):
            self.error("E601", ("state", *wrong.path), str(wrong))
        lost = next(self.lost(slots), None) if len(self.findings.items) == before else None
        if lost is not None:  # one that was put elsewhere by hand is one too few and one too many
            self.error("E603", ("state",), lost)
        if len(self.findings.items) > before:
            return None
        try:
            for broken in self.broken(slots):
                self.error("E606", ("state",), broken)
            if len(self.findings.items) > before:
                return None
            self.bottoms(data.get("bottoms", {}), slots)
            read_knowledge(game, data.get("knowledge"), slots)
            if "at" in data:
                read_place(game.program, game.codec, data["at"], slots)
            else:
                find_place(game.program, game.codec, data["pending"], slots)
            missing = next(complaints(game.program, slots), None)
            if missing is not None:
                raise WrongPlace(("at",), missing)
            position = self.sealed(data.get("answered", {}), slots)
            self.pending(position)
        except WrongPlace as error:
            self.error("E602", error.path, str(error))
            return None
        except RuleError as error:
            self.error("E605", ("state",), f"the rules cannot go on from here: {error.message}")
            return None
        return position

    def error(self, code: str, path: tuple[str | int, ...], message: str) -> None:
        self.findings.error(code, message, self.document.key_span(path))

    def lost(self, slots: Slots) -> Iterator[str]:
        """What there is more or less of than at the start: components are moved, never made."""
        layout = self.game.program.layout
        for name in self.game.ir.totals:
            labels = self.game.ir.domains[name].labels
            now, first = [0] * len(labels), [0] * len(labels)
            for place in layout.places.values():
                if isinstance(place.field.type, Multiset) and place.field.type.element.family == name:
                    for slot in range(place.base, place.end):
                        for kind, count in copies(slots[slot]):
                            now[kind] += count
                        for kind, count in copies(layout.defaults[slot]):
                            first[kind] += count
            for label, count, wanted in zip(labels, now, first, strict=True):
                if count != wanted:
                    yield f"there are {count} of the {name} `{label}`, and the game has {wanted}"

    def broken(self, slots: Slots) -> Iterator[str]:
        """What the rules say always holds and does not: the game would stop at the next step that touches it."""
        names = self.game.program.broken(slots)
        for invariant in self.game.ir.invariants:
            if invariant.name in names:
                yield f"{invariant.called} does not hold here; see {invariant.place}"

    def bottoms(self, data: dict[str, Any], slots: Slots) -> None:
        layout = self.game.program.layout
        for (owner, name), base in layout.unders.items():
            place = layout.places[owner, name]
            assert isinstance(place.field.type, Multiset)
            element = place.field.type.element
            for cell in range(place.cells):
                key = zone_name(self.game.codec, place, cell)
                start = base + cell * layout.under_width(place.field)
                try:
                    kinds = [self.game.codec.decode(element, label) - element.low for label in data.get(key, [])]
                except NotAValue as error:
                    raise WrongPlace(("bottoms", key), str(error)) from None
                zone = dict(copies(slots[place.base + cell]))
                if any(kinds.count(kind) > zone.get(kind, 0) for kind in kinds):
                    raise WrongPlace(("bottoms", key), f"the bottom of `{name}` holds what does not lie in it")
                slots[start : start + 1 + len(kinds)] = [len(kinds), *kinds]

    def sealed(self, answered: dict[str, Any], slots: Slots) -> Position:
        game = self.game
        stop = game.program.stops.get(slots[PC])
        if stop is None or not isinstance(stop.node, ir.Secretly):
            if answered:
                raise WrongPlace(("answered",), "nothing is being answered secretly here")
            return Position(slots)
        position = Position(slots, machine.enter(game.program, slots, stop))
        for name, answers in ((str(name), answers) for name, answers in answered.items()):
            if name not in game.players:
                raise WrongPlace(("answered", name), f"there is no player `{name}`")
            player = game.players.index(name)
            for number, written in enumerate(answers):
                path = ("answered", name, number)
                decision = game.decision(position, player) if position.sealed is not None else None
                if decision is None:
                    raise WrongPlace(path, f"`{name}` has nothing more to answer")
                try:
                    answer = decision.decode(written)
                except NotAValue as error:
                    raise WrongPlace(path, str(error)) from None
                if not decision.answers.contains(answer):
                    raise WrongPlace(path, f"this is no legal answer for `{decision.name}`")
                position = game.answer(position, player, answer)
        if position.sealed is None:
            raise WrongPlace(("answered",), "everybody has answered, so the position is a later one")
        return position

    def pending(self, position: Position) -> None:
        written, found = self.document.value["pending"], pending_data(self.game, position)
        if written != found:
            names = [", ".join(f"{k} {v}" for k, v in p.items()) for p in found if isinstance(p, dict)]
            hint = "" if self.document.value.get("at") else "; to say otherwise, give `at`"
            raise WrongPlace(("pending",), f"what is pending here is {', '.join(names) or 'nothing'}{hint}")
