"""A game learned for one number of players, whichever way suits it, as the section of a policy file (the front door).

A small game for one or two gets a table, which comes close to an equilibrium; any other game gets weights, learned by
playing. There more players have no such promise, and what is learned is as good as it proves to be among others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.formats.policy_cache import ORIGIN, origin
from chocolatl.interpreter.formats.policy_file import Section
from chocolatl.interpreter.formats.policy_weights import carried_weights, section_weights, weights_section
from chocolatl.interpreter.learning.continued import (
    LEAGUE,
    REGRETS,
    TableAt,
    league_at,
    league_left,
    table_at,
    table_left,
)
from chocolatl.interpreter.learning.game_tree import TooLargeForTable, game_tree
from chocolatl.interpreter.learning.table_training import MOST_ROUNDS, learned_table
from chocolatl.interpreter.learning.unfinished import Unfinished
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.deadline import Deadline

if TYPE_CHECKING:
    from chocolatl.interpreter.learning.policy_training import Tracer
    from chocolatl.interpreter.policy.weights import PolicyWeights

MOST_FOR_TABLES = 2
"""Regrets promise an equilibrium to so many players."""

PARTS = 10_000

MEASURED = 2_000
"""So many games against random players are played in the end."""


@dataclass(frozen=True)
class LearningNews:
    """How far it is, in words; and how good the learner is, from 0 to 1."""

    text: str
    level: float | None = None


Told = Callable[[LearningNews], object]


@dataclass(frozen=True)
class Lesson:
    """What is to be learned: so many updates; or as many as there are seconds for."""

    game: Game
    seed: int
    updates: int | None
    seconds: float | None
    jobs: int = 1
    start: Section | None = None
    """Weights to go on from."""
    unfinished: Unfinished | None = None
    """An interrupted training to go on with: it says how much is to be learned, and from which seed."""
    patience: float | None = None
    """It must not take more seconds than this; then a table is learned until it is good enough, whatever `updates`."""


class NoPatience(Exception):
    """A lesson would take more time than there is patience for: about so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it would take about {seconds:.0f} seconds")
        self.seconds = seconds


@dataclass(frozen=True)
class Learned:
    """The section, and what is told of it."""

    section: Section
    updates: int
    seconds: float
    unfinished: Unfinished | None = None
    """What is needed to go on, if it was interrupted."""

    @property
    def interrupted(self) -> bool:
        return self.unfinished is not None

    @property
    def strength(self) -> dict[str, int]:
        return dict(self.section["strength"])

    @property
    def method(self) -> str:
        return str(self.section["recipe"]["method"])


def learn(lesson: Lesson, told: Told) -> Learned:
    """Learn a game. When the user has had enough, what was learned by then."""
    begin = perf_counter()
    updates, unfinished, found = _by_table(lesson, told) or _by_playing(lesson, told)
    section: Section = {"rules": lesson.game.files.rules_hash, **found}
    if unfinished is not None:
        section["interrupted"] = True
    return Learned(section, updates, perf_counter() - begin, unfinished)


def _by_table(lesson: Lesson, told: Told) -> tuple[int, Unfinished | None, Section] | None:
    game, unfinished = lesson.game, lesson.unfinished
    if game.player_count > MOST_FOR_TABLES or lesson.start is not None:
        return None
    if unfinished is not None and unfinished.method != REGRETS:
        return None
    try:
        tree = game_tree(game, lambda nodes: told(LearningNews(f"{nodes:,} histories")))
    except TooLargeForTable:
        return None

    def progress(rounds: int, left: float) -> None:
        told(LearningNews(f"round {rounds}: {left:.2%} of what uniform play can lose is left", min(1.0, 1 - left)))

    seconds = lesson.seconds if lesson.patience is None else lesson.patience
    deadline = Deadline(seconds) if seconds is not None else None
    seed, rounds, begun = lesson.seed, lesson.updates if lesson.patience is None else None, None
    if unfinished is not None:
        at, regretted, played = table_at(unfinished, tree)
        seed, rounds, begun = at.seed, at.of, (at.rounds, regretted, played)
    table = learned_table(tree, rounds, deadline, progress, begun)
    if lesson.patience is not None and deadline is not None and deadline.is_over:
        raise NoPatience(lesson.patience * MOST_ROUNDS / max(1, table.rounds))
    strength = {"nash_conv": round(table.nash_conv * PARTS), "uniform": round(table.uniform * PARTS)}
    recipe = {"method": REGRETS, "updates": table.rounds, "seed": seed}
    left = table_left(game, tree, TableAt(table.rounds, rounds, seed), table.left) if table.interrupted else None
    return table.rounds, left, {"recipe": recipe, "strength": strength, "table": table.section()}


