"""How the interpreter counts what happens in the games of a series: players are asked by somebody who notes what they
answer, and the probes of the literal program tell which procedures ran."""

from __future__ import annotations

from interpreter.game import Answer, Decision, Game, Position
from interpreter.match import Observe, Played, Player, play_game
from interpreter.occurrences import Counting, Occurrences
from interpreter.random import Random


class CountedGames:
    """Plays games of a series and counts. What always holds is looked at, as in any game."""

    def __init__(self, game: Game, players: list[Player], occurrences: Occurrences) -> None:
        program = game.program.literal
        assert program.watch is not None
        self.watch = program.watch
        self.literal = Game(game.files, program.game, program, game.players)
        self.counting = Counting(occurrences)
        self.players = [_Noted(player, game, self.counting) for player in players]
        parts = enumerate(self.watch.parts)
        self.procedures = [(probe, part.name) for probe, part in parts if part.kind == "procedure"]

    def play(self, seed: int, index: int, observe: Observe | None = None, start: Position | None = None) -> Played:
        self.watch.runs = [0] * len(self.watch.parts)
        played = play_game(self.literal, self.players, seed, index, observe, start)
        for probe, name in self.procedures:
            self.counting.ran(name, self.watch.runs[probe])
        self.counting.end()
        return played


class _Noted:
    """A player whose answers are counted. It plays the game that was asked for, which is faster than the literal one
    when it looks ahead; a position is the same in both."""

    def __init__(self, player: Player, game: Game, counting: Counting) -> None:
        self.player = player
        self.game = game
        self.counting = counting

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        stop = self.game.program.stops[decision.stop.pc]
        answer = self.player.choose(self.game, position, Decision(self.game, decision.slots, stop), random)
        label = game.program.index[stop.pc](decision.slots)
        self.counting.answered(decision.node, label, answer)
        return answer
