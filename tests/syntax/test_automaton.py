"""The parser's own tables against Lark: the same texts, the same trees, the same places."""

from __future__ import annotations

import random
import re
from typing import Any

import lark
import pytest

from chocolatl.interpreter.syntax import tables
from chocolatl.interpreter.syntax.automaton import Automaton, Token
from chocolatl.interpreter.syntax.grammar import grammar
from chocolatl.interpreter.syntax.problems import FAILURES
from chocolatl.interpreter.syntax.words import DECLARATION, EXPRESSION, START, TYPE
from tests.conftest import ROOT, Evidence

RULES = sorted((ROOT / "rules").glob("*/*.rules"))
BAD = sorted((ROOT / "tests/diagnostics/bad").rglob("*.rules"))
WORD = re.compile(r'"[^"\n]*"|\w+|[^\w\s]|\n[ \t]*')


def lark_tree(text: str, start: str) -> Any:
    try:
        return of_lark(grammar().parse(text, start=start))
    except FAILURES:
        return None


def of_lark(node: Any) -> Any:
    if isinstance(node, lark.Token):
        return node.type, str(node), (node.line, node.column, node.end_line, node.end_column)
    if node is None:
        return "nothing"
    meta = node.meta
    place = None if meta.empty else (meta.line, meta.column, meta.end_line, meta.end_column)
    return str(node.data), [of_lark(child) for child in node.children], place


def own_tree(text: str, start: str) -> Any:
    found = tables.automaton().parse(text, start)
    return None if found is None else of_own(found)


def of_own(node: Any) -> Any:
    if node is None:
        return "nothing"
    if isinstance(node, Token):
        return node.type, node.text, node.place
    return node.data, [of_own(child) for child in node.children], node.place


def test_the_kept_tables_are_those_of_the_grammar() -> None:
    assert tables.FILE.read_text(encoding="utf-8") == tables.written(tables.made()), "`make tables` writes them anew"


def test_tables_of_another_grammar_are_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for content in ("", "[]", "{", '{"grammar": "another"}'):
        (tmp_path / "grammar.json").write_text(content)
        monkeypatch.setattr(tables, "FILE", tmp_path / "grammar.json")
        assert tables._kept() is None
    assert isinstance(Automaton(tables.made()).parse("1 + 2", EXPRESSION), object)


def test_a_comment_in_the_grammar_changes_no_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    text, copy = tables.GRAMMAR.read_text(encoding="utf-8"), tmp_path / "grammar.lark"
    monkeypatch.setattr(tables, "GRAMMAR", copy)
    for other, same in (
        ("// Another thought.\n" + text, True),
        (text.replace("\n", "\r\n"), True),
        (text + "x", False),
    ):
        copy.write_bytes(other.encode())
        assert (tables._kept() is not None) == same


@pytest.mark.parametrize("path", [*RULES, *BAD], ids=lambda path: path.stem)
def test_it_reads_files_as_lark_does(path: Any) -> None:
    text = path.read_text(encoding="utf-8").lstrip("\ufeff").replace("\r\n", "\n").rstrip() + "\n"
    assert own_tree(text, START) == lark_tree(text, START)


@pytest.mark.parametrize(
    ("start", "text"),
    [
        (EXPRESSION, "a.b[1, c] + 2 * -f(x) if not x in y else place 2 of z"),
        (EXPRESSION, "1 +"),
        (EXPRESSION, ")"),
        (EXPRESSION, ""),
        (EXPRESSION, "sum of x for p in player where p is not q"),
        (TYPE, "set of (cell, side) up to 9"),
        (TYPE, "0..9 or none"),
        (TYPE, "insideout"),
        (DECLARATION, "play\n    nothing\n  nothing\n"),
        (DECLARATION, "play\n\tnothing\n        nothing\n"),
        (DECLARATION, "enum a = b,\n\n  # why\nc\n"),
        (DECLARATION, "value v = (1\n\n + 2)\n"),
        (DECLARATION, "play\n    stop when x\n    or y # so\n\n    nothing\n"),
    ],
)
def test_it_reads_pieces_as_lark_does(start: str, text: str) -> None:
    assert own_tree(text, start) == lark_tree(text, start)


def test_it_refuses_what_lark_refuses(evidence: Evidence) -> None:
    """Words of declarations left out, doubled, exchanged or taken from elsewhere."""
    pieces = [piece + "\n" for path in RULES for piece in re.split(r"\n(?=\w)", path.read_text(encoding="utf-8"))]
    vocabulary = sorted({word for piece in pieces for word in WORD.findall(piece)})
    for seed in evidence.cases("the automaton agrees with Lark", full=20_000, slice=300):
        dice = random.Random(seed)
        words = re.findall(r'"[^"\n]*"|#[^\n]*|\w+|\s+|[^\w\s]', dice.choice(pieces))
        for _ in range(dice.choice((1, 1, 2, 3))):
            place = dice.randrange(len(words))
            words[place] = dice.choice(("", words[place] * 2, dice.choice(words), dice.choice(vocabulary)))
        text = "".join(words)
        assert own_tree(text, DECLARATION) == lark_tree(text, DECLARATION), text
