"""Rule text to tree, with messages where it does not follow the grammar (error recovery by declaration).

Declarations are parsed one by one: a mistake costs no more than its own declaration, so that one run reports many, and
what was parsed before is remembered, so that a file that changes in one place is read again in no time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.diagnostics import Edit, Findings, Fix, Related
from chocolatl.interpreter.source import Source, Span, whole_line
from chocolatl.interpreter.syntax import layout
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.automaton import ParseTree, Token
from chocolatl.interpreter.syntax.build import OVER_SETS, Builder
from chocolatl.interpreter.syntax.tables import automaton
from chocolatl.interpreter.syntax.words import DECLARATION, EXPRESSION, HEADER, START, TYPE

if TYPE_CHECKING:  # needed only for texts in which something is wrong
    from chocolatl.interpreter.syntax.problems import SyntaxProblem, TextPlace

LANGUAGE = 1
MAX_PROBLEMS = 20
"""A text with more problems than this is in another language; the rest of it is not looked at."""


def parse_rules(source: Source, findings: Findings) -> t.RuleFile | None:
    """The tree of a rule file. With syntax errors: what could be read of it, or None when nothing could."""
    if not layout.is_readable(source, findings):
        return None
    lines = source.text.split("\n")
    own = Findings()
    rules, certain = _by_declaration(source, lines, own)
    if own.has_errors and not certain:
        # Brackets and commas can carry a declaration over lines that look like the beginning of the next one.
        whole = _Piece(source, 1, lines)
        if whole.problem(START) is None:
            return whole.build(START, findings)  # type: ignore[no-any-return]
    findings.items += own.items
    if rules is not None and rules.language != LANGUAGE:
        message = f"these rules are in version {rules.language} of the language; this program reads version {LANGUAGE}"
        first = next(number for number, line in enumerate(lines, start=1) if layout.is_code(line))
        findings.error("E106", message, whole_line(source, first))
        return None
    return rules


def parse_declaration(source: Source, findings: Findings) -> t.Declaration | None:
    """One declaration, as a variant writes it in place of another."""
    if not layout.is_readable(source, findings):
        return None
    return _Piece(source, 1, source.text.split("\n")).read(DECLARATION, findings)  # type: ignore[no-any-return]


def parse_expression(text: str, span: Span, findings: Findings) -> t.Expression | None:
    """An expression inside another text, such as a prompt or a table. All its nodes get the span of that text."""
    return _parse_inside(text, EXPRESSION, "a formula", span, findings)


def parse_type(text: str, span: Span, findings: Findings) -> t.Expression | None:
    """A type inside another text, such as the range of an attribute in a table."""
    return _parse_inside(text, TYPE, "a type", span, findings)


def _parse_inside(text: str, start: str, what: str, span: Span, findings: Findings) -> t.Expression | None:
    own = Findings()
    shown = text if len(text) <= 60 else text[:57] + "..."
    if not layout.is_readable(Source(span.source.name, text), own):
        findings.error(own.items[0].code, f"`{shown}` is not {what}: {own.items[0].message}", span)
        return None
    piece = _Piece(span.source, 1, text.split("\n"))
    problem = piece.problem(start)
    if problem is not None:
        message = f"`{shown}` is not {what}" + (f": {problem.message}" if text.strip() else "")
        findings.error("E101", message, span, problem.hint)
        return None
    parsed = _parsed(piece.text, start)
    if _too_deep(parsed) is not None:
        findings.error("E102", f"`{shown}` is nested too deeply", span)
        return None
    return _Relocated(span).build(parsed)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- pieces


@lru_cache(maxsize=1000)
def _parsed(text: str, start: str) -> ParseTree | Token | None:
    """The parse tree, which nobody changes; None for a text that does not follow the grammar."""
    return automaton().parse(text, start)


class _Piece:
    """Some lines of a source; `first` is the number of the first one that has code."""

    def __init__(self, source: Source, first: int, lines: list[str]) -> None:
        opening = next((number for number, line in enumerate(lines) if layout.is_code(line)), len(lines))
        self.source = source
        self.first = first + opening
        self.text = "\n".join(lines[opening:]).rstrip()

    def problem(self, start: str) -> SyntaxProblem | None:
        """What keeps the text from being parsed."""
        # Line ends belong to declarations, not to what stands inside a line.
        self.text += "\n" if start in (START, HEADER, DECLARATION) and not self.text.endswith("\n") else ""
        if _parsed(self.text, start) is not None:
            return None
        from chocolatl.interpreter.syntax.problems import problem_of

        return problem_of(self.text, start)

    def build(self, start: str, findings: Findings) -> Any:
        """The tree of a text without a problem, or None after a finding about its depth."""
        parsed = _parsed(self.text, start)
        deep = _too_deep(parsed)
        if deep is None:
            return Builder(self.source, self.first - 1).build(parsed)
        self.report(deep, findings)
        return None

    def read(self, start: str, findings: Findings) -> Any:
        """The tree, or None after a finding."""
        problem = self.problem(start)
        if problem is None:
            return self.build(start, findings)
        self.report(problem, findings)
        return None

    def report(self, problem: SyntaxProblem, findings: Findings) -> None:
        related: tuple[Related, ...] = ()
        if problem.other is not None:
            related = (Related(self.span(problem.other[0]), problem.other[1]),)
        span = self.span(problem.place)
        fix = None if problem.instead is None else Fix((Edit(span, problem.instead),), safe=True)
        findings.error(problem.code, problem.message, span, problem.hint, related, fix)

    def span(self, place: TextPlace) -> Span:
        line = place.line + self.first - 1
        return Span(self.source, line, place.column, line, place.column + place.width)


def _by_declaration(source: Source, lines: list[str], findings: Findings) -> tuple[t.RuleFile | None, bool]:
    """Header and declarations as far as they can be read, and whether it is certain where they begin."""
    end_of_header = _end_of_header(lines)
    header = _header(_Piece(source, 1, lines[:end_of_header]), findings)
    pieces, certain = layout.declarations(lines, end_of_header)
    declarations: list[t.Declaration] = []
    problems = 0
    lost: set[str] = set()
    number = 0
    while number < len(pieces) and problems < MAX_PROBLEMS:
        begin, end = pieces[number]
        number += 1
        piece = _Piece(source, begin + 1, lines[begin:end])
        problem = piece.problem(DECLARATION)
        while problem is not None and problem.at_end and number < len(pieces):
            if layout.is_declaration(lines[pieces[number][0]]):
                break
            # What stands at the margin below was meant to belong to this declaration.
            piece = _Piece(source, begin + 1, lines[begin : pieces[number][1]])
            problem = piece.problem(DECLARATION)
            number += 1
        if problem is None:
            declaration = piece.build(DECLARATION, findings)
            declarations += [declaration] if declaration is not None else []
            lost |= layout.words(piece.text) if declaration is None else set()
        else:
            problems += 1
            lost |= layout.words(piece.text)
            piece.report(problem, findings)
    if header is None:
        return None, certain
    all_read = certain and problems < MAX_PROBLEMS
    return t.RuleFile(header[1].span, *header, tuple(declarations), frozenset(lost) if all_read else None), certain


def _end_of_header(lines: list[str]) -> int:
    """The number of lines that the header has, or should have."""
    coded = [number for number, line in enumerate(lines) if layout.is_code(line)]
    if [layout.first_word(lines[number]) for number in coded[:2]] == ["language", "game"]:
        return next((number for number in coded[2:] if lines[number][0] not in " \t"), len(lines))
    return next((number for number in coded if layout.is_declaration(lines[number])), len(lines))


def _header(piece: _Piece, findings: Findings) -> tuple[int, t.Name] | None:
    if piece.text:
        return piece.read(HEADER, findings)  # type: ignore[no-any-return]
    hint = "the first two lines are `language 1` and `game` with its name"
    place = whole_line(piece.source, piece.first if layout.is_code(piece.source.line(piece.first)) else 1)
    findings.error("E109", "the rules do not say of which game they are", place, hint)
    return None


SPLIT = "split it up: give parts of it a name with `value`"
SETS = frozenset(OVER_SETS.values())


def _too_deep(parsed: Any) -> SyntaxProblem | None:
    """What is nested too deeply. Without recursion: that is what it protects from."""
    waiting = [(parsed, 0, 0, 0)]
    while waiting:
        node, depth, sets, layers = waiting.pop()
        if isinstance(node, Token) or node is None:
            continue
        kind = node.data
        sets += kind in SETS
        if depth > layout.MAX_DEPTH:
            return _excess(node, f"{layout.MAX_DEPTH} operators or brackets", SPLIT)
        if sets > layout.MAX_SETS:
            return _excess(node, f"{layout.MAX_SETS} formulas over sets", SPLIT)
        if layers > layout.MAX_BRANCHES:
            return _excess(node, f"{layout.MAX_BRANCHES} branches", "make the last ones a `procedure`")
        if kind in ("start", "block"):
            depth, sets = -1, 0
        for number, child in enumerate(node.children):
            # An `else if` stands inside the one above it.
            inside = layers + number if kind == "branch" else layers + (kind == "block")
            waiting.append((child, depth + 1, sets, inside))
    return None


def _excess(node: ParseTree, what: str, hint: str) -> SyntaxProblem:
    from chocolatl.interpreter.syntax.problems import SyntaxProblem, TextPlace

    place = TextPlace(*node.place[:2]) if node.place is not None else TextPlace(1, 1)
    return SyntaxProblem("E102", place, f"more than {what} stand in one another here", hint)


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
