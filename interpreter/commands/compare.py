"""`chocolatl compare`: what a change of rules does, in the rules and in play."""

from __future__ import annotations

import argparse
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import jobs, positive
from chocolatl.interpreter.commands.shared.progress import progress_bar

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.comparing.pairs import PlaysPairs
    from chocolatl.interpreter.play.game import Game

EPILOG = """\
A and B are games, variants or folders; behind `@` stands a revision of the git repository that they lie in, as in
`games/mine@HEAD~1`. First what differs in the rules is told, declaration by declaration. Then random players play both
in pairs of games that share their luck, until it is clear of each figure whether it differs, and by how much, or that
it differs by nothing that matters; at most --most pairs. All verdicts of a comparison are right together with 95 %,
wherever it stops.

What matters is a percentage point for shares, and a twentieth of the standard deviation in games of A for the others;
--smallest says otherwise for a figure, by its key in --json.

Exit code: 0 fine; 1 a rule failed; 2 wrong usage; 130 interrupted.

examples:
  chocolatl compare {game} {game} --players 2
  chocolatl compare {game} {game} --players 2 --seed 1 --markdown comment.md
  chocolatl compare {game} {game} --players 2 --transcripts pair.jsonl
"""

MORE = "--details"
"""What shows what is left out."""

INTERPRETED = 1_000
"""So many pairs are played at most where the interpreter plays, unless somebody says otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("a", metavar="A", help="a game: a path, a name, `game/variant`, or path@revision")
    parser.add_argument("b", metavar="B", help="the game that it is compared with")
    parser.add_argument("--players", metavar="N", type=positive, help="how many sit at the table (default: the fewest)")
    parser.add_argument("--most", metavar="N", type=positive, help="pairs of games at most (default 64000)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of all that is random (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, help="how many play at a time (default: all processors)")
    parser.add_argument(
        "--smallest",
        metavar="FIGURE=VALUE",
        type=_smallest,
        action="append",
        default=[],
        help="what difference of a figure matters, such as score=0.5",
    )
    parser.add_argument("--details", action="store_true", help="show diffs and all figures, too")
    parser.add_argument(
        "--transcripts", metavar="FILE", type=Path, help="write the first pair of games that goes another way"
    )
    parser.add_argument("--markdown", metavar="FILE", type=Path, help="write a comment for a review (Markdown)")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def _smallest(text: str) -> tuple[str, float]:
    key, _, value = text.partition("=")
    try:
        found = float(value)
    except ValueError:
        found = 0.0
    if not key or not 0 < found < 1e12:
        raise argparse.ArgumentTypeError(
            f"expected a figure and a number above 0, such as score=0.5; found {text[:40]!r}"
        )
    return key, found


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.commands.shared.revisions import game_at
    from chocolatl.interpreter.comparing.examples import example_pair
    from chocolatl.interpreter.comparing.figures import compared_figures
    from chocolatl.interpreter.comparing.pairs import compare_play
    from chocolatl.interpreter.comparing.rule_changes import rule_changes
    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.terminal.output.console import make_console
    from chocolatl.interpreter.terminal.reports.comparison import ComparisonReport

    with ExitStack() as stack:
        paths = [stack.enter_context(game_at(argument)) for argument in (arguments.a, arguments.b)]
        a, b = loaded_pair(paths, arguments.players)
        smallest = dict(arguments.smallest)
        known = [figure.key for figure in compared_figures(a, b)]
        for key in smallest:
            if key not in known:
                raise UsageError(f"--smallest: there is no figure {key}; there are: {', '.join(known)}")
        comment = stack.enter_context(writing(arguments.markdown)) if arguments.markdown else None
        if arguments.transcripts is not None:
            if arguments.transcripts == arguments.markdown:
                raise UsageError("--transcripts and --markdown name the same file")
            stack.enter_context(writing(arguments.transcripts)).write(example_pair(a, b, arguments.seed))
        rows, native = playing_pair(a, b, arguments.seed)
        most = most_pairs(arguments.most, native)
        with progress_bar("pairs", most) as progress:
            play = compare_play(*rows, most, arguments.jobs or os.cpu_count() or 1, smallest, progress)
        names = arguments.a, arguments.b
        report = ComparisonReport(a, b, names, rule_changes(a.files, b.files), play, arguments.seed)
        if comment is not None:
            comment.write(report.markdown())
    if arguments.json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        make_console().print(*report.shown(arguments.details, MORE), sep="\n")
    return 0


def most_pairs(wanted: int | None, native: bool) -> int:
    """How many pairs are played at most."""
    from chocolatl.interpreter.comparing.pairs import MOST

    return wanted or (MOST if native else INTERPRETED)


def loaded_pair(paths: list[Path], players: int | None) -> tuple[Game, Game]:
    """Both games, among as many players as are asked for, or as few as both can have."""
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.play.library import load

    if players is None:
        fewest, most = [], []
        for path in paths:
            findings = Findings()
            files = load_game(path, findings)
            findings.reject_errors()
            assert files is not None
            fewest.append(files.minimum)
            most.append(files.maximum)
        players = max(fewest)
        if players > min(most):
            raise UsageError("there is no number of players that both games have")
    a, b = (load(path, players) for path in paths)
    return a, b


def playing_pair(a: Game, b: Game, seed: int) -> tuple[tuple[PlaysPairs, PlaysPairs], bool]:
    """Who plays the two, and whether that is native code."""
    from chocolatl.interpreter.comparing.pairs import InterpretedPairs, NativePairs

    try:
        from chocolatl.interpreter.native.builds.limits import Refused
        from chocolatl.interpreter.native.llvm.compile import FAST
    except (ImportError, OSError):
        return (InterpretedPairs(a, seed), InterpretedPairs(b, seed)), False
    try:
        return (NativePairs(a, seed, FAST), NativePairs(b, seed, FAST)), True
    except Refused as error:
        print(f"note: the interpreter plays, since the rules are too large for native code ({error})", file=sys.stderr)
        return (InterpretedPairs(a, seed), InterpretedPairs(b, seed)), False
