"""How an answer fares in each contest until the horizon: bid, places, points, safety, and what one more would bring."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from chocolatl.interpreter.formats.valuation import Valuation
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.types import Scalar
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.marginal_value import LiftedRun
from chocolatl.solver.worth.objective import gained

AnswerValues = tuple[object, ...]
Choices = tuple[tuple[str, object], ...]

JUDGED = 1_000
"""In so many scenarios at most it is seen what one more would bring."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """The question that was answered."""

    game: Game
    player: int
    scenarios: Sequence[FixedScenario]
    objective: str
    valuation: Valuation


@dataclass(frozen=True)
class ContestReport:
    """How the answer fares in one contest, by weight: bids and places as often as it is held, points in all."""

    name: str
    bid: float
    """The own bid; where it is not the same in all scenarios, the mean."""
    lowest_bid: int
    highest_bid: int
    first: float
    second: float
    last: float
    points: float
    margin: int
    """By how much the own bid is better than the best other one, at the worst."""
    laid: object = None
    """What the player has chosen for it, as people write it."""
    one_more: float | None = None
    """What it would be worth if the own bid ranked as one more; None if there was no time to see it."""


def summaries(
    asked: AnsweredQuestion,
    answers: AnswerValues,
    choices: Choices,
    played: Sequence[Sequence[PlayedContest]],
    unit: int,
    later: Sequence[AnswerValues] | None = None,
    deadline: Deadline | None = None,
) -> tuple[list[ContestReport], int]:
    """Each contest of the horizon: the own bid, the places, the points that it brought, and what more would bring. And
    in how many scenarios there was time to see what more would bring.

    `played` are the contests of each scenario, as the interpreter has played it; a point has so many units. `later`
    are, for each scenario, the player's answers to the secret blocks that follow; None if these are not known, so that
    nobody can say what more would bring."""
    table: dict[str, list[_Round]] = {}
    laid: dict[str, object] = {}
    scenarios: list[tuple[int, list[_Round]]] = []
    given = [(*answers, *more) for more in later or [()] * len(asked.scenarios)]
    for scenario, contests, own in zip(asked.scenarios, played, given, strict=True):
        worth = _Worth(asked, scenario, own)
        rounds = [_Round(scenario, worth, contest) for contest in contests]
        scenarios.append((scenario.weight, rounds))
        for each in rounds:
            table.setdefault(each.contest.name, []).append(each)
            laid.setdefault(each.contest.name, laid_for(asked.game, each.contest, choices))
    weight = sum(own for own, _ in scenarios)
    more, judged = _one_more(scenarios[:JUDGED] if later is not None else [], deadline or Deadline())
    whole = unit * sum(own for own, _ in scenarios[:judged])
    found = [_summary(name, rounds, laid[name], weight) for name, rounds in table.items()]
    return [replace(c, one_more=more.get(c.name, 0) / whole if judged else None) for c in found], judged


def _one_more(scenarios: Sequence[tuple[int, list[_Round]]], deadline: Deadline) -> tuple[dict[str, int], int]:
    """What one more would bring in each contest, summed over as many scenarios as there is time for; how many."""
    gains: dict[str, int] = {}
    try:
        done = deadline.each(scenarios, lambda scenario: [(r.contest.name, r.one_more) for r in scenario[1]])
    except TimeIsUp:
        done = []
    for name, gain in (each for rounds in done for each in rounds):
        gains[name] = gains.get(name, 0) + gain
    return gains, len(done)


@dataclass
class PlayedContest:
    """One contest of a game that was played, as one player has fared in it, and which contest of the game that is."""

    name: str
    number: int
    ranking: ir.Ranking
    values: tuple[int, ...]
    """What the contest is about."""
    key: tuple[int, ...]
    """By what the player was ranked; what comes first in the order is the smaller number."""
    others: tuple[tuple[int, ...], ...]
    place: int
    is_last: bool
    points: int = 0

    @property
    def sign(self) -> int:
        return -1 if self.ranking.keys[0].descending else 1

    @property
    def bid(self) -> int:
        return self.sign * self.key[0]

    @property
    def margin(self) -> int:
        return min((key[0] for key in self.others), default=self.key[0]) - self.key[0]

    @property
    def is_close(self) -> bool:
        """Whether with one more it might have been a better place."""
        return any(0 <= self.key[0] - key[0] <= 1 for key in self.others)

    def place_of(self, bid: int) -> int:
        """The place that another bid would have had: with equal ones, by what breaks ties."""
        key = (self.sign * bid, *self.key[1:])
        return 1 + sum(other < key for other in self.others)


def held(game: Game, player: int, log: Log) -> list[PlayedContest]:
    """The contests that have a name and in which a player took part, with the points that each has paid: what was
    awarded from its beginning to its end, but for what a contest within it paid."""
    found: list[PlayedContest] = []
    within: list[PlayedContest | None] = []
    number = -1
    for entry in log:
        if entry[0] == "contest":
            number += 1
            _, ranking, (elements, places, keys), text, values = entry
            label = game.program.texts[text]
            current = None
            if label is not None and player in elements and keys and keys[0]:  # without keys nobody bids
                mine = elements.index(player)
                current = PlayedContest(
                    game.fill(label, values), number, game.ir.rankings[game.program.rankings[ranking]], values,
                    tuple(keys[mine]), tuple(tuple(key) for seat, key in enumerate(keys) if seat != mine),
                    places[mine], places[mine] == places[-1],
                )  # fmt: skip
                found.append(current)
            within.append(current)
        elif entry[0] == "settled":
            del within[-1:]  # of a contest that had begun before, only its end is told
        elif entry[0] == "award" and entry[1] == player and within and within[-1] is not None:
            within[-1].points += entry[3]
    return found


@dataclass(frozen=True)
class _Worth:
    """What the answers that were given are worth in a scenario, as they are or with one more in a contest."""

    asked: AnsweredQuestion
    scenario: FixedScenario
    answers: AnswerValues

    def with_one_more(self, contest: int | None) -> int:
        asked = self.asked
        run = LiftedRun(asked.game.program, self.scenario, asked.player, self.answers, contest)
        run.to_horizon()
        found = gained(run, asked.game, self.scenario, asked.player, asked.objective, asked.valuation)
        assert isinstance(found, int), "of known answers everything is known"
        return found

    @cached_property
    def plain(self) -> int:
        return self.with_one_more(None)


@dataclass(frozen=True)
class _Round:
    """A contest of a scenario."""

    scenario: FixedScenario
    worth: _Worth
    contest: PlayedContest

    @property
    def one_more(self) -> int:
        """What one more adds. Where it changes no place it adds nothing."""
        return self.worth.with_one_more(self.contest.number) - self.worth.plain if self.contest.is_close else 0


def laid_for(game: Game, contest: PlayedContest, choices: Choices) -> object | None:
    """What was chosen for a contest: with the same index as the ranking is about."""
    types = [parameter.type for parameter in contest.ranking.parameters]
    about = [game.show(t, v) for t, v in zip(types, contest.values, strict=False) if isinstance(t, Scalar)]
    index = f"[{', '.join(about)}]"
    return next((value for name, value in choices if about and name.endswith(index)), None)


def _summary(name: str, rounds: list[_Round], laid: object, weight: int) -> ContestReport:
    held = sum(r.scenario.weight for r in rounds)

    def share(counted: Callable[[PlayedContest], bool]) -> float:
        return sum(r.scenario.weight for r in rounds if counted(r.contest)) / held

    points = sum(r.scenario.weight * r.contest.points for r in rounds) / weight
    places = share(lambda c: c.place == 1), share(lambda c: c.place == 2), share(lambda c: c.is_last)
    margin = min(r.contest.margin for r in rounds)
    bids = [r.contest.bid for r in rounds]
    lowest, highest = min(bids), max(bids)
    mean = sum(r.scenario.weight * r.contest.bid for r in rounds) / held
    bid = lowest if lowest == highest else mean
    return ContestReport(name, bid, lowest, highest, *places, points, margin, laid)
