"""`chocolatl simulate`: many games of one seed, with scores, shares of victory and their 95 % intervals."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import drawing, jobs, positive
from chocolatl.interpreter.commands.shared.progress import progress_bar

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.simulation.by_type import TypeOfPlay
    from chocolatl.interpreter.simulation.series import SeriesPlan, SeriesSetting
    from chocolatl.interpreter.terminal.reports.simulation import SimulationReport

EPILOG = """\
Players are types by seat (`random`, `greedy`, `learned`, `solver`), with names if you like (`red=greedy,blue=random`).
`learned` follows the policy beside the game, `learned:FILE` another one. `solver:3` may spend about three seconds on a
decision (default 0.1), counted in work, not by the clock.
A number of players plays the game with random ones and, where there is a policy for these rules, with learned ones, and
shows both side by side: what holds for random play often does not hold for people.
The same seed gives the same games, however many jobs play them. A victory shared by k players counts 1/k. Intervals
hold 95 %: Wilson's for shares, Student's for means. What rules say `always` holds is looked at in every game, and
how often each procedure ran, how each choice was answered and which condition ended the game is counted in all of
them.

examples:
  chocolatl simulate {game} --players greedy,random --games 100 --seed 7
  chocolatl simulate {game} --players 3 --games 10000 --jobs 4 --json
  chocolatl simulate {game} --players 2 --games 10 --transcripts games.jsonl
