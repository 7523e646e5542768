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
    """A declaration, the statements and all the nodes in it, what it calls, and how often it sets each local."""

    declaration: Declaration
    statements: list[ir.Statement]
    nodes: list[object]
    calls: tuple[Callee, ...]
    sets: Counter[int]
    chooses: bool


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

    def reaches(self, game: ir.Game) -> tuple[dict[str, int], set[str]]:
        """For each procedure the number of its reach; and the procedures that can reach a decision."""
        declared: dict[str, Mapping[str, Declaration]] = {
            PROCEDURE: game.procedures, VALUE: game.values, RANKING: game.rankings,
        }  # fmt: skip
        numbers: dict[Callee, int] = {}
        choosing: set[str] = set()
        waiting: list[Callee] = [(PROCEDURE, name) for name in game.procedures]
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
            if survey.chooses or any(callee in choosing for of, callee in survey.calls if of == PROCEDURE):
                choosing.add(name)
        return {name: numbers[PROCEDURE, name] for name in game.procedures}, choosing


def _survey(declaration: Declaration) -> Survey:
    body = list(statements(declaration.body)) if isinstance(declaration, ir.Procedure) else []
    roots = body if isinstance(declaration, ir.Procedure) else [declaration]
    nodes = [node for root in roots for node in inside(root)]
    calls: dict[Callee, None] = {}
    for node in nodes:
        if isinstance(node, ir.CallValue):
            calls[VALUE, node.name] = None
        elif isinstance(node, ir.Ranked):
            calls[RANKING, node.name] = None
        elif isinstance(node, ir.Call):
            calls[PROCEDURE, node.procedure] = None
    sets = Counter(s.local.number for s in body if isinstance(s, ir.SetLocal))
    chooses = any(isinstance(s, (ir.Choose, ir.ChooseSet)) for s in body)
    return Survey(declaration, body, nodes, tuple(calls), sets, chooses)
