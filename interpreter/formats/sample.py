"""What happens inside the games of a series: how often each procedure ran, and how each choice was answered.

The sums of a whole series are taken where nothing is kept of a single game. What happens on the way is counted in its
first games, which are played once more by the interpreter, each probe of the literal program being a counter. They are
the same games again: random players draw the same answers, and those of other players were kept.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from interpreter.game import Answer, Decision, Game, Position
from interpreter.match import ChoiceEvent, Event, Player, is_uniform, play_game
from interpreter.random import Random
from interpreter.statistics import COUNTED, Tally

if TYPE_CHECKING:  # a series keeps the answers that its sample needs
    from interpreter.formats.series import Setting

GAMES = 100
"""So many games of a series are its sample."""

Answers = tuple[list[Answer], ...]
"""What each seat answered in a game, in order."""


class Recorded:
    """A player whose answers are kept."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.answers: list[Answer] = []

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        self.answers.append(self.player.choose(game, position, decision, random))
        return self.answers[-1]


class _Scripted:
    """A player who answers as before."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = iter(answers)

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        return next(self.answers)


@dataclass
class Sample:
    """By name: how often a procedure ran and a choice came up in a game, and how often each answer, as JSON, was given.

    A procedure that is declared member by member has an entry for each clause. Of a choice with very many different
    answers the later ones are counted as `others`."""

    games: int = 0
    procedures: dict[str, Tally] = field(default_factory=dict)
    choices: dict[str, Tally] = field(default_factory=dict)
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)

    def hear(self, event: ChoiceEvent, asked: Counter[str]) -> None:
        asked[event.name] += 1
        answers, answer = self.answers.setdefault(event.name, Counter()), json.dumps(event.value)
        if answer in answers or len(answers) < COUNTED:
            answers[answer] += 1
        else:
            self.others[event.name] += 1

    def add(self, procedures: Counter[str], asked: Counter[str]) -> None:
        """One more game. What occurs for the first time did not occur in those before."""
        for tallies, counts in ((self.procedures, procedures), (self.choices, asked)):
            for name in {**tallies, **counts}:
                tallies.setdefault(name, Tally.sums(self.games, 0, 0)).add(counts[name])
        self.games += 1


def take_sample(setting: Setting, answers: list[Answers], games: int) -> Sample:
    """What happened in the first games of a series, of which so many were played, its players answering as given."""
    game = setting.game
    # What always holds was looked at when the games were played, by an engine that does so.
    program = game.program.without(frozenset(invariant.name for invariant in game.ir.invariants)).literal
    literal, watch, sample = Game(game.files, program.game, program, game.players), program.watch, Sample()
    assert watch is not None
    for index in range(min(games, setting.plan.sample)):
        asked: Counter[str] = Counter()

        def hear(event: Event, position: Position, asked: Counter[str] = asked) -> None:
            if isinstance(event, ChoiceEvent):
                sample.hear(event, asked)

        watch.runs = [0] * len(watch.parts)
        players = setting.players if is_drawn(setting.players) else [_Scripted(given) for given in answers[index]]
        play_game(literal, players, setting.plan.seed, index, hear, setting.start)
        ran: Counter[str] = Counter()
        for part, runs in sorted(zip(watch.parts, watch.runs, strict=True), key=lambda found: found[0].span.line):
            if part.kind == "procedure":
                ran[part.name] += runs
        sample.add(ran, asked)
    return sample


def is_drawn(players: list[Player]) -> bool:
    """Whether the answers of all players follow from the seed alone."""
    return all([is_uniform(player) for player in players])
