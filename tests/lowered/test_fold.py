"""Folded expressions mean the same: a game goes the same way in the literal program, which has none."""

from __future__ import annotations

from pathlib import Path

import pytest

from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.conftest import base_seed
from tests.fuzzing.literally import course, literal, literally, same_course
from tests.games import Table, tables, write_game


@pytest.mark.parametrize("table", tables(), ids=str)
def test_every_game_goes_the_same_way_without_folding(table: Table) -> None:
    game = table.load()
    same_course(str(table), course(literal(game), base_seed()), course(game, base_seed()))


@pytest.mark.parametrize("path", files("good"), ids=lambda path: path.stem)
def test_so_does_every_construct_of_the_language(path: Path, tmp_path: Path) -> None:
    write(tmp_path / GAME, text_of(path))
    for players in (2, 3):
        literally(load(tmp_path / GAME, players), base_seed())


def last_position(game: Game, seed: int) -> Position:
    return [found for found in course(game, seed) if isinstance(found, Position)][-1]


EXPRESSIONS = """
table has
    number : 0..9 = 3
    holder : player or nobody
    found  : -999..999

each player has
    score : -999..999

value half(n : 0..9) = 6 / n
value twice(n : 0..9) = n + n
value is_holder(q : player or nobody) = holder is q
value nobody_holds = holder is nobody

play
    roll die from 1..6
    {}
"""


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("found becomes sum of twice(n) for n in 1..4", 20),
        ("found becomes sum of twice(n) for n in 1..4 where n is not 2", 16),
        ("found becomes number of n in 1..4 where twice(n) > 2", 3),
        ("found becomes highest twice(n) for n in 1..4", 8),
        ("found becomes lowest 9 - n for n in 0..4", 5),
        ("found becomes 1 if every n in 1..4 has twice(n) < 9 else 0", 1),
        ("found becomes 1 if is_holder(nobody) else 0", 1),
        ("found becomes 1 if some p in player has is_holder(p) else 0", 0),
        ("found becomes 1 if nobody_holds and not is_holder(holder) else 0", 0),
        ("found becomes (number - 1) * 1 + 0 - twice(1) + min(4, 2) * 3 + 7 / 2 + 7 mod 4", 12),
        ("found becomes half(2) + number / 2", 4),
    ],
)
def test_a_formula_has_its_value(statement: str, expected: int, tmp_path: Path) -> None:
    game = load(write_game(tmp_path, EXPRESSIONS.format(statement)), 2)
    for each in (game, literal(game)):
        assert last_position(each, 1).slots[game.program.layout.places[None, "found"].base] == expected


@pytest.mark.parametrize(
    "statement",
    [
        "found becomes 1 if some n in 0..3 has n is 0 or half(n) > 2 else 0",
        "found becomes 1 if some n in 0..3 has 3 - n > 2 or half(3 - n) > 9 else 0",
        "found becomes sum of half(n) for n in 0..3",
        "found becomes half(number - 3)",
    ],
)
def test_writing_a_formula_out_hides_no_error(statement: str, tmp_path: Path) -> None:
    """The same line is to blame, or none."""
    game = load(write_game(tmp_path, EXPRESSIONS.format(statement)), 2)
    literally(game, 1)


HELD = """
table has
    found : 0..9

each player has
    score : 0..9
    place : 0..9

ranking players of p in player, strict
    highest p.place

play
    for each n in 1..2
        roll chosen from player where chosen.place is 0
        chosen.place becomes n
    contest players as order
        first p
            let other = second of order
            found becomes p.place * 2 + other.place
"""


def test_an_order_is_held_where_the_procedure_waits_but_not_the_contest(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, HELD), 2)
    for each in (game, literal(game)):
        assert last_position(each, base_seed()).slots[game.program.layout.places[None, "found"].base] == 5


ALONE = """
item winnings

each player has
    score : 0..9
    bid   : 0..9

play
    every player p secretly
        p chooses p.bid from 0..9
    for each p in player
        p gains paid[p.bid > 4] score for winnings
"""


def test_a_single_player_may_choose_secretly_though_it_is_known_who_that_is(tmp_path: Path) -> None:
    """And a table by yes/no says what is paid."""
    game = load(
        write_game(tmp_path, ALONE, more="tables:\n  paid: {index: yes/no, value: {no: 1, yes: 7}}\n", players=1), 1
    )
    for bid, paid in ((4, 1), (5, 7)):
        assert game.result(game.answer(game.initial(), 0, bid)).scores == (paid,)
