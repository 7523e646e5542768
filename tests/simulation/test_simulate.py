"""Series of games: the same with any number of jobs, counted exactly, written whole."""

from __future__ import annotations

import json
import signal
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.position import dump_position
from chocolatl.interpreter.play.game import Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_on, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.simulation import series
from chocolatl.interpreter.simulation.series import (
    PartSizes,
    SeriesPart,
    SeriesPlan,
    SeriesSetting,
    play_part,
    play_series,
    set_up,
)
from chocolatl.interpreter.simulation.totals import Totals
from chocolatl.interpreter.statistics.estimates import Tally, mean_interval, wilson
from chocolatl.interpreter.terminal.reports.distributions import ticks
from tests.conftest import Evidence
from tests.games import write_game
from tests.play.test_players import SAMPLE_RULES, write_sample


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["simulate", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def results(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert problems(found, "simulate_results") == []
    assert isinstance(found, dict)
    return found


def timeless(found: dict[str, Any]) -> dict[str, Any]:
    """Results without what depends on the clock, and without those of other types of players."""
    left = ("seconds", "games_per_second", "by_type", "conclusions", "left_out")
    return {key: value for key, value in found.items() if key not in left}


# ---------------------------------------------------------------- the same games, whoever plays them


@pytest.mark.parametrize(
    ("game", "players"), [("chocolatl", 4), ("goofspiel/carry", 3), ("kuhn_poker", 2), ("cacao", 2), ("quetzal", 3)]
)
def test_both_engines_count_the_same(
    game: str, players: int, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, written = [], []
    for engine, jobs in (("interpreter", 1), ("native", 1), ("native", 3)):
        path = tmp_path / f"{engine}{jobs}.jsonl"
        asked = (game, "--players", players, "--games", 12, "--seed", seed, "--engine", engine, "--jobs", jobs)
        count = results(capsys, *asked)
        assert count.pop("engine") == engine
        found.append(timeless(count))
        if jobs == 1:
            results(capsys, *asked, "--transcripts", path)
            written.append(path.read_bytes())
    assert found[0] == found[1] == found[2]
    assert written[0] == written[1]


@pytest.mark.parametrize("score", [4 * 10**4, 4 * 10**6, 4 * 10**9, 4 * 10**15, 4 * 10**18])
def test_scores_of_any_size_are_counted_exactly(score: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Squares of large scores, and of what sources pay, do not fit into 64 bits."""
    game = write_game(
        tmp_path,
        f"""
each player has
    score : 0..{score}

item winnings

play
    for each p in player
        roll die from 1..6
        p gains {score // 6} * die score for winnings
""",
    )
    asked = (game, "--players", 2, "--games", 200, "--seed", 3)
    found = [timeless(results(capsys, *asked, "--engine", engine)) for engine in ("interpreter", "native")]
    assert [count.pop("engine") for count in found] == ["interpreter", "native"]
    assert found[0] == found[1]


def test_native_is_what_plays_unless_it_cannot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def engine(*arguments: object) -> object:
        return results(capsys, "kuhn_poker", *arguments, "--games", 3)["engine"]

    assert engine("--players", 2) == "native"
    assert engine("--players", "greedy,random") == "interpreter"


def test_scores_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.svg"
    found = results(capsys, "goofspiel", "--players", "red=random,blue=random", "--games", 50, "--plot", path)
    drawing = ElementTree.parse(path)
    bars = [bar.text for bar in drawing.iter("{http://www.w3.org/2000/svg}title")]
    spreads = [player["distribution"] for player in found["players"]]
    rounds = found["lengths"]["rounds"]
    assert bars == [f"{value}: {count}" for spread in [*spreads, rounds] for value, count in spread.items()]
    assert all(sum(spread.values()) == 50 for spread in spreads)


def test_numbers_below_a_histogram_are_round() -> None:
    assert ticks(-3, 88) == [0, 20, 40, 60, 80] and ticks(13, 13) == [13] and ticks(1, 9) == list(range(1, 10))
    assert ticks(-2100, 1900) == [-2000, -1500, -1000, -500, 0, 500, 1000, 1500]


@pytest.mark.parametrize("written", [False, True])
def test_an_interrupted_series_tells_what_it_has(
    written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = series.play_part

    def interrupted(setting: SeriesSetting, first: int, count: int) -> SeriesPart:
        if first >= 400:
            raise KeyboardInterrupt
        return whole(setting, first, count)

    monkeypatch.setattr(series, "play_part", interrupted)
    games = tmp_path / "games.jsonl"
    arguments = ("--transcripts", games) if written else ()
    code, out, err = run(capsys, "goofspiel", "--players", 2, "--games", 1000, "--jobs", 1, "--json", *arguments)
    found = json.loads(out)
    assert not written or games.read_text().count('"result"') == found["games"]
    assert code == 130 and f"interrupted after {found['games']} of 1,000 games" in err
    monkeypatch.undo()
    shorter = results(capsys, "goofspiel", "--players", 2, "--games", found["games"])
    assert 400 <= found["games"] < 1000 and timeless(found) == timeless(shorter)


SUMS = 10
"""So many are merged of a part in a game for two with two items: victories, scores, items, the lead, decisions."""


@pytest.mark.parametrize("merged", range(SUMS))
def test_an_interruption_while_games_are_counted_waits(
    merged: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each time another sum is the last one before it."""
    whole, times = Tally.merge, iter(range(10_000))

    def interrupted(tally: Tally, other: Tally) -> None:
        whole(tally, other)
        if next(times) == 3 * SUMS + merged:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Tally, "merge", interrupted)
    games = tmp_path / "games.jsonl"
    asked = ("kuhn_poker", "--players", 2, "--jobs", 1, "--seed", 3, "--engine", "interpreter")
    code, out, _ = run(capsys, *asked, "--games", 100, "--json", "--transcripts", games)
    monkeypatch.undo()
    found = json.loads(out)
    assert code == 130 and 0 < found["games"] < 100 and games.read_text().count('"result"') == found["games"]
    assert timeless(found) == timeless(results(capsys, *asked, "--games", found["games"]))


# ---------------------------------------------------------------- the same games with any number of jobs


@pytest.mark.parametrize(
    ("game", "players", "games"),
    [("goofspiel", "red=random,blue=random,green=random", 60), ("kuhn_poker/dear", "greedy,random", 25)],
)
def test_one_job_and_two_give_the_same_bytes(
    game: str, players: str, games: int, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, written = [], []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.jsonl"
        arguments = (
            game,
            "--players",
            players,
            "--games",
            games,
            "--seed",
            seed,
            "--jobs",
            jobs,
            "--transcripts",
            path,
        )
        found.append(timeless(results(capsys, *arguments)))
        written.append(path.read_bytes())
    assert written[0] == written[1] and written[0].count(b'"result"') == games
    assert found[0] == found[1]
    assert cli.main(["replay", str(tmp_path / "2.jsonl"), "--check-seed"]) == 0


def test_parts_of_a_series_make_the_whole(evidence: Evidence) -> None:
    for seed in evidence.cases("parts of a series make the whole", full=50, slice=5):
        plan = SeriesPlan(find_game("blotto"), ("p1", "p2"), ("random", "random"), seed, transcripts=True)
        setting = set_up(plan, Findings())
        whole, texts = play_part(setting, 0, 30), []
        totals = Totals.of(setting.game)
        for first, count in ((0, 7), (7, 1), (8, 22)):
            part = play_part(setting, first, count)
            totals.merge(part.totals)
            texts.append(part.text)
        assert "".join(texts) == whole.text and totals == whole.totals
        lines: list[str] = []
        played: list[int] = []
        assert play_series(setting, 30, 1, lines.append, played.append) == whole.totals
        assert "".join(lines) == whole.text and sum(played) == 30


def test_parts_are_small_at_first_and_take_about_the_same_time() -> None:
    setting = set_up(SeriesPlan(find_game("kuhn_poker"), ("p1", "p2"), ("random", "random"), 1), Findings())
    pace = PartSizes(1000, 2)
    sizes: list[int] = []
    for number, (first, count) in enumerate(pace.parts()):
        assert first == sum(sizes)
        sizes.append(count)
        pace.keep(replace(play_part(setting, first, count), seconds=count * (1e-9 if number < 8 else 0.1)))
    assert sizes[:8] == [1, 2, 4, 8, 16, 32, 62, 62] and set(sizes[9:-1]) == {2} and sum(sizes) == 1000


def test_the_results_are_those_of_the_transcripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    found = results(capsys, "blotto", "--players", 3, "--games", 200, "--seed", 5, "--transcripts", path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    ends = [line for line in lines if "result" in line]
    choices = sum("choice" in line for line in lines)
    assert found["game"] == "blotto" and found["games"] == 200 == len(ends) and found["seed"] == 5
    assert found["decisions"]["mean"] == choices / 200
    assert found["games_per_second"] == pytest.approx(200 / found["seconds"], rel=0.01)
    for player in found["players"]:
        name = player["name"]
        score = mean_interval(end["result"][name] for end in ends)
        shares = [Fraction(1, len(end["winners"])) if name in end["winners"] else Fraction(0) for end in ends]
        win = wilson(sum(shares), 200)
        assert player["score"] == {"mean": score.mean, "low": score.low, "high": score.high}
        assert player["win_share"] == {"mean": win.mean, "low": win.low, "high": win.high}
    assert sum(player["win_share"]["mean"] for player in found["players"]) == pytest.approx(1)
    assert [(player["seat"], player["type"]) for player in found["players"]] == [(seat, "random") for seat in (1, 2, 3)]


@pytest.mark.parametrize("players", ["random,random", "greedy,random"])
def test_choices_are_counted_in_all_games(players: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ("kuhn_poker", "--players", players, "--games", 110, "--seed", 3, "--jobs", 2)
    found = results(capsys, *arguments, "--transcripts", path)
    events = [json.loads(line) for line in path.read_text().split("\n") if line.startswith('{"player"')]
    (choice,) = found["choices"].values()
    given = Counter(event["value"] for event in events)
    assert list(found["choices"]) == ["action"]
    assert {answer["value"]: answer["count"] for answer in choice["answers"]} == given
    assert choice["mean"] == found["procedures"]["act"]["mean"] == len(events) / 110
    assert choice["low"] < choice["mean"] < choice["high"]
    again = results(capsys, *arguments[:-1], 1)
    assert (again["choices"], again["procedures"]) == (found["choices"], found["procedures"])


def test_procedures_are_counted_clause_by_clause(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("chocolatl", "--players", 3, "--games", 12, "--seed", 3)
    found = results(capsys, *arguments)["procedures"]
    assert results(capsys, *arguments, "--engine", "interpreter")["procedures"] == found
    means = {name: round(each["mean"] * 12) for name, each in found.items()}
    for name in ("bidding", "resolve", "prepare"):
        clauses = [count for clause, count in means.items() if clause.startswith(f"{name}(")]
        assert len(clauses) > 2 and sum(clauses) == means[name] > 0
    code, out, _ = run(capsys, *arguments, "--details")
    assert code == 0 and "What ran" in out and "bidding(red)" in out and "hut_or_die" in out


def test_joint_answers_are_counted_part_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    placement = results(capsys, "cacao", "--players", 2, "--games", 4)["choices"]["placement"]
    assert list(placement["parts"]) == ["tile", "turn", "here"] and "answers" not in placement
    assert {sum(each["count"] for each in values) for values in placement["parts"].values()} == {4 * 22}
    assert all(len(each["value"]) == 2 for each in placement["parts"]["here"])


def test_lengths_scores_and_points_are_printed_with_their_spread(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("goofspiel", "--players", "random,random", "--games", 101)
    found = results(capsys, *asked)
    _, out, _ = run(capsys, *asked, "--details")
    scores = sorted(Counter({int(s): n for s, n in found["players"][0]["distribution"].items()}).elements())
    quartiles = [scores[0], scores[25], scores[50], scores[75], scores[100]]
    rows = [line.split() for line in out.replace("│", " ").splitlines()]
    assert ["p1", *map(str, quartiles)] in rows
    assert "13.0 (13.0 to 13.0) rounds a game, from 13 to 13" in out and " ±" in out


def test_sources_have_titles_and_those_that_never_paid_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("chocolatl", "--players", 3, "--games", 50)
    points = {item: share["mean"] for item, share in results(capsys, *asked)["players"][0]["points"].items()}
    table = run(capsys, *asked, "--details")[1].split("Points by source")[1].split("What ran")[0]
    assert points["temple"] > 0 and points["village"] == 0
    assert "Temple of Chocolatl" in table and "Village" not in table


def test_the_table_shows_names_types_and_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "kuhn_poker", "--players", "anna=random,bert=random", "--games", 50, "--seed", 3)
    assert code == 0 and "Kuhn Poker: 50 games, seed 3" in out and "decisions a game" in out
    assert "anna" in out and "bert" in out and "random" in out and " % (" in out and "\x1b" not in out
    assert "games a second" in err
    again = run(capsys, "kuhn_poker", "--players", "anna=random,bert=random", "--games", 50, "--seed", 3, "--jobs", 1)
    assert again[1] == out


def test_one_game_has_no_interval_for_its_score(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "kuhn_poker", "--players", "2", "--games", 1, "--json")
    assert code == 0
    score = json.loads(out)["players"][0]["score"]
    assert score["low"] is None and score["high"] is None and isinstance(score["mean"], float)


# ---------------------------------------------------------------- from a position


def test_games_from_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = load(find_game("goofspiel"), ("red", "blue"), {"cards": 13})
    players = [RandomPlayer()] * 2
    half = play_on(game, game.initial(), players, streams(4, 0, 2), until=lambda _, decisions: decisions == 21)
    path = tmp_path / "position.yaml"
    path.write_text(dump_position(game, half.position))
    found = results(capsys, "--from", path, "--players", "random,greedy", "--games", 20, "--seed", 2)
    assert [player["name"] for player in found["players"]] == ["red", "blue"]
    assert found["decisions"]["mean"] == 5
    assert timeless(found) == timeless(
        results(capsys, "goofspiel", "--from", path, "--players", "red=random,blue=greedy", "--games", 20, "--seed", 2)
    )
    for arguments, message in [
        (["--players", "3"], "the position has 2 players, not 3"),
        (["--players", "a=random,b=random"], "the players of the position are red, blue, not a, b"),
        (["--players", "2", "--transcripts", str(tmp_path / "t")], "--transcripts does not go with --from"),
    ]:
        code, _, err = run(capsys, "--from", path, *arguments)
        assert code == 2 and message in err and err.count("\n") == 1
    code, _, err = run(capsys, "kuhn_poker", "--from", path, "--players", 2)
    assert code == 2 and err.count("error") == 1
    assert "this is a position of `goofspiel`, and the game is `kuhn_poker`" in err


@pytest.mark.parametrize(
    ("name", "players", "decisions"), [("goofspiel", 3, 10), ("chocolatl", 4, 30), ("cacao", 2, 9), ("quetzal", 3, 40)]
)
def test_both_engines_count_the_same_from_a_position(
    name: str, players: int, decisions: int, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    game = load(find_game(name), players)
    seats = [RandomPlayer()] * players
    path = tmp_path / "position.yaml"
    for sealed in (False, True):  # in the open, and while some have answered secretly

        def is_there(position: Position, made: int, sealed: bool = sealed) -> bool:
            return made >= decisions and (position.sealed is not None) == sealed

        there = play_on(game, game.initial(), seats, streams(seed, 0, players), until=is_there)
        path.write_text(dump_position(game, there.position))
        found = []
        for engine, jobs in (("interpreter", 1), ("native", 1), ("native", 3)):
            asked = ("--from", path, "--players", players, "--games", 12, "--seed", seed, "--engine", engine)
            count = timeless(results(capsys, *asked, "--jobs", jobs))
            assert count.pop("engine") == engine
            found.append(count)
        assert found[0] == found[1] == found[2]


# ---------------------------------------------------------------- mistakes


def failing(tmp_path: Path) -> Path:
    """A game that breaks the range of a score now and then."""
    folder = write_sample(tmp_path)
    (folder / "sample.rules").write_text(SAMPLE_RULES.replace("0..limit", "0..30"))
    return folder


def test_a_rule_that_fails_is_exit_code_1_and_leaves_no_file_but_the_failed_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, path = failing(tmp_path), tmp_path / "games.jsonl"
    path.write_text("old\n")
    monkeypatch.chdir(tmp_path)
    messages = []
    for jobs in (1, 2):
        code, out, err = run(
            capsys, folder, "--players", "2", "--games", 400, "--seed", 1, "--jobs", jobs, "--transcripts", path
        )
        assert (code, out) == (1, "") and "`score`" in err and err.startswith(f"{folder / 'sample.rules'}:")
        assert "of the series, which has the seed" in err
        messages.append(err)
    assert messages[0] == messages[1]  # the first game that fails, whoever came to it first
    assert path.read_text() == "old\n"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["failed-game.jsonl", "games.jsonl", "sample"]


def test_a_rule_that_fails_is_told_even_if_the_game_cannot_be_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = (failing(tmp_path), "--players", 2, "--games", 400, "--seed", 1)
    code, _, err = run(capsys, *asked, "--failed", tmp_path / "nowhere" / "x")
    assert code == 1 and "`score` becomes" in err and "the game was not kept" in err and "there is no folder" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["goofspiel", "--players", "2", "--engine", "native", "--from", "x.yaml"], "there is no such file"),
        (
            ["goofspiel", "--players", "solver,random", "--engine", "native"],
            "games with random and learned players alone",
        ),
        (["--players", "2"], "a game is needed: GAME, or a position with --from"),
        (["goofspiel"], "--players"),
        (["goofspiel", "--players", "5"], "goofspiel is for 2 to 4 players, not 5"),
        (["goofspiel", "--players", "random,gredy"], "did you mean `greedy`?"),
        (["goofspiel", "--players", "you,random"], "a person plays with `chocolatl play`"),
        (["goofspiel", "--players", "a=random,a=random"], "two players are called `a`"),
        (["goofspeil", "--players", "2"], "did you mean `goofspiel`?"),
        (["goofspiel", "--players", "2", "--games", "0"], "expected a whole number from 1 up; found '0'"),
        (["goofspiel", "--players", "2", "--games", "many"], "found 'many'"),
        (["goofspiel", "--players", "2", "--games", "1000000000000"], "expected at most 999999999999"),
        (["goofspiel", "--players", "2", "--plot", "scores.png"], "expected a name that ends in .svg"),
        (["goofspiel", "--players", "2", "--plot", "a", "--transcripts", "a"], "name the same file"),
        (["goofspiel", "--players", "2", "--jobs", "-1"], "found '-1'"),
        (["goofspiel", "--players", "2", "--jobs", "1000"], "expected at most 256"),
        (["goofspiel", "--players", "2", "--seed", "x"], "--seed"),
        (["goofspiel", "--players", "2", "--games", "1", "--transcripts", "no/folder/x"], "cannot be written"),
        (["goofspiel", "--players", "2", "--games", "1", "--plot", "no/folder/x"], "cannot be written"),
        (["--from", "missing.yaml", "--players", "2"], "there is no such file"),
    ],
)
def test_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "") and message in err and err.count("\n") == 1


def test_seeds_may_be_any_whole_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in (-1, 2**64 - 1, 2**70):
        path = tmp_path / "games.jsonl"
        found = results(capsys, "kuhn_poker", "--players", 2, "--games", 3, "--seed", seed, "--transcripts", path)
        assert found["seed"] == seed
        assert json.loads(path.read_text().split("\n")[0])["seed"] == seed % 2**64
