"""One game from its first event to its last: chance and the players speak in turn, each with random numbers of its own.

It follows the game contract in the pipeline; players are written against it, and transcripts are made of its events.
Stream 0 of a game's random numbers is chance, stream i the player in seat i, so that what one of them draws never
depends on how often another one did. In a secret block players are asked by seat, each one to the end of the block.

This is the inner loop of a simulation: names and values for people are made only for somebody who watches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.lowered.layout import END_OF_SEALED, PC
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import CHANCES, CHOICES, Answer, Chance, Decision, Game, Position
from chocolatl.interpreter.play.paired import PairedGame
from chocolatl.interpreter.play.playout import Playout, copied


class Player(Protocol):
    """Who answers decisions. An honest one knows a position only by `game.view` and `game.sample_unknown`."""

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        """A legal answer. The same arguments give the same answer: whatever is random comes from `random`."""


def is_uniform(player: Player) -> bool:
    """Whether a player says of itself that its answer is `decision.answers.sample(random)`, whatever the position."""
    return getattr(player, "uniform", False)


@dataclass(frozen=True, slots=True)
class ChanceEvent:
    """What chance brought, in the words of the rules; `owner` is the player that it belongs to."""

    name: str
    value: Json
    owner: str | None


@dataclass(frozen=True, slots=True)
class ChoiceEvent:
    """What a player answered, in the words of the rules."""

    player: str
    name: str
    value: Json


PlayedEvent = ChanceEvent | ChoiceEvent
Observe = Callable[[PlayedEvent, Position], None]
"""It is told of each event and the position that the event led to."""


@dataclass(frozen=True, slots=True)
class Played:
    """Where a game came to, and how many decisions it took."""

    position: Position
    decisions: int


def streams(seed: int, index: int, player_count: int) -> tuple[Random, ...]:
    """The random numbers of game number `index` (from 0) of a series: those of chance, then those of each seat."""
    return tuple(Random(seed, index, stream) for stream in range(player_count + 1))


def play_game(
    game: Game,
    players: Sequence[Player],
    seed: int,
    index: int = 0,
    observe: Observe | None = None,
    start: Position | None = None,
    log: Log | None = None,
    before: Callable[[PlayedEvent], object] | None = None,
    paired: bool = False,
) -> Played:
    """Play a game of a series to its end, from its beginning or from a position; `paired`: with numbers that are keyed
    by what they are for."""
    position = game.initial(log) if start is None else start
    randoms, keyed = streams(seed, index, game.player_count), PairedGame(game, seed, index) if paired else None
    return play_on(game, position, players, randoms, observe, log, before=before, paired=keyed)


def play_on(
    game: Game,
    position: Position,
    players: Sequence[Player],
    randoms: Sequence[Random],
    observe: Observe | None = None,
    log: Log | None = None,
    until: Callable[[Position, int], bool] | None = None,
    before: Callable[[PlayedEvent], object] | None = None,
    paired: PairedGame | None = None,
) -> Played:
    """Play from a position to the end, or until a condition on the position and the number of decisions holds.

    `before` is told of each event before the rules see it, so that the one at which they fail is known too."""
    decisions = 0
    event: PlayedEvent | None = None
    own = observe is None  # nobody else holds the position then, and each may take the place of the one before
    told = observe is not None or before is not None
    if own:
        position = copied(position)
    chance_random, *player_randoms = randoms
    plain = not told and log is None and until is None and paired is None
    if plain and all([is_uniform(player) for player in players]):
        playout = Playout(game, position, chance_random, player_randoms)
        return Played(playout.run(), playout.decisions)
    while True:
        pending = next_question(game, position)
        if pending is None:
            return Played(position, decisions)
        if isinstance(pending, Decision):
            player = pending.player
            if paired is None:
                answer = players[player].choose(game, position, pending, player_randoms[player])
            elif is_uniform(players[player]):
                answer = paired.answer(pending)
            else:
                answer = players[player].choose(game, position, pending, paired.random(pending))
            decisions += 1
            if told:
                event = choice_event(game, pending, answer)
                if before is not None:
                    before(event)
            position = game.answer(position, player, answer, log, own)
        else:
            outcome = pending.outcomes.sample(chance_random) if paired is None else paired.outcome(pending)
            if told:
                event = chance_event(game, pending, outcome)
                if before is not None:
                    before(event)
            position = game.resolve(position, outcome, log, own)
        if observe is not None and event is not None:
            observe(event, position)
        if until is not None and until(position, decisions):
            return Played(position, decisions)


def next_question(game: Game, position: Position) -> Decision | Chance | None:
    """What has to be answered first: `game.chance`, or else the first of `game.pending`, without making the others."""
    slots = position.slots
    if position.sealed is not None:
        for private in position.sealed:
            slots = private.slots
            if slots[PC] != END_OF_SEALED:
                break
    stop = game.program.stops.get(slots[PC])
    if stop is None:
        return None
    if isinstance(stop.node, CHOICES):
        return Decision(game, slots, stop)
    if isinstance(stop.node, CHANCES):
        return Chance(game, slots, stop)
    if isinstance(stop.node, ir.Secretly):
        raise AssertionError("the machine enters a secret block by itself")
    assert_never(stop.node)


def choice_event(game: Game, decision: Decision, answer: Answer) -> ChoiceEvent:
    return ChoiceEvent(game.players[decision.player], decision.name, decision.encode(answer))


def chance_event(game: Game, chance: Chance, outcome: Answer) -> ChanceEvent:
    owner = game.players[chance.owner] if chance.owner is not None else None
    return ChanceEvent(chance.name, chance.encode(outcome), owner)
