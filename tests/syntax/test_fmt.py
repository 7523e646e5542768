"""`chocolatl fmt`: the layout changes, and nothing else; twice is once; nothing is half-written."""

from __future__ import annotations

import io
import random
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl import cli
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import make_source
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.formatter import WIDTH, formatted
from chocolatl.interpreter.syntax.parser import parse_rules
from chocolatl.interpreter.syntax.printer import print_rules
from tests.conftest import ROOT, Evidence
from tests.data.test_data import EVERYTHING, EXPRESSIONS, NOWHERE

SHIPPED = sorted((ROOT / "rules").glob("*/*.rules"))
HEADER = "language 1\ngame g\n\n"
WORDS = re.compile(r'"[^"\n]*"|#[^\n]*|\n[ \t]*|[ \t]+|yes/no|\.\.|[<>]=?|\w+|[^\w\s]')
COMMENT = re.compile(r'(?:"[^"\n]*"|[^"#\n])*(#[^\n]*)?')


def laid_out(text: str) -> str:
    result = formatted(text)
    assert result is not None
    return result


def meaning(text: str) -> str:
    findings = Findings()
    rules = parse_rules(make_source("g", text), findings)
    assert rules is not None and not findings.items, [f.message for f in findings.items]
    return print_rules(rules)


def comments(text: str) -> list[str]:
    return [found[1].rstrip() for line in text.split("\n") if (found := COMMENT.match(line)) and found[1]]


