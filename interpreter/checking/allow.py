"""Comments that allow a warning at one place (suppressions): `# allow W001: the next expansion needs it`.

A comment behind something is about its line; one that stands alone is about the next line that has something. It names
one code and gives a reason. One that allows nothing is a finding itself, so that none outlives its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from chocolatl.interpreter.diagnostics import Diagnostic, Edit, Fix, nearest
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax import layout

COMMENT = re.compile(r"#\s*allow\s+(?P<code>[A-Za-z]+\d+)\b\s*(?::\s*(?P<reason>.*\S))?")
"""Only what looks like a code makes an allowance: a rule may be explained by `# allow two cards`."""


class ReviewedFile(Struct, frozen=True):
    """A file that was looked at; warnings are all there only if it has no errors."""

    source: Source
    flawless: bool


class _Allowance(Struct, frozen=True):
    code: str
    reason: str
    line: int
    comment: Span
    alone: bool


def without_allowed(items: Iterable[Diagnostic], files: Iterable[ReviewedFile]) -> list[Diagnostic]:
    """The findings that no comment allows, and those about the comments."""
    left = list(items)
    for file in files:
        if "allow" not in file.source.text:
            continue
        for allowance in _allowances(file.source):
            wrong = _problem(allowance)
            kept = [diagnostic for diagnostic in left if not _covers(allowance, diagnostic)]
            if wrong is None and len(kept) == len(left) and file.flawless:
                wrong = _not_needed(allowance)
            left = [*kept, wrong] if wrong is not None else kept
    return left


def _allowances(source: Source) -> Iterator[_Allowance]:
    lines = source.text.split("\n")
    for number, line in enumerate(lines, start=1):
        before = layout.code(line)
        found = COMMENT.match(line, len(before))
        if found is None:
            continue
        alone = not before.strip()
        about = number
        if alone:
            about = next((n for n in range(number + 1, len(lines) + 1) if layout.is_code(lines[n - 1])), number)
        comment = Span(source, number, len(before) + 1, number, len(line.rstrip()) + 1)
        yield _Allowance(found["code"], found["reason"] or "", about, comment, alone)


def _covers(allowance: _Allowance, diagnostic: Diagnostic) -> bool:
    span = diagnostic.span
    there = (span.source.name, span.line) == (allowance.comment.source.name, allowance.line)
    return there and diagnostic.code == allowance.code and diagnostic.severity == "warning"


def _problem(allowance: _Allowance) -> Diagnostic | None:
    from chocolatl.interpreter.diagnostics.pages import codes  # only who allows something needs to know all codes

    code, hint = allowance.code, ""
    if code not in codes():
        message = f"there is no code `{code}` to allow"
        hint = nearest(code, codes()) or "`chocolatl explain` lists all codes"
    elif not code.startswith("W"):
        message = f"`{code}` is an error, and only warnings can be allowed"
    elif not allowance.reason:
        message, hint = "this does not say why", f"write `# allow {code}: ` and the reason"
    else:
        return None
    return Diagnostic("E111", message, allowance.comment, hint)


def _not_needed(allowance: _Allowance) -> Diagnostic:
    span = allowance.comment
    source, line = span.source, span.line
    if allowance.alone:
        gone = Span(source, line, 1, line + 1, 1)
    else:
        gone = Span(source, line, len(layout.code(source.line(line)).rstrip()) + 1, line, span.end_column)
    message = f"there is no `{allowance.code}` here to allow"
    return Diagnostic("W007", message, span, "leave it out", fix=Fix((Edit(gone, ""),), safe=True))
