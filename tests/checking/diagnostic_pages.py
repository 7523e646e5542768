"""The pages about findings, with what `check` really says about their examples.

An example is the least that shows the mistake. To make a whole game of it, a rule text gets a header and the parts that
every game has, unless it brings them; game.yaml likewise. A block that names `sample.rules` is the whole file.

    python -m tests.checking.diagnostic_pages

writes docs/diagnostics anew.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from chocolatl.interpreter.checking.checker import Checker
from chocolatl.interpreter.diagnostics import Diagnostic, in_order
from chocolatl.interpreter.diagnostics.pages import FAMILIES, Page, codes, page
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.play.game import RuleError
from chocolatl.interpreter.play.library import load
from tests.conftest import ROOT
from tests.games import walk

DOCS = ROOT / "docs" / "diagnostics"
GAME = "sample"
BLOCK = re.compile(r"```(rules|yaml)(?: (\S+))?\n(.*?)```", re.DOTALL)
HEADER = f"language 1\ngame {GAME}\n\n"
DATA = f"kind: game\nformat: 1\nname: {GAME}\ntitle: Sample\n"
PARTS = {
    r"(?m)^\s+score\s*:": "each player has\n    score : 0..99 = 0\n",
    r"(?m)^play$": "play\n    nothing\n",
    r"(?m)^winner ": "winner p\n    highest p.score\n",
}
"""What shows that a rule text has a part of its own, and that part."""


def files_of(section: str) -> dict[str, str]:
    """The files that the blocks of an example stand for."""
    blocks = {name: text for _, name, text in BLOCK.findall(section)}
    rules = blocks.pop("", "")
    missing = [part for sign, part in PARTS.items() if not re.search(sign, rules)]
    files = {"game.yaml": "", f"{GAME}.rules": HEADER + "\n".join([rules, *missing] if rules else missing), **blocks}
    players = "" if "players:" in files["game.yaml"] else "players: {min: 2, max: 3}\n"
    files["game.yaml"] = DATA + players + files["game.yaml"]
    return files


def write(section: str, folder: Path) -> Path:
    for name, text in files_of(section).items():
        path = folder / GAME / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / GAME


OF_WHOLE_GAMES = ("W009", "W010")
"""What the least that shows a mistake has beside it: nothing looks at its fields and answers."""


def findings(section: str, folder: Path, code: str) -> list[Diagnostic]:
    """What `check` finds in an example for a page; for E801, what goes wrong in one of a few games."""
    place = write(section, folder)
    checker = Checker()
    checker.check(place)
    found = [d for d in checker.found() if d.code == code or d.code not in OF_WHOLE_GAMES]
    if code == "E801" and not found:
        game = load(place, 2)
        for seed in range(10):
            try:
                list(walk(game, seed))
            except RuleError as error:
                found.append(Diagnostic("E801", error.message, error.span))
                break
    return in_order(found)


def rendered(code: str) -> str:
    """All that a person gets to see about the example of a page."""
    with tempfile.TemporaryDirectory() as folder:
        found = findings(page(code).sections["Example"], Path(folder), code)
        return "\n\n".join(map(render, found)).replace(f"{folder}/", "").replace(folder, "games") + "\n"


def document(shown: Page) -> str:
    """The page of a code for docs/: with what `check` says about its example."""
    head = f"{shown.severity.capitalize()}, family [{shown.family}](README.md#{anchor(shown.family)})."
    said = "`chocolatl simulate` says:" if shown.code == "E801" else "`chocolatl check` says:"
    parts = [f"# {shown.code}: {shown.title}", head]
    for name, body in shown.sections.items():
        parts += [f"## {name}", plain(body)]
        if name == "Example":
            parts += [said, f"```text\n{rendered(shown.code)}```"]
    return "\n\n".join(parts) + "\n"


def plain(body: str) -> str:
    """A section with the file of each block above it: what stands behind the language is for the tests."""

    def titled(found: re.Match[str]) -> str:
        name = found[2] or f"{GAME}.rules"
        return f"`{name}`:\n\n```{found[1] if found[1] == 'yaml' else 'text'}\n{found[3]}```"

    return BLOCK.sub(titled, body)


def anchor(family: str) -> str:
    return family.lower().replace(" ", "-")


INTRODUCTION = """\
Every finding of `chocolatl check` has a code that stays the same from version to version. `chocolatl explain` shows its
page in the terminal. A code that begins with E is an error: the rules cannot be used. One that begins with W is a
warning: they can, but something is probably not as it was meant. A comment allows a warning at one place, with a
reason: `# allow W001: the next expansion needs it`."""


def overview() -> str:
    parts = [
        "# Findings",
        INTRODUCTION,
        "These pages are written by `python -m tests.checking.diagnostic_pages` from `interpreter/diagnostics/codes`.",
    ]
    for digit, family in FAMILIES.items():
        rows = [f"| [{code}]({code}.md) | {page(code).title} |" for code in codes() if code[1] == digit]
        parts += [f"## {family[0].upper()}{family[1:]}", "\n".join(["| code | about |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def documents() -> dict[Path, str]:
    """Everything that is generated: path -> text."""
    texts = {DOCS / "README.md": overview()}
    for code in codes():
        texts[DOCS / f"{code}.md"] = document(page(code))
    return texts


if __name__ == "__main__":
    for path, text in documents().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
