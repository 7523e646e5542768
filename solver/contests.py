"""How an answer fares in each contest until the horizon: bid, places, points, safety, and what one more would bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from interpreter.engine.compile import Log
from interpreter.formats.valuation import Valuation
from interpreter.game import Game
from interpreter.ir import nodes as ir
from interpreter.program.types import Scalar
from solver.objective import gained
from solver.pip import Lifted
from solver.scenario import Scenario

Answers = tuple[object, ...]
Choices = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Asked:
    """The question that was answered."""

    game: Game
    player: int
    scenarios: Sequence[Scenario]
    objective: str
    valuation: Valuation


@dataclass(frozen=True)
class Contest:
    """How the answer fares in one contest, over all scenarios, by weight."""

    name: str
    bid: int
    first: float
    second: float
    last: float
    points: float
    margin: int
    """By how much the own bid is better than the best other one, at the worst."""
    laid: object = None
    """What the player has chosen for it, as people write it."""
    one_more: float = 0.0
    """What it would be worth if the own bid ranked as one more."""


def summaries(
    asked: Asked,
    answers: Answers,
    choices: Choices,
    logs: Sequence[Log],
    whole: int,
    later: Sequence[Answers] | None = None,
) -> list[Contest]:
    """Each contest of the horizon: the own bid, the places, the points that it brought, and what more would bring.

    There is a log for each scenario, of the answers played by the interpreter; the whole weight is in their units.
    `later` are, for each scenario, the player's answers to the secret blocks that follow."""
    game, player = asked.game, asked.player
    table: dict[str, list[_Round]] = {}
    laid: dict[str, object] = {}
    given = [(*answers, *more) for more in later or [()] * len(asked.scenarios)]
    for scenario, log, own in zip(asked.scenarios, logs, given, strict=True):
        current: _Round | None = None
        number_ = -1
        for entry in log:
            if entry[0] == "contest":
                number_ += 1
                _, ranking, (elements, places, keys), text, values = entry
                label = game.program.texts[text]
                current = None
                if label is not None and player in elements and keys:
                    mine = elements.index(player)
                    ranked = game.ir.rankings[game.program.rankings[ranking]]
                    # The engine keeps what comes first in an order as the smaller number.
                    others = min((key[0] for seat, key in enumerate(keys) if seat != mine), default=keys[mine][0])
                    bid = -keys[mine][0] if ranked.keys[0].descending else keys[mine][0]
                    is_last = places[mine] == places[-1]
                    margin = others - keys[mine][0]
                    is_close = any(0 <= keys[mine][0] - key[0] <= 1 for seat, key in enumerate(keys) if seat != mine)
                    current = _Round(scenario, own, number_, bid, places[mine], is_last, margin, is_close)
                    name = game.fill(label, values)
                    table.setdefault(name, []).append(current)
                    laid.setdefault(name, _laid(game, ranked, values, choices))
            elif entry[0] == "award" and entry[1] == player and current is not None:
                current.points += entry[3]
    return [_summary(asked, name, found, laid[name], whole) for name, found in table.items()]


@dataclass
class _Round:
    """One contest in one scenario, and which contest of it that is."""

    scenario: Scenario
    answers: Answers
    number: int
    bid: int
    place: int
    is_last: bool
    margin: int
    is_close: bool
    """Whether with one more it might have been a better place."""
    points: int = 0


def _laid(game: Game, ranking: ir.Ranking, values: tuple[int, ...], choices: Choices) -> object | None:
    """What was chosen for a contest: with the same index as the ranking is about."""
    types = [parameter.type for parameter in ranking.parameters]
    about = [game.show(t, v) for t, v in zip(types, values, strict=False) if isinstance(t, Scalar)]
    index = f"[{', '.join(about)}]"
    return next((value for name, value in choices if about and name.endswith(index)), None)


def _summary(asked: Asked, name: str, rounds: list[_Round], laid: object, whole: int) -> Contest:
    weight = sum(scenario.weight for scenario in asked.scenarios)

    def share(counted: Callable[[_Round], bool]) -> float:
        return sum(r.scenario.weight for r in rounds if counted(r)) / weight

    points = sum(r.scenario.weight * r.points for r in rounds) / weight
    places = share(lambda r: r.place == 1), share(lambda r: r.place == 2), share(lambda r: r.is_last)
    more = sum(_one_more(asked, r) for r in rounds) / whole
    return Contest(name, rounds[0].bid, *places, points, min(r.margin for r in rounds), laid, more)


def _one_more(asked: Asked, round_: _Round) -> int:
    """What one more in a contest adds in a scenario. Where it changes no place it adds nothing."""
    if not round_.is_close:
        return 0
    worth = []
    for contest in (None, round_.number):
        run = Lifted(asked.game.program, round_.scenario, asked.player, round_.answers, contest)
        run.to_horizon()
        found = gained(run, asked.game, round_.scenario, asked.player, asked.objective, asked.valuation)
        assert isinstance(found, int), "of known answers everything is known"
        worth.append(found)
    return worth[1] - worth[0]
