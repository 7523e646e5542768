"""A state that can be left at any decision, as the functions that run it reach it (accessors): its words, its copies,
where it stands.

A state is the memory of the common position and, behind it, one of the same size for each player: the private copies in
a secret block. So a state is copied by copying bytes. While a block is open, the random numbers of a player are those
in the player's own copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import AT, REPORT, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function


class StateAccess:
    """Parts of functions that reach the words and the copies of a state."""

    def __init__(self, context: EmitContext) -> None:
        self.context = context
        self.program = context.stepping.program
        self.memory = context.memory
        self.players = context.game.player_count
        self.size = self.memory.size
        self.whole = (1 + self.players) * self.size
        self.f = context.f
        self.secret: list[SuspensionPoint] = []
        self.asking: list[SuspensionPoint] = []
        self.choices: list[SuspensionPoint] = []
        self.chances: list[SuspensionPoint] = []
        for stop in self.program.stops.values():
            match stop.node:
                case ir.Secretly():
                    self.secret.append(stop)
                case ir.Choose() | ir.ChooseSet():
                    self.asking.append(stop)
                    self.choices.append(stop)
                case ir.Roll() | ir.Draw():
                    self.asking.append(stop)
                    self.chances.append(stop)
                case _:
                    assert_never(stop.node)

    def open(
        self, name: str, given: tuple[tuple[str, str], ...] = (), result: str = "void", how: str = "internal"
    ) -> Function:
        self.f = self.context.open(Function(name, [("ptr", "%s"), *given], result, how))
        if not how:
            self.f.mean("%s", Region(Access.STATE, self.whole))
        self.context.frame = None
        return self.f

    def word(self, state: str, offset: int, meant: Region | None = None) -> str:
        """What lies at an offset of a state: a word of its head, unless it is said what else."""
        return self.f.part(state, offset, meant or head_word(offset))

    def get(self, state: str, offset: int) -> str:
        return self.f.load(self.word(state, offset))

    def put(self, state: str, offset: int, value: str) -> None:
        self.f.store(value, self.word(state, offset))

    def copy(self, target: str, source: str, size: int) -> None:
        self.f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)")

    def call(self, name: str, state: str, *given: str) -> None:
        self.f.do(f"call void @{name}({', '.join([f'ptr {state}', *given])})")

    def state(self, size: int) -> str:
        """The common position, or that with the copies of all players."""
        return self.f.element("%s", "0", "i8", Region(Access.STATE, size, 0))

    def private(self, player: str) -> str:
        """The copy of a player."""
        behind = self.f.part("%s", self.size, Region(Access.COPY, self.players * self.size, self.size))
        own = self.f.op(f"getelementptr [{self.size} x i8], ptr {behind}, i64 {player}")
        return self.f.mean(own, Region(Access.COPY, self.size))

    def switch(self, places: list[int], state: str = "%s") -> tuple[dict[int, str], str]:
        """Branch by the place where a state stands; the block of each, and that of all others."""
        f = self.f
        blocks, other = {place: f.block() for place in places}, f.block()
        ways = " ".join(f"i64 {place}, label %{block}" for place, block in blocks.items())
        f.do(f"switch i64 {self.get(state, AT)}, label %{other} [{ways}]")
        f.closed = True
        return blocks, other

    def when(self, stops: list[SuspensionPoint], then: str) -> None:
        """Go to a block if the state stands at one of some stops."""
        blocks, other = self.switch([stop.pc for stop in stops])
        for block in blocks.values():
            self.f.begin(block)
            self.f.goto(then)
        self.f.begin(other)

    @contextmanager
    def each_player(self) -> Iterator[tuple[str, str]]:
        """A loop over the players and their copies."""
        with counting(self.context, "0", str(self.players - 1)) as loop:
            yield loop.value, self.private(loop.value)

    def has_failed(self) -> str:
        return self.f.op(f"call i1 @has_failed(i64 {self.get('%s', REPORT)})")
