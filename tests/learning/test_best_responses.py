"""How much weights can be exploited: what is recorded, whether a recipe counts, and where it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.formats.policy_file import load_sections, write_section
from chocolatl.interpreter.formats.policy_weights import weights_section
from chocolatl.interpreter.learning.best_responses import ResponseMeasure, ResponseRecipe, does_count, recipe_for
from chocolatl.interpreter.learning.tracing import tracer_of
from chocolatl.interpreter.policy.weights import uniform_weights
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, wilson
from chocolatl.interpreter.terminal.reports.policies import UNMEASURED, exploited
from tests.learning.learners import learner_of

RECIPE = ResponseRecipe(updates=3, responses=2, games=40, fresh=90)


def test_the_best_of_some_responses_is_recorded_and_any_number_of_threads_finds_it() -> None:
    game, form, scales = learner_of("blotto")
    trace = tracer_of(game, form)
    told: list[str] = []
    sections = [
        ResponseMeasure(
            uniform_weights(form, scales), 2, RECIPE, trace, jobs, lambda news: told.append(news.text)
        ).section()
        for jobs in (1, 2)
    ]
    assert sections[0] == sections[1]
    found = sections[0]
    assert found["share"][0] == max(found["responses"]) and len(found["responses"]) == 2
    assert found["share"][1] < found["share"][0] < found["share"][2]
    assert found["recipe"]["fresh"] == 90 and not found["counts"]
    assert {text.partition(",")[0] for text in told} == {
        "best response 1 of 2", "best response 2 of 2", "the same against random players",
        "the same against plain self-play", "plain self-play",
    }  # fmt: skip


def test_a_recipe_is_tried_until_it_wins_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best of several counts where a recipe has to win, too: one may get stuck. A second one is not needed where
    the first wins enough."""
    game, form, scales = learner_of("blotto")
    weights, seeds = uniform_weights(form, scales), list[int]()

    def response(self: ResponseMeasure, fixed: object, number: int, called: str) -> ConfidenceInterval:
        seeds.append(number)
        return wilson({2: 9_950, 3: 6_000, 13: 9_400}.get(number, 5_000), 10_000)

    monkeypatch.setattr(ResponseMeasure, "response", response)
    monkeypatch.setattr(ResponseMeasure, "self_play", lambda self: weights)
    found = ResponseMeasure(weights, 2, RECIPE, tracer_of(game, form), 1, lambda news: None).section()
    assert seeds == [0, 1, 2, 3, 13] and found["counts"]
    assert (found["among_random"][0], found["among_self_play"][0]) == (9_950, 9_400)


@pytest.mark.parametrize(
    ("random", "self_play", "counts"), [(9_900, 9_200, True), (9_810, 9_200, False), (9_900, 9_030, False)]
)
def test_a_recipe_counts_if_it_surely_beats_what_is_easy_to_beat(random: int, self_play: int, counts: bool) -> None:
    assert does_count(wilson(random, 10_000), wilson(self_play, 10_000)) == counts


def test_a_response_learns_no_less_than_the_policy_did() -> None:
    assert recipe_for({"recipe": {"updates": 700}}).updates == 700
    assert recipe_for({"recipe": {"updates": 3}}).updates >= 150
    seeds = {recipe_for({"recipe": {"updates": 3}}).training(number).seed for number in range(6)}
    assert len(seeds) == 6


def test_what_was_measured_is_told_wherever_a_policy_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, form, scales = learner_of("blotto")
    plain = weights_section(uniform_weights(form, scales))
    section = {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **plain}
    assert exploited(section, 2) == [UNMEASURED]
    section["exploitability"] = {
        "share": [8_000, 7_900, 8_100], "responses": [8_000, 4_000], "among_random": [9_900, 9_850, 9_950],
        "among_self_play": [9_300, 9_250, 9_350], "counts": True, "curve": [[20, 9_000], [40, 8_500]],
    }  # fmt: skip
    first, second, third = exploited(section, 2)
    assert first.startswith("the best of 2 best responses wins 80.0 % (79.0 to 81.0) among 1 of it (fair: 50.0 %")
    assert second.endswith("among plain self-play") and third.endswith("90 % after 20, 85 % after 40 updates")
    write_section(tmp_path / "policy.yaml", game, section)
    assert cli.main(["check", str(tmp_path / "policy.yaml")]) == 0
    capsys.readouterr()


def test_a_policy_is_measured_in_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "policy.yaml"
    assert cli.main(["train", "kuhn_poker", "--updates", "20", "-o", str(file)]) == 0
    before = file.read_text(encoding="utf-8")
    capsys.readouterr()
    assert cli.main(["train", "--measure", str(file)]) == 0
    assert "best responses gain" in capsys.readouterr().out and file.read_text(encoding="utf-8") == before
    assert cli.main(["train", "--measure", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["policies"][0]["players"] == 2
    assert cli.main(["train", "--measure", str(file), "--players", "3"]) == 2
    assert "for 2 players, not for 3" in capsys.readouterr().err
    assert cli.main(["train", "--measure", str(tmp_path / "none.yaml")]) == 2
    assert cli.main(["train"]) == 2 and "a game is needed" in capsys.readouterr().err


def test_responses_learn_by_batches_as_large_as_those_of_the_policy(tmp_path: Path) -> None:
    file, (game, form, scales) = tmp_path / "policy.yaml", learner_of("kuhn_poker")
    weights = weights_section(uniform_weights(form, scales))
    recipe = {"method": "league", "updates": 5, "games": 60}
    write_section(file, game, {"rules": game.files.rules_hash, "recipe": recipe, **weights})
    assert cli.main(["train", "--measure", str(file), "--updates", "2"]) == 0
    section = load_sections(file, game)[3]
    assert section["recipe"] == recipe, "what was learned stays"
    measured = section["exploitability"]["recipe"]
    assert (measured["updates"], measured["games"], measured["fresh"]) == (2, 60, 10_000)
