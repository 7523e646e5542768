"""Games as objects: loaded from a name, a path or texts, checked, dealt, solved and simulated."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Union
from weakref import finalize

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.diagnostics import Diagnostic, Findings
from chocolatl.interpreter.interface.errors import ChocolatlError, told
from chocolatl.interpreter.interface.positions import TablePosition, names_of
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load as load_playable
from chocolatl.interpreter.play.match import Player, streams
from chocolatl.interpreter.players.programs import FROM_PROGRAM, PlayerFunction, ProgramPlayer

if TYPE_CHECKING:  # imported when they are asked for: a game is there at once
    from chocolatl.interpreter.interface.answers import SolvedAnswer
    from chocolatl.interpreter.interface.ladders import PlayedLadder
    from chocolatl.interpreter.interface.policies import LearnedPolicy
    from chocolatl.interpreter.interface.series import SimulatedSeries
    from chocolatl.interpreter.learning.lessons import LearningNews
    from chocolatl.interpreter.testing.suite import Outcome

PlayerType = Union[str, "LearnedPolicy", PlayerFunction]
"""A type of players by its name, a policy that was learned, or a function that answers."""

GameSource = str | Path | Mapping[str, str]
"""A shipped game or `game/variant`, a path, or the files of a game: their texts by names such as `game.yaml`."""

SeriesProgress = Callable[[int], object]
"""Is told how many games were played since it was told. What it raises ends the series."""


class BoardGame:
    """A game for a number of players, ready to be dealt, solved and simulated."""

    def __init__(self, path: Path, game: Game, settings: Mapping[str, object] | None = None) -> None:
        self.path = path
        self.game = game
        self.settings = settings
        """Parameters that are not as in its files."""

    def __repr__(self) -> str:
        return f"<{self.title} for {len(self.players)} players>"

    @property
    def title(self) -> str:
        return self.game.files.title

    @property
    def players(self) -> tuple[str, ...]:
        return self.game.players

    @property
    def rules_hash(self) -> str:
        """What tells the same rules from others."""
        return self.game.files.rules_hash

    # ------------------------------------------------------------ files

    def check(self) -> list[Diagnostic]:
        """What `chocolatl check` finds in its files."""
        from chocolatl.interpreter.checking.checker import Checker

        with told():
            checker = Checker()
            checker.check(self.path)
            return checker.found()

    def test(self, only: str = "") -> list[Outcome]:
        """Its scenarios, run: each has `name`, `ok` and `difference`."""
        from chocolatl.interpreter.testing.suite import run_suite, scenarios_in, selected

        folder = self.path if self.path.is_dir() else self.path.parent.parent
        with told():
            return run_suite(selected(list(scenarios_in(folder)), [only] if only else []), None)

    # ------------------------------------------------------------ positions

    def deal(self, seed: int, to_round: int | None = None) -> TablePosition:
        """The first decision of the game, or of one of its rounds after random play: what `chocolatl deal` writes."""
        from chocolatl.interpreter.commands.deal import played_to, random_data

        if to_round is not None and (to_round < 1 or not self.game.has_rounds):
            reason = "rounds count from 1" if to_round < 1 else f"{self.game.files.name} has no rounds"
            raise ChocolatlError(f"to_round is {to_round}, and {reason}")
        with told():
            randoms = streams(seed, 0, self.game.player_count)
            position = played_to(self.game, to_round, randoms)
        if position is None:
            where = "no decision" if to_round is None else f"no decision in a round {to_round}"
            raise ChocolatlError(f"{self.game.files.name} with seed {seed} comes to {where}")
        return TablePosition(self.game, position, random_data(seed, [random.state() for random in randoms]))

    def read(self, path: str | Path) -> TablePosition:
        """The position of a file."""
        from chocolatl.interpreter.formats.position import load_position

        findings = Findings()
        with told():
            loaded = load_position(Path(path), findings, self.path)
            findings.reject_errors()
        assert loaded is not None
        return TablePosition(loaded.game, loaded.position, loaded.random)

    def view(self, position: TablePosition, player: str) -> dict[str, Any]:
        """All that a player may know."""
        return position.view(player)

    # ------------------------------------------------------------ answers and series

    def solve(
        self,
        position: TablePosition,
        player: str,
        *,
        progress: Callable[[float, float], None] | None = None,
        **wishes: Any,
    ) -> SolvedAnswer:
        """The best answer of a player. Wishes are those of `chocolatl.solver.question.SolverQuestion`, such as
        `scenarios`, `seconds` or `objective`; what is not wished for is as for `chocolatl solve`. `progress` is told
        the best value so far and a bound."""
        from chocolatl.interpreter.commands.shared.question import option_of
        from chocolatl.interpreter.interface.answers import SolvedAnswer
        from chocolatl.interpreter.interface.wishes import question_by
        from chocolatl.solver.advice import advise
        from chocolatl.solver.methods.best import NotFound
        from chocolatl.solver.symbolic.unmodelled import Unsupported
        from chocolatl.solver.worth.refusals import Refusal

        seat = position.seat(player)
        if self.game.decision(position.value, seat) is None:
            raise ChocolatlError(f"{player} has nothing to decide in this position")
        with told():
            question = question_by(position.game, wishes)
            try:
                advice = advise(position.game, position.value, seat, question, progress)
            except NotFound as error:
                raise ChocolatlError(str(error)) from None
            except Refusal as error:
                raise ChocolatlError(error.told(option_of)) from None
            except Unsupported as error:
                raise ChocolatlError(f"{error.span}: no model can be made of this rule: {error.message}") from None
        return SolvedAnswer(position, player, question, advice)

    def simulate(
        self,
        players: Sequence[PlayerType] | None = None,
        games: int = 1000,
        seed: int = 0,
        *,
        jobs: int | None = None,
        progress: SeriesProgress | None = None,
    ) -> SimulatedSeries:
        """Many games of players of these types by seat (`random`, `greedy`, `learned`, `learned:FILE`, `solver`,
        `solver:3`, a policy that was learned, or a function of your own); without any they are random. They are the
        games that `chocolatl simulate` plays with the seed.

        Native code plays in as many threads as there are processors. What the interpreter plays, it plays in `jobs`
        processes, and without a number in this one: a script that starts processes has to keep its work below
        `if __name__ == "__main__":`, as with Python's `multiprocessing`."""
        from chocolatl.interpreter.commands.ladder import compile_level
        from chocolatl.interpreter.interface.series import SimulatedSeries
        from chocolatl.interpreter.native.builds.limits import Refused
        from chocolatl.interpreter.simulation.by_type import PlayedSeries
        from chocolatl.interpreter.simulation.series import SeriesPlan, play_series, set_up
        from chocolatl.interpreter.terminal.reports.simulation import SimulationReport
        from chocolatl.solver.players import make_player

        given = players if players is not None else ["random"] * len(self.players)
        programs: dict[str, PlayerFunction] = {}
        types = tuple(_program_name(each, programs) if callable(each) else type_named(each) for each in given)
        if len(types) != len(self.players):
            raise ChocolatlError(f"{self!r} needs {len(self.players)} types of players, not {len(types)}")
        if games < 1:
            raise ChocolatlError(f"at least 1 game is played; found {games}")
        checked_types(types)
        if programs and jobs not in (None, 1):
            raise ChocolatlError("functions play in this process: leave `jobs` away")

        def made(type_name: str) -> Player:
            own = programs.get(type_name)
            return make_player(type_name) if own is None else ProgramPlayer(own, type_name.rpartition(":")[2])

        make = made if programs else make_player
        plan = SeriesPlan(self.path, self.players, types, seed, make=make, settings=self.settings)
        with told():
            try:
                setting = set_up(replace(plan, native=compile_level(types)), Findings())
            except Refused:
                setting = set_up(plan, Findings())
            begin = time.perf_counter()
            threads = (os.cpu_count() or 1) if setting.native is not None else 1
            totals = play_series(setting, games, jobs or threads, progress=progress)
        report = SimulationReport(PlayedSeries(setting, totals), [], None, time.perf_counter() - begin)
        return SimulatedSeries(report, setting.notes)

    def train(
        self,
        updates: int | None = None,
        minutes: float | None = None,
        seed: int = 0,
        *,
        jobs: int | None = None,
        progress: Callable[[LearningNews], object] | None = None,
    ) -> LearnedPolicy:
        """Learn the game: by so many updates, which gives the same policy everywhere, or for so many minutes (without
        either, as long as `chocolatl train` takes). `progress` is told how far it is."""
        from chocolatl.interpreter.commands.train import UNASKED
        from chocolatl.interpreter.interface.policies import learned_policy

        if updates is not None and minutes is not None:
            raise ChocolatlError("updates say how much to learn, minutes how long: one of them is enough")
        long = None if updates is not None else UNASKED if minutes is None else minutes
        return learned_policy(self.game, updates, long, seed, jobs or os.cpu_count() or 1, progress)

    def ladder(
        self, types: Sequence[PlayerType] | None = None, most: int = 1000, seed: int = 0, *, jobs: int = 1
    ) -> PlayedLadder:
        """Which type of player is stronger: by default random, greedy and, where there is a policy, learned ones."""
        from chocolatl.interpreter.interface.ladders import played_ladder

        given = [each for each in types if not callable(each)] if types is not None else self._types()
        if types is not None and len(given) < len(types):
            raise ChocolatlError("on a ladder a function is named as on the command line: `python:module:function`")
        named = {type_named(each): getattr(each, "name", type_named(each)) for each in given}
        checked_types([*named])
        if len(named) < max(2, len(given)) or self.game.player_count < 2:
            raise ChocolatlError("a ladder needs two players at the table at least, and types that differ")
        return played_ladder(self.game, self.settings, named, most, seed, jobs)

    def _types(self) -> list[str | LearnedPolicy]:
        from chocolatl.interpreter.players.learned import UnfitPolicy
        from chocolatl.interpreter.players.registry import make_player, take_seats

        try:
            take_seats([make_player("learned")], self.game)
        except UnfitPolicy:
            return ["random", "greedy"]
        return ["random", "greedy", "learned"]


