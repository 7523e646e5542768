"""Trainings that were interrupted: what is written of them, and how a lesson goes on from it (resumption).

Of a table it is what is regretted and what was played; of a league all that `chocolatl.interpreter.learning.resuming`
lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from chocolatl.interpreter.learning.unfinished import DamagedTraining, Unfinished, as_record
from chocolatl.interpreter.play.game import Game

if TYPE_CHECKING:
    from chocolatl.interpreter.learning.game_tree import GameTree, Reals
    from chocolatl.interpreter.learning.policy_training import Recipe
    from chocolatl.interpreter.learning.resuming import TrainingState
    from chocolatl.interpreter.policy.form import PolicyForm

REGRETS, LEAGUE = "regrets", "league"

MOST_UPDATES, MOST_BATCH = 10**9, 10**5

Curve = list[tuple[int, int]]
"""After how many updates an exploiter won how many ten-thousandths from the learner."""


class TableAt(Struct, frozen=True, forbid_unknown_fields=True):
    """How far a table is, and how far it should go: None is until it is good enough."""

    rounds: int
    of: int | None
    seed: int


class LeagueAt(Struct, frozen=True, forbid_unknown_fields=True):
    """How far a league is; `start` knows the weights that it went on from."""

    training: dict[str, Any]
    curve: list[tuple[int, int]]
    start: str | None


def check_unfinished(unfinished: Unfinished, game: Game) -> None:
    """Whether it is a training of this game; `DamagedTraining` says why not."""
    if unfinished.game != game.files.name:
        raise DamagedTraining(f"this is a training of `{unfinished.game[:40]}`, not of `{game.files.name}`")
    if unfinished.players != game.player_count:
        raise DamagedTraining(f"this is a training for {unfinished.players} players, not for {game.player_count}")
    if unfinished.rules != game.files.rules_hash:
        raise DamagedTraining("this training was begun with other rules")


# ---------------------------------------------------------------- tables


def table_left(game: Game, tree: GameTree, at: TableAt, arrays: Sequence[Reals]) -> Unfinished:
    files = game.files
    return Unfinished(
        files.name, files.rules_hash, game.player_count, str(tree.slots), REGRETS, {}, to_builtins(at), list(arrays)
    )


def table_at(unfinished: Unfinished, tree: GameTree) -> tuple[TableAt, Reals, Reals]:
    """How far it was, with what is regretted and what was played."""
    at = as_record(unfinished.at, TableAt)
    if [each.shape for each in unfinished.arrays] != [(tree.slots,)] * 2 or at.rounds < 0:
        raise DamagedTraining("this interrupted training is for another table")
    regrets, played = (each.astype(float) for each in unfinished.arrays)
    return at, regrets, played


# ---------------------------------------------------------------- leagues


def league_left(
    game: Game, form: PolicyForm, recipe: Recipe, state: TrainingState, curve: Curve, start: str | None
) -> Unfinished:
    from chocolatl.interpreter.learning.resuming import form_digest

    at = LeagueAt(state.builtins(), curve, start)
    return Unfinished(
        game.files.name, game.files.rules_hash, game.player_count, form_digest(form), LEAGUE, asdict(recipe),
        to_builtins(at), state.arrays,
    )  # fmt: skip


def league_at(unfinished: Unfinished, form: PolicyForm) -> tuple[LeagueAt, Recipe, TrainingState]:
    from chocolatl.interpreter.learning.policy_training import Recipe
    from chocolatl.interpreter.learning.resuming import form_digest, state_from

    if unfinished.form != form_digest(form):
        raise DamagedTraining("this interrupted training is for other features; another version has begun it")
    at = as_record(unfinished.at, LeagueAt)
    recipe = as_record(unfinished.recipe, Recipe)
    if not 0 < recipe.updates <= MOST_UPDATES or not 0 < recipe.games <= MOST_BATCH:
        raise DamagedTraining("this interrupted training has no sensible recipe")
    return at, recipe, state_from(at.training, unfinished.arrays)
