"""Rules that divide by what the answer decides, or rank things with copies: models beside all answers, played."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.library import load
from tests.conftest import Evidence
from tests.games import write_game
from tests.solver.solving import Case, dealt

HEAD = """\
item won "Won"

table has
    leader : player
    board  : set of card = every card
    row    : set of card
    prize  : 0..99 = 17

each player has
    score : 0..9999 = 1000
    bid   : -9..9 = 0
    more  : -9..9 = 0
    hand  : set of card = every card
    pile  : set of card

ranking bidders of p in player
    highest p.bid

ranking cards of c in board, strict
    lowest c.value

ranking mine(p : player) of c in p.pile, strict
    highest c.value

ranking liked of c in board, strict
    highest c.value * (leader.bid - 2)
    then lowest c.value

ranking liked_mine(p : player) of c in p.pile, strict
    highest (c.value - p.bid) * (c.value - p.bid)
    then lowest c.value

"""

SHARED = """\
play
    every player p secretly
        p chooses p.bid from 0..3
    contest bidders
        first p alone
            p gains prize / 2 score for won
        first p shared by n
            p gains prize / n + prize mod n + p.bid / n score for won
        second p shared by n
            p gains prize / (n + 1) score for won
        last p shared by n
            p gains 7 / n score for won
"""

QUOTIENTS = """\
play
    every player p secretly
        p chooses p.bid from 0..5
        p chooses p.more from 1..4
    for each p in player
        p gains (9 + p.bid) / p.more + (9 + p.bid) mod p.more + p.bid * p.more score for won
        p gains (p.bid - 7) / (p.more - 5) + (20 - p.bid * p.more) mod (p.more - 6) score for won
        if p.bid > 0
            p gains 12 / p.bid - p.more * (p.bid - 3) score for won
"""

FIRST = """\
play
    leader chooses 1..2 from board into leader.pile as taken
    leader gains (first of cards).value + 5 * (second of cards).value score for won
    move first of cards from board to row
    leader gains 2 * (first of cards).value + (first of mine(leader)).value + (last of cards).value score for won
"""

ONE_BY_ONE = """\
play
    leader chooses leader.bid from 0..3
    for each k in 1..leader.bid
        move first of cards from board to leader.pile
    leader gains 10 * (first of cards).value + (sum of c.value for c in leader.pile) score for won
    move second of cards from board to row
    leader gains (third of cards).value + (last of cards).value score for won
    leader gains 7 * (number of c in row where c.value > 2) score for won
"""

KEYS = """\
play
    every player p secretly
        p chooses p.bid from 0..4
        p chooses 3 from p.hand into p.pile as taken
    leader gains (first of liked).value + 2 * (second of liked).value + (third of liked).value score for won
    leader gains 3 * (first of liked_mine(leader)).value + (second of liked_mine(leader)).value score for won
    leader gains (last of liked_mine(leader)).value + rank of (first of liked) in liked_mine(leader) score for won
"""

LOOPS = """\
play
    every player p secretly
        p chooses p.bid from 0..4
        p chooses 3 from p.hand into p.pile as taken
    for each c in mine(leader) backwards
        leader gains c.value * leader.bid score for won
        leader.bid becomes max(0, leader.bid - c.value)
        stop when leader.bid is 1
    for each c in mine(leader)
        if c.value > 1
            move c from leader.pile to row
    leader gains size of row score for won
"""

COPIES = (
    "[{value: 1, copies: 2}, {value: 2, copies: 3}, {value: 4, copies: 2}]",
    "[{value: 1, copies: 1}, {value: 2, copies: 2}, {value: 3, copies: 4}]",
)
RULES = {
    "places that are shared": SHARED,
    "quotients and products": QUOTIENTS,
    "the first of things with copies": FIRST,
    "the first of them, one by one": ONE_BY_ONE,
    "keys that the answer decides": KEYS,
    "loops over things with copies": LOOPS,
}


@pytest.mark.parametrize("name", RULES)
def test_the_best_answer_is_that_of_enumeration(name: str, tmp_path: Path, evidence: Evidence) -> None:
    for seed in evidence.cases(f"{name}: the best answer is that of enumeration", full=10, slice=2):
        cards = COPIES[seed % len(COPIES)]
        game = load(write_game(tmp_path / str(seed), HEAD + RULES[name], cards, players=3), 3)
        Case.at(game, game.initial(), 0, 1 + seed % 3, seed).assert_solved()


def test_points_that_are_split_have_a_model(tmp_path: Path) -> None:
    """The first rules that the README shows."""
    shutil.copytree(rules_folder() / "goofspiel", tmp_path / "goofspiel")
    variant = tmp_path / "goofspiel" / "variants" / "split.yaml"
    variant.write_text("kind: variant\nformat: 1\nextends: goofspiel\ntitle: Split\nset: {cards: 4, tie: split}\n")
    game = load(variant, 3)
    position = dealt(game, 1)
    assert position is not None
    for objective in ("points", "margin"):
        Case.at(game, position, 0, 6, 1, objective).assert_solved()
