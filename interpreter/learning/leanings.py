"""What a policy likes to do (a summary of behaviour): of each choice and round, how often it gives which answer, beside
how often chance would, in games that it plays against itself.

Of joint choices with many answers it is told which of their terms are higher than in the middle of all legal answers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.learning.policy_training import Tracer
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.players.information import answer_text
from chocolatl.interpreter.players.tabular import TabularPolicy
from chocolatl.interpreter.policy.form import PolicyForm, PolicyTable
from chocolatl.interpreter.policy.integers import UNIT
from chocolatl.interpreter.policy.trace import Trace
from chocolatl.interpreter.policy.weights import PolicyWeights
from chocolatl.interpreter.program.types import PLAYER, Scalar

GAMES = 1_000
OF_TABLES = 300
"""The interpreter plays games of tables."""

HOW_MANY = "how many"
"""The term of a table for sizes."""

ONESELF, ANOTHER = "oneself", "another player"


@dataclass
class Leaning:
    """Of one choice in one round: how often it came up, and of each answer how often it was given and how often chance
    would have given it. `terms` are by how much what is given is above the middle of what is legal, in deviations."""

    choice: str
    round: int
    times: int = 0
    given: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    evenly: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    terms: dict[str, float] = field(default_factory=dict)

    def shares(self) -> list[tuple[str, float, float]]:
        """Answers with both shares, the most common first."""
        names = sorted(self.evenly, key=lambda name: (-self.given[name], name))
        return [(name, self.given[name] / self.times, self.evenly[name] / self.times) for name in names]

    def liked(self) -> list[tuple[str, float]]:
        """Terms, the most telling first."""
        return sorted(self.terms.items(), key=lambda item: (-abs(item[1]), item[0]))


def leanings_of_weights(game: Game, weights: PolicyWeights, trace: Tracer, seed: int, games: int) -> list[Leaning]:
    """Of a policy of weights."""
    seats = range(game.player_count)
    played = trace([weights for _ in seats], seed, 0, games, [True for _ in seats])
    return [each for table in weights.form.tables for each in _of_table(game, weights.form, table, played)]


def _of_table(game: Game, form: PolicyForm, table: PolicyTable, played: Trace) -> Iterator[Leaning]:
    rows, listed = played.decisions[table.number], played.listed[table.number]
    for number in np.unique(rows["round"]):
        these = rows[rows["round"] == number]
        leaning = Leaning(table.name, int(number), len(these))
        if table.elements is not None:
            _count_elements(game, table, these, leaning)
        if table.constants is None:
            _count_terms(table, these, listed, leaning)
        yield leaning


def _count_elements(game: Game, table: PolicyTable, rows: Any, leaning: Leaning) -> None:
    """Answers that can be listed beforehand: `legal` has a bit for each."""
    assert table.elements is not None
    places = np.arange(len(table.elements), dtype=np.uint64)
    legal = (rows["legal"][:, None] >> places & np.uint64(1)).astype(bool)
    even = legal / np.maximum(1, legal.sum(axis=1))[:, None]
    taken = rows["taken"].astype(int)
    if table.constants is None:  # there it is the number among the legal ones
        order = np.cumsum(legal, axis=1) - 1
        taken = ((order == taken[:, None]) & legal).argmax(axis=1)
    type_ = _type(table)
    for place, element in enumerate(table.elements):
        for own in (True, False) if type_ is not None and type_.family == PLAYER else (None,):
            who = np.full(len(rows), True) if own is None else (rows["seat"] == element) == own
            name = _called(game, type_, element) if own is None else ONESELF if own else ANOTHER
            if legal[who, place].any():
                leaning.given[name] += float(((taken == place) & who).sum())
                leaning.evenly[name] += float(even[who, place].sum())


def _type(table: PolicyTable) -> Scalar | None:
    """What the answers of a table are; None are sizes."""
    node = table.site.node
    if isinstance(node, ir.ChooseSet):
        return None if table.terms[0].name == HOW_MANY else node.element.type  # type: ignore[return-value]
    return node.picks[0].local.type  # type: ignore[return-value]


def _called(game: Game, type_: Scalar | None, element: int) -> str:
    return str(element) if type_ is None else game.show(type_, element)


def _count_terms(table: PolicyTable, rows: Any, listed: Any, leaning: Leaning) -> None:
    """How far the terms of what is given lie from the middle of what is legal."""
    plain = [number for number, term in enumerate(table.terms) if not term.squared]
    sums = np.zeros(len(plain))
    for row in rows:
        answers = listed[row["first"] : row["first"] + row["answers"]][:, plain]
        sums += answers[row["taken"]] - answers.mean(axis=0)
    for place, number in enumerate(plain):
        leaning.terms[table.terms[number].name] = float(sums[place] / len(rows) / UNIT)


# ---------------------------------------------------------------- tables


def leanings_of_table(game: Game, table: TabularPolicy, seed: int, games: int) -> list[Leaning]:
    """Of a table: its own shares, in the states that it comes to."""
    noting = _Noting(table)
    for index in range(games):
        play_game(game, [noting] * game.player_count, seed, index)
    return [noting.found[key] for key in sorted(noting.found)]


class _Noting(Player):
    """Follows a table, and counts what it would do."""

    def __init__(self, table: TabularPolicy) -> None:
        self.table = table
        self.found: dict[tuple[str, int], Leaning] = {}

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        key = decision.name, game.round(position)
        leaning = self.found.setdefault(key, Leaning(*key))
        weights = self.table.weights(position, decision)
        leaning.times += 1
        for answer, weight in zip(list(decision.answers), weights, strict=True):
            name = answer_text(decision, answer)
            leaning.given[name] += weight / sum(weights)
            leaning.evenly[name] += 1 / len(weights)
        return self.table.choose(game, position, decision, random)
