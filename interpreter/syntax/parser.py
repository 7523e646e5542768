"""Rule text to tree, with messages for people where the text does not follow the grammar.

A mistake costs one declaration: its lines are blanked and the rest is parsed again, so that one run reports many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.exceptions import LarkError
from lark.indenter import DedentError, Indenter

from interpreter.diagnostics import Findings
from interpreter.source import Source, Span, whole_line
from interpreter.syntax import tree as t
from interpreter.syntax.build import Builder
from interpreter.syntax.mistakes import describe

MAX_SYNTAX_ERRORS = 20
MAX_DEPTH = 60
"""How deeply brackets, blocks and operators may nest; far beyond any real rule, far below Python's own limits."""


class RuleIndenter(Indenter):
    NL_type = "_NEWLINE"
    OPEN_PAREN_types = ["LPAR", "LSQB"]
    CLOSE_PAREN_types = ["RPAR", "RSQB"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        result: Iterator[Token] = super().process(self._joined(stream))  # type: ignore[no-untyped-call]
        return result

    def _joined(self, stream: Iterator[Token]) -> Iterator[Token]:
        """A comma at the end of a line goes on in the next."""
        previous = ""
        for token in stream:
            if not (token.type == self.NL_type and previous == "COMMA"):
                yield token
            previous = token.type


@cache
def grammar() -> Lark:
    text = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        start=["start", "expression", "declaration", "type"],
        postlex=RuleIndenter(),
        propagate_positions=True,
        maybe_placeholders=True,
    )


def parse_rules(source: Source, findings: Findings) -> t.RuleFile | None:
    """The tree of a rule file. With syntax errors: what could be read of it, or None when nothing could."""
    return _parse(source, "start", findings)  # type: ignore[no-any-return]


def parse_declaration(source: Source, findings: Findings) -> t.Declaration | None:
    """One declaration, as a variant writes it in place of another."""
    return _parse(source, "declaration", findings)  # type: ignore[no-any-return]


def parse_expression(text: str, span: Span, findings: Findings) -> t.Expression | None:
    """An expression inside another text, such as a prompt or a table. All its nodes get the span of that text."""
    return _parse_inside(text, "expression", span, findings)


def parse_type(text: str, span: Span, findings: Findings) -> t.Expression | None:
    """A type inside another text, such as the range of an attribute in a table."""
    return _parse_inside(text, "type", span, findings)


def tokens(source: Source) -> list[str]:
    """The words of a rule file without comments and layout, for the hash of the rules. It must parse."""
    result: list[str] = []
    parser = grammar().parse_interactive(_text(source), start="start")
    for token in parser.iter_parse():
        result.append(f"{token.type}" if token.type in ("_NEWLINE", "_INDENT", "_DEDENT") else str(token))
    return result


def _parse_inside(text: str, start: str, span: Span, findings: Findings) -> t.Expression | None:
    own = Findings()
    inner = _parse(Source(span.source.name, text), start, own)
    if own.items or inner is None:
        what = "a type" if start == "type" else "an expression"
        findings.error("E101", f"`{text}` is not {what}", span)
        return None
    return _Relocated(span).build(grammar().parse(text, start=start))  # type: ignore[no-any-return]


class _Relocated(Builder):
    """Builds nodes that all stand at one place of an outer file."""

    def __init__(self, place: Span) -> None:
        super().__init__(place.source)
        self.place = place

    def span(self, parsed: Any) -> Span:
        return self.place

    def token(self, token: Token) -> t.Name | t.Text:
        node = super().token(token)
        return type(node)(self.place, node.text)


def _text(source: Source) -> str:
    """What the lexer sees: blank and comment lines at the start are gone (but counted), the last line ends."""
    lines = source.text.split("\n")
    for number, line in enumerate(lines):
        if line.strip() and not line.lstrip().startswith("#"):
            break
        lines[number] = ""
    return "\n".join(lines).rstrip() + "\n"


