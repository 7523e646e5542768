"""What to answer: the one door to all engines (a facade), for the command, the player and the hint.

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

from chocolatl.interpreter.formats.valuation import Valuation
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.players.registry import TYPES
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends.cpsat import FEASIBLE, OPTIMAL, Progress
from chocolatl.solver.methods import best as models
from chocolatl.solver.methods import exact, nested, sampling
from chocolatl.solver.methods.best import Best, ModelledProblem, NotFound, NotModelled
from chocolatl.solver.methods.response import TooManyHistories
from chocolatl.solver.methods.sampling import ComparedOption, Continuation, Estimate, NoComparison, Sampler
from chocolatl.solver.symbolic.answers import POLICY
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.contests import ContestReport
from chocolatl.solver.worth.outcome import POINTS, OutcomeMeasure
from chocolatl.solver.worth.proposed_answers import ProposedAnswers, answers_of
from chocolatl.solver.worth.refusals import NoAnswer, QuestionPart, QuestionSetting
from chocolatl.solver.worth.scenarios import scenarios, source

AUTO, MODEL, ENUMERATION, SAMPLING, EXACT = "auto", "model", "enumeration", "sampling", "exact"
ENGINES = (AUTO, MODEL, ENUMERATION, SAMPLING, EXACT)
BY_MODEL = {MODEL: models.ENGINE, ENUMERATION: models.ENUMERATION}
"""What answers by a model alone, if that is asked for."""

RANDOM = "random"

DRAWING, SEARCHING, TRYING = 0.2, 0.7, 0.9
"""These shares of what is left are for drawing scenarios, for model and search, and for trying answers in fresh
scenarios; what they leave is for what comes after."""

HISTORIES = "all histories"
"""What a proof without a model rests on."""

NO_MODEL = "no scenario became one in its share of the time"
TOO_LONG = "the time was up before all histories were played"
NOT_FOUND = "no answer was found with it in its share of the time"

LISTED = 12
"""So many options of a single decision are all tried, whatever a model says of them, and so many of a tree."""

FIRST_LOOK, LOOK, FINALISTS = 4, 24, 3
"""In so many scenarios first answers of a tree are tried at first, at least and at most; so many are left at last."""


@dataclass(frozen=True)
class SolverQuestion:
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
    idea: ProposedAnswers = ()
    """What the player thinks of answering, if it is to be compared."""


@dataclass(frozen=True)
class ValuedAnswer:
    """An answer as people write it, with what it is worth in fresh scenarios."""

    choices: tuple[tuple[str, object], ...]
    answers: AnswerSequence
    value: Estimate
    behind: Estimate


@dataclass(frozen=True)
class Advice:
    """The best answer. `value` is what it is worth in the scenarios in which it was found, `fresh` what in others; None
    if there was no time to see it."""

    choices: tuple[tuple[str, object], ...]
    answers: AnswerSequence
    value: float | None
    bound: float | None
    status: str
    engine: str
    policy: str
    scenarios: int
    seconds: float
    fresh: Estimate | None
    options: tuple[ValuedAnswer, ...]
    why: str | None = None
    """Why there is no model."""
    model: Best | None = None
    compared: ValuedAnswer | None = None
    """The player's own idea, and by how much it is behind the best answer in the same fresh scenarios."""
    asked: int = 0
    """So many fresh scenarios were asked for. There are fewer if the time was up."""
    left_out: tuple[str, ...] = ()
    """What there was no time for."""

    @property
    def proof(self) -> str | None:
        """What it rests on that no answer is better in these scenarios, if that is proved."""
        if self.status != OPTIMAL:
            return None
        return HISTORIES if self.model is None else self.model.proof.value

    @property
    def gap(self) -> float | None:
        return None if self.bound is None or self.value is None else self.bound - self.value

    @property
    def alternatives(self) -> list[tuple[tuple[tuple[str, object], ...], float, str]]:
        """The best other answers: choices, value and whether that is proved."""
        if self.model is not None:
            return [(other.choices, other.value, other.status) for other in self.model.alternatives]
        return [(option.choices, option.value.mean, self.status) for option in self.options[1:]]

    @property
    def runner_up(self) -> ValuedAnswer | None:
        """The best other answer, by fresh scenarios; one that came to just the same there only if there is no other."""
        others = [option for option in self.options if option.choices != self.choices]
        return next((option for option in others if option.value != self.fresh), others[0] if others else None)

    @property
    def contests(self) -> tuple[ContestReport, ...]:
        return () if self.model is None else self.model.contests