"""

MANY = 2_000
"""From so many games on, compiling with care pays."""

SEVERAL = 4
"""The same for players who look ahead: each of their games is worth thousands."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", nargs="?", help="a game: a path, a name, or `game/variant`")
    parser.add_argument("--players", metavar="PLAYERS", required=True, help="types of players, or their number")
    parser.add_argument("--games", metavar="N", type=positive, default=1000, help="how many games (default 1000)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of the series (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, help="how many play at a time (default: all processors)")
    parser.add_argument("--transcripts", metavar="FILE", type=Path, help="write every game to a file (JSON Lines)")
    parser.add_argument(
        "--failed",
        metavar="FILE",
        type=Path,
        default=Path("failed-game.jsonl"),
        help="where a game goes in which a rule fails, up to there (default failed-game.jsonl)",
    )
    parser.add_argument("--engine", choices=("interpreter", "native"), help="who plays (default: native if it can)")
    parser.add_argument(
        "--from",
        dest="start",
        metavar="POSITION",
        type=Path,
        help="start every game at a position; GAME may be left out",
    )
    parser.add_argument(
        "--plot", metavar="FILE", type=drawing, help="draw how scores and lengths are distributed (SVG)"
    )
    parser.add_argument(
        "--accept-stale", action="store_true", help="follow a policy that was learned for other rules, too"
    )
    parser.add_argument(
        "--details",
        action="store_true",
        help="show what ended the games, too, where points come from, what was chosen",
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.play.game import RuleError
    from chocolatl.interpreter.simulation.by_type import RANDOM, PlayedSeries, TypeOfPlay
    from chocolatl.interpreter.simulation.series import FailedGame, play_series
    from chocolatl.interpreter.simulation.totals import Totals
    from chocolatl.interpreter.terminal.reports.distributions import drawn
    from chocolatl.interpreter.terminal.reports.simulation import SimulationReport

    setting = _set_up(arguments)
    totals, interrupted = Totals.of(setting.game), False
    jobs = arguments.jobs or os.cpu_count() or 1
    with ExitStack() as stack:
        # Whether a file can be written shows before the games are played.
        plot = stack.enter_context(writing(arguments.plot)) if arguments.plot else None
        write = stack.enter_context(writing(arguments.transcripts)).write if arguments.transcripts else None
        progress = stack.enter_context(progress_bar("playing", arguments.games))
        begin = time.perf_counter()
        try:
            play_series(setting, arguments.games, jobs, write, progress, totals)
        except KeyboardInterrupt:
            if not totals.games:
                raise
            interrupted = True
        except FailedGame as failed:
            if failed.transcript:
                raise RuleError(failed.span, f"{failed.message}; {_kept(failed.transcript, arguments)}") from None
            raise
        seconds = time.perf_counter() - begin
        if plot is not None:
            plot.write(drawn(setting, totals))
    played = PlayedSeries(setting, totals)
    learned, left_out = None, None
    if compared := arguments.players.strip().isdigit() and not interrupted:
        learned, left_out = _by_learned(setting, arguments, jobs)
    types = [TypeOfPlay(RANDOM, (played,)), *([learned] if learned is not None else [])] if compared else []
    _print(SimulationReport(played, types, left_out, seconds), arguments)
    if interrupted:
        print(f"interrupted after {totals.games:,} of {arguments.games:,} games", file=sys.stderr)
    return 130 if interrupted else 0


def _print(report: SimulationReport, arguments: argparse.Namespace) -> None:
    from chocolatl.interpreter.terminal.output.console import make_console

    if arguments.json:
        print(json.dumps(report.as_json(), indent=2))
        return
    console = make_console()
    console.print(*report.headline())
    if arguments.details:
        console.print(*report.details(console.width))
    speed = report.games_per_second
    told = f"{report.seconds:.2f} seconds, {speed:,.{0 if speed >= 10 else 2}f} games a second"
    print(told if arguments.details else f"{told}; --details shows more", file=sys.stderr)


def _by_learned(
    setting: SeriesSetting, arguments: argparse.Namespace, jobs: int
) -> tuple[TypeOfPlay | None, str | None]:
    """The same game played by those who have learned it; or why it is not."""
    from chocolatl.interpreter.diagnostics import Rejected
    from chocolatl.interpreter.players.learned import StalePolicy, UnfitPolicy
    from chocolatl.interpreter.simulation.by_type import (
        games_of_learned,
        is_of_weights,
        learned_settings,
        played_by_learned,
    )

    if setting.start is not None or arguments.transcripts is not None or setting.native is None:
        return None, "learned players join in native games from the beginning, without transcripts"
    try:
        settings = learned_settings(setting.plan)
    except StalePolicy as stale:
        types = ",".join(["learned"] * len(setting.plan.types))
        return None, f"{stale.path} was learned for other rules; `--players {types}` goes on from it and keeps that"
    except (UnfitPolicy, Rejected) as error:
        return None, str(error)
    if any(each.native is None and is_of_weights(each) for each in settings):
        return None, "only the interpreter follows their policy in this game, which takes long"
    count = sum(games_of_learned(each, arguments.games) for each in settings)
    try:
        with progress_bar("playing", count) as progress:
            return played_by_learned(settings, arguments.games, jobs, progress), None
    except KeyboardInterrupt:
        return None, "interrupted"


def _kept(transcript: str, arguments: argparse.Namespace) -> str:
    """Keep a game in which a rule failed; says how to see it again, or why it was not kept."""
    from chocolatl.interpreter.formats.files import UnwritableFile, write_text

    try:
        write_text(arguments.failed, transcript)
    except UnwritableFile as error:
        return f"the game was not kept: {error}"
    again = shlex.join(["chocolatl", "replay", str(arguments.failed), "--game", arguments.game])
    return f"`{again}` comes to the same place"


# ---------------------------------------------------------------- what is asked for


def _set_up(arguments: argparse.Namespace) -> SeriesSetting:
    from dataclasses import replace

    from chocolatl.interpreter.commands.shared.catching_up import catch_up
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.native.builds.limits import Refused
    from chocolatl.interpreter.players.learned import StalePolicy
    from chocolatl.interpreter.players.registry import WrongPlayers, parse_players
    from chocolatl.interpreter.simulation.series import SeriesPlan, set_up
    from chocolatl.interpreter.system.escaping import one_line
    from chocolatl.interpreter.terminal.reports.findings import print_findings
    from chocolatl.solver.players import PROVIDED, make_player

    if arguments.game is None and arguments.start is None:
        raise UsageError("a game is needed: GAME, or a position with --from")
    if arguments.start is not None and arguments.transcripts is not None:
        raise UsageError("--transcripts does not go with --from: a transcript begins at the start of its game")
    if arguments.plot is not None and arguments.plot == arguments.transcripts:
        raise UsageError("--plot and --transcripts name the same file")
    try:
        players = parse_players(arguments.players, PROVIDED)
    except WrongPlayers as error:
        person = "; a person plays with `chocolatl play`" if "`you`" in str(error) else ""
        raise UsageError(f"--players: {error}{person}") from None
    path = find_game(arguments.game) if arguments.game is not None else None
    names, types = tuple(name for name, _ in players), tuple(type_name for _, type_name in players)
    level = _native(arguments, types)
    transcripts = arguments.transcripts is not None
    stale = arguments.accept_stale
    plan = SeriesPlan(
        path, names, types, arguments.seed, transcripts, arguments.start, level, make_player, accept_stale=stale
    )
    findings = Findings()
    try:
        try:
            setting = set_up(plan, findings)
        except StalePolicy as stale:
            catch_up(stale, arguments.jobs)
            findings = Findings()
            setting = set_up(plan, findings)
    except Refused as error:
        if arguments.engine == "native":
            raise UsageError(f"--engine native: these rules are too large for it ({error})") from None
        print(f"note: the interpreter plays, since the rules are too large for native code ({error})", file=sys.stderr)
        findings = Findings()
        setting = set_up(replace(plan, native=None, refused=error.reason.value), findings)
    if arguments.engine == "native" and setting.native is None and setting.seated is None:
        learned = any(type_.startswith("learned") for type_ in types)
        raise UsageError(
            "--engine native: policies are followed in it from the beginning, without transcripts and not by a table"
            if learned
            else "--engine native: what players who look ahead conclude in these rules only the interpreter follows"
        )
    print_findings(findings.items, sys.stderr)
    for note in setting.notes:
        print(one_line(f"note: {note}"), file=sys.stderr)
    if arguments.start is not None:
        _check_start(setting, plan)
    return setting


def _native(arguments: argparse.Namespace, types: tuple[str, ...]) -> int | None:
    """How well to compile for the native engine, or None if the interpreter is to play."""
    if arguments.engine == "interpreter":
        return None
    kinds = {type_.partition(":")[0] for type_ in types}
    looking = "greedy" in kinds and arguments.start is None and arguments.transcripts is None
    able = kinds <= ({"random", "greedy"} if looking else {"random", "learned"})
    if not able and arguments.engine == "native":
        raise UsageError(
            "--engine native: it plays games with random and learned players alone or, from their beginning and "
            "without transcripts, with greedy ones; for others leave --engine away or use --engine interpreter"
        )
    if not able or (looking and arguments.engine is None and arguments.games < SEVERAL):
        return None
    try:
        from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
    except (ImportError, OSError) as error:
        from chocolatl.interpreter.system.extras import why_not

        if arguments.engine == "native":
            raise UsageError(f"--engine native: the compiler cannot be used here ({why_not(error)})") from None
        print(
            f"note: the interpreter plays, since the compiler cannot be used here ({why_not(error)})", file=sys.stderr
        )
        return None
    return QUICK if arguments.games < MANY and not looking else FAST


def _check_start(setting: SeriesSetting, plan: SeriesPlan) -> None:
    """The players of a position are those that sit there."""
    from chocolatl.interpreter.players.registry import default_name

    seated = setting.game.players
    if len(plan.types) != len(seated):
        raise UsageError(f"--players: the position has {len(seated)} players, not {len(plan.types)}")
    unnamed = tuple(default_name(seat) for seat in range(len(seated)))
    if plan.names not in (unnamed, seated):
        raise UsageError(f"--players: the players of the position are {', '.join(seated)}, not {', '.join(plan.names)}")
