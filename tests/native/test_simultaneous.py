"""What all players do at once in native code, with a lane for each, comes to the same as what they do one by one.

Chocolatl and Goofspiel are played in `test_native.py`. These rules have what they have not: many kinds, several copies
of each, up to four cards at a time, numbers instead of names to go through, and failures.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.conftest import base_seed
from tests.games import write_game
from tests.native.test_native import same

PLAYERS = 3

HEAD = """
each player has
    score      : 0..99999
    hand       : set of card secret = every card
    spare      : set of card secret = every card
    laid[1..3] : set of card secret
    seen[1..3] : set of card
    marks      : 0..9

item winnings

procedure show(p : player, most : 1..3) "All that was laid is turned up"
    for each n in 1..most
        reveal p.laid[n] into p.seen[n]
    p.marks becomes 0
"""

LAYING = """
play
    every player p secretly
        p chooses 4 from p.spare into p.hand as spares
    for each round in 1..3
        every player p secretly
            for each n in 1..3
                p chooses COUNT from p.hand into p.laid[n]
        for each p in player
            do show(p, round)
            do show(p, 3)
        for each p in player
            p gains (sum of n * (sum of c.value for c in p.seen[n]) for n in 1..3) score for winnings
        for each p in player
            for each n in 1..3
                move all p.seen[n] to p.hand
"""

AGAIN = {
    "two choices from a hand": (
        True,
        """
            for each n in 1..3
                for each m in 1..2
                    p chooses 2 from p.hand into p.laid[n]
                    p chooses 1 from p.hand into p.laid[m] as another
""",
    ),
    "two hands": (
        True,
        """
            for each n in 1..3
                p chooses 1 from p.hand into p.laid[n]
                p chooses 1 from p.spare into p.laid[n] as spares
""",
    ),
    "from hand to hand": (
        True,
        """
            for each n in 1..3
                p chooses 2 from p.spare into p.hand as spares
                p chooses 3 from p.hand into p.laid[n]
""",
    ),
    "what was laid is taken back": (
        False,
        """
            for each n in 1..3
                p chooses 3 from p.hand into p.laid[n]
                move all p.laid[n] to p.hand
                p chooses 1 from p.hand into p.laid[n] as another
""",
    ),
}
"""What is done in a loop, and whether anything is held meanwhile."""

PLAYING = """
play
    for each round in 1..2
        every player p secretly
BODY
        for each p in player
            do show(p, 3)
            p gains (sum of n * (sum of c.value for c in p.seen[n]) for n in 1..3) score for winnings
            for each n in 1..3
                move all p.seen[n] to p.hand
"""

LOOKING = """
value best(p : player) = highest c.value for c in p.hand

play
    for each round in 1..2
        every player p secretly
            for each n in 1..3
                p chooses p.marks from 0..9
                p chooses 1 c from p.hand where c.value <= best(p) - n into p.laid[n]
        for each p in player
            do show(p, 3)
            for each n in 1..3
                p gains n * (sum of c.value for c in p.seen[n]) score for winnings
                move all p.seen[n] to p.hand
"""

LACKING = """
play
    for each round in 1..3
        every player p secretly
            p chooses 2 from p.hand into p.laid[round]
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))


def game(folder: Path, rules: str, kinds: int) -> Game:
    return load(write_game(folder, HEAD + rules, f"{{value: 1..{kinds}}}", players=PLAYERS), PLAYERS)


def at_once(kernel: Kernel) -> bool:
    """Whether there is code with a lane for each player."""
    return f"<{PLAYERS} x i" in kernel.module.text


@pytest.mark.parametrize("kinds", [9, 40])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_cards_are_laid_as_one_by_one(tmp_path: Path, kinds: int, count: int) -> None:
    loaded = game(tmp_path, LAYING.replace("COUNT", str(count)), kinds)
    for kernel in (Kernel(loaded, QUICK), Kernel(loaded, FAST), Kernel(loaded, QUICK, inspected=True)):
        assert at_once(kernel)
        for index in range(20):
            same(loaded, kernel, base_seed(), index)


@pytest.mark.parametrize("name", list(AGAIN))
def test_hands_are_held_while_a_loop_runs(tmp_path: Path, name: str) -> None:
    held, body = AGAIN[name]
    loaded = game(tmp_path, PLAYING.replace("BODY", body.strip("\n")), 20)
    for kernel in (Kernel(loaded, QUICK), Kernel(loaded, FAST), Kernel(loaded, QUICK, inspected=True)):
        assert at_once(kernel)
        assert (f"alloca <{PLAYERS} x i32>" in kernel.module.text) == held
        for index in range(20):
            same(loaded, kernel, base_seed(), index)


def test_who_looks_at_what_changes_sees_no_others(tmp_path: Path) -> None:
    loaded = game(tmp_path, LOOKING, 12)
    for kernel in (Kernel(loaded, QUICK), Kernel(loaded, FAST)):
        for index in range(20):
            same(loaded, kernel, base_seed(), index)


def test_too_few_for_all_is_the_failure_of_the_first(tmp_path: Path) -> None:
    loaded = game(tmp_path, LACKING, 5)
    with pytest.raises(RuleError) as told:
        play_game(loaded, [RandomPlayer()] * PLAYERS, base_seed())
    for kernel in (Kernel(loaded, QUICK), Kernel(loaded, FAST)):
        assert at_once(kernel)
        with pytest.raises(RuleError) as found:
            kernel.play(base_seed())
        assert (found.value.span, found.value.message) == (told.value.span, told.value.message)
