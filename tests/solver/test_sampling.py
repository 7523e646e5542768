"""Options compared by sampling: the same luck for all, honest errors, and an answer to every decision of every game."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import count as count_from
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.stepper import Stepper
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.play.playout import WHOLE_GAME, Horizon, played_on
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import AUTO, ENUMERATION, MODEL, SAMPLING, Advice, SolverQuestion, advise
from chocolatl.solver.methods import best, sampling
from chocolatl.solver.methods.continuations import LUCK, at_random
from chocolatl.solver.methods.sampling import FINALISTS, Sampler, compare
from chocolatl.solver.symbolic.unmodelled import Unsupported
from chocolatl.solver.worth.estimates import Estimate
from chocolatl.solver.worth.outcome import MARGIN, POINTS, WIN, OutcomeMeasure
from chocolatl.solver.worth.refusals import NoAnswer
from chocolatl.solver.worth.scenario_sets import CHOICE, TRIAL
from chocolatl.solver.worth.scenarios import source
from tests.conftest import Evidence
from tests.games import Table, answered, loaded, tables, walk, write_game
from tests.solver.solving import dealt

WHOLE = [table for table in tables() if table.variant is None]


def sampler(game: Game, position: Position, player: int, seed: int, objective: str = POINTS) -> Sampler:
    drawn = source(game, position, player, "random", seed)
    return Sampler(game, drawn, at_random(game, player), OutcomeMeasure(game, player, objective))


# ---------------------------------------------------------------- estimates


def test_a_mean_and_its_standard_error() -> None:
    found = Estimate.of([1, 2, 3, 6])
    assert found == Estimate(3.0, sqrt((4 + 1 + 0 + 9) / 3 / 4), 4)
    assert Estimate.of([5.0]) == Estimate(5.0, 0.0, 1)


def test_the_true_value_lies_within_two_errors_as_often_as_it_should(evidence: Evidence) -> None:
    """Kuhn poker with the middle card, first to act: by hand, against random play that goes on at random.

    The other card is as likely 1 as 3. After a bet the other folds half the time (+1), else there is a showdown, which
    comes to 0: so 1/2. After passing, the other passes half the time, which comes to 0, or bets; then the player folds
    half the time (-1), or calls, which comes to 0: so -1/4. Gains count from the score now, which is -1."""
    game = loaded(rules_folder() / "kuhn_poker", 2)
    position = game.initial()
    for card in (2, 3):
        position = answered(game, position, card)
    decision = game.pending(position)[0]
    truths = {"bet": 0.5 + 1, "pass": -0.25 + 1}
    inside = 0
    seeds = list(evidence.cases("sampled values lie within two standard errors", full=400, slice=60))
    for seed in seeds:
        options = sampler(game, position, 0, seed).ranked([(decision.decode("bet"),), (decision.decode("pass"),)], 60)
        for option in options:
            (answer,) = option.answers
            truth = truths[str(decision.encode(answer))]
            inside += abs(option.value.mean - truth) <= 2 * option.value.error
    assert inside / (2 * len(seeds)) > 0.88


@pytest.mark.parametrize("clear", [False, True])
def test_more_is_drawn_where_it_is_not_clear_which_option_is_best(clear: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to five times as many as were asked for, to choose by; the report has no more."""
    game, drawn = loaded(rules_folder() / "goofspiel", 2), list[int]()
    right = Sampler.table

    def watched(given: Sampler, answers: Sequence[AnswerSequence], first: int, *rest: Any) -> list[list[float]]:
        rows = right(given, answers, first, *rest)
        drawn.extend(range(first, first + len(rows)) if CHOICE <= first < TRIAL else ())
        return rows

    monkeypatch.setattr(Sampler, "table", watched)
    monkeypatch.setattr(sampling, "_is_clear", lambda rows: clear)
    position = dealt(game, 2)
    assert position is not None
    found = advise(game, position, 0, SolverQuestion(samples=6, engine=SAMPLING), contests=False)
    assert drawn == [CHOICE + number for number in range(6 if clear else 30)]
    assert found.fresh is not None and found.fresh.samples == 6


def test_a_comparison_that_is_not_clear_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    game, now = loaded(rules_folder() / "goofspiel", 2), [0.0]
    comparing = sampler(game, game.initial(), 0, seed=1)
    comparing.until_clear, right = 4, Sampler.row

    def slow(*given: Any) -> list[float]:
        now[0] += 1
        return right(*given)

    monkeypatch.setattr(Sampler, "row", slow)
    monkeypatch.setattr(sampling, "_is_clear", lambda rows: False)
    for seconds, count in ((3.5, 4), (3.0, 4), (9.5, 10), (99, 32)):
        now[0] = 0
        assert len(comparing.fresh([(1,), (2,)], 32, Deadline(seconds, lambda: now[0]))) == count


# ---------------------------------------------------------------- where a scenario ends

ROUNDS = """\
item won "Won"

each player has
    score : 0..99 = 0
    bid   : 0..5 = 0

play
    for each round in 1..4
        every player p secretly
            p chooses p.bid from 0..5 "How much?"
        for each p in player
            p gains p.bid score for won
"""


