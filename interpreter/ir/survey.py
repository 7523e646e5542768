"""What there is in each declaration, listed once, and what each can reach (memoised summaries over the call graph).

The translations of variants and scenarios share most of their declarations. What was found out about a declaration and
all that it can reach holds wherever these are the very same: a `reach` is a number that says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, assert_never, get_args

from msgspec import Struct

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import Evaluating, inside

BodyDeclaration = ir.Procedure | ir.Value | ir.Ranking
PROCEDURE, VALUE, RANKING = "procedure ", "value ", "ranking "
"""What stands before the name of what is called, to say what it is."""

CALLING: tuple[type, ...] = (*get_args(Evaluating), ir.Call)

IDLE = -1
"""The reach of every procedure that cannot reach a decision: it is all the same what it does."""

Kinds = dict[type, list[Any]]
"""Nodes by what they are."""


class Survey(Struct, frozen=True, eq=False):
    """A declaration, the statements and all the nodes in it, what it calls, and how often it sets each local; whether
    it asks for a decision or tells all something, and whether it looks at a zone that is not open."""

    declaration: BodyDeclaration
    statements: list[ir.Statement]
    kinds: Kinds
    calls: tuple[str, ...]
    sets: Counter[int]
    chooses: bool
    pries: bool


class Reaches(Struct, frozen=True):
    """For each declaration of a game, after those that it calls, the number of its reach; the same where it is all one
    what a procedure does that cannot reach a decision or tell something; those that can, and those that can reach a
    look at a zone that is not open."""

    numbers: dict[str, int]
    deciding: dict[str, int]
    choosing: set[str]
    prying: set[str]


class Surveys:
    """The surveys of one run. They keep their declarations, so that an id stands for one of them for good."""

    def __init__(self) -> None:
        self.sound: set[int] = set()
        """Declarations that keep all promises of the IR."""
        self.proven: set[object] = set()
        """Calls that cannot lead to a decision that depends on what its player may not know."""
        self.reckoned: dict[object, dict[int, Any]] = {}
        """How many steps declarations take, by what that depends on in the whole game and by their reach."""
        self.sizes: dict[int, tuple[object, int]] = {}
        """How many nodes there are in an expression that evaluates no others."""
        self._known: dict[int, Survey] = {}
        self._looks: dict[int, tuple[object, bool, tuple[str, ...]]] = {}
        self._reaches: dict[tuple[int, ...], int] = {}
        self._last: tuple[ir.GameRules, Reaches] | None = None

    def of(self, declaration: BodyDeclaration) -> Survey:
        known = self._known.get(id(declaration))
        if known is None:
            known = self._known[id(declaration)] = _survey(declaration)
        return known

    def looks(self, node: object) -> tuple[bool, tuple[str, ...]]:
        """Whether a part of a declaration looks at a zone that is not open, and what it calls."""
        known = self._looks.get(id(node))
        if known is None:
            kinds = by_kind([node])
            known = self._looks[id(node)] = node, _pries(kinds), _calls(kinds)
        return known[1:]

    def reaches(self, game: ir.GameRules) -> Reaches:
        """What the declarations of a game reach; found once for those who ask one after the other."""
        if self._last is None or self._last[0] is not game:
            self._last = game, self._found(game)
        return self._last[1]

    def _found(self, game: ir.GameRules) -> Reaches:
        declared: dict[str, BodyDeclaration] = {PROCEDURE + name: each for name, each in game.procedures.items()}
        declared |= {VALUE + name: each for name, each in game.values.items()}
        declared |= {RANKING + name: each for name, each in game.rankings.items()}
        found = Reaches({}, {}, set(), set())
        numbers, deciding, choosing, prying = found.numbers, found.deciding, found.choosing, found.prying
        known = self._reaches
        waiting = list(declared)
        while waiting:  # a chain may be longer than Python's own stack
            callee = waiting[-1]
            if callee in numbers:
                waiting.pop()
                continue
            survey = self.of(declared[callee])
            calls = survey.calls
            below = [other for other in calls if other not in numbers]
            if below:
                waiting += below
                continue
            waiting.pop()
            declaration = id(survey.declaration)
            numbers[callee] = known.setdefault((declaration, *[numbers[other] for other in calls]), len(known))
            if survey.chooses or not choosing.isdisjoint(calls):
                choosing.add(callee)
            if callee in choosing or not callee.startswith(PROCEDURE):
                deciding[callee] = known.setdefault((declaration, *[deciding[other] for other in calls]), len(known))
            else:
                deciding[callee] = IDLE
            if survey.pries or not prying.isdisjoint(calls):
                prying.add(callee)
        return found


def _survey(declaration: BodyDeclaration) -> Survey:
    body = declaration.statements if isinstance(declaration, ir.Procedure) else []
    kinds = by_kind(body if isinstance(declaration, ir.Procedure) else [declaration])
    sets = Counter([local.number for s in body for local in _sets(s)])
    chooses = not kinds.keys().isdisjoint(get_args(ir.Choice)) or _tells(kinds)
    return Survey(declaration, body, kinds, _calls(kinds), sets, chooses, _pries(kinds))


def _calls(kinds: Kinds) -> tuple[str, ...]:
    """What is called, each once."""
    calling = [node for kind in CALLING if kind in kinds for node in kinds[kind]]
    return tuple(dict.fromkeys([callee for node in calling if (callee := _callee(node)) is not None]))


def _callee(node: Evaluating | ir.Call) -> str | None:
    match node:
        case ir.CallValue():
            return VALUE + node.name
        case ir.Ranked():
            return RANKING + node.name
        case ir.Call():
            return PROCEDURE + node.procedure
        case ir.Aggregate():
            return None
        case _:
            assert_never(node)


def _sets(s: ir.Statement) -> list[ir.Local]:
    """The locals that a statement sets, though they may have been there before."""
    match s:
        case ir.If() | ir.Store() | ir.Call() | ir.Award() | ir.MoveAll() | ir.MoveElement():
            return []
        case ir.SetLocal():
            return [s.local]
        case ir.Choose():
            return [pick.local for pick in s.picks]
        case ir.ForEach() | ir.InTurn() | ir.Secretly() | ir.Roll() | ir.Draw() | ir.Contest():
            return []  # they have locals of their own
        case ir.CopyZone() | ir.ChangeSet() | ir.ChooseSet() | ir.Repeat() | ir.Stop():
            return []
        case _:
            assert_never(s)


def _pries(kinds: Kinds) -> bool:
    """Whether a zone is looked at that is not open."""
    return any([zone.field.visibility != "open" for zone in kinds.get(ir.FieldZone, ())])


def _tells(kinds: Kinds) -> bool:
    """Whether something is told to all that depends on the state, or is rolled where not all see it."""
    texts = [s.text for s in kinds.get(ir.Award, ()) if s.text is not None]
    texts += [s.label for s in kinds.get(ir.Contest, ())]
    unseen = [s.target for s in kinds.get(ir.Roll, ()) if isinstance(s.target, ir.FieldZone)]
    return any(not isinstance(part, str) for text in texts for part in text.parts) or any(
        zone.field.visibility != "open" for zone in unseen
    )


def by_kind(roots: Sequence[object]) -> Kinds:
    """Every node inside some others, themselves included, blocks of statements left out."""
    kinds: Kinds = {}
    for node in inside(*roots):
        kind = type(node)
        if kind in kinds:
            kinds[kind].append(node)
        else:
            kinds[kind] = [node]
    return kinds
