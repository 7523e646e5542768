"""Best answers: as good as the best of all answers when each is played, replayed before they are shown, and made of
the rule text alone."""

from __future__ import annotations

import json
import math
import random
import shutil
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import count
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import SolverQuestion, advise
from chocolatl.solver.methods import best as best_answers
from chocolatl.solver.methods.best import Disagreement, NotFound, NotModelled, formulate, solve
from chocolatl.solver.model.linear import high
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.answers import ScenarioAnswers
from chocolatl.solver.symbolic.orders import Orders, SymbolicOrder
from chocolatl.solver.symbolic.plan import AnswerPlan
from chocolatl.solver.symbolic.resume import ResumedRun
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.symbolic.state import DeferredStatement
from chocolatl.solver.worth.objective import gained
from chocolatl.solver.worth.outcome import MARGIN, OBJECTIVES, POINTS, WIN
from tests.conftest import Evidence
from tests.games import Table, loaded, tables, walk, write_game
from tests.shipped.specifications import CHOCOLATL, Settings
from tests.solver.solving import (
    Answers,
    Case,
    Cells,
    allocations,
    any_rules,
    bid_vectors,
    dealt,
    edited,
    going_without,
    ticking,
    worth,
)
from tests.syntax.test_renaming import Renaming, write_renamed

# ---------------------------------------------------------------- as good as the best of all answers

RULINGS: list[Settings] = [
    {},
    *({name: value} for name, value in CHOCOLATL.alternatives),
    dict(CHOCOLATL.alternatives),
]
RED = {"track.cycle_from_1": ["red"]}
"""All cards of a round are laid at once."""


def special(game: Game, seed: int) -> Cells:
    """Numbers at which rules turn: a limit, a tie, a last piece."""
    choice, players = random.Random(seed), game.player_count
    rows = game.program.layout.places["player", "placed"].cells // players

    def each(low: int, high: int) -> list[int]:
        return [choice.randint(low, high) for _ in range(players)]

    def first_row(stones: int) -> list[int]:
        """So many stones in the lowest row of the pyramid."""
        placed = [0] * (players * rows)
        for _ in range(stones):
            placed[choice.randrange(players) * rows] += 1
        return placed

    pile = choice.sample(range(1, players + 1), players)
    held = {"figure": [choice.randrange(players)], "old_man": [choice.randrange(players)]}
    dice = each(0, 1)
    dealt_dice = {"dice": dice, "village_dice": [1], "supply": [6 - sum(dice)]}
    kinds: list[Cells] = [
        {},
        {"score": each(0, 1), "arrival": pile, "moves": [players]},
        {"score": [5] * players, "arrival": pile, "moves": [players], **held},
        {"score": each(36, 39), **held},
        {"stones": each(1, 1), "score": each(3, 9)},
        {"placed": first_row(4), "score": each(4, 6), **held},
        {"placed": first_row(3), "stones": each(1, 2), "huts": each(0, 1)},
        {"score": each(38, 39), "arrival": pile, "moves": [players], **dealt_dice},
        {"huts": each(0, 1), **held, **dealt_dice},
    ]
    return kinds[seed % len(kinds)]


def case(variant: str, seed: int, scenarios: int, only_red: bool = False) -> Case:
    """A decision of Chocolatl on a smaller board: any ruling, round, number of players and objective."""
    choice = random.Random(seed)
    settings = dict(RULINGS[seed % len(RULINGS)])
    if only_red or choice.random() < 0.7:
        settings |= RED
    game = CHOCOLATL.load(choice.choice(CHOCOLATL.players), variant, settings)
    rounds = [choice.randint(1, 7), 1]
    position = next(p for p in (dealt(game, seed, number) for number in rounds) if p is not None)
    position = edited(game, position, special(game, seed))
    game = going_without(game, position)
    player = choice.randrange(game.player_count)
    objective = choice.choice([POINTS, POINTS, MARGIN])
    return Case.at(game, position, player, scenarios, seed, objective, any_rules(game, player, seed))


SAME = "the best answer is that of exhaustive enumeration"


@pytest.mark.parametrize(
    ("variant", "scenarios", "full", "few"),
    [
        ("three_locations", 1, 240, 5),
        ("three_locations", 8, 40, 1),
        ("four_locations", 1, 40, 1),
        ("four_locations", 8, 6, 0),
    ],
)
def test_no_answer_is_better(variant: str, scenarios: int, full: int, few: int, evidence: Evidence) -> None:
    for seed in evidence.cases(f"{SAME}: {variant}, {scenarios} scenarios", full=full, slice=few):
        case(variant, seed, scenarios).assert_solved()


