"""How the interpreter counts what happens in the games of a series: players are asked by somebody who notes what they
answer, and the literal program tells which procedures ran and what ended the game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position, RuleError
from chocolatl.interpreter.play.match import Observe, Played, Player, play_game
from chocolatl.interpreter.statistics.occurrences import Counting, Occurrences


class CountedGames:
    """Plays games of a series and counts. What always holds is looked at, as in any game."""

    def __init__(self, game: Game, players: list[Player], occurrences: Occurrences) -> None:
        program = game.program.literal
        assert program.watch is not None
        self.watch = program.watch
        self.literal = Game(game.files, program.game, program, game.players)
        self.counting = Counting(occurrences)
        self.players = [_CountedPlayer(player, game, self.counting) for player in players]
        parts = enumerate(self.watch.parts)
        self.procedures = [(probe, part.name) for probe, part in parts if part.kind == "procedure"]

    def play(self, seed: int, index: int, observe: Observe | None = None, start: Position | None = None) -> Played:
        self.watch.runs = [0] * len(self.watch.parts)
        self.watch.ending = self.ended
        try:
            played = play_game(self.literal, self.players, seed, index, observe, start)
        finally:
            self.watch.ending = None
        for probe, name in self.procedures:
            self.counting.ran(name, self.watch.runs[probe])
        self.counting.end()
        return played

    def ended(self, slots: list[int], number: int) -> None:
        alternatives: tuple[Callable[[], object], ...] = self.literal.program.functions[f"alternatives_{number}"](slots)
        self.counting.ended(number, map(_holds, alternatives))


def _holds(alternative: Callable[[], object]) -> bool:
    """Whether an alternative holds. The rules need not have asked for it, so that it must not fail for them."""
    with suppress(RuleError):
        return bool(alternative())
    return False


class _CountedPlayer:
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
