"""`make demo`: it fits, it says what it should, and the page on which a round is told leaves nothing out."""

from __future__ import annotations

import io
import re
import runpy
from itertools import pairwise
from typing import Any

import pytest

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.interpreter.terminal.story.events import Contested, Revealed, Scored
from docs.demo.chronicle import Round, play_rounds, round_table, scenes


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_the_demonstration_fits_and_shows_rules_a_round_and_the_result(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    runpy.run_module("docs.demo", run_name="__main__", alter_sys=True)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= min(columns, 100)
    assert "…" not in text and "\x1b" not in text, "nothing is cut off, and there are no colours outside a terminal"
    words = re.sub(r"[│\s]+", " ", text)
    for expected in (
        "ranking bidders(here : location) of p in player, strict",
        "procedure resolve(here = drink)",
        *("Temple of Chocolatl", "Plantations", "Village", "Pyramid", "Drink", "Ball court"),
        *(" > ", " before ", "is figure", "highest arrival", "hut or die", "Most stones in row 1"),
        *("track ", "the next round is laid", "holders figure"),
        *("The offering", "Full rows of the pyramid", "wins."),
    ):
        assert expected in words


def page(game: Game, entry: Round) -> str:
    console = make_console(io.StringIO(), width=160)
    console.print(round_table(game, entry))
    file: Any = console.file
    return str(file.getvalue())


@pytest.mark.parametrize(("name", "players"), [("goofspiel", 2), ("chocolatl", 3), ("chocolatl", 5)])
def test_a_page_tells_every_contest_and_all_points_of_a_round(name: str, players: int) -> None:
    game = load(find_game(name), players)
    for seed in range(4):
        rounds, end = play_rounds(game, [RandomPlayer()] * players, streams(seed, 0, players))
        assert end == rounds[-1].end == play_game(game, [RandomPlayer()] * players, seed).position
        assert [entry.number for entry in rounds if entry.number] == list(range(1, game.round(end) + 1))
        for entry in rounds[:-1]:  # the last one ends with the final scoring
            contests = [event for event in entry.events if isinstance(event, Contested)]
            points = [event for event in entry.events if isinstance(event, Scored)]
            text = page(game, entry)
            for contest in contests:
                assert contest.title in text and (contest.line is None or f"line {contest.line}" in text)
            for event in points:
                assert f"{game.players[event.player]} {event.points:+d}" in text
            told = [event for scene in scenes(entry.events) for event in scene.after if isinstance(event, Scored)]
            assert told == points


def test_every_tie_is_explained_by_the_key_that_decided() -> None:
    game = load(find_game("chocolatl"), 4)
    keys = set()
    for seed in range(10):
        rounds, _ = play_rounds(game, [RandomPlayer()] * 4, streams(seed, 0, 4))
        for contest in [event for entry in rounds for event in entry.events if isinstance(event, Contested)]:
            order = [player for place in contest.places for player in place]
            equal = [pair for pair in pairwise(order) if len({contest.values[p] for p in pair}) == 1]
            assert [(tie.better, tie.worse) for tie in contest.ties] == equal
            keys |= {re.sub(r"^p\d", "somebody", tie.key) for tie in contest.ties}
    assert keys == {"somebody is figure", "lowest score", "highest arrival"}


@pytest.mark.parametrize("variant", ["always_red", "always_green", "always_gold"])
def test_what_was_laid_is_told_once_it_is_turned_up(variant: str) -> None:
    game = load(find_game(f"chocolatl/{variant}"), 3)
    rounds, _ = play_rounds(game, [RandomPlayer()] * 3, streams(1, 0, 3))
    for entry in rounds[1:]:
        revealed = [event for event in entry.events if isinstance(event, Revealed)]
        assert sum(len(event.elements) for event in revealed) == 6 * 2 * 3
        for scene in scenes(entry.events):
            if scene.contest is not None and not scene.contest.title.startswith("builders"):
                assert [len(scene.laid[player]) for player in range(3)] == [2, 2, 2]
