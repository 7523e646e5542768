"""Secrets that come to stand where all can read them (information-flow analysis, implicit flows included).

What lies in a secret or hidden set is a secret. It is shown by `reveal`, by moving a piece into an open set, and by a
contest, whose keys are told to all. Every other way into an open field, be it by a value or by a condition under which
the field is set, is told of here. How many lie in a set is known to all, and after the end nothing is secret.
"""

from __future__ import annotations

from collections.abc import Iterable

from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.interpreter.meaning.world import World, all_statements, last_name
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t

LAID_OPEN = "W414"

DEEPEST = 20
"""So many procedures in one another are followed: what is handed on further is not looked at."""

Taint = dict[str, Span]
"""Secret sets by their names, each with a place at which it is looked at."""
Tainted = dict[str, Taint]
"""Locals that hold something of secrets."""


def report_laid_open(world: World, own: Iterable[t.Declaration], findings: Findings) -> None:
    """Report secrets that declarations write into open fields."""
    secret = {key[1]: each for key, each in world.fields.items() if each.visibility is not None}
    if not secret:
        return
    flow = SecretFlow(world, secret, findings)
    mine = {id(declaration) for declaration in own}
    flow.own = mine
    for declaration in world.files.rules.declarations:
        if isinstance(declaration, t.Play | t.Reaction | t.Window | t.Procedure):
            flow.enter(declaration, {}, {})


