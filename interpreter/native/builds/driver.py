"""What runs a game that can be left at any decision (a trampoline): from stop to stop, through secret blocks, at random
to a horizon.

A state is the memory of the common position and, behind it, one of the same size for each player: the private copies in
a secret block. So a state is copied by copying bytes. While a block is open, the random numbers of a player are those
in the player's own copy.

    settle(s)                              go on until a decision, until chance has to speak, or to the end
    run(s)                                 the same, and let chance speak
    apply(s, player, answer, count)        store an answer or, at chance, an outcome, then settle
    play_on(s, least, most, rounds, ...)   everybody answers at random, up to a horizon
    play(s, seed, index)                   a whole game of a series, from the state that lies behind this one
    who(s), labels(s, out), legal(s, wanted, out)   what is asked where a state stands, see `stops`

`s` is the common position, or a private copy for what asks about a player in a secret block.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_SEALED, END_OF_START
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.native.builds.stops import words_told
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.values.loops import counting
from chocolatl.interpreter.native.layout.memory import AT, DECISIONS, ENTERED, REPORT, SECRET, STREAMS, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function

ANSWER = (("ptr", "%answer"), ("i64", "%count"))
WANTED = (("i64", "%wanted"), ("ptr", "%out"))


class Driver:
    """Emits the functions that all procedures and stops are reached by."""

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

    def texts(self) -> Iterator[str]:
        yield self.advance()
        yield self.at_stops("who", self.asking, result="i64", how="")
        choices = [stop.node for stop in self.choices if isinstance(stop.node, (ir.Choose, ir.ChooseSet))]
        labels = max((len(node.indices) for node in choices), default=0)
        yield self.at_stops("labels", self.choices, (("ptr", "%out"),), how="", told=labels)
        legal = max(map(words_told, choices), default=0)
        yield self.at_stops("legal", self.choices, WANTED, "i64", how="", told=legal)
        yield self.at_stops("store", self.asking, ANSWER, leaves=True)
        yield self.at_stops("draw", self.asking, leaves=True)
        yield self.enter()
        yield self.join()
        yield self.is_open()
        yield self.settle()
        yield self.run()
        yield self.apply()
        yield self.finish()
        yield self.play_on()
        yield self.play()

    # ------------------------------------------------------------ parts

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

    def at_stops(
        self, name: str, stops: list[SuspensionPoint], given: tuple[tuple[str, str], ...] = (), result: str = "void",
        how: str = "internal", leaves: bool = False, told: int | None = None,
    ) -> str:  # fmt: skip
        """One function for all stops, by the place where the state stands; `leaves`: it then stands after the stop."""
        f = self.open(name, given, result, how)
        if not how:
            f.mean("%s", Region(Access.STATE, self.size))  # the common one, or that of a player
        if told is not None:
            f.mean("%out", Region(Access.ASKED_FOR, 8 * told))
        arguments = ", ".join(["ptr %s", *(f"{type_} {argument}" for type_, argument in given)])
        blocks, other = self.switch([stop.pc for stop in stops])
        for stop in stops:
            f.begin(blocks[stop.pc])
            call = f"call {result} @{name}_{stop.pc}({arguments})"
            found = ""
            if result == "void":
                f.do(call)
            else:
                found = f.op(call)
            if leaves:
                self.put("%s", AT, str(stop.after))
            f.leave(f"{result} {found}".strip())
        f.begin(other)
        f.leave(f"{result} -1" if result != "void" else result)
        return f.text()

    # ------------------------------------------------------------ from stop to stop

    def advance(self) -> str:
        """One procedure after the other, up to a place where the game waits or ends."""
        f = self.open("advance")
        again = f.block()
        f.begin(again)
        owners = {place: name for name, places in self.context.stepping.entered.items() for place in places}
        blocks, other = self.switch(list(owners))
        for place, name in owners.items():
            f.begin(blocks[place])
            following = f.op(f"call i64 @steps_{self.context.procedures[name]}(ptr %s, i64 {place})")
            self.put("%s", AT, following)
            f.goto(again)
        f.begin(other)
        f.leave()
        return f.text()

    def settle(self) -> str:
        f = self.open("settle", how="")
        again, secret, joined, done = f.block(), f.block(), f.block(), f.block()
        f.begin(again)
        self.call("advance", "%s")
        self.when(self.secret, secret)
        f.goto(done)
        f.begin(secret)
        self.call("enter", "%s")
        f.branch(f.op("call i1 @is_open(ptr %s)"), done, joined)
        f.begin(joined)
        self.call("join", "%s")
        f.goto(again)
        f.begin(done)
        f.leave()
        return f.text()

    def run(self) -> str:
        f = self.open("run", how="")
        again, chance, speak, done = f.block(), f.block(), f.block(), f.block()
        f.begin(again)
        self.call("settle", "%s")
        self.when(self.chances, chance)
        f.goto(done)
        f.begin(chance)
        f.branch(self.has_failed(), done, speak)
        f.begin(speak)
        self.call("draw", "%s")
        f.goto(again)
        f.begin(done)
        f.leave()
        return f.text()

    def apply(self) -> str:
        f = self.open("apply", (("i64", "%player"), *ANSWER), how="")
        f.mean("%answer", Region(Access.GIVEN, 8, times="%count"))
        secret, last, done = f.block(), f.block(), f.block()
        given = [f"{type_} {name}" for type_, name in ANSWER]
        self.when(self.secret, secret)
        self.call("store", "%s", *given)
        self.call("settle", "%s")
        f.leave()
        f.begin(secret)
        own = self.private("%player")
        self.call("store", own, *given)
        self.call("advance", own)
        f.branch(f.op("call i1 @is_open(ptr %s)"), done, last)
        f.begin(last)
        self.call("join", "%s")
        self.call("settle", "%s")
        f.begin(done)
        f.leave()
        return f.text()

    # ------------------------------------------------------------ secret blocks

    def enter(self) -> str:
        """A private copy for each player, run to the player's first decision."""
        f = self.open("enter")
        self.put("%s", ENTERED, f.add(self.get("%s", ENTERED), "1"))
        blocks, other = self.switch([stop.pc for stop in self.secret])
        for stop in self.secret:
            assert isinstance(stop.node, ir.Secretly)
            slot = self.program.layout.frames[stop.procedure].locals[stop.node.local.number]
            f.begin(blocks[stop.pc])
            with self.each_player() as (player, own):
                self.copy(own, self.state(self.size), self.size)
                for offset, value in ((AT, str(stop.body)), (SECRET, "1"), (DECISIONS, "0")):
                    self.put(own, offset, value)
                f.store(player, self.word(own, self.memory.frames[slot], self.memory.slots_at(slot)))
                self.call("advance", own)
            f.leave()
        f.begin(other)
        f.leave()
        return f.text()

    def join(self) -> str:
        """Everyone has finished: the fields that the block changes are taken over from their owners."""
        f = self.open("join")
        blocks, other = self.switch([stop.pc for stop in self.secret])
        for stop in self.secret:
            assert isinstance(stop.node, ir.Secretly)
            f.begin(blocks[stop.pc])
            with self.each_player() as (player, own):
                for field in stop.node.writes:
                    run = self.memory.places[field.key]
                    size = run.count * run.shape.size // field.owners
                    self.take_over(own, player, run.offset, size, replace(run.meant, kind=Access.SHARE))
                    under = self.memory.unders.get(field.key)
                    if under is not None:
                        assert under.offset is not None
                        self.take_over(own, player, under.offset, under.size // field.owners, under)
                self.take_over(own, player, STREAMS + 16, 16, self.memory.streams.of_players)
                made = f.add(self.get("%s", DECISIONS), self.get(own, DECISIONS))
                self.put("%s", DECISIONS, made)
            self.put("%s", AT, str(stop.after))
            f.leave()
        f.begin(other)
        f.leave()
        return f.text()

    def take_over(self, own: str, player: str, offset: int, size: int, meant: Region) -> None:
        """A player's share of what lies at an offset."""
        source, target = (
            self.f.op(f"getelementptr [{size} x i8], ptr {self.word(state, offset, meant)}, i64 {player}")
            for state in (own, "%s")
        )
        for share in (source, target):
            self.f.mean(share, Region(meant.kind, size))
        self.copy(target, source, size)

    def is_open(self) -> str:
        """Whether somebody has not finished a secret block."""
        f = self.open("is_open", result="i1")
        found = f.block()
        with self.each_player() as (_, own):
            on = f.block()
            f.branch(f.compare("ne", self.get(own, AT), str(END_OF_SEALED)), found, on)
            f.begin(on)
        f.leave("i1 false")
        f.begin(found)
        f.leave("i1 true")
        return f.text()

    def finish(self) -> str:
        """A secret block at random: by seat, each player to its end. A game that has failed is left."""
        f = self.open("finish")
        failed = f.block()
        with self.each_player() as (_, own):
            again, ask, draw, done = f.block(), f.block(), f.block(), f.block()
            f.begin(again)
            f.branch(f.compare("eq", self.get(own, AT), str(END_OF_SEALED)), done, ask)
            f.begin(ask)
            f.branch(self.has_failed(), failed, draw)
            f.begin(draw)
            self.call("draw", own)
            self.call("advance", own)
            f.goto(again)
            f.begin(done)
        self.call("join", "%s")
        f.begin(failed)
        f.leave()
        return f.text()

    # ------------------------------------------------------------ at random

    def play_on(self) -> str:
        """As `chocolatl.interpreter.play.playout` does it. Without a limit `most` is -1; `round` is the one that has to
        end; `open` says whether a secret block is under way: at a horizon it has not been entered."""
        given = (("i64", "%least"), ("i64", "%most"), ("i1", "%rounds"), ("i64", "%round"), ("i1", "%open"))
        f = self.open("play_on", given, how="")
        before = f.variable()
        f.store("%round", before)
        self.put("%s", DECISIONS, "0")
        begun, again, look, secret, done = (f.block() for _ in range(5))
        f.branch("%open", begun, again)
        f.begin(begun)
        with self.each_player() as (_, own):
            self.put(own, DECISIONS, "0")
        self.call("finish", "%s")
        f.begin(again)
        self.call("advance", "%s")
        f.branch(self.has_failed(), done, look)
        f.begin(look)
        over, other = self.switch([END_OF_GAME, END_OF_START])
        for block in over.values():
            f.begin(block)
            f.leave()
        f.begin(other)
        self.leave_if_far_enough(before, done)
        self.when(self.secret, secret)
        self.call("draw", "%s")
        f.goto(again)
        f.begin(secret)
        self.call("enter", "%s")
        self.call("finish", "%s")
        f.goto(again)
        f.begin(done)
        f.leave()
        return f.text()

    def leave_if_far_enough(self, before: str, done: str) -> None:
        f = self.f
        decisions = self.get("%s", DECISIONS)
        limited, short, asked, turned, on = (f.block() for _ in range(5))
        f.branch(f.compare("sge", "%most", "0"), limited, short)
        f.begin(limited)
        f.branch(f.compare("sge", decisions, "%most"), done, short)
        f.begin(short)
        run = self.memory.places.get((None, "round"))
        if run is not None:
            f.branch("%rounds", asked, on)
            f.begin(asked)
            now, old = f.load(self.word("%s", run.offset, run.cell(0)), run.shape.unit), f.load(before)
            f.store(now, before)
            f.branch(f.compare("ne", now, old), turned, on)
            f.begin(turned)
            f.branch(f.compare("sge", decisions, "%least"), done, on)
        f.begin(on)

    def play(self) -> str:
        """A game of a series: the state that lies behind this one is where it starts."""
        f = self.open("play", (("i64", "%seed"), ("i64", "%index")))
        start = self.word("%s", self.whole, Region(Access.START, self.whole, self.whole))
        self.copy(self.state(self.whole), start, self.whole)
        for stream in range(self.players + 1):
            meant = self.memory.streams.meant(stream)
            at = self.word("%s", STREAMS + 16 * stream, meant)
            f.do(f"call void @seed(ptr {at}, i64 %seed, i64 %index, i64 {stream})")
            if stream:
                own = self.private(str(stream - 1))
                self.copy(self.word(own, STREAMS + 16 * stream, meant), at, 16)
        secret = f.block()
        whole_game = ("i64 0", "i64 -1", "i1 false", "i64 0")
        self.when(self.secret, secret)
        self.call("play_on", "%s", *whole_game, "i1 false")
        f.leave()
        f.begin(secret)
        self.call("play_on", "%s", *whole_game, "i1 true")
        f.leave()
        return f.text()
