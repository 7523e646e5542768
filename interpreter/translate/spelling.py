"""Who is to blame for a name that is not found (string similarity): the line that uses it, or that declares it.

When one name is used and never declared and a similar one is declared and never used, it is one mistake, however often
the name is used. Where the declaration is the likelier place, the findings about the uses become one about it.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter

from msgspec.structs import replace

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Diagnostic, Findings, Related, closest
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.translate.names import Collector, NameUses, names_in_data

MANY = 50
"""So many names are looked at: whoever has more that are unknown has another problem."""


def blame_declarations(files: GameFiles, findings: Findings) -> None:
    """Join the findings about names that are misspelt where they are declared."""
    rules = files.rules
    unknown: dict[str, list[Diagnostic]] = {}
    for diagnostic in findings.items:
        if diagnostic.code == "E301" or diagnostic.message.endswith("` is not a value"):
            unknown.setdefault(_name(diagnostic), []).append(diagnostic)
    incomplete = {_name(diagnostic): diagnostic for diagnostic in findings.items if diagnostic.code == "E309"}
    if not unknown and len(incomplete) < 2:
        return
    everywhere, inside = Collector().collect(rules)
    everywhere.used.update(names_in_data(files))
    texts = {declaration.span.source.text for declaration in rules.declarations}
    words = Counter(_words("\n".join(map(_without_comments, texts))))
    for name, uses in list(unknown.items())[:MANY]:
        declared = zip(rules.declarations, inside, strict=True)
        here = next((names for d, names in declared if all(_holds(d.span, use.span) for use in uses)), NameUses())
        idle = dict.fromkeys(everywhere.idle(), everywhere) if name not in everywhere.declared else {}
        idle.update(dict.fromkeys(here.idle(), here))
        other = _similar(name, uses, list(idle))
        if other:
            _decide(name, uses, other, idle[other].declared[other][0], words, findings)
        elif name in here.declared:
            related = (Related(here.declared[name][0], f"this `{name}` is known only in its own block"),)
            _replace(findings, {use: replace(use, hint="", related=related) for use in uses})
    for name in [name for name in incomplete if name in everywhere.idle()]:
        other = closest(name, [other for other in incomplete if other != name])
        if other:
            message = f"`{name}` is declared and never used, and `{other}` is not complete"
            related = (Related(incomplete[other].span, f"`{other}` is declared here"),)
            joined = Diagnostic("E312", message, incomplete[name].span, f"did you mean `{other}`?", related)
            _replace(findings, {incomplete[name]: joined, incomplete[other]: joined})


def _similar(name: str, uses: list[Diagnostic], others: list[str]) -> str:
    """The most similar of the others, unless the findings know a name that is more similar still."""
    letters = [other for other in others if len(other) == 1]
    if len(name) == 1 and len(letters) == 1 and len({use.span for use in uses}) > 1:
        return letters[0]
    if len(others) > 10 * MANY:
        return ""
    known = [found[1] for use in uses if (found := re.fullmatch(r"did you mean `(.*)`\?", use.hint))]
    other = closest(name, others)
    return other if all(_similarity(name, other) >= _similarity(name, close) for close in known) else ""


def _similarity(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, one).ratio()


def _decide(
    name: str, uses: list[Diagnostic], other: str, declaration: Span, words: Counter[str], findings: Findings
) -> None:
    """The name that is used is not declared, the other one is not used: which of them is wrong?"""
    places = list(dict.fromkeys(use.span for use in uses))
    if len(places) > 1 or _is_likelier(name, other, words):
        message = f"`{other}` is declared and never used, `{name}` is used and never declared"
        related = (Related(places[0], f"`{name}` is used here"),)
        joined = Diagnostic("E312", message, declaration, f"did you mean `{name}`?", related)
        _replace(findings, dict.fromkeys(uses, joined))
    else:
        related = (Related(declaration, "this is declared and never used"),)
        hint = f"did you mean `{other}`?"
        _replace(findings, {use: replace(use, hint=hint, related=related) for use in uses})


def _replace(findings: Findings, better: dict[Diagnostic, Diagnostic]) -> None:
    findings.items[:] = [better.get(diagnostic, diagnostic) for diagnostic in findings.items]


def _holds(outer: Span, inner: Span) -> bool:
    return outer.source == inner.source and outer.line <= inner.line <= outer.end_line


def _name(diagnostic: Diagnostic) -> str:
    """The name that was not found: messages quote nothing after it."""
    quoted = re.findall(r"`([^`]*)`", diagnostic.message)
    return quoted[-1] if quoted else ""


def _is_likelier(used: str, declared: str, words: Counter[str]) -> bool:
    """Whether the rest of the file knows the words of the name that is used, and not those of the one declared."""
    ours, theirs = set(_words(used)), set(_words(declared))
    return all(words[word] > 1 for word in ours - theirs) and any(words[word] <= 1 for word in theirs - ours)


def _without_comments(text: str) -> str:
    return re.sub(r'"[^"\n]*"|#[^\n]*', lambda found: found[0] if found[0][0] == '"' else "", text)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())
