"""What to answer: the one door to all engines, for the command, the player and the hint.

A model is asked where one can be made of the rules: it knows the best of all answers in its scenarios, with proof.
Elsewhere options are compared by sampling. In both cases the best answers are then tried in fresh scenarios, so that
nobody is misled by a few: the value there has a standard error, and no answer was fitted to it.

A player who has to decide in secret again before the horizon will know more by then. Where few stages remain, all
histories are played; with one more block of decisions, a model of nested samples is made; before that, options are
compared by sampling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

from interpreter.formats.valuation import Valuation
from interpreter.game import Game, Position
from interpreter.ir import nodes as ir
from interpreter.lookahead import Answers
from solver import best as models
from solver import exact, nested, playout, sampling
from solver.against import scenarios, source
from solver.answers import POLICY
from solver.best import Best, NotModelled, Problem, Progress
from solver.cells import Unsupported
from solver.contests import Contest
from solver.idea import Idea, answers_of
from solver.objective import NoAnswer
from solver.outcome import POINTS, Measure
from solver.response import TooManyHistories
from solver.sampling import Continuation, Estimate, NoComparison, Option, Sampler
from solver.scenario import Scenario

AUTO, MODEL, ENUMERATION, SAMPLING, EXACT = "auto", "model", "enumeration", "sampling", "exact"
ENGINES = (AUTO, MODEL, ENUMERATION, SAMPLING, EXACT)
BY_MODEL = {MODEL: models.ENGINE, ENUMERATION: models.ENUMERATION}
"""What answers by a model alone, if that is asked for."""

RANDOM = "random"

SEARCHING = 0.7
"""This share of the time is for the search; what it leaves is for fresh scenarios."""

LISTED = 12
"""So many options of a single decision are all tried, whatever a model says of them, and so many of a tree."""

FIRST_LOOK, LOOK, FINALISTS = 4, 24, 3
"""In so many scenarios first answers of a tree are tried at first, at least and at most; so many are left at last."""


@dataclass(frozen=True)
class Question:
    """What is asked: against whom, in how many scenarios and fresh ones, to what end, and how long it may take."""

    against: str = "random"
    scenarios: int = 8
    samples: int = 200
    seed: int = 0
    objective: str = POINTS
    valuation: Valuation = ()
    seconds: float = 60.0
    engine: str = AUTO
    alternatives: int = 2
    idea: Idea = ()
    """What the player thinks of answering, if it is to be compared."""


@dataclass(frozen=True)
class Valued:
    """An answer as people write it, with what it is worth in fresh scenarios."""

    choices: tuple[tuple[str, object], ...]
    answers: Answers
    value: Estimate
    behind: Estimate


@dataclass(frozen=True)
class Advice:
    """The best answer. `value` is what it is worth in the scenarios in which it was found, `fresh` what in others."""

    choices: tuple[tuple[str, object], ...]
    answers: Answers
    value: float
    bound: float | None
    status: str
    engine: str
    policy: str
    scenarios: int
    seconds: float
    fresh: Estimate
    options: tuple[Valued, ...]
    why: str | None = None
    """Why there is no model."""
    model: Best | None = None
    compared: Valued | None = None
    """The player's own idea, and by how much it is behind the best answer in the same fresh scenarios."""
    asked: int = 0
    """So many fresh scenarios were asked for. There are fewer if the time was up."""

    @property
    def gap(self) -> float | None:
        return None if self.bound is None else self.bound - self.value

    @property
    def alternatives(self) -> list[tuple[tuple[tuple[str, object], ...], float, str]]:
        """The best other answers: choices, value and whether that is proved."""
        if self.model is not None:
            return [(other.choices, other.value, other.status) for other in self.model.alternatives]
        return [(option.choices, option.value.mean, self.status) for option in self.options[1:]]

    @property
    def runner_up(self) -> Valued | None:
        """The best other answer, by fresh scenarios; one that came to just the same there only if there is no other."""
        others = [option for option in self.options if option.choices != self.choices]
        return next((option for option in others if option.value != self.fresh), others[0] if others else None)

    @property
    def contests(self) -> tuple[Contest, ...]:
        return () if self.model is None else self.model.contests


