"""Each pass of native code can be switched off, and games go the same way without it.

What a pass is and when it applies stands in `chocolatl.interpreter.native.builds.passes`. Here each is switched off in
a game to whose code it makes a difference; for the evidence, in all of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import astuple
from functools import cache, partial
from types import ModuleType
from typing import Any

import pytest

from chocolatl.interpreter import native
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.module import whole_games
from chocolatl.interpreter.native.builds.passes import PASSES, PLANES
from chocolatl.interpreter.native.builds.stepper import Stepper
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.vector import statements
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from tests.conftest import ROOT, base_seed, scaled
from tests.fuzzing.comparing import by_interpreter, by_kernel, by_stepper, played_out
from tests.fuzzing.programs import generate
from tests.fuzzing.tallies import outcome, without_invariants
from tests.games import tables
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here
from tests.project.test_architecture import imported, module_name, product_files

COUNTING = "+avx512vl,+avx512vpopcntdq"
"""A processor on which all passes apply; code is only written for it, not run."""

PROGRAMS = range(40) if scaled(full=1, slice=0) else (19, 22, 24, 34, 20, 37, 39)
"""Seeds of rules made at random in which there is something for each pass."""

FEWEST = [table for table in tables() if (table.game, table.variant, table.players - 1) not in map(astuple, tables())]
SHIPPED = (
    FEWEST if scaled(full=1, slice=0) else [each for each in FEWEST if str(each) in ("goofspiel-2", "chocolatl-3")]
)
GAMES = scaled(full=5, slice=2)
NAMES = [each.name for each in PASSES]


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[Game]:
    folder = tmp_path_factory.mktemp("programs")
    programs = [(generate(seed), folder / str(seed)) for seed in PROGRAMS]
    made = [load(program.write(place), program.players) for program, place in programs]
    return [without_invariants(game) for game in [*made, *(table.load() for table in SHIPPED)]]


def text(game: Game, *without: str) -> str:
    return whole_games(game.ir, COUNTING, without=without).text


usual = cache(text)


@cache
def expected(game: Game, play: Callable[..., object], index: int) -> object:
    return outcome(partial(play, game, base_seed(), index))


def affected(games: list[Game], name: str) -> Iterator[Game]:
    """The games to whose code a pass makes a difference."""
    return (game for game in games if text(game, name) != usual(game))


@pytest.mark.parametrize("name", NAMES)
def test_games_go_the_same_way_without_a_pass(name: str, games: list[Game]) -> None:
    chosen = affected(games, name)
    tried = list(chosen) if scaled(full=1, slice=0) else [next(chosen)]
    assert tried
    for game in tried:
        kernel = Kernel(game, QUICK, without=[name])
        for index in range(GAMES):
            assert outcome(partial(by_kernel, kernel, base_seed(), index)) == expected(game, by_interpreter, index)


def test_and_without_all_of_them(games: list[Game]) -> None:
    for game in games if scaled(full=1, slice=0) else games[:2]:
        kernel, stepper = Kernel(game, QUICK, without=NAMES), Stepper(game, QUICK, without=NAMES)
        for index in range(GAMES):
            assert outcome(partial(by_kernel, kernel, base_seed(), index)) == expected(game, by_interpreter, index)
            assert outcome(partial(by_stepper, stepper, base_seed(), index)) == expected(game, played_out, index)


def test_a_pass_that_there_is_not_is_refused(games: list[Game]) -> None:
    with pytest.raises(ValueError, match="there is no pass 'sorting'; there are: bit planes, "):
        whole_games(games[0].ir, "", without=["sorting"])


# ---------------------------------------------------------------- the list


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(native.__path__, f"{native.__name__}."):
        yield importlib.import_module(found.name)


def test_every_pass_is_listed_and_says_when_it_applies() -> None:
    defined = {each for module in modules() for each in vars(module).values() if isinstance(each, Pass)}
    assert defined == set(PASSES)
    assert len(set(NAMES)) == len(PASSES)
    for each in PASSES:
        assert each.name.islower() and each.applies[0].isupper() and each.applies.endswith("."), each.name
        assert each.functions or each is PLANES, f"nothing asks whether {each.name} is switched on"


def outsiders(files: dict[str, str]) -> Iterator[str]:
    """What is used of the vectorised code from outside of its room, features of policies left out, which are formulas
    but no part of the rules."""
    room = "chocolatl.interpreter.native.vector"
    for path, text in files.items():
        if room in text and not module_name(path).startswith((room, "chocolatl.interpreter.native.policy.lanes")):
            yield from (name for _, name in imported(path, text) if name.startswith(f"{room}."))


def test_vectorised_code_is_reached_only_through_passes() -> None:
    """The texts of procedures that all players go through at once are of those that a pass has asked for."""
    files, asked_for = product_files(), statements.vector_procedure_texts
    used = [found_in(name) for name in outsiders(files)]
    assert asked_for in used
    switched = [function for each in PASSES for function in each.functions]
    wrong = [each for each in used if each is not asked_for and not isinstance(each, Pass) and each not in switched]
    assert wrong == []
    planted = "from chocolatl.interpreter.native.vector.statements import emit_vector_block\n"
    files["interpreter/native/builds/planted.py"] = planted
    assert statements.emit_vector_block in [found_in(name) for name in outsiders(files)]


def found_in(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def test_the_page_has_all_of_them() -> None:
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    table = page.partition("| pass | when it applies |\n|---|---|\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [f"| {each.name} | {each.applies} |" for each in PASSES]
