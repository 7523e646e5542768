"""Game folders, variants and schemas: what they make, what is wrong with them and where; the printer of rules."""

from __future__ import annotations

import copy
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec.structs import astuple

from chocolatl.interpreter.data.declarations import declaration_key
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.data.load import load_document, load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.data.schema import check, kinds, problems, schema, schema_folder, schema_names
from chocolatl.interpreter.data.schema_quick import quick_test
from chocolatl.interpreter.data.strict_yaml import load
from chocolatl.interpreter.diagnostics import Diagnostic, Findings
from chocolatl.interpreter.diagnostics.records import as_json
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.ir.operations import (
    WORDS,
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    LogicOperator,
    Membership,
    SetChange,
    Sharing,
    UnaryOperator,
)
from chocolatl.interpreter.source import Source, Span, UnreadableFile, make_source, read_source
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.automaton import ParseTree
from chocolatl.interpreter.syntax.grammar import grammar, vocabulary
from chocolatl.interpreter.syntax.parser import parse_rules
from chocolatl.interpreter.syntax.printer import print_declaration, print_expression, print_rules
from chocolatl.interpreter.syntax.tables import automaton
from chocolatl.interpreter.syntax.words import START
from chocolatl.interpreter.translate.names import nodes
from tests.conftest import Evidence

GAME = """\
kind: game
format: 1
name: market
title: The Market
about: Traders bid.
players: {min: 2, max: 4}
parameters:
  coins: {value: 10, min: 1, max: 20, about: Coins of each., source: page 2}
  open: {value: true}
  tie: {value: discard, options: [discard, carry]}
  floor: {value: 0, options: [0, null]}
  stall.price: {value: 2, min: 0, max: 9}
  stall.number: {value: 3, options: [3, 5]}
tables:
  pay: {value: [8, 7, 6]}
  bonus: {index: site, value: {hall: 1, yard: 2, gate: 3}}
  route: {index: [site, 1..2], value: {hall: {1: 4, 2: 5}, yard: {1: 6, 2: 7}, gate: {1: 8, 2: 9}}}
components:
  card: {kinds: {value: 1..coins}}
  tile:
    kinds:
      - {name: a, site: hall, copies: 4}
      - {name: b, site: yard}
"""

RULES = """\
language 1
game market

enum site = hall "The hall", yard "The yard", gate "The gate"
component card (value)
component tile (site : site)
item profit "Profit"

table has
    leader : player or nobody

each player has
    score : 0..99 = 0
    hand  : set of card secret = every card

value strength(p : player) = p.score + coins
value most = 3

ranking bidders of p in player
    highest strength(p)

latch over when some p in player has p.score >= 40

procedure resolve(here = hall) "In the hall"
    leader becomes nobody

procedure resolve(here = yard)
    leader becomes nobody

procedure resolve(here = gate)
    leader becomes nobody

play
    for each here in site
        do resolve(here)

final scoring of p
    left "Left over" : p.score

winner p
    highest p.score
"""

VARIANT = "kind: variant\nformat: 1\nextends: market\ntitle: Other\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes the game `market` with a few files changed; the path of the last one, or of its folder."""

    def files(game: str = GAME, rules: str = RULES, **variants: str) -> Path:
        folder = tmp_path / "root" / "market"
        (folder / "variants").mkdir(parents=True, exist_ok=True)
        (folder / "game.yaml").write_text(game, encoding="utf-8", newline="")
        (folder / "market.rules").write_text(rules, encoding="utf-8", newline="")
        path = folder
        for name, text in variants.items():
            path = folder / "variants" / f"{name}.yaml"
            path.write_text(text, encoding="utf-8", newline="")
        return path

    return files


def loaded(path: Path, **options: Any) -> GameFiles:
    findings = Findings()
    game = load_game(path, findings, **options)
    assert game is not None, "\n".join(render(d) for d in findings.items)
    assert not findings.items, "\n".join(render(d) for d in findings.items)
    return game


def found_in(path: Path, **options: Any) -> list[Diagnostic]:
    findings = Findings()
    game = load_game(path, findings, **options)
    assert (game is None) == findings.has_errors
    return findings.items


def summary(diagnostics: list[Diagnostic]) -> list[tuple[str, str, int, int]]:
    return [(d.code, Path(d.span.source.name).name, d.span.line, d.span.column) for d in diagnostics]


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def bare(node: Any) -> Any:
    """A tree without its places."""
    if isinstance(node, t.Node):
        return type(node).__name__, *map(bare, astuple(node)[1:])
    return tuple(map(bare, node)) if isinstance(node, tuple) else node


# ---------------------------------------------------------------- a game


def test_a_game_folder_is_read(write: Callable[..., Path]) -> None:
    game = loaded(write())
    assert (game.name, game.variant, game.title, game.about) == ("market", None, "The Market", "Traders bid.")
    assert (game.minimum, game.maximum) == (2, 4)
    assert {name: p.value for name, p in game.parameters.items()} == {
        "coins": 10, "open": True, "tie": "discard", "floor": 0, "stall.price": 2, "stall.number": 3,
    }  # fmt: skip
    coins = game.parameters["coins"]
    assert (coins.minimum, coins.maximum, coins.options) == (1, 20, None)
    assert (coins.about, coins.source) == ("Coins of each.", "page 2")
    assert (coins.span.line, coins.span.column, coins.value_span.column) == (8, 3, 18)
    assert game.parameters["floor"].options == (0, None)
    assert game.tables["pay"].index is None
    assert game.tables["bonus"].index == ("site",)
    assert game.tables["route"].index == ("site", "1..2")
    assert game.tables["route"].value["yard"] == {1: 6, 2: 7}
    seven = game.tables["route"].place("yard", 2)
    assert (seven.line, seven.source.line(17)[seven.column - 1 : seven.end_column - 1]) == (17, "7")
    assert game.tables["route"].place("nowhere") == game.tables["route"].span
    assert game.components["card"].ranges == {"value": "1..coins"}
    assert game.components["card"].kinds == ()
    first, second = game.components["tile"].kinds
    assert (first.attributes, first.name, first.copies, first.span.line) == ({"site": "hall"}, "a", 4, 22)
    assert (second.copies, second.span.line) == (1, 23)
    assert game.rules.game.text == "market"
    assert game.rules_source.text == RULES