def _by_playing(lesson: Lesson, told: Told) -> tuple[int, Unfinished | None, Section]:
    from chocolatl.interpreter.learning.policy_training import PolicyTraining, TrainingNews
    from chocolatl.interpreter.learning.recipes import batch_games, recipe_of, timed
    from chocolatl.interpreter.learning.resuming import restore, scales_from
    from chocolatl.interpreter.learning.tracing import scales_of, tracer_of
    from chocolatl.interpreter.policy.building import policy_form
    from chocolatl.interpreter.policy.weights import uniform_weights

    begin, game, players = perf_counter(), lesson.game, lesson.game.player_count
    form = policy_form(game.ir)
    trace = tracer_of(game, form)
    begun = league_at(lesson.unfinished, form) if lesson.unfinished is not None else None
    start = None
    if begun is not None:
        scales = scales_from(form, begun[2])
    elif lesson.start is not None and lesson.start["rules"] == game.files.rules_hash:
        start = section_weights(form, lesson.start)
        scales = start.scales
    else:
        scales = scales_of(form, players, trace, lesson.seed)
        if lesson.start is not None:
            start = carried_weights(form, lesson.start, scales)
            scales = start.scales
    if begun is not None:
        recipe, curve = begun[1], list(begun[0].curve)
    else:
        games = batch_games(trace, uniform_weights(form, scales), players, lesson.seed)
        updates, curve = lesson.updates, []
        if updates is None or lesson.patience is not None:
            times = timed(form, scales, players, lesson.seed, games, trace, lesson.jobs)
            updates = _in_time(lesson, perf_counter() - begin, times, games)
        recipe = recipe_of(updates, lesson.seed, games)

    def report(news: TrainingNews) -> None:
        if news.exploiter and news.update == news.of:
            curve.append((policy_training.done, round(news.share * PARTS)))
        who = f"exploiter {news.exploiter}" if news.exploiter else "learner"
        text = f"{who}, update {news.update} of {news.of}: wins {news.share:.1%}"
        told(LearningNews(text, None if news.exploiter else news.share))

    policy_training = PolicyTraining(form, scales, players, recipe, trace, lesson.jobs, report, start)
    if begun is not None:
        restore(policy_training, begun[2])
    policy = policy_training.run()
    curve = [point for point in curve if point[0] < policy.updates]  # what an update has done that was broken off
    strength = _strength(trace, policy.weights, players, recipe.seed + 1)
    written: dict[str, Any] = {
        "method": LEAGUE, "updates": policy.updates, "seed": recipe.seed, "games": recipe.games,
        "exploiters": recipe.exploiters, "exploiter_updates": recipe.exploiter_updates,
        "snapshots": recipe.snapshots, "rate": parts(recipe.rate), "entropy": parts(recipe.entropy),
        "exploiting": parts(recipe.exploiting),
    }  # fmt: skip
    start_known = origin(lesson.start) if lesson.start is not None else begun[0].start if begun is not None else None
    if start_known is not None:
        written[ORIGIN] = start_known
    left = None
    if policy.interrupted:
        written["of"] = recipe.updates
        left = league_left(game, form, recipe, policy.state, curve, start_known)
    section: Section = {"recipe": written, "strength": strength}
    if curve:
        section["exploitability"] = {"curve": [list(point) for point in curve]}
    section |= weights_section(policy.weights)
    return policy.updates, left, section


def _in_time(lesson: Lesson, gone: float, times: tuple[float, float], games: int) -> int:
    """How many updates it will be, if one of the learner and one of an exploiter take such times."""
    from chocolatl.interpreter.learning.recipes import affordable, needs

    if lesson.updates is None:
        assert lesson.seconds is not None
        return affordable(lesson.seconds - gone, *times, games)
    if lesson.patience is not None and (needed := needs(lesson.updates, *times, games)) > lesson.patience:
        raise NoPatience(needed)
    return lesson.updates


def _strength(trace: Tracer, weights: PolicyWeights, players: int, seed: int) -> dict[str, int]:
    """What it wins among random players; nothing, if the user has no patience for it."""
    from chocolatl.interpreter.learning.strength import share_among_random

    try:
        share = share_among_random(trace, weights, players, seed, MEASURED)
    except KeyboardInterrupt:
        return {}
    assert share.mean is not None and share.low is not None
    return {"games": MEASURED, "among_random": round(share.mean * PARTS), "at_least": round(share.low * PARTS)}


def parts(ends: tuple[float, float]) -> list[int]:
    """Two numbers in ten-thousandths."""
    return [round(each * PARTS) for each in ends]
