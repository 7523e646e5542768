"""The corpus of `tests/diagnostics`: rule files with what is to be found in them written beside the line.

A file in `bad/` is a document about one kind of mistake. Behind each line that is wrong stands what `check` says of it:

    value poor = coin                               # error E301: there is nothing called `coin`

No other finding may come: one mistake is one finding. Lines that begin with `#:` are added to the `game.yaml` of the
game. For some of these files `rendered/` holds all that a person gets to see, with carets and hints; run this module
(`python -m tests.checking.test_diagnostics`) to write these texts anew. A file in `good/` has no findings, and the game
that it makes can be played to its end.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from chocolatl.interpreter.analysis.pipeline import check
from chocolatl.interpreter.diagnostics import Diagnostic, Findings, in_order
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.source import make_source
from chocolatl.interpreter.syntax.grammar import grammar, vocabulary
from chocolatl.interpreter.syntax.layout import is_declaration
from chocolatl.interpreter.syntax.mistakes import EXAMPLES, FIRST_WORDS, whole
from chocolatl.interpreter.syntax.parser import parse_declaration, parse_rules
from chocolatl.interpreter.syntax.problems import FAILURES
from chocolatl.interpreter.syntax.words import OPENERS, RESERVED, START
from tests.conftest import ROOT
from tests.games import walk

CORPUS = ROOT / "tests" / "diagnostics"
GAME = "sample"
DATA = f"kind: game\nformat: 1\nname: {GAME}\ntitle: Sample\n"
PLAYERS = "players: {min: 2, max: 3}\n"
EXPECTED = re.compile(r"# (?:error|warning) ([EW]\d{3}): (.*?)(?=\s*(?:# (?:error|warning) |$))")


@dataclass(frozen=True, order=True)
class Expected:
    line: int
    code: str
    message: str


def files(kind: str, ending: str = "rules") -> list[Path]:
    return sorted((CORPUS / kind).glob(f"*.{ending}"))


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8")  # with the line ends that it has


def expected(text: str) -> list[Expected]:
    """What the comments of a file announce."""
    lines = enumerate(text.split("\n"), start=1)
    return [Expected(number, found[1], found[2]) for number, line in lines for found in EXPECTED.finditer(line)]


def write(folder: Path, text: str) -> dict[str, list[int]]:
    """The folder of a game with these rules. For each file: the line of the text that each of its lines comes from."""
    folder.mkdir(parents=True, exist_ok=True)
    numbered = list(enumerate(text.split("\n"), start=1))
    added = [(number, line[2:].removeprefix(" ")) for number, line in numbered if line[:2] == "#:"]
    data = DATA + ("" if any(line.startswith("players:") for _, line in added) else PLAYERS)
    (folder / "game.yaml").write_text(data + "".join(f"{line}\n" for _, line in added), encoding="utf-8")
    (folder / f"{GAME}.rules").write_bytes(text.encode("utf-8"))
    return {
        "game.yaml": [0] * data.count("\n") + [number for number, _ in added],
        f"{GAME}.rules": [number for number, _ in numbered],
    }


def found_in(folder: Path) -> list[Diagnostic]:
    findings = Findings()
    check(folder, findings)
    return in_order(findings.items)


# ---------------------------------------------------------------- bad files


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.stem)
def test_every_mistake_is_found_once_at_its_line(path: Path, tmp_path: Path) -> None:
    text = text_of(path)
    lines = write(tmp_path / GAME, text)
    found = []
    for diagnostic in found_in(tmp_path / GAME):
        line = lines[Path(diagnostic.span.source.name).name][diagnostic.span.line - 1]
        found.append(Expected(line, diagnostic.code, diagnostic.message))
    assert expected(text), "a bad file says what is wrong with it"
    assert sorted(found) == sorted(expected(text))


def test_every_error_has_an_example() -> None:
    stages = [path for stage in ("syntax", "program", "ir") for path in (ROOT / "interpreter" / stage).glob("*.py")]
    codes = {code for path in stages for code in re.findall(r'"(E\d{3})"', path.read_text(encoding="utf-8"))}
    shown = {entry.code for path in files("bad") for entry in expected(text_of(path))}
    assert codes - shown == set()


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.stem)
def test_findings_are_sorted_and_stand_inside_their_lines(path: Path, tmp_path: Path) -> None:
    write(tmp_path / GAME, text_of(path))
    found = found_in(tmp_path / GAME)
    places = [(d.span.source.name, d.span.line, d.span.column) for d in found]
    assert places == sorted(places)
    for diagnostic in found:
        span = diagnostic.span
        assert (span.line, span.column) < (span.end_line, span.end_column)
        assert span.column <= len(span.source.line(span.line)) + 1
        assert diagnostic.message[:1].islower() or not diagnostic.message[:1].isalpha()
        assert not diagnostic.message.endswith(".") and "\n" not in diagnostic.message


@pytest.mark.parametrize("path", files("bad"), ids=lambda path: path.stem)
def test_a_name_that_is_not_known_is_what_the_finding_points_at(path: Path, tmp_path: Path) -> None:
    write(tmp_path / GAME, text_of(path))
    for diagnostic in found_in(tmp_path / GAME):
        span = diagnostic.span
        if diagnostic.code == "E301" and span.source.name.endswith(".rules"):
            pointed_at = span.source.line(span.line)[span.column - 1 : span.end_column - 1]
            name = re.findall(r"`([^`]*)`", diagnostic.message)[-1]
            assert name in re.findall(r"[\w.]+", pointed_at) or pointed_at.endswith(f".{name}")


def rendered(path: Path) -> str:
    """All that `check` tells a person about a bad file."""
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(EXPECTED.sub("", line).rstrip() for line in text_of(path).split("\n"))
        write(Path(folder) / GAME, text)
        return "\n\n".join(map(render, found_in(Path(folder) / GAME))).replace(f"{folder}/", "") + "\n"


@pytest.mark.parametrize("path", files("rendered", "txt"), ids=lambda path: path.stem)
def test_what_a_person_gets_to_see(path: Path) -> None:
    assert rendered(CORPUS / "bad" / f"{path.stem}.rules") == text_of(path)


# ---------------------------------------------------------------- good files


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("path", files("good"), ids=lambda path: path.stem)
def test_a_good_file_has_no_findings_and_can_be_played(path: Path, players: int, tmp_path: Path, seed: int) -> None:
    write(tmp_path / GAME, text_of(path))
    assert found_in(tmp_path / GAME) == []
    game = load(tmp_path / GAME, players)
    for number in range(5):
        *_, last = walk(game, seed + number)
        assert game.is_over(last)
        assert len(game.result(last).scores) == players


def test_the_good_files_use_every_production() -> None:
    used = set()
    for path in files("good"):
        source = make_source(path.name, text_of(path))
        text = re.sub(r"\A(\s*(#[^\n]*)?\n)+", "", source.text).rstrip() + "\n"
        used |= {str(node.data) for node in grammar().parse(text, start=START).iter_subtrees()}
    productions = {str(rule.alias or rule.origin.name) for rule in grammar().rules}
    inlined = {str(rule.origin.name) for rule in grammar().rules if rule.options.expand1 or rule.alias}
    helpers = {name for name in productions if name.startswith("_")}
    assert productions - inlined - helpers - used == set()


def test_the_words_that_begin_a_declaration_are_known() -> None:
    for path in files("good"):
        rules = parse_rules(make_source(path.name, text_of(path)), Findings())
        assert rules is not None
        lines = [declaration.span.source.line(declaration.span.line) for declaration in rules.declarations]
        assert [line for line in lines if not is_declaration(line)] == []


# ---------------------------------------------------------------- labelled examples


@pytest.mark.parametrize(("advice", "example"), [(advice, text) for advice, texts in EXAMPLES for text in texts])
def test_an_example_gets_its_label(advice: str, example: str) -> None:
    findings = Findings()
    assert parse_declaration(make_source("example", whole(example)), findings) is None
    assert [finding.hint for finding in findings.items] == [advice]


@pytest.mark.parametrize(("word", "advice"), FIRST_WORDS.items())
def test_a_word_of_another_language_gets_its_advice(word: str, advice: str) -> None:
    for text in (f"play\n    {word} x is 3\n", f"{word} x is 3\n"):
        findings = Findings()
        parse_declaration(make_source("example", text), findings)
        assert [(f.message, f.hint) for f in findings.items] == [(f"`{word}` is not part of the language", advice)]


# ---------------------------------------------------------------- words that cannot be names

FORMULAS = ("X", "1 + X", "X + 1", "a and X", "f(X)", "X.b", "X[1]", "X is 1", "1 is X", "1 if X else 2", "size of X")
LINES = ("X becomes 1", "X.b becomes 1", "X gains 1 b", "X chooses b from c", "X[1] becomes 1")


def is_formula(text: str) -> bool:
    return _follows(text, "expression")


def is_line(text: str) -> bool:
    return _follows(f"play\n    {text}\n", "declaration")


def _follows(text: str, start: str) -> bool:
    try:
        grammar().parse(text, start=start)
    except FAILURES:
        return False
    return True


@pytest.mark.parametrize("word", sorted(vocabulary()))
def test_the_words_that_cannot_be_names_are_refused_where_they_are_declared(word: str) -> None:
    assert word in RESERVED or all(is_formula(text.replace("X", word)) for text in FORMULAS)
    assert word in RESERVED | OPENERS or all(is_line(text.replace("X", word)) for text in LINES)


if __name__ == "__main__":
    for kept in files("rendered", "txt"):
        kept.write_text(rendered(CORPUS / "bad" / f"{kept.stem}.rules"), encoding="utf-8")