def test_a_file_of_the_folder_stands_for_it(write: Callable[..., Path]) -> None:
    folder = write()
    whole = loaded(folder)
    assert loaded(folder / "game.yaml").rules_hash == whole.rules_hash
    assert loaded(folder / "market.rules").rules_hash == whole.rules_hash


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(write: Callable[..., Path]) -> None:
    first = loaded(write()).rules_hash
    windows = ["\ufeff" + text.replace("\n", "\r\n") for text in (GAME, RULES)]
    assert loaded(write(*windows)).rules_hash == first


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "column", "message"),
    [
        ("value: 10,", "value: 30,", "E206", 8, 18,
         "`coins` cannot be the number 30; it is a whole number from 1 to 20"),
        ("value: 10,", "value: true,", "E205", 8, 3, "`coins` is `true` or `false` and cannot have `min` or `max`"),
        ("min: 1, max: 20,", "", "E205", 8, 3, "the number `coins` needs `min` and `max`, or `options`"),
        ("min: 1, max: 20,", "min: 9, max: 1,", "E205", 8, 3, "`min` of `coins` is 9, more than its `max`, 1"),
        ("min: 1, max: 20,", "min: 1, options: [10],", "E205", 8, 3, "`coins` has `options` and also `min` or `max`"),
        ("{value: true}", "{value: true, min: 1}", "E205", 9, 3, "`open` is `true` or `false` and cannot have `min`"),
        ("value: discard", "value: cary", "E206", 10, 16,
         "`tie` cannot be the text `cary`; it is one of `discard`, `carry`"),
        (", options: [discard, carry]", "", "E205", 10, 3, "`tie` is neither a number nor `true` or `false`"),
        ("{value: 0, options: [0, null]}", "{value: null}", "E205", 11, 3, "`floor` is neither"),
        ("min: 2, max: 4", "min: 5, max: 4", "E205", 6, 16, "`min` is 5, more than `max`, 4"),
        ("  pay:", "  tie:", "E205", 15, 3, "the name `tie` is declared twice"),
        ("  open:", "  stall:", "E205", 12, 3, "`stall.price` cannot be told from a part of `stall`"),
        ("name: market", "name: markt", "E210", 3, 7, "the game is called `markt`, its folder `market`"),
        ("  pay: {value: [8, 7, 6]}", "  pay: {value: 8}", "E204", 15, 16, "`value` needs a list or a map of entries"),
        ("title:", "tilte:", "E207", 4, 1, "the key `tilte` is not known here"),
        ("kind: game", "kind: scenario", "E209", 1, 7, "this is a scenario file; a game file is expected"),
        ("format: 1", "format: 2", "E209", 2, 9, "`format` is the number 2; this version reads format 1"),
        ("title: The Market", "title: The: Market", "E201", 4, 11, "this `:` does not fit here"),
        ("title: The Market", "kind: game", "E202", 4, 1, "the key `kind` stands twice in this map"),
        ("value: 10,", "value: 1.5,", "E203", 8, 18, "`1.5` is not allowed: numbers are whole"),
    ],
)  # fmt: skip
def test_mistakes_in_game_yaml(
    write: Callable[..., Path], old: str, new: str, code: str, line: int, column: int, message: str
) -> None:
    first = found_in(write(changed(GAME, old, new)))[0]
    assert summary([first]) == [(code, "game.yaml", line, column)]
    assert first.message.startswith(message)


def test_all_mistakes_of_a_folder_are_reported_in_one_run(write: Callable[..., Path]) -> None:
    game = changed(changed(GAME, "value: 10,", "value: 30,"), "value: discard", "value: carri")
    rules = changed(RULES, "value most = 3", "value most == 3")
    assert summary(found_in(write(game, rules))) == [
        ("E107", "market.rules", 17, 13),
        ("E206", "game.yaml", 8, 18),
        ("E206", "game.yaml", 10, 16),
    ]


def test_a_value_that_is_no_option_gets_the_nearest_one(write: Callable[..., Path]) -> None:
    (finding,) = found_in(write(changed(GAME, "value: discard", "value: carri")))
    assert finding.hint == "did you mean `carry`?"


def test_the_rules_must_be_of_the_same_game(write: Callable[..., Path]) -> None:
    (finding,) = found_in(write(rules=changed(RULES, "game market", "game markt")))
    assert summary([finding]) == [("E210", "market.rules", 2, 6)]
    assert finding.message == "these are the rules of `markt`, the game is called `market`"
    assert [(Path(r.span.source.name).name, r.span.line) for r in finding.related] == [("game.yaml", 3)]


def test_a_missing_rule_file_is_named(write: Callable[..., Path]) -> None:
    folder = write()
    (folder / "market.rules").rename(folder / "other.rules")
    with pytest.raises(UnreadableFile, match=r"market\.rules: there is no such file; rename other\.rules so"):
        load_game(folder, Findings())
    (folder / "other.rules").unlink()
    with pytest.raises(UnreadableFile, match=r"market\.rules: there is no such file"):
        load_game(folder, Findings())


# ---------------------------------------------------------------- set


def test_a_variant_sets_parameters_tables_and_components(write: Callable[..., Path]) -> None:
    text = VARIANT + (
        "why: For the test.\n"
        "set:\n"
        "  coins: 12\n"
        "  floor: null\n"
        "  stall: {price: 4}\n"
        "  stall.number: 5\n"
        "  pay: [5, 4]\n"
        "  bonus: {yard: 9}\n"
        "  route: {gate: {2: 0}}\n"
        "  card: {value: 0..coins}\n"
        "  tile: [{name: c, site: gate, copies: 2 * coins}]\n"
    )
    game = loaded(write(other=text))
    assert (game.name, game.variant, game.title, game.about) == ("market", "other", "Other", "For the test.")
    assert game.folder.name == "market"
    values = {name: p.value for name, p in game.parameters.items()}
    assert values["coins"] == 12
    assert values["floor"] is None
    assert (values["stall.price"], values["stall.number"], values["open"]) == (4, 5, True)
    assert game.tables["pay"].value == [5, 4]
    assert game.tables["bonus"].value == {"hall": 1, "yard": 9, "gate": 3}
    assert game.tables["route"].value["gate"] == {1: 8, 2: 0}
    assert game.components["card"].ranges == {"value": "0..coins"}
    assert [(k.name, k.copies) for k in game.components["tile"].kinds] == [("c", "2 * coins")]
    # What was set points into the variant, what was not into the game.
    assert (Path(game.parameters["coins"].value_span.source.name).name, game.parameters["coins"].value_span.line) == (
        "other.yaml", 7,
    )  # fmt: skip
    assert Path(game.tables["bonus"].place("yard").source.name).name == "other.yaml"
    assert Path(game.tables["bonus"].place("hall").source.name).name == "game.yaml"


@pytest.mark.parametrize(
    ("setting", "code", "column", "message", "hint"),
    [
        ("coins: 21", "E206", 10, "`coins` cannot be the number 21; it is a whole number from 1 to 20", ""),
        ("coins: many", "E206", 10, "`coins` cannot be the text `many`; it is a whole number from 1 to 20", ""),
        ("open: yes", "E206", 9, "`open` cannot be the text `yes`; it is `true` or `false`", "write `true` or `false`"),
        ("open: 1", "E206", 9, "`open` cannot be the number 1; it is `true` or `false`", ""),
        ("tie: cary", "E206", 8, "`tie` cannot be the text `cary`; it is one of `discard`, `carry`",
         "did you mean `carry`?"),
        ("tie: null", "E206", 8, "`tie` cannot be nothing; it is one of `discard`, `carry`", ""),
        ("floor: false", "E206", 10, "`floor` cannot be `false`; it is one of `0`, `null`", ""),
        ("coin: 3", "E901", 3, "there is no parameter, table or component `coin` to set", "did you mean `coins`?"),
        ("stall: {prize: 3}", "E901", 11, "there is no parameter, table or component `stall.prize` to set",
         "did you mean `stall.price`?"),
        ("stal: {price: 3}", "E901", 3, "there is no parameter, table or component `stal` to set",
         "did you mean `stall`?"),
        ("stall: 3", "E901", 3, "`stall` is no parameter but the front part of `stall.price`, `stall.number`", ""),
        ("pay: {1: 3}", "E206", 8, "the table `pay` is a list, it cannot be a map", ""),
        ("pay: 3", "E204", 8, "`pay` needs a list or a map of entries, found the number 3", ""),
        ("pay: []", "E204", 8, "`pay` is empty", ""),
        ("card: 3", "E204", 9, "`card` needs a map such as `{value: 1..9}` or a list of kinds, found the number 3", ""),
        ("card: {value: 3}", "E204", 17, "`value` needs a range such as `1..9` or `1..cards`, found the number 3", ""),
    ],
)  # fmt: skip
def test_mistakes_in_set(
    write: Callable[..., Path], setting: str, code: str, column: int, message: str, hint: str
) -> None:
    (finding,) = found_in(write(other=VARIANT + f"set:\n  {setting}\n"))
    assert summary([finding]) == [(code, "other.yaml", 6, column)]
    assert (finding.message, finding.hint) == (message, hint)
    if code == "E206":
        assert [Path(r.span.source.name).name for r in finding.related] == ["game.yaml"]


