"""Each token of every shipped rule file is deleted or misspelt in turn: does the finding point at the right line?

Line ends and indentation count as tokens: two lines are joined, a line moves into or out of its block. A change after
which the rules are still right (another number, another text) says nothing and is left out.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chocolatl.interpreter.analysis.pipeline import check, compile_game
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Diagnostic, Findings
from chocolatl.interpreter.source import read_source
from chocolatl.interpreter.syntax.grammar import tokens
from tests.conftest import Evidence, scaled

FULL_SHARE = 0.95
SLICE_SHARE = 0.85
SLICE = 300
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SLIPS = {
    "(": "[", ")": "]", "[": "(", "]": ")", ":": ";", ",": ".", ".": ",", "=": "==", "..": ".", "+": "&", "-": "~",
    "*": "x", "/": "\\", "<": "=<", ">": "=>", "<=": "=<", ">=": "=>", "yes/no": "yes\\no",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A token of a rule file. `indentation` is where the line below goes when it is a change of blocks."""

    game: str
    kind: str
    begin: int
    end: int
    line: int
    text: str
    indentation: int | None = None


@dataclass(frozen=True)
class Mutant:
    """A rule file with one mistake, the line that it is in, and what was done."""

    token: Token
    deed: str
    line: int
    text: str

    def __str__(self) -> str:
        shown = self.text.split("\n")[self.line - 1].strip()
        return f"{self.token.game}:{self.line}: {self.deed} `{self.token.text.strip() or self.token.kind}`: {shown}"


@cache
def rules_of(game: str) -> str:
    """The rules, without the blank and comment lines that may open the file."""
    text = read_source(rules_folder() / game / f"{game}.rules").text.rstrip() + "\n"
    return re.sub(r"\A(\s*(#[^\n]*)?\n)+", "", text)


def tokens_of(game: str) -> Iterator[Token]:
    text = rules_of(game)
    found = tokens(text)
    lines = text.split("\n")
    levels = [0]
    for number, token in enumerate(found):
        kind, begin, end = token.type, int(token.start_pos or 0), int(token.end_pos or 0)
        line = int(token.line or 1)
        following = found[number + 1].type if number + 1 < len(found) else "$END"
        if kind not in ("_INDENT", "_DEDENT"):
            if kind != "$END" and not (kind == "_NEWLINE" and end >= len(text)):
                yield Token(game, kind, begin, end, line, str(token))
            continue
        below = text.count("\n", 0, end) + 1
        if kind == "_INDENT":
            yield Token(game, kind, begin, end, below, "", levels[-1])
            levels.append(len(lines[below - 1]) - len(lines[below - 1].lstrip()))
        else:
            closed = levels.pop()
            if following not in ("_DEDENT", "$END") and below <= len(lines):
                yield Token(game, kind, begin, end, below, "", closed)


def deleted(token: Token) -> Mutant:
    text = rules_of(token.game)
    if token.indentation is not None:
        lines = text.split("\n")
        lines[token.line - 1] = " " * token.indentation + lines[token.line - 1].lstrip()
        return Mutant(token, "moved", token.line, "\n".join(lines))
    gap = " " if token.kind == "_NEWLINE" else ""
    return Mutant(token, "deleted", token.line, text[: token.begin] + gap + text[token.end :])


def misspelt(token: Token, choice: random.Random) -> Mutant:
    text = rules_of(token.game)
    word = slip(token.text, choice)
    return Mutant(token, "misspelt", token.line, text[: token.begin] + word + text[token.end :])


def slip(word: str, choice: random.Random) -> str:
    """What a hasty hand makes of a word or sign."""
    if word.startswith('"'):
        return choice.choice([word[:-1], word[1:], word[:-1] + "'"])
    if word in SLIPS:
        return SLIPS[word]
    at = choice.choice([number for number, letter in enumerate(word) if letter.isalnum()])
    before, letter, after = word[:at], word[at], word[at + 1 :]
    if word.isdigit():
        return before + choice.choice("OlI") + after
    ways = [before + 2 * letter + after, word + choice.choice("sxe")]
    ways.append(before + choice.choice(LETTERS.replace(letter.lower(), "")) + after)
    if len(word) > 2:
        ways.append(before + after)
        ways.append(before + after[:1] + letter + after[1:])
    return choice.choice([way for way in ways if way != word])


@cache
def cases() -> list[tuple[Token, str]]:
    """Everything that can be done, in an order that is mixed but always the same."""
    found: list[tuple[Token, str]] = []
    for game in games_in(rules_folder()):
        for token in tokens_of(game):
            found.append((token, "delete"))
            if token.indentation is None and token.kind != "_NEWLINE":
                found.append((token, "misspell"))
    random.Random(1).shuffle(found)
    return found


def mutant(seed: int) -> Mutant:
    token, deed = cases()[seed % len(cases())]
    return deleted(token) if deed == "delete" else misspelt(token, random.Random(seed))


def found_in(mutant: Mutant, folder: Path) -> list[Diagnostic]:
    """What `check` finds for one number of players."""
    place = folder / mutant.token.game
    if not place.exists():
        place.mkdir()
        shutil.copy(rules_folder() / mutant.token.game / "game.yaml", place)
    (place / f"{mutant.token.game}.rules").write_text(mutant.text, encoding="utf-8")
    findings = Findings()
    files = load_game(place, findings)
    if files is not None:
        compile_game(files, files.minimum, findings)
    else:
        findings = Findings()
        check(place, findings)  # which looks at the rest too
    return [diagnostic for diagnostic in findings.items if diagnostic.severity == "error"]


def test_findings_point_at_the_line_of_the_mistake_or_the_next(evidence: Evidence, tmp_path: Path) -> None:
    wrong = right = several = 0
    missed: list[str] = []
    for seed in evidence.cases("mistakes are found where they are", full=len(cases()), slice=SLICE):
        changed = mutant(seed)
        found = found_in(changed, tmp_path)
        if not found:
            right += 1
            continue
        wrong += 1
        several += len({(d.span.line, d.message) for d in found}) > 1
        if not any(d.span.line in (changed.line, changed.line + 1) for d in found):
            first = found[0]
            missed.append(f"{changed}\n    {first.span.line}: {first.code} {first.message}")
    share = 1 - len(missed) / wrong
    report = f"{share:.1%} of {wrong} mistakes ({right} changes are none, {several} have several findings)"
    print("\n".join([report, *missed]))
    assert share >= scaled(full=1, slice=0) * (FULL_SHARE - SLICE_SHARE) + SLICE_SHARE, report
    assert several <= wrong / 20, report


def test_the_mutants_are_what_they_are_meant_to_be() -> None:
    tried = [mutant(seed) for seed in range(200)]
    assert {"moved", "deleted", "misspelt"} == {changed.deed for changed in tried}
    for changed in tried:
        before = rules_of(changed.token.game)
        assert changed.text != before
        line = changed.line - 1
        assert before.split("\n")[:line] == changed.text.split("\n")[:line]
        if changed.deed == "misspelt":
            assert before.split("\n")[line + 1 :] == changed.text.split("\n")[line + 1 :]
