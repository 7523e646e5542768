"""`chocolatl dump`: a stage of the pipeline as text, to see what became of a rule."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.question import (
    OPTIONS,
    add_options,
    check_options,
    check_time,
    deciding_seat,
    make_question,
    option_of,
)

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.data.model import GameFiles
    from chocolatl.interpreter.formats.position import LoadedPosition
    from chocolatl.interpreter.play.game import Game

STAGES = {
    "tree": "the syntax tree of the rules, with lines",
    "program": "declarations with names and types resolved, for a number of players",
    "ir": "the typed intermediate representation",
    "python": "the code that the interpreter runs",
    "native": "the code that `simulate` compiles, in LLVM's language: of whole games, or to go on from a position",
    "assembly": "what the compiler makes of it for this processor",
    "model": "what CP-SAT gets if `solve` is asked for the best answer in a position",
    "position": "a position file as a board, with all that is hidden",
}

EPILOG = "stages:\n" + "".join(f"  {name:<10}{text}\n" for name, text in STAGES.items())
EPILOG += """
examples:
  chocolatl dump {game} --stage ir --players 3
  chocolatl deal {game} --players 3 --seed 7 -o position.yaml
  chocolatl dump position.yaml --stage position
  chocolatl dump position.yaml --stage model --player p1 --scenarios 1
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("subject", metavar="GAME|POSITION", help="a game (path or name) or a position file")
    parser.add_argument("--stage", required=True, choices=STAGES, metavar="STAGE", help=", ".join(STAGES))
    parser.add_argument("--players", metavar="N", type=int, help="for how many (default: the fewest the game is for)")
    question = parser.add_argument_group("what a model is asked, as `solve` is")
    question.add_argument("--player", metavar="P", help="whose answer (default: of the first who has to decide)")
    add_options(question)
    question.add_argument("--time-limit", metavar="T", type=float, help="seconds to make the model (default: no limit)")


def run(arguments: argparse.Namespace) -> int:
    stage = arguments.stage
    for option in ("player", *OPTIONS, "time_limit"):
        if stage != "model" and getattr(arguments, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} is for --stage model")
    loaded = _position(arguments)
    if stage == "position":
        from chocolatl.interpreter.terminal.board.position import show_position
        from chocolatl.interpreter.terminal.output.console import make_console

        loaded = _needed(loaded, arguments)
        show_position(loaded.game, loaded.position, make_console())
    elif stage == "model":
        return _write_model(arguments, _needed(loaded, arguments))
    elif stage == "tree":
        from chocolatl.interpreter.terminal.reports.tree import print_tree

        files = _files(arguments.subject) if loaded is None else loaded.game.files
        sys.stdout.write(print_tree(files.rules))
    elif stage in ("native", "assembly"):
        _write(_native(stage, _game(arguments) if loaded is None else loaded.game, loaded is not None))
    else:
        sys.stdout.write(_text(stage, _game(arguments) if loaded is None else loaded.game))
    return 0


def _write(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _needed(loaded: LoadedPosition | None, arguments: argparse.Namespace) -> LoadedPosition:
    if loaded is None:
        raise UsageError(
            f"{arguments.subject} is a game; --stage {arguments.stage} needs a position file; "
            f"`chocolatl deal {arguments.subject} --players N --seed S -o FILE` writes one"
        )
    return loaded


def _native(stage: str, game: Game, resumed: bool) -> Iterable[str]:
    try:
        from chocolatl.interpreter.native.builds.printer import NativeListing
    except (ImportError, OSError) as error:
        from chocolatl.interpreter.system.extras import why_not

        raise UsageError(f"--stage {stage}: the compiler cannot be used here ({why_not(error)})") from None
    native = NativeListing(game.program, resumed)
    return native.lines() if stage == "native" else native.machine_lines()


def _write_model(arguments: argparse.Namespace, loaded: LoadedPosition) -> int:
    from chocolatl.interpreter.system.deadline import Deadline
    from chocolatl.solver.advice import formulated
    from chocolatl.solver.methods.best import NotModelled
    from chocolatl.solver.methods.printer import print_model
    from chocolatl.solver.symbolic.unmodelled import Unsupported
    from chocolatl.solver.worth.refusals import Refusal

    check_options(arguments)
    seconds = check_time(math.inf if arguments.time_limit is None else arguments.time_limit)
    limit = Deadline(seconds)
    game, position = loaded.game, loaded.position
    pending = game.pending(position)
    if not pending:
        raise UsageError("nobody has to decide anything in this position")
    player = arguments.player if arguments.player is not None else game.players[pending[0].player]
    try:
        problem = formulated(game, position, deciding_seat(loaded, player), make_question(arguments, loaded), limit)
    except NotModelled:
        print(f"chocolatl: no scenario became a model in the time ({seconds:g} seconds)", file=sys.stderr)
        return 1
    except Refusal as error:
        raise UsageError(error.told(option_of)) from None
    except Unsupported as error:
        raise UsageError(f"{error.span}: no model can be made of this rule: {error.message}") from None
    _write(print_model(problem))
    return 0


def _text(stage: str, game: Game) -> str:
    if stage == "program":
        from chocolatl.interpreter.diagnostics import Findings
        from chocolatl.interpreter.program.declare import declare
        from chocolatl.interpreter.program.printer import print_program

        return print_program(declare(game.files, game.player_count, Findings()))
    if stage == "ir":
        from chocolatl.interpreter.ir.printer import print_ir

        return print_ir(game.ir)
    return game.program.source


def _position(arguments: argparse.Namespace) -> LoadedPosition | None:
    """The position, if the subject is a position file."""
    path = Path(arguments.subject)
    if not path.is_file():
        return None
    from chocolatl.interpreter.data.schema import kind_of
    from chocolatl.interpreter.data.strict_yaml import load
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.source import read_source

    document = load(read_source(path), Findings()) if path.suffix in (".yaml", ".yml") else None
    if document is None or kind_of(document) != "position":
        return None
    if arguments.players is not None:
        raise UsageError("--players: a position has its own number of players")
    from chocolatl.interpreter.formats.position import load_position

    findings = Findings()
    loaded = load_position(path, findings)
    findings.reject_errors()
    return loaded


def _files(subject: str) -> GameFiles:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings

    findings = Findings()
    files = load_game(find_game(subject), findings)
    findings.reject_errors()
    assert files is not None
    return files


def _game(arguments: argparse.Namespace) -> Game:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.play.library import load

    count = arguments.players if arguments.players is not None else _files(arguments.subject).minimum
    if count < 1:
        raise UsageError(f"--players: expected 1 or more; found {count}")
    return load(find_game(arguments.subject), count)
