"""Choices answered by a policy, or at random where a seat has none: one element, a joint choice, several pieces
(sampling from a softmax)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.decisions.answers import draw_answer
from chocolatl.interpreter.native.emit.decisions.combinations import (
    ask_all,
    legal_combinations,
    set_picks,
    store_answer,
)
from chocolatl.interpreter.native.emit.frames import local_pointer, local_tag, set_local
from chocolatl.interpreter.native.emit.statements.events import (
    chooser,
    count_decision,
    fail_unanswered,
    note_values,
    stream_of,
)
from chocolatl.interpreter.native.emit.statements.occurrences import count_picks
from chocolatl.interpreter.native.emit.statements.secret_blocks import emit_secretly
from chocolatl.interpreter.native.emit.values_and_rankings.elements import each_element
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit
from chocolatl.interpreter.native.emit.values_and_rankings.loops import each_bit
from chocolatl.interpreter.native.policy.draws import DrawShape
from chocolatl.interpreter.native.policy.features import (
    NativePolicy,
    at,
    control,
    spread_slopes,
    weights_of,
    write_terms,
)
from chocolatl.interpreter.native.policy.layout import ELEMENTS, LANES
from chocolatl.interpreter.native.policy.tracing import keep_answer
from chocolatl.interpreter.policy.form import PolicyTable, SiteTables
from chocolatl.interpreter.policy.integers import FRACTIONS, UNIT


def emit_policy_secretly(context: EmitContext, s: ir.Secretly) -> None:
    """Before anybody answers, what all know is kept for those who answer later."""
    context.f.do("call void @policy_entry(ptr %s)")
    emit_secretly(context, s)


@dataclass
class PolicyChoice:
    """A choice under way: who chooses, with what weights, and the context."""

    context: EmitContext
    policy: NativePolicy
    site: SiteTables
    me: str
    base: str
    weights: str
    x: str
    stream: str

    @classmethod
    def begin(cls, context: EmitContext, policy: NativePolicy, s: ir.Choice, me: str, weights: str) -> PolicyChoice:
        f, site = context.f, policy.site(s)
        f.do("call void @policy_moment(ptr %s)")
        held = f.op(f"inttoptr i64 {weights} to ptr")
        x = f.op(f"call ptr @policy_context_{site.site.number}({_given(context, site, me)})")
        base = control(context)
        f.store(str(UNIT), at(context, base, policy.layout.multipliers), "i16")
        return cls(context, policy, site, me, base, held, x, stream_of(context, me))

    @property
    def given(self) -> str:
        return _given(self.context, self.site, self.me)

    def place(self, offset: int) -> str:
        return at(self.context, self.base, offset)

    # ------------------------------------------------------------ tables

    def number(self, piece: str) -> str:
        """The number of the table for the index at hand and a piece."""
        f, found = self.context.f, "0"
        if self.site.indices:
            for index in self.site.site.node.indices:
                found = f.add(f.mul(found, str(index.type.size)), f.sub(emit(self.context, index), str(index.type.low)))
        last = str(self.site.pieces - 1)
        position = f.minimum(piece, last) if piece.startswith("%") else str(min(int(piece), int(last)))
        return f.add(f.add(f.mul(found, str(self.site.pieces)), position), str(self.site.first))

    def table_at(self, first: int, number: str) -> str:
        """Where the weights of a table lie; all tables of a choice are of one size."""
        layout = self.policy.layout
        offset, size = layout.table_offsets[first], layout.tables[first].size
        start = at(self.context, self.weights, offset)
        away = self.context.f.sub(number, str(first))
        return self.context.f.op(f"getelementptr [{size} x i8], ptr {start}, i64 {away}")

    def slopes(self, first: int, table: str) -> str:
        layout, f = self.policy.layout.tables[first], self.context.f
        slopes, y = self.place(self.policy.layout.slopes), self.place(self.policy.layout.multipliers)
        f.do(
            f"call void @policy_slopes(ptr {table}, ptr {self.x}, ptr {y}, ptr {slopes}, i64 {layout.terms},"
            f" i64 {layout.multipliers}, i64 {layout.features // LANES})"
        )
        return slopes

    # ------------------------------------------------------------ draws

    def draw_element(self, first: int, number: str, legal: str) -> str:
        """The position of one of the elements of a table, of which those are legal that are bits of a word."""
        f, layout = self.context.f, self.policy.layout.tables[first]
        answers = f.op(f"call i64 @llvm.ctpop.i64(i64 {legal})")
        if not layout.constant:
            taken = self._weigh(first, number, legal)
            below = f.op(f"and i64 {legal}, {f.sub(f.op(f'shl i64 1, {taken}'), '1')}")
            self.note(first, number, legal, f.op(f"call i64 @llvm.ctpop.i64(i64 {below})"), answers)
            return taken
        result, only, several, on = f.variable(), f.block(), f.block(), f.block()
        f.branch(f.compare("eq", answers, "1"), only, several)
        f.begin(only)
        f.store(self._take_only(legal), result)
        f.goto(on)
        f.begin(several)
        f.store(self._weigh(first, number, legal), result)
        f.begin(on)
        taken = f.load(result)
        self.note(first, number, legal, taken, answers)
        return taken

    def _take_only(self, legal: str) -> str:
        """Nothing is to be weighed where there is one answer: its odds are the highest there are, whatever its logit.
        It is drawn all the same, as everywhere."""
        f, most = self.context.f, str(FRACTIONS[0])
        f.do(f"call i64 @below(ptr {self.stream}, i64 {most})")
        for word in (0, 8):
            f.store(most, self.place(self.policy.layout.weight + word))
        return f.op(f"call i64 @llvm.cttz.i64(i64 {legal}, i1 true)")

    def _weigh(self, first: int, number: str, legal: str) -> str:
        """The position of one of the legal elements, drawn by its odds."""
        f, layout = self.context.f, self.policy.layout.tables[first]
        table, odds = self.table_at(first, number), self.place(self.policy.layout.odds)
        kinds, told = at(self.context, table, layout.kinds), self.place(self.policy.layout.weight)
        shape = DrawShape.of(layout)
        if shape is not None:
            y, constants = self.place(self.policy.layout.multipliers), at(self.context, table, layout.constants)
            return f.op(
                f"call i64 @{shape.name}(ptr {table}, ptr {self.x}, ptr {y}, ptr {kinds}, ptr {constants}, i64 {legal},"
                f" ptr {self.stream}, ptr {odds}, ptr {told})"
            )
        slopes = self.slopes(first, table)
        if layout.constant:
            constants = at(self.context, table, layout.constants)
            f.do(
                f"call void @policy_logits(ptr {kinds}, ptr {constants}, ptr {slopes}, ptr {odds}, i64 {layout.terms},"
                f" i64 {layout.elements // ELEMENTS})"
            )
        else:
            self._list_elements(first, number, legal, kinds, slopes, odds)
        return f.op(
            f"call i64 @policy_pick(ptr {odds}, i64 {legal}, i64 {layout.elements // ELEMENTS}, ptr {self.stream},"
            f" ptr {told})"
        )

    def _list_elements(self, first: int, number: str, legal: str, kinds: str, slopes: str, odds: str) -> None:
        """The logits of elements whose terms depend on the position."""
        f, table = self.context.f, self.policy.form.tables[first]
        assert table.elements is not None
        spread_slopes(self.context, self.policy, self.base, first, slopes)
        counted = f.variable()
        f.store("0", counted)
        with each_bit(self.context, legal) as loop:
            own = f.load(f.op(f"getelementptr i32, ptr {kinds}, i64 {loop.value}"), "i32")
            logit = self.answer(first, number, [element_at(self.context, table, loop.value)], f.load(counted))
            f.store(f.add(own, logit), f.op(f"getelementptr i32, ptr {odds}, i64 {loop.value}"), "i32")
            f.change(counted, "1")

    def draw_listed(self, first: int, number: str, logits: str, total: str) -> str:
        """The position of one of so many answers, whose logits are listed."""
        told = self.place(self.policy.layout.weight)
        taken = self.context.f.op(
            f"call i64 @policy_pick_listed(ptr {logits}, i64 {total}, ptr {self.stream}, ptr {told})"
        )
        self.note(first, number, "0", taken, total)
        return taken

    def answer(self, first: int, number: str, chosen: list[str], position: str) -> str:
        """The logit of one answer; its terms are kept for a trace, if somebody wants one."""
        f, values = self.context.f, "".join(f", i64 {value}" for value in chosen)
        logit = f.op(f"call i64 @policy_answer_{self.site.site.number}({self.given}{values}, ptr {self.weights})")
        with self.if_traced():
            write_terms(self.context, self.policy, self.base, first)
            keep_answer(self.context, self.policy, self.base, first, number, position)
        return logit

    @contextmanager
    def if_traced(self) -> Iterator[None]:
        f = self.context.f
        traced, on = f.block(), f.block()
        f.branch(f.compare("ne", self.traced(), "0"), traced, on)
        f.begin(traced)
        yield
        f.begin(on)

    def traced(self) -> str:
        seats = self.place(self.policy.layout.traced)
        return self.context.f.load(self.context.f.op(f"getelementptr i64, ptr {seats}, i64 {self.me}"))

    def note(self, first: int, number: str, legal: str, taken: str, answers: str) -> None:
        """A row of the trace, if somebody wants one."""
        with self.if_traced():
            self.context.f.do(
                f"call void @policy_note_{first}(ptr %s, i64 {self.me}, i64 {number}, i64 {legal}, i64 {taken},"
                f" i64 {answers}, ptr {self.x})"
            )


def _given(context: EmitContext, site: SiteTables, me: str) -> str:
    loads = [context.f.load(local_pointer(context, each), tag=local_tag(context, each)) for each in site.site.scope]
    return ", ".join(["ptr %s", f"i64 {me}", *(f"i64 {value}" for value in loads)])


def element_at(context: EmitContext, table: PolicyTable, position: str) -> str:
    """The element at a position; none may stand before the others or after them."""
    assert table.elements is not None
    low, f = table.elements[0], context.f
    if all(after == before + 1 for before, after in pairwise(table.elements)):
        return f.add(position, str(low))
    last = f.compare("eq", position, str(len(table.elements) - 1))
    return f.select(last, str(table.elements[-1]), f.add(position, str(low)))


def position_at(context: EmitContext, table: PolicyTable, element: str) -> str:
    assert table.elements is not None
    low, f = table.elements[0], context.f
    position = f.sub(element, str(low))
    if all(after == before + 1 for before, after in pairwise(table.elements)):
        return position
    last = f.compare("eq", element, str(table.elements[-1]))
    return f.select(last, str(len(table.elements) - 1), position)


# ---------------------------------------------------------------- one element, or several together


def emit_policy_choose(context: EmitContext, policy: NativePolicy, s: ir.Choose) -> None:
    f, stop, me = context.f, context.build.stop(context, s), chooser(context, s)
    weights = weights_of(context, control(context), me)
    learned, at_random, on = f.block(), f.block(), f.block()
    for pick in s.picks:
        local_pointer(context, pick.local)
    f.branch(f.compare("ne", weights, "0"), learned, at_random)
    f.begin(at_random)
    draw_answer(context, s)
    f.goto(on)
    f.begin(learned)
    choice = PolicyChoice.begin(context, policy, s, me, weights)
    if policy.form.tables[choice.site.first].elements is not None:
        _choose_element(choice, s)
    else:
        _choose_listed(choice, s)
    f.begin(on)
    count_decision(context)
    values = [f.load(local_pointer(context, pick.local), tag=local_tag(context, pick.local)) for pick in s.picks]
    count_picks(context, s, values)
    note_values(context, stop, me, s.indices, values)
    store_answer(context, s)


def _choose_element(choice: PolicyChoice, s: ir.Choose) -> None:
    """One element of a few: those that are legal are the bits of a word."""
    context, f, pick = choice.context, choice.context.f, s.picks[0]
    table = choice.policy.form.tables[choice.site.first]
    assert table.elements is not None
    legal = f.variable()
    f.store(str(1 << len(table.elements) - 1) if s.optional else "0", legal)
    with each_element(context, pick.domain, pick.local, distinct=True) as loop:
        if s.where is not None:
            ask_all(context, [s.where], loop)
        bit = f.op(f"shl i64 1, {position_at(context, table, loop.value)}")
        f.store(f.op(f"or i64 {f.load(legal)}, {bit}"), legal)
    some, nothing, end = f.block(), f.block(), f.block()
    word = f.load(legal)
    f.branch(f.compare("ne", word, "0"), some, nothing)
    f.begin(nothing)
    fail_unanswered(context, s)
    set_picks(context, s, lambda type_: type_.low)
    f.goto(end)
    f.begin(some)
    taken = choice.draw_element(choice.site.first, choice.number("0"), word)
    set_local(context, pick.local, element_at(context, table, taken))
    f.begin(end)


def _choose_listed(choice: PolicyChoice, s: ir.Choose) -> None:
    """An answer of many: they are weighed one after the other, and remembered until one is drawn."""
    context, f, first, layout = choice.context, choice.context.f, choice.site.first, choice.policy.layout
    number = choice.number("0")
    spread_slopes(context, choice.policy, choice.base, first, choice.slopes(first, choice.table_at(first, number)))
    logits, answers = (f.op(f"load ptr, ptr {choice.place(each)}") for each in (layout.logits, layout.answers))
    count = f.variable()

    def remembered(position: str, pick: int) -> str:
        return f.op(f"getelementptr [{len(s.picks)} x i64], ptr {answers}, i64 {position}, i64 {pick}")

    def weigh() -> None:
        position = f.load(count)
        chosen = [f.load(local_pointer(context, pick.local), tag=local_tag(context, pick.local)) for pick in s.picks]
        for pick, value in enumerate(chosen):
            f.store(value, remembered(position, pick))
        logit = choice.answer(first, number, chosen, position)
        f.store(logit, f.op(f"getelementptr i32, ptr {logits}, i64 {position}"), "i32")
        f.store(f.add(position, "1"), count)

    f.store("0", count)
    with legal_combinations(context, s):
        weigh()
    if s.optional:
        set_picks(context, s, lambda type_: type_.none)
        weigh()
    some, nothing, end = f.block(), f.block(), f.block()
    total = f.load(count)
    f.branch(f.compare("ne", total, "0"), some, nothing)
    f.begin(nothing)
    fail_unanswered(context, s)
    set_picks(context, s, lambda type_: type_.low)
    f.goto(end)
    f.begin(some)
    taken = choice.draw_listed(first, number, logits, total)
    for number_of_pick, pick in enumerate(s.picks):
        set_local(context, pick.local, f.load(remembered(taken, number_of_pick)))
    f.begin(end)
