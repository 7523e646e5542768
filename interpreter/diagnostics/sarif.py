"""Findings in the Static Analysis Results Interchange Format, version 2.1.0, which code hosts and editors read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from chocolatl.interpreter.diagnostics import Diagnostic, Edit, in_order
from chocolatl.interpreter.diagnostics.fixes import suggested
from chocolatl.interpreter.diagnostics.pages import page
from chocolatl.interpreter.source import Span

VERSION = "2.1.0"
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(diagnostics: Iterable[Diagnostic], tool: str, version: str) -> dict[str, object]:
    """One run with all findings; each code that occurs is a rule with its page."""
    found = in_order(diagnostics)
    codes = sorted({d.code for d in found})
    driver = {"name": tool, "version": version, "rules": [_rule(code) for code in codes]}
    results = [_result(d, codes.index(d.code)) for d in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def _rule(code: str) -> dict[str, object]:
    about = page(code)
    what, why = about.sections["What"], about.sections["Why"]
    return {
        "id": code,
        "shortDescription": {"text": about.title},
        "fullDescription": {"text": what.replace("\n", " ")},
        "help": {"text": f"{what}\n\n{why}", "markdown": about.text},
        "defaultConfiguration": {"level": about.severity},
    }


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, object]:
    d = diagnostic
    result: dict[str, object] = {
        "ruleId": d.code,
        "ruleIndex": rule,
        "level": d.severity,
        "message": {"text": f"{d.message}; {d.hint}" if d.hint else d.message},
        "locations": [{"physicalLocation": _location(d.span)}],
    }
    if d.related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": other.message}, "physicalLocation": _location(other.span)}
            for number, other in enumerate(d.related)
        ]
    fix = suggested(d)
    if fix is not None:
        result["fixes"] = [{"artifactChanges": [_change(name, fix.edits) for name in _files(fix.edits)]}]
    return result


def _files(edits: Iterable[Edit]) -> list[str]:
    return list(dict.fromkeys(edit.span.source.name for edit in edits))


def _change(name: str, edits: Iterable[Edit]) -> dict[str, object]:
    own = [edit for edit in edits if edit.span.source.name == name]
    replacements = [{"deletedRegion": _region(e.span), "insertedContent": {"text": e.text}} for e in own]
    return {"artifactLocation": {"uri": _uri(name)}, "replacements": replacements}


def _location(span: Span) -> dict[str, object]:
    return {"artifactLocation": {"uri": _uri(span.source.name)}, "region": _region(span)}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _uri(name: str) -> str:
    path = Path(name)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))  # a name may be no UTF-8
