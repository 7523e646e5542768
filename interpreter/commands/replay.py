"""`chocolatl replay`: transcripts checked event by event, and positions taken out of them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.deal import folder_of, put_position
from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.formats.replaying import FindGame, Replay, ReplayListener, Stopped
    from chocolatl.interpreter.play.game import Game, Position

EPILOG = """\
The game is the shipped one that the header line names, or the one of --game. A game that was played by other rules
than these (the header line holds their hash) is refused; with --any-rules its events are checked all the same, which
tells whether it could have been played by the rules as they are now.

--tell tells a game event by event, --board shows the table at its end, with a picture of the board if there is one;
with --stop-after, both do so up to there. They show all that was hidden.

Exit code: 0 all is legal; 1 something is not, a game is not complete, or it was played by other rules; 2 wrong usage
or a file that cannot be read.

examples:
  chocolatl simulate {game} --players 3 --games 10 --seed 7 --transcripts games.jsonl
  chocolatl replay games.jsonl
  chocolatl replay games.jsonl --stop-after 4 -o position.yaml
  chocolatl replay games.jsonl --number 2 --tell --board
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("file", metavar="FILE", type=Path, help="a transcript (JSON Lines) of one or more games")
    parser.add_argument("--game", metavar="GAME", help="the rules to check against: a path, or a game's name")
    parser.add_argument("--any-rules", action="store_true", help="check games that were played by other rules, too")
    parser.add_argument("--check-seed", action="store_true", help="chance must also be what the game's seed gives")
    parser.add_argument("--stop-after", metavar="N", type=int, help="write the position after N events and stop")
    parser.add_argument("--number", metavar="G", type=int, default=1, help="of game number G in the file (default 1)")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where the position goes instead of stdout")
    parser.add_argument("--tell", action="store_true", help="tell what happened in game number G")
    parser.add_argument("--board", action="store_true", help="show the table of game number G, as people see it")
    parser.add_argument("--json", action="store_true", help="print what was checked as JSON")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.formats.replaying import Replay
    from chocolatl.interpreter.formats.transcript import read_lines

    _check_usage(arguments)
    watch, tell = _storyteller() if arguments.tell else (None, None)
    replay = Replay(
        game_finder(arguments.game, arguments.any_rules),
        arguments.check_seed,
        arguments.stop_after,
        arguments.number,
        watch,
    )
    replay.run(read_lines(arguments.file))
    if not replay.problems and (arguments.stop_after is not None or arguments.tell or arguments.board):
        reached = replay.reached if arguments.stop_after is None else replay.stopped
        if reached is None:
            print(one_line(f"{arguments.file}: {_too_far(replay, arguments)}"), file=sys.stderr)
            return 1
        if tell is not None:
            tell()
        if arguments.stop_after is not None:
            return _put(reached, arguments)
        if arguments.board:
            _show(reached)
    for problem in replay.problems:
        print(one_line(f"{arguments.file}:{problem.line}: error: {problem.message}"), file=sys.stderr)
    if arguments.json:
        print(json.dumps(_as_json(replay, arguments.file), indent=2))
    elif not replay.problems:
        print(f"{_counted(replay.games, 'game')} with {_counted(replay.events, 'event')}: all of it is legal")
    return 1 if replay.problems else 0


def _check_usage(arguments: argparse.Namespace) -> None:
    shows = arguments.tell or arguments.board
    if arguments.json and shows:
        raise UsageError("--tell and --board are for people; they do not go with --json")
    if arguments.stop_after is None:
        if arguments.output is not None:
            raise UsageError("-o is for the position of --stop-after")
        if arguments.number != 1 and not shows:
            raise UsageError("--number is for the position of --stop-after, for --tell and --board")
    elif arguments.json:
        raise UsageError("--stop-after writes a position, which is YAML; it does not go with --json")
    if (arguments.stop_after or 0) < 0 or arguments.number < 1:
        raise UsageError("expected --stop-after 0 or more and --number 1 or more")


def game_finder(named: str | None, any_rules: bool) -> FindGame:
    """Finds the game for a header line, if it is not named; each game is read once for a number of players."""
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.formats.events import RefusedEvent
    from chocolatl.interpreter.play.library import WrongPlayerCount, load

    @cache
    def loaded(path: Path, player_count: int) -> Game:
        return load(path, player_count)

    def find(header: dict[str, Any]) -> Game:
        path = find_game(named) if named is not None else _named(header)
        try:
            game = loaded(path, len(header["players"]))
        except WrongPlayerCount as error:
            raise RefusedEvent(str(error)) from None
        if game.files.rules_hash != header["rules"] and not any_rules:
            found, own = header["rules"][:12], game.files.rules_hash[:12]
            advice = "--game names other rules, --any-rules checks the events all the same"
            raise RefusedEvent(
                f"this game was played by other rules ({found}...) than those of {path} ({own}...); {advice}"
            )
        return game.with_players(tuple(header["players"]))

    return find


def _named(header: dict[str, Any]) -> Path:
    """The rules that a header line names: a shipped game first, since that is what a name in a file means."""
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.games import rules_folder
    from chocolatl.interpreter.formats.events import RefusedEvent
    from chocolatl.interpreter.source import UnreadableFile

    game: str = header["game"]
    variant: str | None = header["variant"]
    folder = rules_folder() / game
    path = folder / "variants" / f"{variant}.yaml" if variant is not None else folder
    if (folder / "game.yaml").is_file() and path.exists():
        return path
    try:
        return find_game(game if variant is None else f"{game}/{variant}")
    except UnreadableFile as error:
        raise RefusedEvent(f"{error}; --game names the rules to check against") from None


def _storyteller() -> tuple[ReplayListener, Callable[[], None]]:
    """What listens to a game, and what tells it afterwards."""
    from chocolatl.interpreter.terminal.output.console import make_console
    from chocolatl.interpreter.terminal.story.story import Story

    stories: list[Story] = []

    def watch(game: Game, before: Position, event: dict[str, Any], after: Position) -> None:
        if not stories:
            stories.append(Story(game))
        stories[0].hear(before, event, after)

    def tell() -> None:
        console = make_console()
        for story in stories:
            for line in story.lines():
                console.print(line)
            console.print()

    return watch, tell


def _put(stopped: Stopped, arguments: argparse.Namespace) -> int:
    """The position of --stop-after: into a file, on the screen, or after a story nowhere."""
    from chocolatl.interpreter.formats.position import dump_position

    if arguments.output is not None or arguments.board or not arguments.tell:
        text = dump_position(stopped.game, stopped.position, folder=folder_of(arguments.output))
        put_position(stopped.game, stopped.position, text, arguments.output, arguments.board)
    return 0


def _show(reached: Stopped) -> None:
    from chocolatl.interpreter.terminal.board.position import show_position
    from chocolatl.interpreter.terminal.output.console import make_console

    show_position(reached.game, reached.position, make_console())
    print()


def _too_far(replay: Replay, arguments: argparse.Namespace) -> str:
    if replay.games < arguments.number:
        return f"there is no game number {arguments.number}; the file has {_counted(replay.games, 'game')}"
    return f"game number {arguments.number} has fewer than {arguments.stop_after} events"


def _as_json(replay: Replay, path: Path) -> dict[str, object]:
    return {
        "file": str(path),
        "ok": not replay.problems,
        "games": replay.games,
        "events": replay.events,
        "problems": [{"line": problem.line, "message": problem.message} for problem in replay.problems],
    }


def _counted(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
