"""What came of a scenario, written as a new scenario to read and keep (a snapshot).

Everything but `then` is copied as it was written, comments included. `then` says the same parts as before with what
came; a `then` that says nothing gets every part of the state that has changed, and what is pending or the result.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.formats.events import RefusedEvent, find_decision, require_legal
from chocolatl.interpreter.formats.scenario import ANSWERS, Scenario
from chocolatl.interpreter.formats.transcript import result_content
from chocolatl.interpreter.formats.yaml_text import to_yaml
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.testing.scenario_run import ScenarioRun

TOP = re.compile(r"(?m)^(?=[A-Za-z])")
"""Where a key of the file begins."""


def observed_file(path: Path) -> Path:
    """Where the new scenario goes: beside the old one."""
    return path.with_name(f"{path.stem}.observed{path.suffix}")


def observed_scenario(scenario: Scenario) -> str:
    """The text of the new scenario; raises `RefusedEvent` and `RuleError` where the run does not come to its end."""
    position = ScenarioRun(scenario).to_the_end()
    then = to_yaml({"then": _then(scenario, position)})
    parts = TOP.split(scenario.document.source.text)
    if not any(part.startswith("then:") for part in parts):  # the file is one map in braces
        return to_yaml({**scenario.document.value, "then": _then(scenario, position)})
    return "".join(then if part.startswith("then:") else part for part in parts)


def _then(scenario: Scenario, position: Position) -> dict[str, Any]:
    game, then = scenario.game, scenario.then
    layout, codec = game.program.layout, game.codec
    came = encode_state(layout, codec, position.slots, named=scenario.state)
    if not then:
        before = encode_state(layout, codec, scenario.slots, named=came)
        changes = _changed(before, encode_state(layout, codec, position.slots, named=before))
        return {**changes, **(_ending(game, position) if game.is_over(position) else _pending(game, position))}
    found: dict[str, Any] = _same_parts(scenario.state, came)
    legal, illegal = _answers(game, position, [*then.get("legal", []), *then.get("illegal", [])])
    ending = _ending(game, position)
    for part in ANSWERS:
        if part == "pending" and part in then:
            found.update(_pending(game, position))
        elif part == "legal" and legal:
            found[part] = legal
        elif part == "illegal" and illegal:
            found[part] = illegal
        elif part == "view" and part in then:
            views = {name: game.view(position, game.players.index(name))["state"] for name in then[part]}
            found[part] = _same_parts(then[part], views)
        elif part in then and part in ending:
            found[part] = ending[part] if part == "winners" else _same_parts(then[part], ending[part])
    return found


def _changed(before: Any, after: Any) -> dict[str, Any]:
    """The parts of a state that are not what they were."""
    found = {}
    for key, new in after.items():
        if isinstance(new, dict):
            inner = _changed(before.get(key, {}), new)
            if inner:
                found[key] = inner
        elif before.get(key) != new:
            found[key] = new
    return found


def _same_parts(written: Any, came: Any) -> Any:
    if not isinstance(written, dict) or not isinstance(came, dict):
        return came
    return {str(key): _same_parts(part, came[str(key)]) for key, part in written.items() if str(key) in came}


def _pending(game: Game, position: Position) -> dict[str, Any]:
    chance = game.chance(position)
    if chance is not None:
        return {"pending": [{"chance": chance.name}]}
    return {"pending": [{"player": game.players[d.player], "choice": d.name} for d in game.pending(position)]}


def _ending(game: Game, position: Position) -> dict[str, Any]:
    return dict(result_content(game, game.result(position))) if game.is_over(position) else {}


def _answers(game: Game, position: Position, answers: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """Those that are legal, and those that are not."""
    legal: list[Any] = []
    illegal: list[Any] = []
    for answer in answers:
        try:
            require_legal(find_decision(game, position, answer["player"], answer["choice"]), answer["value"])
            legal.append(answer)
        except RefusedEvent:
            illegal.append(answer)
    return legal, illegal
