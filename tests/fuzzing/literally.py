"""The rules as they are written beside the rules made shorter: one game in two programs of the interpreter
(differential testing of an optimiser).

`chocolatl.interpreter.lowered.fold` serves the interpreter and native code alike, so that neither shows what is wrong
with it. The literal program folds nothing, joins no steps and remembers nothing, and has to come to the same in the
same places.
"""

from __future__ import annotations

from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.play.match import PlayedEvent, play_on, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.fuzzing.tallies import Tally, outcome, same

GAMES = 3
"""So many are played of each program."""


def literally(game: Game, seed: int, tally: Tally | None = None) -> None:
    """The literal program goes the same way, or `Difference` is raised."""
    plain = literal(game)
    for index in range(GAMES):
        same_course(f"game {index} of the literal program", course(plain, seed, index), course(game, seed, index))
    if tally is not None:
        tally.add("games of literal programs", GAMES)


def literal(game: Game) -> Game:
    return Game(game.files, game.ir, game.program.literal, game.players)


def course(game: Game, seed: int, index: int = 0) -> list[object]:
    """All of a random game: events, positions, what is asked and may be answered, the result or how it fails, and
    whatever the rules did meanwhile."""
    found: list[object] = []
    log: Log = []

    def look(position: Position) -> None:
        found.extend([position, outcome(lambda: questions(game, position))])

    def observe(event: PlayedEvent, position: Position) -> None:
        look(position)

    try:
        start = game.initial(log)
        look(start)
        players = [RandomPlayer()] * game.player_count
        randoms = streams(seed, index, game.player_count)
        played = play_on(game, start, players, randoms, observe, log, before=found.append)
        found.append(game.result(played.position))
    except RuleError as error:
        found.append((error.span, error.message))
    return [*found, log]


def questions(game: Game, position: Position) -> list[object]:
    """What players are asked and chance may bring in a position."""
    asked: list[object] = [(d.player, d.name, d.prompt, d.answers.count()) for d in game.pending(position)]
    chance = game.chance(position)
    return asked if chance is None else [*asked, (chance.name, chance.owner, vars(chance.outcomes))]


def same_course(what: str, found: list[object], expected: list[object]) -> None:
    for number, (one, other) in enumerate(zip(found, expected, strict=False)):
        same(f"{what}, number {number} of what happens", one, other)
    same(f"how much happens in {what}", len(found), len(expected))