@pytest.mark.parametrize("setting", ["coins: 10", "pay: [8, 7, 6]", "bonus: {yard: 2}", "card: {value: 1..coins}"])
def test_a_setting_that_changes_nothing_is_a_warning(write: Callable[..., Path], setting: str) -> None:
    path = write(other=VARIANT + f"set:\n  {setting}\n")
    findings = Findings()
    assert load_game(path, findings) is not None
    (finding,) = findings.items
    assert (finding.code, finding.severity, finding.span.line) == ("W901", "warning", 6)


def test_true_is_not_one(write: Callable[..., Path]) -> None:
    game = changed(GAME, "  open: {value: true}", "  open: {value: 1, options: [1, true]}")
    assert loaded(write(game, other=VARIANT + "set: {open: true}\n")).parameters["open"].value is True


# ---------------------------------------------------------------- settings of a scenario


def test_the_settings_of_a_scenario_come_last(write: Callable[..., Path]) -> None:
    path = write(other=VARIANT + "set: {coins: 12}\n")
    game = loaded(path, settings={"coins": 7, "stall": {"price": 1}})
    assert game.parameters["coins"].value == 7
    assert game.parameters["stall.price"].value == 1
    assert loaded(path, settings={"coins": 12}).rules_hash == loaded(path).rules_hash


def test_wrong_settings_are_reported_in_the_scenario(write: Callable[..., Path], tmp_path: Path) -> None:
    scenario = tmp_path / "case.yaml"
    scenario.write_text("kind: scenario\nformat: 1\nname: x\ngame: market\nset: {coins: 99}\nthen: {winners: []}\n")
    document = load_document(scenario, "scenario", Findings())
    (finding,) = found_in(write(), settings_document=document)
    assert summary([finding]) == [("E206", "case.yaml", 5, 14)]


def test_wrong_settings_without_a_file_are_reported_too(write: Callable[..., Path]) -> None:
    (finding,) = found_in(write(), settings={"coinz": 3})
    assert (finding.code, finding.span.source.name, finding.hint) == ("E901", "set", "did you mean `coins`?")
    assert "coinz" in render(finding)


# ---------------------------------------------------------------- extends


@pytest.mark.parametrize("place", ["root", "root/market"])
def test_a_variant_may_lie_beside_the_games_or_in_the_folder_of_one(
    write: Callable[..., Path], tmp_path: Path, place: str
) -> None:
    write()
    path = tmp_path / place / "mine.yaml"
    path.write_text(VARIANT + "set: {coins: 12}\n")
    game = loaded(path)
    assert (game.name, game.variant, game.parameters["coins"].value) == ("market", "mine", 12)


def test_a_variant_of_a_variant(write: Callable[..., Path]) -> None:
    first = VARIANT + "set: {coins: 12, stall.price: 3}\n"
    second = changed(VARIANT, "extends: market", "extends: market/first") + "set: {coins: 14}\n"
    game = loaded(write(first=first, second=second))
    assert (game.variant, game.parameters["coins"].value, game.parameters["stall.price"].value) == ("second", 14, 3)


@pytest.mark.parametrize(
    ("extends", "message", "hint"),
    [
        ("markt", "there is no game `markt` in the folder", "did you mean `market`?"),
        ("market/frist", "the game `market` has no variant `frist`", "did you mean `first`?"),
        ("market/other", "this variant extends itself in the end", ""),
    ],
)
def test_mistakes_in_extends(write: Callable[..., Path], extends: str, message: str, hint: str) -> None:
    text = changed(VARIANT, "extends: market", f"extends: {extends}")
    (finding,) = found_in(write(first=VARIANT, other=text))
    assert summary([finding]) == [("E905", "other.yaml", 3, 10)]
    assert finding.message.startswith(message)
    assert finding.hint == hint