@pytest.mark.parametrize("natively", [False, True])
def test_a_round_that_ends_with_the_answer_is_not_followed_by_another(natively: bool, tmp_path: Path) -> None:
    """With the last answer to a secret block the next block begins, and nothing is asked between."""
    game = load(write_game(tmp_path, ROUNDS), 2)
    position = game.initial()
    assert game.round(position) == 1
    for number in range(20):
        scenario = source(game, position, 0, "random", number)(0)
        if natively:
            table = Stepper(game).load(scenario.position, streams(number, 0, 2)).apply(0, 3)
            table.play_on(Horizon(), 1)
            end = table.reading()
        else:
            end = at_random(game, 0).logged(scenario, (3,)).position
        assert (game.round(end), game.scores(end)[0]) == (2, 3)


# ---------------------------------------------------------------- the same luck for all


@pytest.mark.parametrize("table", WHOLE, ids=str)
def test_an_option_is_worth_what_its_scenarios_come_to(table: Table, seed: int) -> None:
    """Each number of a table is that of one game, played from the scenario after the answer."""
    game = table.load()
    position = _decision(game, seed)
    player = game.pending(position)[0].player
    decision = game.decision(position, player)
    assert decision is not None
    options = [(decision.answers.nth(n),) for n in range(min(3, decision.answers.count()))]
    tried = sampler(game, position, player, seed, MARGIN)
    table_ = tried.table(options, 5, 2)
    for number, row in enumerate(table_, start=5):
        scenario = tried.source(number)
        for (answer,), value in zip(options, row, strict=True):
            after = game.answer(scenario.position, player, answer)
            horizon = Horizon() if game.round(scenario.position) else WHOLE_GAME
            end = played_on(game, after, _luck(game, scenario.seed), horizon, position)
            scores = game.scores(end)
            assert value == scores[player] - max(s for seat, s in enumerate(scores) if seat != player)
            assert game.is_over(end) or game.round(end) == game.round(position) + 1


def _luck(game: Game, seed: int) -> tuple[Random, ...]:
    return streams(seed + LUCK, 0, game.player_count)


def _decision(game: Game, seed: int) -> Position:
    """A position of a random game in which there is a choice."""
    open_ = [p for p in walk(game, seed) if any(d.answers.count() > 1 for d in game.pending(p)[:1])]
    return random.Random(seed).choice(open_)


def test_options_of_no_difference_are_not_behind_at_all() -> None:
    """What one player lays on the two ends of a symmetrical battle comes to the same by value, and by luck too if the
    answers are the same."""
    game = loaded(rules_folder() / "blotto", 2)
    same = sampler(game, game.initial(), 0, 3).ranked([(4,), (4,)], 50)
    assert [option.behind for option in same] == [Estimate(0.0, 0.0, 50)] * 2
    assert same[0].value == same[1].value and same[0].value.error > 0


# ---------------------------------------------------------------- many options


def test_of_many_options_the_better_ones_are_left() -> None:
    """Goofspiel's last but one prize: the higher card wins the higher prize, or it does not matter."""
    game = loaded(rules_folder() / "goofspiel", 2)
    position = next(p for p in walk(game, 4) if game.round(p) == 3 and game.pending(p))
    tried = sampler(game, position, 0, 1)
    found = compare(tried, position, 0, 40, seed=1)
    assert (found.possible, found.tried, len(found.options)) == (11, 11, FINALISTS)
    values = [option.value.mean for option in found.options]
    assert values == sorted(values, reverse=True) and all(option.value.samples == 40 for option in found.options)
    decision = game.decision(position, 0)
    assert decision is not None
    highest = decision.answers.nth(decision.answers.count() - 1)
    assert (highest,) in [option.answers for option in found.options]  # within one round nothing speaks against it


def test_fresh_scenarios_are_not_those_of_the_first_look() -> None:
    numbers: list[int] = []
    game = loaded(rules_folder() / "goofspiel", 2)
    position = next(p for p in walk(game, 4) if game.pending(p))
    tried = sampler(game, position, 0, 1)
    made = tried.source

    def noted(number: int) -> object:
        numbers.append(number)
        return made(number)

    tried.source = noted  # type: ignore[assignment]
    compare(tried, position, 0, 20, seed=1)
    assert len(numbers) == len(set(numbers)) and sum(number >= CHOICE for number in numbers) == 20


def test_when_the_time_is_up_there_are_fewer_samples() -> None:
    game = loaded(rules_folder() / "blotto", 2)
    tried = sampler(game, game.initial(), 0, 3)
    clock = count_from(0)
    tried.deadline = Deadline(5, lambda: next(clock))
    assert [option.value.samples for option in tried.ranked([(1,), (2,)], 1000)] == [5, 5]
    assert tried.ranked([(1,), (2,)], 1000) == []  # there is nothing to compare by


