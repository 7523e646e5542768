"""From tree and tables to a `Program` (name resolution): who is called what, and of which type.

Mistakes are collected; a declaration that cannot be understood is left out and the rest is still declared.
"""

from __future__ import annotations

from typing import TypeVar, assert_never

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings, Related, closest, nearest
from chocolatl.interpreter.program import space
from chocolatl.interpreter.program.components import ComponentReader
from chocolatl.interpreter.program.constants import evaluate
from chocolatl.interpreter.program.fields import FieldDeclarer
from chocolatl.interpreter.program.model import Domain, Field, Program, Table, TypedParameter
from chocolatl.interpreter.program.tables import MAX_PIECES, declare_parameter
from chocolatl.interpreter.program.types import OWNER, PLAYER, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.words import RESERVED

D = TypeVar("D", t.Play, t.FinalScoring, t.Winner)


def declare(
    files: GameFiles,
    player_count: int,
    findings: Findings,
    constants: dict[str, TypedParameter] | None = None,
    tables: dict[str, Table] | None = None,
) -> Program:
    """Resolve all declarations of a game for a number of players. Parameters are put into `constants` and tables into
    `tables`, if these are given."""
    program = Program(files, player_count)
    program.constants = constants if constants is not None else program.constants
    program.tables = tables if tables is not None else program.tables
    return _Declarer(program, findings).run()


