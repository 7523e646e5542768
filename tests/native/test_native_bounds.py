"""Rules cannot make native code read or write where it should not: counts, places, and what is left after a failure.

Each case is played in every way there is. Before it was mended, each one differed between them, or touched memory that
was not the game's.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chocolatl.interpreter.data.load import read_document
from chocolatl.interpreter.diagnostics import Findings, Rejected
from chocolatl.interpreter.formats.position import dump_position, read_position
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.source import make_source
from tests.games import write_game
from tests.native.builds import ways
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here

SEED = 5


def played(folder: Path, rules: str, cards: str = "{value: 1..3}", games: int = 1, care: bool = False) -> str:
    """Play a game everywhere; how it fails, if it does, in the words of all."""
    game: Game = load(write_game(folder, rules, cards), 2)
    said = ""
    for index in range(games):
        for name, found, told in ways(game, SEED, index, care):
            assert found == told, f"{name}, game {index}"
            if isinstance(told, tuple) and isinstance(told[-1], str):
                said = f"{told[0].line}: {told[-1]}"
    return said


# ---------------------------------------------------------------- how many

COUNTING = """
table has
    deck : set of card = every card
each player has
    score : 0..9
    short : -9..9 = 3
    hand  : set of card
play
    for each p in player
        {}
"""

PIECES = {
    "counts of 16 bits": "[{value: 1, copies: 300}, {value: 2, copies: 2}]",
    "counts of 8 bits": "[{value: 1, copies: 255}, {value: 2, copies: 1}]",
    "planes": "[{value: 1, copies: 3}, {value: 2, copies: 2}]",
    "many kinds": "{value: 1..70}",
}
"""A zone is laid out in one of these ways."""

BELOW, NOTHING = "a count cannot be less than 0, and this is {}", "there is no legal answer for `hand`"

COUNTS = {
    "(2 - p.short)..5": BELOW.format(-1),
    "-1099511627776..5": BELOW.format(-(2**40)),
    "-4611686018427387904..4611686018427387904": BELOW.format(-(2**62)),
    "up to (2 - p.short)": BELOW.format(-1),
    "-3": BELOW.format(-3),
    "4611686018427387904": NOTHING,
    "p.short..2": NOTHING,
    "3..2": NOTHING,
    "up to 4611686018427387904": "",
    "0": "",
}
"""How many are to be chosen, and what is said of it."""


CASES = [("planes", count) for count in COUNTS] + [(pieces, next(iter(COUNTS))) for pieces in PIECES]


@pytest.mark.parametrize(("pieces", "count"), dict.fromkeys(CASES))
def test_how_many_are_chosen_is_held_to_what_is_possible(pieces: str, count: str, tmp_path: Path) -> None:
    care = pieces == "counts of 16 bits"
    said = played(tmp_path, COUNTING.format(f"p chooses {count} from deck into p.hand"), PIECES[pieces], care=care)
    assert said == (f"15: {COUNTS[count]}" if COUNTS[count] else "")


@pytest.mark.parametrize("where", ["", "    where c.value < 9"])
def test_and_so_it_is_with_a_condition_and_in_secret(where: str, tmp_path: Path) -> None:
    rules = COUNTING.replace("for each p in player", "every player p secretly").replace("deck :", "rest :")
    rules = rules.replace("hand  : set of card", "hand  : set of card\n    deal  : set of card = every card")
    said = played(tmp_path, rules.format(f"p chooses (2 - p.short)..5 c from p.deal{where} into p.hand"))
    assert said == f"16: {BELOW.format(-1)}"


def test_a_roll_of_less_than_nothing_is_a_failure(tmp_path: Path) -> None:
    assert played(tmp_path, COUNTING.format("roll (2 - p.short) dice from 1..6")) == f"15: {BELOW.format(-1)}"
    assert played(tmp_path, COUNTING.format("roll (3 - p.short) dice from 1..6")) == ""


def test_answers_are_counted_as_they_are_drawn(tmp_path: Path) -> None:
    """The least of an answer that cannot be given is not taken for the most."""
    rules = COUNTING.format("p chooses p.short..2 from deck into p.hand")
    game = load(write_game(tmp_path, rules), 2)
    (decision,) = game.pending(game.initial())
    with pytest.raises(RuleError, match="there is no legal answer"):
        _ = decision.answers


# ---------------------------------------------------------------- which of two failures is told

BOTH = """
table has
    deck : set of card = every card
    tab[0..3]  : 0..9
    tray[0..3] : set of card
    bag[0..3]  : set of 1..6 up to 3
    dice[0..3] : set of 1..6
    holder     : player or nobody
