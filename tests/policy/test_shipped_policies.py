"""The policies that are shipped: each fits its rules, and depends on nothing that its player may not know."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats.policy_file import load_sections
from chocolatl.interpreter.formats.policy_weights import section_weights
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players.tabular import TabularPolicy
from tests.conftest import Evidence
from tests.games import walk
from tests.policy.drawing import decided, form_of

SHIPPED = sorted(rules_folder().glob("*/policy.yaml"))


def distribution(game: Game, path: Path, position: Position, decision: Decision) -> object:
    """All that decides what is drawn."""
    section = load_sections(path, game)[game.player_count]
    assert section["rules"] == game.files.rules_hash, f"{path}: make it anew with `chocolatl train`"
    if "table" in section:
        return TabularPolicy.read(game, section["table"]).weights(position, decision)
    weights = section_weights(form_of(game), section)
    return [(draw.context, draw.multipliers, list(draw.odds)) for draw in decided(game, weights, position, decision, 1)]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_what_is_hidden_changes_nothing(path: Path, evidence: Evidence) -> None:
    first = load(path.parent, next(iter(sorted(counts(path)))))
    changed = 0
    for seed in evidence.cases("shipped policies among other secrets", full=300, slice=2):
        count = random.Random(seed).choice(sorted(counts(path)))
        game = load(first.files.path, count)
        asked = [(position, decision) for position in walk(game, seed) for decision in game.pending(position)]
        for position, decision in random.Random(seed).sample(asked, min(4, len(asked))):
            other = another_world(game, position, decision, [each for each, _ in asked], seed)
            if other is None:
                continue
            same = game.decision(other, decision.player)
            assert same is not None
            changed += 1
            assert distribution(game, path, position, decision) == distribution(game, path, other, same)
    assert changed, "something was hidden and became something else"


def another_world(
    game: Game, position: Position, decision: Decision, played: list[Position], seed: int
) -> Position | None:
    """One that the player cannot tell from this one: other things lie hidden, or others have gone on in secret."""
    for number in range(20):
        other = game.sample_unknown(position, decision.player, Random(seed + number))
        if other.slots != position.slots:
            return other
    seen = game.view(position, decision.player)
    for other in played:
        there = game.decision(other, decision.player)
        if (
            there is not None
            and other != position
            and (there.name, game.view(other, decision.player))
            == (
                decision.name,
                seen,
            )
        ):
            return other
    return None


def counts(path: Path) -> list[int]:
    """For how many players there is a section."""
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.policy_file import read_sections

    found = read_sections(path, path.parent.name, Findings())
    assert found
    return list(found)
