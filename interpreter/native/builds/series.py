"""Many games in one call: their sums, taken in native code, so that nothing is kept of a single game (streaming
aggregation).

All sums are of whole numbers and exact. They lie one after the other in words of 64 bits; `Sums` says where.
"""

from __future__ import annotations

from dataclasses import dataclass

from chocolatl.interpreter.analysis.score_bounds import most_paid
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import load_head
from chocolatl.interpreter.native.emit.statements.occurrences import add_occurrences
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.orders import elements_at, places_at
from chocolatl.interpreter.native.layout.memory import DECISIONS, REPORT
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.program.types import LARGEST, PLAYER, Scalar
from chocolatl.interpreter.statistics.estimates import COUNTED


@dataclass(frozen=True)
class Summed:
    """What came of a series: its sums as `Sums` lays them out, all that was counted inside games as one number (see
    `chocolatl.interpreter.statistics.occurrences`), and how the first game failed that did."""

    sums: list[int]
    counts: int
    error: RuleError | None


class Sums:
    """The words of a series. For decisions, scores, leads and items: the sum, then the sum of squares."""

    def __init__(self, game: ir.GameRules, from_start: bool = False) -> None:
        self.players = game.player_count
        self.items = len(game.items) if (PLAYER, "breakdown") in {field.key for field in game.fields} else 0
        self.latches = game.latches
        score = game.score.type
        assert isinstance(score, Scalar)
        self.lowest = score.low
        self.bins = score.size if score.size <= COUNTED else 0
        paid = next((field.type for field in game.fields if field.key == (PLAYER, "breakdown")), None)
        points = paid.high if isinstance(paid, Scalar) else 0
        if from_start:
            points = min(points, most_paid(game))
        self.most = max(1, LARGEST // max(-score.low, score.high, score.high - score.low, points, 1) ** 2)
        """Of so many games the sums of squares fit into their words. If those of one do not, its sums tell them."""
        self.rounds = next((field for field in game.fields if field.key == (None, "round")), None)
        round_type = self.rounds.type if self.rounds is not None else None
        self.last_round = min(round_type.high, COUNTED) if isinstance(round_type, Scalar) else -1
        self.games, self.decisions, self.shortest, self.longest = 0, 1, 3, 4
        self.scores = 5
        self.lead = self.scores + 2 * self.players
        """By how much the highest score of a game lies above the next one."""
        self.wins = self.lead + 2
        """By seat, for each number of winners how often this seat was one of them."""
        self.points = self.wins + self.players * self.players
        self.spread = self.points + 2 * self.players * self.items
        self.ended = self.spread + self.players * self.bins
        self.lengths = self.ended + len(self.latches)
        self.size = self.lengths + self.last_round + 1


def series(
    context: EmitContext, sums: Sums, name: str = "series", play: str = "play", extent: int | None = None
) -> str:
    """Play games number `first` and following; how many were played before one failed. `play` is the function that
    plays one, and `extent` how many bytes it reaches."""
    given = [("ptr", "%s"), ("i64", "%seed"), ("i64", "%first"), ("i64", "%count"), ("ptr", "%sums")]
    f = context.open(Function(name, given, "i64", how=""))
    f.mean("%s", Region(Access.STATE, context.build.extent(context) if extent is None else extent))
    f.mean("%sums", Region(Access.SUMS, 8 * sums.size))
    room = f.variable(f"[{1 + 2 * sums.players} x i64]", Access.ORDER)
    failed, played = f.block(), f.variable()
    f.store("0", played)
    with counting(context, "0", f.sub("%count", "1")) as loop:
        f.do(f"call void @{play}(ptr %s, i64 %seed, i64 {f.op(f'add i64 %first, {loop.value}')})")
        f.do(f"call void @winners(ptr %s, ptr {room})")  # which can fail as well
        fine = f.block()
        f.branch(f.op(f"call i1 @has_failed(i64 {load_head(context, REPORT)})"), failed, fine)
        f.begin(fine)
        _add_game(context, sums, room)
        f.change(played, "1")
    f.begin(failed)
    f.leave(f"i64 {f.load(played)}")
    return f.text()


def _tally(f: Function, position: str, first: int, count: int) -> None:
    """One more, in one of so many words."""
    f.change(f.element("%sums", position, meant=Region(Access.TALLY, 8 * count, 8 * first)), "1")


def _add_game(context: EmitContext, sums: Sums, room: str) -> None:
    """What came of a game, added to the sums."""
    f = context.f

    def word(position: int) -> str:
        return f.element("%sums", str(position), meant=Region(Access.SUMS, 8, 8 * position))

    def tally(position: int, value: str) -> None:
        f.change(word(position), value)
        f.change(word(position + 1), f.mul(value, value))

    def field(key: tuple[str | None, str], cell: int) -> str:
        run = context.memory.places[key]
        pointer = f.part("%s", run.offset + cell * run.shape.size, run.cell(cell))
        return f.load(pointer, run.shape.unit)

    f.change(word(sums.games), "1")
    decisions = load_head(context, DECISIONS)
    tally(sums.decisions, decisions)
    f.store(f.minimum(f.load(word(sums.shortest)), decisions), word(sums.shortest))
    f.store(f.maximum(f.load(word(sums.longest)), decisions), word(sums.longest))
    scores = []
    for seat in range(sums.players):
        score = field(context.game.score.key, seat)
        scores.append(score)
        tally(sums.scores + 2 * seat, score)
        if sums.bins:
            first = sums.spread + seat * sums.bins
            _tally(f, f.add(score, str(first - sums.lowest)), first, sums.bins)
        for item in range(sums.items):
            cell = seat * sums.items + item
            tally(sums.points + 2 * cell, field((PLAYER, "breakdown"), cell))
    tally(sums.lead, highest_lead(f, scores))
    for number, latch in enumerate(sums.latches):
        f.change(word(sums.ended + number), field(latch.field.key, 0))
    if sums.rounds is not None:
        length = f.minimum(field(sums.rounds.key, 0), str(sums.last_round))
        _tally(f, f.add(f.maximum(length, "0"), str(sums.lengths)), sums.lengths, sums.last_round + 1)
    _add_winners(context, sums, room)
    add_occurrences(context)


def highest_lead(f: Function, scores: list[str]) -> str:
    """How far the highest of some numbers lies above the next one; 0 of one alone."""
    highest, next_one = scores[0], scores[0]
    for number, score in enumerate(scores[1:]):
        lower = f.minimum(highest, score)
        next_one = f.maximum(next_one, lower) if number else lower
        highest = f.maximum(highest, score)
    return f.sub(highest, next_one)


def _add_winners(context: EmitContext, sums: Sums, room: str) -> None:
    f = context.f
    ranked, winners = f.load(room), f.variable()
    f.store("0", winners)
    with counting(context, "0", f.sub(ranked, "1")) as loop:
        place = f.load(f.element(places_at(context, room, sums.players), loop.value))
        f.change(winners, f.widen(f.compare("eq", place, "1")))
    with counting(context, "0", f.sub(ranked, "1")) as loop:
        place = f.load(f.element(places_at(context, room, sums.players), loop.value))
        winner = f.block()
        f.branch(f.compare("eq", place, "1"), winner, loop.next)
        f.begin(winner)
        seat = f.load(f.element(elements_at(context, room, sums.players), loop.value))
        cell = f.add(f.mul(seat, str(sums.players)), f.sub(f.load(winners), "1"))
        _tally(f, f.add(cell, str(sums.wins)), sums.wins, sums.players**2)
