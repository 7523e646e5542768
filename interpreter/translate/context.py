"""What the translation of all bodies shares: the program, numbered locals, and values and rankings on demand.

A value's type is the type of its body, so that it is translated when it is first used; `busy` are those at work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from msgspec import Struct, field

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.fields import resolve_type
from chocolatl.interpreter.program.model import MANY, Domain, Field, Program
from chocolatl.interpreter.program.types import PLAYER, Multiset, OrderType, Scalar
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.reuse import NotingMap, TranslationMemo

UNKNOWN = Scalar("?", 0, 0)
"""The type of an expression that has a finding already; it fits everywhere, so that one mistake is one finding."""

Scope = dict[str, ir.Local]
Procedures = dict[str, ir.Procedure]
T = TypeVar("T")
N = TypeVar("N")
P = ParamSpec("P")


class Context(Struct):
    program: Program
    findings: Findings
    items: list[str] = field(default_factory=list)
    values: dict[str, ir.Value | None] = field(default_factory=dict)
    rankings: dict[str, ir.Ranking | None] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)
    facts: dict[Any, Any] = field(default_factory=dict)
    """What bodies need to know of the whole program; each is noted by itself when it is asked for."""
    settled: dict[Span, bool] = field(default_factory=dict)
    count: int = 0
    memory: TranslationMemo | None = None
    maps: dict[str, NotingMap] = field(default_factory=dict)

    @property
    def score(self) -> Field | None:
        """The field that decides the game."""
        score: Field | None = self.facts["score"]
        return score

    def total(self, family: str) -> int:
        """How many components of a domain the game holds, at most; for other sets, a fixed bound."""
        total: int = self.facts.get(("total", family), MANY)
        return total

    def is_dropped(self, member: str, enum: str) -> bool:
        return member in self.facts.get(("dropped", enum), ())

    def watch(self, memory: TranslationMemo) -> None:
        """Remember translations from now on, those of earlier programs included."""
        self.maps = memory.watch(self.program, self.facts)
        self.memory, self.count, self.facts = memory, memory.locals, self.maps["facts"]
        self.values, self.rankings = self.growing("values", {}), self.growing("rankings", {})

    def growing(self, name: str, content: dict[str, T]) -> dict[str, T]:
        """What is translated, its lookups noted."""
        if self.memory is not None:
            content = self.maps[f"translated {name}"] = NotingMap(
                f"translated {name}", self.memory, content, grows=True
            )
        return content

    def memoised(self, make: Callable[Concatenate[N, P], T], node: N, *given: P.args, **named: P.kwargs) -> T:
        """The translation of a part of the rules: made now, or earlier where all that it depends on was the same."""
        memory = self.memory
        if memory is None:
            return make(node, *given, **named)
        before = len(self.findings.items)
        known: T | None = memory.recall(make.__qualname__, node, self.maps, self.item)
        if known is not None:
            return known
        outer = memory.begin()
        result = make(node, *given, **named)
        noted = memory.end(outer)
        if len(self.findings.items) == before:
            memory.keep(make.__qualname__, node, *noted, result)
        return result

    def local(self, name: str, type_: Scalar | Multiset | OrderType) -> ir.Local:
        self.count += 1
        return ir.Local(self.count, name, type_)

    def error(self, code: str, message: str, span: Span, hint: str = "") -> None:
        self.findings.error(code, message, span, hint)

    def condition(self, span: Span, translated: ir.Expression) -> None:
        """Note what a condition came out as."""
        if self.memory is not None:
            self.memory.note_condition(span, bool(translated.value) if isinstance(translated, ir.Constant) else None)

    def translated_value(self, name: str) -> ir.Value:
        """A value of a program without errors, when all are translated."""
        value = self.values[name]
        assert value is not None
        return value

    def translated_ranking(self, name: str) -> ir.Ranking:
        ranking = self.rankings[name]
        assert ranking is not None
        return ranking

    def item(self, name: str) -> int:
        """The position of an entry of the breakdown."""
        if name not in self.items:
            self.items.append(name)
        number = self.items.index(name)
        if self.memory is not None:
            self.memory.items[name] = number
        return number

    def parameters(self, parameters: tuple[t.Parameter, ...]) -> tuple[tuple[ir.Local, ...], Scope]:
        """Locals for typed parameters, and the scope that holds them."""
        scope: Scope = {}
        for parameter in parameters:
            type_: Scalar = UNKNOWN
            if parameter.type is not None:
                resolved = resolve_type(parameter.type, self.program, self.findings)
                if resolved is not None and not isinstance(resolved, Scalar):
                    self.error("E402", "a parameter is a single value, not a set", parameter.span)
                type_ = resolved if isinstance(resolved, Scalar) else UNKNOWN
            name = parameter.name.text
            if name in scope:
                self.error("E305", f"two parameters are called `{name}`", parameter.span)
            scope[name] = self.local(name, type_)
        return tuple(scope.values()), scope

    def renamed(self, of: t.Name, names: tuple[t.Name, ...], parameters: tuple[ir.Local, ...]) -> Scope | None:
        """The parameters of a value or an event by the names that another declaration gives them."""
        if len(names) != len(parameters):
            wanted = ", ".join(p.name for p in parameters)
            called = f"`{of.text}({wanted})`" if wanted else f"`{of.text}`, without brackets"
            given = "1 name" if len(names) == 1 else f"{len(names)} names"
            needed = "1 parameter" if len(parameters) == 1 else f"{len(parameters)} parameters"
            message = f"this has {given} for {needed}"
            self.error("E406", message, of.span, f"write {called}")
            return None
        return {name.text: parameter for name, parameter in zip(names, parameters, strict=True)}

    def selected(self, clauses: list[t.Procedure]) -> Domain | None:
        """The enum whose members tell the clauses of a procedure apart."""
        enum = self.facts.get(("enum of", clauses[0].name.text)) if clauses else None
        return self.program.domains[enum] if enum is not None else None

    def is_known(self, name: str) -> bool:
        """Whether something that is declared, or given as a parameter, is called so."""
        program = self.program
        return name in program.places or any(known.split(".")[0] == name for known in program.constants)

    def find_facts(self) -> None:
        """Learn what bodies need to know of the whole program."""
        program, facts = self.program, self.facts
        facts["score"] = self._score_field()
        facts |= {("dropped", enum): members for enum, members in program.files.dropped.items()}
        facts |= {("total", name): program.total(name) for name, domain in program.domains.items() if domain.copies}
        for name, clauses in program.procedures.items():
            if clauses[0].parameters and clauses[0].parameters[0].members:
                facts["enum of", name] = self._enum_of(clauses)

    def _enum_of(self, clauses: list[t.Procedure]) -> str | None:
        members = {m.text for c in clauses for m in c.parameters[0].members}
        for domain in self.program.domains.values():
            if domain.is_enum and members <= set(map(str, domain.labels)):
                return domain.name
        return None

    def _score_field(self) -> Field | None:
        """The first key of `winner`."""
        winner = self.program.winner
        if winner is None:
            return None
        key = winner.keys[0]
        expression = key.expression
        if isinstance(expression, t.Reference) and not self.is_known(expression.name):
            return None  # reported when the key is translated
        if (
            isinstance(expression, t.Attribute)
            and isinstance(expression.subject, t.Reference)
            and (expression.subject.name == winner.variable.text or not self.is_known(expression.subject.name))
        ):
            found = self.program.fields.get((PLAYER, expression.name.text))
            if found is not None and isinstance(found.type, Scalar) and not found.indices and not found.type.optional:
                return found
            if found is None or expression.subject.name != winner.variable.text:
                return None  # reported when the key is translated
        self.error(
            "E407", "the first key of `winner` is the score: a number of each player", key.span,
            f"for example `highest {winner.variable.text}.score`",
        )  # fmt: skip
        return None
