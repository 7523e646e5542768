"""What holdings are worth: planted truths are found again, by the regression and by the command, and what is told of
fresh games was not fitted to them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from chocolatl import cli
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.formats.valuation import FILE, formulas_of, worth_for, worthless_items
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.simulation.series import SeriesPlan
from chocolatl.interpreter.valuing.fitting import Fit, FitOfRound, calibrated, explained
from chocolatl.interpreter.valuing.holdings import holdings
from chocolatl.interpreter.valuing.observations import ObservationPlan, observe
from chocolatl.interpreter.valuing.regression import Regression, Slope, regress
from tests.conftest import ROOT, Evidence
from tests.games import Table, tables, write_game

PAYING = """\
item pay

table has
    box : set of card = every card

each player has
    score : 0..999 = 0
    coins : 0..9 = 0
    chips : 0..9 = 0
    hand  : set of card

play
    for each round in 1..4
        if round is 1
            for each p in player
                draw found from box into p.hand
                p chooses taken from 0..5
                p.coins becomes found.value
                p.chips becomes taken
        for each p in player
            p chooses passed from 1..2
            p gains 2 * p.coins score for pay
"""
"""Each coin pays two points a round, chips pay nothing: after the first round a coin is worth 2 points for each round
that is left."""


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["value", "fit", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def results(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert problems(found, "value_results") == []
    assert isinstance(found, dict)
    return found


@pytest.fixture
def paying(tmp_path: Path) -> Path:
    return write_game(tmp_path, PAYING, cards="{value: 1..6}")


# ---------------------------------------------------------------- the regression


def drawn(seed: int, games: int, slopes: tuple[int, ...], luck: float) -> tuple[Any, Any, Any]:
    """Counts, points and games: three players each, who share the luck of their game, and so does what they hold."""
    numbers = np.random.default_rng(seed)
    counts = numbers.integers(0, 3, (games, 3, len(slopes))) + numbers.integers(0, 7, (games, 1, len(slopes)))
    points = 7 + counts @ np.array(slopes) + numbers.normal(0, 2, (games, 3)) + numbers.normal(0, luck, (games, 1))
    which = np.repeat(np.arange(games), 3)
    return counts.reshape(-1, len(slopes)), np.rint(points).astype(np.int64).reshape(-1), which


def test_intervals_hold_the_planted_slope_though_players_share_their_game(evidence: Evidence) -> None:
    """If each player counted as an observation of its own, more would be missed than 5 %."""
    seeds = list(evidence.cases("intervals of what holdings are worth hold the truth", full=2_000, slice=200))
    missed = naive = 0
    for seed in seeds:
        counts, points, games = drawn(seed, 80, (3,), luck=8)
        for which, told in ((games, True), (np.arange(len(games)), False)):
            slope = regress(counts, points, which).all[0]
            assert slope is not None and slope.interval.low is not None and slope.interval.high is not None
            out = not slope.interval.low <= 3 <= slope.interval.high
            missed, naive = missed + (out and told), naive + (out and not told)
    assert missed <= 0.14 * len(seeds) < 0.2 * len(seeds) < naive


def test_what_is_nothing_is_left_out_and_the_rest_is_found(evidence: Evidence) -> None:
    kept = 0
    seeds = list(evidence.cases("what is worth nothing is left out", full=1_000, slice=100))
    for seed in seeds:
        found = regress(*drawn(seed, 200, (0, 2, 0, -1), luck=1))
        two, less = found.kept[1], found.kept[3]
        assert two is not None and less is not None and abs(two.value - 2) < 0.5 and abs(less.value + 1) < 0.5
        assert abs(found.level - 7) < 2.5
        kept += sum(found.kept[number] is not None for number in (0, 2))
    assert kept <= 0.08 * 2 * len(seeds)


def test_what_never_varies_or_only_with_others_is_not_told() -> None:
    counts, points, games = drawn(1, 100, (3, 1), luck=0)
    more = np.column_stack((np.full(len(counts), 5), counts, counts[:, 0] + 2 * counts[:, 1] + 3))
    found = regress(more, points, games)
    assert found.all[0] is None and found.all[3] is None and found.kept[0] is None
    assert found.all[1] is not None and abs(found.all[1].value - 3) < 0.3


# ---------------------------------------------------------------- what is told of fresh games


def test_noise_explains_nothing_of_fresh_games() -> None:
    """Of the games that it was fitted to any table explains something."""
    counts, points, games = drawn(3, 40, (0,) * 12, luck=2)
    fresh_counts, fresh_points, _ = drawn(4, 400, (0,) * 12, luck=2)
    slopes = np.array([slope.value if slope is not None else 0.0 for slope in regress(counts, points, games).all])
    level = float((points - counts @ slopes).mean())
    assert explained([level + counts @ slopes], [points]) > 0.1
    assert explained([level + fresh_counts @ slopes], [fresh_points]) < 0
    assert explained([fresh_points.astype(np.float64)], [fresh_points]) == 1


def test_parts_of_equal_size_hold_all_and_tell_what_came() -> None:
    foretold, came = np.arange(100.0), np.arange(100) // 10 * 10
    bins = calibrated(foretold, came, np.arange(100))
    assert [each.rows for each in bins] == [10] * 10
    assert [each.came.mean for each in bins] == [float(n) for n in range(0, 100, 10)]
    assert all(each.came.low == each.came.high for each in bins)
    (together,) = {each.came.high for each in calibrated(foretold[:9], np.array([0, 9, 0] * 3), np.zeros(9, int))[:1]}
    assert together == 0.0


def test_rounds_that_nobody_came_to_lie_on_the_line_between_others() -> None:
    def seen(left: int, worth: float) -> FitOfRound:
        return FitOfRound(left, Regression(0.0, (None,), (Slope(worth, 0.1),)), 0.0)

    fit = Fit(2, (seen(2, 1.0), seen(4, 3.0)), 0.0, ())
    assert fit.worth(0) == [0, 50, 100, 200, 300]


# ---------------------------------------------------------------- games


def test_a_planted_worth_is_found_by_the_command(
    paying: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, plot = tmp_path / FILE, tmp_path / "plot.svg"
    asked = ("--type", "random", "--games", 60, "-o", path, "--plot", plot)
    found = results(capsys, paying, *asked, "--jobs", 1)
    assert results(capsys, paying, *asked, "--jobs", 2) == found, "it matters how many work"
    (fit,) = found["players"]
    assert [(each["left"], each["worth"]["coins"], each["worth"]["chips"]) for each in fit["rounds"]] == [
        (1, 2.0, 0.0), (2, 4.0, 0.0), (3, 6.0, 0.0),
    ]  # fmt: skip
    assert fit["explained"] == 1 and all(
        abs(each["foretold"] - each["came"]["mean"]) < 1e-9 for each in fit["calibration"]
    )
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")
    code, out, err = run(capsys, paying, "--type", "random", "--games", 60, "-o", paying / FILE)
    assert code == 0 and "explains 100 %" in out and "coins" in out, err
    assert (paying / FILE).read_text() == path.read_text()
    assert cli.main(["check", str(paying)]) == 0
    told = capsys.readouterr()  # what the rules do not read is a warning of its own
    assert "valuation" in told.err and FILE not in told.out
    game = load(paying, 2)
    assert formulas_of(path) == {"coins": "p.coins"} and game.files.folder == paying
    again = results(capsys, paying, *asked)  # the items are those of the file now
    assert list(again["items"]) == ["coins"]


def test_what_is_seen_is_what_a_walk_through_the_game_sees(paying: Path) -> None:
    """The first decision of each round, by the game contract alone."""
    game = load(paying, 2)
    plan = ObservationPlan(SeriesPlan(paying, game.players, ("random", "random"), 9), {"coins": "p.coins"})
    seen = observe(plan, 4, 3, 1)
    rows, place = [], game.program.layout.places["player", "coins"].base
    for index in range(4, 7):
        randoms = [Random(9, index, stream) for stream in range(3)]
        position, round_, held = game.initial(), 0, []
        while not game.is_over(position):
            now = game.round(position)
            if round_ and now != round_:
                coins = position.slots[place : place + 2]
                held += [(4 - now + 1, seat, game.scores(position)[seat], coins[seat]) for seat in range(2)]
            round_ = now
            chance = game.chance(position)
            if chance is not None:
                position = game.resolve(position, chance.outcomes.sample(randoms[0]))
            else:
                decision = game.pending(position)[0]
                answer = decision.answers.sample(randoms[1 + decision.player])
                position = game.answer(position, decision.player, answer)
        end = game.scores(position)
        assert end == game.scores(play_game(game, [RandomPlayer()] * 2, 9, index).position)
        rows += [(index, left, coins, end[seat] - score) for left, seat, score, coins in held]
    assert rows == [
        (int(number), int(left), int(counts[0]), int(points))
        for number, left, counts, points in zip(seen.games, seen.left, seen.counts, seen.points, strict=True)
    ]
    assert len(rows) == 3 * 3 * 2


def test_where_nothing_is_worth_anything_there_is_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nothing = write_game(tmp_path, PAYING.replace("2 * p.coins", "2"), cards="{value: 1..6}")
    code, out, err = run(capsys, nothing, "--type", "random", "--games", 60, "-o", tmp_path / FILE)
    assert code == 0 and "not surely worth anything: coins, chips, hand, hand_value" in out and "┃" not in out, err
    assert "-0 %" not in out and cli.main(["check", str(nothing)]) == 0


@pytest.mark.parametrize("table", tables(), ids=str)
def test_what_may_be_held_is_a_formula_of_the_language(table: Table) -> None:
    game = table.load()
    items = holdings(game.ir)
    made = worthless_items(game, items)
    assert [item.name for item in made] == list(items)
    position = game.initial()
    for item in made:
        game.program.formula(item.player, item.what)(position.slots, 0)


def test_of_sets_their_size_is_held_and_what_lies_there(tmp_path: Path) -> None:
    more = PAYING.replace(
        "    chips : 0..9 = 0\n", "    chips : 0..9 = 0\n    ready : yes/no = no\n    put[card] : 0..3 = 0\n"
    )
    more = more.replace(
        "    box : set of card = every card\n",
        "    box : set of card = every card\n    leader : player or nobody\n",
    )
    path = write_game(tmp_path / "more", more, cards="{value: 1..6}")
    assert holdings(load(path, 2).ir) == {
        "is_leader": "1 if p is leader else 0",
        "coins": "p.coins",
        "chips": "p.chips",
        "ready": "1 if p.ready else 0",
        "put": "sum of p.put[i] for i in card",
        "hand": "size of p.hand",
        "hand_value": "sum of x.value for x in p.hand",
    }


def test_a_number_of_players_that_is_not_listed_takes_the_nearest() -> None:
    worth: dict[int | str, list[int]] = {3: [0, 3], "5": [0, 5]}
    assert [worth_for(worth, players)[1] for players in range(2, 8)] == [3, 3, 3, 5, 5, 5]
    assert worth_for([1, 2], 9) == (1, 2)


# ---------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cacao",), "count no rounds"),
        (("chocolatl", "--games", 59), "at least 60"),
        (("chocolatl", "--type", "greddy"), "did you mean `greedy`"),
        (("chocolatl", "--type", "random,random"), "one type for all players"),
        (("chocolatl", "--players", "3,3"), "expected numbers of players"),
        (("chocolatl", "--players", 9), "is for 3 to 5 players"),
        (("goofspiel/prize_one", "--items", ROOT / "rules" / "chocolatl" / FILE, "--type", "random"), "has no variant"),
        (("goofspiel", "--items", ROOT / "rules" / "chocolatl" / FILE, "--type", "random"), f"{FILE}:"),
    ],
)
def test_bad_input_has_a_clear_message_and_writes_nothing(
    arguments: tuple[object, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.yaml"
    path.write_text("kept", encoding="utf-8")
    try:
        code, _, err = run(capsys, *arguments, "-o", path)
    except SystemExit as left:
        code, err = int(str(left.code)), capsys.readouterr().err
    assert code in (1, 2) and message in err and "Traceback" not in err
    assert path.read_text(encoding="utf-8") == "kept"