@pytest.mark.full_counts
def test_no_answer_is_better_on_five_locations(evidence: Evidence) -> None:
    """113,400 ways to lay the cards; of those with the same sums at all locations one is played."""
    for seed in evidence.cases(f"{SAME}: five_locations, 1 scenarios", full=2, slice=1):
        case("five_locations", seed, 1, only_red=True).assert_solved(alike=sums)


def sums(answers: Answers) -> object:
    return tuple(sum(answer) if isinstance(answer, tuple) else answer for answer in answers)


def hand_of(game: Game, position: Position, player: int) -> tuple[int, ...]:
    """The cards of a player: in Chocolatl a kind of card goes by its value."""
    assert position.sealed is not None
    hand = position.sealed[player].slots[game.program.layout.places["player", "hand"].base + player]
    kinds = range(game.ir.domains["card"].type.size)
    return tuple(kind for kind in kinds for _ in range(count(hand, kind)))


def test_every_row_of_sums_is_laid_once() -> None:
    game = CHOCOLATL.load(3, "four_locations", RED)
    position = dealt(game, 4)
    assert position is not None
    every = {sums(answers) for answers in allocations(game, position, 0)}
    found = [sums(answers) for answers in bid_vectors(hand_of(game, position, 0))]
    assert len(found) == len(set(found)) and set(found) == every


@pytest.mark.full_counts
@pytest.mark.parametrize("players", CHOCOLATL.players)
def test_no_answer_is_better_in_the_full_game(players: int, evidence: Evidence) -> None:
    """All six locations: one to four million rows of sums, each played. It takes many minutes."""
    for seed in evidence.cases(f"{SAME}: the full game, all rows of sums, {players} players", full=1, slice=1):
        game = CHOCOLATL.load(players, None, RED)
        position = dealt(game, seed)
        assert position is not None
        full = Case.at(game, position, 0, 1, seed)
        best = full.solved()
        assert best.status == "optimal"
        found = max(worth(game, full.scenarios, 0, laid) for laid in bid_vectors(hand_of(game, position, 0)))
        assert found == best.value * full.weight


def test_no_sampled_answer_is_better_in_the_full_game(evidence: Evidence) -> None:
    for seed in evidence.cases("no sampled answer beats the proved one in the full game", full=3, slice=1):
        game = CHOCOLATL.load(3, None, RED)
        position = dealt(game, seed)
        assert position is not None
        full = Case.at(game, position, 0, 1, seed)
        best = full.solved()
        assert best.status == "optimal"
        source = Random(seed)
        for _ in range(1000):
            assert worth(game, full.scenarios, 0, sampled(game, position, 0, source)) <= best.value


def sampled(game: Game, position: Position, player: int, source: Random) -> Answers:
    """Random answers to all that is left of a secret block."""
    answers: list[object] = []
    while (decision := game.decision(position, player)) is not None:
        answers.append(decision.answers.sample(source))
        position = game.answer(position, player, answers[-1])
    return tuple(answers)


@pytest.mark.parametrize("players", CHOCOLATL.players)
def test_the_model_of_a_sealed_round_is_small(players: int, evidence: Evidence) -> None:
    """A model of the first round made by hand, the bids of the others known, has 180 to 300 constraints."""
    game = CHOCOLATL.load(players)
    for seed in evidence.cases("the model of a sealed round has at most 480 constraints", full=30, slice=1):
        position = dealt(game, seed)
        assert position is not None
        best = Case.at(game, position, 0, 1, seed).solved()
        assert best.status == "optimal" and best.constraints <= 480


SMALL = [table for table in tables() if table.game in ("blotto", "goofspiel") and table.players < 4]


@pytest.mark.parametrize("table", SMALL, ids=str)
def test_no_answer_is_better_anywhere_in_a_small_game(table: Table, evidence: Evidence) -> None:
    game = table.load()
    for seed in evidence.cases("the best answer anywhere in a small game is that of enumeration", full=10, slice=1):
        choice = random.Random(seed)
        open_ = [p for p in walk(game, seed) if len({d.player for d in game.pending(p)}) > 1]
        position = choice.choice(open_)
        player = choice.choice(game.pending(position)).player
        objectives = OBJECTIVES if table.game == "blotto" else (POINTS, MARGIN)
        rules = any_rules(game, player, seed)
        Case.at(game, position, player, 3, seed, choice.choice(objectives), rules).assert_solved()


