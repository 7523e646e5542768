"""Own decisions after the answer: rules of thumb, the best of a few by value, alike in a model and when played."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver import going_on
from chocolatl.solver.advice import EXACT, MODEL, SolverQuestion, advise
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods.rules_of_thumb import LaterRules, PlayedCase, RuleSearch, candidates, in_words
from chocolatl.solver.symbolic.scenario import LaterPolicy
from tests.games import write_game
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import Case, dealt, edited, worth

# ---------------------------------------------------------------- the die that is always taken


def test_an_optimum_rises_when_the_die_is_taken() -> None:
    """Two black dice are left to the player. That nobody ever rolls one was the only thing that was reckoned with."""
    game = CHOCOLATL.load(3, "four_locations", {"track.cycle_from_1": ["red"]})
    position = dealt(game, 1, 4)
    assert position is not None
    position = edited(game, position, {"dice": [2, 0, 0], "village_dice": [0], "supply": [5]})
    question = SolverQuestion(scenarios=3, samples=40, seed=1, alternatives=0)
    never = Case(game, position, 0, PositionQuestion(game, position, 0, question).sets.search(3)).solved()
    found = advise(game, position, 0, question)
    assert found.rules == (("black_die", "yes"),)
    assert found.policy == "black_die: yes; else the first legal answer"
    best = found.proved or found.model
    assert best is not None and best.status == "optimal"
    assert (round(3 * never.value), round(3 * best.value)) == (24, 37)


# ---------------------------------------------------------------- rules in model and interpreter

EVERYTHING = """\
item won "All that counts"

enum prize = cake "A cake", tea "Tea", coin "A coin"

each player has
    score  : 0..9999 = 0
    asked  : 0..2 = 0
    hand   : set of card = every card
    plate  : set of card

play
    for each p in player
        p chooses p.asked from 0..2 "How many?"
        roll luck from 0..2 for p
        p chooses more from yes/no "More?"
        p gains (7 * luck if more else 5) score for won
        p chooses took from prize where took is not coin or p.asked > 1 "Which prize?"
        p gains (1 if took is cake else luck * 5 if took is tea else 9 - p.asked) score for won
        p chooses friend from player "With whom?"
        p gains (3 if friend is p else 5 * (size of friend.plate)) score for won
        p chooses number from p.asked..p.asked + luck "Which number?"
        p gains number * (3 - luck) score for won
        p chooses p.asked..p.asked + 1 from p.hand into p.plate as eaten "What do you eat?"
        p gains (sum of card.value for card in p.plate) * luck score for won
        p chooses 1 from p.hand into p.plate as dessert "And after that?"
        p gains (sum of card.value for card in p.plate) score for won
        p may choose one from p.hand where one.value > p.asked as last "One more?"
        if one is none
            p gains luck score for won
        else
            p gains one.value score for won
        p chooses what from prize, count from 1..2 where count < 2 or what is not cake as wish "What else?"
        p gains (count * luck if what is coin else 3) score for won
"""

RULES = {
    "more": ["no", "yes"],
    "took": ["A cake", "Tea", "A coin"],
    "friend": ["the first seat", "the last seat", "oneself"],
    "number": ["the lowest", "the highest"],
    "eaten": [
        "as few as possible, the lowest",
        "as few as possible, the highest",
        "as many as possible, the lowest",
        "as many as possible, the highest",
    ],
    "dessert": ["the lowest", "the highest"],
    "last": ["the first one", "the last one", "none"],
    "wish": ["the first one", "the last one"],
}


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return load(write_game(tmp_path_factory.mktemp("later"), EVERYTHING, cards="{value: 1..4}", players=3), 3)


def choices(game: Game) -> dict[str, ir.Choice]:
    statements = (s for procedure in game.ir.procedures.values() for s in procedure.statements)
    return {s.name: s for s in statements if isinstance(s, ir.Choose | ir.ChooseSet)}


def test_every_choice_has_a_few_rules_and_words_for_them(everything: Game) -> None:
    found = {
        name: [in_words(everything, node, rule) for rule in candidates(everything, node, 1)]
        for name, node in choices(everything).items()
        if name != "asked"
    }
    assert found == RULES


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_the_same_in_a_model_and_when_it_is_played(name: str, everything: Game) -> None:
    """Whatever is answered now; each rule of a choice, beside the first ones of all others. Of some choice and some
    luck, no two rules come to the same."""
    node = choices(everything)[name]
    totals = []
    for rule in candidates(everything, node, 1):
        case = Case.at(everything, after_first(everything), 1, 3, 5, policy=LaterPolicy({node.span: rule}))
        case.assert_solved()
        totals.append([case.worth((asked,)) for asked in range(3)])
    assert len({str(total) for total in totals}) == len(totals)


def after_first(game: Game) -> Position:
    """The position at which the second player begins."""
    position = game.initial()
    while True:
        chance = game.chance(position)
        if chance is not None:
            position = game.resolve(position, list(chance.outcomes.weights)[1])
            continue
        (decision,) = game.pending(position)
        if decision.player == 1:
            return position
        position = game.answer(position, 0, decision.answers.nth(0))


# ---------------------------------------------------------------- the best of a few


def test_rules_are_changed_one_at_a_time_as_long_as_that_is_better(everything: Game) -> None:
    """No other rule of any choice is better, with the others as they are; no case is left out."""
    scenarios = Case.at(everything, after_first(everything), 1, 6, 5).scenarios
    asked = PositionQuestion(everything, after_first(everything), 1, SolverQuestion())
    cases = [PlayedCase(scenario, (answer,)) for answer in range(3) for scenario in scenarios]
    search = RuleSearch(LaterRules(everything, 1), asked.measure, cases, Deadline())
    assert search.run()

    def total(policy: LaterPolicy) -> Fraction:
        return sum((worth(everything, scenarios, 1, (answer,), policy=policy) for answer in range(3)), Fraction(0))

    best = total(search.rules.policy)
    assert sum(case.value for case in search.played.values()) == best > total(LaterPolicy())
    assert {name for name, _ in search.rules.told} == set(RULES)
    for place, node in search.rules.choices.items():
        for rule in candidates(everything, node, 1):
            assert total(search.rules.changed(place, rule).policy) <= best


def test_rules_that_fail_are_not_taken(tmp_path: Path) -> None:
    """`yes` would be worth more, had the rules not stopped there with some answers."""
    rules = """\
