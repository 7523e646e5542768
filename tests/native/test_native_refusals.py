"""Sound rules become native code, whatever their size and shape; what does not is refused for a reason that is known.

LLVM ends the whole process at what it cannot compile, so that nothing of the kind may reach it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chocolatl.cli import main
from chocolatl.interpreter.native.builds.limits import LONGEST, Reason, refusal, room
from chocolatl.interpreter.native.builds.module import whole_games
from chocolatl.interpreter.play.library import load
from tests.games import write_game
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here
from tests.native.test_native_bounds import played

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
    assert played(tmp_path, rules, "{value: 1..150}", care=name.startswith("cards")) == ""


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


# ---------------------------------------------------------------- what is refused


def test_there_are_two_reasons_to_refuse_a_text() -> None:
    """No game that is shipped is refused: `test_native.py` reckons each of them, in both builds."""
    assert [reason.value for reason in Reason] == ["stack", "length"]
    text = "define void @a() nounwind {\n  %v = alloca [1000000 x i64], align 16\n  ret void\n}\n"
    refused = [refusal(each) for each in (text, "\n" * (LONGEST + 1), "\n" * LONGEST)]
    assert [each and each.reason for each in refused] == [Reason.STACK, Reason.LENGTH, None]


def test_who_watches_needs_no_more_of_the_stack(tmp_path: Path) -> None:
    """A build that notes events is made when a game has failed: then it is too late to refuse."""
    chosen = "\n".join(f"        p chooses up to 1 from deck into p.hand as s{number}" for number in range(50))
    fields = "table has\n    deck : set of card = every card\neach player has\n    score : 0..9\n    hand : set of card"
    cards = f"[{', '.join(f'{{value: {value}, copies: 63}}' for value in range(1, 65))}]"
    game = load(write_game(tmp_path, f"{fields}\nplay\n    for each p in player\n{chosen}", cards), 2)
    alone, watched = (room(whole_games(game.ir, "", watched=watched).text) for watched in (False, True))
    assert watched <= 2 * alone


def test_what_the_compiler_does_not_take_is_not_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a mistake in whatever wrote the text, so the interpreter does not play instead."""
    game = write_game(tmp_path, CELL.format("nothing"))
    wrong = replace(whole_games(load(game, 2).ir, ""), text="define void @play() {\n  ret i64 %nothing\n}\n")
    monkeypatch.setattr("chocolatl.interpreter.native.builds.kernel.whole_games", lambda *given: wrong)
    assert main(["simulate", str(game), "--players", "2", "--games", "1"]) == 70
    assert "a bug of ours, not a mistake of yours (RuntimeError: LLVM IR parsing error" in capsys.readouterr().err
