"""Findings for people: as `chocolatl.interpreter.diagnostics` words them, with colours on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO

from chocolatl.interpreter.diagnostics import Diagnostic, in_order
from chocolatl.interpreter.diagnostics.text import render

STYLES = {"error": "bold color(1)", "warning": "bold color(3)"}
HEAD = re.compile(r"^(?P<place>\S.*?:\d+:\d+): (?P<severity>error|warning) (?P<code>[A-Z]\d+): ")


def print_findings(diagnostics: Iterable[Diagnostic], file: IO[str]) -> None:
    """Every finding once, by place, with an empty line between two."""
    texts = [render(diagnostic) for diagnostic in in_order(diagnostics)]
    if not texts:
        return
    if not file.isatty():
        file.write("\n\n".join(texts) + "\n")
        return
    from chocolatl.interpreter.terminal.output.console import VisibleText, make_console

    console = make_console(file)
    for number, text in enumerate(texts):
        shown = VisibleText(("\n" if number else "") + text)
        _colour(shown, text, len(shown.plain) - len(text))
        console.print(shown, soft_wrap=True)


def _colour(shown: object, text: str, start: int) -> None:
    from chocolatl.interpreter.terminal.output.console import VisibleText

    assert isinstance(shown, VisibleText)
    severity = "error"
    for line in text.split("\n"):
        end = start + len(line)
        head = HEAD.match(line)
        if head is not None:
            severity = head["severity"]
            shown.stylize("bold", start, start + head.end("place"))
            shown.stylize(STYLES[severity], start + head.start("severity"), start + head.end("code"))
        elif re.fullmatch(r"\s+\|\s*\^+", line):
            shown.stylize(STYLES[severity], start + line.index("^"), end)
        elif line.startswith("  help: "):
            shown.stylize("cyan", start, end)
        start = end + 1
