"""A policy as a table (a tabular policy): whole-numbered weights of the answers in each information state.

A section of `policy.yaml` holds it as texts: the key of a state by the paths of its choice, and the weights by answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.information import Informant, answer_text, choice_of, key

PARTS = 10_000
"""What the weights of a state add up to."""


class WrongTable(Exception):
    """A table that makes no sense. The message is a sentence for the user."""


@dataclass(frozen=True)
class ChoiceStates:
    """The states of one choice: the paths that their keys are made of, and the weights of each by answer."""

    by: tuple[str, ...]
    states: Mapping[str, Mapping[str, int]]


class TabularPolicy:
    """What a table says of the decisions of a game."""

    def __init__(self, game: Game, choices: Mapping[str, ChoiceStates]) -> None:
        self.informant = Informant(game)
        self.choices = choices

    @classmethod
    def read(cls, game: Game, table: Mapping[str, Any]) -> TabularPolicy:
        """The section of a file, its shape being right; `WrongTable` if weights are none."""
        choices = {}
        for name, content in table["choices"].items():
            states = {str(state): weights_of(name, text) for state, text in content["states"].items()}
            choices[str(name)] = ChoiceStates(tuple(content["by"]), states)
        return cls(game, choices)

    def weights(self, position: Position, decision: Decision) -> list[int]:
        """The weights of the legal answers in canonical order; all alike in a state that the table does not know."""
        answers = list(decision.answers)
        known = self.choices.get(choice_of(decision))
        given: Mapping[str, int] = {}
        if known is not None:
            given = known.states.get(key(known.by, self.informant.facts(position, decision)), {})
        weights = [given.get(answer_text(decision, answer), 0) for answer in answers]
        return weights if any(weights) else [1] * len(answers)

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        """One draw over the weights."""
        weights = self.weights(position, decision)
        drawn = random.below(sum(weights))
        for number, weight in enumerate(weights):
            drawn -= weight
            if drawn < 0:
                return decision.answers.nth(number)
        raise AssertionError("the weights add up")

    def odds(self, position: Position, decision: Decision) -> Iterator[tuple[Answer, Fraction]]:
        """Every answer, and how likely `choose` draws it."""
        weights = self.weights(position, decision)
        total = sum(weights)
        return ((answer, Fraction(w, total)) for answer, w in zip(decision.answers, weights, strict=True))


def weights_of(choice: str, text: str) -> dict[str, int]:
    """`pass 7790, bet 2210` as weights by answer."""
    found: dict[str, int] = {}
    for part in text.split(", "):
        answer, space, weight = part.rpartition(" ")
        if not space or not (weight.isascii() and weight.isdigit()) or int(weight[:9]) > PARTS or answer in found:
            raise WrongTable(f"`{text[:60]}` of the choice `{choice[:60]}` is no list of answers and weights")
        found[answer] = int(weight)
    return found


def weights_text(weights: Mapping[str, int]) -> str:
    """The same as a text; what has no weight is left out."""
    return ", ".join(f"{answer} {weight}" for answer, weight in weights.items() if weight)
