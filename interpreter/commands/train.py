"""`chocolatl train`: learn to play a game well, by itself, and write what was learned to a policy file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.errors import UsageError
from chocolatl.interpreter.commands.numbers import jobs, positive

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.learning.lessons import Learned, LearningNews
    from chocolatl.interpreter.play.game import Game

EPILOG = """\
Of a small game for one or two players a table is learned (counterfactual regret minimisation): at its end it is told
what all players together could still gain by best responses. Any other game is learned by playing, against itself,
against what it was before, and against players that learn to beat it; what it is worth is told by its victories among
random players. That alone says little: let it play among `greedy` too (`simulate --players learned,greedy,...`).

The same seed and number of updates give the same file, however many jobs work. With --minutes there are as many updates
as there is time for; the file tells how many, so that the same can be done again. Without either it is half a minute.
Ctrl-C ends learning and keeps what was learned; the file says that it was interrupted.

Exit code: 0 fine; 2 wrong usage; 130 interrupted (the file is written all the same, if anything was learned).

examples:
  chocolatl train {game} --players 2 --minutes 2
  chocolatl train {game} --players 2 --updates 50 --seed 7 -o policy.yaml --json
"""

UNASKED = 0.5
"""So many minutes it learns unless it is told otherwise."""

SPARKS = "▁▂▃▄▅▆▇█"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", help="a game: a path, a name, or `game/variant`")
    parser.add_argument("--players", metavar="N", type=positive, help="for how many (default: the fewest)")
    parser.add_argument("--updates", metavar="U", type=positive, help="how often what is learned is improved")
    parser.add_argument("--minutes", metavar="M", type=_minutes, help="how long to learn (default 0.5)")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of all that is random (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, help="how many work at a time (default: all processors)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        default=Path("policy.yaml"),
        help="where it goes (default policy.yaml); sections for other numbers of players stay",
    )
    parser.add_argument("--from", dest="start", metavar="FILE", type=Path, help="go on from the weights of a file")
    parser.add_argument("--json", action="store_true", help="print a summary as JSON")


def _minutes(text: str) -> float:
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= 10_000:
        raise argparse.ArgumentTypeError(f"expected a number of minutes above 0; found {text[:40]!r}")
    return minutes


def run(arguments: argparse.Namespace) -> int:
    one_thread_each()
    from chocolatl.interpreter.formats.policy_file import load_sections, write_section
    from chocolatl.interpreter.formats.policy_weights import WrongPolicy
    from chocolatl.interpreter.learning.lessons import Lesson, learn

    if arguments.updates is not None and arguments.minutes is not None:
        raise UsageError("--updates and --minutes exclude each other: one says how much to learn, the other how long")
    game = _game(arguments)
    load_sections(arguments.output, game)  # before anything is learned: it may not be one to write into
    minutes = arguments.minutes if arguments.minutes is not None else UNASKED
    seconds = minutes * 60 if arguments.updates is None else None
    start = None
    if arguments.start is not None:
        start = load_sections(arguments.start, game).get(game.player_count)
        if start is None or "weights" not in start:
            raise UsageError(f"--from: {arguments.start} has no weights for {game.player_count} players")
    count = arguments.jobs or os.cpu_count() or 1
    lesson = Lesson(game, arguments.seed, arguments.updates, seconds, count, start)
    try:
        with _progress() as told:
            learned = learn(lesson, told)
    except WrongPolicy as error:
        raise UsageError(f"--from: {arguments.start}: {error}") from None
    write_section(arguments.output, game, learned.section)
    if arguments.json:
        print(json.dumps(summary(game, learned, arguments), indent=2))
    else:
        print("\n".join(_told(game, learned, arguments.output)))
    if learned.interrupted:
        print(f"interrupted after {learned.updates:,} updates", file=sys.stderr)
    return 130 if learned.interrupted else 0


def one_thread_each() -> None:
    """Products of matrices are dealt out by us already: threads of their library would only wait for one another. It
    looks here when it is imported, which is later."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def _game(arguments: argparse.Namespace) -> Game:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.play.library import load

    path = find_game(arguments.game)
    count = arguments.players
    if count is None:
        findings = Findings()
        files = load_game(path, findings)
        findings.reject_errors()
        assert files is not None
        count = files.minimum
    return load(path, count)


def summary(game: Game, learned: Learned, arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "game": game.files.name,
        "players": game.player_count,
        "method": learned.method,
        "updates": learned.updates,
        "seed": arguments.seed,
        "seconds": round(learned.seconds, 2),
        "interrupted": learned.interrupted,
        "strength": learned.strength,
        "file": str(arguments.output),
    }


def _told(game: Game, learned: Learned, path: Path) -> list[str]:
    from chocolatl.interpreter.system.escaping import one_line

    strength = {name: value / 10_000 for name, value in learned.strength.items()}
    players = f"{game.player_count} player{'s' if game.player_count > 1 else ''}"
    lines = [f"{game.files.name}, {players}: {learned.updates:,} updates in {learned.seconds:.1f} seconds"]
    if "nash_conv" in strength:
        ours, theirs = f"{strength['nash_conv']:.4f}", f"{strength['uniform']:.4f}"
        lines.append(f"best responses gain {ours} against it; {theirs} against uniform play")
    else:
        lines.append(
            f"wins {strength['among_random']:.1%} of {learned.strength['games']:,} games among random players "
            f"(surely {strength['at_least']:.1%}); how it does among competent ones is for `simulate` to tell"
        )
    return [*lines, f"written to {one_line(str(path))}"]


@contextmanager
def _progress() -> Iterator[Callable[[LearningNews], object]]:
    """How learning goes, as a line and a curve on the terminal, and nothing anywhere else."""
    if not sys.stderr.isatty():
        yield lambda news: None
        return
    from rich.live import Live

    from chocolatl.interpreter.terminal.output.console import VisibleText, make_console

    curve: list[float] = []
    with Live(console=make_console(sys.stderr), transient=True, refresh_per_second=4) as live:

        def told(news: LearningNews) -> None:
            if news.level is not None:
                curve.append(news.level)
            live.update(VisibleText(f"{news.text}  {drawn_curve(curve)}"))

        yield told


def drawn_curve(levels: list[float], width: int = 40) -> str:
    """Levels from 0 to 1 as a row of bars: the mean of each stretch."""
    if not levels:
        return ""
    count = min(width, len(levels))
    cuts = [len(levels) * number // count for number in range(count + 1)]
    means = [sum(levels[a:b]) / (b - a) for a, b in pairwise(cuts)]
    return "".join(SPARKS[min(len(SPARKS) - 1, int(mean * len(SPARKS)))] for mean in means)
