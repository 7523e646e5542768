"""The Python interface says what the command line says, and one clear sentence where something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chocolatl as ch
from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.interface.tabulating import Rowed
from tests.conftest import ROOT


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What a command prints as JSON."""
    capsys.readouterr()
    code = cli.main([*words, "--json"])
    assert code == 0, capsys.readouterr().err
    return json.loads(capsys.readouterr().out)


def without_time(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in ("seconds", "explanation", "games_per_second")}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "players", "to_round", "wishes"),
    [
        ("goofspiel/short", 2, 2, {"against": "random"}),
        ("goofspiel", 3, None, {"against": "random", "scenarios": 4, "samples": 20, "engine": "model"}),
        (
            "chocolatl/three_locations",
            3,
            1,
            {"against": "random", "scenarios": 2, "samples": 10, "objective": "margin"},
        ),
        ("blotto", 2, None, {"against": "random", "scenarios": 8, "samples": 20, "horizon": "far", "work": 0.02}),
    ],
)
def test_it_answers_as_the_command_does(
    name: str,
    players: int,
    to_round: int | None,
    wishes: dict[str, Any],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    game = ch.load(name, players)
    position = game.deal(seed=5, to_round=to_round)
    saved = position.save("mine.yaml")
    words = [] if to_round is None else ["--to-round", str(to_round)]
    assert cli.main(["deal", name, "--players", str(players), "--seed", "5", *words, "-o", "its.yaml"]) == 0
    assert saved.read_text() == Path("its.yaml").read_text() == position.text()
    again = game.read("its.yaml")
    options = [text for key, value in wishes.items() for text in (f"--{key}", str(value))]
    told = printed(capsys, "solve", "its.yaml", "--player", "p1", *options)
    for asked in (position, again):
        answer = game.solve(asked, "p1", **wishes)
        assert without_time(answer.as_json()) == without_time(told)
        assert answer.choices == {part["choice"]: part["value"] for part in told["choices"]}
        assert (answer.value, answer.bound, answer.status) == (told["value"], told["bound"], told["status"])
        assert answer.rows[0] | answer.choices == answer.rows[0]


@pytest.mark.parametrize("types", [["random", "random"], ["greedy", "random"], ["solver:0.01", "random"]])
def test_it_plays_the_games_of_the_command(types: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, "simulate", "goofspiel/short", "--players", ",".join(types), "--games", "12", "--seed", "3")
    runs = ch.load("goofspiel/short", 2).simulate(types, games=12, seed=3)
    own = runs.as_json()
    assert {key: own[key] for key in ("players", "lengths", "decisions", "rules")} == {
        key: told[key] for key in ("players", "lengths", "decisions", "rules")
    }
    assert [row["win_share"] for row in runs.rows] == [seat["win_share"]["mean"] for seat in told["players"]]


def test_what_is_learned_plays_and_is_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = ch.load("kuhn_poker", 3)
    policy = game.train(updates=3, seed=2)
    assert cli.main(["train", "kuhn_poker", "--players", "3", "--updates", "3", "--seed", "2", "-o", "its.yaml"]) == 0
    assert policy.save("mine.yaml").read_text() == Path("its.yaml").read_text()
    told = printed(capsys, "simulate", "kuhn_poker", "--players", "learned:its.yaml,random,random", "--games", "60")
    runs = game.simulate([policy, "random", "random"], games=60)
    assert [row["win_share"] for row in runs.rows] == [seat["win_share"]["mean"] for seat in told["players"]]
    ladder = game.ladder(["random", policy], most=30)
    assert {row["type"] for row in ladder.rows} == {"random", policy.name}
    assert policy.rows and set(policy.strength) == {"games", "among_random", "at_least"}


def test_a_ladder_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(capsys, "ladder", "goofspiel/short", "--types", "random,greedy", "--players", "2", "--most", "40")
    assert ch.load("goofspiel/short", 2).ladder(["random", "greedy"], most=40).as_json() == told


def test_a_comparison_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "goofspiel", "goofspiel/lowest_bid", "--players", "2", "--most", "2000", "--seed", "4"]
    found = ch.compare("goofspiel", "goofspiel/lowest_bid", players=2, most=2000, seed=4)
    assert found.as_json() == printed(capsys, *words)
    assert {row["figure"] for row in found.rows} >= {"rounds", "score"}
    assert all(row["low"] <= row["high"] and row["verdict"] for row in found.rows)
    assert found.markdown().startswith("## goofspiel/lowest")