def advise(
    game: Game, position: Position, player: int, question: SolverQuestion, progress: Progress | None = None
) -> Advice:
    """The best answer of a player who has something to decide, in the time; `Unsupported` if only a model was asked
    for."""
    deadline = Deadline(question.seconds)
    if question.engine == SAMPLING:
        return _by_sampling(game, position, player, question, deadline, None)
    if question.engine == EXACT:
        try:
            return _exactly(game, position, player, question, deadline.share(SEARCHING))
        except TimeIsUp:
            return _by_sampling(game, position, player, question, deadline, TOO_LONG)
        except TooManyHistories as error:
            raise NoAnswer(QuestionSetting(QuestionPart.ENGINE, EXACT), f": {error}") from None
    try:
        later = _later(game, position, player, question, deadline.share(DRAWING))
        if question.engine == AUTO and later and question.against == RANDOM:
            with suppress(TooManyHistories, TimeIsUp):  # where there are likely to be few, for half of the time
                return _exactly(game, position, player, question, deadline.share(0.5), hopeless=1)
        return _by_model(game, position, player, question, later, deadline, progress)
    except Unsupported as unsupported:
        if question.engine in BY_MODEL:
            raise
        why = f"{unsupported.span}: {unsupported.message}"
    except (NotModelled, TimeIsUp):
        why = NO_MODEL
    except NotFound as error:
        if not error.in_time:
            raise
        why = NOT_FOUND
    return _by_sampling(game, position, player, question, deadline, why)


def _sampler(
    game: Game, position: Position, player: int, question: SolverQuestion, run: Continuation, deadline: Deadline
) -> Sampler:
    drawn = source(game, position, player, question.against, question.seed)
    measure = OutcomeMeasure(game, player, question.objective, question.valuation)
    return Sampler(game, drawn, run, measure, deadline)


# ---------------------------------------------------------------- by a model


def formulated(
    game: Game, position: Position, player: int, question: SolverQuestion, deadline: Deadline | None = None
) -> ModelledProblem:
    """The model of a question, as far as it is made in the time; `Unsupported` if there is none."""
    limit = deadline or Deadline()
    try:
        later = _later(game, position, player, question, limit)
        return _formulated(game, position, player, question, later, limit.share(1 / models.MAKING))
    except TimeIsUp:
        raise NotModelled from None


def _later(
    game: Game, position: Position, player: int, question: SolverQuestion, deadline: Deadline
) -> Sequence[ir.Statement]:
    """What the player is asked in later secret blocks, as one scenario shows."""
    with deadline.enforced():
        first = scenarios(game, position, player, question.against, 1, question.seed)[0]
        return playout.later_blocks(game, first, player)


def _formulated(
    game: Game,
    position: Position,
    player: int,
    question: SolverQuestion,
    later: Sequence[ir.Statement],
    deadline: Deadline,
) -> ModelledProblem:
    goal = question.objective, question.valuation
    drawing = deadline.share(DRAWING)
    asked = position, player, question.against, question.scenarios, question.seed, drawing
    if not later:
        return models.formulate(game, player, scenarios(game, *asked), *goal, deadline)
    if len(later) == 1 and position.sealed is not None:
        return nested.formulate(game, player, nested.grown(game, *asked), *goal, deadline)
    times = "once" if len(later) == 1 else f"{len(later)} times"
    raise Unsupported(later[0].span, ModelGap.LATER_BLOCKS, times)