each player has
    score     : 0..99
    own[0..3] : 0..9
    far       : 0..9 = 7
item winnings
play
    for each p in player
        p chooses n from 0..3
        roll c from card
        {}
"""

FAILING = {
    "tab[p.far] becomes p.far + 5": "`tab` is 12, outside of 0..9",
    "p chooses tab[p.far] from 10..12": "`tab` is 12, outside of 0..9",
    "add p.far to bag[p.far]": "the index is 7, outside of 0..3",
    "remove p.far from dice[p.far]": "the index is 7, outside of 0..3",
    "move c from tray[n] to tray[p.far]": "the index is 7, outside of 0..3",
    "move all tray[n] to tray[p.far]": "the index is 7, outside of 0..3",
    "p chooses 0 from tray[n] into tray[p.far]": "the index is 7, outside of 0..3",
    "p.far becomes 1 if p.far in bag[p.far] else 2": "the index is 7, outside of 0..3",
    "p.far becomes 1 if p.far in dice[p.far] else 2": "the index is 7, outside of 0..3",
    "holder.own[p.far] becomes p.far + 5": "`own` is 12, outside of 0..9",
    "p.far becomes holder.own[p.far]": "this is nobody, and a player is needed",
    "holder chooses (p.far - 9) from deck into tray[0]": "who chooses is nobody, and a player is needed",
    "roll (p.far - 8) d from [3 / (p.far - p.far), 2]": "a count cannot be less than 0, and this is -1",
    "holder gains 3 / (p.far - p.far) score for winnings": "the player is nobody, and a player is needed",
}


@pytest.mark.parametrize("line", FAILING)
def test_of_two_failures_the_same_one_is_told(line: str, tmp_path: Path) -> None:
    assert played(tmp_path, BOTH.format(line)).endswith(FAILING[line])


# ---------------------------------------------------------------- what is kept of a set

SETS = """
table has
    dice : set of 1..300
    kept : set of 1..300
    tab[0..6] : 0..9
each player has
    score : -9999999..9999999
item winnings
ranking high of n in kept
    highest n mod 7
ranking wide of n in kept
    highest n * 1000000000000000
    then lowest n * 1000000000000
play
    for each p in player
"""

USES = """
        for each n in high
            p gains n score for winnings
        for each n in wide backwards
            p gains n score for winnings
        p chooses m from kept, l from kept
        roll one from kept odds one
        p chooses 0..5000 from kept into dice
"""
"""Everything that lists what lies in a set."""

GROWING = {
    "by choices": "roll 200 dice from 1..300\n            p chooses 150 from dice into kept",
    "by draws": "roll 99 dice from 1..300\n            for each j in 1..99\n                draw d from dice into kept",
    "by moves": "roll 200 dice from 1..300\n            move all dice to kept",
    "by values": "for each j in 1..150\n                add j to kept",
    "by rolls": "roll 9000 kept from 1..300",
}
"""How a set of plain values may come to hold more than it can."""


@pytest.mark.parametrize("how", GROWING)
def test_a_set_that_has_failed_to_grow_is_listed_within_bounds(how: str, tmp_path: Path) -> None:
    rules = f"{SETS}        for each i in 1..5\n            {GROWING[how]}\n{USES}"
    assert ": a set holds at most 255 values, and this would be " in played(tmp_path, rules)


def test_the_rank_of_a_value_counts_its_copies(tmp_path: Path) -> None:
    """A rank among 200 dice was taken for one of 1 to 6, and was not looked at where it is an index."""
    rules = SETS.replace("1..300", "1..6") + (
        "        roll 200 kept from 1..6\n        for each n in high\n            p chooses more from 1..2\n"
        "            p gains n * more score for winnings\n        tab[rank of 1 in high] becomes 3\n"
    )
    assert "the index is " in played(tmp_path, rules)


BOTTOM = """
table has
    deck : set of card = every card
    pile : set of card
