"""What goes wrong, as one kind of exception with a sentence for people (exception translation)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from chocolatl.interpreter.commands.shared.errors import failure_of
from chocolatl.interpreter.diagnostics import Diagnostic


class ChocolatlError(Exception):
    """A wrong file, name, count or answer, or rules that fail. The message is a sentence; `findings` are the mistakes
    of files, each with code, place and what to do."""

    def __init__(self, message: str, findings: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


@contextmanager
def told() -> Iterator[None]:
    """What the command line would tell in a line is a `ChocolatlError`; our own mistakes stay what they are."""
    try:
        yield
    except ChocolatlError:
        raise
    except Exception as error:
        failure = failure_of(error)
        if not failure.is_foreseen:
            raise
        message = "; ".join(map(_sentence, failure.findings)) or failure.message
        raise ChocolatlError(message, failure.findings) from error


def _sentence(finding: Diagnostic) -> str:
    help_ = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.span}: {finding.code}: {finding.message}{help_}"