def _by_model(
    game: Game,
    position: Position,
    player: int,
    question: SolverQuestion,
    later: Sequence[ir.Statement],
    deadline: Deadline,
    progress: Progress | None,
) -> Advice:
    searching = deadline.share(SEARCHING)
    problem = _formulated(game, position, player, question, later, searching)
    found = models.solve(problem, searching, question.alternatives, progress, BY_MODEL.get(question.engine))
    trying = deadline.share(TRYING)
    policy, run = POLICY, _by_policy(game, player, trying)
    if isinstance(problem, nested.Nested):
        policy = nested.POLICY
        run = nested.deciding_again(game, player, question.against, question.objective, question.valuation, trying)
    sampler = _sampler(game, position, player, question, run, trying)
    tried: list[AnswerSequence] = [found.answers, *(other.answers for other in found.alternatives)]
    decision = game.decision(position, player)
    assert decision is not None
    if len(found.answers) == 1 and decision.answers.count() <= LISTED:
        tried += [(answer,) for answer in decision.answers]
    if isinstance(problem, nested.Nested):
        tried = _promising(sampler, [found.answers, *problem.promising(LISTED), *tried[1:]], question)
    options = sampler.ranked(_each_once(tried), question.samples)
    if isinstance(problem, nested.Nested) and options and options[0].answers != found.answers:
        with suppress(NotFound):
            found = models.instead(problem, found, tuple(options[0].answers), deadline.share(TRYING))
    best = found.answers
    fresh = next((option.value for option in options if option.answers == best), None)
    trying.until = deadline.until  # for the rest of the time
    compared = _compared(sampler, position, player, question, best)
    fewer = _fewer_scenarios(problem, question)
    bound = found.bound if math.isfinite(found.bound) and not fewer else None
    status = FEASIBLE if fewer else found.status  # nothing is proved for those that were asked for
    left_out = *fewer, *found.left_out, *_fewer_samples(fresh, question, compared)
    return Advice(
        found.choices, best, found.value, bound, status, found.engine, policy, found.scenarios,
        found.seconds, fresh, valued(game, position, player, options), model=found, compared=compared,
        asked=question.samples, left_out=left_out,
    )  # fmt: skip


def _fewer_scenarios(problem: ModelledProblem, question: SolverQuestion) -> list[str]:
    """Where scenarios are drawn, whether there was time for all that were asked for."""
    count, asked = len(problem.scenarios), question.scenarios
    told = "scenarios: {} of {} were drawn"
    if isinstance(problem, nested.Nested):
        count, told = count // nested.TWIGS, "branches: {} of {} became a model"
    return [told.format(count, asked)] if question.against in TYPES and count < asked else []


def _fewer_samples(fresh: Estimate | None, question: SolverQuestion, compared: ValuedAnswer | None) -> list[str]:
    """Whether there was time for all fresh scenarios that were asked for."""
    found = []
    if fresh is None:
        found.append("fresh scenarios: none, so that it is not known what the answer is worth elsewhere")
    elif fresh.samples < question.samples:
        found.append(f"fresh scenarios: {fresh.samples} of {question.samples}")
    if question.idea and compared is None:
        found.append("your idea: there was no time to compare it")
    return found


def _promising(sampler: Sampler, answers: Sequence[AnswerSequence], question: SolverQuestion) -> list[AnswerSequence]:
    """The best answers of a tree, as they fare elsewhere: a tree is a small sample of what may happen. They are as many
    as there is time for, judged by the first of them."""
    before = sampler.deadline.left
    sampler.table(answers[:1], question.scenarios, 1)
    left = sampler.deadline.left
    if not left:
        return list(answers[:1])
    tries = left / 4 / (before - left)  # the worse half is left out twice, which costs the same again
    chosen = _each_once(answers)[: max(FINALISTS, int(tries / FIRST_LOOK))]
    sampler.first_look = max(FIRST_LOOK, min(int(tries / len(chosen)), LOOK))
    return sampler.finalists(chosen, question.samples, FINALISTS, question.scenarios)


def _each_once(answers: Sequence[AnswerSequence]) -> list[AnswerSequence]:
    return list(dict.fromkeys(answers))


