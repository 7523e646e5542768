"""Checks an IR before any back end sees it: the promises that back ends rely on.

A failure here is a mistake in the translation, never in a rule file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interpreter.ir import nodes as ir
from interpreter.ir.survey import Declaration, Survey, Surveys
from interpreter.ir.walk import inside
from interpreter.program.types import LARGEST, NUMBER, PLAYER, SMALLEST, TRUTH, Multiset, Order, Scalar


class InvalidIR(Exception):
    """A promise that the IR breaks, with the place it came from."""


def validate(game: ir.Game, surveys: Surveys) -> None:
    """Raise `InvalidIR` where a promise is broken. Declarations that were found sound before are left out."""
    if game.main not in game.procedures or game.winner not in game.rankings:
        raise InvalidIR(f"{game.name}: the whole game or its winner is missing")
    known: set[int] = set()
    for procedure in _new(game.procedures, surveys):
        paths: set[str] = set()
        for statement in procedure.statements:
            _statement(statement, game)
            # An `else if` stands at the path of its `if`; all else has a path of its own.
            if not isinstance(statement, ir.If):
                key = f"{type(statement).__name__} {statement.path}"
                if key in paths:
                    raise InvalidIR(f"{statement.span}: the path {key} is there twice in {procedure.declaration.name}")
                paths.add(key)
        _nodes(procedure.nodes, game, known)
    for invariant in game.invariants:
        if invariant.condition.type.family != TRUTH:
            raise InvalidIR(f"{invariant.span}: what always holds is yes or no")
        _nodes(inside(invariant.condition), game, known)
    for formula in (*_new(game.values, surveys), *_new(game.rankings, surveys)):
        _nodes(formula.nodes, game, known)


def _new(declared: Mapping[str, Declaration], surveys: Surveys) -> Iterator[Survey]:
    """What is not known yet, and then is."""
    for each in declared.values():
        if id(each) not in surveys.sound:
            yield surveys.of(each)
            surveys.sound.add(id(each))


def _nodes(nodes: list[object], game: ir.Game, known: set[int]) -> None:
    """`known` are the types that are those of the game."""
    for node in nodes:
        if isinstance(node, ir.Expression):
            if id(node.type) not in known:
                _type(node, game)
                known.add(id(node.type))
            if type(node) in PROMISING:
                _node(node, game)


def _type(node: ir.Expression, game: ir.Game) -> None:
    type_ = node.type
    if type_.family != NUMBER and type_.family != TRUTH:
        if type_.family not in game.domains and type_.family not in game.options:
            raise InvalidIR(f"{node.span}: the type {type_} is unknown")
    if not SMALLEST <= type_.low <= type_.high + (type_.size == 0) <= LARGEST:
        raise InvalidIR(f"{node.span}: the range of {type_} is not bounded")


PROMISING = frozenset([ir.Constant, ir.Comparison, ir.Logic, ir.Not, ir.Arithmetic, ir.Joined, ir.CallValue, ir.Load])
"""The expressions of which more is promised than their types."""


def _node(node: ir.Expression, game: ir.Game) -> None:
    type_ = node.type
    match node:
        case ir.Constant() if not type_.bounds[0] <= node.value <= type_.bounds[1]:
            raise InvalidIR(f"{node.span}: the constant {node.value} is not of its type {type_}")
        case ir.Comparison() | ir.Logic() | ir.Not() if type_.family != TRUTH:
            raise InvalidIR(f"{node.span}: a condition must be yes or no")
        case ir.Arithmetic() if not node.left.type.family == node.right.type.family == NUMBER:
            raise InvalidIR(f"{node.span}: arithmetic with {node.left.type} and {node.right.type}")
        case ir.Joined() if len(node.parts) != len(node.bounds):
            raise InvalidIR(f"{node.span}: {len(node.parts)} parts for {len(node.bounds)} bounds")
        case ir.CallValue() if len(game.values[node.name].parameters) != len(node.arguments):
            raise InvalidIR(f"{node.span}: `{node.name}` is called with {len(node.arguments)} arguments")
        case ir.Load() if len(node.indices) != len(node.field.indices):
            raise InvalidIR(f"{node.span}: `{node.field.name}` has {len(node.field.indices)} indices")


def _statement(s: ir.Statement, game: ir.Game) -> None:
    match s:
        case ir.Call():
            callee = game.procedures.get(s.procedure)
            if callee is None or len(callee.parameters) != len(s.arguments):
                raise InvalidIR(f"{s.span}: `{s.procedure}` cannot be called so")
        case ir.SetLocal() if not isinstance(s.local.type, Scalar):
            raise InvalidIR(f"{s.span}: only scalars are set")
        case ir.Choose() | ir.ChooseSet() if s.player.type.family != PLAYER:
            raise InvalidIR(f"{s.span}: only players choose")
        case ir.Roll() if (s.count is not None) != isinstance(s.local.type, Multiset):
            raise InvalidIR(f"{s.span}: a roll of several is a set")
        case ir.Contest() if not isinstance(s.order.type, Order):
            raise InvalidIR(f"{s.span}: a contest keeps an order")
        case ir.Repeat() | ir.InTurn() if s.limit < 0:
            raise InvalidIR(f"{s.span}: a loop needs a limit")
