"""All global names of a game with what they stand for (symbol table), as the analyses of meaning look at them.

Other than `chocolatl.interpreter.program` it is about all numbers of players and all values of the parameters at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import Collector

Owned = tuple[str | None, str]
"""A field by the domain of its owners, or nothing for the table, and its name."""


class World:
    """The declarations of a game by kind and name."""

    def __init__(self, files: GameFiles, collector: Collector) -> None:
        self.files = files
        self.enums: dict[str, tuple[str, ...]] = {}
        self.member_of: dict[str, list[str]] = {}
        self.fields: dict[Owned, t.Field] = {}
        self.named: dict[str, list[Owned]] = {}
        self.components: dict[str, t.Component] = {}
        self.grids: dict[str, t.Grid] = {}
        self.values: dict[str, t.Value] = {}
        self.modified: set[str] = set()
        self.rankings: dict[str, t.Ranking] = {}
        self.procedures: dict[str, list[t.Procedure]] = {}
        self.events: dict[str, t.Event] = {}
        self.reactions: list[t.Reaction] = []
        self.windows: list[t.Window] = []
        self.latches: dict[str, t.Latch] = {}
        self._written: dict[tuple[int, ...], frozenset[str]] = {}
        self.roots = {name.split(".")[0] for name in (*files.parameters, *files.tables)}
        for declaration in files.rules.declarations:
            self._add(declaration)
        _, inside = collector.collect(files.rules)
        self.words = {id(d): uses.used for d, uses in zip(files.rules.declarations, inside, strict=True)}

    def _add(self, declaration: t.Declaration) -> None:
        match declaration:
            case t.Enumeration():
                members = tuple([member.name.text for member in declaration.members])
                self.enums[declaration.name.text] = members
                for member in members:
                    self.member_of.setdefault(member, []).append(declaration.name.text)
            case t.State():
                owner = declaration.owner.text if declaration.owner is not None else None
                for each in declaration.fields:
                    self.fields[owner, each.name.text] = each
                    self.named.setdefault(each.name.text, []).append((owner, each.name.text))
            case t.Component():
                self.components[declaration.name.text] = declaration
            case t.Grid():
                self.grids[declaration.name.text] = declaration
            case t.Value():
                self.values[declaration.name.text] = declaration
            case t.Modifier():
                self.modified.add(declaration.value.text)
            case t.Ranking():
                self.rankings[declaration.name.text] = declaration
            case t.Procedure():
                self.procedures.setdefault(declaration.name.text, []).append(declaration)
            case t.Event():
                self.events[declaration.name.text] = declaration
            case t.Reaction():
                self.reactions.append(declaration)
            case t.Window():
                self.windows.append(declaration)
            case t.Latch():
                self.latches[declaration.name.text] = declaration
            case t.Holder() | t.Item() | t.Invariant() | t.Play() | t.FinalScoring() | t.Winner():
                pass

    # ------------------------------------------------------------ what reads and writes what

    @cached_property
    def _formulas(self) -> dict[str, set[str]]:
        """The words in all that is looked at by its name: values with what modifies them, rankings, latches."""
        found: dict[str, set[str]] = {}
        for d in self.files.rules.declarations:
            if isinstance(d, t.Value | t.Ranking | t.Latch):
                found.setdefault(d.name.text, set()).update(self.words[id(d)])
            elif isinstance(d, t.Modifier):
                found.setdefault(d.value.text, set()).update(self.words[id(d)])
        return found

    def behind_one(self, name: str) -> set[str]:
        """The values, rankings and latches that one of them names."""
        return {word for word in self._formulas.get(name, ()) if word in self._formulas}

    def behind(self, words: set[str]) -> frozenset[str]:
        """Some words, and those in all that they stand for."""
        seen, waiting = set[str](), [*words]
        while waiting:
            word = waiting.pop()
            if word not in seen:
                seen.add(word)
                waiting += self._formulas.get(word, ())
        return frozenset(seen)

    def written(self, block: t.Block) -> frozenset[str]:
        """The names of fields and locals that statements may change, all that they carry out included."""
        known = self._written.get(tuple(map(id, block)))
        if known is not None:
            return known
        found, seen = set[str](), set[str]()
        waiting: list[t.Block] = [block]
        while waiting:
            for statement in waiting.pop():
                waiting += t.blocks_of(statement)
                found.update(targets(statement))
                called: list[t.Block] = []
                match statement:
                    case t.Do() if statement.name.text not in seen:
                        seen.add(statement.name.text)
                        called = [clause.body for clause in self.procedures.get(statement.name.text, ())]
                    case t.Announce() if statement.name.text + " " not in seen:
                        seen.add(statement.name.text + " ")
                        called = [r.body for r in self.reactions if r.event.text == statement.name.text]
                    case t.Choose() if " " not in seen:
                        seen.add(" ")
                        called = [window.body for window in self.windows]
                    case t.ForEach() if statement.variable.text == "round":
                        found.add("round")
                waiting += called
        known = self._written[tuple(map(id, block))] = frozenset(found)
        return known


def targets(statement: t.Statement) -> Iterator[str]:
    """What a statement itself changes, by name."""
    match statement:
        case t.Becomes() | t.Alter():
            yield last_name(statement.target)
        case t.Gains():
            yield statement.field.text
        case t.Choose():
            if statement.into is not None:
                yield last_name(statement.into)
                yield from (last_name(pick.domain) for pick in statement.picks)
            else:
                yield from (last_name(pick.target) for pick in statement.picks)
        case t.Roll():
            yield last_name(statement.target)
        case t.Draw():
            yield last_name(statement.source)
            yield last_name(statement.target)
        case t.Move():
            yield last_name(statement.source)
            yield last_name(statement.target)


def all_statements(block: t.Block) -> list[t.Statement]:
    """The statements of a block, those inside of others included."""
    found: list[t.Statement] = []
    waiting = [block]
    while waiting:
        for statement in waiting.pop():
            found.append(statement)
            waiting += t.blocks_of(statement)
    return found


def last_name(node: t.Expression) -> str:
    """The name of what is changed: that of the field, or of the local."""
    match node:
        case t.Reference():
            return node.name
        case t.Attribute():
            return node.name.text
        case t.Indexed():
            return last_name(node.subject)
    return ""
