"""`chocolatl ladder`: which type of player is stronger at a game, and by how much."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.catching_up import one_thread_each
from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import drawing, jobs, positive
from chocolatl.interpreter.commands.shared.progress import progress_bar

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.play.game import Game
    from chocolatl.interpreter.simulation.ladder import LadderPlan, Meeting
    from chocolatl.interpreter.terminal.reports.ladder import Rung

EPILOG = """\
Each type of player meets each other one: one player of a type sits among others of the other type, in each seat equally
often, until it is clear whether it wins more than its share, or --most games are played. All verdicts together are 95 %
sure. Without types these are `random`, `greedy` and, where there is a policy for these rules, `learned`.

--trace learns the game for 1, 4, 16 and 64 seconds (or for those that are given), and puts what was learned on the
ladder: how much there is to learn shows how much skill a game takes.

Exit code: 0 fine; 1 a rule failed; 2 wrong usage; 130 interrupted.

examples:
  chocolatl ladder {game} --players 2
  chocolatl ladder {game} --types random,greedy --players 2 --most 100 --plot ladder.svg
"""

TRACE = (1.0, 4.0, 16.0, 64.0)
LONGEST = 3_600.0
MOST_TYPES = 12


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", help="a game: a path, a name, or `game/variant`")
    parser.add_argument("--types", metavar="PLAYERS", help="types of players, such as random,greedy,learned:FILE")
    parser.add_argument("--players", metavar="N", type=positive, help="how many sit at the table (default: the fewest)")
    parser.add_argument("--most", metavar="N", type=positive, default=1000, help="games of a meeting (default 1000)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of all that is random (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, help="how many play at a time (default: all processors)")
    parser.add_argument(
        "--trace",
        metavar="SECONDS",
        type=_seconds,
        nargs="?",
        const=TRACE,
        help="learn the game for so long, such as 1,4",
    )
    parser.add_argument("--plot", metavar="FILE", type=drawing, help="draw the ladder (SVG)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def _seconds(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in text.split(","))
    except ValueError:
        found = ()
    if not found or len(found) > 8 or not all(0 < each <= LONGEST for each in found):
        raise argparse.ArgumentTypeError(
            f"expected up to 8 numbers of seconds above 0, such as 1,4,16; found {text[:40]!r}"
        )
    return found


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.play.game import RuleError
    from chocolatl.interpreter.simulation.ladder import Ladder, play_ladder
    from chocolatl.interpreter.terminal.output.console import make_console
    from chocolatl.interpreter.terminal.reports.ladder import LadderReport, Rung

    game = _game(arguments)
    count = arguments.jobs or os.cpu_count() or 1
    rungs = [Rung(type_, type_, wants=_wants(type_, game)) for type_ in _types(arguments, game)]
    with ExitStack() as stack:
        plot = stack.enter_context(writing(arguments.plot)) if arguments.plot else None
        if arguments.trace is not None:
            folder = Path(stack.enter_context(TemporaryDirectory()))
            rungs += _learned(game, arguments, count, folder)
        if not 2 <= len(rungs) <= MOST_TYPES:
            raise UsageError(f"a ladder has from 2 to {MOST_TYPES} types of players, not {len(rungs)}")
        plan = _plan(game, tuple(rung.type for rung in rungs), arguments)
        meetings: list[Meeting] = []
        with progress_bar("meetings", len(plan.meetings)) as progress:
            for meeting in play_ladder(plan, count):
                if meeting.failure is not None:
                    raise RuleError(*meeting.failure)
                meetings.append(meeting)
                if progress is not None:
                    progress(1)
        report = LadderReport(game, Ladder(plan, meetings), rungs)
        if plot is not None:
            plot.write(report.drawn())
    if arguments.json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        console = make_console()
        console.print(*report.shown())
    return 0


def _game(arguments: argparse.Namespace) -> Game:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.play.library import load

    path, count = find_game(arguments.game), arguments.players
    if count is None:
        findings = Findings()
        files = load_game(path, findings)
        findings.reject_errors()
        assert files is not None
        count = max(2, files.minimum)
    if count < 2:
        raise UsageError("--players: a ladder needs at least two players at the table")
    return load(path, count)


def _types(arguments: argparse.Namespace, game: Game) -> list[str]:
    """The types that are named, or those that the game has; who follows a policy has to be able to."""
    from chocolatl.interpreter.players.learned import UnfitPolicy
    from chocolatl.interpreter.players.registry import WrongPlayers, make_player, parse_players, take_seats
    from chocolatl.interpreter.system.escaping import one_line
    from chocolatl.solver.players import PROVIDED

    if arguments.types:
        try:
            found = [type_ for _, type_ in parse_players(arguments.types, PROVIDED)]
        except WrongPlayers as error:
            raise UsageError(f"--types: {error}") from None
        if len(set(found)) < len(found):
            raise UsageError("--types: a type stands twice on the ladder")
        for type_ in found:
            if type_.startswith("learned"):
                take_seats([make_player(type_)], game)
        return found
    try:
        take_seats([make_player("learned")], game)
    except UnfitPolicy as error:
        print(one_line(f"note: without `learned`: {error}"), file=sys.stderr)
        return ["random", "greedy"]
    return ["random", "greedy", "learned"]


def _wants(type_: str, game: Game) -> str | None:
    """What a player of a type was taught to want, if it follows a table."""
    if not type_.startswith("learned"):
        return None
    from chocolatl.interpreter.players.learned import LearnedPlayer
    from chocolatl.interpreter.players.registry import make_player

    player = make_player(type_)
    assert isinstance(player, LearnedPlayer)
    player.seated(game)
    assert player.section is not None
    table = player.section.get("table")
    return str(table["objective"]) if table is not None else None


def _learned(game: Game, arguments: argparse.Namespace, count: int, folder: Path) -> Iterator[Rung]:
    """What is learned in so many seconds each, as files that are there as long as the ladder is played."""
    one_thread_each()
    from chocolatl.interpreter.formats.policy_file import write_section
    from chocolatl.interpreter.learning.lessons import Lesson, learn
    from chocolatl.interpreter.terminal.reports.ladder import Rung
    from chocolatl.interpreter.terminal.reports.learning import learning_shown

    for number, seconds in enumerate(arguments.trace):
        with learning_shown() as told:
            learned = learn(Lesson(game, arguments.seed, None, seconds, count), told)
        if learned.interrupted:
            raise KeyboardInterrupt
        path = folder / f"{number}.yaml"
        write_section(path, game, learned.section)
        type_ = f"learned:{path}"
        yield Rung(type_, f"learned {seconds:g} s", seconds, learned.updates, _wants(type_, game))


def _plan(game: Game, types: tuple[str, ...], arguments: argparse.Namespace) -> LadderPlan:
    from chocolatl.interpreter.simulation.ladder import LadderPlan
    from chocolatl.interpreter.simulation.series import SeriesPlan
    from chocolatl.solver.players import make_player

    series = SeriesPlan(game.files.path, game.players, (), arguments.seed, make=make_player)
    return LadderPlan(series, types, arguments.most, compile_level)


def compile_level(types: tuple[str, ...]) -> int | None:
    """How well to compile for players of such types, or None if the interpreter plays."""
    kinds = {type_.partition(":")[0] for type_ in types}
    if not (kinds <= {"random", "learned"} or kinds <= {"random", "greedy"}):
        return None
    try:
        from chocolatl.interpreter.native.llvm.compile import FAST
    except (ImportError, OSError):
        return None
    return FAST