def test_transcripts_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "simulate goofspiel/short --players random,random --games 3 --seed 1 --transcripts games.jsonl"
    assert cli.main(words.split()) == 0
    found = ch.replay("games.jsonl", number=2)
    assert found.ok and found.games == 3 and found.rows == []
    assert found.reached is not None and found.reached.is_over
    lines = Path("games.jsonl").read_text().splitlines()
    Path("games.jsonl").write_text("\n".join([lines[0], *lines[2:]]) + "\n")
    wrong = ch.replay("games.jsonl")
    assert not wrong.ok and "pending is" in wrong.rows[0]["message"]
    with pytest.raises(ch.ChocolatlError, match="missing"):
        ch.replay("missing.jsonl")


def test_positions_are_played_through_as_files_write_them() -> None:
    game = ch.load("kuhn_poker", ["ann", "bob"])
    position = game.deal(seed=1)
    seen = 0
    while not position.is_over:
        (asked,) = position.choices
        assert asked.count == len(asked.legal) and asked.name in repr(position)
        assert game.view(position, asked.player) == position.view(asked.player)
        before = position.text()
        position, earlier = position.answer(asked.player, asked.legal[-1], seed=seen), position
        assert earlier.text() == before
        seen += 1
    assert seen >= 2 and position.winners and sum(position.scores.values()) == 0
    assert "over" in repr(position)


def test_files_are_checked_and_scenarios_run() -> None:
    game = ch.load("goofspiel", 2)
    assert game.check() == []
    outcomes = game.test()
    assert len(outcomes) > 5 and all(outcome.ok for outcome in outcomes)
    assert len(game.test(only="shared")) < len(outcomes)


def test_a_game_may_be_made_of_texts() -> None:
    place = rules_folder() / "goofspiel"
    texts = {name: (place / name).read_text(encoding="utf-8") for name in ("game.yaml", "goofspiel.rules")}
    own = ch.load(texts, players=2)
    assert own.rules_hash == ch.load("goofspiel", 2).rules_hash
    assert own.simulate(games=20, seed=1).rows == ch.load("goofspiel", 2).simulate(games=20, seed=1).rows


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda game: ch.load("gofspiel", 2), "there is no game `gofspiel`"),
        (lambda game: ch.load("goofspiel/shrot", 2), "did you mean `short`"),
        (lambda game: ch.load("goofspiel", 9), "goofspiel is for 2 to 4 players, not 9"),
        (lambda game: ch.load("goofspiel", ["a", "a"]), "two players are called `a`"),
        (lambda game: ch.load("goofspiel", "ab"), "players are a number or a list of names"),
        (lambda game: ch.load({"game.yaml": ""}, 2), "one rule file"),
        (lambda game: ch.load({"game.yaml": "", "../x.rules": ""}, 2), "`../x.rules` is no name of a file"),
        (lambda game: game.deal(seed=1, to_round=0), "to_round is 0, and rounds count from 1"),
        (lambda game: game.deal(seed=1, to_round=99), "comes to no decision in a round 99"),
        (lambda game: game.read("missing.yaml"), "missing.yaml"),
        (lambda game: game.view(game.deal(seed=1), "ann"), "there is no player `ann` (they are: p1, p2)"),
        (lambda game: game.deal(seed=1).answer("p1", "x"), "`bid`: 'x' is not a card"),
        (lambda game: game.solve(game.deal(seed=1), "p3"), "there is no player `p3`"),
        (lambda game: game.solve(game.deal(seed=1).answer("p1", 1), "p1"), "p1 has nothing to decide"),
        (lambda game: game.solve(game.deal(seed=1), "p1", against="nobody"), "there is no file `nobody`"),
        (lambda game: game.solve(game.deal(seed=1), "p1", horizon="near"), "horizon is round or far; found 'near'"),
        (lambda game: game.solve(game.deal(seed=1), "p1", valuation="missing.yaml"), "missing.yaml"),
        (lambda game: game.simulate(["random"]), "needs 2 types of players, not 1"),
        (lambda game: game.simulate(["random", "you"]), "there is no type of player `you`"),
        (lambda game: game.ladder(["random", "random"]), "types that differ"),
        (lambda game: ch.compare("goofspiel", "gofspiel"), "there is no game `gofspiel`"),
        (lambda game: ch.compare("goofspiel", "goofspiel", smallest={"scores": 1}), "there is no figure scores"),
        (lambda game: game.train(updates=1, minutes=1), "one of them is enough"),
        (lambda game: game.simulate(games=0), "at least 1 game is played"),
    ],
)
def test_what_is_wrong_is_one_sentence(wrong: Callable[[ch.BoardGame], object], message: str, folder: Path) -> None:
    with pytest.raises(ch.ChocolatlError) as told:
        wrong(ch.load("goofspiel/short", 2))
    assert message in str(told.value) and "\n" not in str(told.value)


