"""The game contract (a transition system): all that a player, a file format or a solver needs to know of a game.

    game = chocolatl.interpreter.play.library.load(find_game(name), players=3)
    position = game.initial()
    while not game.is_over(position):
        chance = game.chance(position)
        if chance is not None:
            position = game.resolve(position, chance.outcomes.sample(random))
        else:
            decision = game.pending(position)[0]
            position = game.answer(position, decision.player, decision.answers.sample(random))
    print(game.result(position))

Positions are values; every function here returns a new one. Answers and outcomes are integers or sorted tuples of
integers; `encode` and `decode` turn them into what people read and write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.engine import machine
from chocolatl.interpreter.engine.compile import ExecutableGame
from chocolatl.interpreter.engine.view import view
from chocolatl.interpreter.engine.worlds import TooManyWorlds, worlds
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import Outcomes, SeveralAnswers, SingleAnswers
from chocolatl.interpreter.lowered.codec import Codec, Json, NotAValue, element_of, no_answer
from chocolatl.interpreter.lowered.layout import END_OF_GAME, END_OF_START, PC, Slots
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.position import Answer, Position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.sites import RuleError
from chocolatl.interpreter.lowered.waits import SuspensionPoint
from chocolatl.interpreter.program.types import PLAYER, Multiset, Scalar
from chocolatl.interpreter.system.escaping import one_line

__all__ = [
    "CHOICES",
    "Answer",
    "Chance",
    "Decision",
    "Game",
    "NotAValue",
    "Position",
    "Result",
    "RuleError",
    "TooManyWorlds",
]


CHOICES = (ir.Choose, ir.ChooseSet)
"""What a player is asked for."""
CHANCES = (ir.Roll, ir.Draw)
"""Where chance speaks. At the only other stop a secret block begins."""

UNTOLD = "?"
"""What a text has in a gap where the rules fail to tell the value."""


@dataclass(frozen=True)
class Result:
    """Scores, winners and points by item, for players by seat."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    breakdown: tuple[dict[str, int], ...]


class Decision:
    """Something that a player has to answer now."""

    __slots__ = ("_answers", "game", "node", "player", "slots", "stop")

    def __init__(self, game: Game, slots: Slots, stop: SuspensionPoint) -> None:
        self.game = game
        self.slots = slots
        self.stop = stop
        self.node: ir.Choice = stop.node  # type: ignore[assignment]  # the stop is one of CHOICES
        self.player: int = game.program.player[stop.pc](slots)
        self._answers: SingleAnswers | SeveralAnswers | None = None

    @property
    def name(self) -> str:
        """The name in the rules, with its index: `sealed[quay]`."""
        return self.game.codec.choice_name(self.node, self.game.program.index[self.stop.pc](self.slots))

    @property
    def prompt(self) -> str:
        """The question, as the rules word it."""
        if self.node.text is None:
            return self.name
        values = self.game.program.prompt[self.stop.pc](self.slots)
        return self.game.fill(self.node.text, values)

    @property
    def answers(self) -> SingleAnswers | SeveralAnswers:
        """The legal answers. That there is none is a mistake of the rules, and a `RuleError`."""
        answers = self._answers
        if answers is None:
            legal = self.game.program.legal[self.stop.pc](self.slots)
            match self.node:
                case ir.ChooseSet():
                    answers = SeveralAnswers(*legal)
                case ir.Choose():
                    answers = SingleAnswers(legal, self.none if self.node.optional else None)
                case _:
                    assert_never(self.node)
            if answers.empty:
                raise RuleError(self.node.span, f"there is no legal answer for `{self.name}`")
            self._answers = answers
        return answers

    @property
    def none(self) -> Answer:
        """The answer that leaves an optional choice out."""
        assert isinstance(self.node, ir.Choose)
        return no_answer(self.node)

    def encode(self, answer: Answer) -> Json:
        return self.game.codec.encode_answer(self.node, answer)

    def decode(self, value: object) -> Answer:
        """What a person wrote as an answer. It need not be legal; `NotAValue` says that it is none at all."""
        return self.game.codec.decode_answer(self.node, value)


class Chance:
    """Something that chance decides now."""

    def __init__(self, game: Game, slots: Slots, stop: SuspensionPoint) -> None:
        assert isinstance(stop.node, CHANCES)
        self.game = game
        self.node = stop.node
        self.stop, self.slots = stop, slots
        program = game.program
        owner = program.player[stop.pc](slots)
        self.owner: int | None = owner if owner >= 0 else None
        self.name = stop.node.local.name
        several = isinstance(stop.node, ir.Roll) and stop.node.count is not None
        count = program.count[stop.pc](slots)
        self.outcomes = Outcomes(program.outcomes[stop.pc](slots), count, several)
        if not self.outcomes.total and self.outcomes.times:
            raise RuleError(stop.node.span, f"there is nothing that `{self.name}` can be")

    def seen_by(self, viewer: int) -> bool:
        """Whether a player sees what it brings: chance is seen like the sets it touches. -1 is one who sees only what
        all see."""
        touched = self.game.program.touched[self.stop.pc](self.slots)
        return any(zone < 0 or (viewer >= 0 and self.game.program.knowledge.sees(viewer, zone)) for zone in touched)

    @property
    def element(self) -> Scalar:
        type_ = self.node.local.type
        return type_.element if isinstance(type_, Multiset) else _scalar(self.node.local)

    def encode(self, outcome: Answer) -> Json:
        return self.game.codec.encode_outcome(self.node, outcome)

    def decode(self, value: object) -> Answer:
        return self.game.codec.decode_outcome(self.node, value)


