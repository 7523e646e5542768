"""The place in the program that a position stands at (a call stack): written for people, read back, or found.

It is a list of procedures, outermost first. Each says at which statement it is (`step` 2.1 is the first statement
inside the second), and what its locals hold; `loops` are the places in its loops.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, assert_never

from chocolatl.interpreter.engine.compile import ExecutableGame
from chocolatl.interpreter.formats.frame_validation import set_before
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.calls import callees
from chocolatl.interpreter.lowered.codec import Codec, Json, NotAValue
from chocolatl.interpreter.lowered.layout import END_OF_GAME, PC, Frame, Slots, may_hold
from chocolatl.interpreter.lowered.waits import LoopSite, SuspensionPoint
from chocolatl.interpreter.program.types import Multiset, OrderType, Scalar


class WrongPlace(NotAValue):
    """A place that is not in this program; `path` leads to it inside the position."""

    def __init__(self, path: tuple[str | int, ...], message: str) -> None:
        self.path = path
        super().__init__(message)


class _PlaceMap:
    """Where a program can stand, by procedure and step; worked out once for all positions of a game."""

    def __init__(self, program: ExecutableGame) -> None:
        self.locals = {name: _locals(frame) for name, frame in program.layout.frames.items()}
        self.calls: dict[tuple[str, str], list[ir.Call]] = {}
        for name in program.layout.frames:
            for call in callees(program.game.procedures[name]):
                self.calls.setdefault((name, call.path), []).append(call)
        self.returns = {where: pc for pc, where in program.returns.items()}
        self.stops: dict[tuple[str, str], int] = {}
        for pc, stop in program.stops.items():
            self.stops.setdefault((stop.procedure, stop.node.path), pc)


@lru_cache(maxsize=64)
def _map(program: ExecutableGame) -> _PlaceMap:
    return _PlaceMap(program)


def _locals(frame: Frame) -> dict[str, ir.Local]:
    """The locals of a procedure with names that tell them apart."""
    named: dict[str, ir.Local] = {}
    seen: Counter[str] = Counter()
    for local in frame.named:
        seen[local.name] += 1
        named[local.name if seen[local.name] == 1 else f"{local.name}#{seen[local.name]}"] = local
    return named


# ---------------------------------------------------------------- writing


def write_place(program: ExecutableGame, codec: Codec, slots: Slots) -> list[Json]:
    stop = program.stops.get(slots[PC])
    if stop is None:
        return []
    known = _map(program)
    procedure, step, line = stop.procedure, stop.node.path, stop.node.span.line
    result: list[Json] = []
    while True:
        frame, local_names = program.layout.frames[procedure], known.locals[procedure]
        entry: dict[str, Json] = {"procedure": procedure, "step": step, "line": line}
        locals_: dict[str, Json] = {
            name: value
            for name, local in local_names.items()
            if (value := _encode(program, codec, local, slots, frame)) is not None
        }
        if locals_:
            entry["locals"] = locals_
        lies: dict[str, Json] = {
            name: slots[frame.lies[local.number]]
            for name, local in local_names.items()
            if local.number in frame.lies and slots[frame.lies[local.number]]
        }
        if lies:
            entry["lies"] = lies
        loops = slots[frame.loops : frame.end]
        if any(loops):
            entry["loops"] = list(loops)
        result.append(entry)
        back = slots[frame.back]
        if back not in program.returns:
            return result[::-1]
        procedure, step = program.returns[back]
        line = known.calls[procedure, step][0].span.line


def _encode(program: ExecutableGame, codec: Codec, local: ir.Local, slots: Slots, frame: Frame) -> Json:
    """The value of a local; None (left out) for one that has not been set."""
    slot = frame.locals[local.number]
    if isinstance(local.type, Multiset):
        return codec.encode_set(local.type, slots[slot]) if slots[slot] else None
    if isinstance(local.type, OrderType):
        size, length = local.type.most, slots[slot]
        element = local.type.element
        who: list[Json] = [codec.encode(element, e) for e in slots[slot + 1 : slot + 1 + length]]
        places: list[Json] = list(slots[slot + 1 + size : slot + 1 + size + length])
        return {"order": who, "places": places} if length else None
    value = slots[slot]
    low, high = local.type.bounds
    if not low <= value <= high:
        return None
    encoded = codec.encode(local.type, value)
    return {"none": True} if encoded is None else encoded


# ---------------------------------------------------------------- reading


def read_place(program: ExecutableGame, codec: Codec, place: list[Any], slots: Slots) -> None:
    """Put the place into the slots: locals, loops, return addresses and where the program stands."""
    if not place:
        slots[PC] = END_OF_GAME
        return
    known = _map(program)
    back = END_OF_GAME
    for position, entry in enumerate(place):
        path: tuple[str | int, ...] = ("at", position)
        procedure = str(entry.get("procedure"))
        frame = program.layout.frames.get(procedure)
        if frame is None:
            raise WrongPlace(path, f"no procedure `{procedure}` of this game can wait for anything")
        slots[frame.back] = back
        _read_frame(program, codec, entry, procedure, path, slots)
        step = str(entry.get("step"))
        if position < len(place) - 1:
            back = known.returns.get((procedure, step), -1)
            called = [call.procedure for call in known.calls.get((procedure, step), ())]
            if back < 0 or place[position + 1].get("procedure") not in called:
                raise WrongPlace(path, f"step {step} of `{procedure}` does not lead to the next one")
            continue
        if (procedure, step) not in known.stops:
            raise WrongPlace(path, f"nothing is waited for at step {step} of `{procedure}`")
        slots[PC] = known.stops[procedure, step]


def _read_frame(
    program: ExecutableGame,
    codec: Codec,
    entry: dict[str, Any],
    procedure: str,
    path: tuple[str | int, ...],
    slots: Slots,
) -> None:
    frame, names = program.layout.frames[procedure], _map(program).locals[procedure]
    written = entry.get("locals", {})
    if not isinstance(written, dict):
        raise WrongPlace((*path, "locals"), "a map of locals to values is needed here")
    for name, value in written.items():
        local = names.get(name)
        if local is None:
            raise WrongPlace((*path, "locals", name), f"there is no local `{name}` here")
        try:
            _decode(codec, local, value, frame.locals[local.number], slots)
        except (NotAValue, KeyError, TypeError, AttributeError) as error:
            raise WrongPlace((*path, "locals", name), str(error)) from None
    lies = entry.get("lies", {})
    for name, zone in lies.items() if isinstance(lies, dict) else ():
        local = names.get(name)
        if local is None or local.number not in frame.lies or not _may_lie(program, local, zone):
            raise WrongPlace((*path, "lies"), f"`{name}` lies nowhere that is secret or hidden")
        slots[frame.lies[local.number]] = zone
    loops = entry.get("loops", [])
    if (
        not isinstance(loops, list)
        or len(loops) > len(frame.bounds)
        or not all(
            type(value) is int and low <= value <= high for value, (low, high) in zip(loops, frame.bounds, strict=False)
        )
    ):
        raise WrongPlace(path, "the places in loops are not those of this procedure")
    slots[frame.loops : frame.loops + len(loops)] = loops


def _may_lie(program: ExecutableGame, local: ir.Local, zone: object) -> bool:
    """Whether a local can hold what lies in the zone of a number; 0 is none."""
    if type(zone) is not int or not 0 <= zone <= len(program.layout.zones):
        return False
    return zone == 0 or may_hold(local, program.layout.zones[zone - 1][0].field)


def _decode(codec: Codec, local: ir.Local, value: Any, slot: int, slots: Slots) -> None:
    if isinstance(local.type, Multiset):
        slots[slot] = codec.decode_set(local.type, value)
    elif isinstance(local.type, OrderType):
        size = local.type.most
        who = [codec.decode(local.type.element, e) for e in value["order"]]
        places = [int(p) for p in value["places"]]
        if len(who) != len(places) or len(who) > size or not all(1 <= place <= size for place in places):
            raise NotAValue("an order has a place for each of its players")
        slots[slot] = len(who)
        slots[slot + 1 : slot + 1 + len(who)] = who
        slots[slot + 1 + size : slot + 1 + size + len(who)] = places
    else:
        slots[slot] = codec.decode(local.type, None if value == {"none": True} else value)


# ---------------------------------------------------------------- finding


def find_place(program: ExecutableGame, codec: Codec, pending: list[dict[str, Any]], slots: Slots) -> None:
    """The place from what is pending alone. Raises `WrongPlace` where that leaves more than one possibility."""
    if not pending:
        slots[PC] = END_OF_GAME
        return
    first = pending[0]
    name = str(first.get("choice", first.get("chance"))).split("[")[0]
    found = [stop for stop in program.stops.values() if _is_called(stop, name, "choice" in first)]
    if len(found) != 1:
        what = "no decision" if not found else f"{len(found)} decisions"
        raise WrongPlace(("pending", 0), f"{what} of this game could be `{name}`; the position needs `at`")
    chain = _chain(program, found[0].procedure)
    hints = _hints(codec, found[0], first)
    back = END_OF_GAME
    returns = _map(program).returns
    for procedure, step in chain:
        frame = program.layout.frames[procedure]
        slots[frame.back] = back
        _enter_loops(program, procedure, step, hints, slots)
        back = returns[procedure, step]
    target = found[0]
    frame = program.layout.frames[target.procedure]
    slots[frame.back] = back
    sealed = _sealed_around(program, target)
    if sealed is not None:
        target, hints = sealed, {}
    _enter_loops(program, target.procedure, target.node.path, hints, slots)
    slots[PC] = target.pc


def _is_called(stop: SuspensionPoint, name: str, is_choice: bool) -> bool:
    match stop.node:
        case ir.Choose() | ir.ChooseSet():
            return is_choice and stop.node.name == name
        case ir.Roll() | ir.Draw():
            return not is_choice and stop.node.local.name == name
        case ir.Secretly():
            return False
        case _:
            assert_never(stop.node)


def _chain(program: ExecutableGame, procedure: str) -> list[tuple[str, str]]:
    """The only way from the whole game to a procedure: callers with the steps of their calls."""
    result: list[tuple[str, str]] = []
    while procedure != program.game.main:
        callers = [
            where for where, calls in _map(program).calls.items() for call in calls if call.procedure == procedure
        ]
        if len(callers) != 1:
            raise WrongPlace(
                ("pending", 0), f"`{procedure}` is reached in {len(callers)} ways; the position needs `at`"
            )
        result.append(callers[0])
        procedure = callers[0][0]
    return result[::-1]


def _hints(codec: Codec, stop: SuspensionPoint, pending: dict[str, Any]) -> dict[int, int]:
    """Values of locals that the pending decision tells: who chooses, and the index of the choice."""
    hints: dict[int, int] = {}
    node = stop.node
    if not isinstance(node, ir.Choice):
        return hints
    if isinstance(node.player, ir.Read) and "player" in pending:
        hints[node.player.local.number] = codec.decode(node.player.type, pending["player"])
    written = str(pending["choice"]).partition("[")[2].rstrip("]")
    for label, index in zip(written.split(", "), node.indices, strict=False):
        if isinstance(index, ir.Read) and written:
            known = [str(codec.encode(index.type, v)) for v in range(index.type.low, index.type.high + 1)]
            if label in known:
                hints[index.local.number] = index.type.low + known.index(label)
    return hints


def _sealed_around(program: ExecutableGame, stop: SuspensionPoint) -> SuspensionPoint | None:
    for other in program.stops.values():
        around = stop.node.path.startswith(other.node.path + ".")
        if isinstance(other.node, ir.Secretly) and other.procedure == stop.procedure and around:
            return other
    return None


def _enter_loops(program: ExecutableGame, procedure: str, step: str, hints: dict[int, int], slots: Slots) -> None:
    """Set the loops around a step as they are when it is reached."""
    frame = program.layout.frames[procedure]
    parts = step.split(".")
    around = {".".join(parts[:depth]) for depth in range(1, len(parts))}
    for local in program.game.procedures[procedure].parameters:
        if local.number not in hints:
            raise WrongPlace(("pending", 0), f"what `{local.name}` of `{procedure}` is cannot be seen; give `at`")
        slots[frame.locals[local.number]] = hints[local.number]
    for local in set_before(program.game.procedures[procedure].body, step):
        if local.number not in hints:
            raise WrongPlace(("pending", 0), f"what `{local.name}` of `{procedure}` is cannot be seen; give `at`")
        slots[frame.locals[local.number]] = hints[local.number]
    for (owner, path), site in sorted(program.loop_sites.items(), key=lambda item: len(item[0][1])):
        if owner != procedure or path not in around:
            continue
        match site.node:
            case ir.Repeat():
                pass  # nothing tells how often it was gone through
            case ir.InTurn():
                value = _loop_value(program, site.node, hints, slots)
                slots[frame.locals[site.node.local.number]] = value
                slots[site.counter] = (value + 1) % program.game.player_count
            case ir.ForEach():
                value = _loop_value(program, site.node, hints, slots)
                slots[frame.locals[site.node.local.number]] = value
                _enter_elements(program, site, value, slots)
            case _:
                assert_never(site.node)


def _enter_elements(program: ExecutableGame, site: LoopSite, value: int, slots: Slots) -> None:
    """Set a loop over elements to one of them."""
    program.functions[f"loop_{site.pc}"](slots)
    slots[site.counter] = value
    if site.elements >= 0:
        elements = slots[site.elements + 1 : site.elements + 1 + slots[site.elements]]
        if value not in elements:
            raise WrongPlace(("pending", 0), "the loop around this decision does not reach it; give `at`")
        slots[site.counter] = elements.index(value)


def _loop_value(program: ExecutableGame, node: ir.ForEach | ir.InTurn, hints: dict[int, int], slots: Slots) -> int:
    if isinstance(node, ir.ForEach) and node.counter is not None:
        return max(1, slots[program.layout.places[node.counter.key].base])
    if node.local.number in hints:
        return hints[node.local.number]
    assert isinstance(node.local.type, Scalar)
    raise WrongPlace(("pending", 0), f"where the loop over `{node.local.name}` stands cannot be seen; give `at`")
