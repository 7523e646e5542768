"""Written events against the rules: a line of a transcript or of a scenario, applied to a position or refused.

    {"chance": "deal", "value": 3, "for": "p2"}
    {"player": "p1", "choice": "sealed[harbour]", "value": [12, 0]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from interpreter.diagnostics import nearest
from interpreter.engine.compile import Log
from interpreter.game import Chance, Decision, Game, NotAValue, Position
from interpreter.random import Random

LISTED = 12
"""How many legal answers a message lists."""


class Refused(Exception):
    """An event that cannot happen here. The message says what was found and what was expected."""


class WrongValue(Refused):
    """A value that is none of its kind: not just illegal now, but never possible."""


def apply_event(
    game: Game, position: Position, event: Mapping[str, Any], log: Log | None = None, random: Random | None = None
) -> Position:
    """The position after an event. With `random`, chance must be what that generator gives."""
    if "chance" in event:
        return _apply_chance(game, position, event, log, random)
    return _apply_choice(game, position, event, log)


def find_decision(game: Game, position: Position, player: str, name: str) -> Decision:
    """The open decision of a player under a name."""
    pending = game.pending(position)
    found = next((d for d in pending if game.players[d.player] == player and d.name == name), None)
    if found is None:
        hint = nearest(name, [d.name for d in pending]) if all(d.name != name for d in pending) else ""
        message = f"{short(player)} does not choose `{short(name)}` now; {describe_pending(game, position)}"
        raise Refused(f"{message}; {hint}" if hint else message)
    return found


def require_legal(question: Decision | Chance, value: object) -> Any:
    """The answer or outcome that a value means, if it is legal."""
    if isinstance(question, Decision):
        who, allowed, possible = f"`{question.name}` cannot be", question.answers.contains, legal_values(question)
    else:
        who, allowed, possible = f"chance `{question.name}` cannot be", question.outcomes.contains, outcomes(question)
    try:
        answer = question.decode(value)
    except NotAValue as error:
        raise WrongValue(f"{who} {short(shown(value))}: {short(str(error))}; {possible}") from None
    if not allowed(answer):
        raise Refused(f"{who} {short(shown(value))} now; {possible}")
    return answer


def _apply_choice(game: Game, position: Position, event: Mapping[str, Any], log: Log | None) -> Position:
    decision = find_decision(game, position, event["player"], event["choice"])
    return game.answer(position, decision.player, require_legal(decision, event["value"]), log)


def _apply_chance(
    game: Game, position: Position, event: Mapping[str, Any], log: Log | None, random: Random | None
) -> Position:
    chance = game.chance(position)
    if chance is None or chance.name != event["chance"]:
        found = short(event["chance"])
        raise Refused(f"chance does not decide `{found}` now; {describe_pending(game, position)}")
    owner = game.players[chance.owner] if chance.owner is not None else None
    if "for" in event and event["for"] != owner:
        whose = f"it belongs to {owner}" if owner else "it belongs to nobody"
        raise Refused(f"chance `{chance.name}` is not for {short(shown(event['for']))}; {whose}")
    outcome = require_legal(chance, event["value"])
    if random is not None:
        drawn = chance.outcomes.sample(random)
        if drawn != outcome:
            given, expected = short(shown(event["value"])), shown(chance.encode(drawn))
            raise Refused(f"chance `{chance.name}` is {given}, but the seed gives {expected}")
    return game.resolve(position, outcome, log)


# ---------------------------------------------------------------- words


def describe_pending(game: Game, position: Position) -> str:
    """What has to be answered here, for a message."""
    chance = game.chance(position)
    if chance is not None:
        return f"pending is chance `{chance.name}`"
    pending = [f"{game.players[d.player]} `{d.name}`" for d in game.pending(position)]
    return f"pending is {', '.join(pending)}" if pending else "nothing is pending, all is over"


def legal_values(decision: Decision) -> str:
    count = decision.answers.count()
    return f"legal: {_listing((decision.encode(a) for a in decision.answers), count)}"


def outcomes(chance: Chance) -> str:
    return f"possible: {_listing((chance.encode(o) for o, _ in chance.outcomes.odds()), chance.outcomes.count())}"


def _listing(values: Iterable[object], count: int) -> str:
    listed = ", ".join(shown(value) for value in islice(values, LISTED))
    return listed if count <= LISTED else f"{listed}, ... ({count:,} in all)"


def shown(value: object) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False, default=repr)


def short(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."
