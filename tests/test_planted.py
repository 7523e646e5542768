"""A wrong rule of what is made for all back ends at once is found: it is planted, and something goes another way.

Folding is shared by the interpreter and native code, what the translation settles by all there is. So programs that
fold nothing, and formulas of which nothing can be settled, are compared with the others, on every game and on random
programs; here is shown that this sees an error in every function and branch.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from interpreter.engine import fold
from interpreter.engine.compile import Program
from interpreter.game import Game
from interpreter.library import load
from tests.fuzzing.literally import course, literal, same_course
from tests.games import write_game
from tests.planted_folding import HARMLESS, PLANTED, RULES, TABLES
from tests.planting import Mutant, planted, untouched


@pytest.mark.parametrize("module", PLANTED, ids=lambda module: module.__name__.split(".")[-1])
def test_an_error_in_a_rule_of_folding_is_found(module: ModuleType, tmp_path: Path) -> None:
    games: dict[str, tuple[Game, list[object]]] = {}
    overlooked = []
    for mutant in PLANTED[module]:
        if mutant.shown_by not in games:
            game = load(write_game(tmp_path / str(len(games)), RULES.format(mutant.shown_by), more=TABLES), 2)
            games[mutant.shown_by] = game, course(literal(game), 1)
            same_course(mutant.shown_by, course(game, 1), games[mutant.shown_by][1])
        game, expected = games[mutant.shown_by]
        with planted(module, mutant):
            try:
                found = course(Game(game.files, game.ir, Program(game.ir), game.players), 1)
            except Exception:  # it makes no program at all, or one that breaks
                continue
        if found == expected:
            overlooked.append(str(mutant))
    assert overlooked == []


@pytest.mark.parametrize("module", PLANTED, ids=lambda module: module.__name__.split(".")[-1])
def test_one_is_planted_in_every_function_and_branch(module: ModuleType) -> None:
    assert untouched(module, PLANTED[module]) == list(HARMLESS[module])


def test_a_literal_program_folds_nothing(tmp_path: Path) -> None:
    """Or else there would be nothing to compare with."""
    game = load(write_game(tmp_path, RULES.format("found becomes sum of twice(n) for n in 1..3"), more=TABLES), 2)
    breaking = Mutant("Folder._fold", "match e:", "raise AssertionError\n        match e:", "")
    with planted(fold, breaking):
        Program(game.ir, literal=True)
        with pytest.raises(AssertionError):
            Program(game.ir)
