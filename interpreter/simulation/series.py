"""Series of games of one seed (a parallel reduction): dealt out to processes, summed in the order of games.

Each game has random numbers of its own and all sums are exact, so neither the number of processes nor who was faster
can change a result. A process is told what to load, never handed a game: a game is code, and code is not sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.transcript import event_line, header_line, result_line
from chocolatl.interpreter.lowered.random import game_seed
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import PlayedEvent, Player, is_uniform, play_game
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.players.lookahead import seats_of
from chocolatl.interpreter.players.registry import make_player, take_seats
from chocolatl.interpreter.simulation.counting import CountedGames
from chocolatl.interpreter.simulation.threads import in_threads
from chocolatl.interpreter.simulation.totals import Totals
from chocolatl.interpreter.simulation.workers import in_processes
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.statistics.occurrences import Occurrences
from chocolatl.interpreter.system.signals import uninterrupted

if TYPE_CHECKING:  # the compiler is imported where it is used
    from chocolatl.interpreter.native.builds.kernel import Kernel
    from chocolatl.interpreter.native.builds.stepper import Resumed
    from chocolatl.interpreter.native.lookahead.seated_games import SeatedGames
    from chocolatl.interpreter.native.policy.player import FollowedPolicies

LARGEST_PART = 10_000
PART_SECONDS = 0.2
"""About so long a part takes, so that there is progress to be seen, and not much is lost when somebody interrupts."""


@dataclass(frozen=True)
class SeriesPlan:
    """What is played. `start` is a position file to start from; it then says what the game and the players are."""

    game: Path | None
    names: tuple[str, ...]
    types: tuple[str, ...]
    seed: int
    transcripts: bool = False
    start: Path | None = None
    native: int | None = None
    """How well the native kernel is compiled that plays; None: the interpreter plays."""
    make: Callable[[str], Player] = make_player
    """Makes the players; a function that a process can import."""
    refused: str | None = None
    """Why the rules are not compiled, if it is for that the interpreter plays."""
    accept_stale: bool = False
    """Whether a policy is followed that was learned for other rules."""
    training: int = 0
    """Which training `learned` players follow, if the game was learned several times."""
    settings: Mapping[str, object] | None = None
    """Parameters that are set to something else than in the files of the game."""


@dataclass(frozen=True)
class SeriesSetting:
    """A plan with all it needs loaded."""

    plan: SeriesPlan
    game: Game
    players: list[Player]
    start: Position | None
    kernel: Kernel | None = None
    resumed: Resumed | None = None
    seated: SeatedGames | None = None
    """What plays whole games of players who look ahead, as far as it can."""
    followed: FollowedPolicies | None = None
    notes: tuple[str, ...] = ()
    """What the user should know about the players."""

    @cached_property
    def occurrences(self) -> Occurrences:
        """What is counted inside games."""
        return Occurrences(self.game.ir)

    @property
    def native(self) -> Kernel | Resumed | FollowedPolicies | None:
        """What plays, from the beginning or from the position, if it is native code."""
        return self.kernel or self.resumed or self.followed


@dataclass(frozen=True)
class SeriesPart:
    """What came of some games. A rule that failed is told as a place and a message: not every error can be sent."""

    totals: Totals
    text: str
    failure: tuple[Span, str, str] | None = None
    seconds: float = 0.0


class FailedGame(RuleError):
    """A game of a series in which a rule failed, with its transcript up to there."""

    def __init__(self, span: Span, message: str, transcript: str) -> None:
        super().__init__(span, message)
        self.transcript = transcript


def set_up(plan: SeriesPlan, findings: Findings) -> SeriesSetting:
    """Load what a plan needs; raises what `load` and `load_position` raise, and collects warnings."""
    players = [_player(plan, type_name) for type_name in plan.types]
    if plan.start is None:
        assert plan.game is not None
        game = load(plan.game, plan.names, plan.settings, findings)
        notes = tuple(take_seats(players, game, plan.accept_stale))
        if any(isinstance(player, LearnedPlayer) for player in players):
            followed = _followed(game, players, plan)
            return SeriesSetting(plan, game, players, None, followed=followed, notes=notes)
        if plan.native is not None and not all(map(is_uniform, players)):
            return SeriesSetting(plan, game, players, None, seated=_seated(game, players, plan.native))
        return SeriesSetting(plan, game, players, None, _kernel(game, plan.native))
    from chocolatl.interpreter.formats.position import load_position

    loaded = load_position(plan.start, findings, plan.game)
    findings.reject_errors()
    assert loaded is not None
    resumed, notes = None, tuple(take_seats(players, loaded.game, plan.accept_stale))
    if plan.native is not None and all(map(is_uniform, players)):
        from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper

        resumed = Resumed(Stepper(loaded.game, plan.native, inspected=True), loaded.position)
    return SeriesSetting(plan, loaded.game, players, loaded.position, resumed=resumed, notes=notes)


def _player(plan: SeriesPlan, type_name: str) -> Player:
    player = plan.make(type_name)
    if isinstance(player, LearnedPlayer):
        player.training = plan.training
    return player


def _followed(game: Game, players: Sequence[Player], plan: SeriesPlan) -> FollowedPolicies | None:
    """Native code for games of players that follow policies, or play at random; None if it is for the interpreter."""
    learned = [player for player in players if isinstance(player, LearnedPlayer)]
    if plan.native is None or plan.transcripts or not learned:
        return None
    if any(player.weights(game) is None for player in learned):
        return None
    from chocolatl.interpreter.native.policy.pieces import TooManyKinds
    from chocolatl.interpreter.native.policy.player import FollowedPolicies, PolicyKernel
    from chocolatl.interpreter.policy.building import form_of

    seats = [player.weights(game) if isinstance(player, LearnedPlayer) else None for player in players]
    try:
        return FollowedPolicies(PolicyKernel(game, form_of(game.ir), plan.native, inspected=True), seats)
    except TooManyKinds:
        return None


def _kernel(game: Game, level: int | None) -> Kernel | None:
    if level is None:
        return None
    from chocolatl.interpreter.native.builds.kernel import Kernel

    return Kernel(game, level, inspected=True)


def _seated(game: Game, players: list[Player], level: int) -> SeatedGames | None:
    """What plays games of players who look ahead; None where that is for the interpreter."""
    from chocolatl.interpreter.native.lookahead.desk import Unseatable
    from chocolatl.interpreter.native.lookahead.seated_games import SeatedGames

    seats = seats_of(game, players)
    with suppress(Unseatable):
        return SeatedGames(game, seats, level) if seats is not None else None
    return None


def play_part(setting: SeriesSetting, first: int, count: int) -> SeriesPart:
    """Play games number `first` and following, up to the first that fails."""
    plan, game, native = setting.plan, setting.game, setting.native
    if native is not None and not plan.transcripts:
        totals, last = Totals.of(game), first + count
        for index in range(first, last, native.sums.most):
            summed = native.series(plan.seed, index, min(native.sums.most, last - index))
            totals.merge(Totals.native(game, native.sums, summed))
            if summed.error is not None:
                return SeriesPart(totals, "", _failed(setting, first + totals.games, summed.error))
        return SeriesPart(totals, "")
    if setting.seated is not None and not plan.transcripts:
        return _play_seated(setting, setting.seated, first, count)
    return _play_interpreted(setting, first, count)


def _play_seated(setting: SeriesSetting, seated: SeatedGames, first: int, count: int) -> SeriesPart:
    """The interpreter plays the games that are left to it."""
    seed, game, totals, last = setting.plan.seed, setting.game, Totals.of(setting.game), first + count
    while first < last:
        played = seated.series(seed, first, min(seated.sums.most, last - first))
        number = played.summed.sums[seated.sums.games]
        if played.left and number:  # what was counted belongs to the game that is left, too
            played = replace(seated.series(seed, first, number), left=True)
        if not played.left or number:
            totals.merge(Totals.native(game, seated.sums, played.summed))
        first += number
        if played.summed.error is not None:
            return SeriesPart(totals, "", _failed(setting, first, played.summed.error))
        if played.left:
            part = _play_interpreted(setting, first, 1)
            totals.merge(part.totals)
            first += 1
            if part.failure is not None:
                return SeriesPart(totals, "", part.failure)
    return SeriesPart(totals, "")


def _play_interpreted(setting: SeriesSetting, first: int, count: int) -> SeriesPart:
    """The interpreter plays, or native code that tells each event."""
    plan, game, kernel = setting.plan, setting.game, setting.kernel
    totals = Totals.of(game)
    lines: list[str] = []

    def record(event: PlayedEvent, position: Position) -> None:
        lines.append(event_line(event))

    interpreted = CountedGames(game, setting.players, setting.occurrences)
    for index in range(first, first + count):
        if plan.transcripts:
            lines.append(header_line(game, plan.seed, index))
        try:
            if kernel is not None:
                lines += map(event_line, kernel.events(plan.seed, index))
                result = kernel.result()
                totals.merge(Totals.native(game, kernel.sums, kernel.series(plan.seed, index, 1)))
            else:
                played = interpreted.play(plan.seed, index, record if plan.transcripts else None, setting.start)
                result = game.result(played.position)
                totals.add(game, result, played)
        except RuleError as error:
            return SeriesPart(totals, "".join(lines), _failed(setting, index, error))
        if plan.transcripts:
            lines.append(result_line(game, result))
    totals.counts += interpreted.counting.counts
    return SeriesPart(totals, "".join(lines))


def _failed(setting: SeriesSetting, index: int, error: RuleError) -> tuple[Span, str, str]:
    seed = setting.plan.seed
    where = f"game number {index + 1} of the series, which has the seed {game_seed(seed, index)}"
    lines: list[str] = []
    if setting.start is None:  # a transcript begins at the start of its game
        lines.append(header_line(setting.game, seed, index))
        with suppress(RuleError):
            play_game(setting.game, setting.players, seed, index, before=lambda e: lines.append(event_line(e)))
    return error.span, f"{error.message} ({where})", "".join(lines)


def play_series(
    setting: SeriesSetting,
    games: int,
    jobs: int = 1,
    write: Callable[[str], object] | None = None,
    progress: Callable[[int], object] | None = None,
    totals: Totals | None = None,
) -> Totals:
    """Play a series. `write` gets the transcripts in order, `progress` the number of games played since it was told.

    All is added to `totals`, if they are given, part by part: whoever interrupts has what was played so far."""
    totals = totals if totals is not None else Totals.of(setting.game)
    pace, jobs = PartSizes(games, jobs), min(jobs, games)
    played: Generator[SeriesPart]
    shared = setting.native is not None and (write is None or jobs == 1)
    if shared or (setting.seated is not None and jobs == 1):  # its memory is for one at a time
        played = in_threads((partial(timed_part, setting, *part) for part in pace.parts()), jobs)
    elif jobs > 1:
        if set(setting.plan.types) != {"random"}:  # who looks ahead may compile, in each process
            from chocolatl.interpreter.native.llvm.cache import announce

            announce()
        played = in_processes(_timed_parts, setting.plan, pace.parts(), jobs)
    else:
        played = (timed_part(setting, *part) for part in pace.parts())
    with closing(played):  # nobody waits for the rest, be it that the user interrupted us or that a game failed
        for part in played:
            if part.failure is not None:
                raise FailedGame(*part.failure)
            with uninterrupted():  # a part is written and counted as a whole
                if write is not None:
                    write(part.text)
                totals.merge(part.totals)
            pace.keep(part)
            if progress is not None:
                progress(part.totals.games)
    return totals


class PartSizes:
    """Deals out the games of a series: few at first, then as many as take about the same time."""

    def __init__(self, games: int, jobs: int) -> None:
        self.games = games
        self.size = 1
        self.largest = max(1, min(LARGEST_PART, games // (jobs * 8)))

    def parts(self) -> Iterator[tuple[int, int]]:
        """The first game and the number of games of each part."""
        first = 0
        while first < self.games:
            count = min(self.size, self.games - first)
            yield first, count
            first += count

    def keep(self, part: SeriesPart) -> None:
        """A part is done: the next ones may be twice as large, if that does not take too long."""
        fitting = int(PART_SECONDS * part.totals.games / max(part.seconds, 1e-9))
        self.size = max(1, min(fitting, 2 * part.totals.games, self.largest))


def timed_part(setting: SeriesSetting, first: int, count: int) -> SeriesPart:
    begin = time.perf_counter()
    part = play_part(setting, first, count)
    return replace(part, seconds=time.perf_counter() - begin)


# ---------------------------------------------------------------- processes


def _timed_parts(plan: SeriesPlan) -> Callable[[int, int], SeriesPart]:
    """What a process of its own does with each part."""
    return partial(timed_part, set_up(plan, Findings()))
