"""Whole games from their beginning: what can be shorter where nobody waits and, unless it is asked for, nobody watches
(loop unrolling and interchange).

A build that is watched notes every event, in the order of the interpreter. One that is not may let players who answer
secretly take turns in another order, since nobody can tell; if a game fails there, the watched build says how.
"""

from __future__ import annotations

from collections.abc import Callable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Sharing
from chocolatl.interpreter.ir.walk import statements, stops
from chocolatl.interpreter.lowered.waits import Waiting
from chocolatl.interpreter.native.builds.statement_table import STATEMENTS
from chocolatl.interpreter.native.emit.context import Build, EmitContext, NotedStop
from chocolatl.interpreter.native.emit.frames import local_pointer, set_local, store_head
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.statements.control import emit_block, plain_block, procedure_text
from chocolatl.interpreter.native.emit.statements.events import write_event
from chocolatl.interpreter.native.emit.statements.iteration import loop_turn
from chocolatl.interpreter.native.emit.statements.latches import ask_latches
from chocolatl.interpreter.native.emit.statements.moves import forget_move
from chocolatl.interpreter.native.emit.statements.occurrences import count_ending, counted_bytes
from chocolatl.interpreter.native.emit.statements.secret_blocks import may_peek, saved_locals
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.keys import length_of
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.orders import (
    at_place,
    emit_order,
    evaluate_ranking,
    order_elements,
)
from chocolatl.interpreter.native.emit.values_and_rankings.tables import EXPRESSIONS
from chocolatl.interpreter.native.layout.memory import SECRET
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.vector.keys import vector_keys
from chocolatl.interpreter.native.vector.statements import vector_loop, vector_secret_block
from chocolatl.interpreter.native.vector.unswitching import unswitch_loop

MOST_TURNS, MOST_STATEMENTS = 5, 12
"""A loop of so many turns and statements is written out."""


def whole_extent(context: EmitContext) -> int:
    return context.memory.size + counted_bytes(context.occurrences)


def whole_counts(context: EmitContext) -> str:
    """Behind the state."""
    size = context.memory.size
    return context.f.part("%s", size, Region(Access.OCCURRENCES, counted_bytes(context.occurrences), size))


STRAIGHT = Pass(
    "straight contests", "Exactly one has each place of a contest, and its clauses are for anybody: none is a loop."
)


@STRAIGHT.function
def straight_contest(context: EmitContext, s: ir.Contest) -> bool | None:
    """Where exactly one has each place, no clause is a loop."""
    ranking = context.game.rankings[s.ranking.name]
    plain = all(clause.sharing is Sharing.ANYBODY for clause in s.clauses)
    if not ranking.strict or length_of(ranking) is None or not plain:
        return None
    f = context.f
    context.strict[s.order.number], context.lengths[s.order.number] = True, length_of(ranking)
    order = evaluate_ranking(context, s.ranking, local_pointer(context, s.order))
    for clause in s.clauses:
        first, count = at_place(context, order, clause.place)
        if clause.sharers is not None:
            set_local(context, clause.sharers, count)
        if count == "1":
            set_local(context, clause.local, f.load(f.element(order_elements(context, order), first)))
            emit_block(context, clause.body)
    return True


def is_short(context: EmitContext, s: ir.ForEach) -> bool:
    """Whether a loop over an order is written out, turn by turn: it is known beforehand how many there will be."""
    if not isinstance(s.domain, ir.OrderElements) or not isinstance(s.domain.order, ir.Ranked) or s.counter is not None:
        return False
    length = length_of(context.game.rankings[s.domain.order.name])
    return length is not None and int(length) <= MOST_TURNS and len(statements(s.body)) <= MOST_STATEMENTS


UNROLLING = Pass(
    "unrolled orders", "A short loop goes through a ranking of a few, whose number is known: it is written out."
)


@UNROLLING.function
def unrolled_loop(context: EmitContext, s: ir.ForEach) -> bool | None:
    """A loop over an order, turn by turn."""
    if not is_short(context, s):
        return None
    f, after = context.f, context.f.block()
    assert isinstance(s.domain, ir.OrderElements) and isinstance(s.domain.order, ir.Ranked)
    unswitch_loop(context, s, s.domain.order, after)
    order = emit_order(context, s.domain.order)
    assert order.count is not None
    turns = range(int(order.count))
    elements = [f.load(f.element(order_elements(context, order), str(position))) for position in turns]
    for element in reversed(elements) if s.backwards else elements:
        following = f.block()
        set_local(context, s.local, element)
        loop_turn(context, s, following, after)
    f.begin(after)
    count_ending(context, s)
    return True


def is_interchangeable(context: EmitContext, s: ir.Secretly, loop: ir.ForEach) -> bool:
    """Whether all players go through the same elements, and nothing but their own state is left of each turn."""
    fixed = isinstance(loop.domain, ir.Whole) and loop.domain.start is None
    plain = loop.where is None and loop.counter is None and not loop.backwards
    return fixed and plain and not stops(loop.body) and not saved_locals(context, s) and not may_peek(context, s)


INTERCHANGE = Pass(
    "loop interchange",
    "A secret block is a loop through the same elements for all players, and nobody watches: each turn is done by all.",
)


@INTERCHANGE.function
def interchanged_loops(context: EmitContext, s: ir.Secretly) -> bool | None:
    """A loop that is the same for all players is gone through once, by all of them: none waits for the numbers that
    another one draws."""
    loop = s.body[0] if len(s.body) == 1 else None
    if context.noted or not isinstance(loop, ir.ForEach) or not is_interchangeable(context, s, loop):
        return None
    store_head(context, SECRET, "1")
    with (
        each_element(context, loop.domain, loop.local),
        counting(context, "0", str(context.game.player_count - 1)) as player,
    ):
        set_local(context, s.local, player.value)
        emit_block(context, loop.body)
    store_head(context, SECRET, "0")
    ask_latches(context, *s.writes)
    return True


def numbered_stop(context: EmitContext, s: Waiting) -> NotedStop:
    context.stops.append(NotedStop(len(context.stops), s, context.procedure))
    return context.stops[-1]


def note_if_watched(
    context: EmitContext,
    stop: NotedStop,
    who: str,
    indices: tuple[ir.Expression, ...],
    room: int,
    put: Callable[[str], str],
) -> None:
    if context.noted:
        write_event(context, stop, who, indices, room, put)


WHOLE_GAMES = Build(
    expressions=EXPRESSIONS,
    statements=STATEMENTS,
    passes={
        ir.ForEach: (vector_loop, unrolled_loop),
        ir.Secretly: (vector_secret_block, interchanged_loops),
        ir.Contest: (straight_contest,),
        ir.Ranking: (vector_keys,),
    },
    block=plain_block,
    procedure=procedure_text,
    stop=numbered_stop,
    note=note_if_watched,
    counts=whole_counts,
    extent=whole_extent,
    moved=forget_move,
)
