"""What is for nothing in rules without errors (dead declarations): fields, parameters, locals that nothing uses.

A name counts as used wherever it stands, so that a doubt is never reported. What a game declares may also be meant for
its variants: the words of their files count too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import assert_never

from chocolatl.interpreter.data.model import GameFiles, ParameterData, TableData
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import Collector, NameUses, names_in_data

Used = (
    t.Enumeration | t.Component | t.Grid | t.Holder | t.Item | t.Value | t.Ranking | t.Procedure | t.Event | t.Latch
)  # fmt: skip
"""What is used by its name. The other declarations work by themselves."""

WORD = re.compile(r"[A-Za-z]\w*")


def report_unused(
    files: GameFiles, source: Source | None, variants: Callable[[], str], findings: Findings, collector: Collector
) -> None:
    """Report what nothing uses; with a `source`, only what stands in that file, a variant of the game."""
    everywhere, inside = collector.collect(files.rules)
    used = everywhere.used.union(names_in_data(files))
    found = [*_declarations(files.rules, used, everywhere.targets), *_locals(files.rules, inside)]
    if source is None:
        found += _data(files, used)
    elif found:
        found = [entry for entry in found if entry[2]().source.name == source.name]
    meant = set(WORD.findall(variants())) if found and source is None else set[str]()
    for code, name, span, message in found:
        if code == "W002" or not meant.issuperset(name.split(".")):
            findings.warning(code, message, span(), "leave it out, or use it")


Found = tuple[str, str, Callable[[], Span], str]
"""A code, a name, its place (found on demand: of data it takes a moment), a message."""


def _declarations(rules: t.RuleFile, used: set[str], targets: set[str]) -> Iterator[Found]:
    finals = {item.name.text for d in rules.declarations if isinstance(d, t.FinalScoring) for item in d.items}
    told: set[str] = set()
    for declaration in rules.declarations:
        match declaration:
            case t.State():
                for field in declaration.fields:
                    if field.name.text not in used and field.name.text not in targets:
                        yield "W003", field.name.text, _at(field.name), f"nothing uses the field `{field.name.text}`"
                continue
            case t.Modifier() | t.Reaction() | t.Window() | t.Invariant() | t.Play() | t.FinalScoring() | t.Winner():
                continue
        name = declaration.name
        names = [name.text]
        if isinstance(declaration, t.Enumeration):
            names += [member.name.text for member in declaration.members]
        if not any(word in used or word in finals or word in told for word in names):
            told.add(name.text)  # the clauses of a procedure are one
            yield "W001", name.text, _at(name), f"nothing uses the {_kind(declaration)} `{name.text}`"


def _kind(declaration: Used) -> str:
    """What messages call it."""
    match declaration:
        case t.Enumeration():
            return "enum"
        case t.Holder():
            return "owner"
        case t.Component() | t.Grid() | t.Item() | t.Value() | t.Ranking() | t.Procedure() | t.Event() | t.Latch():
            return type(declaration).__name__.lower()
        case _:
            assert_never(declaration)


def _locals(rules: t.RuleFile, inside: list[NameUses]) -> Iterator[Found]:
    modified = {d.value.text for d in rules.declarations if isinstance(d, t.Modifier)}
    for declaration, names in zip(rules.declarations, inside, strict=True):
        if isinstance(declaration, t.Value) and declaration.name.text in modified:
            continue  # a modifier may look at what the value itself does not need
        idle = set(names.idle())
        for name in _computed(declaration) if idle else ():
            if name.text in idle:
                yield "W002", name.text, _at(name), f"`{name.text}` is never used here"


def _computed(declaration: t.Declaration) -> Iterator[t.Name]:
    """Parameters and `let`. What is chosen or drawn is an event of the game, be it used or not."""
    if isinstance(declaration, (t.Value, t.Ranking, t.Procedure)):
        if not any(parameter.members for parameter in declaration.parameters):  # clauses all take the same
            yield from (parameter.name for parameter in declaration.parameters)
    waiting = [*t.body_of(declaration)]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, t.Let):
            yield statement.name
        for block in t.blocks_of(statement):
            waiting += block


def _data(files: GameFiles, used: set[str]) -> Iterator[Found]:
    """A parameter with a single option is a ruling that is told and cannot be changed: nothing need use it."""
    entries: dict[str, ParameterData | TableData] = {**files.tables}
    entries |= {name: p for name, p in files.parameters.items() if p.options is None or len(p.options) > 1}
    for name, entry in entries.items():
        if not used.issuperset(name.split(".")):
            what = "table" if name in files.tables else "parameter"
            yield "W004", name, _at(entry), f"nothing uses the {what} `{name}`"


def _at(node: t.Name | ParameterData | TableData) -> Callable[[], Span]:
    return lambda: node.span
