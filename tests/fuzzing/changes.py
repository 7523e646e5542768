"""Changes of a whole game that nearly leave it as it is: other texts, another order, values that look alike, a variant
written out by hand (metamorphic testing).

They say nothing about any game. What they are for is that the hash of the rules must see each change that matters.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.data.load import load_document, load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import read_source
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.printer import print_rules
from chocolatl.interpreter.testing.mutants import data_mutants, rule_mutants
from tests.fuzzing.programs import generate
from tests.games import paths


def files_of(path: Path) -> GameFiles | None:
    """A game or variant, or None if anything is wrong with it."""
    findings = Findings()
    files = load_game(path, findings)
    return None if findings.has_errors else files


@dataclass
class Candidate:
    """The texts of a game that may be changed: rules, plain data, and of a variant its own data."""

    folder: Path
    variant: str | None
    rules: str
    data: Any
    own: Any

    @property
    def path(self) -> Path:
        return self.folder / "variants" / f"{self.variant}.yaml" if self.variant else self.folder

    def files(self) -> GameFiles | None:
        """What it comes to when it is written."""
        self.write()
        return files_of(self.path)

    def write(self) -> None:
        (self.folder / f"{self.folder.name}.rules").write_text(self.rules, encoding="utf-8")
        (self.folder / "game.yaml").write_text(written(self.data), encoding="utf-8")
        if self.variant:
            self.path.write_text(written(self.own), encoding="utf-8")


def written(value: Any) -> str:
    """Plain data as YAML, each key as it is."""
    if isinstance(value, dict):
        keys = (str(key) if isinstance(key, int) else json.dumps(key) for key in value)
        return (
            "{" + ", ".join(f"{key}: {written(entry)}" for key, entry in zip(keys, value.values(), strict=True)) + "}"
        )
    return f"[{', '.join(map(written, value))}]" if isinstance(value, list) else json.dumps(value)


def candidate(root: Path, choice: random.Random) -> Candidate:
    """A game or variant, shipped or made at random, in a folder of its own."""
    if choice.random() < 0.2:
        folder = generate(choice.getrandbits(40)).write(root)
        variant = None
    else:
        game, variant = choice.choice(paths())
        folder = root / game
        shutil.copytree(rules_folder() / game, folder, ignore=shutil.ignore_patterns("scenarios"), dirs_exist_ok=True)
    data = load_document(folder / "game.yaml", "game", Findings())
    own = load_document(folder / "variants" / f"{variant}.yaml", "variant", Findings()) if variant else None
    assert data is not None
    rules = (folder / f"{folder.name}.rules").read_text(encoding="utf-8")
    return Candidate(folder, variant, rules, deepcopy(data.value), deepcopy(own.value) if own else None)


def mutate(game: Candidate, choice: random.Random) -> None:
    """A slip of the pen, in rules or data."""
    game.write()
    if choice.random() < 0.5:
        rule = choice.choice(list(rule_mutants(read_source(game.folder / f"{game.folder.name}.rules"))))
        game.rules = rule.text()
    else:
        document = load_document(game.folder / "game.yaml", "game", Findings())
        assert document is not None
        mutants = list(data_mutants(document))
        if mutants:
            changed = choice.choice(mutants)
            (game.folder / "game.yaml").write_text(changed.text(), encoding="utf-8")
            document = load_document(game.folder / "game.yaml", "game", Findings())
            game.data = deepcopy(document.value) if document is not None else game.data


def retell(game: Candidate, choice: random.Random) -> None:
    """Other texts and another layout."""
    lines = []
    for line in game.rules.split("\n"):
        if choice.random() < 0.3 and line.count('"') == 2:
            line = re.sub(
                r'"[^"]*"', choice.choice(['"another"', '"{2 + 3} of {4}"', '"{sum of k for k in 1..3}"']), line
            )
        lines.append(line + choice.choice(["", "", "  ", "  # remark" if line.strip() else ""]))
    game.rules = "\n".join(lines)
    game.data["title"] = "Another"
    shuffle(game, choice)


def shuffle(game: Candidate, choice: random.Random) -> None:
    """The maps of the data in another order."""
    for part in ("parameters", "tables", "components"):
        entries = list(game.data.get(part, {}).items())
        choice.shuffle(entries)
        if part in game.data:
            game.data[part] = dict(entries)
    for inner in inner_parts(game.data):
        if isinstance(inner, dict):
            entries = list(inner.items())
            choice.shuffle(entries)
            inner.clear()
            inner.update(entries)


def inner_parts(data: Any) -> list[Any]:
    """All lists and maps inside parameters, tables and components."""
    waiting = [part for name in ("parameters", "tables", "components") for part in data.get(name, {}).values()]
    found: list[Any] = []
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict | list):
            found.append(part)
            waiting += part.values() if isinstance(part, dict) else part
    return found


def confuse(game: Candidate, choice: random.Random) -> None:
    """Something of the data becomes something that looks much the same."""
    parts = [part for part in inner_parts(game.data) if part]
    if not parts:
        return
    part = choice.choice(parts)
    if isinstance(part, dict) and choice.random() < 0.3:
        key = choice.choice(list(part))
        part[str(key) if isinstance(key, int) else key.upper()] = part.pop(key)
        return
    if isinstance(part, list) and choice.random() < 0.3:
        choice.shuffle(part)
        return
    key = choice.choice(list(part) if isinstance(part, dict) else range(len(part)))
    value = part[key]
    if isinstance(value, int):
        part[key] = choice.choice([str(value), [value], None, int(value), bool(value), str(bool(value)).lower()])
    elif value is None or isinstance(value, str):
        part[key] = choice.choice([0, "null", None, "", "0", f" {value}"])


def drop(game: Candidate, choice: random.Random) -> None:
    """A field is called like a member of an enum, and a variant drops the member; see `by_hand`."""
    game.write()
    files = files_of(game.path)
    declarations = files.rules.declarations if files is not None else ()
    enums = [d for d in declarations if isinstance(d, t.Enumeration) and len(d.members) > 1]
    if not enums:
        return
    enum = choice.choice(enums)
    member = choice.choice(enum.members).name.text
    left = next(m.name.text for m in enum.members if m.name.text != member)
    game.rules += f"\ntable has\n    {member} : {enum.name.text} = {left}\n"
    game.own = game.own or {
        "kind": "variant",
        "format": 1,
        "extends": game.folder.name,
        "title": "Less",
        "why": "Less.",
    }
    game.own.setdefault("drop", {}).setdefault(enum.name.text, []).append(member)
    game.variant = game.variant or "less"
    (game.folder / "variants").mkdir(exist_ok=True)


def by_hand(game: Candidate) -> GameFiles | None:
    """The game that a variant makes, written as a game: what it drops never was there."""
    files = game.files()
    if files is None:
        return None
    game.variant = None
    game.rules = print_rules(files.rules)
    game.data["parameters"] = {
        p.name: {"value": p.value}
        | ({"options": list(p.options)} if p.options is not None else {})
        | ({"min": p.minimum, "max": p.maximum} if p.minimum is not None else {})
        for p in files.parameters.values()
    }
    game.data["tables"] = {
        x.name: {"value": x.value} | {k: v for k, v in (("index", list(x.index or ())), ("type", x.type)) if v}
        for x in files.tables.values()
    }
    game.data["components"] = {
        c.name: {
            "kinds": c.ranges
            or [k.attributes | ({"name": k.name} if k.name else {}) | {"copies": k.copies} for k in c.kinds]
        }
        for c in files.components.values()
    }
    return game.files()
