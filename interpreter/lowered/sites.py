"""Where a run of the rules can fail, and the error that it ends with there: a table of source locations by number.

Emitted code holds the number of a site alone; the span and the words are looked up when it fails (side table, as line
tables of debuggers are). Interpreter and native code share the numbers, so that both fail with the same message.
"""

from __future__ import annotations

from typing import NoReturn

from chocolatl.interpreter.source import Span


class RuleError(Exception):
    """The rules asked for something impossible while a game ran. `span` is the line that did."""

    def __init__(self, span: Span, message: str) -> None:
        self.span = span
        self.message = message
        super().__init__(f"{span}: {message}")


class Sites:
    """Places in the rules where a run can fail."""

    def __init__(self) -> None:
        self.known: list[tuple[Span, str]] = []

    def add(self, span: Span, message: str) -> int:
        self.known.append((span, message))
        return len(self.known) - 1

    def fail(self, site: int, value: object = None) -> NoReturn:
        span, message = self.known[site]
        raise RuleError(span, message.replace("{}", str(value)))