def advise(game: Game, position: Position, player: int, question: Question, progress: Progress | None = None) -> Advice:
    """The best answer of a player who has something to decide; `Unsupported` if only a model was asked for."""
    deadline = perf_counter() + question.seconds
    why = None
    if question.engine == SAMPLING:
        return _by_sampling(game, position, player, question, deadline, why)
    later = _later(game, position, player, question)
    if question.engine == EXACT:
        try:
            return _exactly(game, position, player, question, deadline)
        except TooManyHistories as error:
            raise NoAnswer(f"--engine exact: {error}") from None
    if question.engine == AUTO and later and question.against == RANDOM:
        with suppress(TooManyHistories):  # where there are likely to be few, and for half of the time at most
            return _exactly(game, position, player, question, deadline - question.seconds / 2, hopeless=1)
    try:
        return _by_model(game, position, player, question, later, deadline, progress)
    except Unsupported as unsupported:
        if question.engine in BY_MODEL:
            raise
        why = f"{unsupported.span}: {unsupported.message}"
    except NotModelled:
        if question.engine in BY_MODEL or perf_counter() > deadline:
            raise
        why = "no scenario became one in its share of the time"
    return _by_sampling(game, position, player, question, deadline, why)


def _sampler(
    game: Game, position: Position, player: int, question: Question, run: Continuation, deadline: float
) -> Sampler:
    drawn = source(game, position, player, question.against, question.seed)
    measure = Measure(game, player, question.objective, question.valuation)
    return Sampler(game, drawn, run, measure, deadline)


# ---------------------------------------------------------------- by a model


def formulated(game: Game, position: Position, player: int, question: Question, seconds: float = math.inf) -> Problem:
    """The model of a question, as far as it is made in the time; `Unsupported` if there is none."""
    later = _later(game, position, player, question)
    return _formulated(game, position, player, question, later, seconds / models.MAKING)


def _later(game: Game, position: Position, player: int, question: Question) -> Sequence[ir.Statement]:
    """What the player is asked in later secret blocks, as one scenario shows."""
    first = scenarios(game, position, player, question.against, 1, question.seed)[0]
    return playout.later_blocks(game, first, player)


def _formulated(
    game: Game, position: Position, player: int, question: Question, later: Sequence[ir.Statement], seconds: float
) -> Problem:
    goal = question.objective, question.valuation
    if not later:
        given = scenarios(game, position, player, question.against, question.scenarios, question.seed)
        return models.formulate(game, player, given, *goal, seconds)
    if len(later) == 1 and position.sealed is not None:
        tree = nested.grown(game, position, player, question.against, question.scenarios, question.seed)
        return nested.formulate(game, player, tree, *goal, seconds)
    times = "once" if len(later) == 1 else f"{len(later)} times"
    raise Unsupported(later[0].span, f"the player decides {times} more before the horizon, knowing more by then")


def _by_model(
    game: Game,
    position: Position,
    player: int,
    question: Question,
    later: Sequence[ir.Statement],
    deadline: float,
    progress: Progress | None,
) -> Advice:
    seconds = max(SEARCHING * (deadline - perf_counter()), question.seconds / 10)
    problem = _formulated(game, position, player, question, later, seconds)
    policy, run = POLICY, _by_policy(game, player)
    if isinstance(problem, nested.Nested):
        policy = nested.POLICY
        run = nested.deciding_again(game, player, question.against, question.objective, question.valuation)
    found = models.solve(problem, seconds, question.alternatives, progress, BY_MODEL.get(question.engine))
    sampler = _sampler(game, position, player, question, run, deadline)
    tried: list[Answers] = [found.answers, *(other.answers for other in found.alternatives)]
    decision = game.decision(position, player)
    assert decision is not None
    if len(found.answers) == 1 and decision.answers.count() <= LISTED:
        tried += [(answer,) for answer in decision.answers]
    if isinstance(problem, nested.Nested):
        tried = _promising(sampler, [found.answers, *problem.promising(LISTED), *tried[1:]], question)
    options = sampler.ranked(_each_once(tried), question.samples)
    if isinstance(problem, nested.Nested) and options[0].answers != found.answers:
        found = models.instead(problem, found, tuple(options[0].answers), seconds)
    best = found.answers
    fresh = next(option.value for option in options if option.answers == best)
    compared = _compared(sampler, position, player, question, best)
    bound = found.bound if math.isfinite(found.bound) else None
    return Advice(
        found.choices, best, found.value, bound, found.status, found.engine, policy, found.scenarios,
        found.seconds, fresh, valued(game, position, player, options), model=found, compared=compared,
        asked=question.samples,
    )  # fmt: skip


