"""Sound rules become native code, whatever their size and shape; what does not is refused for a reason that is known.

LLVM ends the whole process at what it cannot compile, so that nothing of the kind may reach it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_native import own_cache  # noqa: F401  # a fixture for all tests here
from tests.test_native_bounds import played

TURNS = """
    for each p in player
        {}
"""

# ---------------------------------------------------------------- large sets

LARGE = {
    "dice of very many sides": ("", "roll 3 pair from 1..60000\n        p gains size of pair score for winnings"),
    "a field of very many values": (
        "    far  : set of 1..100000\n    near : set of 1..100000\n",
        "roll 9 far from 1..100000\n        near becomes far\n        move all far to near\n"
        "        move all near to near\n        p chooses 5..9 n from near where n mod 3 > 0 into far\n"
        "        p chooses x from near, y from far\n        p gains x + y + size of near score for winnings",
    ),
    "cards of very many kinds": (
        "    pile : set of card\n",
        "p chooses 3..40 from deck into p.hand\n        move all deck to pile\n        move all pile to deck\n"
        "        move all p.hand to p.hand\n        p gains (sum of c.value for c in p.hand) score for winnings\n"
        "        p chooses up to 4 c from p.hand where c.value > 90 into deck",
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_sets_are_gone_through_piece_by_piece(name: str, tmp_path: Path) -> None:
    fields, lines = LARGE[name]
    table = f"table has\n    deck : set of card = every card\n{fields}"
    player = "each player has\n    score : 0..9999999\n    hand : set of card\n\nitem winnings\n"
    rules = f"{table}\n{player}\nplay{TURNS.format(lines)}"
    assert played(tmp_path, rules, "{value: 1..150}", games=2, care=name.startswith("cards")) == ""


# ---------------------------------------------------------------- what is known before it is computed

CELL = """
cyclic enum side = north, east, south, west

grid lawn (x : 1..1, y : 1..1) by side
    north : (x, y - 1)
    east  : (x + 1, y)
    south : (x, y + 1)
    west  : (x - 1, y)

table has
    here : lawn

each player has
    score : 0..9

play
    for each p in player
        p chooses way from side
        {}
"""


@pytest.mark.parametrize("way", ["north", "(opposite of (opposite of way))", "(way turned by 4)"])
def test_a_failure_that_is_certain_is_one_all_the_same(way: str, tmp_path: Path) -> None:
    rules = CELL.format(f"here becomes neighbour of here at {way}")
    assert played(tmp_path, rules).endswith("there is no lawn here: the grid goes from (1, 1) to (1, 1)")
