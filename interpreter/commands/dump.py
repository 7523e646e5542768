"""`chocolatl dump`: a stage of the pipeline as text, to see what became of a rule."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from interpreter.commands.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from interpreter.data.model import GameFiles
    from interpreter.formats.position import LoadedPosition
    from interpreter.game import Game

STAGES = {
    "tree": "the syntax tree of the rules, with lines",
    "program": "declarations with names and types resolved, for a number of players",
    "ir": "the typed intermediate representation",
    "python": "the code that the interpreter runs",
    "position": "a position file as a board, with all that is hidden",
}

EPILOG = "stages:\n" + "".join(f"  {name:<10}{text}\n" for name, text in STAGES.items())
EPILOG += """
examples:
  chocolatl dump {game} --stage ir --players 3
  chocolatl deal {game} --players 3 --seed 7 -o position.yaml
  chocolatl dump position.yaml --stage position
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("subject", metavar="GAME|POSITION", help="a game (path or name) or a position file")
    parser.add_argument("--stage", required=True, choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--players", metavar="N", type=int, help="for how many (default: the fewest the game is for)")


def run(arguments: argparse.Namespace) -> int:
    loaded = _position(arguments)
    if arguments.stage == "position":
        if loaded is None:
            raise UsageError(f"{arguments.subject} is a game; --stage position needs a position file")
        from interpreter.terminal.console import make_console
        from interpreter.terminal.position import show_position

        show_position(loaded.game, loaded.position, make_console())
    elif arguments.stage == "tree":
        from interpreter.terminal.tree import print_tree

        files = _files(arguments.subject) if loaded is None else loaded.game.files
        sys.stdout.write(print_tree(files.rules))
    else:
        sys.stdout.write(_text(arguments.stage, _game(arguments) if loaded is None else loaded.game))
    return 0


def _text(stage: str, game: Game) -> str:
    if stage == "program":
        from interpreter.diagnostics import Findings
        from interpreter.program.declare import declare
        from interpreter.program.printer import print_program

        return print_program(declare(game.files, game.player_count, Findings()))
    if stage == "ir":
        from interpreter.ir.printer import print_ir

        return print_ir(game.ir)
    return game.program.source


def _position(arguments: argparse.Namespace) -> LoadedPosition | None:
    """The position, if the subject is a position file."""
    path = Path(arguments.subject)
    if not path.is_file():
        return None
    from interpreter.data.schema import kind_of
    from interpreter.data.strict_yaml import load
    from interpreter.diagnostics import Findings
    from interpreter.source import read_source

    document = load(read_source(path), Findings()) if path.suffix in (".yaml", ".yml") else None
    if document is None or kind_of(document) != "position":
        return None
    if arguments.players is not None:
        raise UsageError("--players: a position has its own number of players")
    from interpreter.formats.position import load_position

    findings = Findings()
    loaded = load_position(path, findings)
    findings.reject_errors()
    return loaded


def _files(subject: str) -> GameFiles:
    from interpreter.data.find import find_game
    from interpreter.data.load import load_game
    from interpreter.diagnostics import Findings

    findings = Findings()
    files = load_game(find_game(subject), findings)
    findings.reject_errors()
    assert files is not None
    return files


def _game(arguments: argparse.Namespace) -> Game:
    from interpreter.data.find import find_game
    from interpreter.library import load

    count = arguments.players if arguments.players is not None else _files(arguments.subject).minimum
    if count < 1:
        raise UsageError(f"--players: expected 1 or more; found {count}")
    return load(find_game(arguments.subject), count)