def test_parameters_may_be_set(folder: Path) -> None:
    """As a variant sets them, in everything that is done with the game."""
    Path("mine").mkdir()
    for name in ("game.yaml", "blotto.rules"):
        Path("mine", name).write_text((rules_folder() / "blotto" / name).read_text(encoding="utf-8"))
    Path("mine").rename("blotto")
    Path("blotto/variants").mkdir()
    text = "kind: variant\nformat: 1\nextends: blotto\ntitle: Small\nset: {coins: 4, fields: 2}\n"
    Path("blotto/variants/small.yaml").write_text(text)
    own, its = ch.load("blotto", 2, set={"coins": 4, "fields": 2}), ch.load("blotto/variants/small.yaml", 2)
    assert own.rules_hash == its.rules_hash != ch.load("blotto", 2).rules_hash
    assert own.deal(seed=1).choices[0].count == 5
    assert own.simulate(games=30).rows == its.simulate(games=30).rows
    types = ["random", "greedy"]
    assert own.ladder(types, most=20).as_json()["meetings"] == its.ladder(types, most=20).as_json()["meetings"]
    with pytest.raises(ch.ChocolatlError, match="coins"):
        ch.load("blotto", 2, set={"coins": 0})
    with pytest.raises(ch.ChocolatlError, match="did you mean `coins`"):
        ch.load("blotto", 2, set={"coin": 3})


def test_an_illegal_answer_names_legal_ones() -> None:
    after = ch.load("goofspiel/short", 2).deal(seed=1).answer("p1", 1).answer("p2", 2)
    with pytest.raises(ch.ChocolatlError, match=r"`bid`: 1 is not legal here; legal: 2, 3"):
        after.answer("p1", 1)


def test_findings_come_with_the_error() -> None:
    with pytest.raises(ch.ChocolatlError) as told:
        ch.load({"game.yaml": "kind: game\nformat: 1\n", "a.rules": "language 1\n"}, 2)
    assert {finding.severity for finding in told.value.findings} == {"error"}


def test_a_wish_that_no_question_has_is_named() -> None:
    game = ch.load("goofspiel/short", 2)
    with pytest.raises(TypeError, match="a question has no `scenario`"):
        game.solve(game.deal(seed=1), "p1", scenario=3)


def test_whoever_watches_can_end_it() -> None:
    """What a callback raises comes out as it is."""
    game, seen = ch.load("goofspiel", 2), list[int]()

    def watch(played: int) -> None:
        seen.append(played)
        if sum(seen) > 3:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        game.simulate(["greedy", "greedy"], games=10_000, progress=watch)
    assert sum(seen) < 10_000


class Ten(Rowed):
    @property
    def rows(self) -> list[dict[str, Any]]:
        return [{"number": number, "square": number**2} for number in range(10)]


def test_rows_become_tables_where_there_is_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Ten().to_pandas()
    assert list(made["square"]) == [row["square"] for row in Ten().rows]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ch.ChocolatlError, match="polars is not installed"):
        Ten().to_polars()


def test_it_is_imported_when_it_is_asked_for() -> None:
    told = "import sys, chocolatl; print(len([name for name in sys.modules if name.startswith('chocolatl')]))"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
    assert {"load", "replay", "compare", "BoardGame", "ChocolatlError", "TablePosition"} <= set(dir(ch))
    with pytest.raises(AttributeError, match="no attribute `laod`"):
        ch.laod  # noqa: B018
