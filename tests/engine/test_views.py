"""Simultaneous means sealed: two positions that differ only in what a player may not know look the same to that player.

The second position of a pair comes from three sources: `sample_unknown`, which respects all that the player has seen;
a deal of all components among all zones that the player does not see by their declarations; and, in a secret block, the
same position before anybody else had answered. The last tests take one `secret` or `hidden` out of a rule file and show
that the property then fails.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import astuple

from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.engine import machine
from chocolatl.interpreter.lowered.layout import PC
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import bag, elements, size
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.program.constants import dotted
from chocolatl.interpreter.program.types import Multiset
from chocolatl.interpreter.syntax import tree
from tests.conftest import Evidence, scaled
from tests.games import inventory, is_seen, loaded, many, same_question, tables, walk, zones

PATHS = list(dict.fromkeys((table.game, table.variant) for table in tables()))

# ---------------------------------------------------------------- pairs of positions


def dealt_anew(game: Game, position: Position, player: int, choice: random.Random) -> Position:
    """All components that a player does not see, dealt anew among the zones that the player does not see."""
    slots = list(position.slots)
    for family in game.ir.totals:
        cells = [
            place.base + cell
            for place in zones(game)
            for cell in range(place.cells)
            if isinstance(place.field.type, Multiset)
            and place.field.type.element.family == family
            and not is_seen(place, cell, player)
        ]
        cards = [kind for cell in cells for kind in elements(slots[cell])]
        choice.shuffle(cards)
        for cell in cells:
            taken, cards = cards[: size(slots[cell])], cards[size(slots[cell]) :]
            slots[cell] = bag(taken)
    if position.sealed is None:
        return Position(slots)
    # What others have answered in the block is not seen either, so they begin again.
    privates = machine.enter(game.program, slots, game.program.stops[slots[PC]])
    current = Position(slots, privates)
    for answer in position.sealed[player].answers:
        current = game.answer(current, player, answer)
    return current


def others(game: Game, position: Position, player: int, choice: random.Random) -> Iterator[Position]:
    """Positions that a player cannot tell from this one."""
    yield game.sample_unknown(position, player, Random(choice.getrandbits(63)))
    yield dealt_anew(game, position, player, choice)
    if position.sealed is not None:
        fresh = machine.enter(game.program, position.slots, game.program.stops[position.slots[PC]])
        own = position.sealed[player]
        yield Position(position.slots, tuple(own if seat == player else each for seat, each in enumerate(fresh)))


def complaints(game: Game, position: Position, player: int, choice: random.Random) -> list[str]:
    """What tells a position apart from others that should look the same to a player."""
    found = []
    view = game.view(position, player)
    pieces, held = inventory(game, position.slots), zones(game)
    for other in others(game, position, player, choice):
        if game.view(other, player) != view:
            found.append("the view differs")
        if not same_question(game, position, other, player):
            found.append("the legal answers differ")
        if inventory(game, other.slots) != pieces:
            found.append("components came or went")
        if any(zone < 0 for place in held for zone in other.slots[place.base : place.end]):
            found.append("a zone holds less than nothing")
    return found


@pytest.mark.parametrize(("name", "variant"), PATHS, ids=lambda value: value or "base")
def test_what_a_player_may_not_know_changes_nothing_for_that_player(
    name: str, variant: str | None, evidence: Evidence
) -> None:
    counts = [table for table in tables() if (table.game, table.variant) == (name, variant)]
    for seed in evidence.cases("two positions look the same", full=many(counts[0]), slice=1):
        game = counts[seed % len(counts)].load()
        choice = random.Random(seed)
        positions = list(walk(game, seed))
        # All players at every decision in the full run; in the slice one at each of some.
        for position in choice.sample(positions, min(len(positions), scaled(full=10**6, slice=60))):
            for player in choice.sample(range(game.player_count), scaled(full=game.player_count, slice=1)):
                assert complaints(game, position, player, choice) == [], (counts[seed % len(counts)], seed, player)


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_the_unknown_is_really_another_position(name: str) -> None:
    """The pairs above would prove nothing if the second position were always the first one."""
    game = next(table for table in tables() if table.game == name).load()
    missing = {"sampled", "dealt"} if any(place.field.visibility != "open" for place in zones(game)) else set()
    missing |= {"unsealed"} if any(position.sealed is not None for position in walk(game, 0)) else set()
    for seed in range(20):
        for position in walk(game, seed):
            sampled, dealt, *unsealed = others(game, position, 0, random.Random(seed))
            missing -= {"sampled"} if sampled.slots != position.slots else set()
            missing -= {"dealt"} if dealt.slots != position.slots else set()
            missing -= {"unsealed"} if unsealed and unsealed[0].sealed != position.sealed else set()
            if not missing:
                return
    assert not missing


# ---------------------------------------------------------------- removing one word


@dataclass(frozen=True)
class Removal:
    """One `secret` or `hidden` of a shipped rule file, with the field that it belongs to."""

    game: str
    field: str
    visibility: tree.Visibility

    def __str__(self) -> str:
        return f"{self.game}-{self.visibility.word}-{self.field}"

    def settings(self) -> list[str]:
        """Parameters under which the word counts: all that its condition, if there is one, could depend on."""
        files = load_game(rules_folder() / self.game, Findings())
        assert files is not None
        found: list[dict[str, object]] = [{}]
        for name, parameter in files.parameters.items():
            if name in _names(self.visibility.condition):
                found += [{name: value} for value in parameter.options or (True, False)]
        return [json.dumps(settings) for settings in found]

    def counts(self, game: Game) -> bool:
        """Whether the word hides anything under the parameters of a game."""
        return any(p.field.name == self.field and p.field.visibility == self.visibility.word for p in zones(game))

    def write(self, root: Path) -> Path:
        """The game without the word, in a folder of its own."""
        folder = root / self.game
        shutil.copytree(rules_folder() / self.game, folder)
        path = folder / f"{self.game}.rules"
        lines = path.read_text(encoding="utf-8").split("\n")
        span = self.visibility.span
        assert span.line == span.end_line
        line = lines[span.line - 1]
        removed = line[span.column - 1 : span.end_column - 1]
        assert removed.startswith(self.visibility.word)
        lines[span.line - 1] = line[: span.column - 1] + line[span.end_column - 1 :]
        # What is seen by all cannot be revealed, so it is just moved.
        reveal = re.compile(rf"\breveal ((?:\w+\.)?{self.field}(?:\[.*?\])?) into ")
        path.write_text("\n".join(reveal.sub(r"move all \1 to ", each) for each in lines), encoding="utf-8")
        return folder


def _names(condition: tree.Expression | None) -> set[str]:
    """The parameters that a condition names."""
    if condition is None:
        return set()
    found = {dotted(condition) or ""}
    for part in astuple(condition):
        if isinstance(part, tree.Expression):
            found |= _names(part)
    return found


def removals() -> list[Removal]:
    """Every word that hides something. Fields stand in the rule file alone: no variant can replace them."""
    found = []
    for name in games_in(rules_folder()):
        files = load_game(rules_folder() / name, Findings())
        if files is None:
            continue
        for declaration in files.rules.declarations:
            if isinstance(declaration, tree.State):
                for field in declaration.fields:
                    if field.visibility is not None:
                        found.append(Removal(name, field.name.text, field.visibility))
    return found


def first_violation(game: Game, changed: Game, field: str, seed: int) -> int | None:
    """After how many decisions a pair of positions of a game looks different through the eyes of a changed one. While
    nothing lies in the field, which the change is about, there is nothing to be seen."""
    choice = random.Random(seed)
    (place,) = (place for place in zones(game) if place.field.name == field)
    for number, position in enumerate(walk(game, seed)):
        if position.sealed is None and not any(position.slots[place.base : place.end]):
            continue
        for player in range(game.player_count):
            for other in others(game, position, player, choice):
                if changed.view(position, player) != changed.view(other, player):
                    return number
    return None


@pytest.mark.parametrize("removal", removals(), ids=str)
def test_without_one_word_of_secrecy_the_property_fails(removal: Removal, tmp_path: Path, evidence: Evidence) -> None:
    folder = removal.write(tmp_path)
    players = next(table.players for table in tables() if table.game == removal.game)
    games = [(loaded(rules_folder() / removal.game, players, settings), settings) for settings in removal.settings()]
    games = [(game, settings) for game, settings in games if removal.counts(game)]
    assert games
    for seed in evidence.cases("a removed secret is noticed", full=10, slice=1):
        for game, settings in games:
            changed = load(folder, players, json.loads(settings))
            # A game may be over before there is anything to be seen, so a few are tried.
            noticed = any(
                first_violation(game, changed, removal.field, seed + number) is not None for number in range(20)
            )
            assert noticed, f"nobody sees that `{removal.field}` can be seen"


def test_there_is_something_to_remove() -> None:
    assert len(removals()) >= 2
