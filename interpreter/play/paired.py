"""Games whose random numbers are keyed by what they are for: the generator of each question of a game (common random
numbers), see `chocolatl.interpreter.play.pairing`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, repeat
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.answers import SeveralAnswers, SingleAnswers
from chocolatl.interpreter.lowered.layout import SEALED
from chocolatl.interpreter.lowered.zones import copies
from chocolatl.interpreter.play.game import Answer, Chance, Decision, Game, Position
from chocolatl.interpreter.play.pairing import (
    ElementKeys,
    KeyedRandom,
    PairedNumbers,
    chosen_one,
    chosen_pieces,
    drawn_piece,
    keyed_sites,
)
from chocolatl.interpreter.program.types import Scalar


class PairedGame:
    """The numbers of one game, for whoever plays it."""

    def __init__(self, game: Game, seed: int, index: int = 0) -> None:
        self.game = game
        self.keys = ElementKeys(game.ir)
        self.sites = keyed_sites(game.ir)
        self.numbers = PairedNumbers(self.keys, game.has_rounds, seed, index)

    def random(self, question: Decision | Chance) -> KeyedRandom:
        """The generator for a question; it counts as asked."""
        return KeyedRandom(next(self._events(question)))

    def _events(self, question: Decision | Chance) -> Iterator[int]:
        """The keys of a question that is asked now, and asked again; whether a turn has begun is seen at once."""
        s, stop, site = question.slots, question.stop, self.sites[id(question.node)]
        frame = self.game.program.layout.frames[stop.procedure]
        place = [s[frame.locals[local.number]] for local in site.scope]
        if isinstance(question, Decision):
            who, index = question.player, self.game.program.index[stop.pc](s)
            place += [index[number] for number in site.index]
        else:
            who = -1 if question.owner is None else question.owner
        period = self._period(question, who)
        return (self.numbers.event(site.question, who, period, tuple(place)) for _ in repeat(None))

    def _period(self, question: Decision | Chance, who: int) -> int:
        asks = isinstance(question, Decision) and not question.slots[SEALED]
        return self.numbers.period(who, asks, self.game.round(Position(question.slots)))

    def passed(self, decision: Decision) -> None:
        """A decision was answered by somebody else; what chance brings later does not depend on how."""
        self._period(decision, decision.player)

    def outcome(self, chance: Chance) -> Answer:
        """What chance brings."""
        match chance.node:
            case ir.Roll():
                return chance.outcomes.sample(self.random(chance))
            case ir.Draw():
                key, type_ = next(self._events(chance)), chance.element
                return drawn_piece(key, chance.outcomes.weights, lambda value: self.keys.of(type_, value))
            case _:
                assert_never(chance.node)

    def answer(self, decision: Decision) -> Answer:
        """What a random player answers."""
        keys, answers = self._events(decision), decision.answers
        match answers:
            case SingleAnswers():
                assert isinstance(decision.node, ir.Choose)
                types = [pick.local.type for pick in decision.node.picks]

                def parts(answer: Answer) -> list[int]:
                    values = answer if len(types) > 1 else (answer,)
                    return [self._part(type_, value) for type_, value in zip(types, values, strict=True)]

                return chosen_one(next(keys), answers.values, parts)
            case SeveralAnswers():
                size = answers.most
                if answers.least < size:
                    size = answers.least + KeyedRandom(next(keys)).below(size - answers.least + 1)
                assert isinstance(decision.node, ir.ChooseSet)
                element, low = ir.set_type(decision.node.source).element, answers.low
                held = {low + kind: number for kind, number in copies(answers.zone)}
                return chosen_pieces(islice(keys, size), held, lambda value: self.keys.of(element, value))
            case _:
                assert_never(answers)

    def _part(self, type_: object, value: int) -> int:
        assert isinstance(type_, Scalar)
        return self.keys.of(type_, value)