def test_a_variant_may_lie_anywhere_and_extend_a_shipped_game(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    text = "kind: variant\nformat: 1\nextends: {}\ntitle: Few\nwhy: A short one.\nset: {{coins: {}}}\n"
    first, second = tmp_path / "far/first.yaml", tmp_path / "far/second.yaml"
    first.write_text(text.format("blotto", 4))
    files = load_game(first, findings := Findings())
    assert not findings.items and files is not None
    assert (files.name, files.variant, files.folder) == ("blotto", "first", rules_folder() / "blotto")
    assert files.parameters["coins"].value == 4
    # A game beside it comes first, and what is shipped is not left again.
    beside = tmp_path / "blotto"
    beside.mkdir()
    for name in ("game.yaml", "blotto.rules"):
        (beside / name).write_text((rules_folder() / "blotto" / name).read_text(encoding="utf-8"))
    second.write_text(text.format("blotto", 3))
    near = tmp_path / "near.yaml"
    near.write_text(text.format("blotto", 3))
    found = [load_game(path, Findings()) for path in (near, second)]
    assert [files.folder.resolve() for files in found if files is not None] == [
        beside.resolve(),
        (rules_folder() / "blotto").resolve(),
    ]


@pytest.mark.parametrize("extends", ["../market", "/etc", "market/../../x", "market/variants/x", "", "a b"])
def test_extends_is_a_name_and_no_path(write: Callable[..., Path], extends: str) -> None:
    text = changed(VARIANT, "extends: market", f'extends: "{extends}"')
    assert summary(found_in(write(other=text))) == [("E204", "other.yaml", 3, 10)]


def test_variants_that_extend_one_another_in_a_circle(write: Callable[..., Path]) -> None:
    first = changed(VARIANT, "extends: market", "extends: market/second")
    second = changed(VARIANT, "extends: market", "extends: market/first")
    (finding,) = found_in(write(first=first, second=second))
    assert summary([finding]) == [("E905", "first.yaml", 3, 10)]
    assert [Path(r.span.source.name).name for r in finding.related] == ["second.yaml"]


def test_a_long_chain_of_variants_is_refused(write: Callable[..., Path]) -> None:
    chain = {f"v{n}": changed(VARIANT, "extends: market", f"extends: market/v{n + 1}") for n in range(30)}
    write(**chain)
    (finding,) = found_in(write(v0=chain["v0"]))
    assert (finding.code, finding.message) == ("E905", "more than 10 variants extend one another")


def test_links_that_lead_out_of_the_root_are_refused(write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(other=changed(VARIANT, "extends: market", "extends: market/link"))
    outside = tmp_path / "outside.yaml"
    outside.write_text(VARIANT)
    os.symlink(outside, path.with_name("link.yaml"))
    (finding,) = found_in(path)
    assert (finding.code, finding.span.line) == ("E905", 3)
    assert "leads out of the folder" in finding.message
    folder = path.parents[1]
    (folder / "market.rules").unlink()
    os.symlink(outside, folder / "market.rules")
    with pytest.raises(UnreadableFile, match="leads out of the folder"):
        load_game(folder, Findings())


def test_files_are_shown_as_the_user_named_them(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(changed(GAME, "value: 10,", "value: 30,"), other=VARIANT)
    monkeypatch.chdir(path.parents[3])
    assert [d.span.source.name for d in found_in(Path("root/market"))] == ["root/market/game.yaml"]
    assert [d.span.source.name for d in found_in(Path("root/market/variants/other.yaml"))] == ["root/market/game.yaml"]
    monkeypatch.chdir(path.parents[1])
    assert [d.span.source.name for d in found_in(Path("."))] == ["game.yaml"]
    assert [d.span.source.name for d in found_in(Path("variants/other.yaml"))] == ["../market/game.yaml"]


# ---------------------------------------------------------------- replace


REPLACE = VARIANT + (
    "replace:\n"
    "  strength: |\n"
    "    # twice as strong\n"
    "    value strength(p : player) =\n"
    "        2 * p.score\n"
    "  resolve( yard ): |\n"
    "    procedure resolve(here = yard)\n"
    "        leader becomes nobody\n"
    "        leader becomes nobody\n"
    "  final scoring: |\n"
    "    final scoring of p\n"
    "        left : 2 * p.score\n"
    "  most: value most = 4\n"
)


def test_declarations_are_replaced_where_they_stand(write: Callable[..., Path]) -> None:
    base, game = loaded(write()), loaded(write(other=REPLACE))
    keys = [declaration_key(d) for d in game.rules.declarations]
    assert keys == [declaration_key(d) for d in base.rules.declarations]
    declarations = dict(zip(keys, game.rules.declarations, strict=True))
    assert print_declaration(declarations["strength"]) == "value strength(p : player) = 2 * p.score\n"
    assert print_declaration(declarations["most"]) == "value most = 4\n"
    assert print_declaration(declarations["final scoring"]) == "final scoring of p\n    left : 2 * p.score\n"
    resolve = declarations["resolve(yard)"]
    assert isinstance(resolve, t.Procedure)
    assert len(resolve.body) == 2


def test_a_replaced_declaration_keeps_its_place_in_the_variant(write: Callable[..., Path]) -> None:
    game = loaded(write(other=REPLACE))
    lines = REPLACE.split("\n")
    for declaration in game.rules.declarations:
        if isinstance(declaration, t.Value):
            span = declaration.name.span
            assert Path(span.source.name).name == "other.yaml"
            assert span.source.text == REPLACE
            assert lines[span.line - 1][span.column - 1 : span.end_column - 1] == declaration.name.text


@pytest.mark.parametrize(
    ("block", "code", "line", "column", "message", "hint"),
    [
        ("  strenght: |\n    value strenght = 1\n", "E902", 6, 3, "there is no declaration `strenght` to replace",
         "did you mean `strength`?"),
        ("  resolve: |\n    procedure resolve(x : site)\n        stop when yes\n", "E902", 6, 3,
         "there is no declaration `resolve` to replace",
         "it is declared member by member: resolve(hall), resolve(yard), resolve(gate)"),
        ("  hand: |\n    value hand = 1\n", "E902", 6, 3, "`hand` is a field; fields cannot be replaced", ""),
        ("  most: |\n\n    value moost = 1\n", "E904", 8, 11, "this declares `moost`, but it takes the place of `most`",
         "give both the same name"),
        ("  most: |\n    table has\n        x : 0..1\n", "E904", 7, 5,
         "this declares fields, but it takes the place of `most`", "give both the same name"),
        ("  most: |\n    value most == 1\n", "E107", 7, 17, "", ""),
        ("  most: |\n    value most = 1\n    value more = 2\n", "E101", 8, 5, "", ""),
        ("  play: |\n    play\n    do x\n", "E103", 8, 5, "", ""),
        ("  most: \" \"\n", "E904", 6, 3, "there is no declaration here", ""),
    ],
)  # fmt: skip
def test_mistakes_in_replace(
    write: Callable[..., Path], block: str, code: str, line: int, column: int, message: str, hint: str
) -> None:
    finding = found_in(write(other=VARIANT + "replace:\n" + block))[0]
    assert summary([finding]) == [(code, "other.yaml", line, column)]
    if message:
        assert (finding.message, finding.hint) == (message, hint)


def test_a_replacement_that_changes_nothing_is_a_warning(write: Callable[..., Path]) -> None:
    path = write(other=VARIANT + "replace:\n  most: |\n    value most = (3)   # the same\n")
    findings = Findings()
    assert load_game(path, findings) is not None
    assert summary(findings.items) == [("W902", "other.yaml", 6, 3)]


# ---------------------------------------------------------------- drop


def test_a_dropped_member_leaves_with_all_that_is_indexed_by_it(write: Callable[..., Path]) -> None:
    game = loaded(write(other=VARIANT + "drop: {site: [yard]}\n"))
    keys = [declaration_key(d) for d in game.rules.declarations]
    assert "resolve(yard)" not in keys
    assert "resolve(hall)" in keys
    (site,) = (d for d in game.rules.declarations if isinstance(d, t.Enumeration))
    assert [m.name.text for m in site.members] == ["hall", "gate"]
    assert game.tables["bonus"].value == {"hall": 1, "gate": 3}
    assert game.tables["route"].value == {"hall": {1: 4, 2: 5}, "gate": {1: 8, 2: 9}}
    assert game.tables["pay"].value == [8, 7, 6]


def test_a_clause_for_several_members_loses_one_of_them(write: Callable[..., Path]) -> None:
    rules = changed(RULES, "resolve(here = hall)", "resolve(here = hall or yard)")
    rules = changed(rules, "procedure resolve(here = yard)\n    leader becomes nobody\n\n", "")
    rules = changed(
        rules, "value most = 3\n", "value most(a = hall, b = yard) = 3\nvalue most(a = hall, b = gate) = 4\n"
    )
    game = loaded(write(rules=rules, other=VARIANT + "drop: {site: [yard]}\n"))
    keys = [declaration_key(d) for d in game.rules.declarations]
    assert "resolve(hall)" in keys
    assert "resolve(hall or yard)" in [declaration_key(d) for d in loaded(write(rules=rules)).rules.declarations]
    assert [key for key in keys if key and key.startswith("most")] == ["most(hall, gate)"]
    assert_round_trip(game.rules)


def test_a_member_is_dropped_at_every_depth_and_by_position(write: Callable[..., Path]) -> None:
    tables = (
        "  list: {index: site, value: [1, 2, 3]}\n"
        "  square: {index: [1..2, site], value: [[1, 2, 3], [4, 5, 6]]}\n"
        "  pairs: {index: [site, site], value: {hall: {hall: 1, yard: 2}, yard: {hall: 3, yard: 4}}}\n"
    )
    game = loaded(
        write(changed(GAME, "components:\n", tables + "components:\n"), other=VARIANT + "drop: {site: [yard]}\n")
    )
    assert game.tables["list"].value == [1, 3]
    assert game.tables["square"].value == [[1, 3], [4, 6]]
    assert game.tables["pairs"].value == {"hall": {"hall": 1}}


@pytest.mark.parametrize(
    ("drop", "code", "column", "message", "hint"),
    [
        ("{sites: [yard]}", "E903", 8, "there is no enum `sites`", "did you mean `site`?"),
        ("{site: [yrd]}", "E903", 15, "the enum `site` has no member `yrd`", "did you mean `yard`?"),
        ("{site: [hall, yard, gate]}", "E903", 8, "nothing is left of the enum `site`", ""),
        ("{site: yard}", "E204", 14, "`site` needs a list, found the text `yard`", ""),
    ],
)
def test_mistakes_in_drop(
    write: Callable[..., Path], drop: str, code: str, column: int, message: str, hint: str
) -> None:
    (finding,) = found_in(write(other=VARIANT + f"drop: {drop}\n"))
    assert summary([finding]) == [(code, "other.yaml", 5, column)]
    assert (finding.message, finding.hint) == (message, hint)


# ---------------------------------------------------------------- the hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("about: Traders bid.", "about: Something else."),
        ("title: The Market", "title: A Market"),
        ("about: Coins of each., source: page 2", "confidence: low"),
        ("parameters:\n", "# a comment\nparameters:\n\n"),
        ("{hall: 1, yard: 2, gate: 3}", "{gate: 3, yard: 2, hall: 1}"),
    ],
)
def test_the_hash_does_not_see_texts_and_layout_of_the_data(write: Callable[..., Path], old: str, new: str) -> None:
    assert loaded(write(changed(GAME, old, new))).rules_hash == loaded(write()).rules_hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value: 10,", "value: 11,"),
        ("{value: true}", "{value: false}"),
        ("min: 2, max: 4", "min: 2, max: 3"),
        ("{hall: 1, yard: 2, gate: 3}", "{hall: 1, yard: 2, gate: 4}"),
        ("site: hall, copies: 4", "site: hall, copies: 5"),
        ("name: a, site", "name: aa, site"),
        ("1..coins", "0..coins"),
    ],
)
def test_the_hash_sees_the_data(write: Callable[..., Path], old: str, new: str) -> None:
    assert loaded(write(changed(GAME, old, new))).rules_hash != loaded(write()).rules_hash


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('hall "The hall"', 'hall "Hall"'),
        ('(here = hall) "In the hall"', "(here = hall)"),
        ("value most = 3", "value most =   3   # three"),
        ("    highest p.score", "\n  # comment\n      highest p.score"),
    ],
)
def test_the_hash_does_not_see_texts_and_layout_of_the_rules(write: Callable[..., Path], old: str, new: str) -> None:
    assert loaded(write(rules=changed(RULES, old, new))).rules_hash == loaded(write()).rules_hash


