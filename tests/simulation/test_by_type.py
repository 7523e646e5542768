"""A game by types of players, side by side: what each type shows, what follows from it, and where types differ."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.players.registry import LEARNED
from chocolatl.interpreter.simulation.by_type import RANDOM, PlayedSeries, TypeOfPlay
from chocolatl.interpreter.simulation.conclusions import Sign, concluded, divergences
from chocolatl.interpreter.simulation.series import SeriesPlan, SeriesSetting, set_up
from chocolatl.interpreter.simulation.totals import Totals, lead
from chocolatl.interpreter.statistics.estimates import Tally
from tests.conftest import ROOT, Evidence


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["simulate", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def results(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert problems(found, "simulate_results") == []
    assert isinstance(found, dict)
    return found


# ---------------------------------------------------------------- what is played


@pytest.mark.parametrize(("game", "players"), [("kuhn_poker", 2), ("chocolatl", 3)])
def test_a_number_plays_what_the_types_play(game: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--games", 40, "--seed", 5)
    both = results(capsys, game, "--players", players, *asked)
    for type_ in (RANDOM, LEARNED):
        alone = results(capsys, game, "--players", ",".join([type_] * players), *asked)
        mine = both["by_type"][type_]
        if len(mine["trainings"]) == 1:  # of several, all games are told together
            shared = set(mine) & set(alone)
            assert {"players", "decisions", "lead", "ends", "choices"} <= shared
            assert {key: mine[key] for key in shared} == {key: alone[key] for key in shared}
    of_random = both["by_type"][RANDOM]
    assert {key: both[key] for key in both if key in of_random} == {
        key: of_random[key] for key in both if key in of_random
    }


def test_types_that_are_named_play_alone(capsys: pytest.CaptureFixture[str]) -> None:
    found = results(capsys, "kuhn_poker", "--players", "random,random", "--games", 20)
    assert not {"by_type", "conclusions", "left_out"} & set(found)


@pytest.fixture
def poker(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "rules" / "kuhn_poker", tmp_path / "kuhn_poker")
    return tmp_path / "kuhn_poker"


def test_without_a_policy_the_reason_is_told(poker: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (poker / "policy.yaml").unlink()
    found = results(capsys, poker, "--players", 2, "--games", 20)
    assert set(found["by_type"]) == {RANDOM} and "there is no policy" in found["left_out"][LEARNED]
    _, out, err = run(capsys, poker, "--players", 2, "--games", 20)
    assert "not about competent players" in out and "chocolatl train kuhn_poker" in " ".join(out.split())
    assert err.count("\n") == 1


def test_nothing_is_learned_unasked(poker: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = poker / "kuhn_poker.rules"
    rules.write_text(rules.read_text() + "\nitem unused\n")
    found = results(capsys, poker, "--players", 2, "--games", 20)
    assert set(found["by_type"]) == {RANDOM} and "was learned for other rules" in found["left_out"][LEARNED]


def test_a_policy_that_is_damaged_leaves_random_players(poker: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (poker / "policy.yaml").write_text("kind: policy\nformat: 1\ngame: other\nplayers: {2: {}}\n")
    found = results(capsys, poker, "--players", 2, "--games", 20)
    assert set(found["by_type"]) == {RANDOM} and "policy.yaml" in found["left_out"][LEARNED]


@pytest.mark.parametrize("more", [("--engine", "interpreter"), ("--transcripts", "games.jsonl")])
def test_where_they_cannot_join_that_is_told(
    more: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = results(capsys, "kuhn_poker", "--players", 2, "--games", 5, *more)
    assert "native games" in found["left_out"][LEARNED]


# ---------------------------------------------------------------- what is shown


def test_it_fits_a_screen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for asked in (("chocolatl", "--players", 5), ("quetzal", "--players", "random,random")):
        _, out, _ = run(capsys, *asked, "--games", 20)
        assert out.count("\n") <= 40 and "What was chosen" not in out
        _, details, _ = run(capsys, *asked, "--games", 20, "--details")
        assert details.startswith(out.rstrip("\n")) and "What was chosen" in details


def test_where_random_play_misleads_that_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """In this poker who begins is better off among random players, and not among those who know how."""
    asked = ("kuhn_poker", "--players", 2, "--games", 2_000)
    (first, second, _) = results(capsys, *asked)["conclusions"]
    assert first["differ"] and second["differ"]
    assert [first["types"][name]["sign"] for name in (RANDOM, LEARNED)] == ["more", "neither"]
    out = " ".join(run(capsys, *asked)[1].split())
    assert "random play misleads: p1 wins more than its share with random players, about its share with" in out


# ---------------------------------------------------------------- what follows from it


def setting(players: int) -> SeriesSetting:
    names = tuple(f"p{seat}" for seat in range(players))
    return set_up(SeriesPlan(find_game("goofspiel"), names, (RANDOM,) * players, 1), Findings())


def series(of: SeriesSetting, wins: Sequence[int]) -> PlayedSeries:
    """Games of which each seat has won so many."""
    totals, games = Totals.of(of.game), sum(wins)
    totals.wins = [Tally.counted({1: won, 0: games - won}) for won in wins]
    totals.scores = [Tally.counted({1: games}) for _ in wins]
    totals.items = [[Tally.counted({1: games}) for _ in of.game.ir.items] for _ in wins]
    return PlayedSeries(of, totals)


def drawn(chances: Sequence[float], games: int, seed: int) -> list[int]:
    numbers = random.Random(seed)
    won = numbers.choices(range(len(chances)), chances, k=games)
    return [won.count(seat) for seat in range(len(chances))]


def test_fair_seats_have_no_advantage(evidence: Evidence) -> None:
    """All signs of a type are right together in 95 % of cases, with three trainings far more often."""
    one, wrong, worst = setting(4), 0, 0
    seeds = list(evidence.cases("fair seats are told to have no advantage", full=2_000, slice=300))
    for seed in seeds:
        several = [series(one, drawn([1, 1, 1, 1], 1_000, seed * 3 + number)) for number in range(3)]
        alone, together = (concluded(TypeOfPlay(RANDOM, tuple(some))) for some in (several[:1], several))
        wrong += any(seat.sign is not Sign.NEITHER for seat in alone.seats)
        worst += any(seat.sign is not Sign.NEITHER for seat in together.seats)
    assert wrong <= 0.08 * len(seeds) and worst <= 0.005 * len(seeds) + 1


def test_an_advantage_is_found_and_belongs_to_the_game_only_if_all_trainings_show_it() -> None:
    one = setting(4)
    strong, fair, weak = ([400, 200, 200, 200], [250] * 4, [100, 300, 300, 300])
    for shown, sign in (
        ([strong, strong, strong], Sign.MORE),
        ([strong, strong, fair], Sign.NEITHER),
        ([strong, weak, strong], Sign.NEITHER),
        ([weak], Sign.LESS),
    ):
        found = concluded(TypeOfPlay(LEARNED, tuple(series(one, wins) for wins in shown)))
        assert found.seats[0].sign is sign
        shares = [wins[0] / 1_000 for wins in shown]
        assert found.seats[0].lowest < min(shares) <= max(shares) < found.seats[0].highest


def test_types_differ_only_if_their_shares_lie_apart() -> None:
    one = setting(2)

    def by(name: str, *wins: Sequence[int]) -> TypeOfPlay:
        return TypeOfPlay(name, tuple(series(one, each) for each in wins))

    def apart(random_wins: Sequence[int], learned_wins: Sequence[int]) -> set[int | None]:
        found = [concluded(by(RANDOM, random_wins)), concluded(by(LEARNED, learned_wins))]
        return {each.seat for each in divergences(found)}

    assert apart([600, 400], [500, 500]) == {0, 1}
    assert apart([538, 462], [520, 480]) == set()  # one is clear and the other is not, but they may be the same
    assert apart([600, 400], [620, 380]) == set()


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=6))
def test_the_lead_is_what_the_best_is_ahead_of_all_others(scores: list[int]) -> None:
    first = scores.index(max(scores))
    others = scores[:first] + scores[first + 1 :]
    assert lead(scores) == (max(scores) - max(others) if others else 0)
