"""What players may remember, noted while native code plays: moves from or into zones that are not open (a journal).

A journal is a list of words behind its head: how many they are, where the last note begins, and whether there was no
room for one. A note says from where, to where and how, then how many cards moved, and which. What it means stands in
`chocolatl.interpreter.lowered.journal`. In a secret block each player has a journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.builds.resumable import RESUMABLE
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.context import EmitContext, MovedCards
from chocolatl.interpreter.native.emit.frames import load_head
from chocolatl.interpreter.native.emit.values_and_rankings.fields import cell_number
from chocolatl.interpreter.native.layout.memory import JOURNAL
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.llvm.text import Function

USED, LAST, FULL, NOTES = 0, 1, 2, 4
"""The words of the head of a journal, and where the notes begin."""

FROM, TO, HOW, CARDS, NOTE = 0, 1, 2, 3, 4
"""The words of a note, and where its cards begin."""

ROOM = 1 << 13
"""So many words of notes a journal has room for. They are read at each decision."""

JOURNAL_BYTES = 8 * (NOTES + ROOM)


def zone_number(context: EmitContext, zone: ir.Zone) -> str:
    """The number of a zone that is not open; -1 for an open one."""
    if not isinstance(zone, ir.FieldZone) or zone.field.visibility == "open":
        return "-1"
    place = context.layout.places[zone.field.key]
    return context.f.add(cell_number(context, place, zone.owner, zone.indices), str(place.zone))


def note_move(context: EmitContext, moved: MovedCards) -> None:
    """A note, if somebody remembers and one of the zones is not open and it is not the same one, or its order
    changes."""
    f, source, target = context.f, moved.source, moved.target
    fields = [isinstance(zone, ir.FieldZone) and zone.field.visibility != "open" for zone in (source, target)]
    if not any(fields):
        return
    note, after = f.block(), f.block()
    journal = load_head(context, JOURNAL)
    f.branch(f.compare("ne", journal, "0"), note, after)
    f.begin(note)
    start, end = zone_number(context, source), zone_number(context, target)
    if ir.field_of(source) == ir.field_of(target) and not moved.ordered:
        apart = f.block()
        f.branch(f.compare("ne", start, end), apart, after)
        f.begin(apart)
    f.do(f"call void @open_note(i64 {journal}, i64 {start}, i64 {end}, i64 {moved.how})")
    moved.each(lambda kind: f.do(f"call void @note_card(i64 {journal}, i64 {kind})"))
    f.begin(after)


NOTING = replace(RESUMABLE, moved=note_move, journals=JOURNAL_BYTES)
"""The build in which players remember."""


def noting_texts(states: StateAccess) -> Iterator[str]:
    yield open_note_text(states)
    yield note_card_text(states)


class JournalAccess:
    """The words of a journal."""

    def __init__(self, f: Function, journal: str) -> None:
        self.f = f
        self.whole = f.mean(f.op(f"inttoptr i64 {journal} to ptr"), Region(Access.JOURNAL, JOURNAL_BYTES))
        self.notes = f.part(self.whole, 8 * NOTES, Region(Access.JOURNAL, 8 * ROOM, 8 * NOTES))

    def head(self, word: int) -> str:
        return self.f.part(self.whole, 8 * word, Region(Access.JOURNAL, 8, 8 * word))

    def at(self, position: str) -> str:
        return self.f.op(f"getelementptr i64, ptr {self.notes}, i64 {position}")


def _with_room(f: Function, journal: JournalAccess, words: int) -> str:
    """How many words are used, if there is room for more; else that is noted, and the function left."""
    used, fine, full = f.load(journal.head(USED)), f.block(), f.block()
    f.branch(f.compare("sle", used, str(ROOM - words)), fine, full)
    f.begin(full)
    f.store("1", journal.head(FULL))
    f.leave()
    f.begin(fine)
    f.store(f.add(used, str(words)), journal.head(USED))
    return used


def open_note_text(states: StateAccess) -> str:
    """A note begins."""
    given = [("i64", name) for name in ("%journal", "%source", "%target", "%how")]
    f = states.context.open(Function("open_note", given))
    journal = JournalAccess(f, "%journal")
    used = _with_room(f, journal, NOTE)
    f.store(used, journal.head(LAST))
    for word, value in ((FROM, "%source"), (TO, "%target"), (HOW, "%how"), (CARDS, "0")):
        f.store(value, journal.at(f.add(used, str(word))))
    f.leave()
    return f.text()


def note_card_text(states: StateAccess) -> str:
    """One more card of the note that was begun."""
    f = states.context.open(Function("note_card", [("i64", "%journal"), ("i64", "%kind")]))
    journal = JournalAccess(f, "%journal")
    used = _with_room(f, journal, 1)
    f.store("%kind", journal.at(used))
    f.change(journal.at(f.add(f.load(journal.head(LAST)), str(CARDS))), "1")
    f.leave()
    return f.text()
