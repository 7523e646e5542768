"""Loops in which nobody may have anything to do: what is left of a turn then, if that is the same for everybody (loop
unswitching).

    for each p in by_rank                       if there is no p with p.cards > 0: so many times, in whatever order
        let plays : yes/no = no
        if p.cards > 0
            p chooses plays from yes/no
        if plays
            p loses 1 cards
        else
            passed becomes passed + 1               passed becomes passed + 1

So the order need not be known, only that there is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside, statements
from chocolatl.interpreter.lowered.fold import Bound
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.iteration import loop_body
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit_arguments
from chocolatl.interpreter.native.vector.formulas import any_player, is_vectorisable
from chocolatl.interpreter.native.vector.keys import distinctness_text, is_vector_ranking

Fold = Callable[[ir.Expression, Bound | None], ir.Expression]


class UnswitchedTurn(Struct, frozen=True):
    """What a turn comes to unless a condition on its element holds: nothing but reckoning, in which the element does
    not occur, and which has no influence on the condition."""

    unless: ir.Expression
    body: ir.Block


UNSWITCHING = Pass(
    "loop unswitching",
    "In an unrolled loop through the players nobody may have anything to do, and then all turns are the same.",
)


@UNSWITCHING.function
def unswitch_loop(context: EmitContext, s: ir.ForEach, source: ir.Ranked, after: str) -> None:
    """If nobody has anything to do in a loop, it does not matter in which order, as long as there is one."""
    f, ranking = context.f, context.game.rankings[source.name]
    idle = unswitched_turn(s, context.fold) if s.where is None else None
    ranked = ranking.strict and is_vector_ranking(context, ranking)
    if idle is None or not ranked or not is_vectorisable(context, idle.unless, s.local):
        return
    busy, passing = f.block(), f.block()
    f.branch(any_player(context, idle.unless, s.local), busy, passing)
    f.begin(passing)
    context.requested.rankings[source.name] = distinctness_text
    f.do(f"call void @unlike_{context.rankings[source.name]}({emit_arguments(context, ranking, source.arguments)})")
    for _ in range(context.game.player_count):
        loop_body(context, idle.body, after)
    f.goto(after)
    f.begin(busy)


def unswitched_turn(s: ir.ForEach, fold: Fold) -> UnswitchedTurn | None:
    """What a turn of a loop comes to if there is nothing to do, where that can be told."""
    for number, statement in enumerate(s.body):
        if isinstance(statement, ir.If) and not statement.otherwise:
            left = _settled((*s.body[:number], *s.body[number + 1 :]), {}, fold)
            if not all(map(_reckons, statements(left))):
                continue
            condition = fold(statement.condition, None)
            changed = {each.local.number for each in statements(left) if isinstance(each, ir.SetLocal)}
            if s.local.number not in _read(*statements(left)) and not _read(condition) & changed:
                return UnswitchedTurn(condition, left)
    return None


def _settled(block: ir.Block, known: Bound, fold: Fold) -> ir.Block:
    """The same without the branches that are not taken, by what is known of locals; that is brought up to date."""
    found: list[ir.Statement] = []
    for s in block:
        match s:
            case ir.SetLocal():
                value = fold(s.value, known)
                known.pop(s.local.number, None)
                if isinstance(value, ir.Constant):
                    known[s.local.number] = value
                found.append(replace(s, value=value))
            case ir.If():
                condition = fold(s.condition, known)
                if isinstance(condition, ir.Constant):
                    found += _settled(s.then if condition.value else s.otherwise, known, fold)
                    continue
                then, otherwise = ({**known}, {**known})
                branches = _settled(s.then, then, fold), _settled(s.otherwise, otherwise, fold)
                found.append(ir.If(s.span, s.path, condition, *branches))
                for local in list(known):
                    if then.get(local) != known[local] or otherwise.get(local) != known[local]:
                        del known[local]
            case ir.Stop():
                found.append(s)
            case ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.MoveAll():
                found.append(s)  # more than reckoning, so that nothing comes of this
            case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Call() | ir.Secretly() | ir.Contest():
                found.append(s)
            case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
                found.append(s)
            case _:
                assert_never(s)
    return tuple(found)


def _reckons(s: ir.Statement) -> bool:
    """Whether a statement does nothing but reckon with locals, those inside it left out."""
    match s:
        case ir.SetLocal() | ir.If() | ir.Stop():
            return True
        case ir.Store() | ir.CopyZone() | ir.ChangeSet() | ir.Award() | ir.MoveElement() | ir.MoveAll():
            return False
        case ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Call() | ir.Secretly() | ir.Contest():
            return False
        case ir.Choose() | ir.ChooseSet() | ir.Roll() | ir.Draw():
            return False
        case _:
            assert_never(s)


def _read(*nodes: ir.Statement | ir.Expression) -> set[int]:
    """The numbers of the locals that are read."""
    return {part.local.number for part in inside(*nodes) if isinstance(part, ir.Read)}
