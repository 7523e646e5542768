"""Trainings that are interrupted and gone on with: the same numbers as without an interruption, and a clear refusal of
files that nothing can go on from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chocolatl import cli
from chocolatl.interpreter.learning import lessons, recipes
from chocolatl.interpreter.learning.lessons import Learned, Lesson, learn
from chocolatl.interpreter.learning.policy_training import PolicyTraining
from chocolatl.interpreter.learning.regrets import Regrets
from chocolatl.interpreter.learning.unfinished import DamagedTraining, Unfinished, read_unfinished, write_unfinished
from chocolatl.interpreter.play.game import Game
from tests.conftest import base_seed
from tests.shipped.test_openspiel import ours

UPDATES = 6


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches that take no time."""
    monkeypatch.setattr(lessons, "MEASURED", 40)
    monkeypatch.setattr(recipes, "MOST_GAMES", 40)
    monkeypatch.setattr(recipes, "LEAST_GAMES", 40)
    monkeypatch.setattr(recipes, "EXPLOITERS", 2)
    monkeypatch.setattr(recipes, "LEAST_EXPLOITING", 1)


def impatient(monkeypatch: pytest.MonkeyPatch, kind: type[Any], method: str, calls: int) -> None:
    """The user has had enough when something is done for so many times, in the middle of it."""
    original, left = getattr(kind, method), [calls]

    def interrupting(self: Any, *arguments: Any) -> Any:
        found = original(self, *arguments)
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(kind, method, interrupting)


def taught(game: Game, updates: int | None = UPDATES, unfinished: Unfinished | None = None, jobs: int = 1) -> Learned:
    return learn(Lesson(game, base_seed(), updates, None, jobs, None, unfinished), lambda news: None)


def test_who_goes_on_comes_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted twice, in an update and in an exploiter, written and read, by different numbers of threads."""
    game, file = ours("goofspiel", 3, cards=4), tmp_path / "training"
    whole, at = taught(game), 0
    unfinished = None
    for calls, jobs in ((4, 1), (5, 2)):
        with monkeypatch.context() as once:
            impatient(once, PolicyTraining, "improve", calls)
            part = taught(game, UPDATES if unfinished is None else None, unfinished, jobs)
        assert at < part.updates < UPDATES and part.unfinished is not None
        assert part.section["recipe"]["of"] == UPDATES and part.section["interrupted"]
        write_unfinished(file, part.unfinished)
        at, unfinished = part.updates, read_unfinished(file)
    rest = taught(game, None, unfinished)
    assert rest.section == whole.section and not rest.interrupted


def test_who_goes_on_comes_to_the_same_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = ours("kuhn_poker", 2)
    whole = taught(game, 60)
    with monkeypatch.context() as once:
        impatient(once, Regrets, "policy", 71)
        part = taught(game, 60)
    assert part.updates == 35 and part.unfinished is not None
    write_unfinished(tmp_path / "training", part.unfinished)
    assert taught(game, None, read_unfinished(tmp_path / "training")).section == whole.section


def test_a_training_of_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as once:
        impatient(once, PolicyTraining, "improve", 4)
        part = taught(ours("goofspiel", 3, cards=4)).unfinished
    assert part is not None
    with pytest.raises(DamagedTraining, match="other features"):
        taught(ours("goofspiel", 3, cards=5), None, part)


def test_what_was_begun_has_its_own_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And all else that is said of how much is learned."""
    train = ["train", "kuhn_poker", "--players", "2", "-o", str(tmp_path / "policy.yaml")]
    with monkeypatch.context() as once:
        impatient(once, Regrets, "policy", 71)
        assert cli.main([*train, "--updates", "60", "--seed", "9"]) == 130
    for option in ("--seed", "--updates", "--minutes"):
        assert cli.main([*train, "--resume", option, "1"]) == 2
        assert f"{option} does not go with it" in capsys.readouterr().err
    assert cli.main([*train, "--resume", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["seed"], told["updates"], told["interrupted"]) == (9, 60, False)


def some_training(monkeypatch: pytest.MonkeyPatch, path: Path) -> Game:
    game = ours("kuhn_poker", 2)
    with monkeypatch.context() as once:
        impatient(once, Regrets, "policy", 9)
        part = taught(game, 60).unfinished
    assert part is not None
    write_unfinished(path, part)
    return game


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_refused(data: st.DataObject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "training"
    if not path.exists():
        some_training(monkeypatch, path)
    whole = path.read_bytes()
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    damaged = whole[:start] + data.draw(st.binary(max_size=8)) + whole[end:]
    other = tmp_path / "other"
    other.write_bytes(damaged)
    try:
        found = read_unfinished(other)
        taught(ours("kuhn_poker", 2), None, found)
    except DamagedTraining as error:
        assert len(str(error)) < 400
