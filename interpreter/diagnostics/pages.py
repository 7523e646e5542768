"""The page of each code: what it means, why it is reported, an example, and what to write instead.

One file a code in `codes/`, named after it. Nothing else lists the codes: a file that is there is a code, and the tests
see to it that the program reports these and no others, and that every example gives its finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from chocolatl.interpreter.system.shipped import shipped

CODES = shipped("interpreter/diagnostics/codes")
SECTIONS = ("What", "Why", "Example", "Instead")

FAMILIES = {
    "0": "unused and unreachable",
    "1": "syntax",
    "2": "YAML and schema",
    "3": "names",
    "4": "types",
    "5": "ranges",
    "6": "positions",
    "7": "scenarios",
    "8": "play",
    "9": "variants",
}
"""What the first digit of a code tells."""


@dataclass(frozen=True)
class Page:
    """The page of one code; `sections` are its texts in Markdown, by heading."""

    code: str
    title: str
    text: str
    sections: dict[str, str]

    @property
    def family(self) -> str:
        return FAMILIES[self.code[1]]

    @property
    def severity(self) -> str:
        return "warning" if self.code.startswith("W") else "error"


@cache
def codes() -> tuple[str, ...]:
    """All codes, by family and number, errors first."""
    return tuple(sorted((path.stem for path in CODES.glob("*.md")), key=lambda code: (code[1], code)))


@cache
def page(code: str) -> Page:
    """The page of a code; `KeyError` if there is none."""
    if code not in codes():
        raise KeyError(code)
    text = (CODES / f"{code}.md").read_text(encoding="utf-8")
    head, *parts = re.split(r"(?m)^## (\w+)\n", text)
    title = head.strip().removeprefix(f"# {code}: ")
    return Page(code, title, text, {name: body.strip() for name, body in zip(parts[::2], parts[1::2], strict=True)})
