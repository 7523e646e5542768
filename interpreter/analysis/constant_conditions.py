"""Conditions that come out the same however the game goes, and statements that nothing can reach (dead code).

The translation knows which conditions the ranges of their parts decide. Those that follow from parameters, from the
number of players or from tables are left alone: that is what these are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import nodes

TOLD = ("W005", "W006")
"""What was told of a condition already is not told again."""

COUNTS = frozenset(["player_count", "round"])
"""What is fixed for one game as a parameter is: the number of players, and that of the rounds."""


def report_settled(
    files: GameFiles, conditions: Mapping[Span, bool | None], source: Source | None, findings: Findings
) -> None:
    """Report the conditions that were settled for every number of players; with a `source`, only those in that file."""
    settled = {span: value for span, value in conditions.items() if value is not None}
    told = [span for d in findings.items if d.code in TOLD for span in (d.span, *[each.span for each in d.related])]
    if source is not None:
        settled = {span: value for span, value in settled.items() if span.source.name == source.name}
    if not settled:
        return
    meanings = _DefinitionGraph(files)
    for declaration in files.rules.declarations:
        for condition, behind in _conditions(declaration):
            if condition.span not in settled or meanings.may_vary(condition, declaration):
                continue
            value = settled[condition.span]
            said = any(_within(span, condition.span) for span in told)
            if said:
                continue
            if value and behind:
                findings.warning("W006", "nothing comes here: the line above always leaves the loop", behind[0].span)
            else:
                word = "always" if value else "never"
                findings.warning("W005", f"this is {word} so, however the game goes", condition.span)


def _within(inner: Span, outer: Span) -> bool:
    """Whether a stretch lies in another one."""
    same = inner.source.name == outer.source.name
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return same and begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _conditions(declaration: t.Declaration) -> Iterator[tuple[t.Expression, Sequence[t.Statement]]]:
    """Every condition of a statement; for `stop when`, with the statements behind it."""
    waiting = [t.body_of(declaration)]
    while waiting:
        block = waiting.pop()
        for position, statement in enumerate(block):
            waiting += t.blocks_of(statement)
            match statement:
                case t.If():
                    for condition, _ in statement.branches:
                        yield condition, ()
                case t.Stop():
                    yield statement.condition, block[position + 1 :]
                case t.Repeat():
                    yield statement.until, ()


class _DefinitionGraph:
    """What the names of the rules are made from."""

    def __init__(self, files: GameFiles) -> None:
        data = (*files.parameters, *files.tables, *files.components)
        self.varying = COUNTS | {part for name in data for part in name.split(".")}
        self.parts: dict[str, set[str]] = {}
        for declaration in files.rules.declarations:
            for holder in _named(declaration):
                self.parts.setdefault(holder.name.text, set()).update(_words(holder))

    def may_vary(self, condition: t.Expression, declaration: t.Declaration) -> bool:
        """Whether anything that a condition is made from depends on the data of the game."""
        local = _binders(declaration)
        waiting, seen = [*_words(condition)], set[str]()
        while waiting:
            name = waiting.pop()
            if name in self.varying:
                return True
            if name not in seen:
                seen.add(name)
                waiting += [*self.parts.get(name, ()), *local.get(name, ())]
        return False


NamedDeclaration = (
    t.Field | t.Grid | t.Component | t.Holder | t.Item | t.Value | t.Modifier | t.Ranking | t.Event | t.Reaction
    | t.Window | t.Latch | t.Invariant
)  # fmt: skip
"""What has a name, and is made from others."""


def _named(declaration: t.Declaration) -> Sequence[NamedDeclaration]:
    match declaration:
        case t.State():
            return declaration.fields
        case t.Enumeration() | t.Procedure() | t.Play() | t.FinalScoring() | t.Winner():
            return ()
        case _:
            return (declaration,)


def _words(node: t.Tree) -> set[str]:
    found: set[str] = set()
    for _, _, part in nodes(node):
        if isinstance(part, t.Reference):
            found.add(part.name)
        elif isinstance(part, t.Name):
            found.add(part.text)
        elif isinstance(part, t.Text):
            found.update(re.findall(r"[A-Za-z]\w*", part.text))
    return found


def _binders(declaration: t.Declaration) -> dict[str, set[str]]:
    """For each local name, the names in what it gets its values from."""
    found: dict[str, set[str]] = {}
    for _, _, node in nodes(declaration):
        bound = _bound(node)
        if bound is not None:
            name, source = bound
            found.setdefault(name, set()).update(_words(source) if source is not None else ())
    return found


def _bound(node: t.Tree) -> tuple[str, t.Expression | None] | None:
    """The name that a node gives to something, and what that comes from; None if it gives none."""
    if isinstance(node, t.Expression | t.Declaration):
        return None  # all that a formula over elements depends on stands in it
    match node:
        case t.Let():
            return node.name.text, node.value
        case t.ForEach():
            return node.variable.text, node.domain
        case t.Parameter():
            return (node.name.text, node.type) if node.type is not None else None
        case t.Pick() | t.Roll():
            return (node.target.name, node.domain) if isinstance(node.target, t.Reference) else None
        case t.Draw():
            return node.name.text, node.source
        case t.Secretly() | t.InTurn() | t.Clause():
            return node.variable.text, None
        case t.Becomes() | t.Gains() | t.Choose() | t.Move() | t.Alter() | t.Do() | t.Announce() | t.Nothing():
            return None
        case t.Stop() | t.If() | t.Repeat() | t.Contest() | t.Backwards() | t.Name() | t.Text() | t.RuleFile():
            return None
        case t.Member() | t.Axis() | t.Step() | t.ComponentAttribute() | t.Visibility() | t.Field() | t.FinalItem():
            return None
        case t.Key():
            return None
        case _:
            assert_never(node)
