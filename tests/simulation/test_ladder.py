"""Who is stronger: sequential tests that may stop at any time, ratings that find planted strengths, and the ladder."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.statistics.estimates import Tally
from chocolatl.interpreter.statistics.ratings import Encounter, ratings
from chocolatl.interpreter.statistics.sequential import always_valid
from tests.conftest import Evidence


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["ladder", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def results(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert problems(found, "ladder_results") == []
    assert isinstance(found, dict)
    return found


# ---------------------------------------------------------------- statistics


def test_whoever_looks_all_the_time_is_rarely_misled(evidence: Evidence) -> None:
    """An interval for a fixed number misses the truth in half of all series, if one looks after each game."""
    seeds = list(evidence.cases("intervals that always hold miss the truth rarely", full=2_000, slice=200))
    missed, fixed = 0, 0
    for seed in seeds:
        numbers, tally, out, out_fixed = random.Random(seed), Tally(), False, False
        for _ in range(500):
            tally.add(int(numbers.random() < 0.25))
            held = always_valid(tally, 0.05)
            assert held.low is not None and held.high is not None
            out |= not held.low <= 0.25 <= held.high
            share = tally.share()
            assert share.low is not None and share.high is not None
            out_fixed |= not share.low <= 0.25 <= share.high
        missed, fixed = missed + out, fixed + out_fixed
    assert missed <= 0.05 * len(seeds) and fixed > 0.15 * len(seeds)


def test_an_interval_that_always_holds_gets_narrow() -> None:
    widths = []
    for games in (40, 400, 4_000):
        held = always_valid(Tally.counted({1: games // 2, 0: games // 2}), 0.05)
        assert held.mean == 0.5 and held.low is not None and held.high is not None
        widths.append(held.high - held.low)
    assert widths[0] > 2 * widths[1] > 4 * widths[2] and widths[2] < 0.07
    assert always_valid(Tally(), 0.05).low == 0.0


@pytest.mark.parametrize("players", [2, 4])
def test_ratings_are_the_strengths_that_were_planted(players: int) -> None:
    """Shares that three strengths of 1, 3 and 10 would bring, in so many games that chance does not matter."""
    strengths, games = (1.0, 3.0, 10.0), 1_000_000
    met = [
        Encounter(
            one, other, players, games, games * strengths[one] / (strengths[one] + (players - 1) * strengths[other])
        )
        for one in range(3)
        for other in range(3)
        if one != other
    ]
    found = ratings(3, met)
    assert [round(each.mean or 0) for each in found] == [0, 191, 400]  # 400 times the logarithms of 3 and 10
    assert found[2].low is not None and found[2].high is not None and found[2].high - found[2].low < 3


def test_who_never_loses_has_a_rating() -> None:
    _, rating = ratings(2, [Encounter(1, 0, 4, 50, 50.0)])
    assert rating.mean is not None and rating.low is not None and 300 < rating.low < rating.mean < 2_000


def test_ratings_hold_what_is_behind_them() -> None:
    """In 95 of 100 cases, give or take."""
    held = 0
    for seed in range(200):
        numbers = random.Random(seed)
        won = sum(numbers.random() < 0.5 for _ in range(200))  # 3 times as strong, among three others
        _, rating = ratings(2, [Encounter(1, 0, 4, 200, won)])
        assert rating.low is not None and rating.high is not None
        held += rating.low <= 190.85 <= rating.high
    assert 180 <= held < 200


# ---------------------------------------------------------------- the command


def test_it_is_the_same_with_any_number_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("kuhn_poker", "--types", "random,greedy,learned", "--players", 2, "--most", 60, "--seed", 4)
    assert results(capsys, *asked, "--jobs", 1) == results(capsys, *asked, "--jobs", 3)


def test_who_looks_ahead_is_stronger_than_chance(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "ladder.svg"
    asked = ("chocolatl/three_locations", "--types", "random,greedy", "--players", 3, "--jobs", 1)
    found = results(capsys, *asked, "--plot", path)
    first, second = found["types"]
    assert first["rating"]["mean"] == 0 and second["rating"]["low"] > 0
    assert (first["stronger_than"], second["stronger_than"]) == ([], ["random"])
    signs = {(each["one"], each["among"]): each["sign"] for each in found["meetings"]}
    assert signs["greedy", "random"] == "more" and signs["random", "greedy"] != "more"
    for meeting in found["meetings"]:
        share = meeting["win_share"]
        assert meeting["games"] <= 1_020 and share["low"] <= share["mean"] <= share["high"]
        assert (meeting["sign"] == "neither") == (share["low"] <= 1 / 3 <= share["high"])
    texts = [text.text for text in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]
    assert {"random", "greedy", "0"} <= set(texts)


def test_alike_players_are_not_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    """A policy that is no better: the game goes by chance alone."""
    _, out, _ = run(capsys, "kuhn_poker", "--types", "random,learned", "--players", 2, "--most", 100, "--jobs", 1)
    told = " ".join(out.split())
    assert "not clear after so many games" in told and "made to gain points; here victories count" in told


def test_a_trace_of_skill_learns_first(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("kuhn_poker", "--types", "random", "--players", 2, "--most", 20, "--jobs", 1)
    found = results(capsys, *asked, "--trace", "0.01,0.2")
    assert [each["name"] for each in found["types"]] == ["random", "learned 0.01 s", "learned 0.2 s"]
    assert [each.get("seconds") for each in found["types"]] == [None, 0.01, 0.2]
    first, second = (each["updates"] for each in found["types"][1:])
    assert 0 <= first < second


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn_poker", "--types", "random", "--players", "2"], "a ladder has from 2 to 12 types of players, not 1"),
        (["kuhn_poker", "--types", "random,random"], "a type stands twice on the ladder"),
        (["kuhn_poker", "--types", "random,gredy"], "did you mean `greedy`?"),
        (["kuhn_poker", "--types", "random,learned:nowhere.yaml"], "nowhere.yaml is missing"),
        (["kuhn_poker", "--players", "1"], "at least two players at the table"),
        (["kuhn_poker", "--players", "9"], "kuhn_poker is for 2 to"),
        (["kuhn_poker", "--trace", "0"], "expected up to 8 numbers of seconds above 0"),
        (["kuhn_poker", "--most", "0"], "expected a whole number from 1 up"),
        (["kuhn_pokr"], "did you mean"),
    ],
)
def test_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1
