"""The shipped valuations tell what fresh games of learned players come to: how much of it, and as much as foretold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.data.load import load_document
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.valuation import FILE, PER_POINT, formulas_of, valuation_of
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.simulation.series import SeriesPlan
from chocolatl.interpreter.valuing.fitting import calibrated, explained
from chocolatl.interpreter.valuing.observations import ObservationPlan, Observations, observe
from chocolatl.solver.players import make_player
from tests.conftest import Evidence, base_seed, scaled
from tests.games import Table, tables

WITH_ROUNDS = {"chocolatl", "goofspiel", "quetzal"}
COUNTED = [table for table in tables() if table.game in WITH_ROUNDS and table.variant is None]
QUICK = "goofspiel-3"

Numbers = NDArray[Any]


def observed(game: Game, games: int) -> Observations:
    types = ("learned",) * game.player_count
    plan = SeriesPlan(game.files.path, game.players, types, base_seed(), make=make_player)
    return observe(ObservationPlan(plan, formulas_of(game.files.folder / FILE)), 0, games, 1)


def foretold(game: Game, seen: Observations) -> Iterator[tuple[Numbers, Numbers, Numbers]]:
    """By rounds left: what the file foretells, beside the mean; what came; and the games."""
    for left in sorted({int(left) for left in seen.left}):
        rows = seen.where(left)
        worth = rows.counts @ np.array([item.each(left) for item in valuation_of(game)]) / PER_POINT
        yield worth - worth.mean() + rows.points.mean(), rows.points, rows.games


def said(game: Game) -> float:
    """What part of what varies the file says it explains."""
    document = load_document(game.files.folder / FILE, "valuation", Findings())
    assert document is not None
    found = re.search(r"games with (.*?) players.*explains (.*?) of what varies", document.value["about"])
    assert found is not None
    counts, parts = (re.findall(r"\d+", text) for text in found.groups())
    return int(parts[counts.index(str(game.player_count))]) / 100


def test_every_shipped_game_with_rounds_has_a_valuation_that_comes_from_learned_players() -> None:
    assert {name for name in games_in(rules_folder()) if (rules_folder() / name / FILE).exists()} == WITH_ROUNDS
    for name in games_in(rules_folder()):
        table = next(table for table in tables() if table.game == name)
        assert table.load().has_rounds == (name in WITH_ROUNDS)
    for table in COUNTED:
        assert said(table.load()) > 0


@pytest.mark.parametrize("table", COUNTED, ids=str)
def test_a_shipped_valuation_tells_what_fresh_games_come_to(table: Table, evidence: Evidence) -> None:
    games = scaled(full=200, slice=60 if str(table) == QUICK else 0)
    evidence.record(f"{table}: its valuation explains fresh games as it says, and is calibrated", games)
    if games:
        game = table.load()
        told, came, which = zip(*foretold(game, observed(game, games)), strict=True)
        assert abs(explained(told, came) - said(game)) < (0.08 if games == 200 else 0.2)
        bins = calibrated(np.concatenate(told), np.concatenate(came), np.concatenate(which))
        means = [each.came.mean for each in bins if each.came.mean is not None]
        missed = [abs(each.foretold - mean) for each, mean in zip(bins, means, strict=True)]
        assert sum(missed) / len(missed) < 0.1 * (max(means) - min(means)), "what was foretold beside what came"
