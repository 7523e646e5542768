"""A text for people changes nothing: no game fails for one, whether anybody reads it or not."""

from __future__ import annotations

from pathlib import Path

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.play.game import Decision
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import next_question, play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.checking.test_diagnostics import GAME, write

RULES = f"""\
language 1
game {GAME}

item work "Work"

table has
    leader : player or nobody

each player has
    score : 0..99

value best = leader.score

play
    for each p in player
        p chooses n from 1..3 "{{leader}} has {{best}}, and 6 are {{6 / (p.score - p.score)}} each. How many?"
        p gains n score for work "beside {{best}}"

winner p
    highest p.score
"""


def test_a_value_that_cannot_be_told_is_left_open(tmp_path: Path) -> None:
    write(tmp_path / GAME, RULES)
    game = load(find_game(str(tmp_path / GAME)), 2)
    decision = next_question(game, game.initial())
    assert isinstance(decision, Decision)
    assert decision.prompt == "nobody has ?, and 6 are ? each. How many?"


def test_a_game_goes_on_alike_whether_its_texts_are_told_or_not(tmp_path: Path) -> None:
    write(tmp_path / GAME, RULES)
    game = load(find_game(str(tmp_path / GAME)), 2)
    told: list[tuple[object, ...]] = []
    players = [RandomPlayer(), RandomPlayer()]
    watched = play_game(game, players, 1, log=told)
    assert game.scores(watched.position) == game.scores(play_game(game, players, 1).position)
    assert [entry[-1] for entry in told if entry[0] == "award"] == [(None,), (None,)]
