"""No game in Python: with a random word for every declared name, a game has the same transcripts in these words.

The rules are renamed in their tree and printed; game.yaml and the variants are renamed wherever they name something.
Only the words of the language itself stay. A mention of a game, a card or a field anywhere in the interpreter would
make the renamed game play differently.
"""

from __future__ import annotations

import dataclasses
import random
import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import astuple, replace

from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import ChanceEvent, PlayedEvent, play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.program.fields import PREDEFINED
from chocolatl.interpreter.source import make_source
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.syntax.parser import parse_declaration, parse_expression, parse_rules
from chocolatl.interpreter.syntax.printer import print_declaration, print_expression, print_rules
from tests.conftest import ROOT, Evidence
from tests.games import tables

WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
GRAMMAR = set(WORD.findall((ROOT / "interpreter/syntax/grammar.lark").read_text(encoding="utf-8")))
FIXED = {*PREDEFINED, "yes", "no", "none", "nobody", "or", "set", "of", "owner"}
"""Words of the language that can stand where a name can."""
DECLARATIONS = ("play", "winner", "final scoring")
"""Keys of `replace` that are no names."""


class Renaming:
    """A random word for each name, the same one wherever the name stands."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words: dict[str, str] = {}

    def word(self, name: str) -> str:
        if name in FIXED:
            return name
        while name not in self.words:
            letters = self.random.choices(string.ascii_letters + string.digits + "_", k=self.random.randint(3, 9))
            new = self.random.choice(string.ascii_letters) + "".join(letters)
            if new not in GRAMMAR and new not in self.words.values():
                self.words[name] = new
        return self.words[name]

    def text(self, text: str) -> str:
        """All names in a short text: a dotted name, a type, a value, a range."""
        return WORD.sub(lambda found: self.word(found[0]), text)

    def known(self, text: str) -> str:
        """A text of a transcript: it can hold nothing but names that are known by then."""
        return WORD.sub(lambda found: self.words.get(found[0], found[0]), text)

    # ------------------------------------------------------------ rules

    def node(self, part: Any) -> Any:
        """A tree with all its names replaced."""
        if isinstance(part, tree.Name):
            return replace(part, text=self.word(part.text))
        if isinstance(part, tree.Reference):
            return replace(part, name=self.word(part.name))
        if isinstance(part, tree.Text):
            return replace(part, text=re.sub(r"\{([^{}]*)\}", lambda found: self.gap(found[1], part), part.text))
        if isinstance(part, tuple):
            return tuple(self.node(inner) for inner in part)
        if isinstance(part, tree.Node):
            return type(part)(*map(self.node, astuple(part)))
        return part

    def gap(self, text: str, around: tree.Text) -> str:
        """What stands between braces in a text for people."""
        expression = parse_expression(text, around.span, Findings())
        assert expression is not None
        return "{" + print_expression(self.node(expression)) + "}"

    def rules(self, text: str) -> str:
        parsed = parse_rules(make_source("rules", text), Findings())
        assert parsed is not None
        return print_rules(self.node(parsed))

    def declaration(self, text: str) -> str:
        parsed = parse_declaration(make_source("declaration", text), Findings())
        assert parsed is not None
        return print_declaration(self.node(parsed))

    # ------------------------------------------------------------ data

    def data(self, value: Any, rename: Callable[[str], str] | None = None) -> Any:
        """Plain data with all names in keys and texts replaced."""
        rename = rename or self.text
        if isinstance(value, str):
            return rename(value)
        if isinstance(value, list):
            return [self.data(entry, rename) for entry in value]
        if isinstance(value, dict):
            return {self.data(key, rename): self.data(entry, rename) for key, entry in value.items()}
        return value

    def kinds(self, value: Any) -> Any:
        """The kinds of a component: `name` and `copies` of an entry are words of the format."""
        if isinstance(value, dict):
            return self.data(value)
        reserved = ("name", "copies")
        return [
            {key if key in reserved else self.text(key): self.data(entry) for key, entry in kind.items()}
            for kind in value
        ]

    def game(self, content: dict[str, Any]) -> dict[str, Any]:
        result = {**content, "name": self.word(content["name"])}
        for section, named in (("parameters", {"value", "options"}), ("tables", {"value", "index", "type"})):
            if section in content:
                result[section] = {
                    self.text(name): {k: self.data(v) if k in named else v for k, v in entry.items()}
                    for name, entry in content[section].items()
                }
        if "components" in content:
            result["components"] = {
                self.text(name): {k: self.kinds(v) if k == "kinds" else v for k, v in entry.items()}
                for name, entry in content["components"].items()
            }
        return result

    def variant(self, content: dict[str, Any], components: set[str]) -> dict[str, Any]:
        result = {**content, "extends": self.text(content["extends"])}
        if "set" in content:
            result["set"] = {
                self.text(key): self.kinds(value) if key in components else self.data(value)
                for key, value in content["set"].items()
            }
        if "drop" in content:
            result["drop"] = self.data(content["drop"])
        if "replace" in content:
            result["replace"] = {
                key if key in DECLARATIONS else self.text(key): self.declaration(text)
                for key, text in content["replace"].items()
            }
        return result


def write_renamed(name: str, renaming: Renaming, root: Path) -> Path:
    """A shipped game with its variants in other words; the folder of the result."""
    source, folder = rules_folder() / name, root / renaming.word(name)
    (folder / "variants").mkdir(parents=True)
    content = yaml.safe_load((source / "game.yaml").read_text(encoding="utf-8"))
    _write(folder / "game.yaml", renaming.game(content))
    rules = renaming.rules((source / f"{name}.rules").read_text(encoding="utf-8"))
    (folder / f"{renaming.word(name)}.rules").write_text(rules, encoding="utf-8")
    for path in sorted(source.glob("variants/*.yaml")):
        variant = yaml.safe_load(path.read_text(encoding="utf-8"))
        target = folder / "variants" / f"{renaming.text(path.stem)}.yaml"
        _write(target, renaming.variant(variant, set(content.get("components", ()))))
    return folder


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")


# ---------------------------------------------------------------- transcripts


def transcript(game: Game, seed: int) -> tuple[list[PlayedEvent], Log, Any]:
    """Events, points and orders as numbers, and the result of a random game."""
    events: list[PlayedEvent] = []
    log: Log = []
    players = [RandomPlayer()] * game.player_count
    played = play_game(game, players, seed, observe=lambda event, _: events.append(event), log=log)
    return events, log, game.result(played.position)


def in_other_words(event: PlayedEvent, renaming: Renaming, seats: tuple[str, ...]) -> PlayedEvent:
    value = renaming.data(event.value, lambda text: text if text in seats else renaming.known(text))
    if isinstance(event, ChanceEvent):
        return dataclasses.replace(event, name=renaming.known(event.name), value=value)
    return dataclasses.replace(event, name=renaming.known(event.name), value=value)


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_a_game_in_other_words_is_the_same_game(name: str, tmp_path: Path, evidence: Evidence) -> None:
    for seed in evidence.cases("a renamed game has the same transcripts", full=20, slice=1):
        renaming = Renaming(seed)
        folder = write_renamed(name, renaming, tmp_path / str(seed))
        for table in tables():
            if table.game != name or (table.players + seed) % 3:
                continue
            other = folder / "variants" / f"{renaming.text(table.variant)}.yaml" if table.variant else folder
            # Names of players that no rule can contain.
            seats = tuple(f"seat-{number}" for number in range(table.players))
            one, two = table.load().with_players(seats), load(other, seats)
            (events, log, result), renamed = transcript(one, seed), transcript(two, seed)
            assert [in_other_words(event, renaming, seats) for event in events] == renamed[0]
            assert log == renamed[1]
            assert (result.scores, result.winners) == (renamed[2].scores, renamed[2].winners)
            assert [renaming.data(part, renaming.known) for part in result.breakdown] == list(renamed[2].breakdown)


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_no_name_is_left(name: str, tmp_path: Path) -> None:
    """The renamed game shares no word with the original but those of the language."""
    renaming = Renaming(1)
    folder = write_renamed(name, renaming, tmp_path)
    before = names(parse_rules(make_source("", (rules_folder() / name / f"{name}.rules").read_text()), Findings()))
    after = names(parse_rules(make_source("", (folder / f"{folder.name}.rules").read_text()), Findings()))
    assert len(before) == len(after) > 10
    assert before & after <= FIXED
    assert before - FIXED <= set(renaming.words)


def names(part: Any) -> set[str]:
    """All names in a tree."""
    if isinstance(part, tree.Name):
        return {part.text}
    if isinstance(part, tuple):
        return {name for inner in part for name in names(inner)}
    own = {part.name} if isinstance(part, tree.Reference) else set()
    if isinstance(part, tree.Node):
        own |= {name for inner in astuple(part) for name in names(inner)}
    return own
