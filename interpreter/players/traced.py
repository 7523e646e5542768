"""Games of policies played by the interpreter, with a row for each draw (trajectories for learning)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.players.deciding import PolicyDecider, PolicyDraw, PolicyReader, position_of
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.trace import STRETCH, Trace, decision_type, moment_type
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales, default_scales, uniform_weights


def traced_games(
    game: Game,
    form: PolicyForm,
    weights: Sequence[PolicyWeights | None],
    seed: int,
    first: int,
    count: int,
    traced: Sequence[bool] | None = None,
    scales: Scales | None = None,
) -> Trace:
    """Games number `first` and following, with the weights of each seat; None is a random player.

    `traced` says of which seats draws are written down: of all, if it is absent. What random players see is scaled by
    `scales`."""
    scales = scales if scales is not None else default_scales(form)
    recorder = _Recorder(game, form, weights, traced or [True] * game.player_count, scales)
    scores, shares = [], []
    for index in range(count):
        recorder.begin(index)
        end = play_game(game, [recorder] * game.player_count, seed, first + index).position
        result = game.result(end)
        scores.append(result.scores)
        part = 1 / max(1, len(result.winners))
        shares.append([part if seat in result.winners else 0.0 for seat in range(game.player_count)])
    shape = (count, game.player_count)
    return Trace(
        form, first, count,
        tuple(np.array(rows, decision_type(table)) for rows, table in zip(recorder.rows, form.tables, strict=True)),
        tuple(
            np.array(rows, np.int16).reshape(len(rows), len(table.terms))
            for rows, table in zip(recorder.listed, form.tables, strict=True)
        ),
        np.array(recorder.moments, moment_type(form)),
        np.array(scores, np.int64).reshape(shape), np.array(shares, np.float64).reshape(shape),
    )  # fmt: skip


class _Recorder(Player):
    """Plays all seats, and writes down what it does."""

    def __init__(
        self,
        game: Game,
        form: PolicyForm,
        weights: Sequence[PolicyWeights | None],
        traced: Sequence[bool],
        scales: Scales,
    ) -> None:
        self.form, self.traced = form, traced
        self.reader = PolicyReader(game, form)
        none = uniform_weights(form, scales)
        self.deciders = [PolicyDecider(self.reader, each or none) for each in weights]
        self.rows: list[list[tuple[object, ...]]] = [[] for _ in form.tables]
        self.listed: list[list[Sequence[int]]] = [[] for _ in form.tables]
        self.moments: list[tuple[object, ...]] = []
        self.begin(0)

    def begin(self, index: int) -> None:
        self.index, self.decisions, self.order, self.stretch = index, 0, 0, -1

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        now = game.round(position) if game.has_rounds else self.decisions // (STRETCH * game.player_count)
        if now != self.stretch:
            self.stretch = now
            for seat, decider in enumerate(self.deciders):
                x = self.reader.common(position, seat, decider.scales)
                self.moments.append((self.index, self.order, seat, now, x))
        self.decisions += 1
        self.seat = decision.player
        note = self.note if self.traced[self.seat] else None
        return self.deciders[self.seat].choose(position, decision, random, note)

    def note(self, draw: PolicyDraw) -> None:
        table, legal, first = draw.table, 0, 0
        taken = draw.taken
        if table.elements is not None:
            places = [position_of(table, answer) for answer in draw.answers]
            legal, taken = sum([1 << place for place in places]), places[taken]
        if draw.terms is not None:
            first = len(self.listed[table.number])
            self.listed[table.number] += draw.terms
            taken = draw.taken
        row = (
            legal, sum(draw.odds), first, self.index, taken, self.order, draw.odds[draw.taken], len(draw.answers),
            self.seat, self.stretch, list(draw.multipliers), list(draw.context),
        )  # fmt: skip
        self.rows[table.number].append(row)
        self.order += 1
