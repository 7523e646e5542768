"""Written events against the rules: a line of a transcript or of a scenario, applied to a position or refused.

{"chance": "deal", "value": 3, "for": "p2"}
{"player": "p1", "choice": "sealed[quay]", "value": [12, 0]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Chance, Decision, Game, NotAValue, Position

LISTED = 12
"""How many legal answers a message lists."""


class RefusedEvent(Exception):
    """An event that cannot happen here. The message says what was found and what was expected."""


class WrongValue(RefusedEvent):
    """A value that is none of its kind: not just illegal now, but never possible."""


def apply_event(
    game: Game,
    position: Position,
    event: Mapping[str, Any],
    log: Log | None = None,
    complete: bool = False,
    drawn: Callable[[Chance], Any] | None = None,
) -> Position:
    """The position after an event, or `RefusedEvent`.

    A `complete` event also says whose chance it is. Chance must be what `drawn` gives, if
    that is asked for."""
    if "chance" in event:
        return game.resolve(position, _chance_outcome(game, position, event, complete, drawn), log)
    decision = find_decision(game, position, event["player"], event["choice"])
    return game.answer(position, decision.player, require_legal(decision, event["value"]), log)


def find_decision(game: Game, position: Position, player: str, name: str) -> Decision:
    """The open decision of a player under a name."""
    found = game.decision(position, game.players.index(player)) if player in game.players else None
    if found is None or found.name != name:
        pending = game.pending(position)
        hint = nearest(name, [d.name for d in pending]) if all(d.name != name for d in pending) else ""
        message = f"{short(player)} does not choose `{short(name)}` now; {describe_pending(game, position)}"
        raise RefusedEvent(f"{message}; {hint}" if hint else message)
    return found


def require_legal(question: Decision | Chance, value: object) -> Any:
    """The answer or outcome that a value means, if it is legal."""
    legal: Callable[[Any], bool]
    if isinstance(question, Decision):
        found, legal = f"`{question.name}`", question.answers.contains
    else:
        found, legal = f"chance `{question.name}`", question.outcomes.contains
    found = f"{found} cannot be {short(shown(value))}"
    try:
        answer = question.decode(value)
    except NotAValue as error:
        why = f": {short(str(error))}" if isinstance(value, (list, dict)) else ""
        raise WrongValue(f"{found}{why}; {possible_values(question, value)}") from None
    if not legal(answer):
        raise RefusedEvent(f"{found} now; {possible_values(question, value)}")
    return answer


def _chance_outcome(
    game: Game,
    position: Position,
    event: Mapping[str, Any],
    complete: bool,
    drawn: Callable[[Chance], Any] | None,
) -> Any:
    chance = game.chance(position)
    if chance is None or chance.name != event["chance"]:
        found = short(event["chance"])
        raise RefusedEvent(f"chance does not decide `{found}` now; {describe_pending(game, position)}")
    outcome = require_legal(chance, event["value"])
    owner = game.players[chance.owner] if chance.owner is not None else None
    if event.get("for", None if complete else owner) != owner:
        found = f"for {short(shown(event['for']))}" if "for" in event else "for nobody"
        raise RefusedEvent(f"chance `{chance.name}` is not {found}; it belongs to {owner or 'nobody'}")
    if drawn is not None:
        right = drawn(chance)
        if right != outcome:
            given, expected = short(shown(event["value"])), shown(chance.encode(right))
            raise RefusedEvent(f"chance `{chance.name}` is {given}, but the seed gives {expected}")
    return outcome


# ---------------------------------------------------------------- words


def describe_pending(game: Game, position: Position) -> str:
    """What has to be answered here, for a message."""
    chance = game.chance(position)
    if chance is not None:
        return f"pending is chance `{chance.name}`"
    pending = [f"{game.players[d.player]} `{d.name}`" for d in game.pending(position)]
    return f"pending is {', '.join(pending)}" if pending else "nothing is pending, all is over"


def possible_values(question: Decision | Chance, found: object = None) -> str:
    """What would have been legal, and which of it is spelt most like what was found."""
    if isinstance(question, Decision):
        head, count = "legal", question.answers.count()
        values = [question.encode(answer) for answer in islice(question.answers, LISTED)]
    else:
        head, count = "possible", question.outcomes.count()
        values = [question.encode(outcome) for outcome, _ in islice(question.outcomes.odds(), LISTED)]
    listed = ", ".join(shown(value) for value in values)
    more = f", ... ({count:,} in all)" if count > LISTED else ""
    hint = nearest(found, [value for value in values if isinstance(value, str)]) if isinstance(found, str) else ""
    return f"{head}: {listed}{more}" + (f"; {hint}" if hint else "")


def shown(value: object) -> str:
    """A value as JSON."""
    return json.dumps(value, ensure_ascii=False, default=repr)


def short(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "..."
