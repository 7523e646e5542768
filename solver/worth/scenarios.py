"""Scenarios that a player has to reckon with (determinization): what is known, players of a type, or a file."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, NotAValue, Position
from chocolatl.interpreter.play.match import Player
from chocolatl.interpreter.players.lookahead import below
from chocolatl.interpreter.players.registry import TYPES
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.beliefs import WeighedWorlds
from chocolatl.solver.worth.opponents import conduct_of, is_type, opponents
from chocolatl.solver.worth.refusals import NoScenario, QuestionPart, QuestionSetting

KNOWN = "known"


def scenarios(
    game: Game,
    position: Position,
    player: int,
    against: str,
    count: int,
    seed: int,
    deadline: Deadline | None = None,
    worlds: WeighedWorlds | None = None,
) -> list[FixedScenario]:
    """What the others may have answered, in so many ways, or in as many as there is time for; where that is given, each
    way once. What is unknown is drawn by the weights of worlds, or evenly. `TimeIsUp` if there is time for none."""
    if against == KNOWN:
        return [FixedScenario(_known(game, position, player), seed)]
    if is_type(against):
        kind = opponents(game, against)
        limit = deadline or Deadline()
        return limit.each(range(count), lambda number: _sampled(game, position, player, kind, seed, number, worlds))
    return from_file(game, position, player, against, seed)


def source(
    game: Game, position: Position, player: int, against: str, seed: int, worlds: WeighedWorlds | None = None
) -> Callable[[int], FixedScenario]:
    """As many scenarios as are wanted, by their numbers; those of a file come as often as their weights say."""
    if against == KNOWN:
        known = _known(game, position, player)
        return lambda number: FixedScenario(known, seed + number)
    if is_type(against):
        kind = opponents(game, against)
        return lambda number: _sampled(game, position, player, kind, seed, number, worlds)
    return drawn_from(from_file(game, position, player, against, seed), seed)


def drawn_from(lines: Sequence[FixedScenario], seed: int) -> Callable[[int], FixedScenario]:
    """The lines of a file by numbers, each as often as its weight says, with other luck each time."""
    weights = list(accumulate(line.weight for line in lines))

    def drawn(number: int) -> FixedScenario:
        ticket = below(weights[-1], Random(seed, number, 0))
        return FixedScenario(lines[bisect_right(weights, ticket)].position, seed + number)

    return drawn


def _known(game: Game, position: Position, player: int) -> Position:
    waiting = [game.players[d.player] for d in game.pending(position) if d.player != player]
    if waiting:
        raise NoScenario(
            f"the position does not say what {' and '.join(waiting)} will answer, which `",
            QuestionSetting(QuestionPart.AGAINST, KNOWN),
            "` needs; `",
            QuestionSetting(QuestionPart.AGAINST, "random"),
            "` reckons with anything",
        )
    return position


def _sampled(
    game: Game,
    position: Position,
    player: int,
    kind: Player,
    seed: int,
    number: int,
    worlds: WeighedWorlds | None,
) -> FixedScenario:
    """Something that the player cannot tell from the position, in which the others answer as players of a type. Learned
    ones go on so; how others do is as open as chance."""
    random = Random(seed, number, 0)
    possible = game.sample_unknown(position, player, random) if worlds is None else worlds.drawn(random)
    while others := [d for d in game.pending(possible) if d.player != player] if possible.sealed else []:
        answer = kind.choose(game, possible, others[0], random)
        possible = game.answer(possible, others[0].player, answer)
    return FixedScenario(possible, seed + number, conduct=conduct_of(game, kind))


def from_file(
    game: Game, position: Position, player: int, name: str, seed: int, part: QuestionPart = QuestionPart.AGAINST
) -> list[FixedScenario]:
    """JSON lines: `{"weight": 2, "choices": [{"player": "red", "choice": "bid[2]", "value": [3, 4]}]}`."""
    found: list[FixedScenario] = []
    path = Path(name)
    if not path.is_file() and part is QuestionPart.FRESH:
        raise NoScenario(QuestionSetting(part), f": there is no file `{name}`")
    if not path.is_file():
        hint = nearest(name, [KNOWN, *TYPES])
        message = f" is {KNOWN}, {', '.join(TYPES)} or a file; there is no file `{name}`"
        raise NoScenario(QuestionSetting(QuestionPart.AGAINST), f"{message}; {hint}" if hint else message)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise NoScenario(f"{path} cannot be read as text") from None
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        place = f"{path}:{line}"
        try:
            entry: Any = json.loads(text)
            weight, choices = entry.get("weight", 1), entry["choices"]
        except (ValueError, KeyError, AttributeError):
            raise NoScenario(f'{place}: a line is {{"weight": 1, "choices": [...]}} in JSON') from None
        if not isinstance(choices, list):
            raise NoScenario(f"{place}: `choices` is a list")
        if not isinstance(weight, int) or isinstance(weight, bool) or weight < 1:
            raise NoScenario(f"{place}: the weight is {weight!r}, and a whole number from 1 on is needed")
        given = position
        for choice in choices:
            given = _answered(game, given, player, choice, place)
        try:
            found.append(FixedScenario(_known(game, given, player), seed + line, weight))
        except NoScenario:
            raise NoScenario(f"{place}: not all others answer") from None
    if not found:
        raise NoScenario(f"{path} holds no scenario")
    return found


def _answered(game: Game, position: Position, player: int, choice: Any, place: str) -> Position:
    try:
        who, name, value = choice["player"], choice["choice"], choice["value"]
    except (KeyError, TypeError):
        raise NoScenario(f"{place}: a choice has `player`, `choice` and `value`") from None
    if who == game.players[player]:
        raise NoScenario(f"{place}: what {who} answers is sought, and cannot be given")
    for decision in game.pending(position):
        if game.players[decision.player] == who and decision.name == name:
            try:
                answer = decision.decode(value)
            except NotAValue as error:
                raise NoScenario(f"{place}: {error}") from None
            if not decision.answers.contains(answer):
                raise NoScenario(f"{place}: {who} cannot answer `{name}` with {value}")
            return game.answer(position, decision.player, answer)
    raise NoScenario(f"{place}: {who} is not asked `{name}` here")