item won "Points"

each player has
    score : 0..9 = 0
    asked : 0..2 = 0

play
    for each p in player
        p chooses p.asked from 0..2 "How many?"
        p chooses more from yes/no "More?"
        if more
            p gains 8 + p.asked score for won
"""
    game = load(write_game(tmp_path, rules), 2)
    asked = PositionQuestion(game, after_first(game), 1, SolverQuestion())
    for answers, rule in (((0, 1), "yes"), ((0, 1, 2), "no")):
        cases = [PlayedCase(asked.sets.drawn(0), (answer,)) for answer in answers]
        search = RuleSearch(LaterRules(game, 1), asked.measure, cases, Deadline())
        assert search.run() and search.rules.told == [("more", rule)]


def test_rules_that_there_is_no_time_for_are_told(everything: Game) -> None:
    asked = PositionQuestion(everything, after_first(everything), 1, SolverQuestion())
    ticks = iter(range(10_000))
    rules, in_time = going_on.rules_of_thumb(asked, [], Deadline(60, lambda: next(ticks)))
    assert not in_time and str(rules) == str(LaterRules(everything, 1, rules.choices))
    assert going_on.rules_of_thumb(asked, [], Deadline())[1]


def test_an_answer_is_sought_again_by_better_rules(tmp_path: Path) -> None:
    """What is drawn at random hardly ever comes to the last choice, which the best answer is all about."""
    rules = """\
item won "Points"

each player has
    score : 0..99 = 0
    asked : 0..200 = 0

play
    for each p in player
        p chooses p.asked from 0..200 "How many?"
        p gains (3 if p.asked is 200 else p.asked / 100) score for won
        if p.asked is 200
            p chooses more from yes/no "More?"
            if more
                p gains 40 score for won
"""
    game = load(write_game(tmp_path, rules), 2)
    question = SolverQuestion(scenarios=2, samples=4, engine="model")
    asked = PositionQuestion(game, game.initial(), 0, question)
    assert not going_on.rules_of_thumb(asked, [], Deadline())[0].choices
    found = advise(game, game.initial(), 0, question)
    assert (found.answers, found.value, found.rules) == ((200,), 43, (("more", "yes"),))
    assert found.status == "optimal"


def test_an_answer_is_repeated_by_the_number_that_it_records(everything: Game) -> None:
    position = after_first(everything)
    found = advise(everything, position, 1, SolverQuestion(samples=30, seed=3))
    assert found.branches is not None
    again = advise(everything, position, 1, SolverQuestion(scenarios=found.branches, samples=30, seed=3))
    assert (found.answers, found.value, found.fresh, found.policy) == (
        again.answers,
        again.value,
        again.fresh,
        again.policy,
    )


# ---------------------------------------------------------------- nothing is known before its time

GUESS = """\
item won "Points"

each player has
    score : 0..99 = 0
    asked : 0..2 = 0

play
    for each p in player
        p chooses p.asked from 0..2 "How many?"
        roll seen from 0..1 for p
        p chooses guess from 0..1 "Heads or tails?"
        roll side from 0..1 for p
        p gains (10 + p.asked if guess is side else 2 * seen) score for won
"""


def test_a_die_that_is_rolled_after_a_decision_is_not_known_when_deciding(tmp_path: Path) -> None:
    """Who knew the side would win 12 every time. By all histories nobody can expect more than 13/2."""
    game = load(write_game(tmp_path, GUESS), 2)
    best = advise(game, game.initial(), 0, SolverQuestion(engine=EXACT))
    assert best.value == 6.5
    found = advise(game, game.initial(), 0, SolverQuestion(scenarios=400, samples=1000, engine=MODEL))
    assert found.value is not None and found.fresh is not None
    assert found.value < 7.5 and abs(found.fresh.mean - 6.5) < 4 * found.fresh.error


# ---------------------------------------------------------------- as it is told


def test_rules_are_told_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_game(tmp_path, EVERYTHING, cards="{value: 1..4}", players=3)
    position = str(tmp_path / "position.yaml")
    assert cli.main(["deal", str(folder), "--players", "3", "--seed", "1", "-o", position]) == 0
    command = ["solve", position, "--player", "p1", "--scenarios", "4", "--samples", "20"]
    capsys.readouterr()
    assert cli.main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {rule["choice"] for rule in told["later_rules"]} == set(RULES)
    words = ", ".join(f"{rule['choice']}: {rule['rule']}" for rule in told["later_rules"])
    assert told["policy"] == f"{words}; else the first legal answer"
    assert all(rule["rule"] in RULES[rule["choice"]] for rule in told["later_rules"])
    assert cli.main(command) == 0
    assert f"if later decisions are made so: {told['policy']}" in " ".join(capsys.readouterr().out.split())
