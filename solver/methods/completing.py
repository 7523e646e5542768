"""The rest of an idea of which a part is given (completing a partial assignment): the best whole answer that has it.

Where there is a model, what is given is fixed in it and the search finds the rest, with proof. Elsewhere whole answers
that have the part are drawn, and the best of them is changed piece by piece, as far as the part stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.backends.cpsat import FEASIBLE
from chocolatl.solver.methods import best as models
from chocolatl.solver.methods.best import ModelledProblem, NotFound
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.methods.search import whole
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.worth.proposed_answers import IDEA, Proposal, has
from chocolatl.solver.worth.refusals import NoAnswer

TRIES, TRIED = 200, 8
"""So many whole answers are tried without a model, each in so many scenarios."""

DRAWN = 0.3
"""This share of the tries is for answers that are drawn."""

DRAWS = 2_000
"""So many times it is tried to draw an answer that has what is given."""


@dataclass(frozen=True)
class CompletedIdea:
    """A whole answer, the names of the choices that were given, and whether the rest is proved to be the best."""

    answers: AnswerSequence
    given: tuple[str, ...]
    status: str | None
    """None if nothing had to be found."""


def completed(
    sampler: Sampler,
    position: Position,
    player: int,
    proposal: Proposal,
    seed: int,
    deadline: Deadline,
    problem: ModelledProblem | None = None,
) -> CompletedIdea:
    """An idea with the rest of it, by a model if there is one; `NoAnswer` if there is no such answer, or none is
    found."""
    if proposal.whole is not None:
        return CompletedIdea(proposal.whole, tuple(proposal.given), None)
    found = by_model(problem, proposal, deadline.share(0.5)) if problem is not None else None
    return found or by_trial(sampler, position, player, proposal, seed, deadline)


def by_model(problem: ModelledProblem, proposal: Proposal, deadline: Deadline) -> CompletedIdea | None:
    """The best answer that has what is given; None if the model does not know it by name, or has no time."""
    try:
        with _fixed(problem, proposal.given):
            found = models.solved(problem, deadline)
    except NotFound as error:
        if error.in_time:
            return None
        raise impossible() from None
    if not has(problem.game, problem.scenarios[0].position, problem.player, found.answers, proposal.given):
        return None  # something is asked only after some answers, and was not
    return CompletedIdea(found.answers, tuple(proposal.given), found.status)


@contextmanager
def _fixed(problem: ModelledProblem, given: Mapping[str, Answer]) -> Iterator[None]:
    """A model in which some decisions are made."""
    model, codec = problem.model, problem.game.codec
    kept = len(model.constraints)
    for decision in problem.plan.decisions:
        assert decision.node is not None
        name = codec.choice_name(decision.node, decision.labels)
        if name not in given:
            continue
        answer, values = given[name], decision.given(given[name])
        pieces = len(answer) if isinstance(answer, tuple) else 0
        if (decision.answers and not values) or (decision.amounts and sum(values.values()) < pieces):
            raise impossible()
        for variable, amount in values.items():
            model.constraints.append(LinearConstraint(((variable, 1),), amount, amount))
    try:
        yield
    finally:
        del model.constraints[kept:]


def impossible() -> NoAnswer:
    return NoAnswer(IDEA, ": nothing else can be answered so that this is legal")


# ---------------------------------------------------------------- by trial


def by_trial(
    sampler: Sampler, position: Position, player: int, proposal: Proposal, seed: int, deadline: Deadline
) -> CompletedIdea:
    """The best answer that is found among those that have what is given."""
    game, random, given = sampler.game, Random(seed), proposal.given
    block = game.sample_unknown(position, player, random)
    found: dict[AnswerSequence, float] = {}

    def worth(answers: AnswerSequence) -> float:
        if answers not in found:
            rows = sampler.table([answers], 0, TRIED, deadline)
            found[answers] = sum(row[0] for row in rows) if len(rows) == TRIED else float("-inf")
        return found[answers]

    best = _drawn(game, block, player, given, random)
    for number in range(TRIES):
        if deadline.is_over:
            break
        if number < DRAWN * TRIES:
            other = _drawn(game, block, player, given, random)
        else:
            other = whole(game, block, player, random, best, random.below(len(best)))
            if not has(game, block, player, other, given):
                continue
        if worth(other) >= worth(best):
            best = other
    return CompletedIdea(best, tuple(given), FEASIBLE)


def _drawn(game: Game, block: Position, player: int, given: Mapping[str, Answer], random: Random) -> AnswerSequence:
    """A whole answer that has what is given, the rest at random."""
    for _ in range(DRAWS):
        answers, left, position = list[Answer](), dict(given), block
        while (decision := game.decision(position, player)) is not None and position.slots is block.slots:
            wanted = left.pop(decision.name, None)
            answer = _spared(decision, left, random) if wanted is None else wanted
            if not decision.answers.contains(answer):
                break
            answers.append(answer)
            position = game.answer(position, player, answer)
        else:
            if not left:
                return tuple(answers)
    raise NoAnswer(IDEA, f": in {DRAWS:,} tries no answer was found that has it")


def _spared(decision: Decision, wanted: Mapping[str, Answer], random: Random) -> Answer:
    """An answer at random; of several pieces, such as nothing that is given wants, if there are enough."""
    answers = decision.answers
    if not isinstance(answers, SeveralAnswers):
        return answers.sample(random)
    pieces = [answers.low + kind for kind, copies in enumerate(answers.counts) for _ in range(copies)]
    for piece in (piece for each in wanted.values() if isinstance(each, tuple) for piece in each):
        if piece in pieces:
            pieces.remove(piece)
    if len(pieces) < answers.least:
        return answers.sample(random)
    most = min(answers.most, len(pieces))
    size = answers.least + random.below(most - answers.least + 1)
    chosen = [pieces.pop(random.below(len(pieces))) for _ in range(size)]
    return tuple(sorted(chosen))
