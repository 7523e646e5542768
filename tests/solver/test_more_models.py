"""Rules that divide by what the answer decides, or rank things with copies: models beside all answers, played."""

from __future__ import annotations

import random
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

ranking even of c in board
    highest c.value * (leader.bid - 2)

ranking mostly_mine of c in leader.pile, strict
    highest (c.value - 3) * (leader.bid - 1)
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

SHARERS = """\
play
    leader chooses leader.bid from 0..3
    contest bidders
        first p alone
            p gains prize - p.bid score for won
        first p shared by n
            p gains (prize * n) mod 5 + max(n, p.bid) score for won
        second p shared by n
            p gains (n + 1) / 2 score for won
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

LIKED_LOOPS = """\
play
    every player p secretly
        p chooses p.bid from 0..4
        p chooses 3 from p.hand into p.pile as taken
    for each c in liked_mine(leader)
        leader gains c.value * leader.bid score for won
        leader.bid becomes max(0, leader.bid - c.value)
        stop when leader.bid is 1
    for each c in even backwards
        leader gains 5 * c.value + size of row score for won
        stop when size of row > 3
        if c.value < leader.bid + 2
            move c from board to row
    for each c in mostly_mine
        leader gains (c.value + 3) * (size of leader.pile + 2) mod 7 score for won
        if c in leader.pile
            move c from leader.pile to row
"""

COPIES = (
    "[{value: 1, copies: 2}, {value: 2, copies: 3}, {value: 4, copies: 2}]",
    "[{value: 1, copies: 1}, {value: 2, copies: 2}, {value: 3, copies: 4}]",
)
RULES = {
    "places that are shared": SHARED,
    "what depends on how many share": SHARERS,
    "quotients and products": QUOTIENTS,
    "the first of things with copies": FIRST,
    "the first of them, one by one": ONE_BY_ONE,
    "keys that the answer decides": KEYS,
    "loops over things with copies": LOOPS,
    "loops in an order that the answer decides": LIKED_LOOPS,
}


def drawn_rules(seed: int) -> str:
    """Rules that divide, multiply, share places and go through things with copies, drawn at random."""
    choice = random.Random(seed)
    pick = choice.choice
    numbers = (
        "leader.bid", "leader.bid * leader.more", "(leader.bid + 3) / (leader.more + 4)", "size of row",
        "(leader.bid * leader.more + 20) mod (leader.bid + 1)", "(number of q in player where q.bid >= leader.bid)",
        "(sum of x.value for x in leader.pile)", "(17 + leader.bid) / (leader.bid + 1)", "rank of leader in bidders",
        "(leader.more - 7) / (leader.bid - 9)",
    )  # fmt: skip
    clauses = {
        "first p alone": ("prize", "p.bid * p.more + 30"),
        "second p alone": ("prize - p.bid", "p.bid / (p.more + 3)"),
        "first p shared by n": ("prize / n + p.bid / n", "(prize * n) mod 5", "max(n, p.bid) * n"),
        "second p shared by n": ("(prize + p.bid) / (n + 1)", "min(2 * p.bid, n + 1) / 2"),
        "last p shared by n": ("7 / n * n", "prize mod n + p.bid", "(n - 3) * p.more + 30"),
    }
    lines = [
        f"        p chooses p.bid from 0..{pick([2, 3, 4])}",
        f"        p chooses p.more from {pick(['1..3', '-2..2'])}",
    ]
    if choice.random() < 0.6:
        lines.append(f"        p chooses {pick(['2', '1..2'])} from p.hand into p.pile as taken")
    for _ in range(choice.randint(2, 4)):
        match pick(["contest", "loop", "loop", "first", "way", "points"]):
            case "contest":
                lines.append("    contest bidders")
                for clause in choice.sample(sorted(clauses), choice.randint(1, 3)):
                    lines += [f"        {clause}", f"            p gains {pick(clauses[clause])} score for won"]
            case "loop":
                ranking = pick(["liked", "even", "cards", "mine(leader)", "liked_mine(leader)"])
                lines.append(f"    for each c in {ranking}{pick(['', ' backwards'])}")
                lines.append(f"        leader gains c.value * 2 + {pick(numbers)} score for won")
                if choice.random() < 0.5:
                    lines.append(f"        stop when size of row > {choice.randint(0, 3)}")
                if choice.random() < 0.7:
                    lines.append(f"        if c in board and c.value {pick(['<', '>'])} {pick(numbers)}")
                    lines.append("            move c from board to row")
                if choice.random() < 0.3:
                    lines.append("        leader.bid becomes max(0, leader.bid - 1)")
            case "first":
                place, ranking = pick(["first", "last"]), pick(["liked", "cards"])
                lines += [
                    "    if size of board > 2",
                    f"        leader gains 3 * ({place} of {ranking}).value score for won",
                ]
                lines.append(f"        move {place} of {ranking} from board to row")
            case "way":
                lines.append(f"    if {pick(numbers)} {pick(['<', '>'])} {pick(numbers)}")
                extremes = (f"{word}({pick(numbers)}, {pick(numbers)})" for word in ("max", "min"))
                lines.append(
                    f"        leader gains {' + 3 * '.join(extremes)} + ({pick(numbers)} + 90) / 3 score for won"
                )
            case _:
                lines.append(f"    leader gains {pick(numbers)} + 40 score for won")
    return "\n".join(["play", "    every player p secretly", *lines]) + "\n"


def test_drawn_rules_have_a_model_with_the_best_answer(tmp_path: Path, evidence: Evidence) -> None:
    for seed in evidence.cases("drawn rules with copies and quotients: a model beside enumeration", full=400, slice=6):
        folder = write_game(tmp_path / str(seed), HEAD + drawn_rules(seed), COPIES[seed % len(COPIES)], players=3)
        game = load(folder, 3)
        Case.at(game, game.initial(), 0, 1 + seed % 3, seed).assert_solved()


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
