"""The keys of `chocolatl.interpreter.play.pairing` as LLVM text (a counter-based generator), and how often each
question was asked, which lies behind the state."""

from __future__ import annotations

from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.frames import load_head, local_pointer, local_tag
from chocolatl.interpreter.native.emit.statements.occurrences import counted_bytes
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.layout.memory import SECRET
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.play.pairing import AskedNode, ElementKeys, is_named, keyed_sites, name_key
from chocolatl.interpreter.program.types import Scalar

FUNCTIONS = """
define internal i64 @paired_step(i64 %key, i64 %part) nounwind alwaysinline {
  %x = xor i64 %key, %part
  %y = add i64 %x, u0x9E3779B97F4A7C15
  %z = call i64 @mix(i64 %y)
  ret i64 %z
}
"""


def signed(key: int) -> str:
    return str(key - (1 << 64) if key >> 63 else key)


class NativePairing:
    """Where the key of the game at hand, its turns and its counts lie: for nobody and for each seat a word for each
    question and place."""

    def __init__(self, game: ir.GameRules) -> None:
        self.keys = ElementKeys(game)
        self.sites = keyed_sites(game)
        self.first, self.entries = {}, 0
        for question in dict.fromkeys(site.question for site in self.sites.values()):
            self.first[question] = self.entries
            self.entries += question.values
        self.owners = game.player_count + 1
        self.counts = 8 * (2 + self.owners)
        """Behind the key of the game, the seat that was asked last (from 1 on), and the turns."""
        self.size = -(-(self.counts + 8 * self.owners * self.entries) // 64) * 64

    def place(self, context: EmitContext, offset: int, size: int) -> str:
        start = context.memory.size + counted_bytes(context.occurrences) + offset
        return context.f.part("%s", start, Region(Access.PAIRING, size, start))

    def begin_game(self, context: EmitContext) -> None:
        """The key of the game; nothing was asked yet."""
        f, rest = context.f, self.size - 8
        own = f.op(f"add i64 %seed, {f.op('mul i64 %index, u0x9E3779B97F4A7C15')}")
        f.store(f.op(f"call i64 @mix(i64 {f.op(f'add i64 {own}, u0x9E3779B97F4A7C15')})"), self.place(context, 0, 8))
        f.do(f"call void @llvm.memset.p0.i64(ptr {self.place(context, 8, rest)}, i8 0, i64 {rest}, i1 false)")

    def step(self, context: EmitContext, key: str, part: str) -> str:
        return context.f.op(f"call i64 @paired_step(i64 {key}, i64 {part})")

    def element(self, context: EmitContext, type_: Scalar, value: str) -> str:
        """The key of an element."""
        if is_named(type_):
            low, _ = type_.bounds
            return table_entry(context, self.keys.table(type_), context.f.sub(value, str(low)))
        if not type_.optional:
            return value
        none = context.f.compare("eq", value, str(type_.none))
        return context.f.select(none, signed(name_key("none")), value)

    def event(self, context: EmitContext, s: AskedNode, who: str) -> NativeEvent:
        """A question that is asked now; `who` is a seat, or -1."""
        f, site = context.f, self.sites[id(s)]
        owner = f.add(who, "1")
        period = self._period(context, owner, isinstance(s, (ir.Choose, ir.ChooseSet)))
        values = [f.load(local_pointer(context, local), tag=local_tag(context, local)) for local in site.scope]
        if isinstance(s, (ir.Choose, ir.ChooseSet)):
            values += [emit(context, s.indices[number]) for number in site.index]
        place, keys = "0", []
        for type_, value in zip(site.question.types, values, strict=True):
            low, high = type_.bounds
            place = f.add(f.mul(place, str(high - low + 1)), f.sub(value, str(low)))
            keys.append(self.element(context, type_, value))
        entry = f.add(f.mul(owner, str(self.entries)), f.add(place, str(self.first[site.question])))
        counts = self.place(context, self.counts, 8 * self.owners * self.entries)
        key = f.load(self.place(context, 0, 8))
        for part in (signed(site.question.name), owner, period, *keys):
            key = self.step(context, key, part)
        return NativeEvent(self, key, f.element(counts, entry), period)

    def _period(self, context: EmitContext, owner: str, asks: bool) -> str:
        """The round or, in a game without rounds, the turn."""
        f, run = context.f, context.memory.places.get((None, "round"))
        if run is not None:
            return f.load(f.part("%s", run.offset, run.cell(0)), run.shape.unit)
        turns = self.place(context, 16, 8 * self.owners)
        if asks:
            last, now = self.place(context, 8, 8), f.load(self.place(context, 8, 8))
            openly = f.compare("eq", load_head(context, SECRET), "0")
            changed = f.widen(f.op(f"and i1 {openly}, {f.compare('ne', now, owner)}"))
            f.store(f.select(openly, owner, now), last)
            f.change(turns, changed)
            f.change(f.element(turns, owner), changed)
        return f.load(f.element(turns, owner))


@dataclass(frozen=True)
class NativeEvent:
    """A question that is asked: its key but for the count, where it is counted, and the period."""

    pairing: NativePairing
    base: str
    pointer: str
    period: str

    def key(self, context: EmitContext) -> str:
        """The key of the question; it counts as asked."""
        return self.pairing.step(context, self.base, self._count(context))

    def _count(self, context: EmitContext) -> str:
        """How often the same was asked in this period before. The upper half of a word is the period."""
        f = context.f
        old, now = f.load(self.pointer), f.op(f"shl i64 {self.period}, 32")
        same = f.compare("eq", f.op(f"and i64 {old}, -4294967296"), now)
        count = f.select(same, f.op(f"and i64 {old}, 4294967295"), "0")
        f.store(f.op(f"or i64 {now}, {f.add(count, '1')}"), self.pointer)
        return count