class SecretFlow:
    """Procedures are followed into with what their arguments and the way to them hold."""

    def __init__(self, world: World, secret: dict[str, t.Field], findings: Findings) -> None:
        self.world = world
        self.secret = secret
        self.findings = findings
        self.own: set[int] = set()
        self.seen: set[object] = set()
        self.reported: set[tuple[Span, str]] = set()
        self.told = True
        self.shown: set[str] = set()
        self.depth = 0
        self._values: dict[str, Taint] = {}
        self._begun: set[str] = set()

    # ------------------------------------------------------------ expressions

    def taint(self, node: t.Tree | None, held: Tainted) -> Taint:
        """The secrets that something depends on."""
        if node is None:
            return {}
        match node:
            case t.SizeOf():
                return {}
            case t.Aggregate(kind=AggregateKind.NUMBER, where=None):
                return {}
            case t.Aggregate():
                over = self.taint(node.domain, held)
                inner = {**held, node.variable.text: over} if over else held
                asked = {**self.taint(node.where, inner), **self.taint(node.body, inner)}
                return asked or over
            case t.Reference():
                if node.name in held:
                    return held[node.name]
                if (None, node.name) in self.world.fields and node.name in self.secret:
                    return {node.name: node.span}
                return self.value(node.name, node.span)
            case t.Attribute():
                found = dict(self.taint(node.subject, held))
                if self._is_secret(node):
                    found[node.name.text] = node.span
                return found
            case t.Call():
                found = dict(self.value(node.name.text, node.span))
                for argument in node.arguments:
                    found |= self.taint(argument, held)
                return found
            case t.Placed() | t.RankOf():
                return self.taint(node.ranking, held)
        found = {}
        for part in _parts(node):
            found |= self.taint(part, held)
        return found

    def _is_secret(self, node: t.Attribute) -> bool:
        name = node.name.text
        return name in self.secret and not any(
            a.name.text == name for c in self.world.components.values() for a in c.attributes
        )

    def value(self, name: str, span: Span) -> Taint:
        """The secrets behind a value or a ranking, whatever its arguments are."""
        waiting = [name]
        while waiting:  # a chain may be longer than Python's own stack
            behind = self.world.behind_one(waiting[-1])
            below = [word for word in behind if word not in self._begun]
            self._begun.update(below)
            if below:
                waiting += below
            else:
                self._value(waiting.pop())
        return dict.fromkeys(self._value(name), span)

    def _value(self, name: str) -> Taint:
        if name not in self._values:
            self._values[name] = {}
            found: Taint = {}
            value, ranking = self.world.values.get(name), self.world.rankings.get(name)
            if value is not None:
                found = self.taint(value.body, {})
            elif ranking is not None:
                over = self.taint(ranking.domain, {})
                inner = {ranking.variable.text: over} if over else {}
                found = {**over, **self.taint(ranking.where, inner)}
                for key in ranking.keys:
                    found = {**found, **self.taint(key.expression, inner)}
            self._values[name] = found
        return self._values[name]

    # ------------------------------------------------------------ statements

    def enter(self, declaration: t.Procedure | t.Play | t.Reaction | t.Window, held: Tainted, under: Taint) -> None:
        """Follow a declaration, unless that was done."""
        key = id(declaration), tuple([(name, *taint) for name, taint in held.items()]), tuple(under)
        if key in self.seen or self.depth >= DEEPEST:
            return
        self.depth += 1
        self.seen.add(key)
        outer = self.shown, self.told
        self.shown = {
            s.element.name
            for s in all_statements(declaration.body)
            if isinstance(s, t.Move) and isinstance(s.element, t.Reference) and self.is_open(s.target)
        }
        # What is done with a secret that was handed over is told where it was handed over.
        self.told = id(declaration) in self.own
        self.block(declaration.body, {k: v for k, v in held.items() if k not in self.shown}, under)
        self.shown, self.told = outer
        self.depth -= 1

    def is_open(self, zone: t.Expression) -> bool:
        return last_name(zone) not in self.secret

    def block(self, block: t.Block, held: Tainted, under: Taint) -> None:
        held = dict(held)
        for statement in block:
            self.statement(statement, held, under)

    def hold(self, name: str, taint: Taint, held: Tainted) -> None:
        if taint and name not in self.shown:
            held[name] = taint
        else:
            held.pop(name, None)

    def statement(self, s: t.Statement, held: Tainted, under: Taint) -> None:
        match s:
            case t.Let():
                self.hold(s.name.text, {**self.taint(s.value, held), **under}, held)
            case t.Becomes():
                self.store(s.target, s.value, {**self.taint(s.value, held), **under}, held)
            case t.Gains():
                self.tell(s.amount.span, s.field.text, {**self.taint(s.amount, held), **under})
            case t.Alter():
                if s.element is not None and self.is_open(s.target):
                    self.tell(s.element.span, last_name(s.target), {**self.taint(s.element, held), **under})
            case t.If():
                for condition, body in s.branches:
                    under = {**under, **self.taint(condition, held)}
                    self.block(body, held, under)
                self.block(s.otherwise, held, under)
            case t.ForEach():
                inner = dict(held)
                self.hold(s.variable.text, self.taint(s.domain, held), inner)
                self.block(s.body, inner, {**under, **self.taint(s.where, inner)})
            case t.InTurn():
                self.block(s.body, held, {**under, **self.taint(s.where, held)})
            case t.Repeat():
                self.block(s.body, held, {**under, **self.taint(s.until, held)})
            case t.Secretly():
                self.block(s.body, held, under)
            case t.Contest():
                for clause in s.clauses:  # its keys are told to all
                    self.block(clause.body, held, under)
            case t.Choose():
                for pick in s.picks:
                    if s.into is None and isinstance(pick.target, t.Reference):
                        self.hold(pick.target.name, {**self.taint(pick.domain, held), **under}, held)
            case t.Draw():
                hidden = not self.is_open(s.source) and not self.is_open(s.target)
                self.hold(s.name.text, {last_name(s.target): s.span} if hidden else {}, held)
            case t.Do():
                for each in self.world.procedures.get(s.name.text, ()):
                    inner = {}
                    for parameter, argument in zip(each.parameters, s.arguments, strict=False):
                        taint = self.taint(argument, held)
                        if taint:
                            inner[parameter.name.text] = taint
                    if inner or under:
                        self.enter(each, inner, under)
            case t.Roll() | t.Move() | t.Announce() | t.Nothing() | t.Stop():
                pass

    def store(self, target: t.Expression, value: t.Expression, taint: Taint, held: Tainted) -> None:
        name = last_name(target)
        if isinstance(target, t.Reference) and (None, name) not in self.world.fields:
            self.hold(name, {**taint, **held.get(name, {})}, held)
        elif name not in self.secret:
            self.tell(value.span, name, taint)

    def tell(self, span: Span, field: str, taint: Taint) -> None:
        """Report what an open field gets."""
        if not self.told:
            return
        for name, read in list(taint.items())[:1]:
            if (span, name) in self.reported:
                continue
            self.reported.add((span, name))
            word = self.secret[name].visibility
            message = f"`{field}` can be read by all, and this tells of `{name}`, which is {word.word if word else ''}"
            related = [Related(read, f"`{name}` is looked at here")] if read != span else []
            related.append(Related(self.secret[name].name.span, f"`{name}` is declared here"))
            hint = "let it depend on what is open, or show the pieces with `reveal`"
            self.findings.warning(LAID_OPEN, message, span, hint, tuple(related))


def _parts(node: t.Tree) -> list[t.Tree]:
    """The nodes directly inside of one."""
    found: list[t.Tree] = []
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, t.Node) and not isinstance(each, t.Name | t.Text):
                found.append(each)  # type: ignore[arg-type]
    return found
