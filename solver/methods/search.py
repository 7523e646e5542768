"""All answers to a secret block at once, sought by trial (local search): where there are too many for all.

Some whole answers are drawn at random; the best of them is changed again and again, and a change stays if it is no
worse in the same scenarios. A change is small: a piece is laid elsewhere, and another one takes its place. Who has a
budget draws changes (`searched`); who has time tries all of them until none helps (`tops`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.methods.neighbours import SecretBlock, Worths, climbed
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.symbolic.scenario import FixedScenario

DRAWN = 0.3
"""Which share of the tries is spent on whole answers that are drawn at random."""

KEPT, OTHERS = 4, 8
"""So many of the best answers are handed on, and so many others that clearly differ from the best one."""

CLIMBS, GIVEN, BEGUN = 4, 12, 12
"""So often a climb begins: at the best of so many answers that are given, so many that are drawn, and one more."""

TOGETHER, SPREAD = 12, 8
"""So many changes are tried at once, and so many values of each choice of an answer that is made choice by choice."""


class TriedAnswers(NamedTuple):
    """Answers, best first, how many were tried, and whether the search came to its end in the time; and others, best
    first, that clearly differ from the best one and from one another."""

    options: list[AnswerSequence]
    tried: int
    is_whole: bool
    others: list[AnswerSequence]


def tops(
    sampler: Sampler,
    block: SecretBlock,
    scenarios: Sequence[FixedScenario],
    given: Sequence[AnswerSequence],
    random: Random,
    deadline: Deadline,
) -> TriedAnswers:
    """Whole answers that no small change makes better in some scenarios, best first: from such as are given, from one
    that is made choice by choice, and from answers that are drawn. None, if there was time for none."""
    known: dict[AnswerSequence, float] = {}

    def worths(answers: Sequence[AnswerSequence]) -> list[float]:
        new = [each for each in dict.fromkeys(answers) if each not in known]
        totals = [0.0] * len(new)
        with deadline.enforced():
            for scenario in scenarios if new else ():
                deadline.look()
                for place, value in enumerate(sampler.worth(scenario, sampler.run.ends(scenario, new))):
                    totals[place] += scenario.weight * value
        known.update(zip(new, totals, strict=True))
        return [known[each] for each in answers]

    ends: dict[AnswerSequence, None] = {}
    is_whole = False
    with suppress(TimeIsUp):
        starts = [*given[:GIVEN], *(whole(block.game, block.position, block.player, random) for _ in range(BEGUN))]
        worths(starts[:1])  # there may be no time for more
        starts.append(_greedy(block, worths))
        worths(starts)
        for start in sorted(dict.fromkeys(starts), key=lambda answers: -known[answers])[:CLIMBS]:
            end, is_whole = climbed(block, start, worths, random, TOGETHER)
            ends[end] = None
    best_first = sorted(ends or known, key=lambda answers: -known[answers])
    return TriedAnswers(best_first[:CLIMBS], len(known), is_whole, _others(known, best_first[:1]))


def _others(known: Mapping[AnswerSequence, float], best: Sequence[AnswerSequence]) -> list[AnswerSequence]:
    """Some of what is known, best first: it clearly differs from the best answer, and one from the other."""
    found = list(best)
    for each in sorted(known, key=lambda answers: -known[answers]):
        if all(differ(each, one) for one in found):
            found.append(each)
        if len(found) > OTHERS:
            break
    return found[len(best) :]


def differ(one: AnswerSequence, other: AnswerSequence) -> bool:
    """Whether two whole answers differ in at least a third of their parts; each piece is a part."""
    if len(one) != len(other):
        return True
    parts = changed = 0
    for mine, theirs in zip(one, other, strict=True):
        if isinstance(mine, tuple) and isinstance(theirs, tuple):
            parts += max(len(mine), len(theirs))
            changed += max(len(mine), len(theirs)) - (Counter(mine) & Counter(theirs)).total()
        else:
            parts, changed = parts + 1, changed + (mine != theirs)
    return 3 * changed >= parts


def _greedy(block: SecretBlock, worths: Worths) -> AnswerSequence:
    """An answer made choice by choice: what is best of some, with what then is legal first."""
    made: AnswerSequence = ()
    while True:
        asked = [decision.answers for decision, _ in block.decisions(made)]
        if len(made) == len(asked):
            return made
        count = asked[len(made)].count()
        some = {asked[len(made)].nth(place * count // min(count, SPREAD)) for place in range(min(count, SPREAD))}
        ways = [block.answers((*made, each)) for each in sorted(some, key=str)]
        best = max(zip(worths(ways), ways, strict=True), key=lambda valued: valued[0])[1]
        made = best[: len(made) + 1]


def searched(
    sampler: Sampler, position: Position, player: int, tries: int, scenarios: int, random: Random
) -> TriedAnswers:
    """The best whole answers that are found, best first."""
    game = sampler.game
    block = game.sample_unknown(position, player, random)  # nobody else has answered, so the block stays open
    found: dict[AnswerSequence, float] = {}

    def worth(answers: AnswerSequence) -> float:
        if answers not in found:
            rows = sampler.table([answers], 0, scenarios)
            found[answers] = sum(row[0] for row in rows) if len(rows) == scenarios else float("-inf")
        return found[answers]

    drawn = max(1, round(DRAWN * tries))
    best = whole(game, block, player, random)
    worth(best)
    for number in range(1, tries):
        if sampler.deadline.is_over:
            break
        if number < drawn:
            other = whole(game, block, player, random)
            best = other if worth(other) > worth(best) else best
        else:
            other = whole(game, block, player, random, best, random.below(len(best)))
            best = other if worth(other) >= worth(best) else best
    options = sorted(found, key=lambda answers: (answers != best, -found[answers]))[:KEPT]
    return TriedAnswers(options, len(found), not sampler.was_cut, _others(found, [best]))


def whole(
    game: Game, block: Position, player: int, random: Random, like: AnswerSequence = (), changed: int = -1
) -> tuple[Answer, ...]:
    """Answers to all that a player has still to choose in a secret block: drawn at random, or like others as far as
    they are legal, with one of them changed."""
    answers: list[Answer] = []
    position = block
    while (decision := game.decision(position, player)) is not None and position.slots is block.slots:
        number = len(answers)
        if number >= len(like):
            answer = decision.answers.sample(random)
        elif number == changed:
            answer = _changed(decision, like[number], random)
        else:
            answer = _kept(decision, like[number], like[number + 1 :], random)
        answers.append(answer)
        position = game.answer(position, player, answer)
    return tuple(answers)


def _changed(decision: Decision, old: Answer, random: Random) -> Answer:
    """Another answer; of several pieces, one is exchanged."""
    answers = decision.answers
    if not isinstance(answers, SeveralAnswers) or not old:
        return answers.sample(random)
    left = _there(answers)
    left.subtract(old)
    others = sorted((+left).elements())
    if not others:
        return answers.sample(random)
    pieces = list(old)
    pieces[random.below(len(pieces))] = others[random.below(len(others))]
    new = tuple(sorted(pieces))
    return new if answers.contains(new) else answers.sample(random)


def _kept(decision: Decision, old: Answer, later: Sequence[Answer], random: Random) -> Answer:
    """The old answer; pieces of it that are gone are replaced by such as no later answer wants."""
    answers = decision.answers
    if answers.contains(old):
        return old
    if not isinstance(answers, SeveralAnswers):
        return answers.sample(random)
    left = _there(answers)
    pieces: list[int] = []
    for piece in old:
        if left[piece] > 0:
            left[piece] -= 1
            pieces.append(piece)
    free = Counter(left)
    for wanted in later:
        if isinstance(wanted, tuple):
            free.subtract(wanted)
    loose = sorted((+free).elements())
    while len(pieces) < len(old) and loose:
        pieces.append(loose.pop(random.below(len(loose))))
    new = tuple(sorted(pieces))
    return new if answers.contains(new) else answers.sample(random)


def _there(answers: SeveralAnswers) -> Counter[int]:
    """The pieces that can be chosen."""
    return Counter({answers.low + kind: copies for kind, copies in enumerate(answers.counts) if copies})
