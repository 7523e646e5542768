"""Formulas that native code computes for all players at once, and loops in which nobody has anything to do.

Both come to what the interpreter does one by one. The rules here rank by all that such a formula may consist of; what a
zone is worth is found in both ways, by counting bits and by looking it up.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chocolatl.interpreter.native.builds import kernel as native
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK, processor
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.conftest import base_seed
from tests.games import write_game
from tests.native.test_native import same

MOST = 5
"""So many players are ranked by keys that are written out."""

COUNTING = "+avx512vl,+avx512vpopcntdq"

RANKED = """
table has
    ahead  : player or nobody
    bonus  : 0..3

each player has
    score  : -999..9999
    coins  : -3..20
    moved  : 0..99
    hand   : set of card secret = every card
    spare  : set of card secret = every card
    laid   : set of card
    sealed : set of card secret

item winnings

value worth(p : player) =
    (sum of c.value for c in p.laid) * (2 if p.coins > 3 and not (p is ahead) else 1)
    + (bonus if p.coins < 0 or p.moved is 0 else min(p.coins, 2)) - max(p.coins, bonus)

ranking best of p in player, strict
    highest worth(p)
    then p is ahead
    then lowest p.coins
    then highest p.moved

play
    let place : 0..9 = 0
    for each p in player
        place becomes place + 1
        p.moved becomes place
        move all p.spare to p.hand
    for each round in 1..6
        roll bonus from 0..3
        every player p secretly
            p chooses 4 from p.hand into p.sealed
        for each p in player
            reveal p.sealed into p.laid
        contest best as order
            first p
                ahead becomes p
                p gains worth(p) score for winnings, at least 0
                p chooses p.coins from -3..20
                p.moved becomes 10 * round
            second p
                p gains 1 score for winnings
            last p
                p gains (number of c in p.laid) coins, at most 20
                if round is 4
                    ahead becomes nobody
        for each p in player
            move all p.laid to p.hand
"""

PASSING = """
each player has
    score : 0..99
    cards : 0..5
    place : 0..9

table has
    passed : 0..99

item winnings

ranking by_place of p in player, strict
    lowest p.score
    then highest p.place

play
    let place : 0..9 = 0
    for each p in player
        place becomes PLACE
        p.place becomes place
    for each round in 1..9
        let passes : 0..player_count = 0
        roll lucky from player
        roll cards from 0..2
        if cards is 2
            lucky gains 1 cards, at most 5
        for each p in by_place
            let plays : yes/no = no
            if CONDITION
                p chooses plays from yes/no
            if plays
                p loses 1 cards, at least 0
                p gains 1 score for winnings
                passes becomes 0
            else
                passes becomes passes + 1
            stop when passes is player_count
        passed becomes passed + passes
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))


def written(folder: Path, rules: str, players: int, cards: str) -> Game:
    return load(write_game(folder, rules, cards, players=players), players)


def passing(folder: Path, players: int, condition: str, place: str, rules: str = PASSING) -> Game:
    return written(folder, rules.replace("CONDITION", condition).replace("PLACE", place), players, "{value: 1..3}")


def kernels(game: Game) -> list[Kernel]:
    return [Kernel(game, QUICK), Kernel(game, FAST), Kernel(game, QUICK, inspected=True)]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("cards", ["{value: 1..12}", "{value: -4..9}"], ids=["positive", "any"])
@pytest.mark.parametrize("features", ["as they are", "no counting"])
def test_players_are_ranked_as_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: int, cards: str, features: str
) -> None:
    if features == "no counting":
        name, known = processor()
        fewer = ",".join(each for each in known.split(",") if each not in COUNTING.split(","))
        monkeypatch.setattr(native, "processor", lambda: (name, fewer))
    game = written(tmp_path, RANKED, players, cards)
    for kernel in kernels(game):
        ranking = kernel.module.text.partition("define internal void @ranking_0(")[2].partition("\n}")[0]
        assert (f"<{players} x i" in ranking) == (players <= MOST)
        for index in range(20):
            same(game, kernel, base_seed(), index)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_nobody_has_anything_to_do(tmp_path: Path, players: int) -> None:
    game = passing(tmp_path, players, "p.cards > 0", "place + 1")
    for kernel in kernels(game):
        assert "call void @unlike_0(ptr %s)" in kernel.module.text
        for index in range(30):
            same(game, kernel, base_seed(), index)


def test_who_is_equal_in_the_last_key_may_differ_in_another(tmp_path: Path) -> None:
    apart = PASSING.replace("p.place becomes place", "p.place becomes 1\n        p gains 10 * place score for winnings")
    game = passing(tmp_path, 4, "p.cards > 0", "place + 1", apart)
    for kernel in kernels(game):
        for index in range(30):
            same(game, kernel, base_seed(), index)


def test_somebody_gets_something_to_do_meanwhile(tmp_path: Path) -> None:
    game = passing(tmp_path, 4, "p.cards >= 3 - passes", "place + 1")
    for kernel in kernels(game):
        for index in range(30):
            same(game, kernel, base_seed(), index)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_an_order_that_nobody_needs_must_be_one(tmp_path: Path, players: int) -> None:
    """Two are equal in every key, which is a failure even while all of them pass."""
    game = passing(tmp_path, players, "p.cards > 0", f"min(place + 1, {players - 1})")
    with pytest.raises(RuleError) as told:
        play_game(game, [RandomPlayer()] * players, base_seed())
    for kernel in kernels(game):
        with pytest.raises(RuleError) as found:
            kernel.play(base_seed())
        assert (found.value.span, found.value.message) == (told.value.span, told.value.message)
