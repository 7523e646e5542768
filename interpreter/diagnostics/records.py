"""Findings as plain data for programs: the contract of `check --format json`, `schemas/findings.schema.json`."""

from __future__ import annotations

from collections.abc import Iterable

from chocolatl.interpreter.diagnostics import Diagnostic, in_order
from chocolatl.interpreter.diagnostics.fixes import suggested
from chocolatl.interpreter.source import Span


def as_json(diagnostics: Iterable[Diagnostic]) -> dict[str, object]:
    """The contract of `check --format json`."""
    found = in_order(diagnostics)
    return {
        "findings": [
            {
                "code": d.code,
                "severity": d.severity,
                "message": d.message,
                **place_record(d.span),
                "hint": d.hint,
                "related": [{"message": r.message, **place_record(r.span)} for r in d.related],
                "fix": _fix(d),
            }
            for d in found
        ],
        "summary": {
            "errors": sum(d.severity == "error" for d in found),
            "warnings": sum(d.severity == "warning" for d in found),
        },
    }


def _fix(diagnostic: Diagnostic) -> dict[str, object] | None:
    fix = suggested(diagnostic)
    if fix is None:
        return None
    return {"safe": fix.safe, "edits": [{**place_record(edit.span), "text": edit.text} for edit in fix.edits]}


def place_record(span: Span) -> dict[str, object]:
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
