"""Series of games of players who look ahead and of random ones, played whole in native code (a foreign function
interface)."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

from chocolatl.interpreter.native.builds.results import MASK, Buffer, counted
from chocolatl.interpreter.native.builds.series import Summed, Sums
from chocolatl.interpreter.native.builds.stepper import MoreFunctions, SteppedGame, Stepper
from chocolatl.interpreter.native.emit.statements.occurrences import counted_bytes
from chocolatl.interpreter.native.layout.memory import ASIDE, JOURNAL, LOG, REPORT
from chocolatl.interpreter.native.llvm.compile import FAST
from chocolatl.interpreter.native.lookahead.desk import Desk, Unseatable
from chocolatl.interpreter.native.lookahead.noting import JOURNAL_BYTES, NOTING
from chocolatl.interpreter.native.lookahead.planning import belief_bytes
from chocolatl.interpreter.native.lookahead.requests import Lookahead
from chocolatl.interpreter.native.lookahead.seated import seated_texts
from chocolatl.interpreter.play.game import CHOICES, Game

SEATED = MoreFunctions(seated_texts, ("seated_series",), NOTING)


@dataclass(frozen=True)
class SeatedSums:
    """What came of a series, up to the first game that fails or is left to the interpreter."""

    summed: Summed
    left: bool


class SeatedGames:
    """Games from their beginning; for each seat how its player looks ahead, None for a random one."""

    def __init__(
        self, game: Game, seats: Sequence[Lookahead | None], level: int = FAST, guarded: bool = False,
        inspected: bool = True,
    ) -> None:  # fmt: skip
        asked = {seat for seat in seats if seat is not None}
        if len(asked) != 1:
            raise Unseatable
        (looking,) = asked
        choices = [stop.node for stop in game.program.stops.values() if isinstance(stop.node, CHOICES)]
        whole = Desk(game.program.layout, 0, choices)  # before anything is compiled
        self.stepper = Stepper(game, level, inspected=inspected, guarded=guarded, more=SEATED)
        self.sums = Sums(game.ir)
        self.desk = desk = Desk(game.program.layout, self.stepper.whole, choices)
        assert whole.belief == desk.belief
        self.function = self.stepper.function(
            "seated_series", ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64, ctypes.c_void_p
        )
        self.state = Buffer(desk.size)
        self.counts, self.aside = (Buffer(counted_bytes(self.stepper.occurrences)) for _ in range(2))
        for name, value in (
            ("worlds", looking.halving.worlds), ("tries", looking.halving.tries), ("candidates", looking.candidates),
            ("least", looking.horizon.least), ("most", -1 if looking.horizon.most is None else looking.horizon.most),
        ):  # fmt: skip
            self.state.set_word(desk.word(name)[0], value)
        for seat, player in enumerate(seats):
            self.state.set_word(desk.seats + 8 * seat, int(player is not None))
        self._set_start(game)

    def _set_start(self, game: Game) -> None:
        """All games start with the first statement of the rules."""
        slots, stepper, desk = game.program.initial(), self.stepper, self.desk
        table = SteppedGame(stepper, None)
        table.write(0, slots)
        self.state.view[desk.start : desk.start + stepper.whole] = table.state.view[: stepper.whole]
        for number in range(1 + game.player_count):
            copy = desk.start + number * stepper.size
            for offset, value in (
                (REPORT, self.state.address + desk.report), (LOG, self.counts.address), (ASIDE, self.aside.address),
                (JOURNAL, self.state.address + desk.journals + number * JOURNAL_BYTES),
            ):  # fmt: skip
                self.state.set_word(copy + offset, value)
        for player in range(game.player_count):
            at, size = desk.first_beliefs + player * desk.belief.size, desk.belief.size
            concluded = game.program.knowledge.belief(slots, player)
            self.state.view[at : at + size] = belief_bytes(
                desk.belief, [(group.cards, group.zones) for group in concluded.groups], concluded.bottoms
            )

    def series(self, seed: int, first: int, count: int) -> SeatedSums:
        """Games number `first` and following, up to the first that fails or is left."""
        words = (ctypes.c_int64 * self.sums.size)()
        words[self.sums.shortest] = MASK >> 1
        for memory in (self.counts, self.aside):
            memory.view[:] = bytes(len(memory.view))
        left = self.desk.word("left")[0]
        for offset in (left, self.desk.report):
            self.state.set_word(offset, 0)
        self.function(self.state.address, seed & MASK, first & MASK, count, ctypes.addressof(words))
        if self.state.word(left):
            return SeatedSums(Summed(list(words), 0, None), True)
        site, value = self.state.word(self.desk.report), self.state.word(self.desk.report + 8)
        error = self.stepper.module.failure(self.stepper.game.codec, site - 1, value) if site else None
        return SeatedSums(Summed(list(words), counted(self.counts, 0, self.stepper.occurrences), error), False)
