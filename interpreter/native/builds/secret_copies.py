"""Secret blocks of a game that can be left: a copy for each player, and what becomes of it (fork and join)."""

from __future__ import annotations

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import END_OF_SEALED
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.layout.memory import AT, DECISIONS, ENTERED, JOURNAL, SECRET, STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region


def enter_text(states: StateAccess) -> str:
    """A private copy for each player, run to the player's first decision."""
    f = states.open("enter")
    states.put("%s", ENTERED, f.add(states.get("%s", ENTERED), "1"))
    look_around(states)
    blocks, other = states.switch([stop.pc for stop in states.secret])
    for stop in states.secret:
        assert isinstance(stop.node, ir.Secretly)
        slot = states.program.layout.frames[stop.procedure].locals[stop.node.local.number]
        f.begin(blocks[stop.pc])
        with states.each_player() as (player, own):
            states.copy(own, states.state(states.size), states.size)
            for offset, value in ((AT, str(stop.body)), (SECRET, "1"), (DECISIONS, "0")):
                states.put(own, offset, value)
            if states.context.build.journals:
                note_apart(states, own, player)
            f.store(player, states.word(own, states.memory.frames[slot], states.memory.slots_at(slot)))
            states.call("advance", own)
        f.leave()
    f.begin(other)
    f.leave()
    return f.text()


def look_around(states: StateAccess) -> None:
    """What those who decide in a secret block know of its beginning, where the build asks for it."""
    if states.context.build.entry:
        states.call(states.context.build.entry, "%s")


def note_apart(states: StateAccess, own: str, player: str) -> None:
    """Each player's moves are noted behind those of all, if any are."""
    f, common = states.f, states.get("%s", JOURNAL)
    behind = f.add(common, f.mul(f.add(player, "1"), str(states.context.build.journals)))
    states.put(own, JOURNAL, f.select(f.compare("eq", common, "0"), "0", behind))


def join_text(states: StateAccess) -> str:
    """Everyone has finished: the fields that the block changes are taken over from their owners."""
    f = states.open("join")
    blocks, other = states.switch([stop.pc for stop in states.secret])
    for stop in states.secret:
        assert isinstance(stop.node, ir.Secretly)
        f.begin(blocks[stop.pc])
        with states.each_player() as (player, own):
            for field in stop.node.writes:
                run = states.memory.places[field.key]
                size = run.count * run.shape.size // field.owners
                take_over(states, own, player, run.offset, size, replace(run.meant, kind=Access.SHARE))
                under = states.memory.unders.get(field.key)
                if under is not None:
                    assert under.offset is not None
                    take_over(states, own, player, under.offset, under.size // field.owners, under)
            take_over(states, own, player, STREAMS + 16, 16, states.memory.streams.of_players)
            made = f.add(states.get("%s", DECISIONS), states.get(own, DECISIONS))
            states.put("%s", DECISIONS, made)
        states.put("%s", AT, str(stop.after))
        f.leave()
    f.begin(other)
    f.leave()
    return f.text()


def take_over(states: StateAccess, own: str, player: str, offset: int, size: int, meant: Region) -> None:
    """A player's share of what lies at an offset."""
    source, target = (
        states.f.op(f"getelementptr [{size} x i8], ptr {states.word(state, offset, meant)}, i64 {player}")
        for state in (own, "%s")
    )
    for share in (source, target):
        states.f.mean(share, Region(meant.kind, size))
    states.copy(target, source, size)


def is_open_text(states: StateAccess) -> str:
    """Whether somebody has not finished a secret block."""
    f = states.open("is_open", result="i1")
    found = f.block()
    with states.each_player() as (_, own):
        on = f.block()
        f.branch(f.compare("ne", states.get(own, AT), str(END_OF_SEALED)), found, on)
        f.begin(on)
    f.leave("i1 false")
    f.begin(found)
    f.leave("i1 true")
    return f.text()


def finish_text(states: StateAccess) -> str:
    """A secret block at random: by seat, each player to its end. A game that has failed is left."""
    f = states.open("finish")
    failed = f.block()
    with states.each_player() as (_, own):
        again, ask, draw, done = f.block(), f.block(), f.block(), f.block()
        f.begin(again)
        f.branch(f.compare("eq", states.get(own, AT), str(END_OF_SEALED)), done, ask)
        f.begin(ask)
        f.branch(states.has_failed(), failed, draw)
        f.begin(draw)
        states.call("draw", own)
        states.call("advance", own)
        f.goto(again)
        f.begin(done)
    states.call("join", "%s")
    f.begin(failed)
    f.leave()
    return f.text()