# ---------------------------------------------------------------- Colonel Blotto


@pytest.mark.parametrize(
    ("coins", "value", "reached"), [(10, Fraction(7, 22), (3, 3, 4)), (5, Fraction(2, 7), (1, 2, 2))]
)
def test_the_best_response_to_uniform_play_in_blotto(coins: int, value: Fraction, reached: tuple[int, ...]) -> None:
    game = loaded(rules_folder() / "blotto", 2, json.dumps({"coins": coins}))
    given = []
    for answers in allocations(game, game.initial(), 1):
        position = game.initial()
        for answer in answers:
            position = game.answer(position, 1, answer)
        given.append(FixedScenario(position, 0))
    assert len(given) == (coins + 1) * (coins + 2) // 2
    best = Case(game, game.initial(), 0, given, MARGIN).solved()
    assert best.status == "optimal" and Fraction(best.value).limit_denominator(1000) == value
    assert tuple(sorted(best.answers)) == reached  # type: ignore[type-var]


# ---------------------------------------------------------------- replayed before it is shown


def test_a_broken_claim_is_caught() -> None:
    problem_case = case("three_locations", 0, 2)
    problem = formulate(problem_case.game, problem_case.player, problem_case.scenarios)
    problem.parts[0] = problem.model.shifted(problem.parts[0], 1)
    with pytest.raises(Disagreement, match=r"the model claims \d+, and the interpreter finds \d+"):
        solve(problem, Deadline(60))


def test_the_time_to_make_a_model_counts() -> None:
    held = case("three_locations", 1, 3)
    with pytest.raises(NotFound, match="in the time: no scenario became a model"):
        formulate(held.game, held.player, held.scenarios, held.objective, deadline=Deadline(1e-9))
    problem = formulate(held.game, held.player, held.scenarios, held.objective, deadline=Deadline(60))
    assert 0 < problem.seconds < solve(problem, Deadline(60)).seconds


@pytest.mark.parametrize("spare", [0, 1, -1])
def test_scenarios_for_which_there_is_no_time_are_played_all_the_same(spare: int) -> None:
    """The clock ticks each time somebody looks at it. There is time for two scenarios and none for more, for a little
    of the third, or for nearly all of it: what was begun leaves no trace."""
    held = case("three_locations", 1, 4)
    two, three = (looks(held, held.scenarios[:many]) for many in (2, 3))
    assert two + 100 < three
    enough = two + spare if spare >= 0 else three + spare
    limit = ticking(enough)[0]
    problem = formulate(held.game, held.player, held.scenarios, held.objective, deadline=limit)
    shorter = formulate(held.game, held.player, held.scenarios[:2], held.objective)
    assert problem.model.constraints == shorter.model.constraints
    assert repr(problem.total) == repr(shorter.total)
    best = solve(problem, Deadline(60))
    assert (best.modelled, best.scenarios, best.status, best.bound) == (2, 4, "feasible", math.inf)
    assert worth(held.game, held.scenarios, held.player, best.answers, held.objective) == round(
        best.value * held.weight
    )
    known = Case(held.game, held.position, held.player, held.scenarios[:2], held.objective)
    value = worth(held.game, known.scenarios, held.player, best.answers, held.objective)
    assert value == round(known.solved().value * known.weight)


def test_one_scenario_that_takes_too_long_is_given_up() -> None:
    held = case("three_locations", 1, 2)
    one = looks(held, held.scenarios[:1])
    limit, clock = ticking(one - 1)
    with pytest.raises(NotModelled, match="no answer was found in the time: no scenario became a model"):
        formulate(held.game, held.player, held.scenarios, held.objective, deadline=limit)
    assert next(clock) == one + 1  # it was given up at once


def looks(held: Case, given: list[FixedScenario]) -> int:
    """The tick at the last look at the clock while scenarios are put into a model."""
    limit, clock = ticking(10**9)
    with pytest.MonkeyPatch.context() as context:
        context.setattr(best_answers, "helped", lambda *_: None)  # what follows from all of them comes after that
        formulate(held.game, held.player, given, held.objective, deadline=limit)
    return next(clock) - 2


