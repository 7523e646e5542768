"""What can end a game, found in its rules (loop exits, latches): the ways out of the loops that the course of it is.

A condition is told part by part. Of `a or b`, and of `some p in player has a or b`, the alternatives are two, and more
than one may hold at a time. A value without parameters that is made of alternatives stands for those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.ir.operations import AggregateKind, LogicOperator
from chocolatl.interpreter.ir.walk import blocks, statements, stops
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.translate.windows import declared

EndingNode = ir.Latch | ir.Stop | ir.Loop

LATCH, STOP, UNTIL, OVER = "latch", "stop", "until", "over"
"""A latch that falls; `stop when`; `repeat until`; a loop that has no pass left."""


class Alternative(Struct, frozen=True):
    """A condition, in the words of the rules."""

    text: str
    condition: ir.Expression
    span: Span


class Ending(Struct, frozen=True):
    """Something that ends a game, or a loop of it. `name` is the latch, or the first line of the loop. That a loop is
    over is no condition of the rules, so that it has neither words nor alternatives."""

    kind: str
    name: str
    text: str
    span: Span
    node: EndingNode
    loop: ir.Loop | None
    alternatives: tuple[Alternative, ...]


def endings(game: ir.GameRules) -> Iterator[Ending]:
    """Latches first, then loops in the order of play, those that are left by a condition of their own last."""
    for latch in game.latches:
        yield _ending(LATCH, latch.field.name, latch.condition, latch, None, game)
    for loop in _course(game):
        head = words(replace(loop.span, end_line=loop.span.line, end_column=_end(loop.span)))
        for stop in stops(loop.body):
            yield _ending(STOP, head, stop.condition, stop, loop, game)
        match loop:
            case ir.Repeat():
                yield _ending(UNTIL, head, loop.until, loop, loop, game)
            case ir.InTurn(where=None):
                pass  # it is always somebody's turn
            case ir.ForEach() | ir.InTurn():
                yield Ending(OVER, head, "", loop.span, loop, loop, ())
            case _:
                assert_never(loop)


def _ending(
    kind: str, name: str, condition: ir.Expression, node: EndingNode, loop: ir.Loop | None, game: ir.GameRules
) -> Ending:
    parts = tuple(alternatives(condition, game))
    return Ending(kind, name, words(condition.span), condition.span, node, loop, parts)


# ---------------------------------------------------------------- conditions


def alternatives(condition: ir.Expression, game: ir.GameRules) -> list[Alternative]:
    """The parts of a condition of which one is enough."""
    found: list[Alternative] = []
    if isinstance(condition, ir.Logic) and condition.operator is LogicOperator.OR:
        return [*alternatives(condition.left, game), *alternatives(condition.right, game)]
    if isinstance(condition, ir.CallValue) and not condition.arguments:
        found = alternatives(game.values[condition.name].body, game)
    elif isinstance(condition, ir.Aggregate) and condition.kind is AggregateKind.SOME and condition.body is not None:
        body = condition.body.span
        start = words(replace(condition.span, end_line=body.line, end_column=body.column)).rstrip("( ")
        for each in alternatives(condition.body, game):
            found.append(Alternative(f"{start} {each.text}", replace(condition, body=each.condition), each.span))
    return found if len(found) > 1 else [Alternative(words(condition.span), condition, condition.span)]


def words(span: Span) -> str:
    """What stands at a place in the rules, on one line and without comments."""
    lines = span.source.lines[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(line.partition("#")[0] for line in lines).split())


def _end(span: Span) -> int:
    """The column behind the first line of what stands at a place."""
    return len(span.source.line(span.line)) + 1


# ---------------------------------------------------------------- loops


def _course(game: ir.GameRules) -> list[ir.Loop]:
    """The loops that are gone through once in a game and in which players decide or, if there are none, chance does."""
    calls = Counter(declared(name) for procedure in game.procedures.values() for name in procedure.callees)
    loops = list(_loops(game.procedures[game.main].body, game, calls))
    for kinds in (ir.Choice, ir.ChanceNode):
        found = [loop for loop in loops if any(isinstance(s, kinds) for s in _inside(loop, game))]
        if found:
            return found
    return []


def _loops(block: ir.Block, game: ir.GameRules, calls: Counter[str]) -> Iterator[ir.Loop]:
    for s in block:
        if isinstance(s, ir.Call):
            if calls[declared(s.procedure)] == 1:
                yield from _loops(game.procedures[s.procedure].body, game, calls)
        elif isinstance(s, ir.Flat):
            continue
        else:
            match s:
                case ir.ForEach() | ir.InTurn() | ir.Repeat():
                    yield s
                case ir.If():
                    for inner in blocks(s):
                        yield from _loops(inner, game, calls)
                case ir.Contest() | ir.Secretly():
                    pass  # what stands in it is gone through for each of several players
                case _:
                    assert_never(s)


def _inside(loop: ir.Loop, game: ir.GameRules) -> Iterator[ir.Statement]:
    """All statements that a loop can come to."""
    own = statements(loop.body)
    yield from own
    for name in reachable([s.procedure for s in own if isinstance(s, ir.Call)], game.procedures):
        yield from game.procedures[name].statements
