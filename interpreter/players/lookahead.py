"""Looking ahead (rollouts with common random numbers): where answers lead when everybody plays on at random.

It stands after the match in the pipeline, for players and solvers that try answers before they give one. All answers
meet the same world and the same random numbers, so that they differ by what they do and not by luck.

The interpreter plays on, until so much time has gone into a game that native code pays. Then native code makes whole
decisions, where there is one kind of them (`decided`); where answers only lead to endings, whoever is faster plays on.
It changes no answer who does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from time import thread_time
from typing import TYPE_CHECKING

from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.lookahead.requests import Halving, Lookahead
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.match import Player, is_uniform, streams
from chocolatl.interpreter.play.playout import Horizon, played_on
from chocolatl.interpreter.players.plans import plan

if TYPE_CHECKING:  # the compiler is imported where it is used
    from chocolatl.interpreter.native.builds.stepper import SteppedGame, Stepper
    from chocolatl.interpreter.native.lookahead.decider import Decider

AnswerSequence = Sequence[Answer]
"""What a player answers to one decision after the other; more than one only in a secret block."""

PATIENCE = 0.2
"""So many seconds of playing on are spent before a game is compiled, which takes about as long."""

WELL = 1.0
"""So many seconds native code decides before it is compiled well, which takes about as long."""

TRIED = 100
"""So many options are played on by each engine before the faster one goes on alone."""


@dataclass
class OptionPace:
    """How long an engine took for some options."""

    seconds: float = 0.0
    options: int = 0

    @property
    def each(self) -> float:
        return self.seconds / max(1, self.options)

    @contextmanager
    def watched(self, options: int) -> Iterator[None]:
        begin = thread_time()
        yield
        self.seconds += thread_time() - begin
        self.options += options


@dataclass
class LookaheadEffort:
    """What has gone into a game so far: how long each engine took, by how far it is looked ahead.

    The interpreter comes first. Once it pays to compile, native code is tried as well; going over to it takes a time of
    its own, which is lost where little is played on. Where there is no compiler, `patience` is without end."""

    patience: float = PATIENCE
    tried: float = TRIED
    stepper: Stepper | None = None
    whole: Decider | None = None
    deciding: OptionPace = field(default_factory=OptionPace)
    """How long native code took for whole decisions."""
    well: bool = False
    """Whether native code was compiled well, or that was tried."""
    interpreter: defaultdict[Horizon, OptionPace] = field(default_factory=lambda: defaultdict(OptionPace))
    native: defaultdict[Horizon, OptionPace] = field(default_factory=lambda: defaultdict(OptionPace))
    other: Game | None = None

    def imagined(self, game: Game) -> Game:
        """The same game, in which nobody looks whether what always holds does: that is for games that are played."""
        if self.other is None or self.other.ir is not game.ir:
            names = frozenset(invariant.name for invariant in game.ir.invariants)
            self.other = Game(game.files, game.ir, game.program.without(names), game.players)
        return self.other

    @property
    def waited(self) -> bool:
        """Whether so much time has gone into the game that it pays to compile it."""
        return sum(pace.seconds for pace in self.interpreter.values()) > self.patience

    def compiled(self, game: Game) -> Stepper | None:
        """Native code, if it pays by now: compiled at once at first and, once it has decided a while, well."""
        if self.stepper is not None and (self.well or self.deciding.seconds < WELL):
            return self.stepper
        if self.stepper is not None or self.waited:
            self.well = self.stepper is not None
            try:
                from chocolatl.interpreter.native.builds.stepper import Stepper
                from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
                from chocolatl.interpreter.native.lookahead.decider import DECIDING

                self.stepper, self.whole = Stepper(game, FAST if self.well else QUICK, more=DECIDING), None
            except (ImportError, OSError, Refused):
                self.patience = float("inf")
        return self.stepper

    def decider(self, game: Game) -> Decider | None:
        """What makes whole decisions natively, if it pays by now."""
        stepper = self.compiled(game)
        if self.whole is None and stepper is not None:
            from chocolatl.interpreter.native.lookahead.decider import Decider

            self.whole = Decider(stepper)
        return self.whole

    def faster(self, game: Game, horizon: Horizon) -> Stepper | None:
        """Native code, if it is to play on; else it is for the interpreter."""
        stepper = self.compiled(game)
        one, other = self.interpreter[horizon], self.native[horizon]
        if stepper is None or one.options < self.tried:
            return None
        return stepper if other.options < self.tried or not one.options or other.each < one.each else None


@lru_cache(maxsize=16)
def effort(program: LoweredGame) -> LookaheadEffort:
    """What has gone into a game so far."""
    return LookaheadEffort()


def seats_of(game: Game, players: Sequence[Player]) -> list[Lookahead | None] | None:
    """How the player in each seat looks ahead, None for a random one; None if another kind is among them, or none that
    looks ahead."""
    seats: list[Lookahead | None] = []
    for player in players:
        looking = getattr(player, "lookahead", None)
        if looking is None and not is_uniform(player):
            return None
        seats.append(looking(game) if looking is not None else None)
    return seats if any(seats) else None


def decided(
    game: Game, position: Position, decision: Decision, options: Sequence[Answer], halving: Halving, horizon: Horizon,
    random: Random,
) -> int | None:  # fmt: skip
    """The number of the best option by successive halving, if native code decides; None if it is for the interpreter.
    Random numbers are drawn in the first case alone."""
    so_far = effort(game.program)
    decider = so_far.decider(game) if len(options) > 1 else None
    if decider is None or not decider.can_add(len(options)):
        return None
    with so_far.deciding.watched(len(options)):
        planned = plan(game.program.knowledge, position.slots, decision.player)
        if planned is None:
            return None
        return decider.best(position, decision, options, planned, halving, horizon, random)


def endings(
    game: Game, world: Position, player: int, options: Sequence[AnswerSequence], seed: int, horizon: Horizon
) -> Iterator[Position]:
    """Where each of several options leads in a world, with the random numbers of a seed. They are there to be read, not
    to go on from."""
    luck, so_far = streams(seed, 0, game.player_count), effort(game.program)
    stepper = so_far.faster(game, horizon)
    imagined = so_far.imagined(game)
    pace = (so_far.interpreter if stepper is None else so_far.native)[horizon]
    if stepper is not None:
        with pace.watched(0):
            table, now = stepper.load(world, luck), game.round(world)
    for answers in options:
        with pace.watched(1):
            if stepper is not None:
                end = _natively(table.copy(), player, answers, horizon, now)
            else:
                after = world
                for answer in answers:
                    after = imagined.answer(after, player, answer)
                end = played_on(imagined, after, [stream.copy() for stream in luck], horizon, world)
        yield end


def _natively(table: SteppedGame, player: int, answers: AnswerSequence, horizon: Horizon, now: int) -> Position:
    for answer in answers:
        table.apply(player, answer)
    table.play_on(horizon, now)
    return table.reading()


def candidates(decision: Decision, most: int, random: Random) -> list[Answer]:
    """Answers to try, in canonical order: all of them if there are no more than so many, else some drawn at random."""
    answers = decision.answers
    count = answers.count()
    if count <= most:
        return list(answers)
    numbers = {below(count, random) for _ in range(most)}
    return [answers.nth(number) for number in sorted(numbers)]


def below(count: int, random: Random) -> int:
    """A number below a count of any size."""
    value, bits = random.next_u32(), 32
    while count >> bits - 16:  # so many more bits than the count has that no number is noticeably more likely
        value, bits = value << 32 | random.next_u32(), bits + 32
    return value * count >> bits
