"""A pair of games as an example of what a change does: the first that goes another way (a counterexample to
equivalence), as transcripts."""

from __future__ import annotations

from chocolatl.interpreter.formats.transcript import event_line, header_line, result_line
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.match import PlayedEvent, play_game
from chocolatl.interpreter.players.uniform import RandomPlayer

LOOKED_AT = 100
"""In so many pairs it is looked for one that differs; if none does it is the first one."""


def example_pair(a: Game, b: Game, seed: int) -> str:
    """The game of A and that of B, which share their luck, one after the other."""
    for index in range(LOOKED_AT):
        one, other = (paired_transcript(game, seed, index) for game in (a, b))
        if one[1:] != other[1:]:
            return "".join((*one, *other))
    return "".join((*paired_transcript(a, seed, 0), *paired_transcript(b, seed, 0)))


def paired_transcript(game: Game, seed: int, index: int) -> list[str]:
    """The lines of a game of random players whose numbers are keyed by what they are for."""
    events: list[PlayedEvent] = []
    players = [RandomPlayer()] * game.player_count
    played = play_game(game, players, seed, index, before=events.append, paired=True)
    result = result_line(game, game.result(played.position))
    return [header_line(game, seed, index, paired=True), *map(event_line, events), result]