@pytest.mark.parametrize(("old", "new"), [("most = 3", "most = 4"), ("highest p.score", "lowest p.score")])
def test_the_hash_sees_the_rules(write: Callable[..., Path], old: str, new: str) -> None:
    assert loaded(write(rules=changed(RULES, old, new))).rules_hash != loaded(write()).rules_hash


def test_a_variant_has_the_hash_of_the_game_that_it_makes(write: Callable[..., Path]) -> None:
    variant = loaded(write(other=VARIANT + "set: {coins: 12}\nreplace:\n  most: value most = 4\n")).rules_hash
    game, rules = changed(GAME, "value: 10,", "value: 12,"), changed(RULES, "most = 3", "most = 4")
    assert loaded(write(game, rules)).rules_hash == variant
    assert len(variant) == 64


# ---------------------------------------------------------------- GAME


def test_a_path_is_a_game(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(other=VARIANT)
    assert find_game(str(path)) == path
    assert find_game(str(path.parents[1])) == path.parents[1]
    monkeypatch.chdir(path.parents[2])
    assert find_game("market") == Path("market")
    assert find_game("./market") == Path("market")


def test_shipped_games_and_variants_have_names(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for game in games_in(rules_folder()):
        assert find_game(game) == rules_folder() / game
        for variant in variants_in(rules_folder() / game):
            assert find_game(f"{game}/{variant}") == rules_folder() / game / "variants" / f"{variant}.yaml"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("gofspiel", r"there is no game `gofspiel`: .*goofspiel.*did you mean `goofspiel`\?"),
        ("goofspiel/cary", r"the game `goofspiel` has no variant `cary` .*did you mean `carry`\?"),
        ("./goofspiel", r"\./goofspiel: there is no such file or folder"),
        ("/no/such/path", r"/no/such/path: there is no such file or folder"),
        ("goofspiel/../blotto", r"there is no game `goofspiel/\.\./blotto`"),
        ("", r"there is no game ``"),
        ("a\0b", r"there is no game"),
        ("x" * 5000, r"there is no game"),
    ],
)
def test_what_is_no_game(argument: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnreadableFile, match=message):
        find_game(argument)


def test_a_folder_without_a_game_is_no_game(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"this folder holds no game \(it has no game.yaml\)"):
        find_game(str(tmp_path))


def test_every_shipped_file_loads_without_findings() -> None:
    for game in games_in(rules_folder()):
        folder = rules_folder() / game
        loaded(folder)
        for path in folder.glob("variants/*.yaml"):
            loaded(path)
        for path in folder.glob("scenarios/*.yaml"):
            findings = Findings()
            document = load_document(path, "scenario", findings)
            assert document is not None, [render(d) for d in findings.items]
            loaded(find_game(document.value["game"]), settings_document=document)


# ---------------------------------------------------------------- schemas