def _parse(source: Source, start: str, findings: Findings) -> Any:
    text = _text(source)
    leading = len(text) - len(text.lstrip("\n"))
    lines = text[leading:].split("\n") if text.strip() else [""]
    for _ in range(MAX_SYNTAX_ERRORS):
        try:
            body = "\n".join(lines)
            parsed = grammar().parse(body if start in ("start", "declaration") else body.rstrip("\n"), start=start)
        except (LarkError, DedentError) as error:
            span = _place(error, source, lines, leading)
            message, hint = describe(error, lines[min(span.line - leading, len(lines)) - 1] if lines else "")
            findings.error("E101", message, span, hint)
            if start != "start" or not _blank(lines, span.line - leading):
                return None
            continue
        too_deep = _too_deep(parsed)
        if too_deep is not None:
            findings.error(
                "E102", f"this is nested more than {MAX_DEPTH} levels deep", whole_line(source, too_deep + leading)
            )
            return None
        builder = Builder(source) if not leading else _Shifted(source, leading)
        return builder.build(parsed)
    return None


class _Shifted(Builder):
    """Builds nodes of a text whose first lines were left out."""

    def __init__(self, source: Source, lines: int) -> None:
        super().__init__(source)
        self.lines = lines

    def _shift(self, span: Span) -> Span:
        return Span(self.source, span.line + self.lines, span.column, span.end_line + self.lines, span.end_column)

    def span(self, parsed: Any) -> Span:
        return self._shift(super().span(parsed))

    def token(self, token: Token) -> t.Name | t.Text:
        node = super().token(token)
        return type(node)(self._shift(node.span), node.text)


def _place(error: Exception, source: Source, lines: list[str], leading: int) -> Span:
    line, column, width = len(lines), 1, 1
    if isinstance(error, UnexpectedToken):
        token = error.token
        if token.type == "_NEWLINE" or token.type in ("_INDENT", "_DEDENT", "$END"):
            if token.type in ("_INDENT", "_DEDENT"):
                # The token stands at the end of the line before; what is wrong is the line that it opens.
                return whole_line(source, min(int(token.end_line or token.line or 1), len(lines)) + leading)
            line = int(token.line or len(lines))
            text = lines[line - 1] if line <= len(lines) else ""
            return Span(source, line + leading, max(len(text.rstrip()), 1), line + leading, len(text.rstrip()) + 2)
        line, column, width = int(token.line or 1), int(token.column or 1), len(str(token))
    elif isinstance(error, UnexpectedInput):
        line, column = int(error.line), int(error.column)
        if isinstance(error, UnexpectedCharacters) and line < 1:
            line = 1
    elif isinstance(error, DedentError):
        found = re.search(r"Unexpected dedent to column (\d+)", str(error))
        wanted = int(found[1]) if found else -1
        for number, text in enumerate(lines, start=1):
            if text.strip() and len(text) - len(text.lstrip()) == wanted and number > 1:
                line = number
        return whole_line(source, line + leading)
    line = max(1, min(line, len(lines)))
    return Span(source, line + leading, column, line + leading, column + width)


def _blank(lines: list[str], line: int) -> bool:
    """Take the declaration around a line out of the text. False when it has no lines left to take."""
    index = min(line, len(lines)) - 1
    first = index
    while first > 0 and (not lines[first].strip() or lines[first][0] in " \t"):
        first -= 1
    last = index + 1
    while last < len(lines) and (not lines[last].strip() or lines[last][0] in " \t#"):
        last += 1
    header = re.match(r"(language|game)\b", lines[first])
    if header or not any(text.strip() for text in lines[first:last]):
        return False
    for number in range(first, last):
        lines[number] = ""
    return True


def _too_deep(parsed: Any) -> int | None:
    """The line of the first node below the allowed depth. Without recursion: that is what it protects from."""
    stack = [(parsed, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, Token) or node is None:
            continue
        if depth > MAX_DEPTH:
            return 1 if node.meta.empty else int(node.meta.line)
        stack += [(child, depth + 1) for child in node.children]
    return None
