"""What there is in each declaration, listed once, and what each can reach: for those who look at many games in a row.

The translations of variants and scenarios share most of their declarations. What was found out about a declaration and
all that it can reach holds wherever these are the very same: a `reach` is a number that says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from interpreter.ir import nodes as ir
from interpreter.ir.walk import inside, statements

Declaration = ir.Procedure | ir.Value | ir.Ranking
Callee = tuple[str, str]
"""What is called: what it is, and its name."""
PROCEDURE, VALUE, RANKING = "procedure", "value", "ranking"


@dataclass(frozen=True, eq=False)
class Survey:
    """A declaration, the statements and all the nodes in it, what it calls, and how often it sets each local; whether
    it asks for a decision, and whether it looks at a zone that is not open."""

    declaration: Declaration
    statements: list[ir.Statement]
    nodes: list[object]
    calls: tuple[Callee, ...]
    sets: Counter[int]
    chooses: bool
    pries: bool


@dataclass(frozen=True)
class Reaches:
    """For each declaration of a game, after those that it calls, the number of its reach; those that can reach a
    decision, and those that can reach a look at a zone that is not open."""

    numbers: dict[Callee, int]
    choosing: set[Callee]
    prying: set[Callee]


class Surveys:
    """The surveys of one run. They keep their declarations, so that an id stands for one of them for good."""

    def __init__(self) -> None:
        self.sound: set[int] = set()
        """Declarations that keep all promises of the IR."""
        self.proven: set[object] = set()
        """Calls that cannot lead to a decision that depends on what its player may not know."""
        self._known: dict[int, Survey] = {}
        self._reaches: dict[tuple[int, tuple[int, ...]], int] = {}

    def of(self, declaration: Declaration) -> Survey:
        known = self._known.get(id(declaration))
        if known is None:
            known = self._known[id(declaration)] = _survey(declaration)
        return known

    def reaches(self, game: ir.Game) -> Reaches:
        declared: dict[str, Mapping[str, Declaration]] = {
            PROCEDURE: game.procedures, VALUE: game.values, RANKING: game.rankings,
        }  # fmt: skip
        numbers: dict[Callee, int] = {}
        choosing: set[Callee] = set()
        prying: set[Callee] = set()
        waiting: list[Callee] = [(kind, name) for kind, names in declared.items() for name in names]
        while waiting:  # a chain may be longer than Python's own stack
            kind, name = waiting[-1]
            survey = self.of(declared[kind][name])
            below = [callee for callee in survey.calls if callee not in numbers]
            if below and (kind, name) not in numbers:
                waiting += below
                continue
            waiting.pop()
            key = id(survey.declaration), tuple([numbers[callee] for callee in survey.calls])
            numbers[kind, name] = self._reaches.setdefault(key, len(self._reaches))
            if survey.chooses or not choosing.isdisjoint(survey.calls):
                choosing.add((kind, name))
            if survey.pries or not prying.isdisjoint(survey.calls):
                prying.add((kind, name))
        return Reaches(numbers, choosing, prying)


def _survey(declaration: Declaration) -> Survey:
    body = statements(declaration.body) if isinstance(declaration, ir.Procedure) else []
    roots = body if isinstance(declaration, ir.Procedure) else [declaration]
    nodes = [node for root in roots for node in inside(root)]
    calls: dict[Callee, None] = {}
    pries = False
    for node in nodes:
        match node:
            case ir.Read() | ir.Constant():
                pass  # most of them
            case ir.CallValue():
                calls[VALUE, node.name] = None
            case ir.Ranked():
                calls[RANKING, node.name] = None
            case ir.Call():
                calls[PROCEDURE, node.procedure] = None
            case ir.FieldZone():
                pries = pries or node.field.visibility != "open"
    sets = Counter(local.number for s in body for local in _set_by(s))
    chooses = any(isinstance(s, (ir.Choose, ir.ChooseSet)) for s in body)
    return Survey(declaration, body, nodes, tuple(calls), sets, chooses, pries)


def _set_by(statement: ir.Statement) -> list[ir.Local]:
    """The locals that a statement sets, which may be there already."""
    match statement:
        case ir.SetLocal():
            return [statement.local]
        case ir.Choose():
            return [pick.local for pick in statement.picks]
    return []
