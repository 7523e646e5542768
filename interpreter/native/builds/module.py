"""A whole kernel as the text of an LLVM module (a translation unit): one that plays whole games, one that goes on from
any decision."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.lowered.codec import Codec
from chocolatl.interpreter.lowered.layout import Layout
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.sites import RuleError, Sites
from chocolatl.interpreter.native.builds.driver import driver_texts
from chocolatl.interpreter.native.builds.passes import INLINING, PLANES, known
from chocolatl.interpreter.native.builds.resumable import RESUMABLE
from chocolatl.interpreter.native.builds.series import Sums, series
from chocolatl.interpreter.native.builds.states import StateAccess
from chocolatl.interpreter.native.builds.stops import stop_texts
from chocolatl.interpreter.native.builds.whole_games import WHOLE_GAMES
from chocolatl.interpreter.native.emit.context import Build, EmitContext, NotedStop, Stepping, Steps
from chocolatl.interpreter.native.emit.frames import store_head
from chocolatl.interpreter.native.emit.statements.control import value_text
from chocolatl.interpreter.native.emit.statements.invariants import invariant_texts
from chocolatl.interpreter.native.emit.statements.latches import latch_text, part_texts
from chocolatl.interpreter.native.emit.statements.occurrences import ending_texts
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_lines
from chocolatl.interpreter.native.emit.values_and_rankings.orders import SHARED
from chocolatl.interpreter.native.emit.values_and_rankings.rankings import ranking_text
from chocolatl.interpreter.native.layout.contents import initial
from chocolatl.interpreter.native.layout.memory import ASKED, DECISIONS, SECRET, STREAMS, Memory
from chocolatl.interpreter.native.llvm.inlining import inlined
from chocolatl.interpreter.native.llvm.regions import Access, Meant, MemoryAccess, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.runtime.support import support
from chocolatl.interpreter.native.vector.statements import vector_procedure_texts
from chocolatl.interpreter.statistics.occurrences import label_with_number

Recorded = dict[str, Mapping[str, Meant]]
"""Of each function, what its addresses are meant for."""

MoreTexts = Callable[[StateAccess], Iterable[str]]
"""Functions beside those of the driver."""


@dataclass(frozen=True)
class Module:
    """The text, and what is needed to understand what the code says: places of failures, questions, memory."""

    text: str
    sites: Sites
    stops: list[NotedStop]
    memory: Memory
    unanswered: dict[int, ir.Choice]
    common: Mapping[str, str]
    """The procedures of functions that all players go through at once."""
    longest: int = 0
    """How many words an event has at most."""
    checks: Sequence[MemoryAccess] = ()
    """The places where memory is reached, in a build that checks them."""

    def failure(self, codec: Codec, site: int, value: int) -> RuleError:
        """What went wrong at a site, in the words of the interpreter."""
        span, message = self.sites.known[site]
        shown = str(value)
        if message == SHARED:
            shown = "nobody" if value == 0 else f"{value} share it"
        elif site in self.unanswered:
            node = self.unanswered[site]
            indices = tuple(index.type for index in node.indices)
            shown = codec.choice_name(node, label_with_number(indices, value))
        return RuleError(span, message.replace("{}", shown))


def whole_games(
    game: ir.GameRules, features: str, closely: bool = False, watched: bool = False, inspected: bool = False,
    without: Iterable[str] = (), recorded: Recorded | None = None, build: Build = WHOLE_GAMES,
    more: Callable[[EmitContext], Iterable[str]] | None = None,
) -> Module:  # fmt: skip
    """The code that plays whole games with random players, or with others by a build of their own; if they are watched,
    it notes all events. `without` names passes that are not applied (`chocolatl.interpreter.native.builds.passes`),
    `more` writes functions that belong to the build."""
    off = known(without)
    memory = Memory(Layout(game), from_start=True, planes=PLANES.name not in off)
    counts_bits = {"+avx512vpopcntdq", "+avx512vl"} <= set(features.split(","))
    context = EmitContext(
        build, memory, Sites(), closely, inspected, noted=watched, counting=inspected and not watched,
        without=off, counts_bits=counts_bits, recorded=recorded,
    )  # fmt: skip
    needed = reachable([game.main], game.procedures)
    parts = [
        *(context.build.procedure(context, procedure) for name, procedure in game.procedures.items() if name in needed),
        *(more(context) if more is not None else ()),
        *_formulas(context),
        *part_texts(context),
        *vector_procedure_texts(context),
        _play(context, memory),
        _winners(context),
        series(context, Sums(game)),
    ]
    head = [*_head(context, features), _initial(memory)]
    text = "\n\n".join([*head, *(marked(context, parts) or parts), _tags(memory)]) + "\n"
    common = {name: procedure for (procedure, _), name in context.requested.vector_procedures.items()}
    return Module(text, context.sites, context.stops, memory, context.unanswered, common, context.longest)


def stepwise(
    program: LoweredGame, features: str, closely: bool = False, inspected: bool = False, without: Iterable[str] = (),
    recorded: Recorded | None = None, more: MoreTexts | None = None, build: Build = RESUMABLE,
) -> Module:  # fmt: skip
    """The code that goes on from any decision to the next one, or at random to the end; `more` writes functions that
    work on the same state."""
    game, off = program.game, known(without)
    memory = Memory(program.layout, planes=PLANES.name not in off)
    context = EmitContext(
        build, memory, Sites(), closely, inspected, counting=inspected, without=off, recorded=recorded
    )
    context.stepping = Stepping(program, Steps("nothing", 0))
    parts = [context.build.procedure(context, procedure) for procedure in game.procedures.values()]
    for stop in program.stops.values():
        parts += stop_texts(context, stop)
    context.frame = None
    parts += _formulas(context)
    states = StateAccess(context)
    parts += [*driver_texts(states), *(more(states) if more is not None else ())]
    parts += [_winners(context), series(context, Sums(game))]
    text = "\n\n".join([*_head(context, features), *parts, _tags(memory)]) + "\n"
    return Module(text, context.sites, [], memory, context.unanswered, {})


@INLINING.function
def marked(context: EmitContext, parts: list[str]) -> list[str]:
    return inlined(parts)


def _head(context: EmitContext, features: str) -> list[str]:
    """What all of the code refers to: functions of every kernel, and tables."""
    return [support(features, context.memory.streams.step), *sorted(context.intrinsics), *table_lines(context)]


def _formulas(context: EmitContext) -> list[str]:
    """What procedures reckon with: values, rankings, latches, what always holds, and what ends."""
    game = context.game
    return [
        *(value_text(context, value) for value in game.values.values()),
        *(ranking_text(context, context.rankings[name], ranking) for name, ranking in game.rankings.items()),
        *(latch_text(context, number, latch) for number, latch in enumerate(game.latches)),
        *invariant_texts(context),
        *ending_texts(context),
    ]


def _initial(memory: Memory) -> str:
    """The state at the start of a game."""
    data = initial(memory)[memory.body :]
    text = "".join(f"\\{byte:02X}" for byte in data)
    return f'@initial = internal constant [{len(data)} x i8] c"{text}", align 64'


def _play(context: EmitContext, memory: Memory) -> str:
    """One game from its beginning to its end, with its own random numbers."""
    game = memory.game
    f = context.open(Function("play", [("ptr", "noalias %s"), ("i64", "%seed"), ("i64", "%index")], how=""))
    f.mean("%s", Region(Access.STATE, context.build.extent(context)))
    for offset in (DECISIONS, SECRET, ASKED, ASKED + 8):
        store_head(context, offset, "0")
    size = memory.size - memory.body
    body = f.part("%s", memory.body, Region(Access.BODY, size, memory.body))
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr align 64 {body}, ptr align 64 @initial, i64 {size}, i1 false)")
    for stream in range(game.player_count + 1):
        at = f.part("%s", STREAMS + memory.streams.at(stream), memory.streams.meant(stream))
        f.do(f"call void @seed(ptr {at}, i64 %seed, i64 %index, i64 {stream})")
    if context.build.begin_game is not None:
        context.build.begin_game(context)
    f.do(f"call void @procedure_{context.procedures[game.main]}(ptr %s)")
    f.leave()
    return f.text()


def _winners(context: EmitContext) -> str:
    """The ranking of the winners: how many are ranked, who, and at which places."""
    f = context.open(Function("winners", [("ptr", "%s"), ("ptr", "%o")], how=""))
    f.mean("%s", Region(Access.STATE, context.memory.size))
    f.mean("%o", Region(Access.ORDER, 8 * (1 + 2 * context.game.player_count)))
    f.do(f"call void @ranking_{context.rankings[context.game.winner]}(ptr %s, ptr %o)")
    f.leave()
    return f.text()


def _tags(memory: Memory) -> str:
    """What cannot lie in the same place: random numbers, the head, frames, each field, and counts."""
    lines = ['!0 = !{!"state"}']
    for number in range(4 + len(memory.fields)):
        kind, tag = 2 * number + 1, 2 * number + 2
        lines += [f'!{kind} = !{{!"part {number}", !0, i64 0}}', f"!{tag} = !{{!{kind}, !{kind}, i64 0}}"]
    return "\n".join(lines)
