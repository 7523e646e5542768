"""One decision of a player that looks ahead, from beginning to end in native code (successive halving of rollouts).

    decide(s, player, plan, ...)   the number of the best option; or that the rules `FAILED` or an option was `UNFIT`

Behind the position lie a world and a trial, each as large as the position. A world is the position with all that the
player does not see dealt anew (`chocolatl.interpreter.native.lookahead.dealing`); each option that is left is tried in
a copy of it (`chocolatl.interpreter.native.lookahead.trying`), and played on at random. That is what
`chocolatl.interpreter.players.greedy` does, number by number.
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.emit.values_and_rankings.loops import counting
from chocolatl.interpreter.native.layout.memory import ASIDE, JOURNAL, LOG, STREAMS
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.native.lookahead.dealing import dealing_texts
from chocolatl.interpreter.native.lookahead.desk import MOST_OPTIONS
from chocolatl.interpreter.native.lookahead.trying import FAILED, HORIZON, UNFIT, is_secret, trying_texts

DECIDE = (
    ("i64", "%player"), ("ptr", "%plan"), ("i64", "%planned"), ("ptr", "%room"), ("i64", "%shuffled"),
    ("ptr", "%given"), ("i64", "%answered"), ("ptr", "%options"), ("i64", "%listed"), ("i64", "%width"),
    ("i64", "%worlds"), ("i64", "%tries"), *HORIZON,
)  # fmt: skip
"""What `decide` is given after the state: words, and how many they are. `width` is that of an option with its length;
the rest says in how many worlds options are tried, and how far it is played on."""


def deciding_texts(states: StateAccess) -> Iterator[str]:
    yield from dealing_texts(states)
    yield from trying_texts(states)
    yield halve_text(states)
    yield decide_text(states)


def halve_text(states: StateAccess) -> str:
    """The better half of those that are left, as many as there are then; of equals the first ones stay."""
    f = states.open("halve", (("ptr", "%left"), ("ptr", "%totals"), ("i64", "%count")), "i64")
    context, better, kept = states.context, f.variable(), f.variable()
    half = f.op(f"lshr i64 {f.add('%count', '1')}, 1")
    f.store("0", kept)
    flags = f.variable(f"[{MOST_OPTIONS} x i64]", Access.LIST)
    with counting(context, "0", f.sub("%count", "1")) as one:
        mine = f.load(f.element("%left", one.value))
        total = f.load(f.element("%totals", mine))
        f.store("0", better)
        with counting(context, "0", f.sub("%count", "1")) as other:
            against = f.load(f.element("%totals", f.load(f.element("%left", other.value))))
            above = f.compare("sgt", against, total)
            equal, before = f.compare("eq", against, total), f.compare("slt", other.value, one.value)
            ahead = f.op(f"or i1 {above}, {f.op(f'and i1 {equal}, {before}')}")
            f.change(better, f.widen(ahead))
        f.store(f.widen(f.compare("slt", f.load(better), half)), f.element(flags, one.value))
    with counting(context, "0", f.sub("%count", "1")) as one:
        stays = f.block()
        f.branch(f.compare("ne", f.load(f.element(flags, one.value)), "0"), stays, one.next)
        f.begin(stays)
        f.store(f.load(f.element("%left", one.value)), f.element("%left", f.load(kept)))
        f.change(kept, "1")
    f.leave(f"i64 {f.load(kept)}")
    return f.text()


def decide_text(states: StateAccess) -> str:
    f = states.open("decide", DECIDE, "i64", how="")
    f.mean("%s", Region(Access.STATE, 3 * states.whole))
    for words, kind, number in (
        ("%plan", Access.PLAN, "%planned"), ("%room", Access.ROOM, "%shuffled"), ("%given", Access.GIVEN, "%answered"),
        ("%options", Access.OPTIONS, "%listed"),
    ):  # fmt: skip
        f.mean(words, Region(kind, 8, times=number))
    context, whole = states.context, states.whole
    world = states.word("%s", whole, Region(Access.WORLD, whole, whole))
    trial = states.word("%s", 2 * whole, Region(Access.TRIAL, whole, 2 * whole))
    streams = states.word("%s", STREAMS + 16, states.memory.streams.of_players)
    random = f.element(streams, "%player", "[16 x i8]", Region(Access.STREAM, 16))
    left, totals = (f.variable(f"[{MOST_OPTIONS} x i64]", Access.LIST) for _ in range(2))
    number, failed, unfit, again, more, done = f.variable(), *(f.block() for _ in range(5))
    count = f.op("sdiv i64 %listed, %width")
    f.store(count, number)
    with counting(context, "0", f.sub(count, "1")) as loop:
        f.store(loop.value, f.element(left, loop.value))
        f.store("0", f.element(totals, loop.value))
    f.begin(again)
    f.branch(f.compare("sgt", f.load(number), "1"), more, done)
    f.begin(more)
    rest = f.load(number)
    with counting(context, "1", f.maximum("%worlds", f.op(f"sdiv i64 %tries, {rest}"))):
        common = f.element(world, "0", "i8", Region(Access.WORLD, states.size, 0))
        states.copy(common, states.state(states.size), states.size)
        states.put(world, LOG, states.get("%s", ASIDE))
        states.put(world, JOURNAL, "0")
        states.call("deal", world, "i64 %player", "ptr %plan", "ptr %room", f"ptr {random}")
        opened = f.op(f"call i64 @reopen(ptr {world}, i64 %player, ptr %given, i64 %answered, ptr %room)")
        known, fine = f.block(), f.block()
        f.branch(f.compare("eq", opened, "0"), known, unfit)
        f.begin(known)
        f.branch(states.has_failed(), failed, fine)
        f.begin(fine)
        secret = is_secret(states, world)
        seed = f.op(f"call i64 @below(ptr {random}, i64 {1 << 32})")
        states.call("scatter", world, f"i64 {seed}", f"i1 {secret}")
        round_ = round_of(states, world)
        with counting(context, "0", f.sub(rest, "1")) as loop:
            states.copy(f.element(trial, "0", "i8", Region(Access.TRIAL, states.size, 0)), common, states.size)
            copy_privates(states, trial, world, secret)
            option = f.load(f.element(left, loop.value))
            first = f.op(f"getelementptr i64, ptr %options, i64 {f.mul(option, '%width')}")
            answer = f"ptr {f.op(f'getelementptr i64, ptr {first}, i64 1')}", f"i64 {f.load(first)}"
            given = ", ".join(
                (f"ptr {trial}", "i64 %player", *answer, "i64 %least", "i64 %most", f"i64 {round_}", f"i1 {secret}")
            )
            result = f.op(f"call i64 @attempt({given})")
            tried, wrong = f.block(), f.block()
            f.branch(f.compare("eq", result, "0"), tried, wrong)
            f.begin(wrong)
            f.branch(f.compare("eq", result, str(FAILED)), failed, unfit)
            f.begin(tried)
            f.change(f.element(totals, option), score_of(states, trial, "%player"))
    f.store(f.op(f"call i64 @halve(ptr %s, ptr {left}, ptr {totals}, i64 {rest})"), number)
    f.goto(again)
    f.begin(done)
    f.leave(f"i64 {f.load(left)}")
    f.begin(failed)
    f.leave(f"i64 {FAILED}")
    f.begin(unfit)
    f.leave(f"i64 {UNFIT}")
    return f.text()


def copy_privates(states: StateAccess, target: str, source: str, secret: str) -> None:
    """The private copies, in a secret block."""
    f, size = states.f, states.whole - states.size
    apart, done = f.block(), f.block()
    f.branch(secret, apart, done)
    f.begin(apart)
    behind = Region(Access.COPY, size, states.size)
    states.copy(states.word(target, states.size, behind), states.word(source, states.size, behind), size)
    f.begin(done)


def round_of(states: StateAccess, state: str) -> str:
    """The number of the round, 0 in a game that has none."""
    run = states.memory.places.get((None, "round"))
    return "0" if run is None else states.f.load(states.word(state, run.offset, run.cell(0)), run.shape.unit)


def score_of(states: StateAccess, state: str, player: str) -> str:
    """What the player has at the horizon."""
    run, f = states.memory.places[states.context.game.score.key], states.f
    start = states.word(state, run.offset, run.meant)
    at = f.op(f"getelementptr [{run.shape.size} x i8], ptr {start}, i64 {player}")
    return f.load(f.mean(at, Region(run.shape.kind, run.shape.size)), run.shape.unit)
