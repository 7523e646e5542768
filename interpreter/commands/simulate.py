"""`chocolatl simulate`: many games of one seed, with scores, shares of victory and their 95 % intervals."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from interpreter.commands.errors import UsageError
from interpreter.commands.numbers import jobs, positive

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from interpreter.formats.series import Plan, Setting, Totals
    from interpreter.statistics import Interval

EPILOG = """\
Players are types by seat (`random`, `greedy`), with names if you like (`red=greedy,blue=random`), or just their number.
The same seed gives the same games, however many jobs play them. A victory shared by k players counts 1/k. Intervals
hold 95 %: Wilson's for shares, Student's for means.

examples:
  chocolatl simulate {game} --players greedy,random --games 100 --seed 7
  chocolatl simulate {game} --players 3 --games 10000 --jobs 4 --json
  chocolatl simulate {game} --players 2 --games 10 --transcripts games.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", nargs="?", help="a game: a path, a name, or `game/variant`")
    parser.add_argument("--players", metavar="PLAYERS", required=True, help="types of players, or their number")
    parser.add_argument("--games", metavar="N", type=positive, default=1000, help="how many games (default 1000)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of the series (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, default=1, help="how many processes (default 1)")
    parser.add_argument("--transcripts", metavar="FILE", type=Path, help="write every game to a file (JSON Lines)")
    parser.add_argument("--engine", choices=("interpreter", "native"), default="interpreter", help="who plays")
    parser.add_argument(
        "--from",
        dest="start",
        metavar="POSITION",
        type=Path,
        help="start every game at a position; GAME may be left out",
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    from concurrent.futures.process import BrokenProcessPool

    from interpreter.formats.files import writing
    from interpreter.formats.series import play_series

    setting = _set_up(arguments)
    with ExitStack() as stack:
        write = stack.enter_context(writing(arguments.transcripts)).write if arguments.transcripts else None
        progress = stack.enter_context(_progress(arguments.games))
        begin = time.perf_counter()
        try:
            totals = play_series(setting, arguments.games, arguments.jobs, write, progress)
        except BrokenProcessPool:
            raise UsageError("a process was ended from outside, perhaps for want of memory; try fewer --jobs") from None
        seconds = time.perf_counter() - begin
    results = _results(setting, totals, arguments, seconds)
    if arguments.json:
        print(json.dumps(results, indent=2))
    else:
        _print_table(setting, totals, arguments)
        speed = results["games_per_second"]
        print(f"{seconds:.2f} seconds, {speed:,.{0 if speed >= 10 else 2}f} games a second", file=sys.stderr)
    return 0


# ---------------------------------------------------------------- what is asked for


def _set_up(arguments: argparse.Namespace) -> Setting:
    from interpreter.data.find import find_game
    from interpreter.diagnostics import Findings
    from interpreter.formats.series import Plan, set_up
    from interpreter.players.registry import WrongPlayers, parse_players
    from interpreter.terminal.findings import print_findings

    if arguments.engine == "native":
        raise UsageError("the native engine is not available yet; use --engine interpreter")
    if arguments.game is None and arguments.start is None:
        raise UsageError("a game is needed: GAME, or a position with --from")
    if arguments.start is not None and arguments.transcripts is not None:
        raise UsageError("--transcripts does not go with --from: a transcript begins at the start of its game")
    try:
        players = parse_players(arguments.players)
    except WrongPlayers as error:
        person = "; a person plays with `chocolatl play`" if "`you`" in str(error) else ""
        raise UsageError(f"--players: {error}{person}") from None
    path = find_game(arguments.game) if arguments.game is not None else None
    names, types = tuple(name for name, _ in players), tuple(type_name for _, type_name in players)
    plan = Plan(path, names, types, arguments.seed, arguments.transcripts is not None, arguments.start)
    findings = Findings()
    setting = set_up(plan, findings)
    print_findings(findings.items, sys.stderr)
    if arguments.start is not None:
        _check_start(setting, plan)
    return setting


def _check_start(setting: Setting, plan: Plan) -> None:
    """The players of a position are those that sit there."""
    from interpreter.players.registry import default_name

    seated = setting.game.players
    if len(plan.types) != len(seated):
        raise UsageError(f"--players: the position has {len(seated)} players, not {len(plan.types)}")
    unnamed = tuple(default_name(seat) for seat in range(len(seated)))
    if plan.names not in (unnamed, seated):
        raise UsageError(f"--players: the players of the position are {', '.join(seated)}, not {', '.join(plan.names)}")


@contextmanager
def _progress(games: int) -> Iterator[Callable[[int], object] | None]:
    """A bar on the terminal, and nothing anywhere else."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=games)
        yield lambda count: bar.advance(task, count)


# ---------------------------------------------------------------- results


def _results(setting: Setting, totals: Totals, arguments: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """The contract of `simulate --json`."""
    return {
        "game": _full_name(setting),
        "rules": setting.game.files.rules_hash,
        "games": arguments.games,
        "seed": arguments.seed,
        "engine": arguments.engine,
        "seconds": round(seconds, 6),
        "games_per_second": round(arguments.games / max(seconds, 1e-9), 3),
        "decisions": _as_json(totals.decisions.mean_interval()),
        "players": [
            {
                "seat": seat + 1,
                "name": name,
                "type": setting.plan.types[seat],
                "win_share": _as_json(totals.wins[seat].share()),
                "score": _as_json(totals.scores[seat].mean_interval()),
            }
            for seat, name in enumerate(setting.game.players)
        ],
    }


def _full_name(setting: Setting) -> str:
    files = setting.game.files
    return files.name if files.variant is None else f"{files.name}/{files.variant}"


def _as_json(interval: Interval) -> dict[str, float | None]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def _print_table(setting: Setting, totals: Totals, arguments: argparse.Namespace) -> None:
    from rich.table import Table
    from rich.text import Text

    from interpreter.terminal.console import make_console

    games = f"{arguments.games:,} game" + ("s" if arguments.games > 1 else "")
    table = Table(title=Text(f"{setting.game.files.title}: {games}, seed {arguments.seed}"), title_justify="left")
    table.add_column("seat", justify="right")
    table.add_column("player")
    table.add_column("type")
    table.add_column("share of victory", justify="right")
    table.add_column("score", justify="right")
    for seat, name in enumerate(setting.game.players):
        wins, score = totals.wins[seat].share(), totals.scores[seat].mean_interval()
        cells = (str(seat + 1), name, setting.plan.types[seat], _shown(wins, 100, " %"), _shown(score, 1, ""))
        table.add_row(*map(Text, cells))
    decisions = totals.decisions.mean_interval().mean
    table.caption = Text(f"{decisions:.1f} decisions a game; intervals hold 95 %")
    table.caption_justify = "left"
    make_console().print(table)


def _shown(interval: Interval, factor: int, unit: str) -> str:
    """`52.1 % (50.2 to 54.0)`; one game alone has no interval."""
    assert interval.mean is not None
    mean = f"{interval.mean * factor:.1f}{unit}"
    if interval.low is None or interval.high is None:
        return mean
    return f"{mean} ({interval.low * factor:.1f} to {interval.high * factor:.1f})"
