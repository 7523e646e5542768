"""`chocolatl deal`: a position at the first decision of a game, or of one of its rounds after random play."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.lowered.random import Random, State
    from chocolatl.interpreter.play.game import Game, Position

EPILOG = """\
The position is YAML: read it, edit it, and give it to `play --from`, `simulate --from`, `check` or `dump`. With --board
the table is shown instead, as people see it: with a picture of the board, if there is one, and with all that is hidden;
together with -o, the position is written as well.

Exit code: 0 fine; 1 there is no such decision in this game; 2 wrong usage, such as a round of a game without rounds.

examples:
  chocolatl deal {game} --players 3 --seed 7
  chocolatl deal {game} --players ada=random,ben=random,cleo=random --seed 7 -o position.yaml
  chocolatl deal {game} --players 3 --seed 7 --board
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", help="a game folder or variant file, or the name of a shipped game")
    parser.add_argument("--players", metavar="N", required=True, help="how many, or names: ada=random,ben=random")
    parser.add_argument("--seed", metavar="S", type=int, required=True, help="the seed of all that is random")
    parser.add_argument("--to-round", metavar="R", type=int, help="the first decision inside round R instead")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where the position goes instead of stdout")
    parser.add_argument("--board", action="store_true", help="show the table instead of the YAML")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.formats.position import dump_position
    from chocolatl.interpreter.play.library import load
    from chocolatl.interpreter.play.match import streams
    from chocolatl.interpreter.players.registry import WrongPlayers, parse_players

    try:
        players = parse_players(arguments.players)
    except WrongPlayers as error:
        raise UsageError(f"--players: {error}") from None
    game = load(find_game(arguments.game), tuple(name for name, _ in players))
    wanted = arguments.to_round
    if wanted is not None and wanted < 1:
        raise UsageError(f"--to-round: rounds count from 1; found {wanted}")
    if wanted is not None and not game.has_rounds:
        raise UsageError(f"--to-round: {game.files.name} has no rounds")
    randoms = streams(arguments.seed, 0, game.player_count)
    position = played_to(game, wanted, randoms)
    if position is None:
        where = "no decision" if wanted is None else f"no decision in a round {wanted}"
        print(f"chocolatl: {game.files.name} with seed {arguments.seed} comes to {where}", file=sys.stderr)
        return 1
    random = random_data(arguments.seed, [random.state() for random in randoms])
    text = dump_position(game, position, random, folder_of(arguments.output))
    put_position(game, position, text, arguments.output, arguments.board)
    return 0


def folder_of(output: Path | None) -> Path:
    """Where a position will lie; one that is printed is taken to be kept in the folder one stands in."""
    return output.resolve().parent if output is not None else Path.cwd()


def put_position(game: Game, position: Position, text: str, output: Path | None, show: bool) -> None:
    """Write a position to a file, show it to people, or else print it."""
    from chocolatl.interpreter.formats.files import write_text

    if output is not None:
        write_text(output, text)
        print(one_line(f"{output} written"), file=sys.stderr)
    if show:
        from chocolatl.interpreter.terminal.board.position import show_position
        from chocolatl.interpreter.terminal.output.console import make_console

        show_position(game, position, make_console())
    elif output is None:
        sys.stdout.write(text)


def played_to(game: Game, wanted: int | None, randoms: Sequence[Random]) -> Position | None:
    """The first decision of a round, or of the game; None if random play never comes to it."""
    from chocolatl.interpreter.play.match import play_on
    from chocolatl.interpreter.players.uniform import RandomPlayer

    def reached(position: Position, decisions: int) -> bool:
        if wanted is not None and game.round(position) > wanted:
            return True
        return bool(game.pending(position)) and wanted in (None, game.round(position))

    start = game.initial()
    players = [RandomPlayer()] * game.player_count
    end = start if reached(start, 0) else play_on(game, start, players, randoms, until=reached).position
    return end if game.pending(end) and wanted in (None, game.round(end)) else None


def random_data(seed: int, states: Sequence[State]) -> dict[str, Any]:
    """`random` of a position: where the generators of chance and of each seat are, so that the same game goes on."""
    return {"seed": seed, "game": 0, "streams": [list(state) for state in states]}