def type_named(type_: str | LearnedPolicy) -> str:
    """A type of players by its name."""
    return type_ if isinstance(type_, str) else type_.type


def _program_name(program: PlayerFunction, named: dict[str, PlayerFunction]) -> str:
    """A name for a function as its module has it; another one of the same name gets a number."""
    own = getattr(program, "__name__", "program").replace("<lambda>", "lambda_")
    name = base = f"{FROM_PROGRAM}{program.__module__}:{own}"
    number = 1
    while named.setdefault(name, program) is not program:
        number += 1
        name = f"{base}_{number}"
    return name


def checked_types(types: Sequence[str]) -> None:
    """Refuse what is no type of players."""
    from chocolatl.interpreter.players.registry import WrongPlayers, parse_players
    from chocolatl.solver.players import PROVIDED

    try:
        for type_ in types:
            parse_players(f"p1={type_}", PROVIDED)
    except WrongPlayers as error:
        raise ChocolatlError(str(error)) from None


def load(
    source: GameSource,
    players: int | Sequence[str],
    set: Mapping[str, object] | None = None,  # what variants and scenarios call it
) -> BoardGame:
    """A game for so many players, or for players with these names. `set` gives parameters other values, as variants and
    scenarios do. `ChocolatlError` with all findings if its files are wrong."""
    with told():
        names = names_of(players)
        if not isinstance(source, Mapping):
            path = find_game(str(source))
            return BoardGame(path, load_playable(path, names, set), set)
        folder = Path(mkdtemp(prefix="chocolatl-")).resolve()
        try:
            path = _written(source, folder)
            game = BoardGame(path, load_playable(path, names, set), set)
        except BaseException:
            rmtree(folder, ignore_errors=True)
            raise
        finalize(game, rmtree, folder, ignore_errors=True)
        return game


def _written(files: Mapping[str, str], folder: Path) -> Path:
    """The folder of a game with these files."""
    path = folder / _named(files)
    for name, text in files.items():
        target = (path / name).resolve()
        if not target.is_relative_to(path):
            raise ChocolatlError(f"`{name}` is no name of a file in the folder of a game")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return path


def _named(files: Mapping[str, str]) -> str:
    """The name of a game is that of its rule file."""
    rules = [name for name in files if name.endswith(".rules")]
    if "game.yaml" not in files or len(rules) != 1:
        raise ChocolatlError("the files of a game are `game.yaml`, one rule file, and maybe more")
    return Path(rules[0]).stem
