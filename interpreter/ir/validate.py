"""Checks an IR before any back end sees it (a verifier): the promises that back ends rely on.

A failure here is a mistake in the translation, never in a rule file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import complete_nodes
from chocolatl.interpreter.ir.survey import BodyDeclaration, Kinds, Survey, Surveys, by_kind
from chocolatl.interpreter.ir.walk import BodyNode
from chocolatl.interpreter.program.types import LARGEST, NUMBER, PLAYER, SMALLEST, TRUTH, Multiset, OrderType, Scalar


class InvalidIR(Exception):
    """A promise that the IR breaks, with the place it came from."""


def validate(game: ir.GameRules, surveys: Surveys) -> None:
    """Raise `InvalidIR` where a promise is broken. Declarations that were found sound before are left out."""
    if game.main not in game.procedures or game.winner not in game.rankings:
        raise InvalidIR(f"{game.name}: the whole game or its winner is missing")
    known: set[int] = set()
    for procedure in _new(game.procedures, surveys):
        paths: set[tuple[type, str]] = set()
        for statement in procedure.statements:
            # An `else if` stands at the path of its `if`; all else has a path of its own.
            if type(statement) is not ir.If:
                key = type(statement), statement.path
                if key in paths:
                    where = f"{key[0].__name__} {key[1]} is there twice in {procedure.declaration.name}"
                    raise InvalidIR(f"{statement.span}: the path {where}")
                paths.add(key)
        _check(procedure.kinds, game, known)
    for invariant in game.invariants:
        if invariant.condition.type.family != TRUTH:
            raise InvalidIR(f"{invariant.span}: what always holds is yes or no")
        _check(by_kind([invariant.condition]), game, known)
    for formula in (*_new(game.values, surveys), *_new(game.rankings, surveys)):
        _check(formula.kinds, game, known)


def _new(declared: Mapping[str, BodyDeclaration], surveys: Surveys) -> Iterator[Survey]:
    """What is not known yet, and then is."""
    for each in declared.values():
        if id(each) not in surveys.sound:
            yield surveys.of(each)
            surveys.sound.add(id(each))


def _check(kinds: Kinds, game: ir.GameRules, known: set[int]) -> None:
    """All nodes, by kind; `known` are the types that are those of the game."""
    for kind, nodes in kinds.items():
        if issubclass(kind, ir.TypedNode):
            for node in nodes:
                if id(node.type) not in known:
                    _type(node, game)
                    known.add(id(node.type))
        promise = PROMISES[kind]
        if promise is not None:
            for node in nodes:
                complaint = promise(node, game)
                if complaint:
                    raise InvalidIR(f"{node.span}: {complaint}")


def _type(node: ir.Expression, game: ir.GameRules) -> None:
    type_ = node.type
    if type_.family != NUMBER and type_.family != TRUTH:
        if type_.family not in game.domains and type_.family not in game.options:
            raise InvalidIR(f"{node.span}: the type {type_} is unknown")
    if not SMALLEST <= type_.low <= type_.high + (type_.size == 0) <= LARGEST:
        raise InvalidIR(f"{node.span}: the range of {type_} is not bounded")


Promise = Callable[[Any, ir.GameRules], str | None]
"""What is wrong with a node, if anything is."""


def _constant(node: ir.Constant, game: ir.GameRules) -> str | None:
    low, high = node.type.bounds
    return None if low <= node.value <= high else f"the constant {node.value} is not of its type {node.type}"


def _condition(node: ir.Expression, game: ir.GameRules) -> str | None:
    return None if node.type.family == TRUTH else "a condition must be yes or no"


def _arithmetic(node: ir.Arithmetic, game: ir.GameRules) -> str | None:
    left, right = node.left.type, node.right.type
    return None if left.family == right.family == NUMBER else f"arithmetic with {left} and {right}"


def _joined(node: ir.Joined, game: ir.GameRules) -> str | None:
    parts, bounds = len(node.parts), len(node.bounds)
    return None if parts == bounds else f"{parts} parts for {bounds} bounds"


def _value(node: ir.CallValue, game: ir.GameRules) -> str | None:
    given = len(node.arguments)
    return (
        None if len(game.values[node.name].parameters) == given else f"`{node.name}` is called with {given} arguments"
    )


def _load(node: ir.Load, game: ir.GameRules) -> str | None:
    wanted = len(node.field.indices)
    return None if len(node.indices) == wanted else f"`{node.field.name}` has {wanted} indices"


def _call(s: ir.Call, game: ir.GameRules) -> str | None:
    callee = game.procedures.get(s.procedure)
    fits = callee is not None and len(callee.parameters) == len(s.arguments)
    return None if fits else f"`{s.procedure}` cannot be called so"


def _set_local(s: ir.SetLocal, game: ir.GameRules) -> str | None:
    return None if isinstance(s.local.type, Scalar) else "only scalars are set"


def _choose(s: ir.Choose | ir.ChooseSet, game: ir.GameRules) -> str | None:
    if isinstance(s, ir.ChooseSet) and not (_is_count(s.least) and _is_count(s.most)):
        return "how many are chosen may be less than 0"
    return None if s.player.type.family == PLAYER else "only players choose"


def _roll(s: ir.Roll, game: ir.GameRules) -> str | None:
    if s.count is not None and not _is_count(s.count):
        return "how many are rolled may be less than 0"
    return None if (s.count is not None) == isinstance(s.local.type, Multiset) else "a roll of several is a set"


def _is_count(e: ir.Expression) -> bool:
    return e.type.low >= 0 and not e.type.optional


def _contest(s: ir.Contest, game: ir.GameRules) -> str | None:
    return None if isinstance(s.order.type, OrderType) else "a contest keeps an order"


def _loop(s: ir.Repeat | ir.InTurn, game: ir.GameRules) -> str | None:
    return None if s.limit >= 0 else "a loop needs a limit"


PROMISES: Mapping[type, Promise | None] = complete_nodes(BodyNode, {
    ir.Constant: _constant, ir.Comparison: _condition, ir.Logic: _condition, ir.Not: _condition,
    ir.Arithmetic: _arithmetic, ir.Joined: _joined, ir.CallValue: _value, ir.Load: _load, ir.Call: _call,
    ir.SetLocal: _set_local, ir.Choose: _choose, ir.ChooseSet: _choose, ir.Roll: _roll, ir.Contest: _contest,
    ir.Repeat: _loop, ir.InTurn: _loop,
    # Of these the types say all.
    ir.Read: None, ir.Lookup: None, ir.Part: None, ir.Conditional: None, ir.Required: None, ir.Narrowed: None,
    ir.Aggregate: None, ir.ZoneSize: None, ir.ZoneCount: None, ir.PlaceOf: None, ir.RankOf: None,
    ir.Numbers: None, ir.Whole: None, ir.ZoneElements: None, ir.Listing: None, ir.OrderElements: None,
    ir.FieldZone: None, ir.LocalZone: None, ir.Ranked: None, ir.HeldOrder: None, ir.Prompt: None,
    ir.Store: None, ir.CopyZone: None, ir.ChangeSet: None, ir.Award: None, ir.MoveElement: None, ir.MoveAll: None,
    ir.If: None, ir.ForEach: None, ir.Stop: None, ir.Secretly: None, ir.Draw: None,
    ir.PickOne: None, ir.Clause: None, ir.Key: None, ir.Value: None, ir.Ranking: None,
}, __name__)  # fmt: skip
"""What is promised of a kind of node, beside its type."""