def parts(node: Any) -> list[dict[str, Any]]:
    """Every schema inside a schema."""
    found = [node] if isinstance(node, dict) else []
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        found += parts(inner)
    return found


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_one_and_describes_every_property(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    for part in parts(schema(name)):
        for key, inner in part.get("properties", {}).items() if "type" in part else ():
            assert inner.get("description"), f"{name}: {key}"


@pytest.mark.parametrize("name", kinds())
def test_files_that_people_write_have_no_unknown_keys(name: str) -> None:
    """Maps from names to values are open; every other one is closed."""
    for part in parts(schema(name)):
        if isinstance(part.get("properties"), dict) and part.get("type") == "object":
            assert "additionalProperties" in part
    assert schema(name)["additionalProperties"] is False


def test_all_formats_have_a_schema() -> None:
    assert set(kinds()) == {"game", "variant", "scenario", "position", "valuation", "policy"}
    others = {"transcript", "findings", "test_results", "simulate_results", "solve_results", "evidence"}
    assert set(schema_names()) >= set(kinds()) | others
    assert schema_folder().is_dir()


SHIPPED = sorted(rules_folder().glob("**/*.yaml"))
LARGE = 100_000
"""Files of more bytes are not changed again and again: their shape is that of smaller ones."""


def plain(path: Path) -> Any:
    """A shipped file as JSON has it: all keys are texts."""
    document = load(read_source(path), Findings())
    assert document is not None
    return json.loads(json.dumps(document.value))


@pytest.mark.parametrize("name", kinds())
def test_shipped_files_are_accepted_without_a_validator(name: str) -> None:
    test = quick_test(schema(name))
    assert test is not None
    for data in map(plain, SHIPPED):
        assert test(data) == (data["kind"] == name)


@pytest.mark.parametrize("name", kinds())
def test_what_is_accepted_without_a_validator_is_accepted_by_it(name: str, seed: int, evidence: Evidence) -> None:
    test, validator, draw = quick_test(schema(name)), Draft202012Validator(schema(name)), random.Random(seed)
    assert test is not None
    short = [path for path in SHIPPED if path.stat().st_size < LARGE]
    sources = [data for data in map(plain, short) if data["kind"] == name] or [PLAIN[name]]
    strange = [None, True, False, 0, 1, -1, 1.5, 2**70, "", "a", "a b", "1", [], {}, [1], ["a", "a"], {"a": 1}]
    accepted = refused = 0
    for _ in evidence.cases(f"a quick test agrees with the schema: {name}", full=20_000, slice=300):
        data = copy.deepcopy(draw.choice(sources))
        for _ in range(draw.randint(1, 2)):
            holder, key = draw.choice(list(inner_places(data)))
            action = draw.choice(["delete", "rename", "set", "set"])
            if action == "set":
                holder[key] = draw.choice([*strange, copy.deepcopy(draw.choice(sources))])
            elif action == "rename" and isinstance(holder, dict):
                holder[draw.choice([str(key) + "x", "kind", "value", "", "3"])] = holder.pop(key)
            else:
                del holder[key]
            if not data:
                break
        right = validator.is_valid(data)
        assert right or not test(data), data
        accepted, refused = accepted + test(data), refused + (not right)
    assert accepted and refused


PLAIN_POLICY = {
    "kind": "policy",
    "format": 1,
    "game": "sample",
    "players": {
        "2": {
            "rules": "0" * 64,
            "recipe": {"method": "league", "seed": 0},
            "features": {"player": {"context": {"1": [0, 1], "round": [3, 40]}}},
            "weights": {"bid": {"own": "1 2", "it.value": "3 -4"}},
        },
        "3": {
            "rules": "1" * 64,
            "recipe": {"method": "regrets"},
            "table": {"objective": "win", "sets": 1, "choices": {"bid": {"by": ["player"], "states": {"p1": "1 1"}}}},
        },
    },
}

PLAIN_POSITION = {
    "kind": "position", "format": 1, "game": "market", "variant": None, "rules": "0" * 64, "players": ["A", "B"],
    "state": {"table": {"x": 1}, "player": {"A": {"hand": [1]}, "B": {}}, "site": {"hall": {}}},
    "pending": [{"player": "A", "choice": "bid[hall]"}, {"chance": "roll"}], "at": [{"procedure": "play", "step": "1"}],
    "answered": {"A": [1, [2, 3]]}, "random": {"seed": 3}, "bottoms": {"deck": [1]},
    "knowledge": {"A": [{"cards": [1], "zones": {"deck": 1}}, {"bottom": "deck", "unseen": [1, 2]}]},
}  # fmt: skip

PLAIN = {"position": PLAIN_POSITION, "policy": PLAIN_POLICY}


def inner_places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of plain data: what holds it, and under which key."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield data, key
        yield from inner_places(value)


SCENARIO = "kind: scenario\nformat: 1\nname: A case\ngame: market\nthen: {winners: [A]}\n"
POSITION = "kind: position\nformat: 1\ngame: market\nplayers: [A, B]\nstate: {table: {}}\npending: []\n"


def checked(text: str, name: str) -> list[tuple[int, int, str, str]]:
    findings = Findings()
    document = load(make_source("file.yaml", text), findings)
    assert document is not None
    assert check(document, name, findings) == (not findings.items)
    assert {d.code for d in findings.items} <= {"E204", "E207", "E208", "E209"}
    return [(d.span.line, d.span.column, d.message, d.hint) for d in findings.items]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("scenario", SCENARIO, []),
        ("position", POSITION, []),
        ("scenario", SCENARIO + "given: {player: {A: {hand: [1]}}, site: {hall: {stones: 3}}}\nplayers: 3\n", []),
        ("scenario", SCENARIO + "wen: []\n", [(6, 1, "the key `wen` is not known here", "did you mean `when`?")]),
        ("scenario", changed(SCENARIO, "name:", "nmae:"),
         [(3, 1, "the key `nmae` is not known here", "did you mean `name`?")]),
        ("scenario", changed(SCENARIO, "name: A case\n", ""), [(1, 1, "`name` is missing", "")]),
        ("scenario", changed(SCENARIO, "kind: scenario\n", ""),
         [(1, 1, "`kind` is missing: the file does not say what it is", "begin with `kind: scenario`")]),
        ("scenario", "kind: senario\n", [(1, 7, "the text `senario` is no kind of file", "did you mean `scenario`?")]),
        ("scenario", "- 1\n",
         [(1, 1, "the file needs a map (`key: value`), found a list", "begin with `kind: scenario`")]),
        ("scenario", "3\n",
         [(1, 1, "the file needs a map (`key: value`), found the number 3", "begin with `kind: scenario`")]),
        ("scenario", changed(SCENARIO, "[A]", "A"), [(5, 17, "`winners` needs a list, found the text `A`", "")]),
        ("scenario", changed(SCENARIO, "winners: [A]", "winer: [A]"),
         [(5, 15, "`winer` needs a map of fields, found a list", "did you mean `winners`?")]),
        ("scenario", changed(SCENARIO, "winners: [A]", 'result: {A: "3"}'),
         [(5, 20, "`A` needs a whole number, found the text `3`", "write the number without quotation marks")]),
        ("scenario", SCENARIO + "players: yes\n",
         [(6, 10, "`players` needs a list of names or a number, found the text `yes`", "")]),
        ("scenario", SCENARIO + "players: 0\n", [(6, 10, "`players` is 0; it is at least 1", "")]),
        ("scenario", SCENARIO + "players: [A, A]\n", [(6, 10, "`players` holds the same entry twice", "")]),
        ("scenario", SCENARIO + "when: [{player: A, choise: b, value: 1}]\n",
         [(6, 20, "the key `choise` is not known here", "did you mean `choice`?")]),
        ("scenario", SCENARIO + "when: [{chance: A}]\n", [(6, 8, "`value` is missing in item 1 of `when`", "")]),
        ("scenario", SCENARIO + "when:\n  - {chance: A, value: 1}\n  - 3\n",
         [(8, 5, "item 2 of `when` needs an event: `{chance, value}` or `{player, choice, value}`, found the number 3",
           "")]),
        ("scenario", SCENARIO + "start:\n  with: {p: A}\n  x: 1\n",
         [(8, 3, "the key `x` is not known here", "known are `procedure`, `with`"),
          (6, 1, "`procedure` is missing in `start`", "")]),
        ("position", changed(POSITION, "pending: []", "pending: [{chance: x, player: A}]"),
         [(6, 23, "the key `player` is not known here", "known are `chance`")]),
        ("position", POSITION + "variant: 3\n",
         [(7, 10, "`variant` needs a text or nothing (`null`), found the number 3", "")]),
        ("position", POSITION + "rules: abc\n",
         [(7, 8, "`rules` needs a hash (64 hexadecimal digits), found the text `abc`", "")]),
        ("position", changed(POSITION, "{table: {}}", "{table: {}, player: {1: 3}}"),
         [(5, 32, "`1` needs a map (`key: value`), found the number 3", "")]),
        ("position", changed(POSITION, "state: {table: {}}", "state:"),
         [(5, 1, "`state` needs a map (`key: value`), found nothing", "")]),
        ("variant", VARIANT + "set: {}\n", [(5, 6, "`set` is empty", "")]),
        ("game", changed(GAME, "  open:", "  o pen:"),
         [(9, 3, "the key `o pen` is not a name, dotted or not (letters, digits and `_`, a letter first)", "")]),
        ("game", changed(GAME, "index: [site, 1..2]", "index: [a, b, c]"),
         [(17, 18, "`index` has 3 entries; it has at most 2", "")]),
        ("game", changed(GAME, "copies: 4", "copies: -1"), [(22, 39, "`copies` is -1; it is at least 0", "")]),
    ],
)  # fmt: skip
def test_one_mistake_gives_one_finding_at_its_place(
    name: str, text: str, expected: list[tuple[int, int, str, str]]
) -> None:
    assert sorted(checked(text, name)) == sorted(expected)