def test_when_it_is_clear_which_option_is_best_there_are_fewer_samples() -> None:
    """In a battle all troops on one field lose against a balanced army; two equal armies never differ."""
    game = loaded(rules_folder() / "blotto", 2)
    armies = {"clear": [(10, 0, 0), (4, 3, 3)], "equal": [(4, 3, 3), (4, 3, 3)], "close": [(4, 3, 3), (4, 4, 2)]}
    samples = {}
    for name, options in armies.items():
        tried = sampler(game, game.initial(), 0, 3, MARGIN)
        tried.until_clear = 16
        samples[name] = tried.ranked(options, 300)[0].value.samples
    assert samples["equal"] == 16 and samples["clear"] < 300 and samples["close"] == 300


# ---------------------------------------------------------------- every decision of every game


@pytest.mark.parametrize("table", WHOLE, ids=str)
def test_every_kind_of_decision_has_an_answer(table: Table, seed: int) -> None:
    """Every choice that turns up in a game is answered, legally, by the engine that is named; where there is no model
    the rule is named."""
    game = table.load()
    seen: dict[str, Advice] = {}
    for position in walk(game, seed):
        for decision in game.pending(position)[:1]:
            if decision.node.name in seen or decision.answers.count() < 2:
                continue
            question = SolverQuestion(scenarios=1, samples=2, seed=seed, engine=SAMPLING, seconds=0.01)
            found = seen[decision.node.name] = advise(game, position, decision.player, question)
            assert decision.answers.contains(found.answers[0])
            assert found.choices[0] == (decision.name, decision.encode(found.answers[0]))
            assert found.engine == "sampling" and found.bound is None
            assert found.fresh is None or found.fresh.samples == 2
            assert (found.fresh is None) == any(each.startswith("fresh scenarios: none") for each in found.left_out)
    assert seen


@pytest.mark.parametrize(("name", "choice"), [("cacao", "placement"), ("quetzal", "place"), ("kuhn_poker", "action")])
def test_without_a_model_the_rule_is_named_and_sampling_answers(name: str, choice: str) -> None:
    game = loaded(rules_folder() / name, 2)
    position = next(p for p in walk(game, 1) for d in game.pending(p)[:1] if d.node.name == choice)
    player = game.pending(position)[0].player
    with pytest.raises(Unsupported) as refused:
        advise(game, position, player, SolverQuestion(scenarios=1, engine=MODEL))
    found = advise(game, position, player, SolverQuestion("greedy", scenarios=1, samples=2))
    assert found.why == f"{refused.value.span}: {refused.value.message}" and f"{name}.rules" in found.why


def test_if_making_a_model_takes_too_long_sampling_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever engine was asked for. If there is no time for that either, there is a legal answer at least."""
    game = loaded(rules_folder() / "goofspiel", 2)
    position = next(p for p in walk(game, 1) if p.sealed is not None)
    asked = SolverQuestion("greedy", scenarios=1, samples=2, seconds=60)  # against it not even few histories are played
    assert advise(game, position, 0, asked).engine == "CP-SAT"
    monkeypatch.setattr(best, "MAKING", 0.0)
    for engine in (AUTO, MODEL, ENUMERATION):
        found = advise(game, position, 0, replace(asked, engine=engine))
        assert (found.engine, found.status, found.bound, found.model) == ("sampling", "feasible", None, None)
        assert found.why == "no scenario became one in its share of the time"
    hurried = advise(game, position, 0, replace(asked, seconds=1e-9))
    decision = game.decision(position, 0)
    assert decision is not None and decision.answers.contains(hurried.answers[0])
    assert (hurried.engine, hurried.status, hurried.value, hurried.fresh) == ("sampling", "unknown", None, None)
    assert hurried.left_out == (
        f"options: 0 of {decision.answers.count()} were tried",
        "fresh scenarios: none, so that it is not known what the answer is worth elsewhere",
    )


def test_a_delivery_is_solved_by_a_model() -> None:
    game = loaded(rules_folder() / "quetzal", 2)
    position = next(p for p in walk(game, 0) for d in game.pending(p)[:1] if d.node.name == "delivered")
    decision = game.pending(position)[0]
    found = advise(game, position, decision.player, SolverQuestion(scenarios=2, samples=10, alternatives=0))
    assert found.engine == "CP-SAT" and found.status == "optimal"
    assert len(found.options) == 1 or len(found.options) == decision.answers.count()


def test_the_same_question_has_the_same_answer() -> None:
    game = loaded(rules_folder() / "quetzal", 2)
    position = next(p for p in walk(game, 1) if game.pending(p))
    player = game.pending(position)[0].player
    first, second = (
        advise(game, position, player, SolverQuestion(samples=8, engine=SAMPLING, seed=5)) for _ in range(2)
    )
    assert first.options == second.options


def test_winning_is_sampled_only_where_the_game_ends() -> None:
    game = loaded(rules_folder() / "goofspiel", 2)
    positions = [p for p in walk(game, 2) if len(game.pending(p)) == 2]
    question = SolverQuestion(samples=20, objective=WIN, engine=SAMPLING)
    with pytest.raises(NoAnswer, match="the game may go on after this round"):
        advise(game, positions[0], 0, question)
    fresh = advise(game, positions[-1], 0, question).fresh
    assert fresh is not None and fresh.mean in (0.0, 1.0)
