"""Native code reaches nothing but what it is meant to reach, and the build that checks this finds every kind of error.

All loads and stores of whole and stepwise builds are checked against the field, the zone or the buffer that the emitter
says they are for. Errors are planted at the places that are checked: one element too far, one too near, one byte too
many. So each kind of memory is seen to be guarded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.native.builds.bounds_checks import guarded
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.trespass import Trespass
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.statements.events import write_event
from chocolatl.interpreter.native.emit.values_and_rankings.constant_tables import table_entry
from chocolatl.interpreter.native.emit.values_and_rankings.fields import cell_number
from chocolatl.interpreter.native.emit.values_and_rankings.loops import each_listed
from chocolatl.interpreter.native.emit.values_and_rankings.orders import places_at
from chocolatl.interpreter.native.emit.values_and_rankings.zones import kind_of
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.native.llvm.regions import Access, Region
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.conftest import Evidence, base_seed, scaled
from tests.engine.test_programs import CORPUS
from tests.fuzzing.batches import parts, tried, tried_part
from tests.fuzzing.comparing import GAMES
from tests.fuzzing.programs import generate, read_kept
from tests.fuzzing.tallies import Difference, Tally
from tests.games import tables, write_game
from tests.native.guarding import Checked, Planted, works
from tests.native.test_native import ODD, own_cache  # noqa: F401  # the latter is a fixture for all tests here

MEANT = "rules made at random reach only what they are meant to"
PROGRAMS, PARTS = 5_000, 5
SHIPPED = sorted({table.game for table in tables()})


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_game_reaches_only_what_it_is_meant_to(name: str, evidence: Evidence) -> None:
    own = [table for table in tables() if table.game == name]
    for table in own if scaled(full=1, slice=0) else own[:1]:
        checked = None
        for seed in evidence.cases(f"{name} reaches only what it is meant to", full=-(-300 // len(own)), slice=1):
            checked = checked or Checked(table.load(), seed)
            checked.play(seed, seed % 3)
        assert checked is not None
        checked.step(seed)


def small_games(folder: Path) -> Iterator[Callable[[], Game]]:
    """Every construct of the language, what is hard to come by, and what random programs have shown."""
    for path in files("good"):
        write(folder / path.stem / GAME, text_of(path))
        yield partial(load, folder / path.stem / GAME, 2)
    for number, (cards, rules) in enumerate(ODD.values()):
        yield partial(load, write_game(folder / str(number), rules, cards), 2)
    for path in CORPUS:
        _, program = read_kept(path.read_text(encoding="utf-8"))
        yield partial(load, program.write(folder / path.stem), program.players)


def test_so_does_every_construct_of_the_language(tmp_path: Path, evidence: Evidence) -> None:
    made = list(small_games(tmp_path))
    for number in range(0, len(made), scaled(full=1, slice=3)):
        place = (number + base_seed() % 3) % len(made)
        evidence.count("every construct reaches only what it is meant to")
        checked = Checked(made[place](), place)
        checked.play(base_seed(), 0)
        checked.step(base_seed())


def test_so_does_code_that_is_made_with_care() -> None:
    game = next(table for table in tables() if str(table) == "goofspiel-3").load()
    checked = Checked(game, 0, FAST)
    checked.play(1, 0)
    checked.step(1)


def reaches(seed: int, folder: Path, tally: Tally) -> None:
    """The program of a seed, in checked builds."""
    program = generate(seed)
    try:
        game = load(program.write(folder), program.players)
    except Rejected:
        return
    tally.add("programs")
    checked = Checked(game, seed)
    for work in (*(partial(checked.play, seed, index) for index in range(GAMES)), partial(checked.step, seed)):
        with suppress(Difference, RuleError):  # whether all go the same way, test_programs.py tells
            work()


def test_rules_made_at_random_reach_only_what_they_are_meant_to(evidence: Evidence) -> None:
    found = tried([*evidence.cases(MEANT, full=20, slice=4)], reaches)
    assert found.wrong == {} and found.counts["programs"] > 0


@pytest.mark.full_counts
@pytest.mark.parametrize("number", parts(MEANT, PARTS))
def test_so_do_all_of_a_part(number: int, evidence: Evidence) -> None:
    found = tried_part(evidence, MEANT, number, PARTS, PROGRAMS, reaches)
    assert found.wrong == {} and found.counts["programs"] > 0


# ---------------------------------------------------------------- planted errors


def test_an_error_of_each_kind_is_found(tmp_path: Path) -> None:
    planted = Planted()
    for work in works(tmp_path):
        work.do()  # without an error it says nothing
        planted.plant(work)
    assert {kind for kind, _ in planted.found} == set(Access)
    assert planted.reached <= planted.found
    # A check of the block that the state is would not have found these: they lie inside of it.
    assert planted.in_block >= {Access.HEAD, Access.NUMBER, Access.PLANE, Access.PLANE_ROW, Access.STREAM, Access.ZONE}


def test_an_address_that_nobody_has_explained_is_refused() -> None:
    text = "define internal void @f(i64 %at) {\n  %p = inttoptr i64 %at to ptr\n  store i64 0, ptr %p\n  ret void\n}\n"
    with pytest.raises(AssertionError, match="nobody says what %p in @f is meant for"):
        guarded(text, {})
    assert [check.kind for check in guarded(text, {"f": {"%p": Region(Access.REPORT, 8)}})[1]] == [Access.REPORT]


def one_more(function: Callable[..., str]) -> Callable[..., str]:
    """A number that the emitter computes, one too high."""
    return lambda context, *given: context.f.add(function(context, *given), "1")


def next_entry(function: Callable[..., str]) -> Callable[..., str]:
    return lambda context, values, position: function(context, values, context.f.add(position, "1"))


def one_too_far(function: Callable[..., Any]) -> Callable[..., Any]:
    """A list that is run through one element too far."""
    return lambda context, array, count, distinct: function(context, array, context.f.add(count, "1"), distinct)


def less_room(function: Callable[..., Any]) -> Callable[..., Any]:
    """An event with room for a value less."""
    return lambda context, stop, who, indices, room, put: function(context, stop, who, indices, room - 1, put)


def next_word(function: Callable[..., str]) -> Callable[..., str]:
    """An address one word further on, meant for the same."""

    def found(context: EmitContext, order: str, room: int) -> str:
        return context.f.element(function(context, order, room), "1")

    return found


MISTAKES: dict[str, tuple[str, Callable[..., Any], Callable[..., Any], set[Access]]] = {
    "the cell of a field": ("goofspiel-2", cell_number, one_more, {Access.NUMBER, Access.PLANE}),
    "the entry of a table": ("chocolatl-3", table_entry, next_entry, {Access.TABLE}),
    "the kind in a set": ("quetzal-2", kind_of, one_more, {Access.COUNT}),
    "the end of a list": ("cacao-2", each_listed, one_too_far, {Access.SHORT_SET}),
    "the places of an order": ("goofspiel-2", places_at, next_word, {Access.PLACES}),
    "the room of an event": ("goofspiel-2", write_event, less_room, {Access.EVENT}),
}
"""What the emitter may get wrong by one: a game in which it matters, the function, and what is reached beyond."""


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_of_the_emitter_is_found(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, function, mistake, kinds = MISTAKES[what]
    game = next(table for table in tables() if str(table) == name).load()
    wrong = mistake(function)
    for module in [each for each in sys.modules.values() if each.__name__.startswith("chocolatl.interpreter.native.")]:
        if vars(module).get(function.__name__) is function:
            monkeypatch.setattr(module, function.__name__, wrong)
    kernel = Kernel(game, QUICK, guarded=True, watched=True)
    with pytest.raises(Trespass) as found:
        for index in range(20):
            with suppress(RuleError):
                kernel.events(1, index)
    assert found.value.kind in kinds