HEADER = {"game": "market", "variant": None, "players": ["p1"], "seed": 7, "rules": "0" * 64, "format": 1}


@pytest.mark.parametrize(
    ("line", "messages"),
    [
        (HEADER, []),
        ({**HEADER, "more": 1}, ["the key `more` is not known here"]),
        ({"chance": "prize", "value": [1, 2], "for": "p1"}, []),
        ({"player": "p1", "choice": "sealed[temple]", "value": [12, 0]}, []),
        ({"result": {"p1": 61}, "winners": ["p1"], "breakdown": {"p1": {"item": 5}}}, []),
        ({"chance": "prize"}, ["`value` is missing"]),
        ({**HEADER, "seed": "x"}, ["`seed` needs a whole number, found the text `x`"]),
        ({"word": 1}, ["this needs a header, chance, choice or result line"]),
        ([], ["this needs a header, chance, choice or result line, found a list"]),
        ({"chance": "a", "value": 1, "player": "p1", "choice": "b"}, ["the key `chance` is not known here"]),
    ],
)  # fmt: skip
def test_a_line_of_a_transcript(line: Any, messages: list[str]) -> None:
    assert [p.message for p in problems(line, "transcript")] == messages


def test_findings_follow_their_schema(write: Callable[..., Path]) -> None:
    found = found_in(write(other=VARIANT + "set: {coins: 99, open: true}\n"))
    assert {d.severity for d in found} == {"error", "warning"}
    assert problems(json.loads(json.dumps(as_json(found))), "findings") == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("ab", max_size=2),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["kind", "name", "players", "value", "set", "then", "when", "player", "kinds", "x"])
                | st.integers(0, 3),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    ),
    st.sampled_from(kinds()),
)
def test_any_data_is_checked_without_a_crash(value: Any, name: str) -> None:
    assert all(problem.message for problem in problems(value, name))
    if isinstance(value, dict):
        value = {**value, "kind": name, "format": 1}
        assert all(problem.message for problem in problems(value, name))


# ---------------------------------------------------------------- the printer


def parsed(text: str) -> t.RuleFile:
    findings = Findings()
    rules = parse_rules(make_source("x.rules", text), findings)
    assert rules is not None
    assert not findings.items, [render(d) for d in findings.items]
    return rules


def assert_round_trip(rules: t.RuleFile) -> None:
    printed = print_rules(rules)
    again = parsed(printed)
    assert bare(again) == bare(rules)
    assert print_rules(again) == printed


EVERYTHING = """\
language 1
game everything

enum site = temple "The temple", village
cyclic enum side = north, south
grid cell (x : 1..8, y : 1..8) by side
    north : (x, y - 1)
    south : (x, y + 1)
component card (value, suit : site)
component tile (roads[side] : 0..1)
owner bank "The bank"
item bonus

each player has
    lying : turned tile or none
    edges : set of (cell, side) up to 9

table has
    a[site, 1..3] : -2..(3 + 4) * 2 hidden when x is y = 1
    b : set of 1..6
    c : card or none = none
    d : yes/no secret = yes
    e : set of card = every card in suits.low

value v = -(a - b) - (c - d) * -e / (f * g) mod 2
value w(p : player) = 1 if (yes if no else no) else 2 if not (a and b) else some q in player has q.x is not p
value x = (number of q in player where q.a is 1 or q.b) + (sum of c.value + 1 for c in p.hand where c.value > 2)
value y = not (a is b) and (a or b) or not not c
value z = [1, f(2, (3)), -4][size of p.hand] - rank of p in r(x) + first of r
value u = (highest (lowest c.value for c in z) for z in 1..3) + (fourth of r(last of q)).score
value t = (a in b) is (c < d) or (a >= b) is (c <= d) or max(a, min(b, c)) is third of r
value l = (neighbour of c at (opposite of s) turned by 1, -(a turned by 2)) in edges
modifier dear changes v(p, here) by -1 while a or b
value s = not some q in player has a or b
value r = (some q in player has a) or (every q in player has b) and some q in player has c and d
value q = (some q in player has a) if every q in player has b else some q in player has c

ranking r(here : site) of p in player where p.a or p.b, strict
    (-p.x) is 3
    then -p.x is 3
    then highest -p.x
    then lowest (highest c.value for c in p.hand)
    then every q in player has q.x
    then highest p.y when ties.poor or ties.rich

event sale(p : player, price : 0..9)

reaction tax "The tax" to sale(p, price) while price > 3
    announce sale(p, price - 1)

window trade of p where p.coins > 3 or a, at most 50 + n times
    announce gone

always kept "No coin is lost" : bank + (sum of p.coins for p in player) is 50

procedure go(p : player, here = temple or village) "Go"
    p.x becomes 3 if a else 4
    p gains 2 * n coins[here, 1] for bonus "why {p}", at most 5
    p loses (1 if a else 2) coins, at least 0
    p chooses 2 from p.hand into p.sealed[temple] as pair "Which {x}?"
    p chooses up to n + 1 from p.hand into p.out
    p chooses 1..n + 1 w from p.hand where w.ready into p.out
    p chooses p.x[here] from 0..9
    p may choose tile from p.tiles, cell from 1..9, turn from yes/no where fits(tile, cell) or a
    roll die from 1..6 for p
    roll (a + b) dice from 1..6 odds chance[x] + 1
    roll n more from player where a
    roll p.x from 1..6
    draw top from deck into p.hand for p
    move c from p.hand to q
    move first of r from p.hand to q
    move all p.bid to p.hand
    reveal p.sealed into p.bid
    put c + 1 from p.hand under deck
    add c + 1 to p.marks
    remove first of r from p.marks[here]
    clear p.marks
    p chooses turn from turns of tile
    let m : 0..9 = 3
    let k : player or nobody = nobody
    do go(p, 1 if a else 2)
    do stop_it
    nothing
    stop when a
    if a
        do x
    else if b or c
        do y
    else
        if d
            do z
    for each q in player from p.left + 1 backwards when a or b where q.a
        in turn s from first of r where s.b, at most n * 2 turns
            repeat until done, at most 8 times
                every player w secretly
                    do x
    for each q in r(here) backwards
        nothing
    for each q in player backwards when (some s in player has number of u in player) where q.a
        nothing
    contest r(here) backwards when a as order
        first q alone
            do x
        second q shared by n
            do x
        last q
            do x
        fifth q
            do x

latch over "It is over" when some p in player has p.x >= 40

play
    do go

final scoring of p
    coins "Coins" : p.coins / 3
    more : (1 if a else 0)

winner p
    highest p.score
    then p is leader
"""


