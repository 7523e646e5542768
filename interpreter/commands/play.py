"""`chocolatl play`: a game in the terminal, with undo, saved when it is left."""

from __future__ import annotations

import argparse
import secrets
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.deal import folder_of, random_data
from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.lowered.lowered_game import Log
    from chocolatl.interpreter.lowered.random import Random
    from chocolatl.interpreter.play.game import Decision, Game, Position
    from chocolatl.interpreter.play.match import Player
    from chocolatl.interpreter.terminal.asking.hints import Hint
    from chocolatl.interpreter.terminal.asking.session import GameProgress
    from chocolatl.solver.question import SolverQuestion

PERSON = "you"
OPPONENT = "greedy"
HINT = 10.0
"""The budget for finding a hint: a fraction of a second in native code, ten seconds without it."""

EPILOG = """\
While you play: answers are typed as the question says; `look`, `hint`, `take`, `undo`, `save FILE`, `help` and
`quit` are commands.
Whoever leaves (quit, Ctrl-D, Ctrl-C, or a window that is closed) finds the position in a file, and is told how to go
on from it.

examples:
  chocolatl play {game} --players you,greedy,random
  chocolatl play {game} --players ada=you,ben=you --seed 7
  chocolatl play --from position.yaml --players you,greedy,greedy
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="a game folder or variant file, or the name of a shipped game"
    )
    parser.add_argument(
        "--players",
        metavar="TYPES",
        help="by seat: you, greedy, learned, solver, random; or how many, yourself included",
    )
    parser.add_argument(
        "--accept-stale", action="store_true", help="follow a policy that was learned for other rules, too"
    )
    parser.add_argument("--seed", metavar="S", type=int, help="the seed of all that is random (default: any)")
    parser.add_argument("--from", dest="start", metavar="POSITION", type=Path, help="go on from a position file")
    parser.add_argument("--save", metavar="FILE", type=Path, help="where the position goes when you leave")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.play.game import RuleError
    from chocolatl.interpreter.system.signals import cleared
    from chocolatl.interpreter.terminal.asking.session import GameProgress, LeaveGame, Session
    from chocolatl.interpreter.terminal.output.console import make_console

    with suppress(ImportError):  # where it is there, lines can be edited and fetched back
        import readline  # noqa: F401
    opening: Log = []
    game, position, randoms, seed = _start(arguments, opening)
    types = _types(arguments.players, game)
    players = _make_players(types)
    for note in _seated([player for player in players if player is not None], game, arguments.accept_stale):
        print(one_line(f"note: {note}"), file=sys.stderr)
    course = GameProgress(position, tuple(random.state() for random in randoms))

    def save(course: GameProgress, path: Path) -> None:
        _save(game, course, seed, path)

    console = make_console()
    session = Session(game, players, course, console, _read, save, opening, _hint(game))
    console.print(f"{game.files.title}: {', '.join(_called(game, types))}")
    console.print(f"Seed {seed}; `help` lists what you can type beside answers.")
    try:
        with cleared(lambda: _leave(session.course, game, seed, types, arguments)):
            session.run()
    except (LeaveGame, EOFError):
        _leave(session.course, game, seed, types, arguments)
    except (KeyboardInterrupt, OSError):  # or the terminal is gone
        _leave(session.course, game, seed, types, arguments)
        raise
    except RuleError:  # another answer may lead on
        _leave(session.before_last_answer, game, seed, types, arguments)
        raise
    return 0


# ---------------------------------------------------------------- who plays what


def _start(arguments: argparse.Namespace, opening: Log) -> tuple[Game, Position, tuple[Random, ...], int]:
    """Game, position, random numbers and the seed to tell."""
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.position import load_position
    from chocolatl.interpreter.play.library import load
    from chocolatl.interpreter.play.match import streams

    path = find_game(arguments.game) if arguments.game is not None else None
    seed = arguments.seed if arguments.seed is not None else secrets.randbelow(1_000_000)
    if arguments.start is not None:
        findings = Findings()
        loaded = load_position(arguments.start, findings, path)
        findings.reject_errors()
        assert loaded is not None
        count = loaded.game.player_count
        if arguments.seed is None and loaded.random is not None:
            return loaded.game, loaded.position, *_kept(loaded.random, count, arguments.start)
        return loaded.game, loaded.position, streams(seed, 0, count), seed
    if path is None:
        raise UsageError("name a GAME to play, or a position with --from")
    game = load(path, _names(arguments.players, path))
    return game, game.initial(opening), streams(seed, 0, game.player_count), seed


def _kept(random: dict[str, Any], count: int, path: Path) -> tuple[tuple[Random, ...], int]:
    """The random numbers that a position goes on with."""
    from chocolatl.interpreter.lowered.random import Random

    seed, states = random.get("seed"), random.get("streams")
    if type(seed) is not int or not isinstance(states, list) or len(states) != count + 1:
        raise UsageError(f"{path}: `random` needs a seed and {count + 1} streams; without `random` any seed will do")
    try:
        return tuple(Random.from_state(state) for state in states), seed
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path}: `random`: {error}") from None


def _parsed(text: str) -> list[tuple[str, str]]:
    from chocolatl.interpreter.players.registry import WrongPlayers, parse_players
    from chocolatl.solver.players import PROVIDED

    try:
        players = parse_players(text, (PERSON, *PROVIDED))
    except WrongPlayers as error:
        raise UsageError(f"--players: {error}") from None
    if text.strip().isdecimal():
        return [(name, PERSON if seat == 0 else OPPONENT) for seat, (name, _) in enumerate(players)]
    return players


def _names(text: str | None, path: Path) -> tuple[str, ...] | int:
    """The names of the players; without any word about them, as few as the game is for."""
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings

    if text is not None:
        return tuple(name for name, _ in _parsed(text))
    findings = Findings()
    files = load_game(path, findings)
    findings.reject_errors()
    assert files is not None
    return files.minimum


def _types(text: str | None, game: Game) -> list[str]:
    if text is None:
        return [PERSON] + [OPPONENT] * (game.player_count - 1)
    types = [type_ for _, type_ in _parsed(text)]
    if len(types) != game.player_count:
        raise UsageError(f"--players: this position has {game.player_count} players, not {len(types)}")
    if PERSON not in types:
        raise UsageError(f"--players: nobody is `{PERSON}`; `simulate` plays without people")
    return types


def _make_players(types: list[str]) -> list[Player | None]:
    from chocolatl.solver.players import make_player

    return [None if type_ == PERSON else make_player(type_) for type_ in types]


def _seated(players: list[Player], game: Game, accept_stale: bool) -> list[str]:
    """Get them ready; a policy for other rules catches up first."""
    from chocolatl.interpreter.commands.shared.catching_up import catch_up
    from chocolatl.interpreter.players.learned import StalePolicy
    from chocolatl.interpreter.players.registry import take_seats

    try:
        return take_seats(players, game, accept_stale)
    except StalePolicy as stale:
        catch_up(stale)
    return take_seats(players, game, accept_stale)


def hint_question(game: Game, far: bool = False, work: float = HINT) -> SolverQuestion:
    """What is asked for a hint: what `solve --work 10` asks of the same position."""
    from chocolatl.solver.question import HorizonKind, question_of

    return question_of(game, work=work, horizon=HorizonKind.FAR if far else HorizonKind.ROUND)


def _hint(game: Game) -> Callable[[Position, Decision, bool], Hint]:
    """What the solver would answer, in the words of the rules."""

    def hint(position: Position, decision: Decision, far: bool) -> Hint:
        from chocolatl.interpreter.play.game import RuleError
        from chocolatl.interpreter.system.extras import why_not
        from chocolatl.interpreter.terminal.asking.hints import Hint
        from chocolatl.interpreter.terminal.reports.hint import hint_lines
        from chocolatl.solver.advice import advise
        from chocolatl.solver.worth.refusals import Refusal

        player = decision.player
        try:
            question = hint_question(game, far)
            advice = advise(game, position, player, question, contests=False)
        except (Refusal, RuleError) as error:
            return Hint(position, player, (), [f"no hint: {error}"])
        except ModuleNotFoundError as error:  # a game goes on without hints
            return Hint(position, player, (), [f"no hint: {why_not(error)}"])
        return Hint(position, player, advice.answers, hint_lines(game, position, player, question, advice))

    return hint


def _called(game: Game, types: list[str]) -> list[str]:
    return [f"{name} ({type_})" for name, type_ in zip(game.players, types, strict=True)]


# ---------------------------------------------------------------- keyboard and files


def _read(prompt: str) -> str:
    """A line from the keyboard, or from a file, whose lines are shown as if they were typed."""
    if sys.stdin.isatty():
        return input(one_line(prompt))
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    print(prompt + line.rstrip("\n"))
    return line


def _save(game: Game, course: GameProgress, seed: int, path: Path) -> None:
    from chocolatl.interpreter.formats.files import write_text
    from chocolatl.interpreter.formats.position import dump_position

    write_text(path, dump_position(game, course.position, random_data(seed, course.randoms), folder_of(path)))


def _leave(course: GameProgress, game: Game, seed: int, types: list[str], arguments: argparse.Namespace) -> None:
    """Save, and tell how to go on. A file of the default name that is there already is left alone."""
    path = arguments.save
    if path is None:
        names = [Path(f"{game.files.name}{number}.position.yaml") for number in ("", *range(2, 1000))]
        path = next((name for name in names if not name.exists()), names[-1])
    _save(game, course, seed, path)
    words = ["chocolatl", "play"]
    if arguments.game is not None:
        words.append(arguments.game)
    words += ["--from", str(path), "--players", ",".join(types)]
    print(f"\n{one_line(f'Saved: {path}. Go on with:')}\n{one_line(f'  {shlex.join(words)}')}", flush=True)
