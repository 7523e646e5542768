"""A whole kernel as the text of an LLVM module: one that plays whole games, one that goes on from any decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import reachable
from chocolatl.interpreter.lowered.codec import Codec
from chocolatl.interpreter.lowered.layout import Layout
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.sites import RuleError, Sites
from chocolatl.interpreter.native.builds.driver import Driver
from chocolatl.interpreter.native.builds.series import Sums, series
from chocolatl.interpreter.native.builds.stops import StopEmitter
from chocolatl.interpreter.native.builds.whole_games import WholeGameEmitter
from chocolatl.interpreter.native.emit.control import GameEmitter
from chocolatl.interpreter.native.emit.elements import SHARED
from chocolatl.interpreter.native.emit.questions import NotedStop
from chocolatl.interpreter.native.emit.support import support
from chocolatl.interpreter.native.layout.contents import initial
from chocolatl.interpreter.native.layout.memory import ASKED, DECISIONS, SECRET, STREAMS, Memory
from chocolatl.interpreter.native.llvm.inlining import inlined
from chocolatl.interpreter.native.llvm.regions import Access, MemoryAccess, Region
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.statistics.occurrences import label_with_number


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
    make: Callable[..., WholeGameEmitter] = WholeGameEmitter,
) -> Module:  # fmt: skip
    """The code that plays whole games with random players; if they are watched, it notes all events."""
    memory = Memory(Layout(game), from_start=True)
    sites = Sites()
    emitter = make(memory, sites, closely, watched, inspected)
    emitter.counts_bits = {"+avx512vpopcntdq", "+avx512vl"} <= set(features.split(","))
    parts = []
    needed = reachable([game.main], game.procedures)
    for name, procedure in game.procedures.items():
        if name in needed:
            parts.append(emitter.procedure_text(procedure))
    parts += [
        *_formulas(emitter),
        *emitter.part_texts(),
        *emitter.common_texts(),
        _play(emitter, memory),
        _winners(emitter),
        series(emitter, Sums(game)),
    ]
    head = [*_head(emitter, features), _initial(memory)]
    text = "\n\n".join([*head, *inlined(parts), _tags(memory)]) + "\n"
    common = {name: procedure for (procedure, _), name in emitter.common.items()}
    return Module(text, sites, emitter.stops, memory, emitter.unanswered, common, emitter.longest)


def stepwise(
    program: LoweredGame, features: str, closely: bool = False, inspected: bool = False,
    make: Callable[..., StopEmitter] = StopEmitter,
) -> Module:  # fmt: skip
    """The code that goes on from any decision to the next one, or at random to the end."""
    game, memory, sites = program.game, Memory(program.layout), Sites()
    emitter = make(program, memory, sites, closely, inspected)
    parts = [emitter.procedure_text(procedure) for procedure in game.procedures.values()]
    for stop in program.stops.values():
        parts += emitter.stop_texts(stop)
    emitter.frame = None
    parts += _formulas(emitter)
    parts += [*Driver(emitter).texts(), _winners(emitter), series(emitter, Sums(game))]
    text = "\n\n".join([*_head(emitter, features), *parts, _tags(memory)]) + "\n"
    return Module(text, sites, [], memory, emitter.unanswered, {})


def _head(emitter: GameEmitter, features: str) -> list[str]:
    """What all of the code refers to: functions of every kernel, and tables."""
    return [support(features, emitter.memory.streams.step), *sorted(emitter.intrinsics), *emitter.table_lines()]


def _formulas(emitter: GameEmitter) -> list[str]:
    """What procedures reckon with: values, rankings, latches, what always holds, and what ends."""
    game = emitter.game
    return [
        *(emitter.value_text(value) for value in game.values.values()),
        *(emitter.ranking(emitter.rankings[name], ranking) for name, ranking in game.rankings.items()),
        *(emitter.latch_text(number, latch) for number, latch in enumerate(game.latches)),
        *emitter.invariant_texts(),
        *emitter.ending_texts(),
    ]


def _initial(memory: Memory) -> str:
    """The state at the start of a game."""
    data = initial(memory)[memory.body :]
    text = "".join(f"\\{byte:02X}" for byte in data)
    return f'@initial = internal constant [{len(data)} x i8] c"{text}", align 64'


def _play(emitter: GameEmitter, memory: Memory) -> str:
    """One game from its beginning to its end, with its own random numbers."""
    game = memory.game
    emitter.f = f = Function("play", [("ptr", "noalias %s"), ("i64", "%seed"), ("i64", "%index")], how="")
    f.mean("%s", Region(Access.STATE, emitter.extent))
    for offset in (DECISIONS, SECRET, ASKED, ASKED + 8):
        emitter.set_head(offset, "0")
    size = memory.size - memory.body
    body = f.part("%s", memory.body, Region(Access.BODY, size, memory.body))
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr align 64 {body}, ptr align 64 @initial, i64 {size}, i1 false)")
    for stream in range(game.player_count + 1):
        at = f.part("%s", STREAMS + memory.streams.at(stream), memory.streams.meant(stream))
        f.do(f"call void @seed(ptr {at}, i64 %seed, i64 %index, i64 {stream})")
    f.do(f"call void @procedure_{emitter.procedures[game.main]}(ptr %s)")
    f.leave()
    return f.text()


def _winners(emitter: GameEmitter) -> str:
    """The ranking of the winners: how many are ranked, who, and at which places."""
    emitter.f = f = Function("winners", [("ptr", "%s"), ("ptr", "%o")], how="")
    f.mean("%s", Region(Access.STATE, emitter.memory.size))
    f.mean("%o", Region(Access.ORDER, 8 * (1 + 2 * emitter.game.player_count)))
    f.do(f"call void @ranking_{emitter.rankings[emitter.game.winner]}(ptr %s, ptr %o)")
    f.leave()
    return f.text()


def _tags(memory: Memory) -> str:
    """What cannot lie in the same place: random numbers, the head, frames, each field, and counts."""
    lines = ['!0 = !{!"state"}']
    for number in range(4 + len(memory.fields)):
        kind, tag = 2 * number + 1, 2 * number + 2
        lines += [f'!{kind} = !{{!"part {number}", !0, i64 0}}', f"!{tag} = !{{!{kind}, !{kind}, i64 0}}"]
    return "\n".join(lines)