class _Declarer(FieldDeclarer):
    def run(self) -> Program:
        program = self.program
        program.broken |= program.files.rules.lost or frozenset()
        names = tuple(f"p{i + 1}" for i in range(program.player_count))
        program.domains[PLAYER] = Domain(PLAYER, names)
        self.holders()
        tables = ComponentReader(program, self.findings, self.type)
        for parameter in program.files.parameters.values():
            declare_parameter(parameter, program)
        declarations = program.files.rules.declarations
        for node in declarations:
            if isinstance(node, t.Enumeration):
                self.enumeration(node)
        for node in declarations:
            if isinstance(node, t.Grid):
                self.grid(node)
        for node in declarations:
            if isinstance(node, t.Component):
                self.component(node, tables)
        for name, data in program.files.components.items():
            if name not in program.places and name not in program.broken:
                known = [n.name.text for n in declarations if isinstance(n, t.Component)]
                self.findings.error("E303", f"the rules declare no component `{name}`", data.span, nearest(name, known))
        for table in program.files.tables.values():
            before = len(program.tables)
            tables.declare_table(table)
            if len(program.tables) == before:
                program.broken.add(table.name)
        for node in declarations:
            if not self.findings.is_full:
                self.declaration(node)
        self.add_round()
        self.pieces()
        if not self.findings.is_full and not program.files.rules.lost:
            self.required()
        return program

    def holders(self) -> None:
        """Owners are the players and, after them, those who are declared."""
        declared = [node for node in self.program.files.rules.declarations if isinstance(node, t.Holder)]
        names = [node.name for node in declared if self.claim(node.name)]
        if not names:
            return
        seats = self.program.domains[PLAYER].labels
        for position, name in enumerate(names, start=len(seats)):
            self.program.members.setdefault(name.text, []).append((OWNER, position))
        self.program.domains[OWNER] = Domain(OWNER, (*seats, *(name.text for name in names)), names[0].span)

    def pieces(self) -> None:
        for name, domain in self.program.domains.items():
            count = self.program.total(name) if domain.copies else 0
            if count > MAX_PIECES:
                message = f"the game has {count:,} of the component `{name}`; up to {MAX_PIECES:,} are possible"
                assert domain.span is not None
                self.findings.error("E504", message, domain.span)

    def enumeration(self, node: t.Enumeration) -> None:
        if not self.claim(node.name):
            self.program.broken |= {member.name.text for member in node.members}
            return
        seen: dict[str, Span] = {}
        for member in node.members:
            name = member.name
            if name.text in RESERVED:
                message = f"`{name.text}` has a meaning of its own and cannot be a member"
                self.findings.error("E304", message, name.span)
            elif name.text in seen:
                self.findings.error(
                    "E305", f"the member `{name.text}` stands twice in `{node.name.text}`", name.span,
                    related=(Related(seen[name.text], "the first one"),),
                )  # fmt: skip
                continue
            self.is_parameter(name)
            self.program.members.setdefault(name.text, []).append((node.name.text, len(seen)))
            seen[name.text] = name.span
        texts = tuple(m.text.text if m.text else m.name.text for m in node.members)
        self.program.domains[node.name.text] = Domain(
            node.name.text, tuple(seen), node.name.span, texts, cyclic=node.cyclic
        )

    def grid(self, node: t.Grid) -> None:
        if not self.claim(node.name):
            return
        names = [axis.name.text for axis in node.axes]
        twice = next((axis for axis in node.axes if names.count(axis.name.text) > 1), None)
        if twice is not None:
            self.findings.error("E305", f"two coordinates are called `{twice.name.text}`", twice.name.span)
        types = [self.type(axis.type) for axis in node.axes]
        axes = [
            space.axis(type_, axis.type.span, self.findings)
            for type_, axis in zip(types, node.axes, strict=True)
            if type_ is not None
        ]
        scalars = [axis for axis in axes if axis is not None]
        grid = None
        if twice is None and len(scalars) == len(node.axes):
            grid = space.declare_grid(node, scalars, self.program, self.findings)
        if grid is not None:
            self.program.domains[grid.name] = grid
        else:
            self.program.broken.add(node.name.text)

    def component(self, node: t.Component, tables: ComponentReader) -> None:
        if not self.claim(node.name):
            return
        data = self.program.files.components.get(node.name.text)
        if data is None:
            close = closest(node.name.text, self.program.files.components)
            hint = nearest(node.name.text, self.program.files.components) or "add it below `components:`"
            self.findings.error("E303", f"game.yaml has no component `{node.name.text}`", node.name.span, hint)
            self.program.broken |= {close} if close else set()
        else:
            tables.declare_component(node, data)
        if node.name.text not in self.program.domains:
            self.program.broken.add(node.name.text)

    def declaration(self, node: t.Declaration) -> None:
        program = self.program
        match node:
            case t.Item():
                if self.claim(node.name):
                    program.items[node.name.text] = node.text.text if node.text else node.name.text
            case t.State():
                self.state(node)
            case t.Value():
                if self.claim(node.name) and self.typed(node.name, node.parameters):
                    program.values[node.name.text] = node
            case t.Modifier():
                if self.claim(node.name) and self.known(node.value, program.files.rules, t.Value, "value"):
                    program.modifiers.setdefault(node.value.text, []).append(node)
            case t.Event():
                if self.claim(node.name) and self.typed(node.name, node.parameters):
                    program.events[node.name.text] = node
            case t.Reaction():
                if self.claim(node.name) and self.known(node.event, program.files.rules, t.Event, "event"):
                    program.reactions.setdefault(node.event.text, []).append(node)
            case t.Window():
                if self.claim(node.name):
                    program.windows[node.name.text] = node
            case t.Ranking():
                if self.claim(node.name) and self.typed(node.name, node.parameters):
                    program.rankings[node.name.text] = node
            case t.Procedure():
                self.procedure(node)
            case t.Latch():
                if self.claim(node.name):
                    program.latches[node.name.text] = node
                    self.field(None, 1, t.Field(node.span, node.name, (), t.YesNo(node.span), None, None, None, None))
                    if (None, node.name.text) not in program.fields:
                        del program.latches[node.name.text]
                        program.broken.add(node.name.text)
            case t.Invariant():
                if self.claim(node.name):
                    program.invariants[node.name.text] = node
            case t.Play():
                program.play = self.only(program.play, node, "play")
            case t.FinalScoring():
                program.final = self.only(program.final, node, "final scoring")
                for item in node.items:
                    program.items.setdefault(item.name.text, item.text.text if item.text else item.name.text)
            case t.Winner():
                program.winner = self.only(program.winner, node, "winner")
            case t.Enumeration() | t.Grid() | t.Component() | t.Holder():
                pass  # they came first, since others are made of them
            case _:
                assert_never(node)

    def known(self, name: t.Name, rules: t.RuleFile, kind: type[t.Value] | type[t.Event], what: str) -> bool:
        """Whether something of a kind is declared by this name; False after a finding."""
        names = [d.name.text for d in rules.declarations if isinstance(d, kind)]
        if name.text not in names and name.text not in self.program.broken:
            self.findings.error("E301", f"there is no {what} `{name.text}`", name.span, nearest(name.text, names))
        return name.text in names

    def only(self, first: D | None, node: D, what: str) -> D:
        if first is not None:
            self.findings.error(
                "E305", f"`{what}` stands twice", node.span, related=(Related(first.span, "the first one"),)
            )
            return first
        return node

    def procedure(self, node: t.Procedure) -> None:
        by_member = bool(node.parameters and node.parameters[0].members)
        if not self.typed(node.name, node.parameters[1:]):
            return
        clauses = self.program.procedures.get(node.name.text)
        if clauses is None or not by_member or not clauses[0].parameters or not clauses[0].parameters[0].members:
            if self.claim(node.name):
                self.program.procedures[node.name.text] = [node]
            return
        earlier = {m.text: m.span for c in clauses for m in c.parameters[0].members}
        for member in node.parameters[0].members:
            if member.text in earlier:
                self.findings.error(
                    "E305", f"`{node.name.text}` is declared twice for `{member.text}`", member.span,
                    related=(Related(earlier[member.text], "the first one"),),
                )  # fmt: skip
        clauses.append(node)

    def typed(self, name: t.Name, parameters: tuple[t.Parameter, ...]) -> bool:
        """Whether all these parameters have a type; False after a finding."""
        pattern = next((p for p in parameters if p.members), None)
        if pattern is not None:
            message = "only the first parameter of a procedure can be a member"
            self.findings.error("E307", message, pattern.span, f"give it a type, as in `{pattern.name.text} : player`")
            self.program.broken.add(name.text)
        return pattern is None

    def add_round(self) -> None:
        """`round` is a field of the table that the rounds loop counts; its range is that of the loop."""
        loops = [loop for loop in _loops(self.program) if loop.variable.text == "round"]
        for extra in loops[1:]:
            self.findings.error(
                "E305", "a game has one loop of rounds", extra.span, related=(Related(loops[0].span, "it is here"),)
            )
        if not loops:
            return
        self.program.broken.add("round")
        domain = loops[0].domain
        if not isinstance(domain, t.Range):
            self.findings.error("E402", "rounds are counted: `for each round in 1..N`", domain.span)
            return
        high = evaluate(domain.high, self.program, self.findings)
        low = evaluate(domain.low, self.program, self.findings)
        if high is None or low is None:
            return
        if low != 1 or high < 1:
            message = f"rounds are counted from 1, not from {low}" if low != 1 else f"there are {high} rounds"
            self.findings.error("E503", message, domain.span)
            return
        self.program.broken.remove("round")
        self.program.fields[None, "round"] = Field(None, "round", 1, (), number(0, high), "open", (), 0, loops[0].span)

    def required(self) -> None:
        program = self.program
        start = program.files.rules.game.span
        if program.play is None:
            self.findings.error("E308", "the rules have no `play`", start, "`play` says how the game runs")
        if program.winner is None:
            self.findings.error(
                "E308", "the rules have no `winner`", start, "for example `winner p`, `highest p.score`"
            )


def _loops(program: Program) -> list[t.ForEach]:
    """Every `for each` of the rules, in the order of the text."""
    found: list[t.ForEach] = []

    def visit(block: t.Block) -> None:
        for statement in block:
            if isinstance(statement, t.ForEach):
                found.append(statement)
            for inner in t.blocks_of(statement):
                visit(inner)

    for node in program.files.rules.declarations:
        visit(t.body_of(node))
    return found
