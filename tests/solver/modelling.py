"""What tests see while a model is made: which operations of the IR were carried out, and which one was refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ElementsKind, ExpressionKind, Operation, StatementKind
from chocolatl.interpreter.ir.operations import named as kind_named
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression, OneOf
from chocolatl.solver.symbolic import formulas as evaluate
from chocolatl.solver.symbolic.cells import Cells
from chocolatl.solver.symbolic.domains import SymbolicDomains
from chocolatl.solver.symbolic.next_round import RunToNextQuestion
from chocolatl.solver.symbolic.orders import SymbolicOrder
from chocolatl.solver.symbolic.resume import ResumedRun
from chocolatl.solver.symbolic.run import SymbolicRun
from chocolatl.solver.symbolic.unmodelled import Unsupported
from tests.operations.operations import OPERATORS

Done = Operation | type
"""An operation, or the class of a set or of an order."""


def done(node: object) -> list[Done]:
    """The operations of a node: what it is, and which of several things it does."""
    if isinstance(node, Operation):
        return [node]
    found: list[Done] = []
    for kinds in (ExpressionKind, StatementKind, ElementsKind):
        if type(node).__name__ in {each.value for each in kinds}:
            found.append(kind_named(kinds, type(node).__name__))
    if type(node) in OPERATORS:
        found.append(getattr(node, OPERATORS[type(node)][0]))
    return found or [type(node)]


@dataclass
class Seen:
    """Operations that were carried out, and those of which the answer decided what comes of them."""

    carried_out: set[Done] = field(default_factory=set)
    decided: set[Done] = field(default_factory=set)
    open: int = 0
    """How often something was found that the answer decides."""

    def add(self, node: object, is_open: bool) -> None:
        self.open += is_open
        self.carried_out.update(done(node))
        if is_open:
            self.decided.update(done(node))


def is_open(result: object) -> bool:
    """Whether the answer decides it."""
    match result:
        case list() | tuple():
            return any(map(is_open, result))
        case SymbolicOrder():
            return any(map(is_open, (*result.there.values(), *result.before.values())))
        case _:
            return isinstance(result, (LinearExpression, BooleanLiteral, OneOf))


def watched(patch: pytest.MonkeyPatch) -> Seen:
    """From now on all that runs do is noted; what refuses a model is named by the innermost operation."""
    seen = Seen()

    def around(node: object, work: Callable[..., Any], *given: Any) -> Any:
        """A formula: the answer decides what it is. A statement: it decides what it reads, or whether it happens."""
        before = seen.open
        try:
            result = work(*given)
        except Unsupported as refused:
            refused.__dict__.setdefault("node", node)
            raise
        if isinstance(node, ir.PlacedNode):
            seen.add(node, seen.open > before or is_open(given[0].state.path))
        else:
            seen.add(node, is_open(result))
        return result

    def made(make: Callable[..., Any]) -> Callable[..., Any]:
        """What makes a function of a run from a node."""

        def make_watched(formulas: Any, node: Any, *rest: Any) -> Any:
            function = make(formulas, node, *rest)
            return lambda *given: around(node, function, *given)

        return make_watched

    def carried(work: Callable[..., Any]) -> Callable[..., Any]:
        """What carries out a node at once."""
        return lambda run, node, *rest: around(node, work, run, node, *rest)

    for name in ("VALUES", "TRUTHS"):
        patch.setattr(evaluate, name, {kind: made(make) for kind, make in getattr(evaluate, name).items()})
    for owner, name in (
        (Cells, "target"),
        (Cells, "zone"),
        (Cells, "counts"),
        (SymbolicDomains, "domain"),
        (SymbolicDomains, "order"),
    ):
        patch.setattr(owner, name, made(getattr(owner, name)))
    patch.setattr(SymbolicDomains, "arguments", made(SymbolicDomains.arguments))
    patch.setattr(RunToNextQuestion, "carried_out", carried(RunToNextQuestion.carried_out))
    patch.setattr(ResumedRun, "resumed", carried(ResumedRun.resumed))
    ranked, meant = evaluate.Evaluator.ranked, SymbolicRun.meant
    patch.setattr(evaluate.Evaluator, "ranked", lambda run, source, *rest: around(source, ranked, run, source, *rest))
    patch.setattr(SymbolicRun, "meant", lambda run, sharing, *rest: around(sharing, meant, run, sharing, *rest))
    return seen