each player has
    score : -9999..9999
    hand : set of card
item winnings
play
    for each p in player
        for each i in 1..40
            p chooses 2 from deck into p.hand
            for each c in p.hand
                put c from p.hand under deck
            draw f from deck into pile
            move f from pile to deck
            p gains f.value score for winnings
        draw last_one from deck into pile
        {}
"""


@pytest.mark.parametrize("copies", [4, 400])
def test_the_bottom_of_a_deck_follows_what_is_chosen_from_it(copies: int, tmp_path: Path) -> None:
    cards = f"[{{value: 1, copies: {copies}}}, {{value: 2, copies: 2}}]"
    assert played(tmp_path, BOTTOM.format("nothing"), cards) == ""


def test_what_did_not_move_is_not_under_a_deck(tmp_path: Path) -> None:
    again = "for each i in 1..400\n            put last_one from p.hand under deck"
    assert played(tmp_path, BOTTOM.format(again)).endswith("this is not there to be moved")


def test_a_set_cannot_start_with_more_than_it_can_hold(tmp_path: Path) -> None:
    rules = SETS.replace("table has", "grid lawn (x : 1..30, y : 1..30) by way\n    on : (x + 1, y)\n\ntable has")
    rules = f"enum way = on\n\n{rules}        nothing\n".replace(
        "kept : set of 1..300", "kept : set of lawn = every lawn"
    )
    with pytest.raises(Rejected, match="`kept` starts with 900 values; a set holds up to 255"):
        load(write_game(tmp_path, rules), 2)


# ---------------------------------------------------------------- positions from a stranger

STANDING = """
table has
    dice : set of 1..6
    far[1000..1009] : 0..9
each player has
    score : 0..9
play
    let spot : 1000..1009 = 1005
    for each n in [1001, 1002]
        for each i in 1..2
            for each p in player
                p chooses more from 1..2
                far[spot] becomes more
                far[n + i] becomes more
"""

WRONG = {
    "a local that was set": (r"spot: 1005, ", "", "`spot` of `play` needs a value here"),
    "a loop that is over": (r"loops: \[.*\]", "loops: [2, 2, 1001, 1002, 1, 2]", "over `n` of `play` does not reach"),
    "an element of another type": (
        r"loops: \[.*\]",
        "loops: [0, 2, 1001, 0, 1, 2]",
        "over `n` of `play` does not reach",
    ),
    "a number of another type": (r"loops: \[.*\]", "loops: [0, 2, 1001, 1002, 0, 2]", "over `i` of `play` does not"),
    "a set that is too full": (r"dice: \[\]", f"dice: [{', '.join(['1'] * 256)}]", "a set of 1..6 cannot hold 256"),
}


@pytest.mark.parametrize("what", WRONG)
def test_no_position_holds_what_native_code_does_not_reckon_with(what: str, tmp_path: Path) -> None:
    game = load(write_game(tmp_path, STANDING), 2)
    text = dump_position(game, game.initial())
    before, after, said = WRONG[what]
    for written, expected in ((text, []), (re.sub(before, after, text), [said])):
        findings = Findings()
        document = read_document(make_source("position.yaml", written), "position", findings)
        assert document is not None
        read_position(document, game, findings)
        assert len(findings.items) == len(expected)
        assert all(wanted in found.message for wanted, found in zip(expected, findings.items, strict=True))