def test_what_nobody_asks_for_is_not_carried_out() -> None:
    """What the last location brings counts only beyond the round."""
    game = CHOCOLATL.load(3, None, RED)
    position = dealt(game, 1)
    assert position is not None
    scenario = Case.at(game, position, 0, 1, 1).scenarios[0]
    run = ResumedRun(game.program, Model(), scenario.position, 0, ScenarioAnswers(AnswerPlan(), 0, scenario))
    run.to_horizon()
    gained(run, game, scenario, 0, POINTS, ())
    hands = game.program.layout.places["player", "hand"].base
    held = run.state.values[hands]
    assert isinstance(held, DeferredStatement) and held.is_open
    assert high(run.model.total(run.state.counts(hands))) == 12
    assert not held.is_open


def test_alternatives_differ_and_are_no_better() -> None:
    held = case("three_locations", 1, 3)
    best = solve(formulate(held.game, held.player, held.scenarios, held.objective), Deadline(60), alternatives=3)
    assert len(best.alternatives) == 3
    for better, worse in pairwise([best, *best.alternatives]):
        assert better.value >= worse.value
        value = worth(held.game, held.scenarios, held.player, worse.answers, held.objective)
        assert value == round(worse.value * held.weight)
    assert len({best.answers, *(other.answers for other in best.alternatives)}) == 4


def test_a_contest_shows_bids_below_zero_as_such() -> None:
    """The holder of the old man bids 20 less than his cards everywhere but at the first location."""
    game = CHOCOLATL.load(3, "three_locations", {**RED, "oldman.elsewhere": -20})
    position = dealt(game, 5)
    assert position is not None
    asked = SolverQuestion(scenarios=4, samples=12, seed=5)
    best = advise(game, edited(game, position, {"old_man": [0]}), 0, asked)
    laid = [sum(value) for _, value in best.choices if isinstance(value, list)]
    first, _, last = best.contests
    assert {first.lowest_bid, first.highest_bid} == {laid[0] + 1}
    assert {last.lowest_bid, last.highest_bid} <= {laid[2], laid[2] - 20} and last.margin <= last.lowest_bid - 1


def test_winning_is_asked_only_where_the_game_ends() -> None:
    game = CHOCOLATL.load(3, "three_locations", {**RED, "end.rounds": 1})
    position = dealt(game, 5)
    assert position is not None
    Case.at(game, position, 0, 2, 5, WIN).assert_solved()


# ---------------------------------------------------------------- the rule text, and nothing else


def test_a_game_in_other_words_has_the_same_best_answers(tmp_path: Path, evidence: Evidence) -> None:
    for seed in evidence.cases("a renamed game has the same best answers", full=8, slice=1):
        renaming = Renaming(seed)
        folder = write_renamed("chocolatl", renaming, tmp_path / str(seed))
        players = 3 + seed % 3
        other = load(folder / "variants" / f"{renaming.text('three_locations')}.yaml", players)
        found = []
        for game in (CHOCOLATL.load(players, "three_locations"), other):
            position = dealt(game, seed)
            assert position is not None
            found.append(Case.at(game, position, 1, 3, seed).solved())
        one, two = found
        assert (one.value, one.answers, one.variables) == (two.value, two.answers, two.variables)
        assert [renaming.known(name) for name, _ in one.choices] == [name for name, _ in two.choices]


def test_an_edited_number_changes_the_answer() -> None:
    values = []
    for points in (8, 30):
        game = CHOCOLATL.load(3, "three_locations", {**RED, "drink.highest": [points] * 7})
        position = dealt(game, 3)
        assert position is not None
        best = Case.at(game, position, 0, 1, 3).assert_solved()
        values.append(best.value)
    assert values[1] == values[0] + 22


def test_an_edited_rule_changes_the_answer(tmp_path: Path) -> None:
    shutil.copytree(rules_folder() / "goofspiel", tmp_path / "goofspiel")
    rules = tmp_path / "goofspiel/goofspiel.rules"
    text = rules.read_text(encoding="utf-8")
    bids = []
    for word in ("highest", "lowest"):
        rules.write_text(text.replace("then highest p.bid", f"then {word} p.bid"), encoding="utf-8")
        game = load(tmp_path / "goofspiel", 2, {"cards": 5})
        position = dealt(game, 1)
        assert position is not None
        held = Case.at(game, position, 0, 1, 4)
        best = held.assert_solved()
        sealed = held.scenarios[0].position.sealed
        assert sealed is not None
        bids.append((best.answers, sealed[1].answers))
    (high, first), (low, second) = bids
    assert first == second and high > first and low < second


# ---------------------------------------------------------------- the beginning of the next round

