"""Safe edits are made in the files (autofix): only what was found wrong changes, line ends and all else stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from chocolatl.interpreter.diagnostics import Diagnostic, Edit
from chocolatl.interpreter.formats.files import write_text

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


def apply_safe(diagnostics: Iterable[Diagnostic]) -> int:
    """Make the safe edits of findings, and count what they mend. Edits that overlap wait for the next run."""
    by_file: dict[str, list[tuple[Edit, ...]]] = {}
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        names = {edit.span.source.name for edit in fix.edits} if fix is not None and fix.safe else set()
        if fix is not None and len(names) == 1:
            by_file.setdefault(names.pop(), []).append(fix.edits)
    return sum(_apply(Path(name), fixes) for name, fixes in by_file.items())


def _apply(path: Path, fixes: list[tuple[Edit, ...]]) -> int:
    text = path.read_bytes().decode("utf-8")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    starts = [found.start() for found in LINE.finditer(text.removeprefix(mark))]
    body = text.removeprefix(mark)
    chosen: list[tuple[int, int, str]] = []
    made = 0
    for edits in fixes:
        places = [(_offset(e.span.line, e.span.column, starts, body), e) for e in edits]
        ends = [(begin, _offset(e.span.end_line, e.span.end_column, starts, body), e.text) for begin, e in places]
        if not any(begin < other_end and other < end for begin, end, _ in ends for other, other_end, _ in chosen):
            chosen += ends
            made += 1
    for begin, end, new in sorted(chosen, reverse=True):
        body = body[:begin] + new + body[end:]
    write_text(path, mark + body)
    return made


def _offset(line: int, column: int, starts: list[int], text: str) -> int:
    return min(starts[line - 1] + column - 1, len(text)) if line <= len(starts) else len(text)
