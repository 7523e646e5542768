"""What is wrong with a user's file, where, and what to do: the one kind of message of every stage (diagnostics).

Stages collect diagnostics and go on; nothing stops at the first mistake. A stage that cannot go on raises
`Rejected`, which carries all that was found. Each code has a page in `codes/`, which is read only by those who ask for
it (`chocolatl.interpreter.diagnostics.pages`); `text`, `records`, `sarif` and `annotations` print findings.

Builds on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from chocolatl.interpreter.source import Span

MANY = 1000


class Related(Struct, frozen=True):
    """The other half of a finding, such as the first declaration of a name."""

    span: Span
    message: str


class Edit(Struct, frozen=True):
    """A stretch of a file and what is to stand there instead."""

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """Edits that mend what was found. Safe is what changes no meaning: `check --fix` makes these."""

    edits: tuple[Edit, ...]
    safe: bool = False


class Diagnostic(Struct, frozen=True):
    """The code begins with E for an error, with W for a warning; its first digit tells the family."""

    code: str
    message: str
    span: Span
    hint: str = ""
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    @property
    def severity(self) -> str:
        return "warning" if self.code.startswith("W") else "error"


class Rejected(Exception):
    """Files that cannot be used, with every finding about them."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        super().__init__("; ".join(f"{d.span}: {d.message}" for d in self.diagnostics))


class Findings:
    """Where a stage collects what it finds."""

    def __init__(self) -> None:
        self.items: list[Diagnostic] = []

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        hint: str = "",
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> None:
        self.items.append(Diagnostic(code, message, span, hint, related, fix))

    warning = error
    """The code says which it is; the word is for those who read the program."""

    @property
    def is_full(self) -> bool:
        """Whether so much is wrong that nobody reads on: a stage need not look for more."""
        return len(self.items) >= MANY

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self.items)

    def reject_errors(self) -> None:
        if self.has_errors:
            raise Rejected(self.items)


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Without repetition (a rule is checked once for each number of players), sorted by place."""
    unique = dict.fromkeys(diagnostics)
    return sorted(unique, key=lambda d: (d.span.source.name, d.span.line, d.span.column, d.code))


CLOSE = 0.6
"""How alike a name must be to be meant, from 0 for nothing in common to 1 for the same."""


def closest(name: str, candidates: Iterable[str]) -> str:
    """The candidate with the closest spelling, or nothing when none comes close."""
    import difflib  # only mistakes need it

    found, likeness = "", CLOSE
    matcher: difflib.SequenceMatcher[str] = difflib.SequenceMatcher(None, "", name)
    letters = [(letter, name.count(letter)) for letter in set(name)]
    for other in sorted(set(candidates)):
        # Most share too few letters with the name, which is seen without looking for what they have in a row.
        both = len(name) + len(other)
        if 2.0 * sum([min(count, other.count(letter)) for letter, count in letters]) / (both or 1) >= likeness:
            matcher.set_seq1(other)
            if matcher.ratio() >= likeness:
                found, likeness = other, matcher.ratio()
    return found


def nearest(name: str, candidates: Iterable[str]) -> str:
    """A hint with the closest spelling, or nothing when no name comes close."""
    close = closest(name, candidates)
    return f"did you mean `{close}`?" if close else ""
