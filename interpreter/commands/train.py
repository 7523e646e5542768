"""`chocolatl train`: learn to play a game well, by itself, and write what was learned to a policy file."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.policy_figures import explain, measure
from chocolatl.interpreter.commands.shared.catching_up import one_thread_each
from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import drawing, jobs, positive

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.formats.policy_file import Section
    from chocolatl.interpreter.learning.lessons import Learned
    from chocolatl.interpreter.learning.unfinished import Unfinished
    from chocolatl.interpreter.play.game import Game

EPILOG = """\
Of a small game for one or two players a table is learned (counterfactual regret minimisation): at its end it is told
what all players together could still gain by best responses. Any other game is learned by playing, against itself,
against what it was before, and against players that learn to beat it; what it is worth is told by its victories among
random players. That alone says little: let it play among `greedy` too (`simulate --players learned,greedy,...`).

The same seed and number of updates give the same file, however many jobs work. With --minutes there are as many updates
as there is time for; the file tells how many, so that the same can be done again. Without either it is half a minute.
What one training shows may be its own and not the game's: with --again another one, by another --seed, is added, and
`simulate` tells what all of them show.
Ctrl-C ends learning and keeps what was learned; the file says that it was interrupted. With --resume it goes on from
there, and comes to the same file as if nobody had interrupted it.

Exit code: 0 fine; 2 wrong usage; 130 interrupted (the file is written all the same, if anything was learned).

examples:
  chocolatl train {game} --players 2 --minutes 2
  chocolatl train {game} --players 2 --updates 50 --seed 7 -o policy.yaml --json
"""

UNASKED = 0.5
"""So many minutes it learns unless it is told otherwise."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", nargs="?", help="a game: a path, a name, or `game/variant`")
    parser.add_argument("--players", metavar="N", type=positive, help="for how many (default: the fewest)")
    parser.add_argument("--updates", metavar="U", type=positive, help="how often what is learned is improved")
    parser.add_argument("--minutes", metavar="M", type=_minutes, help="how long to learn (default 0.5)")
    parser.add_argument("--seed", metavar="S", type=int, help="the seed of all that is random (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, help="how many work at a time (default: all processors)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="where it goes (default policy.yaml); sections for other numbers of players stay",
    )
    parser.add_argument(
        "--cache", action="store_true", help="keep it where `learned` looks for variants and edited rules, instead"
    )
    parser.add_argument(
        "--again", action="store_true", help="keep what is there and add this training, by another seed, to it"
    )
    parser.add_argument("--resume", action="store_true", help="go on with a training that was interrupted")
    parser.add_argument("--from", dest="start", metavar="FILE", type=Path, help="go on from the weights of a file")
    parser.add_argument(
        "--measure",
        metavar="FILE",
        type=Path,
        help="measure how much a policy can be exploited, and note it there",
    )
    parser.add_argument(
        "--explain", metavar="FILE", type=Path, help="tell what a policy likes to do, by choice and round"
    )
    parser.add_argument("--plot", metavar="FILE", type=drawing, help="with --explain: draw it, too (SVG)")
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
    if arguments.plot is not None and arguments.explain is None:
        raise UsageError("--plot goes with --explain")
    if arguments.measure is not None:
        return measure(arguments)
    if arguments.explain is not None:
        return explain(arguments)
    if arguments.game is None:
        raise UsageError("a game is needed: GAME, or a policy with --measure or --explain")
    from chocolatl.interpreter.formats.policy_cache import cached_path
    from chocolatl.interpreter.formats.policy_file import load_sections
    from chocolatl.interpreter.formats.policy_weights import WrongPolicy
    from chocolatl.interpreter.learning.lessons import Lesson, learn
    from chocolatl.interpreter.learning.unfinished import DamagedTraining, beside
    from chocolatl.interpreter.system.escaping import one_line
    from chocolatl.interpreter.terminal.output.console import show_lines
    from chocolatl.interpreter.terminal.reports.learning import learning_shown

    if arguments.updates is not None and arguments.minutes is not None:
        raise UsageError("--updates and --minutes exclude each other: one says how much to learn, the other how long")
    if arguments.cache and arguments.output is not None:
        raise UsageError("--cache and --output exclude each other: both say where the policy goes")
    game = _game(arguments)
    arguments.output = cached_path(game) if arguments.cache else arguments.output or Path("policy.yaml")
    sections = load_sections(arguments.output, game)  # before anything is learned: it may not be one to write into
    if arguments.again:
        _check_again(sections.get(game.player_count), arguments, game)
    minutes = arguments.minutes if arguments.minutes is not None else UNASKED
    seconds = minutes * 60 if arguments.updates is None else None
    start = None
    if arguments.start is not None:
        start = load_sections(arguments.start, game).get(game.player_count)
        if start is None or "weights" not in start:
            raise UsageError(f"--from: {arguments.start} has no weights for {game.player_count} players")
    count = arguments.jobs or os.cpu_count() or 1
    unfinished = _unfinished(arguments, game) if arguments.resume else None
    lesson = Lesson(game, arguments.seed or 0, arguments.updates, seconds, count, start, unfinished)
    try:
        with learning_shown() as told:
            learned = learn(lesson, told)
    except WrongPolicy as error:
        raise UsageError(f"--from: {arguments.start}: {error}") from None
    except DamagedTraining as error:
        raise UsageError(f"--resume: {beside(arguments.output)}: {error}") from None
    _keep(learned, game, arguments)
    if arguments.json:
        print(json.dumps(summary(game, learned, arguments.output), indent=2))
    else:
        show_lines(_told(game, learned))
        print(f"written to {one_line(str(arguments.output))}")
    if learned.interrupted:
        where = ["--again"] * arguments.again
        where += ["--cache"] if arguments.cache else ["-o", str(arguments.output)]
        again = shlex.join(_command(arguments, game, "--resume", *where))
        print(f"interrupted after {learned.updates:,} updates; go on with:\n  {one_line(again)}", file=sys.stderr)
    return 130 if learned.interrupted else 0


