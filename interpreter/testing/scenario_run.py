"""A scenario run: its events in order, then what came of them beside what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from chocolatl.interpreter.data.model import DataPath
from chocolatl.interpreter.engine.machine import settle, start_procedure
from chocolatl.interpreter.engine.state import decode_state, encode_state
from chocolatl.interpreter.formats.events import (
    RefusedEvent,
    apply_event,
    describe_pending,
    find_decision,
    require_legal,
    shown,
)
from chocolatl.interpreter.formats.scenario import Scenario
from chocolatl.interpreter.formats.transcript import result_content
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.source import Span

LONG_LIST = 4
"""From this length on, a message says what is missing in a list."""

LISTS: tuple[DataPath, ...] = (("when",), ("then", "legal"), ("then", "illegal"))
"""Where a path goes on with a number, which counts from 1 for people."""


@dataclass(frozen=True)
class UnmetExpectation:
    """What did not come as expected, and the line of the scenario that expected it."""

    line: int
    path: str
    message: str
    place: DataPath = field(default=(), repr=False)
    rule: Span | None = field(default=None, repr=False)
    """The line of the rules that decided it, as far as it is known."""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


def run_scenario(scenario: Scenario, log: Log | None = None) -> list[UnmetExpectation]:
    """What is different from what the scenario expects; nothing when it holds."""
    run = ScenarioRun(scenario, log)
    try:
        position = run.to_the_end()
        run.place = ("then",)
        return [_difference(scenario, *found) for found in _compare(scenario, position)]
    except RefusedEvent as error:
        return [_difference(scenario, run.place, str(error))]
    except RuleError as error:
        return [replace(_difference(scenario, run.place, f"the rules stop with an error: {error}"), rule=error.span)]


class ScenarioRun:
    """A scenario on its way. `place` is the part of the file that it is at, `position` the last one that it reached."""

    def __init__(self, scenario: Scenario, log: Log | None = None) -> None:
        self.scenario = scenario
        self.log = log
        self.place: DataPath = ("start",)
        self.position: Position | None = None

    def to_the_end(self) -> Position:
        """The position after the last event; raises `RefusedEvent` and `RuleError`."""
        position = self.position = _begin(self.scenario, self.log)
        for number, event in enumerate(self.scenario.when):
            self.place = ("when", number)
            position = self.position = apply_event(self.scenario.game, position, event, self.log)
        return position


def _begin(scenario: Scenario, log: Log | None) -> Position:
    """The first decision or chance after the given state, or the end of a procedure that asks nothing."""
    program, slots = scenario.game.program, list(scenario.slots)
    if scenario.procedure is None:
        return settle(program, slots, log)
    return start_procedure(program, slots, scenario.procedure, list(scenario.arguments), log)


def _difference(scenario: Scenario, place: DataPath, message: str) -> UnmetExpectation:
    words = ""
    for number, step in enumerate(place):
        words += f"[{int(step) + 1}]" if place[:number] in LISTS else f".{step}"
    return UnmetExpectation(scenario.document.key_span(place).line, words.removeprefix("."), message, place)


# ---------------------------------------------------------------- comparing


def _compare(scenario: Scenario, position: Position) -> Iterator[tuple[DataPath, str]]:
    game, then = scenario.game, scenario.then
    if not then:
        yield ("then",), "nothing is expected yet; `chocolatl test --update` writes down what comes"
    yield from _compare_state(scenario, position)
    if "pending" in then:
        expected, came = {_pending(p) for p in then["pending"]}, set(_pending_now(game, position))
        if expected != came:
            yield ("then", "pending"), _versus(_listed(expected), _listed(came))
    for number, answer in enumerate(then.get("legal", [])):
        problem = _refusal(game, position, answer)
        if problem:
            yield ("then", "legal", number), f"expected to be legal, but {problem}"
    for number, answer in enumerate(then.get("illegal", [])):
        if not _refusal(game, position, answer):
            given = f"{answer['player']} can answer `{answer['choice']}` with {shown(answer['value'])}"
            yield ("then", "illegal", number), f"expected to be illegal, but {given}"
    for name, parts in then.get("view", {}).items():
        seen = game.view(position, game.players.index(name))["state"]
        yield from _compare_view(parts, seen, ("then", "view", name))
    yield from _compare_result(game, then, position)


def _compare_state(scenario: Scenario, position: Position) -> Iterator[tuple[DataPath, str]]:
    """What is written goes through the engine's own form, so that `[2, 1]` and `[1, 2]` are the same set."""
    game = scenario.game
    slots = list(position.slots)
    decode_state(game.program.layout, game.codec, scenario.state, slots, complete=False)
    expected = encode_state(game.program.layout, game.codec, slots, named=scenario.state)
    came = encode_state(game.program.layout, game.codec, position.slots, named=scenario.state)
    yield from _compare_part(scenario.state, expected, came, ("then",))


