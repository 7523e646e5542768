"""How an answer fares in each contest until the horizon: bid, places, points, and how safe they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.types import Scalar
from chocolatl.solver.symbolic.scenario import FixedScenario

AnswerValues = tuple[object, ...]
Choices = tuple[tuple[str, object], ...]


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
    """What the value would gain if the own bid ranked as one more; None if there was no time to see it."""
    one_more_error: float | None = None
    """The standard error of that."""
    one_more_points: float | None = None
    """So much of it is points, where the objective is; the rest is what is held afterwards."""


def summaries(
    game: Game, choices: Choices, scenarios: Sequence[FixedScenario], played: Sequence[Sequence[PlayedContest]]
) -> list[ContestReport]:
    """Each contest of the horizon, as the interpreter has played it in each scenario: the own bid, the places, the
    points that it brought."""
    table: dict[str, list[tuple[int, PlayedContest]]] = {}
    for scenario, contests in zip(scenarios, played, strict=True):
        for contest in contests:
            table.setdefault(contest.name, []).append((scenario.weight, contest))
    weight = sum(scenario.weight for scenario in scenarios)
    return [_summary(name, rounds, laid_for(game, rounds[0][1], choices), weight) for name, rounds in table.items()]


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


def laid_for(game: Game, contest: PlayedContest, choices: Choices) -> object | None:
    """What was chosen for a contest: with the same index as the ranking is about."""
    types = [parameter.type for parameter in contest.ranking.parameters]
    about = [game.show(t, v) for t, v in zip(types, contest.values, strict=False) if isinstance(t, Scalar)]
    index = f"[{', '.join(about)}]"
    return next((value for name, value in choices if about and name.endswith(index)), None)


def _summary(name: str, rounds: Sequence[tuple[int, PlayedContest]], laid: object, weight: int) -> ContestReport:
    held = sum(own for own, _ in rounds)

    def share(counted: Callable[[PlayedContest], bool]) -> float:
        return sum(own for own, contest in rounds if counted(contest)) / held

    points = sum(own * contest.points for own, contest in rounds) / weight
    places = share(lambda c: c.place == 1), share(lambda c: c.place == 2), share(lambda c: c.is_last)
    margin = min(contest.margin for _, contest in rounds)
    bids = [contest.bid for _, contest in rounds]
    lowest, highest = min(bids), max(bids)
    mean = sum(own * contest.bid for own, contest in rounds) / held
    bid = lowest if lowest == highest else mean
    return ContestReport(name, bid, lowest, highest, *places, points, margin, laid)
