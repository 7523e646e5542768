"""Series of games: many games of one seed, dealt out to processes, their sums and transcripts in the order of games.

Each game has random numbers of its own and all sums are exact, so neither the number of processes nor who was faster
can change a result. A process is told what to load, never handed a game: a game is code, and code is not sent.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from pathlib import Path

from interpreter.diagnostics import Findings
from interpreter.formats.transcript import event_line, header_line, result_line
from interpreter.game import Game, Position, Result, RuleError
from interpreter.library import load
from interpreter.match import Event, Player, play_game
from interpreter.players.registry import make_player
from interpreter.random import game_seed
from interpreter.source import Span
from interpreter.statistics import Tally

LARGEST_PART = 100
PARTS_AHEAD = 4
"""How many parts are given to each process before it is done with the first one."""


@dataclass(frozen=True)
class Plan:
    """What is played. `start` is a position file to start from; it then says what the game and the players are."""

    game: Path | None
    names: tuple[str, ...]
    types: tuple[str, ...]
    seed: int
    transcripts: bool = False
    start: Path | None = None


@dataclass
class Totals:
    """Sums over games: shares of victory and scores by seat, and decisions."""

    wins: list[Tally]
    scores: list[Tally]
    decisions: Tally = field(default_factory=Tally)

    @classmethod
    def of(cls, player_count: int) -> Totals:
        return cls([Tally() for _ in range(player_count)], [Tally() for _ in range(player_count)])

    def add(self, result: Result, decisions: int) -> None:
        shared = 1 if len(result.winners) == 1 else Fraction(1, len(result.winners))
        for seat, score in enumerate(result.scores):
            self.wins[seat].add(shared if seat in result.winners else 0)
            self.scores[seat].add(score)
        self.decisions.add(decisions)

    def merge(self, other: Totals) -> None:
        for mine, theirs in zip(self.wins + self.scores, other.wins + other.scores, strict=True):
            mine.merge(theirs)
        self.decisions.merge(other.decisions)


@dataclass(frozen=True)
class Setting:
    """A plan with all it needs loaded."""

    plan: Plan
    game: Game
    players: list[Player]
    start: Position | None


@dataclass(frozen=True)
class Part:
    """What came of some games. A rule that failed is told as a place and a message: not every error can be sent."""

    totals: Totals
    text: str
    failure: tuple[Span, str] | None = None


def set_up(plan: Plan, findings: Findings) -> Setting:
    """Load what a plan needs; raises what `load` and `load_position` raise, and collects warnings."""
    players = [make_player(type_name) for type_name in plan.types]
    if plan.start is None:
        assert plan.game is not None
        return Setting(plan, load(plan.game, plan.names, findings=findings), players, None)
    from interpreter.formats.position import load_position

    loaded = load_position(plan.start, findings, plan.game)
    findings.reject_errors()
    assert loaded is not None
    return Setting(plan, loaded.game, players, loaded.position)


def play_part(setting: Setting, first: int, count: int) -> Part:
    """Play games number `first` and following, up to the first that fails."""
    plan, game = setting.plan, setting.game
    totals = Totals.of(game.player_count)
    lines: list[str] = []

    def record(event: Event, position: Position) -> None:
        lines.append(event_line(event))

    for index in range(first, first + count):
        if plan.transcripts:
            lines.append(header_line(game, plan.seed, index))
        try:
            played = play_game(
                game, setting.players, plan.seed, index, record if plan.transcripts else None, setting.start
            )
            result = game.result(played.position)
        except RuleError as error:
            where = f"game number {index + 1} of the series, which has the seed {game_seed(plan.seed, index)}"
            return Part(totals, "".join(lines), (error.span, f"{error.message} ({where})"))
        totals.add(result, played.decisions)
        if plan.transcripts:
            lines.append(result_line(game, result))
    return Part(totals, "".join(lines))


def play_series(
    setting: Setting,
    games: int,
    jobs: int = 1,
    write: Callable[[str], object] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Totals:
    """Play a series. `write` gets the transcripts in order, `progress` the number of games played since it was told."""
    size = max(1, min(LARGEST_PART, games // (jobs * 8)))
    totals = Totals.of(setting.game.player_count)
    played: Iterator[Part]
    if min(jobs, games) > 1:
        played = _in_processes(setting.plan, _parts(games, size), min(jobs, games))
    else:
        played = (play_part(setting, *part) for part in _parts(games, size))
    for (_, count), part in zip(_parts(games, size), played, strict=True):
        if part.failure is not None:
            raise RuleError(*part.failure)
        totals.merge(part.totals)
        if write is not None:
            write(part.text)
        if progress is not None:
            progress(count)
    return totals


def _parts(games: int, size: int) -> Iterator[tuple[int, int]]:
    """The first game and the number of games of each part."""
    return ((first, min(size, games - first)) for first in range(0, games, size))


# ---------------------------------------------------------------- processes


def _in_processes(plan: Plan, parts: Iterator[tuple[int, int]], jobs: int) -> Iterator[Part]:
    """The parts in order. Processes are started anew, not copied from this one, which works the same everywhere."""
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(jobs, context, _start_worker, (plan,))
    others = set(multiprocessing.active_children())
    ahead: deque[Future[Part]] = deque()
    try:
        ahead.extend(executor.submit(_work, *part) for part in islice(parts, jobs * PARTS_AHEAD))
        while ahead:
            part = ahead.popleft().result()
            ahead.extend(executor.submit(_work, *more) for more in islice(parts, 1))
            yield part
        executor.shutdown()
    except BaseException:
        # Nobody waits for the rest, be it that the user interrupted us or that a game failed.
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise


_setting: Setting | None = None
"""What this process plays, if it is one of several."""


def _start_worker(plan: Plan) -> None:
    global _setting
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interruption is for the first process, which ends the others
    _setting = set_up(plan, Findings())


def _work(first: int, count: int) -> Part:
    assert _setting is not None
    return play_part(_setting, first, count)
