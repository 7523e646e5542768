"""A game cut into steps, everything in its slot (the lowered form): what a position means, whoever runs it.

Procedures that can wait are steps with numbers; a position holds the number of its step, the return addresses and the
places in loops. The interpreter's compiler numbers the steps while it emits them
(`chocolatl.interpreter.engine.compile`). Native code takes the numbers over, so that a position goes from one to the
other, and the solver reads from them what is left to run.
"""

from __future__ import annotations

from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_GAME, PC, Layout, Slots
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.lowered.waits import LoopSite, SuspensionPoint, waiting_procedures

Log = list[tuple[Any, ...]]
"""What a run tells of its contests, from where they begin to where they are settled, and of awards. Rankings and texts
are numbers in the lists of the lowered game."""


class LoweredGame:
    """The tables of one game; of its code only the numbers of the steps."""

    def __init__(self, game: ir.GameRules) -> None:
        self.game = game
        self.sites = Sites()
        self.layout = Layout(game)
        self.stepped = waiting_procedures(game)
        """The procedures that are cut into steps."""
        self.entries: dict[str, int] = {}
        """The first step of each of them."""
        self.stops: dict[int, SuspensionPoint] = {}
        self.returns: dict[int, tuple[str, str]] = {}
        """The step after a call: the calling procedure and the path of the call."""
        self.loop_sites: dict[tuple[str, str], LoopSite] = {}
        """By procedure and path."""
        self.rankings = list(game.rankings)
        self.texts: list[ir.Prompt | None] = []

    def initial(self) -> Slots:
        """The start of the game, before its first step."""
        s = list(self.layout.defaults)
        s[PC] = self.entries[self.game.main]
        s[self.layout.frames[self.game.main].back] = END_OF_GAME
        return s
