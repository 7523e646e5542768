"""A whole position for one who may see everything: the table, who has chosen what in secret, and what is asked next."""

from __future__ import annotations

from rich.console import Console

from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.board.board import board, results
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.words import answer_text
from chocolatl.interpreter.terminal.story.visibility import given_answers


def show_position(game: Game, position: Position, console: Console) -> None:
    """The table, and who has to answer what; at the end of a game, the result."""
    console.print(board(game, position, None))
    for decision, answer in given_answers(game, position):
        told = f"{game.players[decision.player]} has chosen {decision.name}: {answer_text(decision, answer)}"
        console.print(one_line(told))
    for decision in game.pending(position):
        console.print(
            VisibleText(one_line(f"{game.players[decision.player]}: {decision.prompt} ({decision.name})"), "bold")
        )
    chance = game.chance(position)
    if chance is not None:
        console.print(VisibleText(f"chance decides {chance.name}", "bold"))
    elif game.is_over(position):
        console.print(results(game, game.result(position)))