def _compare_part(written: Any, expected: Any, came: Any, place: DataPath) -> Iterator[tuple[DataPath, str]]:
    if isinstance(expected, dict):
        for key, part in written.items():
            yield from _compare_part(part, expected[str(key)], came[str(key)], (*place, key))
    elif expected != came:
        yield place, _versus(shown(expected), shown(came)) + _apart(expected, came)


def _apart(expected: Any, came: Any) -> str:
    """Of two long lists, what only one of them has."""
    if not isinstance(expected, list) or not isinstance(came, list) or max(len(expected), len(came)) < LONG_LIST:
        return ""
    missing, more = Counter(map(shown, expected)), Counter(map(shown, came))
    parts = [
        f"{word} {', '.join(sorted(found.elements()))}"
        for word, found in (("missing", missing - more), ("too many", more - missing))
        if found
    ]
    return f" ({'; '.join(parts)})" if parts else ""


def _compare_view(written: Any, seen: Any, place: DataPath) -> Iterator[tuple[DataPath, str]]:
    """What a player sees; a zone that is not seen shows `size` alone."""
    if isinstance(written, dict) and isinstance(seen, dict):
        for key, part in written.items():
            if str(key) in seen:
                yield from _compare_view(part, seen[str(key)], (*place, key))
            else:
                yield (*place, key), f"there is nothing called `{key}` to see here"
    elif (sorted(written, key=str) if isinstance(written, list) else written) != (
        sorted(seen, key=str) if isinstance(seen, list) else seen
    ):
        yield place, _versus(shown(written), shown(seen))


def _compare_result(game: Game, then: dict[str, Any], position: Position) -> Iterator[tuple[DataPath, str]]:
    wanted = [part for part in ("result", "breakdown", "winners") if part in then]
    if wanted and not game.is_over(position):
        yield ("then", wanted[0]), _versus("the end of the game", describe_pending(game, position))
        return
    came = result_content(game, game.result(position)) if wanted else {}
    for part in wanted:
        if part == "winners":
            expected = sorted(then[part], key=game.players.index)
            if expected != came[part]:
                yield ("then", part), _versus(shown(expected), shown(came[part]))
        else:
            yield from _compare_part(then[part], _with_text_keys(then[part]), came[part], ("then", part))


def _with_text_keys(value: Any) -> Any:
    return {str(key): _with_text_keys(part) for key, part in value.items()} if isinstance(value, dict) else value


def _refusal(game: Game, position: Position, answer: dict[str, Any]) -> str:
    """Why an answer is not legal; nothing if it is."""
    try:
        require_legal(find_decision(game, position, answer["player"], answer["choice"]), answer["value"])
    except RefusedEvent as error:
        return str(error)
    return ""


def _pending(written: dict[str, Any]) -> tuple[str, str]:
    return ("chance", written["chance"]) if "chance" in written else (written["player"], written["choice"])


def _pending_now(game: Game, position: Position) -> Iterator[tuple[str, str]]:
    chance = game.chance(position)
    if chance is not None:
        yield "chance", chance.name
    yield from ((game.players[decision.player], decision.name) for decision in game.pending(position))


def _listed(pending: set[tuple[str, str]]) -> str:
    return ", ".join(f"{who} `{name}`" for who, name in sorted(pending)) or "nothing"


def _versus(expected: str, came: str) -> str:
    return f"expected {expected}, came {came}"