def productions(parsed: Any) -> set[str]:
    """The names of the productions in what was parsed."""
    if not isinstance(parsed, ParseTree):
        return set()
    return {parsed.data}.union(*map(productions, parsed.children))


def test_everything_has_each_word_and_each_production_of_the_grammar() -> None:
    """So the builder knows them, and what it builds is printed: see the next test."""
    rules = [rule for rule in grammar().rules if rule.alias or not rule.options.expand1]
    named = {str(rule.alias or rule.origin.name) for rule in rules}
    missing = {name for name in named if not name.startswith("_")} - productions(automaton().parse(EVERYTHING, START))
    missing |= vocabulary() - set(re.findall("[a-z]+", EVERYTHING))
    assert not missing, f"of grammar.lark, EVERYTHING lacks {missing}; does interpreter/syntax/build.py know it?"


def test_everything_has_each_node_and_each_operation() -> None:
    """So there is no operation that no production makes."""
    everything = [node for _, _, node in nodes(parsed(EVERYTHING))]
    lost = set(get_args(t.Tree)) - {type(node) for node in everything}
    assert not lost, f"interpreter/syntax/build.py makes no {lost} of EVERYTHING"
    made = {part for node in everything for part in astuple(node) if isinstance(part, StrEnum)}
    made |= {node.limit[0] for node in everything if isinstance(node, t.Gains) and node.limit}
    called = {node.name.text for node in everything if isinstance(node, t.Call)}
    made |= {each for each in ArithmeticOperator if each.value in called}
    missing = {each for kinds in OPERATIONS for each in kinds} - made
    assert not missing, f"nothing in EVERYTHING makes {missing}; is it in interpreter/syntax/grammar.lark and build.py?"


OPERATIONS: tuple[type[StrEnum], ...] = (
    ArithmeticOperator, ComparisonOperator, LogicOperator, UnaryOperator, Membership, AggregateKind, SetChange, Sharing,
    t.Movement, t.Limit, t.KeyOrder,
)  # fmt: skip
"""What is written in rules."""


def test_everything_that_can_be_written_is_printed_and_read_again() -> None:
    assert_round_trip(parsed(EVERYTHING))
    assert_round_trip(parsed(RULES))


def test_shipped_rules_are_printed_and_read_again() -> None:
    for path in sorted(rules_folder().glob("*/*.rules")):
        assert_round_trip(parsed(read_source(path).text))


def test_only_needed_parentheses_are_printed() -> None:
    rules = parsed("language 1\ngame g\nvalue x = ((a) + ((b * c))) - (d - e)\n")
    assert print_rules(rules) == "language 1\ngame g\n\nvalue x = a + b * c - (d - e)\n"


def test_texts_can_be_left_out() -> None:
    printed = print_rules(parsed(EVERYTHING), texts=False)
    assert '"' not in printed
    assert '"' not in print_rules(parsed(printed))


NOWHERE = Span(Source("", ""), 1, 1, 1, 1)
NAMES = st.sampled_from(["alpha", "beta", "gamma"])
NAME_NODES = NAMES.map(lambda text: t.Name(NOWHERE, text))


def node(kind: Any, *parts: Any) -> Any:
    return st.builds(lambda *given: kind(NOWHERE, *given), *parts)


LEAVES = (
    node(t.Number, st.integers(0, 12)) | node(t.Reference, NAMES) | node(t.Literal, st.sampled_from(["yes", "nobody"]))
)


TERMS = (AggregateKind.SUM, AggregateKind.HIGHEST, AggregateKind.LOWEST)


def larger(inner: Any) -> Any:
    some = st.lists(inner, min_size=1, max_size=2).map(tuple)
    domain = inner | node(t.Range, inner, inner) | node(t.YesNo)
    operators = st.sampled_from([each for word, each in WORDS.items() if word not in ("min", "max")])
    return st.one_of(
        node(t.Binary, operators, inner, inner),
        node(t.Unary, st.sampled_from(UnaryOperator), inner),
        node(t.Conditional, inner, inner, inner),
        node(t.Attribute, inner, NAME_NODES),
        node(t.Indexed, inner, some),
        node(t.Call, NAME_NODES, some),
        node(t.Listed, some),
        node(t.SizeOf, inner),
        node(t.RankOf, inner, inner),
        node(t.Placed, st.sampled_from([-1, 1, 5]), inner),
        node(
            t.Aggregate,
            st.sampled_from([AggregateKind.SOME, AggregateKind.EVERY]),
            NAME_NODES,
            domain,
            st.none(),
            inner,
        ),
        node(t.Aggregate, st.just(AggregateKind.NUMBER), NAME_NODES, domain, st.none() | inner, st.none()),
        node(t.Aggregate, st.sampled_from(TERMS), NAME_NODES, domain, st.none() | inner, inner),
    )


EXPRESSIONS = st.recursive(LEAVES, larger, max_leaves=12)


@given(EXPRESSIONS)
def test_any_expression_is_printed_and_read_again(expression: t.Expression) -> None:
    """Whatever the tree, the printer puts parentheses where the grammar needs them."""
    line = print_expression(expression)
    (value,) = parsed(f"language 1\ngame g\nvalue x = {line}\n").declarations
    assert isinstance(value, t.Value)
    assert bare(value.body) == bare(expression)


@given(EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
def test_any_expression_fits_any_statement(one: t.Expression, two: t.Expression, three: t.Expression) -> None:
    name = t.Name(NOWHERE, "delta")
    pick = t.Pick(NOWHERE, two, True, one, name, three)
    backwards = t.Backwards(NOWHERE, two)
    target = t.Reference(NOWHERE, "delta")
    body: t.Block = (
        t.Becomes(NOWHERE, one, two),
        t.Gains(NOWHERE, one, True, two, name, (three,), (t.Limit.MOST, one), two, None),
        t.Choose(NOWHERE, one, True, (pick, pick), three, one, name, None),
        t.Roll(NOWHERE, one, target, two, three, one, two),
        t.Draw(NOWHERE, name, one, two, three),
        t.Move(NOWHERE, t.Movement.MOVE, one, two, three),
        t.Move(NOWHERE, t.Movement.UNDER, one, two, three),
        t.Let(NOWHERE, name, t.Range(NOWHERE, one, two), three),
        t.ForEach(NOWHERE, name, one, two, backwards, three, (t.Stop(NOWHERE, two),)),
        t.InTurn(NOWHERE, name, one, two, three, (t.Stop(NOWHERE, two),)),
        t.Contest(
            NOWHERE, one, backwards, name, (t.Clause(NOWHERE, 4, name, Sharing.ALONE, None, (t.Nothing(NOWHERE),)),)
        ),
    )
    keys = (
        t.Key(NOWHERE, t.KeyOrder.YES, one, None),
        t.Key(NOWHERE, t.KeyOrder.LOWEST, two, one),
        t.Key(NOWHERE, t.KeyOrder.YES, three, two),
    )
    declarations: tuple[t.Declaration, ...] = (
        t.Play(NOWHERE, body),
        t.Ranking(NOWHERE, name, (), name, one, two, True, keys),
    )
    rules = t.RuleFile(NOWHERE, 1, t.Name(NOWHERE, "g"), declarations)
    assert_round_trip(rules)
