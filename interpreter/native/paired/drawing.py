"""What is drawn in paired games: of all candidates the one with the smallest number (consistent sampling by least
hashes), see `chocolatl.interpreter.play.pairing`."""

from __future__ import annotations

from collections.abc import Iterable

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.chance import chance_owner, draw_outcome
from chocolatl.interpreter.native.emit.decisions.combinations import legal_combinations, set_picks
from chocolatl.interpreter.native.emit.decisions.decisions import emit_roll, keep_choice, keep_drawn
from chocolatl.interpreter.native.emit.decisions.several import choosable, how_many, keep_values
from chocolatl.interpreter.native.emit.frames import local_pointer, local_tag, set_local
from chocolatl.interpreter.native.emit.statements.events import chooser, draw_below, fail_unanswered, stream_of
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_kind
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.emit.values_and_rankings.zones import content_size, count_at
from chocolatl.interpreter.native.layout.memory import Shape
from chocolatl.interpreter.native.llvm.regions import Access
from chocolatl.interpreter.native.paired.keys import NativePairing
from chocolatl.interpreter.program.types import Scalar


class LeastCandidate:
    """The candidate with the smallest number, of those that were looked at; each is so many words."""

    def __init__(self, context: EmitContext, words: int) -> None:
        self.context = context
        self.found, self.number = context.f.variable(), context.f.variable()
        self.values = [context.f.variable() for _ in range(words)]
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self.context.f.store("0", self.found)
        self.context.f.store("-1", self.number)
        for value in self.values:
            self.context.f.store("0", value)

    def look_at(self, number: str, values: Iterable[str]) -> None:
        f = self.context.f
        better, after = f.block(), f.block()
        less = f.compare("ult", number, f.load(self.number))
        f.branch(f.op(f"or i1 {less}, {f.compare('eq', f.load(self.found), '0')}"), better, after)
        f.begin(better)
        f.store("1", self.found)
        f.store(number, self.number)
        for variable, value in zip(self.values, values, strict=True):
            f.store(value, variable)
        f.begin(after)


def paired_choose(context: EmitContext, pairing: NativePairing, s: ir.Choose) -> None:
    f, stop = context.f, context.build.stop(context, s)
    key = pairing.event(context, s, chooser(context, s)).key(context)
    best = LeastCandidate(context, len(s.picks))
    types = [pick.local.type for pick in s.picks]

    def look_at(values: list[str]) -> None:
        number = key
        for type_, value in zip(types, values, strict=True):
            assert isinstance(type_, Scalar)
            number = pairing.step(context, number, pairing.element(context, type_, value))
        best.look_at(number, values)

    with legal_combinations(context, s):
        look_at([f.load(local_pointer(context, p.local), tag=local_tag(context, p.local)) for p in s.picks])
    if s.optional:
        look_at([str(type_.none) for type_ in types if isinstance(type_, Scalar)])
    some, nothing, end = f.block(), f.block(), f.block()
    f.branch(f.compare("ne", f.load(best.found), "0"), some, nothing)
    f.begin(nothing)
    fail_unanswered(context, s)
    set_picks(context, s, lambda type_: type_.low)
    f.goto(end)
    f.begin(some)
    for pick, value in zip(s.picks, best.values, strict=True):
        set_local(context, pick.local, f.load(value))
    f.begin(end)
    keep_choice(context, s, stop)


def paired_choose_set(context: EmitContext, pairing: NativePairing, s: ir.ChooseSet) -> None:
    f, stop = context.f, context.build.stop(context, s)
    who = chooser(context, s)
    event, stream = pairing.event(context, s, who), stream_of(context, who)
    room = max(1, most_of_set(ir.set_type(s.source), context.game))
    array, taken = f.variable(f"[{room} x i64]", Access.DRAWN), f.variable()
    left, shape = choosable(context, s)
    f.store("0", taken)

    def between(least: str, most: str) -> str:
        f.do(f"call void @start_stream(ptr {stream}, i64 {event.key(context)})")
        return f.add(least, draw_below(context, stream, f.add(f.sub(most, least), "1")))

    count, end = how_many(context, s, stream, content_size(context, left, shape, ""), between)
    best = LeastCandidate(context, 1)
    element = ir.set_type(s.source).element
    with counting(context, "0", f.sub(count, "1")) as piece:
        own = event.key(context)
        best.forget()
        with each_kind(context, left, shape, "") as loop:
            value = f.add(loop.value, str(element.low))
            best.look_at(pairing.step(context, own, pairing.element(context, element, value)), [loop.value])
        kind = f.load(best.values[0])
        f.store(kind, f.element(array, piece.value))
        at = count_at(context, left, shape, kind)
        f.store(f.sub(f.load_count(at, shape.unit), "1"), at, shape.unit)
    f.store(count, taken)
    f.begin(end)
    keep_values(context, s, stop, array, f.load(taken), room)


def paired_roll(context: EmitContext, pairing: NativePairing, s: ir.Roll) -> None:
    key = pairing.event(context, s, chance_owner(context, s)).key(context)
    context.f.do(f"call void @start_stream(ptr {stream_of(context, '-1')}, i64 {key})")
    emit_roll(context, s)


def paired_draw(context: EmitContext, pairing: NativePairing, s: ir.Draw) -> None:
    f, stop = context.f, context.build.stop(context, s)
    owner = chance_owner(context, s)
    key, element = pairing.event(context, s, owner).key(context), ir.set_type(s.source).element

    def least_copy(context: EmitContext, left: str, shape: Shape, tag: str) -> str:
        best = LeastCandidate(context, 1)
        with each_kind(context, left, shape, tag) as loop:
            value = f.add(loop.value, str(element.low))
            own = pairing.step(context, key, pairing.element(context, element, value))
            with counting(context, "0", f.sub(loop.copies, "1")) as copy:
                best.look_at(pairing.step(context, own, copy.value), [loop.value])
        return f.load(best.values[0])

    keep_drawn(context, s, stop, owner, draw_outcome(context, s, least_copy))
