"""Where players are asked, and what is at hand there: locals in scope that hold nothing secret (decision sites).

A local is in scope where it has a value on every way: parameters, the elements of loops and contests around, what was
set or chosen before in the same block or one around it. Which of them may depend on something secret is found by the
analysis of secrecy, run through the whole game once more.
"""

from __future__ import annotations

from typing import assert_never

from msgspec import Struct

from chocolatl.interpreter.analysis.labels import OPEN, SecrecyLabel, SecrecyState
from chocolatl.interpreter.analysis.secrecy import InformationFlow
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.ir.survey import Surveys
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.program.model import FieldKey
from chocolatl.interpreter.program.types import Scalar

ME = ("me",)
"""The player who decides, as the analysis of secrecy calls one."""


class ChoiceSite(Struct, frozen=True):
    """A choice of the rules: its number in the order of the text, and the locals it may look at.

    `kept` are fields that players change in secret blocks that come here; those of others look as they were at
    entry."""

    number: int
    procedure: str
    node: ir.Choice
    scope: tuple[ir.Local, ...]
    kept: frozenset[FieldKey]

    @property
    def name(self) -> str:
        return self.node.name


def choice_sites(game: ir.GameRules) -> list[ChoiceSite]:
    """All choices that a game can come to."""
    tainted = SecretLocals(game)
    kept = _kept(game)
    found: list[ChoiceSite] = []
    needed, seen = reachable([game.main], game.procedures), set[int]()
    for name, procedure in game.procedures.items():
        if name not in needed:
            continue
        scopes: list[tuple[ir.Choice, tuple[ir.Local, ...]]] = []
        _scopes(procedure.body, list(procedure.parameters), scopes)
        for node, scope in scopes:
            if id(node) in seen:
                continue  # a copy in which no window opens has the same statements
            seen.add(id(node))
            secret = tainted.at.get(node.span, set())
            open_ = tuple(
                local for local in scope if isinstance(local.type, Scalar) and (name, local.number) not in secret
            )
            found.append(ChoiceSite(len(found), name, node, open_, frozenset(kept.get(id(node), ()))))
    return found


def _scopes(block: ir.Block, known: list[ir.Local], found: list[tuple[ir.Choice, tuple[ir.Local, ...]]]) -> None:
    known = list(known)

    def add(*locals_: ir.Local | None) -> None:
        known.extend(local for local in locals_ if local is not None and local not in known)

    for s in block:
        match s:
            case ir.Choose():
                chosen = [pick.local for pick in s.picks]
                found.append((s, tuple(local for local in known if local not in chosen)))
                add(*[pick.local for pick in s.picks if pick.field is None])
            case ir.ChooseSet():
                found.append((s, tuple(known)))
            case ir.SetLocal() | ir.Draw():
                add(s.local)
            case ir.Roll():
                add(s.local if s.target is None else None)
            case ir.If():
                _scopes(s.then, known, found)
                _scopes(s.otherwise, known, found)
            case ir.ForEach() | ir.InTurn() | ir.Secretly():
                _scopes(s.body, [*known, s.local], found)
            case ir.Repeat():
                _scopes(s.body, known, found)
            case ir.Contest():
                for clause in s.clauses:
                    own = [clause.local] if clause.sharers is None else [clause.local, clause.sharers]
                    _scopes(clause.body, [*known, *own], found)
            case ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.MoveAll():
                pass
            case ir.Stop() | ir.Call():
                pass
            case _:
                assert_never(s)


def _kept(game: ir.GameRules) -> dict[int, set[FieldKey]]:
    """By choice, the fields that are changed in the secret blocks around it, or around what calls it."""
    found: dict[int, set[FieldKey]] = {}
    for procedure in game.procedures.values():
        for block in procedure.statements:
            if not isinstance(block, ir.Secretly):
                continue
            called = [s.procedure for s in statements(block.body) if isinstance(s, ir.Call)]
            bodies = [block.body, *(game.procedures[name].body for name in reachable(called, game.procedures))]
            for body in bodies:
                for s in statements(body):
                    if isinstance(s, ir.Choice):
                        found.setdefault(id(s), set()).update(field.key for field in block.writes)
    return found


class SecretLocals(InformationFlow):
    """The locals that may hold something secret, by the choice where they do."""

    def __init__(self, game: ir.GameRules) -> None:
        super().__init__(game, Findings(), Surveys())
        self.at: dict[object, set[tuple[str, int]]] = {}
        self.enter(game.main, SecrecyState({}, {}), OPEN)

    def choose(self, s: ir.Choose, state: SecrecyState, under: SecrecyLabel) -> None:
        self._note(s, state)
        super().choose(s, state, under)

    def choose_set(self, s: ir.ChooseSet, state: SecrecyState, under: SecrecyLabel) -> None:
        self._note(s, state)
        super().choose_set(s, state, under)

    def _note(self, s: ir.Choice, state: SecrecyState) -> None:
        secret = {(self.procedure, number) for number, label in state.secrets.items() if label}
        self.at.setdefault(s.span, set()).update(secret)


class KnownToPlayer:
    """Whether a formula is made of nothing but what the player who decides may know."""

    def __init__(self, game: ir.GameRules, me: ir.Local) -> None:
        self.flow = InformationFlow(game, Findings(), Surveys())
        self.me = me

    def __call__(self, formula: ir.Expression) -> bool:
        label = self.flow.label(formula, SecrecyState({}, {self.me.number: ME}))
        return all(secret.who == ME for secret in label)