def _promising(sampler: Sampler, answers: Sequence[Answers], question: Question) -> list[Answers]:
    """The best answers of a tree, as they fare elsewhere: a tree is a small sample of what may happen. They are as many
    as there is time for, judged by the first of them."""
    start = perf_counter()
    sampler.table(answers[:1], question.scenarios, 1)
    now = perf_counter()
    tries = (sampler.deadline - now) / 4 / (now - start)  # the worse half is left out twice, which costs the same again
    chosen = _each_once(answers)[: max(FINALISTS, int(tries / FIRST_LOOK))]
    sampler.first_look = max(FIRST_LOOK, min(int(tries / len(chosen)), LOOK))
    return sampler.finalists(chosen, question.samples, FINALISTS, question.scenarios)


def _each_once(answers: Sequence[Answers]) -> list[Answers]:
    return list(dict.fromkeys(answers))


def _by_policy(game: Game, player: int) -> Continuation:
    """As a model continues: own later decisions follow its policy, and all else the numbers of the scenario."""

    def run(scenario: Scenario, options: Sequence[Answers]) -> Sequence[Position]:
        return [playout.to_horizon(game, scenario, player, answers) for answers in options]

    return run


# ---------------------------------------------------------------- by all histories


def _exactly(
    game: Game, position: Position, player: int, question: Question, deadline: float, hopeless: int = exact.SURELY
) -> Advice:
    begin = perf_counter()
    if question.against != RANDOM:
        raise NoAnswer("--engine exact: the others are held to answer anything with equal chances: `--against random`")
    measure = Measure(game, player, question.objective, question.valuation)
    found = exact.exact(game, position, player, measure, deadline=deadline, hopeless=hopeless)
    worth = dict(found.options)
    best, value = found.options[0]

    def option(answers: Answers) -> Option:
        """Every history is a sample, and there are no others."""
        behind = Estimate(float(value - worth[answers]), 0.0, found.histories)
        return Option(answers, Estimate(float(worth[answers]), 0.0, found.histories), behind)

    options = valued(game, position, player, [option(answers) for answers, _ in found.options[:LISTED]])
    compared = None
    if question.idea:
        compared = valued(game, position, player, [option(answers_of(game, position, player, question.idea))])[0]
    return Advice(
        options[0].choices, best, float(value), float(value), "optimal", exact.ENGINE, exact.POLICY, found.histories,
        perf_counter() - begin, options[0].value, options, compared=compared,
    )  # fmt: skip


# ---------------------------------------------------------------- by sampling


def _by_sampling(
    game: Game, position: Position, player: int, question: Question, deadline: float, why: str | None
) -> Advice:
    begin = perf_counter()
    sampler = _sampler(game, position, player, question, sampling.at_random(game, player), deadline)
    try:
        found = sampling.compare(sampler, position, player, question.samples, question.seed)
    except NoComparison as error:
        raise NoAnswer(str(error)) from None
    best = found.options[0]
    options = valued(game, position, player, found.options)
    compared = _compared(sampler, position, player, question, best.answers)
    return Advice(
        options[0].choices, best.answers, best.value.mean, None, "feasible", sampling.ENGINE, sampling.POLICY,
        best.value.samples, perf_counter() - begin, best.value, options, why, compared=compared,
        asked=question.samples,
    )  # fmt: skip


def _compared(sampler: Sampler, position: Position, player: int, question: Question, best: Answers) -> Valued | None:
    """The player's idea beside the best answer. It may come out ahead: then `behind` is negative."""
    if not question.idea:
        return None
    idea = answers_of(sampler.game, position, player, question.idea)
    rows = sampler.table([best, idea], sampling.FRESH, question.samples)
    behind = Estimate.of([first - second for first, second in rows])
    option = Option(idea, Estimate.of([second for _, second in rows]), behind)
    return valued(sampler.game, position, player, [option])[0]


def valued(game: Game, position: Position, player: int, options: Sequence[Option]) -> tuple[Valued, ...]:
    """Options as people write them."""
    return tuple(
        Valued(playout.named(game, position, player, option.answers), option.answers, option.value, option.behind)
        for option in options
    )
