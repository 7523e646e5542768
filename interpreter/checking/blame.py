"""What only a whole variant shows: that it changes nothing, or that it breaks the rules of its game.

Errors at other places than the variant's own file that the game it extends does not have come from what the variant
changes. They are reported there, with the rule that breaks as the other place.
"""

from __future__ import annotations

import re
from pathlib import Path

from chocolatl.interpreter.analysis.pipeline import check
from chocolatl.interpreter.data.load import extended, read_document
from chocolatl.interpreter.data.strict_yaml import Document, load
from chocolatl.interpreter.diagnostics import Diagnostic, Findings, Related
from chocolatl.interpreter.source import Source, Span

WORD = re.compile(r"[A-Za-z_]\w*")


def report_idle(source: Source, findings: Findings) -> None:
    """Report a variant that has nothing to say."""
    document = read_document(source, "variant", Findings())
    if document is not None and not any(document.value.get(part) for part in ("set", "replace", "drop")):
        findings.warning("W903", "this variant changes nothing", document.span(("extends",)), "give it a `set`")


def blame_variant(path: Path, source: Source, findings: Findings) -> None:
    """Turn the errors that a variant causes elsewhere into findings about the variant, one for each cause."""
    abroad = [d for d in findings.items if d.severity == "error" and d.span.source.name != source.name]
    document = load(source, Findings()) if abroad else None
    if document is None:
        return
    parent = extended(path, document)
    before = Findings()
    if parent is not None:
        check(parent, before)
    new = [d for d in abroad if d not in before.items]
    causes: dict[Span, list[Diagnostic]] = {}
    for diagnostic in new:
        causes.setdefault(_cause(diagnostic, document), []).append(diagnostic)
    findings.items[:] = [d for d in findings.items if d not in new]
    findings.items += [_joined(cause, broken) for cause, broken in causes.items()]


def _joined(cause: Span, broken: list[Diagnostic]) -> Diagnostic:
    first = broken[0]
    places = dict.fromkeys(d.span for d in broken)
    related = [Related(span, "this is the rule that breaks" if span == first.span else "and this") for span in places]
    return Diagnostic("E906", f"this breaks a rule: {first.message}", cause, first.hint, (*related, *first.related))


def _cause(diagnostic: Diagnostic, document: Document) -> Span:
    """The setting whose name stands in the line that breaks; else what the variant changes first."""
    words = set(WORD.findall(diagnostic.span.source.line(diagnostic.span.line) + " " + diagnostic.message))
    changes = [place for part in ("set", "drop", "replace") for place in _places(document.value.get(part), (part,))]
    for place in changes:
        if place[0] != "replace" and any(set(WORD.findall(str(step))) & words for step in place[1:]):
            return document.key_span(place)
    return document.key_span(changes[0]) if changes else document.span(("extends",))


def _places(value: object, path: tuple[str | int, ...]) -> list[tuple[str | int, ...]]:
    """The paths to everything that is changed."""
    if not isinstance(value, dict):
        return [path] if len(path) > 1 else []
    return [inner for key, entry in value.items() for inner in _places(entry, (*path, key))]
