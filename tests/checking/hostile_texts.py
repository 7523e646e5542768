r"""A game in which every text could be hostile: the places are those of the JSON Schemas and of the syntax tree.

A `World` is a folder with the game, a variant, scenarios, a valuation, positions and transcripts. `spoilt` changes the
texts at chosen places, the names of the folders and files among them. What must not come out is in `PAYLOAD`.
"""

from __future__ import annotations

import copy
import json
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

from chocolatl.interpreter.syntax import tree
from tests.conftest import ROOT

PAYLOAD = "\x1b]52;c;QUFB\x07\x1b[38;5;201m\x9b7m\x9d0;x\x9c\x7f\b\x00\x85\u202e\u2066\u200f\u200b\u2028\rFORGED"
"""A clipboard set, a colour that no command of ours uses, the same in one byte, and what is not seen."""
TOLERATED = "\f\u202e\u2066\u200f\u200b\u2028\ufeffFORGED"
"""What a rule file may hold: the rest of the payload is refused there."""
NAME = PAYLOAD.replace("\x00", "") + "\udcff"
"""The same as the name of a file, in which any byte can stand but two."""
LINE = "\n::error::FORGED"
"""A line that a build server would take for a command."""

OWN = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[2K|\x1b\[1A|\x1b\[2J|\x1b\[H|\r")
"""What our own output says to a terminal: styles, and what the bar of `simulate` and a cleared screen need."""

INPUTS = ("game", "variant", "scenario", "position", "valuation", "policy", "transcript")
OUTPUTS = (
    "compare_results",
    "evidence",
    "findings",
    "ladder_results",
    "policy_results",
    "simulate_results",
    "solve_failures",
    "solve_results",
    "test_results",
    "train_results",
    "value_results",
)

RULES = """\
language 1
game fair

enum site = harbour "The harbour", market "The market"
component card (value)
owner bank "The bank"
item gifts "Gifts"

table has
    deck   : set of card = every card
    offer  : set of card
    sales  : 0..9 = 0
    holder : owner = bank

each player has
    score      : 0..99 = 0
    hand       : set of card secret = every card
    laid       : set of card
    bid        : 0..9 = 0
    met[site]  : 0..9 = 0
    used[card] : 0..9 = 0
    kept[card] : set of card

event sale(p : player)

reaction tax "The tax" to sale(p)
    p gains 1 score for gifts "The tax is paid"

latch last_sale "The last sale" when sales > 1

always score_is_small "Scores are small" : (number of p in player where p.score > 90) is 0

ranking bidders(here : site) of p in player
    highest p.bid
    then highest p.met[here]

play
    for each round in 1..3
        stop when last_sale
        draw prize from deck into offer
        every player p secretly
            p chooses mine from p.hand as bid "Which card for {prize}?"
            move mine from p.hand to p.laid
            p.bid becomes mine.value
            p gains 1 used[mine]
            for each c in card
                p chooses 0..1 from p.hand into p.kept[c]
        do sell(market)

procedure sell(here : site) "A sale"
    contest bidders(here)
        first p alone
            if tie is split
                holder becomes p
            p gains pay[here] score for gifts
            p gains 1 met[here], at most 9
    for each p in player
        announce sale(p)
    sales becomes sales + 1

final scoring of p
    rest "What is left" : size of p.hand

winner p
    highest p.score
"""
NOTES = {"about": "What it is", "source": "Page 1", "confidence": "high"}
HASH = "0" * 64
EVENTS: list[dict[str, Any]] = [
    {"chance": "prize", "value": "two"},
    {"player": "p1", "choice": "bid", "value": "one"},
    {"player": "p2", "choice": "bid", "value": "two"},
]
DOCUMENTS: dict[str, dict[str, Any]] = {
    "fair/game.yaml": {
        "kind": "game", "format": 1, "name": "fair", "title": "The fair", "about": "A game.",
        "players": {"min": 2, "max": 2},
        "parameters": {
            "tie": {"value": "split", "options": ["split", "none"], **NOTES},
            "price": {"value": 1, "min": 0, "max": 3},
        },
        "tables": {
            "pay": {"index": "site", "value": {"harbour": 1, "market": 2}, **NOTES},
            "roads": {"index": ["site", "site"], "type": "site", "value": {
                "harbour": ["market", "market"], "market": {"harbour": "market", "market": "market"},
            }},
            "ports": {"index": "1..2", "type": "site", "value": ["market", "market"]},
        },
        "components": {
            "card": {
                "kinds": [{"name": "one", "value": 1, "copies": "3"}, {"name": "two", "value": 2, "copies": 3},
                          {"name": "three", "value": 3, "copies": 3}],
                **NOTES,
            },
        },
    },
    "fair/variants/rich.yaml": {
        "kind": "variant", "format": 1, "extends": "fair", "title": "The rich fair", "why": "To see.",
        "set": {"price": 2}, "drop": {"site": ["harbour"]},
        "replace": {"sell": "procedure sell(here : site)\n    sales becomes sales + 1\n"},
    },
    "fair/scenarios/sale.yaml": {
        "kind": "scenario", "format": 1, "name": "A sale", "about": "What a sale does.", "game": "fair",
        "set": {"tie": "none"}, "players": ["p1", "p2"],
        "given": {"table": {"sales": 0}, "player": {"p1": {"hand": ["one"]}}},
        "when": EVENTS,
        "then": {"table": {"sales": 7}, "pending": [{"chance": "prize"}], "result": {"p1": 1},
                 "view": {"p1": {"score": 1}}, "breakdown": {"p1": {"gifts": 9}}, "winners": ["p1"]},
    },
    "fair/scenarios/start.yaml": {
        "kind": "scenario", "format": 1, "name": "It passes", "game": "fair", "players": 2,
        "when": [EVENTS[0]],
        "then": {"pending": [{"player": "p1", "choice": "bid"}, {"player": "p2", "choice": "bid"}],
                 "legal": [{"player": "p1", "choice": "bid", "value": "one"}],
                 "illegal": [{"player": "p1", "choice": "bid", "value": "four"}]},
    },
    "fair/scenarios/procedure.yaml": {
        "kind": "scenario", "format": 1, "name": "Alone", "game": "fair",
        "start": {"procedure": "sell", "with": {"here": "market"}},
        "when": [{"chance": "prize", "value": "one", "for": "p1"}], "then": {"table": {"sales": 1}},
    },
    "fair/valuation.yaml": {
        "kind": "valuation", "format": 1, "about": "What is worth something.",
        "items": {"card": {"what": "size of p.hand", "worth": [1], "source": "Estimated."}},
    },
    "fair/policy.yaml": {
        "kind": "policy", "format": 1, "game": "fair",
        "players": {
            "2": {"rules": HASH, "recipe": {"method": "regrets", "updates": 1}, "table": {
                "objective": "win", "sets": 1, "choices": {"bid": {"by": ["player"], "states": {"p1": "one 10000"}}}}},
            "3": {"rules": HASH, "recipe": {"method": "league", "note": "Slow."}, "strength": {"games": 1},
                  "features": {"player": {"context": {"round": [0, 1]}}, "bid": {"laid": {"all": [0, 1]},
                               "answer": {"it": [0, 1]}}},
                  "weights": {"bid": {"own": "1", "it": "1 2"}}},
        },
    },
    "position.yaml": {
        "kind": "position", "format": 1, "game": "fair", "variant": "rich", "path": "fair/variants/rich.yaml",
        "rules": HASH, "players": ["p1", "p2"],
        "state": {"table": {"sales": 0}, "player": {"p1": {"hand": ["one"]}}},
        "pending": [{"player": "p1", "choice": "bid"}, {"chance": "prize"}],
        "at": [{"procedure": "play"}], "answered": {"p1": ["one"]}, "random": {"seed": 1},
        "knowledge": {"p1": [{"cards": ["one"], "zones": {"deck": 1}, "bottom": "deck", "unseen": [1]}]},
        "bottoms": {"deck": ["one"]},
    },
}  # fmt: skip
"""Files with every text that a schema knows; positions and transcripts that are sound are made by the commands."""
HEADER = {"game": "fair", "variant": "rich", "players": ["p1", "p2"], "seed": 1, "rules": HASH, "format": 1}
RESULT = {"result": {"p1": 1, "p2": 2}, "winners": ["p2"], "breakdown": {"p1": {"gifts": 1}, "p2": {}}}
TRANSCRIPT: list[dict[str, Any]] = [HEADER, {**EVENTS[0], "for": "p1"}, *EVENTS[1:], RESULT]

Place = tuple[str | int, ...]


# ---------------------------------------------------------------- which texts there are


def schema(kind: str) -> Any:
    return json.loads((ROOT / "schemas" / f"{kind}.schema.json").read_text(encoding="utf-8"))


def text_types(node: Any, where: str = "") -> Iterator[str]:
    """Every part of a schema that allows a text."""
    if isinstance(node, dict):
        if node.get("type") == "string" or (isinstance(node.get("type"), list) and "string" in node["type"]):
            yield where
        for key, value in node.items():
            yield from text_types(value, f"{where}/{key}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from text_types(value, f"{where}/{number}")


def described(whole: Any, node: Any, where: str, value: Any) -> Iterator[str]:
    """The parts of a schema that speak of a text in some data."""
    if "$ref" in node:
        path = node["$ref"].removeprefix("#/")
        target = whole
        for step in path.split("/"):
            target = target[step]
        yield from described(whole, target, f"/{path}", value)
    for choice in ("anyOf", "oneOf"):
        for number, branch in enumerate(node.get(choice, [])):
            yield from described(whole, branch, f"{where}/{choice}/{number}", value)
    if isinstance(value, str):
        yield where
    if isinstance(value, dict):
        for key, inner in value.items():
            name = f"properties/{key}" if key in node.get("properties", {}) else "additionalProperties"
            part = node.get("properties", {}).get(key, node.get("additionalProperties"))
            if isinstance(part, dict):
                yield from described(whole, part, f"{where}/{name}", inner)
            if isinstance(node.get("propertyNames"), dict):
                yield from described(whole, node["propertyNames"], f"{where}/propertyNames", key)
    if isinstance(value, list) and isinstance(node.get("items"), dict):
        for inner in value:
            yield from described(whole, node["items"], f"{where}/items", inner)


def documents_of(kind: str) -> list[Any]:
    if kind == "transcript":
        return list(TRANSCRIPT)
    forms: list[Any] = [{"value": "1..3"}, [{"a": ["x"], "b": {"k": "x"}, "c": "x"}]] if kind == "game" else []
    more = [{**DOCUMENTS["fair/game.yaml"], "components": {"card": {"kinds": form}}} for form in forms]
    return [document for document in DOCUMENTS.values() if document["kind"] == kind] + more


def tree_texts() -> set[tuple[str, str]]:
    """Every class of the syntax tree that may hold a text, with the name that the text has there."""
    classes = [kind for kind in vars(tree).values() if isinstance(kind, type) and issubclass(kind, tree.Node)]
    return {
        (kind.__name__, name)
        for kind in classes
        for name, type_ in get_type_hints(kind).items()
        if "Text" in re.findall(r"\w+", str(type_))
    }


def places(value: Any, path: Place = ()) -> Iterator[Place]:
    """Every text and number of some data."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))
    else:
        yield path


def spoilt(data: Any, place: Place, more: str, key: bool = False) -> Any:
    """The same data with a text made longer at one place; with `key`, the last key on the way to it."""
    data = copy.deepcopy(data)
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    if key:
        inner[f"{place[-1]}{more}"] = inner.pop(place[-1])
    else:
        inner[place[-1]] = f"{inner[place[-1]]}{more}"
    return data


def seen(text: str, terminal: bool) -> str:
    """What is wrong with an output; nothing if it shows all that it holds."""
    if "\x1b[38;5;201m" in text or "\rFORGED" in text:
        return "a sequence of the payload came through"
    rest = OWN.sub("", text) if terminal else text
    kinds = ("Cc", "Cf", "Zl", "Zp", "Cs")
    found = {f"U+{ord(c):04X}" for c in rest if c not in "\n\t" and unicodedata.category(c) in kinds}
    return f"{', '.join(sorted(found))} came through" if found else ""


# ---------------------------------------------------------------- a folder with all of it


class World:
    """The files of the game in a folder whose name is hostile as well; the texts at some places are."""

    def __init__(self, folder: Path, name: str, more: str, in_rules: str) -> None:
        self.folder = folder / f"w{name}"
        self.game = self.folder / "fair"
        for path in (self.game / "variants", self.game / "scenarios"):
            os.makedirs(path)
        for file, document in DOCUMENTS.items():
            self.write(file, self.hostile(document, more))
        rules = re.sub(r'"([^"]+)"', lambda found: f'"{found[1]}{in_rules}"', RULES)
        self.rules = self.game / "fair.rules"
        self.rules.write_text(rules.replace("play\n", f"play  # {in_rules}\n", 1), encoding="utf-8")
        self.more = more

    def hostile(self, document: dict[str, Any], more: str) -> dict[str, Any]:
        """A document with all its free texts and all names of kinds made longer."""
        free = {"title", "about", "source", "confidence", "why"}
        cards = {"one", "two", "three"}
        for place in list(places(document)):
            value: Any = document
            for step in place:
                value = value[step]
            named = place[-1] == "name" and document["kind"] == "scenario"
            if place[-1] in free or value in cards or named:
                document = spoilt(document, place, more)
        return document

    def write(self, file: str, document: Any) -> Path:
        path = self.folder / file
        path.write_text(json.dumps(document), encoding="utf-8")  # JSON is YAML
        return path
