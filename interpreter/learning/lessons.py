"""A game learned for one number of players, whichever way suits it, as the section of a policy file (the front door).

A small game for one or two gets a table, which comes close to an equilibrium; any other game gets weights, learned by
playing. There more players have no such promise, and what is learned is as good as it proves to be among others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.formats.policy_file import Section
from chocolatl.interpreter.formats.policy_weights import section_weights, weights_section
from chocolatl.interpreter.learning.game_tree import TooLargeForTable, game_tree
from chocolatl.interpreter.learning.table_training import learned_table
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.deadline import Deadline

if TYPE_CHECKING:  # numpy takes time to load
    from chocolatl.interpreter.learning.policy_training import Tracer
    from chocolatl.interpreter.policy.weights import PolicyWeights

MOST_FOR_TABLES = 2
"""Regrets promise an equilibrium to so many players."""

REGRETS, LEAGUE = "regrets", "league"

PARTS = 10_000

PER_EXPLOITER = 8
"""An exploiter gets one update for so many of the learner."""

MOST_PER_EXPLOITER = 75

LEAST_EXPLOITING = 20_000
"""Who learns from fewer games beats nobody, so that there are no exploiters then."""

MOST_GAMES, LEAST_GAMES = 1_000, 50
STEPS = 0.1, 0.004
"""The rate of steps by a batch of the most games."""

MOST_LISTED = 150_000
"""A batch has fewer than the most games where more answers than these would be listed."""

TRIAL = 2
"""So many updates are timed to see how many there is time for."""

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


@dataclass(frozen=True)
class Learned:
    """The section, and what is told of it."""

    section: Section
    updates: int
    interrupted: bool
    seconds: float

    @property
    def strength(self) -> dict[str, int]:
        return dict(self.section["strength"])

    @property
    def method(self) -> str:
        return str(self.section["recipe"]["method"])


def learn(lesson: Lesson, told: Told) -> Learned:
    """Learn a game. When the user has had enough, what was learned by then."""
    begin = perf_counter()
    updates, interrupted, found = _by_table(lesson, told) or _by_playing(lesson, told)
    section: Section = {"rules": lesson.game.files.rules_hash, **found}
    if interrupted:
        section["interrupted"] = True
    return Learned(section, updates, interrupted, perf_counter() - begin)


def _by_table(lesson: Lesson, told: Told) -> tuple[int, bool, Section] | None:
    game = lesson.game
    if game.player_count > MOST_FOR_TABLES or lesson.start is not None:
        return None
    try:
        tree = game_tree(game, lambda nodes: told(LearningNews(f"{nodes:,} histories")))
    except TooLargeForTable:
        return None

    def progress(rounds: int, left: float) -> None:
        told(LearningNews(f"round {rounds}: {left:.2%} of what uniform play can lose is left", min(1.0, 1 - left)))

    deadline = Deadline(lesson.seconds) if lesson.seconds is not None else None
    table = learned_table(tree, lesson.updates, deadline, progress)
    strength = {"nash_conv": round(table.nash_conv * PARTS), "uniform": round(table.uniform * PARTS)}
    recipe = {"method": REGRETS, "updates": table.rounds, "seed": lesson.seed}
    return table.rounds, table.interrupted, {"recipe": recipe, "strength": strength, "table": table.section()}


def _by_playing(lesson: Lesson, told: Told) -> tuple[int, bool, Section]:
    from chocolatl.interpreter.learning.policy_training import PolicyTraining, Recipe, TrainingNews
    from chocolatl.interpreter.learning.strength import share_among_random
    from chocolatl.interpreter.learning.tracing import scales_of, tracer_of
    from chocolatl.interpreter.policy.building import policy_form
    from chocolatl.interpreter.policy.weights import uniform_weights

    begin, game, players = perf_counter(), lesson.game, lesson.game.player_count
    form = policy_form(game.ir)
    trace = tracer_of(game, form)
    start = section_weights(form, lesson.start) if lesson.start is not None else None
    scales = start.scales if start is not None else scales_of(form, players, trace, lesson.seed)
    updates, games = lesson.updates, batch_games(trace, uniform_weights(form, scales), players, lesson.seed)
    if updates is None:
        assert lesson.seconds is not None
        tried = Recipe(TRIAL, lesson.seed, games, exploiter_updates=TRIAL)
        trial = PolicyTraining(form, scales, players, tried, trace, lesson.jobs)
        updates = affordable(lesson.seconds - (perf_counter() - begin), *trial.timed(), games)

    def report(news: TrainingNews) -> None:
        who = f"exploiter {news.exploiter}" if news.exploiter else "learner"
        text = f"{who}, update {news.update} of {news.of}: wins {news.share:.1%}"
        told(LearningNews(text, None if news.exploiter else news.share))

    each = exploiter_updates(updates, games)
    recipe = Recipe(updates, lesson.seed, games, rate(games), exploiter_updates=each)
    if not each:
        recipe = replace(recipe, exploiters=0)
    policy = PolicyTraining(form, scales, players, recipe, trace, lesson.jobs, report, start).run()
    share = share_among_random(trace, policy.weights, players, lesson.seed + 1, MEASURED)
    assert share.mean is not None and share.low is not None
    strength = {"games": MEASURED, "among_random": round(share.mean * PARTS), "at_least": round(share.low * PARTS)}
    written: dict[str, Any] = {
        "method": LEAGUE, "updates": policy.updates, "seed": lesson.seed, "games": recipe.games,
        "exploiters": recipe.exploiters, "exploiter_updates": recipe.exploiter_updates,
        "snapshots": recipe.snapshots, "rate": _parts(recipe.rate), "entropy": _parts(recipe.entropy),
    }  # fmt: skip
    if lesson.start is not None:
        written["from"] = digest(lesson.start)
    if policy.interrupted:
        written["of"] = recipe.updates
    return policy.updates, policy.interrupted, {
        "recipe": written, "strength": strength, **weights_section(policy.weights),
    }  # fmt: skip


def _parts(ends: tuple[float, float]) -> list[int]:
    return [round(each * PARTS) for each in ends]


def digest(section: Section) -> str:
    """What weights are known by that were gone on from."""
    return sha256(repr((section["features"], section["weights"])).encode()).hexdigest()[:16]


def batch_games(trace: Tracer, weights: PolicyWeights, players: int, seed: int) -> int:
    """How many games make a batch."""
    tried = trace([weights] * players, seed, 0, LEAST_GAMES, [True] * players)
    listed = sum(map(len, tried.listed)) / LEAST_GAMES
    return max(LEAST_GAMES, min(MOST_GAMES, int(MOST_LISTED / max(1, listed))))


def rate(games: int) -> tuple[float, float]:
    """Of steps, at first and in the end: a small batch says less, and steps by it are shorter."""
    first, last = STEPS
    return min(first, games / 5_000), min(last, games / 50_000)


def exploiter_updates(updates: int, games: int = MOST_GAMES) -> int:
    """How many updates each exploiter gets, from batches of so many games; 0 if there are none."""
    each = min(MOST_PER_EXPLOITER, updates // PER_EXPLOITER)
    return each if each * games >= LEAST_EXPLOITING else 0


def affordable(seconds: float, learner: float, exploiter: float, games: int = MOST_GAMES) -> int:
    """How many updates there is time for, if one of the learner and one of an exploiter take so long.

    There are about as many of exploiters as of the learner, from a number up to another one."""
    most, least = MOST_PER_EXPLOITER * PER_EXPLOITER, -(-LEAST_EXPLOITING // games) * PER_EXPLOITER
    found = seconds / (learner + exploiter)
    if found < least or least > most:
        alone = int(seconds / learner)
        return max(1, alone if least > most else min(least - 1, alone))
    return max(1, int(found if found <= most else (seconds - most * exploiter) / learner))