def _unfinished(arguments: argparse.Namespace, game: Game) -> Unfinished:
    """The interrupted training beside the policy."""
    from chocolatl.interpreter.learning.continued import check_unfinished
    from chocolatl.interpreter.learning.unfinished import DamagedTraining, beside, read_unfinished

    for given, name in (
        (arguments.updates, "--updates"),
        (arguments.minutes, "--minutes"),
        (arguments.seed, "--seed"),
        (arguments.start, "--from"),
    ):
        if given is not None:
            raise UsageError(f"--resume goes on with what was begun: {name} does not go with it")
    unfinished = read_unfinished(beside(arguments.output))
    try:
        check_unfinished(unfinished, game)
    except DamagedTraining as error:
        raise UsageError(f"--resume: {beside(arguments.output)}: {error}") from None
    return unfinished


def _check_again(section: Section | None, arguments: argparse.Namespace, game: Game) -> None:
    """Whether there is something that another training can stand beside."""
    where = f"{arguments.output}: "
    if section is None:
        raise UsageError(f"--again: {where}nothing is learned for {game.player_count} players yet")
    if "table" in section:
        raise UsageError(f"--again: {where}a table is not learned again, since no seed decides it")
    if section["rules"] != game.files.rules_hash:
        raise UsageError(f"--again: {where}what is there was learned for other rules")
    if section["recipe"].get("seed") == arguments.seed:
        raise UsageError(f"--again: {where}what is there was learned by seed {arguments.seed}; choose another --seed")


def _keep(learned: Learned, game: Game, arguments: argparse.Namespace) -> None:
    """Write what was learned, and what is needed to go on if it was interrupted."""
    from chocolatl.interpreter.formats.policy_file import load_sections, with_training, write_section
    from chocolatl.interpreter.learning.unfinished import beside, write_unfinished

    section = learned.section
    if arguments.again:
        section = with_training(load_sections(arguments.output, game)[game.player_count], section)
    write_section(arguments.output, game, section)
    if learned.unfinished is not None:
        write_unfinished(beside(arguments.output), learned.unfinished)
    elif arguments.resume:
        beside(arguments.output).unlink(missing_ok=True)


def _command(arguments: argparse.Namespace, game: Game, *options: str) -> list[str]:
    return ["chocolatl", "train", arguments.game, "--players", str(game.player_count), *options]


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


def summary(game: Game, learned: Learned, path: Path) -> dict[str, Any]:
    return {
        "game": game.files.name,
        "players": game.player_count,
        "method": learned.method,
        "updates": learned.updates,
        "seed": learned.section["recipe"]["seed"],
        "seconds": round(learned.seconds, 2),
        "interrupted": learned.interrupted,
        "strength": learned.strength,
        "file": str(path),
    }


def _told(game: Game, learned: Learned) -> list[str]:
    from chocolatl.interpreter.terminal.reports.policies import exploited

    strength = {name: value / 10_000 for name, value in learned.strength.items()}
    players = f"{game.player_count} player{'s' if game.player_count > 1 else ''}"
    lines = [f"{game.files.name}, {players}: {learned.updates:,} updates in {learned.seconds:.1f} seconds"]
    if "nash_conv" in strength:
        ours, theirs = f"{strength['nash_conv']:.4f}", f"{strength['uniform']:.4f}"
        lines.append(f"best responses gain {ours} against it; {theirs} against uniform play")
    elif "among_random" in strength:
        lines.append(
            f"wins {strength['among_random']:.1%} of {learned.strength['games']:,} games among random players "
            f"(surely {strength['at_least']:.1%}); how it does among competent ones is for `simulate` to tell"
        )
    if "nash_conv" not in strength:
        lines += exploited(learned.section, game.player_count)
    return lines
