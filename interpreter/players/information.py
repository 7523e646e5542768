"""What a decision is known by (an information state): facts that a player may know, as texts that a person can read.

The facts are those of the position, so that a game can be left and resumed: what the player sees of each field, the own
seat, the index of the choice and what the player concludes of what lies unseen. Most of them never matter; `telling`
finds a few by which all states of a choice can be told apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.sight import Eyes

KnownFacts = dict[str, str]
"""By the path of each fact: its value as a text."""

SEAT, INDEX, CONCLUDED, LEGAL = "player", "index", "concluded", "legal"
"""KnownFacts beside the fields."""

AS_AT_THE_START = "-"
"""What is not mentioned in a view: cells of a grid that have not changed."""

BETWEEN = "; "


def compact(value: Json) -> str:
    """A value on one line; a text without quotes."""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def answer_text(decision: Decision, answer: Answer) -> str:
    """An answer as it is written in a table."""
    return compact(decision.encode(answer))


class Informant:
    """Tells the facts of decisions in one game, whatever its players are called."""

    def __init__(self, game: Game) -> None:
        self.game = game.with_players(tuple(f"p{seat + 1}" for seat in range(game.player_count)))
        self.eyes = [Eyes(game, seat) for seat in range(game.player_count)]

    def facts(self, position: Position, decision: Decision) -> KnownFacts:
        """All that the player may know at a decision."""
        view = self.game.view(position, decision.player)
        found = {SEAT: compact(view["player"]), INDEX: decision.name.partition("[")[2].rstrip("]")}
        _flatten("", view["state"], found)
        found[CONCLUDED] = " ".join(self.eyes[decision.player].concluded(position))
        found[LEGAL] = compact([answer_text(decision, answer) for answer in decision.answers])
        return found


def choice_of(decision: Decision) -> str:
    """The name of a choice as it is declared, without its index."""
    return decision.name.partition("[")[0]


def _flatten(path: str, value: Json, found: KnownFacts) -> None:
    if not isinstance(value, dict):
        found[path] = compact(value)
    elif value.keys() == {"size"}:
        found[path] = f"?{value['size']}"
    else:
        for name, part in value.items():
            _flatten(f"{path}.{name}" if path else str(name), part, found)


def key(paths: Sequence[str], facts: Mapping[str, str]) -> str:
    """The facts at some paths as one text."""
    return BETWEEN.join([facts.get(path, AS_AT_THE_START) for path in paths])


def telling(states: Sequence[Mapping[str, str]]) -> list[str]:
    """Paths by which states can be told apart, no other one being needed; the seat is always among them."""
    names = list(dict.fromkeys(path for facts in states for path in facts))
    rows = {path: [facts.get(path, AS_AT_THE_START) for facts in states] for path in names}
    left = [path for path in names if path == SEAT or len(set(rows[path])) > 1]
    wanted = len(set(zip(*(rows[path] for path in left), strict=True)))
    for path in sorted(left, key=lambda path: (*_preference(path), names.index(path)), reverse=True):
        others = [other for other in left if other != path]
        if path != SEAT and len(set(zip(*(rows[other] for other in others), strict=True))) == wanted:
            left = others
    return left


def _preference(path: str) -> tuple[int, int]:
    """What people would rather read comes first: the table, then what players have, then what is derived."""
    derived = 2 if path in (CONCLUDED, LEGAL) else int(".breakdown" in path)
    return derived, path.count(".")