class Game:
    """A game, variant and number of players, ready to be played. `players` are the names by seat."""

    def __init__(self, files: GameFiles, code: ir.GameRules, program: ExecutableGame, players: tuple[str, ...]) -> None:
        self.files = files
        self.ir = code
        self.program = program
        self.players = players
        self.codec = Codec(code, players)
        place = program.layout.places.get((None, "round"))
        self.has_rounds = place is not None
        self.round_slot = place.base if place is not None else -1

    @property
    def player_count(self) -> int:
        return self.ir.player_count

    def with_players(self, names: tuple[str, ...]) -> Game:
        """The same game among players of other names."""
        return Game(self.files, self.ir, self.program, names)

    # ------------------------------------------------------------ the course of a game

    def initial(self, log: Log | None = None) -> Position:
        """The first decision or chance."""
        return machine.start(self.program, log)

    def is_over(self, position: Position) -> bool:
        return position.slots[PC] in (END_OF_GAME, END_OF_START)

    def pending(self, position: Position) -> tuple[Decision, ...]:
        """Who has to answer what; several players in a secret block, nobody when chance is next or all is over."""
        if position.sealed is not None:
            stops = [(p.slots, self.program.stops.get(p.slots[PC])) for p in position.sealed]
            return tuple(Decision(self, slots, stop) for slots, stop in stops if stop is not None)
        stop = self.program.stops.get(position.slots[PC])
        if stop is None or not isinstance(stop.node, CHOICES):
            return ()
        return (Decision(self, position.slots, stop),)

    def decision(self, position: Position, player: int) -> Decision | None:
        """What one player has to answer, if anything."""
        if position.sealed is None:
            return next((d for d in self.pending(position) if d.player == player), None)
        slots = position.sealed[player].slots
        stop = self.program.stops.get(slots[PC])
        return Decision(self, slots, stop) if stop is not None else None

    def chance(self, position: Position) -> Chance | None:
        stop = self.program.stops.get(position.slots[PC])
        if position.sealed is not None or stop is None or not isinstance(stop.node, CHANCES):
            return None
        return Chance(self, position.slots, stop)

    def answer(
        self, position: Position, player: int, answer: Answer, log: Log | None = None, reuse: bool = False
    ) -> Position:
        """The position after a legal answer. `reuse` gives the old one up: for long runs that keep no position."""
        return machine.answer(self.program, position, player, answer, log, reuse)

    def resolve(self, position: Position, outcome: Answer, log: Log | None = None, reuse: bool = False) -> Position:
        """The position after a possible outcome of chance."""
        return machine.answer(self.program, position, -1, outcome, log, reuse)

    def round(self, position: Position) -> int:
        """The number of the round, 0 before the first one."""
        return position.slots[self.round_slot] if self.has_rounds else 0

    # ------------------------------------------------------------ what a position says

    def scores(self, position: Position) -> tuple[int, ...]:
        base = self.program.layout.places[self.ir.score.key].base
        return tuple(position.slots[base : base + self.player_count])

    def result(self, position: Position) -> Result:
        elements, places, _ = self.program.functions[f"ranking_{self.program.rankings.index(self.ir.winner)}"](
            position.slots
        )
        winners = tuple(sorted(e for e, place in zip(elements, places, strict=True) if place == 1))
        place = self.program.layout.places.get((PLAYER, "breakdown"))
        items = len(self.ir.items)
        breakdown = []
        for player in range(self.player_count):
            begin = place.base + player * items if place is not None else 0
            breakdown.append(dict(zip(self.ir.items, position.slots[begin : begin + items], strict=True)))
        return Result(self.scores(position), winners, tuple(breakdown))

    def view(self, position: Position, player: int) -> dict[str, Json]:
        """All that a player may know."""
        return view(self.program, self.codec, position, player)

    def sample_unknown(self, position: Position, player: int, random: Random) -> Position:
        """A position that the player cannot tell from this one, every one being equally likely.

        What others have answered in a secret block that is still open is taken back."""
        slots = list(position.slots)
        self.program.knowledge.sample(slots, player, random)
        return self._reopened(slots, position, player)

    def worlds(self, position: Position, player: int, most: int) -> list[tuple[Position, int]]:
        """All that `sample_unknown` may give, with weights; `TooManyWorlds` if there are more than so many."""
        found = worlds(self.program.knowledge, position.slots, player, most)
        return [(self._reopened(slots, position, player), weight) for slots, weight in found]

    def _reopened(self, slots: Slots, position: Position, player: int) -> Position:
        """Other slots for a position; in a secret block only the player has answered."""
        if position.sealed is None:
            return Position(slots)
        current = Position(slots, machine.enter(self.program, list(slots), self.program.stops[slots[PC]]))
        for given in position.sealed[player].answers:
            current = self.answer(current, player, given)
        return current

    # ------------------------------------------------------------ words

    def element(self, zone: ir.Zone) -> Scalar:
        return element_of(zone)

    def show(self, type_: Scalar, value: int) -> str:
        """A value as a word for people, on one line whatever it is called."""
        return one_line(self.codec.text(type_, value))

    def fill(self, text: ir.Prompt, values: tuple[int | None, ...]) -> str:
        """A text with the values in its gaps; members of enums by their titles, and `?` for what cannot be told."""
        rest = iter(values)
        parts = []
        for part in text.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            value = next(rest)
            if value is None:
                parts.append(UNTOLD)
                continue
            domain = self.ir.domains.get(part.type.family)
            titled = domain is not None and domain.texts and not (part.type.optional and value == part.type.none)
            parts.append(domain.texts[value] if domain and titled else self.show(part.type, value))
        return "".join(parts)


def _scalar(local: ir.Local) -> Scalar:
    assert isinstance(local.type, Scalar)
    return local.type
