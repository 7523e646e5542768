"""Conditions that come out the same however the game goes, and statements that nothing can reach.

The translation knows which conditions the ranges of their parts decide. Those that follow from parameters, from the
number of players or from tables are left alone: that is what these are for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from interpreter.data.model import GameFiles
from interpreter.diagnostics import Findings
from interpreter.ir.names import nodes
from interpreter.source import Source, Span
from interpreter.syntax import tree as t

COUNTS = frozenset(["player_count", "round"])
"""What is fixed for one game as a parameter is: the number of players, and that of the rounds."""


def report_settled(
    files: GameFiles, conditions: Mapping[Span, bool | None], source: Source | None, findings: Findings
) -> None:
    """Report the conditions that were settled for every number of players; with a `source`, only those in that file."""
    settled = {span: value for span, value in conditions.items() if value is not None}
    if source is not None:
        settled = {span: value for span, value in settled.items() if span.source.name == source.name}
    if not settled:
        return
    meanings = _Meanings(files)
    for declaration in files.rules.declarations:
        for condition, behind in _conditions(declaration):
            if condition.span not in settled or meanings.may_vary(condition, declaration):
                continue
            value = settled[condition.span]
            if value and behind:
                findings.warning("W006", "nothing comes here: the line above always leaves the loop", behind[0].span)
            else:
                word = "always" if value else "never"
                findings.warning("W005", f"this is {word} so, however the game goes", condition.span)


def _conditions(declaration: t.Declaration) -> Iterator[tuple[t.Expression, Sequence[t.Statement]]]:
    """Every condition of a statement; for `stop when`, with the statements behind it."""
    waiting: list[object] = [getattr(declaration, "body", ())]
    while waiting:
        block = waiting.pop()
        if not isinstance(block, tuple):
            continue  # the body of a value is a formula
        for position, statement in enumerate(block):
            match statement:
                case t.If():
                    for condition, body in statement.branches:
                        yield condition, ()
                        waiting.append(body)
                    waiting.append(statement.otherwise)
                case t.Stop():
                    yield statement.condition, block[position + 1 :]
                case t.Repeat():
                    yield statement.until, ()
                    waiting.append(statement.body)
                case t.Contest():
                    waiting += [clause.body for clause in statement.clauses]
                case _:
                    waiting.append(getattr(statement, "body", ()))


class _Meanings:
    """What the names of the rules are made from."""

    def __init__(self, files: GameFiles) -> None:
        data = (*files.parameters, *files.tables, *files.components)
        self.varying = COUNTS | {part for name in data for part in name.split(".")}
        self.parts: dict[str, set[str]] = {}
        for declaration in files.rules.declarations:
            holders: tuple[t.Node, ...] = (declaration,)
            if isinstance(declaration, t.State):
                holders = declaration.fields
            elif isinstance(declaration, (t.Enumeration, t.Procedure)):
                continue
            for holder in holders:
                name = getattr(holder, "name", None)
                if isinstance(name, t.Name):
                    self.parts.setdefault(name.text, set()).update(_words(holder))

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


def _words(node: t.Node) -> set[str]:
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
        source: t.Node | None = None
        match node:
            case t.Let():
                source, name = node.value, node.name.text
            case t.ForEach():
                source, name = node.domain, node.variable.text
            case t.Parameter() if node.type is not None:
                source, name = node.type, node.name.text
            case t.Pick() if isinstance(node.target, t.Reference):
                source, name = node.domain, node.target.name
            case t.Roll() if isinstance(node.target, t.Reference):
                source, name = node.domain, node.target.name
            case t.Draw():
                source, name = node.source, node.name.text
            case t.Secretly() | t.InTurn() | t.Clause():
                found.setdefault(node.variable.text, set())
                continue
        if source is not None:
            found.setdefault(name, set()).update(_words(source))
    return found