def scrambled(text: str, dice: random.Random, breaks: bool) -> str:
    """The same words with other spaces and margins; with `breaks`, also other lines, and comments among them."""
    step = dice.choice((1, 2, 3, 8))
    result, depth = "", 0
    for word in WORDS.findall(text):
        if word[0] == "\n":
            margin = len(word) - 1
            goes_on = margin % 4 or result.rstrip()[-1:] == ","
            fresh = "\n" + " " * (margin if goes_on else margin // 4 * step)
            if breaks and dice.random() < 0.1:
                fresh = dice.choice(("  # here", "\n", "\n\n", "\n# there", "\n      # inside")) + fresh
            result += fresh
        elif not word.strip():
            near = result[-1:].isalnum() or result[-1:] == '"'
            result += " " * dice.choice((1, 1, 2, 5)) if near or dice.random() < 0.7 else ""
        else:
            depth += (word in "([") - (word in ")]") if word not in ("", '"') else 0
            if breaks and word in ("and", "or", "where", "+") and dice.random() < 0.2 and result.strip():
                result += "\n" + " " * 40
            result += word
            if breaks and word == "," and dice.random() < 0.1 and not re.search(r"strict\b", text[:0]):
                result += "\n" + " " * dice.randrange(50)
    return result


# ---------------------------------------------------------------- the layout


def test_all_shipped_rules_are_in_canonical_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fmt", str(ROOT / "rules"), "--check"]) == 0, capsys.readouterr().out


MESSY = """\
language   1
game g
# The pieces.
enum colour=red,green ,gold# three
enum site = quay "The quay", inn    "Inn",market "Market"   # where
component card( value ,suit:site)
item a "A"
item longer   "B"


table has
  x:0..9=-1   # short
  a_longer_name : player or nobody
\tnot_so[1..3] : set of card  secret
play
   for each p in player   where p.score>-1
         p gains 2*( p.x-1 ) score

         # the last of the block
   # after the block
   stop when
      x is 1   or x is 2
value v( p:player )=
   (p . score)
     - 1   # less
   +f( p )[ 1 ]
"""

NEAT = """\
language 1
game g

# The pieces.
enum colour = red, green, gold                  # three

enum site = quay   "The quay",                  # where
            inn    "Inn",
            market "Market"

component card (value, suit : site)
item a      "A"
item longer "B"

table has
    x             : 0..9 = -1                   # short
    a_longer_name : player or nobody
    not_so[1..3]  : set of card secret

play
    for each p in player where p.score > -1
        p gains 2 * (p.x - 1) score

        # the last of the block
    # after the block
    stop when x is 1 or x is 2

value v(p : player) =
    (p.score)
    - 1                                         # less
    + f(p)[1]
"""


def test_words_columns_margins_and_comments_have_their_places() -> None:
    messy = MESSY.replace("\tnot_so", "  not_so").replace("stop when\n      x", "stop when x")
    assert laid_out(messy) == NEAT
    assert laid_out(NEAT) == NEAT


def test_a_line_that_is_too_long_is_broken() -> None:
    terms = " and ".join(f"a_rather_long_name_{n} is {n}" for n in range(9))
    text = laid_out(HEADER + f"value v = {terms}\n")
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert text.count("\n    and ") == 2
    assert meaning(text) == meaning(HEADER + f"value v = {terms}\n")


def test_crlf_and_a_byte_order_mark_are_read_and_lf_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.rules"
    path.write_bytes(b"\xef\xbb\xbf" + NEAT.replace("\n", "\r\n").encode())
    assert cli.main(["fmt", str(path), "--check"]) == 1
    assert cli.main(["fmt", str(path)]) == 0
    assert path.read_bytes() == NEAT.encode()


# ---------------------------------------------------------------- nothing else changes


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_spaces_and_margins_are_of_no_account(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for seed in range(3):
        assert laid_out(scrambled(text, random.Random(seed), breaks=False)) == text


def test_any_layout_keeps_words_and_comments(evidence: Evidence) -> None:
    texts = [path.read_text(encoding="utf-8") for path in SHIPPED] + [EVERYTHING]
    pieces = [piece + "\n" for text in texts for piece in re.split(r"\n\n(?=\w)", text)[1:]]
    for seed in evidence.cases("fmt keeps words and comments", full=20_000, slice=200):
        dice = random.Random(seed)
        messy = HEADER + scrambled(dice.choice(pieces), dice, breaks=True)
        if parse_rules(make_source("g", messy), found := Findings()) is None or found.items:
            continue  # a comment may stand where none can
        neat = laid_out(messy)
        assert laid_out(neat) == neat, messy
        assert meaning(neat) == meaning(messy)
        assert comments(neat) == comments(messy)


@given(EXPRESSIONS, EXPRESSIONS, st.sampled_from((20, 60, WIDTH)))
def test_any_formula_keeps_its_meaning(one: t.Expression, two: t.Expression, width: int) -> None:
    name = t.Name(NOWHERE, "delta")
    body = (t.Becomes(NOWHERE, one, two), t.Let(NOWHERE, name, t.Range(NOWHERE, one, two), two))
    rules = t.RuleFile(NOWHERE, 1, name, (t.Play(NOWHERE, body), t.Value(NOWHERE, name, (), None, one)))
    text = print_rules(rules)
    neat = formatted(text, width=width)
    assert neat is not None
    assert meaning(neat) == meaning(text)
    assert formatted(neat, width=width) == neat


def test_the_hash_of_the_rules_stays(tmp_path: Path) -> None:
    for path in SHIPPED:
        folder = tmp_path / path.stem
        shutil.copytree(path.parent, folder)
        text = scrambled(path.read_text(encoding="utf-8"), random.Random(7), breaks=False)
        (folder / path.name).write_text(text, encoding="utf-8")
        before, after = load_game(path.parent, Findings()), load_game(folder, Findings())
        assert before is not None and after is not None and before.rules_hash == after.rules_hash
        assert cli.main(["fmt", str(folder)]) == 0
        again = load_game(folder, Findings())
        assert again is not None and again.rules_hash == before.rules_hash


# ---------------------------------------------------------------- variants

VARIANT = """\
kind: variant   # by hand
format: 1
extends: goofspiel
title: T
why: |
  Because  of
     this.
set:
  cards:   6      # few
replace:
  award: |   # the heart
    procedure award   "The second"
        let points=stake     # so much
        contest bidders
            second p   alone
                p gains points score for winnings
        move all offer to gone
"""


def test_the_declarations_of_a_variant_are_formatted_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "v.yaml"
    path.write_text(VARIANT, encoding="utf-8")
    assert cli.main(["fmt", str(path)]) == 0
    neat = VARIANT.replace('award   "The', 'award "The').replace("second p   alone", "second p alone")
    neat = neat.replace("    let points=stake     # so", "    let points = stake" + " " * 26 + "# so")
    assert path.read_text(encoding="utf-8") == neat
    assert cli.main(["fmt", str(path), "--check"]) == 0


@pytest.mark.parametrize("text", ['"procedure award\\n    do x"', "procedure award", ">\n    procedure award\n      x"])
def test_texts_that_are_no_literal_blocks_stay(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "v.yaml"
    path.write_text(VARIANT[: VARIANT.index("replace")] + f"replace:\n  award: {text}\n", encoding="utf-8")
    before = path.read_bytes()
    code = cli.main(["fmt", str(path)])
    assert code in (0, 2) and path.read_bytes() == before, capsys.readouterr().err


# ---------------------------------------------------------------- the command


def test_standard_input_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, out, code in (
        (["-"], "language 1\ngame g\n", 0),
        (["-", "--check"], "", 1),
        (["-", "--diff"], "-language  1\n", 0),
    ):
        monkeypatch.setattr("sys.stdin", io.StringIO("language  1\ngame g"))
        assert cli.main(["fmt", *arguments]) == code
        assert out in capsys.readouterr().out


def test_check_and_diff_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.rules"
    path.write_text("language  1\ngame g\n")
    assert cli.main(["fmt", str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out == f"{path}\n"
    assert cli.main(["fmt", str(tmp_path), "--diff"]) == 0
    assert "-language  1\n+language 1\n" in capsys.readouterr().out
    assert path.read_text() == "language  1\ngame g\n"


def test_what_cannot_be_formatted_is_told_and_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad, good = tmp_path / "bad.rules", tmp_path / "good.rules"
    bad.write_text("language 1\ngame g\nenum = =\n")
    good.write_text("language  1\ngame g\n")
    (tmp_path / "binary.rules").write_bytes(b"\0\1")
    assert cli.main(["fmt", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert "bad.rules:3" in captured.err and "binary" in captured.err and "Traceback" not in captured.err
    assert bad.read_text() == "language 1\ngame g\nenum = =\n"
    assert good.read_text() == "language 1\ngame g\n"
    assert cli.main(["fmt", str(tmp_path / "missing.rules")]) == 2
    (tmp_path / "empty").mkdir()
    assert cli.main(["fmt", str(tmp_path / "empty")]) == 2
