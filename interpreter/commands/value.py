"""`chocolatl value`: estimate from games what holdings are worth, and write it to a valuation file."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.catching_up import one_thread_each
from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import drawing, jobs, positive
from chocolatl.interpreter.commands.shared.progress import progress_bar

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.play.game import Game
    from chocolatl.interpreter.valuing.fitting import Fit
    from chocolatl.interpreter.valuing.observations import ObservationPlan

EPILOG = """\
`value fit` plays games and looks at what each player holds when a round begins, and at how many points the player still
makes. Least squares tell what one of each item adds, for each number of players and of rounds left, with errors that
count by game; what may as well be nothing is left out. How well the table foretells is told of other games, half as
many. The items are those of the valuation beside the game, or those that its rules declare.

Players are `learned` unless --type says otherwise: what random players make of what they have tells little.

Exit code: 0 fine; 1 a rule failed; 2 wrong usage; 130 interrupted (nothing is written).

examples:
  chocolatl value fit {game with rounds} --players 3 --games 200
  chocolatl value fit {game with rounds} --players 3 --games 200 --type random --plot calibration.svg
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("what", choices=("fit",), help="fit a table to games")
    parser.add_argument("game", metavar="GAME", help="a game: a path, a name, or `game/variant`")
    parser.add_argument("--players", metavar="N", type=_numbers, help="numbers of players, such as 3,4 (default: all)")
    parser.add_argument("--type", metavar="TYPE", default="learned", help="who plays (default learned)")
    parser.add_argument("--games", metavar="N", type=positive, default=400, help="so many are fitted to (default 400)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of the games (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, help="how many play at a time (default: all processors)")
    parser.add_argument("--items", metavar="FILE", type=Path, help="a valuation whose items are estimated")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("valuation.yaml"),
        help="where it goes (default valuation.yaml)",
    )
    parser.add_argument(
        "--plot", metavar="FILE", type=drawing, help="draw what was foretold beside what came of it (SVG)"
    )
    parser.add_argument("--json", action="store_true", help="print the estimates as JSON")


def _numbers(text: str) -> list[int]:
    found = [int(part) for part in text.split(",") if part.isascii() and part.isdigit() and len(part) < 3]
    if len(found) != len(text.split(",")) or not all(found) or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"expected numbers of players, such as 3,4; found {text[:40]!r}")
    return sorted(found)


def run(arguments: argparse.Namespace) -> int:
    one_thread_each()
    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.formats.valuation import FILE, formulas_of, read_valuation, round_count
    from chocolatl.interpreter.formats.yaml_text import to_yaml
    from chocolatl.interpreter.system.escaping import one_line
    from chocolatl.interpreter.terminal.output.console import make_console
    from chocolatl.interpreter.terminal.reports.valuing import ValuationReport
    from chocolatl.interpreter.valuing.fitting import FEWEST
    from chocolatl.interpreter.valuing.holdings import holdings

    if arguments.games < 2 * FEWEST:
        raise UsageError(f"--games: at least {2 * FEWEST}, of fewer nothing is told")
    tables = _games(arguments)
    if round_count(tables[0]) < 2:
        raise UsageError(f"{arguments.game}: its rules count no rounds, so that nothing is left beyond one")
    beside = tables[0].files.folder / FILE
    if arguments.items is not None or beside.exists():
        path = arguments.items or beside
        read_valuation(path, tables[0])  # tells where in the file something makes no sense
        items = formulas_of(path)
    else:
        items = holdings(tables[0].ir)
    with ExitStack() as stack:
        output = stack.enter_context(writing(arguments.output))
        plot = stack.enter_context(writing(arguments.plot)) if arguments.plot else None
        progress = stack.enter_context(progress_bar("playing", len(tables) * (arguments.games + arguments.games // 2)))
        fits = [_fitted(_plan(game, items, arguments), game, arguments, progress) for game in tables]
        report = ValuationReport(tables[0], items, fits, arguments.type, arguments.games, arguments.seed)
        output.write(to_yaml(report.as_file()))
        if plot is not None:
            plot.write(report.drawn())
    if arguments.json:
        print(json.dumps(report.as_json(arguments.output), indent=2))
        return 0
    console = make_console()
    for part in report.shown():
        console.print(part)
    print(f"written to {one_line(str(arguments.output))}")
    return 0


def _games(arguments: argparse.Namespace) -> list[Game]:
    """The game for each number of players."""
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.play.library import load

    path, findings = find_game(arguments.game), Findings()
    files = load_game(path, findings)
    findings.reject_errors()
    assert files is not None
    return [load(path, count) for count in arguments.players or range(files.minimum, files.maximum + 1)]


def _plan(game: Game, items: dict[str, str], arguments: argparse.Namespace) -> ObservationPlan:
    """Who plays, and what is looked at. A policy for other rules is learned further, as far as that is quick."""
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.valuation import worthless_items
    from chocolatl.interpreter.players.learned import StalePolicy
    from chocolatl.interpreter.players.registry import WrongPlayers, parse_players
    from chocolatl.interpreter.simulation.series import SeriesPlan, set_up
    from chocolatl.interpreter.valuing.observations import ObservationPlan
    from chocolatl.solver.players import PROVIDED, make_player

    worthless_items(game, items)
    try:
        types = tuple(type_ for _, type_ in parse_players(",".join([arguments.type] * game.player_count), PROVIDED))
    except WrongPlayers as error:
        raise UsageError(f"--type: {error}") from None
    if len(types) != game.player_count:
        raise UsageError(f"--type: one type for all players is expected; found `{arguments.type[:40]}`")
    plan = SeriesPlan(game.files.path, game.players, types, arguments.seed, make=make_player)
    try:
        set_up(plan, Findings())
    except StalePolicy as stale:
        from chocolatl.interpreter.commands.shared.catching_up import catch_up

        catch_up(stale, arguments.jobs)
    return ObservationPlan(plan, items)


def _fitted(
    plan: ObservationPlan, game: Game, arguments: argparse.Namespace, progress: Callable[[int], object] | None
) -> Fit:
    """Play, and fit to two thirds of the games."""
    from chocolatl.interpreter.valuing.fitting import TooFewGames, fit
    from chocolatl.interpreter.valuing.observations import observe

    count = arguments.jobs or os.cpu_count() or 1
    seen = observe(plan, 0, arguments.games, count, progress)
    fresh = observe(plan, arguments.games, arguments.games // 2, count, progress)
    try:
        return fit(game.player_count, seen, fresh)
    except TooFewGames as error:
        raise UsageError(f"{arguments.game}: {error}") from None
