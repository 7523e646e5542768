"""What to say about a text that is not YAML: the parser's own words, turned into advice for who wrote the file."""

from __future__ import annotations

import re
from typing import Any

from chocolatl.interpreter.diagnostics import Diagnostic, Related
from chocolatl.interpreter.source import Source, Span

MISTAKES: tuple[tuple[str, str, str, str], ...] = (
    (
        r"mapping values are not allowed",
        "problem",
        "this `:` does not fit here",
        'put a text that contains ": " between quotation marks; check the indentation',
    ),
    (
        r"quoted scalar.*(end of stream|document indicator|document separator)",
        "context",
        "this text has no closing quotation mark",
        "close it with the quotation mark that opens it",
    ),
    (
        r"unknown escape|hexadecimal|hexdecimal|invalid Unicode|escape sequence",
        "problem",
        "this `\\` sequence is not known",
        "write `\\\\` for one backslash, or use single quotation marks",
    ),
    (r"document start", "problem", "this does not belong to what stands above", "a file holds one map"),
    (r"flow mapping", "problem", "`,` or `}` is missing here", "close each `{` with `}`"),
    (r"flow sequence", "problem", "`,` or `]` is missing here", "close each `[` with `]`"),
    (r"(could not|did not) find expected ':'", "context", "this line has no `:`", "write `key: value`"),
    (
        r"(alias|anchor)",
        "problem",
        "a value cannot begin with `*` or `&`",
        "put a text between quotation marks; aliases are not allowed",
    ),
    (r"block scalar", "problem", "nothing else may stand here beside `|` or `>`", "begin the text on the next line"),
    (
        r"block (mapping|collection|sequence)|expected <block end>|entries are not allowed",
        "problem",
        "this line does not fit the block that it stands in",
        "give all lines of one block the same indentation and form (`key: value`, or `- item`)",
    ),
    (r"node content", "problem", "a value is missing here", "write it, or put a text between quotation marks"),
    (r"directive", "problem", "a line cannot begin with `%`", "put a text between quotation marks"),
    (r"tag", "problem", "a value cannot begin with `!`", "put a text between quotation marks"),
)
"""A pattern of what the parser says, the place that helps most, the message and the advice."""


def describe(error: Any, source: Source) -> Diagnostic:
    """The finding for an error of the YAML parser, which has a problem and a context, each with its mark."""
    said = f"{error.context or ''} {error.problem or ''}"
    problem = _place(error.problem_mark or error.context_mark, source)
    context = _place(error.context_mark or error.problem_mark, source)
    if "cannot start any token" in said:
        return _bad_start(problem)
    for pattern, place, message, hint in MISTAKES:
        if re.search(pattern, said):
            span = problem if place == "problem" else context
            related: tuple[Related, ...] = ()
            if place == "problem" and re.search("flow|block", said) and context != problem:
                related = (Related(context, "it begins here"),)
            return Diagnostic("E201", message, span, hint, related)
    return Diagnostic("E201", f"this is not YAML: {error.problem or error.context or 'cannot be read'}", problem)


def _bad_start(span: Span) -> Diagnostic:
    character = span.source.line(span.line)[span.column - 1 : span.column]
    if character == "\t":
        return Diagnostic("E201", "a tab cannot indent a line", span, "use spaces")
    return Diagnostic("E201", f"a value cannot begin with `{character}`", span, "put a text between quotation marks")


def _place(mark: Any, source: Source) -> Span:
    """The place of a mark; one behind the last line is brought back to the end of what is written."""
    if mark is None:
        return Span(source, 1, 1, 1, 2)
    line, column = int(mark.line) + 1, int(mark.column) + 1
    lines = source.text.rstrip().split("\n")
    if line <= len(lines) and lines[line - 1][max(column - 2, 0) : column - 1] == "\\":
        column -= 1  # the two parsers differ in whether a bad escape begins at its backslash
    if line > len(lines) or (line == len(lines) and column > len(lines[-1].rstrip())):
        line, column = len(lines), max(len(lines[-1].rstrip()), 1)
    return Span(source, line, column, line, column + 1)
