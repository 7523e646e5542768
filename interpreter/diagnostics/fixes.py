"""From a finding to edits that mend it: those it carries, or the nearest spelling that its hint names."""

from __future__ import annotations

import re

from chocolatl.interpreter.diagnostics import Diagnostic, Edit, Fix
from chocolatl.interpreter.source import Span

SPELLING = re.compile(r"did you mean `([^`]+)`\?")
QUOTED = re.compile(r"`([^`]+)`")


def suggested(diagnostic: Diagnostic) -> Fix | None:
    """The edits of a finding, if it is clear where they go. A guess at a spelling is never safe."""
    if diagnostic.fix is not None:
        return diagnostic.fix
    meant, wrong = SPELLING.fullmatch(diagnostic.hint), QUOTED.findall(diagnostic.message)
    if meant is None or not wrong:
        return None
    span = _of_word(diagnostic.span, wrong[-1] if diagnostic.code != "E312" else wrong[0])
    return Fix((Edit(span, meant[1]),)) if span is not None else None


def _of_word(span: Span, word: str) -> Span | None:
    """The one place of a word inside a stretch."""
    if span.line != span.end_line:
        return None
    text = span.source.line(span.line)[span.column - 1 : span.end_column - 1]
    places = [found.start() for found in re.finditer(rf"(?<![\w]){re.escape(word)}(?!\w)", text)]
    if len(places) != 1:
        return None
    column = span.column + places[0]
    return Span(span.source, span.line, column, span.line, column + len(word))