BOTH_WAYS = """\
item won "Won"

table has
    leader : player
    pot    : 0..99 = 3

each player has
    score : 0..999 = 0
    bid   : 0..3 = 0

play
    for each round in 1..3
        pot becomes pot + 1
        if leader.bid > 1
            leader gains 2 * pot score for won
            if leader.bid is 3
                pot becomes 0
            roll die from 1..6
            leader gains die score for won
        else
            leader gains 3 score for won
            leader chooses again from 0..2
            pot becomes pot + again
        leader chooses leader.bid from 0..3
        leader gains pot score for won
"""


def test_the_next_round_may_ask_on_both_ways(tmp_path: Path) -> None:
    """What it brings before it asks counts, whether chance is asked or the player."""
    game = load(write_game(tmp_path, BOTH_WAYS), 2)
    decisions = [p for seed in range(2) for p in walk(game, seed) if game.pending(p)]
    for seed, position in enumerate(decisions):
        Case.at(game, position, 0, 2, seed).assert_solved()
    assert len(decisions) > 6


# ---------------------------------------------------------------- loops over a ranking

QUEUE = """\
item prize "Served"

table has
    stock : 0..20 = 11

each player has
    score : 0..99 = 0
    bid   : 0..2 = 0
    tip   : 0..2 = 0

ranking queue of p in player
    highest p.bid

play
    every player p secretly
        p chooses p.bid from 0..2 "How much do you pay?"
        p chooses p.tip from 0..2 "And more?"
    for each p in queue backwards when {backwards}
        stop when stock < 3
        p gains (stock - p.bid - p.tip) / 2 score for prize, at least 0
        p.tip becomes 0
        stock becomes stock / 2 + p.bid
    for each p in queue
        p gains 1 - p.tip score for prize, at least 0
"""


@pytest.mark.parametrize("backwards", ["1 is 2", "1 is 1"])
def test_a_loop_over_a_ranking_takes_equal_players_by_seat(backwards: str, tmp_path: Path) -> None:
    game = load(write_game(tmp_path, QUEUE.replace("{backwards}", backwards), players=3), 3)
    for seed in range(8):
        for player in range(3):
            Case.at(game, game.initial(), player, 1 + seed % 3, seed).assert_solved()


OFFERS = """\
item prize "Served"

table has
    stock  : 0..99 = 9
    passes : 0..99 = 0

each player has
    score : 0..99 = 0
    bid   : 0..2 = 0
    coins : 0..3 = {coins}

ranking queue of p in player
    highest p.bid

value can_pay(p : player) = p.coins > 1

play
    every player p secretly
        p chooses p.bid from 0..2 "How much do you offer?"
    for each p in player
        p.coins becomes p.coins + {gain}
    for each p in queue
        let buys : yes/no = no
        if can_pay(p)
            p chooses buys from yes/no "Do you buy?"
        if buys
            p.coins becomes p.coins - 2
            p gains stock score for prize
            stock becomes stock / 2
            passes becomes 0
        else
            passes becomes passes + 1
        stop when passes is 2
    for each p in player
        p gains max(passes - p.bid, 0) score for prize
"""


def queued(folder: Path, coins: str, gain: str) -> Game:
    return load(write_game(folder, OFFERS.replace("{coins}", coins).replace("{gain}", gain), players=3), 3)


@pytest.mark.parametrize(("coins", "gain"), [("0", "0"), ("1", "p.bid"), ("2", "0"), ("0", "p.bid")])
def test_what_a_pass_does_before_its_place_matters_is_done_as_in_its_place(
    coins: str, gain: str, tmp_path: Path
) -> None:
    """Who can pay, and who buys, is known before anybody is ranked; what that brings depends on the place."""
    game = queued(tmp_path, coins, gain)
    for seed in range(12):
        for player in range(3):
            Case.at(game, game.initial(), player, 1 + seed % 3, seed).assert_solved()


@pytest.mark.parametrize(("coins", "ranks"), [("0", 0), ("3", 1)])
def test_nobody_is_ranked_where_it_does_not_matter_who_has_which_place(
    coins: str, ranks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = queued(tmp_path, coins, "0")
    given = Case.at(game, game.initial(), 0, 1, 3).scenarios
    found: list[SymbolicOrder] = []
    compared = Orders.compared

    def counted(orders: Orders, *given: Any) -> SymbolicOrder:
        found.append(compared(orders, *given))
        return found[-1]

    monkeypatch.setattr(Orders, "compared", counted)
    formulate(game, 0, given)
    assert len(found) == ranks
