"""What came of each game of a series, as a row of words: that is what differences are made of (a result table)."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.series import highest_lead
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import load_head
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.orders import elements_at, places_at
from chocolatl.interpreter.native.layout.memory import DECISIONS, REPORT
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.types import PLAYER


class GameRow:
    """Where the words of a game lie in its row."""

    def __init__(self, game: ir.GameRules) -> None:
        self.players = game.player_count
        self.items = len(game.items) if (PLAYER, "breakdown") in {field.key for field in game.fields} else 0
        self.decisions, self.round, self.lead, self.scores = 0, 1, 2, 3
        self.won = self.scores + self.players
        """1 for each seat that has won, alone or with others."""
        self.points = self.won + self.players
        """By seat, then by item."""
        self.size = self.points + self.players * self.items


def rows_text(context: EmitContext, row: GameRow) -> str:
    """Play games number `first` and following, one row each; how many were played before one failed."""
    given = [("ptr", "%s"), ("i64", "%seed"), ("i64", "%first"), ("i64", "%count"), ("ptr", "%rows")]
    f = context.open(Function("rows", given, "i64", how=""))
    f.mean("%s", Region(Access.STATE, context.build.extent(context)))
    f.mean("%rows", Region(Access.SUMS, 8 * row.size, times="%count"))
    room = f.variable(f"[{1 + 2 * row.players} x i64]", Access.ORDER)
    failed, played = f.block(), f.variable()
    f.store("0", played)
    with counting(context, "0", f.sub("%count", "1")) as loop:
        f.do(f"call void @play(ptr %s, i64 %seed, i64 {f.op(f'add i64 %first, {loop.value}')})")
        f.do(f"call void @winners(ptr %s, ptr {room})")  # which can fail as well
        fine = f.block()
        f.branch(f.op(f"call i1 @has_failed(i64 {load_head(context, REPORT)})"), failed, fine)
        f.begin(fine)
        at = f.element("%rows", f.mul(loop.value, str(row.size)), meant=Region(Access.SUMS, 8 * row.size))
        _write_row(context, row, room, at)
        f.change(played, "1")
    f.begin(failed)
    f.leave(f"i64 {f.load(played)}")
    return f.text()


def _write_row(context: EmitContext, row: GameRow, room: str, at: str) -> None:
    f = context.f

    def put(position: int, value: str) -> None:
        f.store(value, f.element(at, str(position)))

    def field(key: tuple[str | None, str], cell: int) -> str:
        run = context.memory.places[key]
        pointer = f.part("%s", run.offset + cell * run.shape.size, run.cell(cell))
        return f.load(pointer, run.shape.unit)

    put(row.decisions, load_head(context, DECISIONS))
    put(row.round, field((None, "round"), 0) if (None, "round") in context.memory.places else "0")
    scores = [field(context.game.score.key, seat) for seat in range(row.players)]
    put(row.lead, highest_lead(f, scores))
    for seat, score in enumerate(scores):
        put(row.scores + seat, score)
        put(row.won + seat, "0")
        for item in range(row.items):
            cell = seat * row.items + item
            put(row.points + cell, field((PLAYER, "breakdown"), cell))
    with counting(context, "0", f.sub(f.load(room), "1")) as loop:
        place = f.load(f.element(places_at(context, room, row.players), loop.value))
        winner = f.block()
        f.branch(f.compare("eq", place, "1"), winner, loop.next)
        f.begin(winner)
        who = f.load(f.element(elements_at(context, room, row.players), loop.value))
        f.store("1", f.element(at, f.add(who, str(row.won))))
