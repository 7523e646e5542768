"""Where names are read, and where they only get a value (definitions and uses), declaration by declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct, field

from chocolatl.interpreter.meaning.world import last_name
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import nodes

GAP = re.compile(r"\{([^{}]*)\}")
WORD = re.compile(r"[A-Za-z]\w*")


class DeclarationUses(Struct):
    """The names that a declaration reads, the places at which it gives names a value, and its statements of a few
    kinds. What a statement reads only to change the same field is not read."""

    read: set[str] = field(default_factory=set)
    written: dict[str, Span] = field(default_factory=dict)
    chosen: list[t.Choose] = field(default_factory=list)
    announced: list[t.Announce] = field(default_factory=list)
    domains: set[str] = field(default_factory=set)
    """The names of all types that stand for their values, and not only for what a name can hold."""


def uses_of(declaration: t.Declaration) -> DeclarationUses:
    found = DeclarationUses()
    types: set[int] = set()
    skipped: dict[int, str] = {}
    for _, part, node in nodes(declaration):
        if part == "type" and isinstance(node, t.Expression):
            types.update(id(inner) for _, _, inner in nodes(node))
        match node:
            case t.Becomes():
                name = last_name(node.target)
                found.written.setdefault(name, node.target.span)
                skipped[id(_named(node.target))] = ""
                for _, _, inner in nodes(node.value):
                    if _is_called(inner, name):
                        skipped[id(inner)] = name
            case t.Gains():
                found.written.setdefault(node.field.text, node.span)
            case t.Choose():
                found.chosen.append(node)
                if node.into is None:
                    for pick in node.picks:
                        found.written.setdefault(last_name(pick.target), pick.target.span)
                        skipped[id(_named(pick.target))] = ""
            case t.Roll():
                found.written.setdefault(last_name(node.target), node.target.span)
                skipped[id(_named(node.target))] = ""
            case t.Alter():
                found.written.setdefault(last_name(node.target), node.target.span)
                skipped[id(_named(node.target))] = ""
            case t.Announce():
                found.announced.append(node)
            case t.Reference():
                if id(node) not in skipped:
                    found.read.add(node.name)
                if id(node) not in types:
                    found.domains.add(node.name)
            case t.Attribute():
                if id(node) not in skipped:
                    found.read.add(node.name.text)
            case t.Call() | t.Do():
                found.read.add(node.name.text)
            case t.Text():
                for gap in GAP.findall(node.text):
                    found.read.update(WORD.findall(gap))
            case t.Name() if part in ("owner", "sides", "every", "domain", "members"):
                found.read.add(node.text)
                found.domains.add(node.text)
    return found


def _named(target: t.Expression) -> t.Expression:
    """The node that has the name of what is changed."""
    while isinstance(target, t.Indexed):
        target = target.subject
    return target


def _is_called(node: t.Tree, name: str) -> bool:
    return (isinstance(node, t.Attribute) and node.name.text == name) or (
        isinstance(node, t.Reference) and node.name == name
    )


def reads_in(node: t.Tree) -> Iterator[str]:
    """All names inside of a node, those in texts included."""
    for _, _, inner in nodes(node):
        match inner:
            case t.Reference():
                yield inner.name
            case t.Text():
                for gap in GAP.findall(inner.text):
                    yield from WORD.findall(gap)