def _by_policy(game: Game, player: int, deadline: Deadline) -> Continuation:
    """As a model continues: own later decisions follow its policy, and all else the numbers of the scenario."""

    def run(scenario: FixedScenario, options: Sequence[AnswerSequence]) -> Sequence[Position]:
        ends: list[Position] = []
        for answers in options:
            deadline.look()
            ends.append(playout.to_horizon(game, scenario, player, answers))
        return ends

    return run


# ---------------------------------------------------------------- by all histories


def _exactly(
    game: Game,
    position: Position,
    player: int,
    question: SolverQuestion,
    deadline: Deadline,
    hopeless: int = exact.SURELY,
) -> Advice:
    begin = deadline.clock()
    if question.against != RANDOM:
        raise NoAnswer(
            QuestionSetting(QuestionPart.ENGINE, EXACT),
            ": the others are held to answer anything with equal chances: `",
            QuestionSetting(QuestionPart.AGAINST, RANDOM),
            "`",
        )
    measure = OutcomeMeasure(game, player, question.objective, question.valuation)
    with deadline.enforced():
        found = exact.exact(game, position, player, measure, deadline=deadline, hopeless=hopeless)
    worth = dict(found.options)
    best, value = found.options[0]

    def option(answers: AnswerSequence) -> ComparedOption:
        """Every history is a sample, and there are no others."""
        behind = Estimate(float(value - worth[answers]), 0.0, found.histories)
        return ComparedOption(answers, Estimate(float(worth[answers]), 0.0, found.histories), behind)

    options = valued(game, position, player, [option(answers) for answers, _ in found.options[:LISTED]])
    compared = None
    if question.idea:
        compared = valued(game, position, player, [option(answers_of(game, position, player, question.idea))])[0]
    return Advice(
        options[0].choices, best, float(value), float(value), OPTIMAL, exact.ENGINE, exact.POLICY, found.histories,
        deadline.clock() - begin, options[0].value, options, compared=compared,
    )  # fmt: skip


# ---------------------------------------------------------------- by sampling


def _by_sampling(
    game: Game, position: Position, player: int, question: SolverQuestion, deadline: Deadline, why: str | None
) -> Advice:
    begin, trying = deadline.clock(), deadline.share(TRYING)
    sampler = _sampler(game, position, player, question, sampling.at_random(game, player, deadline=trying), trying)
    try:
        found = sampling.compare(sampler, position, player, question.samples, question.seed)
    except NoComparison as error:
        raise NoAnswer(*error.words) from None
    options = valued(game, position, player, found.options)
    best = found.first if not options else options[0].answers
    fresh = options[0].value if options else None
    trying.until = deadline.until  # for the rest of the time
    compared = _compared(sampler, position, player, question, best)
    left_out = [f"options: {found.tried:,} of {found.possible:,} were tried"] * (found.tried < found.possible)
    return Advice(
        playout.named(game, position, player, best), best, fresh.mean if fresh else found.seen, None,
        FEASIBLE if fresh else "unknown", sampling.ENGINE, sampling.POLICY, fresh.samples if fresh else 0,
        deadline.clock() - begin, fresh, options, why, compared=compared, asked=question.samples,
        left_out=(*left_out, *_fewer_samples(fresh, question, compared)),
    )  # fmt: skip


def _compared(
    sampler: Sampler, position: Position, player: int, question: SolverQuestion, best: AnswerSequence
) -> ValuedAnswer | None:
    """The player's idea beside the best answer, if there is time. It may come out ahead: then `behind` is negative."""
    if not question.idea:
        return None
    idea = answers_of(sampler.game, position, player, question.idea)
    rows = sampler.table([best, idea], sampling.FRESH, question.samples)
    if len(rows) < 2:
        return None
    behind = Estimate.of([first - second for first, second in rows])
    option = ComparedOption(idea, Estimate.of([second for _, second in rows]), behind)
    return valued(sampler.game, position, player, [option])[0]


def valued(game: Game, position: Position, player: int, options: Sequence[ComparedOption]) -> tuple[ValuedAnswer, ...]:
    """Options as people write them."""
    return tuple(
        ValuedAnswer(playout.named(game, position, player, option.answers), option.answers, option.value, option.behind)
        for option in options
    )
