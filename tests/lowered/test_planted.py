"""A wrong rule of what is made for all back ends at once is found: it is planted, and something goes another way.

Folding is shared by the interpreter and native code, what the translation settles by all there is. So programs that
fold nothing, and formulas of which nothing can be settled, are compared with the others, on every game and on random
programs; here is shown that this sees an error in every function and branch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from chocolatl.interpreter.analysis.pipeline import compile_game
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.engine.compile import ExecutableGame
from chocolatl.interpreter.ir import ranges, sizes
from chocolatl.interpreter.ir.operations import ComparisonOperator, Operation
from chocolatl.interpreter.ir.validate import InvalidIR
from chocolatl.interpreter.lowered import fold
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.program import constants
from tests.conftest import ROOT
from tests.fuzzing.literally import course, literal, same_course
from tests.games import write_game
from tests.lowered import planted_settling
from tests.lowered.planted_folding import HARMLESS, PLANTED, RULES, TABLES
from tests.lowered.planting import Mutant, asking, planted, untouched


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
                found = course(Game(game.files, game.ir, ExecutableGame(game.ir), game.players), 1)
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
        ExecutableGame(game.ir, literal=True)
        with pytest.raises(AssertionError):
            ExecutableGame(game.ir)


# ---------------------------------------------------------------- what the translation settles


class Settled:
    """What a statement comes to: written openly, which is right, and written so that much of it can be settled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, GameFiles] = {}
        self.right: dict[str, object] = {}

    def expected(self, statement: str) -> object:
        if statement not in self.right:
            self.right[statement] = come_of(self.read(statement, settled=False))
            assert self.found(statement) == self.right[statement], statement
        return self.right[statement]

    def found(self, statement: str) -> object:
        if statement not in self.files:
            self.files[statement] = self.read(statement, settled=True)
        return come_of(self.files[statement])

    def read(self, statement: str, settled: bool) -> GameFiles:
        place = self.folder / f"{len(self.files)}{settled}"
        rules = planted_settling.rules(statement, settled)
        files = load_game(write_game(place, rules, more=planted_settling.TABLES), Findings())
        assert files is not None, rules
        return files

    def overlooks(self, statement: str, planting: AbstractContextManager[object]) -> bool:
        expected = self.expected(statement)
        with planting:
            try:
                return self.found(statement) == expected
            except (ArithmeticError, InvalidIR):
                return False


def come_of(files: GameFiles) -> object:
    """What a statement makes of `found` and of the points, or how it fails, perhaps at once."""
    findings = Findings()
    code = compile_game(files, 2, findings)
    if code is None:
        return findings.items[0].message
    game = Game(files, code, ExecutableGame(code), ("one", "two"))
    try:
        position = game.initial()
    except RuleError as error:
        return error.message
    return position.slots[game.program.layout.places[None, "found"].base], game.result(position)


def test_an_error_in_what_is_settled_is_found(tmp_path: Path) -> None:
    settled = Settled(tmp_path)
    overlooked = [
        str(mutant)
        for module, mutants in planted_settling.PLANTED.items()
        for mutant in mutants
        if settled.overlooks(mutant.shown_by, planted(module, mutant))
    ]
    assert overlooked == []


def wrong_operations() -> Iterator[tuple[Operation, str, Callable[..., object], str]]:
    """Each of them with what is wrong with it, and with a statement that shows it."""
    for operator, (plain, narrow) in planted_settling.ARITHMETIC.items():
        yield operator, "apply", lambda a, b, right=operator.apply: right(a, b) + 1, f"found becomes {plain}"
        yield operator, "interval", lambda a, b: (0, 0), f"found becomes {narrow}"
    for comparison in ComparisonOperator:
        for part, formula in (("apply", f"{{7}} {comparison.word} {{2}}"), ("decided", f"top {comparison.word} below")):
            right = getattr(comparison, part)
            yield comparison, part, lambda a, b, right=right: not right(a, b), f"found becomes 1 if {formula} else 0"
    for kind, shown_by in planted_settling.AGGREGATES.items():
        if shown_by is not None:
            yield kind, "interval", lambda body, most: (0, 0), f"found becomes {shown_by}"


def test_so_is_an_error_in_an_operator(tmp_path: Path) -> None:
    settled = Settled(tmp_path)
    overlooked = []
    for operation, part, wrong, statement in wrong_operations():
        settled.expected(statement)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(operation, part, wrong)
            if settled.overlooks(statement, nullcontext()):
                overlooked.append(f"{operation!r} {part}")
    assert overlooked == []


def test_so_is_an_error_in_constant_formulas(tmp_path: Path) -> None:
    """What a field begins with is compared with what a statement makes of the same formula."""
    overlooked = []
    for number, mutant in enumerate(planted_settling.CONSTANTS):
        rules = planted_settling.rules(f"found becomes {mutant.shown_by}", settled=True, start=mutant.shown_by)
        files = load_game(write_game(tmp_path / str(number), rules, more=planted_settling.TABLES), Findings())
        assert files is not None and begins_alike(files)
        with planted(constants, mutant):
            try:
                overlooked += [str(mutant)] if begins_alike(files) else []
            except ZeroDivisionError:
                continue
    assert overlooked == []


def begins_alike(files: GameFiles) -> bool:
    """Whether two fields hold the same, one from the beginning; or one is refused as the other one is."""
    findings = Findings()
    code = compile_game(files, 2, findings)
    if code is None:
        return len({finding.message for finding in findings.items}) == 1 and len(findings.items) == 2
    program = ExecutableGame(code)
    game = Game(files, code, program, ("one", "two"))
    slots = game.initial().slots
    return slots[program.layout.places[None, "begun"].base] == slots[program.layout.places[None, "found"].base]


def test_one_is_planted_in_every_rule_that_settles() -> None:
    """In all of the ranges and sizes, and wherever the translation asks whether something is a constant."""
    tables = planted_settling.PLANTED
    left = [
        f"{module.__name__.split('.')[-1]}.{name}"
        for module in (ranges, sizes)
        for name in untouched(module, tables[module])
    ]
    rooms = [ROOT / "interpreter" / room for room in ("ir", "translate", "analysis")]
    for path in sorted((path for room in rooms for path in room.glob("[!_]*.py")), key=lambda path: path.stem):
        module = import_module(f"chocolatl.interpreter.{path.parent.name}.{path.stem}")
        known = {mutant.function for mutant in tables.get(module, ())}
        left += [f"{path.stem}.{name}" for name in asking(module, "ir.Constant") if name not in known]
    assert left == list(planted_settling.HARMLESS)
