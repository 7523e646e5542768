"""Chance and other players in a model, where the answer decides what can be drawn, and how many pieces are chosen."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.library import load
from chocolatl.solver.model.linear import SymbolicValue
from chocolatl.solver.symbolic.answers import ScenarioAnswers
from chocolatl.solver.symbolic.unmodelled import Unsupported
from tests.conftest import Evidence
from tests.games import loaded, walk, write_game
from tests.solver.solving import Case

SALVAGE = """\
item found "Cards drawn"

each player has
    score : 0..99 = 0
    wreck : set of card = every card
    shore : set of card

play
    for each p in player
        p chooses 0..3 from p.wreck into p.shore as saved "Which cards do you take away?"
        if size of p.wreck > size of p.shore
            draw salvage from p.wreck into p.shore for p
            p gains salvage.value score for found
            if salvage.value > 2 and size of p.wreck > 0
                draw another from p.wreck into p.shore for p
                p gains 2 * another.value score for found
"""


@pytest.mark.parametrize("copies", [2, 3])
def test_what_is_drawn_depends_on_what_was_left(copies: int, tmp_path: Path) -> None:
    """Which card comes, whether one comes at all, and whether one more does, is all decided by the answer."""
    folder = write_game(tmp_path, SALVAGE, cards=f"[{{value: 1}}, {{value: 3, copies: {copies}}}, {{value: 4}}]")
    game = load(folder, 2)
    values = set()
    for seed in range(10):
        values.add(Case.at(game, game.initial(), 0, 1 + seed % 3, seed).assert_solved().value)
    assert len(values) > 3


GUESTS = """\
item eaten "Cards left"

each player has
    score : 0..99 = 0
    asked : 0..2 = 0
    hand  : set of card = every card
    plate : set of card

play
    for each p in player
        p chooses p.asked from 0..2 "How many do the others bring at least?"
        for each q in player where q is not p
            q chooses p.asked..2 * p.asked + 1 from q.hand into q.plate as brought "What do you bring?"
            p gains (sum of card.value for card in q.plate) score for eaten
            p gains 2 * (size of q.hand) score for eaten
"""


def test_how_many_pieces_another_player_chooses_depends_on_the_answer(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, GUESTS, cards="{value: 1..5}"), 2)
    answers = set()
    for seed in range(12):
        answers.add(Case.at(game, game.initial(), 0, 1 + seed % 2, seed).assert_solved().answers)
    assert len(answers) > 1


SERVED = """\
item eaten "Dishes served"

enum dish = soup, roast, salad, cake

value worth(d : dish) = 1 if d is soup else 7 if d is roast else 2 if d is salad else 4

each player has
    score : 0..9999 = 0
    store : set of dish
    plate : set of dish
    gone  : set of dish

play
    for each p in player
        for each d in dish
            for each copy in 1..3
                add d to p.store
        p chooses up to 2 from p.store into p.gone as sold "What do you sell?"
        for each course in 1..COURSES
            p chooses 1..2 from p.store into p.plate as served "What do you serve?"
            let guests = size of p.plate
            for each d in p.plate
                p gains worth(d) * course score for eaten
            move all p.plate to p.gone
            for each guest in 1..guests
                p chooses up to 1 from p.store into p.plate as cooked "What do you cook again?"
                for each d in p.plate
                    roll other from dish for p
                    add other to p.store
                clear p.plate
"""


def test_own_later_choices_do_not_make_a_model_explode(tmp_path: Path) -> None:
    """By policy the first dish is served, to one guest, and nothing is cooked again: each course costs the same."""
    variables = []
    for courses in range(2, 6):
        game = load(write_game(tmp_path / str(courses), SERVED.replace("COURSES", str(courses))), 2)
        variables.append(Case.at(game, game.initial(), 0, 2, courses).assert_solved().variables)
    assert len({more - less for less, more in pairwise(variables)}) == 1


LOST = """item found "Cards found"

each player has
    score : 0..99 = 0
    asked : 0..2 = 0
    hand  : set of card = every card
    plate : set of card

play
    for each p in player
        p chooses p.asked from 0..2 "What do you dare?"
        if p.asked is 2
            for each q in player where q is not p
                DARED
                p gains 3 score for found
"""


@pytest.mark.parametrize(
    "dared",
    [
        'p chooses who from p.hand where who.value > 9 as found "Which one?"',
        'q chooses who from q.hand where who.value > 9 as found "Which one?"',
        'q chooses 4..5 from q.hand into q.plate as found "Which ones?"',
        "draw other from p.plate into p.hand for p",
        "roll other from 1..3 where other > 3 for p",
    ],
)
def test_where_there_is_nothing_to_choose_from_there_is_no_model(dared: str, tmp_path: Path) -> None:
    """The interpreter would stop there, too."""
    game = load(write_game(tmp_path, LOST.replace("DARED", dared)), 2)
    with pytest.raises(Unsupported, match="there is nothing to choose from, or to draw"):
        Case.at(game, game.initial(), 0, 1, 1).solved()


def test_a_delivery_is_a_small_optimisation(monkeypatch: pytest.MonkeyPatch, evidence: Evidence) -> None:
    """Of all that can be delivered in Quetzal, nothing is worth more than what the model finds, also where discoveries
    bring tiles, one after the other."""
    drawn, used = ScenarioAnswers.drawn, 0

    def counted(*given: Any) -> SymbolicValue:
        nonlocal used
        used += 1
        return drawn(*given)

    monkeypatch.setattr(ScenarioAnswers, "drawn", counted)
    deliveries = 0
    for seed in evidence.cases("a delivery in Quetzal is solved with proof", full=60, slice=2):
        game = loaded(rules_folder() / "quetzal", 2 + seed % 4)
        for position in walk(game, seed):
            for decision in game.pending(position)[:1]:
                if decision.node.name == "delivered" and 1 < decision.answers.count() < 900:
                    Case.at(game, position, decision.player, 2, seed).assert_solved()
                    deliveries += 1
    print(f"{deliveries} deliveries, with {used} draws from what the answer decides")  # for the log of the evidence
    assert deliveries
