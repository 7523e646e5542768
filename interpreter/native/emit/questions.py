"""Decisions and chance, answered at random as the contract of random numbers says: what is drawn, and in which order.

An answer lies in the locals of its picks or, if it is several elements, as a list in `answer`. To draw one of the
answers, they are run through twice: once to count them, once to come to the one that was drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from math import prod
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_elements
from chocolatl.interpreter.lowered.conditions import conjuncts, own_conditions, reads
from chocolatl.interpreter.lowered.sites import Sites
from chocolatl.interpreter.lowered.waits import Waiting
from chocolatl.interpreter.native.emit.elements import ElementLoop
from chocolatl.interpreter.native.emit.expressions import HEAD
from chocolatl.interpreter.native.emit.statements import ChangeEmitter
from chocolatl.interpreter.native.layout.memory import CHUNK, DECISIONS, LOG, STREAMS, Memory, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.program.types import Scalar

LISTED = 256
"""So many combinations are written down, so that they need not be run through twice."""


@dataclass(frozen=True)
class NotedStop:
    """A place where the game asks a player or chance: `number` stands for it in notes of events."""

    number: int
    node: Waiting
    procedure: str


@dataclass(frozen=True)
class Search:
    """Combinations that are run through twice: the number that is wanted, how many there are, where it begins again and
    where it goes on when the one was found."""

    wanted: str
    count: str
    again: str
    found: str


class QuestionEmitter(ChangeEmitter):
    procedure = ""

    def __init__(self, memory: Memory, sites: Sites, closely: bool = False) -> None:
        super().__init__(memory, sites, closely)
        self.unanswered: dict[int, ir.Choice] = {}
        """The choices that fail at some sites, for want of an answer."""
        self.longest = 0
        """How many words an event has at most."""

    def stream(self, player: str) -> str:
        """The random numbers of a player; -1 is chance."""
        f, streams = self.f, self.memory.streams
        if player == "-1":
            return f.part("%s", STREAMS + streams.at(0), streams.meant(0))
        start = f.part("%s", STREAMS + streams.first_player, streams.of_players)
        return f.element(start, player, f"[{streams.apart} x i8]", Region(Access.STREAM, streams.apart))

    def below(self, stream: str, count: str) -> str:
        return self.f.op(f"call i64 @below(ptr {stream}, i64 {count})")

    def note(self, stop: NotedStop, who: str, indices: tuple[ir.Expression, ...], values: list[str]) -> None:
        """An event of so many values, for those who watch."""
        self._note(stop, who, indices, len(values), lambda at: self._put(values, at))

    def note_list(
        self, stop: NotedStop, who: str, indices: tuple[ir.Expression, ...], array: str, count: str, room: int
    ) -> None:
        """An event of several elements, sorted."""

        def put(at: str) -> str:
            f = self.f
            f.do(f"call void @sort(ptr {array}, i64 {count})")
            f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {at}, ptr {array}, i64 {f.mul(count, '8')}, i1 false)")
            return count

        self._note(stop, who, indices, room, put)

    def _put(self, values: list[str], at: str) -> str:
        for position, value in enumerate(values):
            self.f.store(value, self.f.element(at, str(position)))
        return str(len(values))

    def _note(
        self, stop: NotedStop, who: str, indices: tuple[ir.Expression, ...], room: int, put: Callable[[str], str]
    ) -> None:
        """Stop, player, number of values, indices, values; skipped unless somebody watches. Whoever watches brings the
        room to put them together in, so that the stack need not have it for each event."""
        f = self.f
        watched, after = f.block(), f.block()
        log = f.load(f.part("%s", LOG, head_word(LOG)), tag=HEAD)
        f.branch(f.compare("ne", log, "0"), watched, after)
        f.begin(watched)
        head = 3 + len(indices)
        self.longest = max(self.longest, head + room)
        control = f.mean(f.op(f"inttoptr i64 {log} to ptr"), Region(Access.LOG_PLACE, 24))
        words = f.op(f"load ptr, ptr {f.element(control, '2', meant=Region(Access.LOG_PLACE, 8, 16))}")
        f.mean(words, Region(Access.EVENT, 8 * (head + room)))
        # Only the values of an event are asked for by name, so that an index may be any expression.
        shown = [self.emit(index) for index in indices]
        count = put(f.element(words, str(head), meant=Region(Access.EVENT, 8 * room, 8 * head)))
        for position, word in enumerate([str(stop.number), who, count, *shown]):
            f.store(word, f.element(words, str(position)))
        f.do(f"call void @note(i64 {log}, ptr {words}, i64 {f.add(count, str(head))})")
        f.begin(after)

    # ------------------------------------------------------------ one answer

    def chooser(self, s: ir.Choice) -> str:
        return self.checked(s.player, self.game.domains["player"].type, "who chooses")

    def asked(self, times: int = 1) -> None:
        """One more decision was made, or so many."""
        f = self.f
        pointer = f.part("%s", DECISIONS, head_word(DECISIONS))
        f.store(f.add(f.load(pointer, tag=HEAD), str(times)), pointer, tag=HEAD)

    def labelled(self, s: ir.Choice) -> str:
        """The number of the value that the index of a choice has, among all that it can have."""
        f, found = self.f, "0"
        for index in s.indices:
            low, high = index.type.bounds
            found = f.add(f.mul(found, str(high - low + 1)), f.sub(self.emit(index), str(low)))
        return found

    def fail_unanswered(self, s: ir.Choice) -> None:
        """There is no legal answer; the failure tells the index."""
        site = self.site(s.span, "there is no legal answer for `{}`")
        self.unanswered[site] = s
        self.fail(site, self.labelled(s))

    def draw_answer(self, s: ir.Choose) -> None:
        """One of the legal answers into the locals of the picks, each as likely as any other."""
        stream = self.stream(self.chooser(s))
        if len(s.picks) == 1 and self.is_narrow(s.picks[0]):
            self.draw_bit(s, stream)
            return
        if self.is_apart(s):
            self.draw_apart(s, stream)
            return
        if prod(most_elements(pick.domain, self.game) for pick in s.picks) <= LISTED:
            self.draw_listed(s, stream)
            return
        search = self.searched(self.combinations(s))
        with self.drawn_of(s, stream, search.count) as drawn:
            self.find(search, drawn)

    @contextmanager
    def drawn_of(self, s: ir.Choose, stream: str, total: str) -> Iterator[str]:
        """The number of one of so many answers; inside, the picks are set to it. Where none is legal that is a failure,
        and where it is optional, one more number means that nothing is chosen."""
        f = self.f
        answers = f.add(total, "1" if s.optional else "0")
        some, nothing, one, end = f.block(), f.block(), f.block(), f.block()
        f.branch(f.compare("ne", answers, "0"), some, nothing)
        f.begin(nothing)
        self.fail_unanswered(s)
        self.set_picks(s, lambda type_: type_.low)
        f.goto(end)
        f.begin(some)
        drawn = self.below(stream, answers)
        if s.optional:
            self.set_picks(s, lambda type_: type_.none)
            f.branch(f.compare("eq", drawn, total), end, one)
        f.begin(one)
        yield drawn
        f.begin(end)

    def searched(self, combinations: AbstractContextManager[None]) -> Search:
        """Run through combinations to count them."""
        f = self.f
        wanted, count, again, found = f.variable(), f.variable(), f.block(), f.block()
        f.store("-1", wanted)
        f.begin(again)
        f.store("0", count)
        with combinations:
            number = f.load(count)
            f.store(f.add(number, "1"), count)
            passed = f.block()
            f.branch(f.compare("eq", number, f.load(wanted)), found, passed)
            f.begin(passed)
        return Search(wanted, f.load(count), again, found)

    def find(self, search: Search, number: str) -> None:
        """Run through them again, to the one with a number."""
        self.f.store(number, search.wanted)
        self.f.goto(search.again)
        self.f.begin(search.found)

    def set_picks(self, s: ir.Choose, value: Callable[[Scalar], int]) -> None:
        for pick in s.picks:
            assert isinstance(pick.local.type, Scalar)
            self.set_local(pick.local, str(value(pick.local.type)))

    def is_narrow(self, pick: ir.PickOne) -> bool:
        """Whether the elements to choose from fit the bits of one word."""
        ends = self.ends(pick.domain)
        return ends is not None and ends[1] - ends[0] < CHUNK

    def ends(self, domain: ir.Elements) -> tuple[int, int] | None:
        """The least and the greatest that a domain can hold, where answers are counted from the least one on."""
        match domain:
            case ir.ZoneElements():
                type_ = ir.set_type(domain.zone)
                return None if type_.short else (type_.element.low, type_.element.high)
            case ir.Whole():
                return (domain.type.low, domain.type.high) if domain.start is None else None
            case ir.Numbers():
                return domain.low.type.low, domain.high.type.high
            case ir.Listing():
                bounds = [bound for item in domain.items for bound in item.type.bounds]
                return (min(bounds), max(bounds)) if bounds else None
            case ir.OrderElements():
                return None
            case _:
                assert_never(domain)

    def draw_bit(self, s: ir.Choose, stream: str) -> None:
        """One element of few: those that are legal are the bits of a word."""
        f = self.f
        pick = s.picks[0]
        ends = self.ends(pick.domain)
        assert ends is not None
        low = ends[0]
        if s.where is None and isinstance(pick.domain, ir.ZoneElements):
            word = self.present(*self.zone(pick.domain.zone))
        elif s.where is None and isinstance(pick.domain, ir.Whole):
            word = str((1 << pick.domain.type.size) - 1 if pick.domain.type.size < CHUNK else -1)
        else:
            legal = f.variable()
            f.store("0", legal)
            # What is listed twice is the same bit, so it need not be sorted, unless it matters which one fails first.
            distinct = not isinstance(pick.domain, ir.Listing) or self.can_fail(s.where)
            with self.each(pick.domain, pick.local, distinct=distinct) as loop:
                if s.where is not None:
                    self.ask_all([s.where], loop)
                bit = f.op(f"shl i64 1, {f.sub(loop.value, str(low))}")
                f.store(f.op(f"or i64 {f.load(legal)}, {bit}"), legal)
            word = f.load(legal)
        with self.drawn_of(s, stream, f.op(f"call i64 @llvm.ctpop.i64(i64 {word})")) as drawn:
            bit = f.op(f"call i64 @nth_bit(i64 {word}, i64 {drawn})")
            self.set_local(pick.local, f.add(bit, str(low)))

    def draw_listed(self, s: ir.Choose, stream: str) -> None:
        """One of the legal answers, where they are so few that all of them are written down."""
        f = self.f
        room = max(1, prod(most_elements(pick.domain, self.game) for pick in s.picks))
        arrays = {pick.local: f.variable(f"[{room} x i64]", Access.LIST) for pick in s.picks}
        count = f.variable()
        f.store("0", count)
        with self.combinations(s):
            number = f.load(count)
            for local, array in arrays.items():
                f.store(f.load(self.pointer(local), tag=self.tag_of(local)), f.element(array, number))
            f.store(f.add(number, "1"), count)
        with self.drawn_of(s, stream, f.load(count)) as drawn:
            for local, array in arrays.items():
                self.set_local(local, f.load(f.element(array, drawn)))

    def is_apart(self, s: ir.Choose) -> bool:
        """Whether the last pick has nothing to do with the others: so there are as many answers as the product says."""
        if len(s.picks) < 2:
            return False
        *others, last = s.picks
        before = {pick.local.number for pick in others}
        about = [condition for condition in conjuncts(s.where) if last.local.number in reads(condition)]
        if self.can_fail_asking(s):
            return False
        return not any(before & reads(node) for node in (last.domain, *about))

    def draw_apart(self, s: ir.Choose, stream: str) -> None:
        """One of the legal answers, where what fits for the last pick is looked for once, for all of the others."""
        f = self.f
        last = s.picks[-1]
        conditions = conjuncts(s.where)
        about = [condition for condition in conditions if last.local.number in reads(condition)]
        others = [condition for condition in conditions if last.local.number not in reads(condition)]
        array = f.variable(f"[{1 + most_elements(last.domain, self.game)} x i64]", Access.LIST)
        fitting = f.variable()
        f.store("0", fitting)
        with self.each(last.domain, last.local, distinct=True) as loop:
            number, fits = f.load(fitting), "true"
            f.store(loop.value, f.element(array, number))
            for condition in about:
                found = self.condition(condition)
                fits = found if fits == "true" else f.op(f"and i1 {fits}, {found}")
            f.store(f.add(number, f.widen(fits)), fitting)
        search, each = self.searched(self.combined(s.picks[:-1], others)), f.load(fitting)
        with self.drawn_of(s, stream, f.mul(search.count, each)) as drawn:
            rest = f.op(f"urem i64 {drawn}, {each}")
            self.set_local(last.local, f.load(f.element(array, rest)))
            self.find(search, f.op(f"udiv i64 {drawn}, {each}"))

    def can_fail_asking(self, s: ir.Choose) -> bool:
        """Whether it matters in which order picks and conditions are gone through, since one of them may fail."""
        nodes = (*(pick.domain for pick in s.picks), *conjuncts(s.where))
        return self.closely or self.failures.can_fail(*nodes)

    def combinations(self, s: ir.Choose) -> AbstractContextManager[None]:
        """A loop over the legal answers."""
        return self.in_order(s) if self.can_fail_asking(s) else self.combined(s.picks, conjuncts(s.where))

    @contextmanager
    def in_order(self, s: ir.Choose) -> Iterator[None]:
        """A loop over the legal answers that fails as the interpreter does: a condition about one pick alone is asked
        for all of its elements first, even if another pick has none, and the others only for whole combinations."""
        owned, others = own_conditions(s)
        for pick, own in zip(s.picks, owned, strict=True):
            if own:
                with self.each(pick.domain, pick.local, distinct=True) as loop:
                    self.ask_all(own, loop)
        with ExitStack() as stack:
            for pick, own in zip(s.picks, owned, strict=True):
                loop = stack.enter_context(self.each(pick.domain, pick.local, distinct=True))
                self.ask_all(own, loop)
            self.ask_all(others, loop)
            yield

    def ask_all(self, conditions: list[ir.Expression], loop: ElementLoop) -> None:
        """Go on with the next element unless all of them hold."""
        for condition in conditions:
            fitting = self.f.block()
            self.f.branch(self.condition(condition), fitting, loop.next)
            self.f.begin(fitting)

    @contextmanager
    def combined(self, picks: tuple[ir.PickOne, ...], asked: list[ir.Expression]) -> Iterator[None]:
        """A loop over picks; each condition is asked as soon as all it reads is known, in their order."""
        conditions = list(asked)
        left = [{pick.local.number for pick in picks[position + 1 :]} for position in range(len(picks))]
        with ExitStack() as stack:
            for position, pick in enumerate(picks):
                loop = stack.enter_context(self.each(pick.domain, pick.local, distinct=True))
                while conditions and not left[position] & reads(conditions[0]):
                    self.ask_all([conditions.pop(0)], loop)
            yield

    def store_answer(self, s: ir.Choose) -> None:
        """The picks into the fields that they are for."""
        for pick in s.picks:
            self.lies(pick.local, where_picked(pick))
            if pick.field is not None:
                assert isinstance(pick.field.field.type, Scalar)
                assert isinstance(pick.local.type, Scalar)
                value = ir.Read(pick.span, pick.local.type, pick.local)
                low, high = pick.field.type.bounds
                site = self.site(pick.span, f"`{pick.field.field.name}` is {{}}, outside of {pick.field.type}")
                new = self.within(self.emit(value), pick.local.type.bounds, low, high, site)
                pointer, shape, tag = self.address(pick.field.field, pick.field.owner, pick.field.indices)
                self.f.store(new, pointer, shape.unit, tag)
        self.latches(*(pick.field.field for pick in s.picks if pick.field is not None))


def where_picked(pick: ir.PickOne) -> ir.Zone:
    """The zone that an element was picked from; its own local if it was in none."""
    match pick.domain:
        case ir.ZoneElements():
            return pick.domain.zone
        case ir.Numbers() | ir.Whole() | ir.Listing() | ir.OrderElements():
            return ir.LocalZone(pick.local, pick.span)
        case _:
            assert_never(pick.domain)
