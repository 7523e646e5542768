"""What lies beside a cell: the quantities that a policy looks at are those that the rules have names for."""

from __future__ import annotations

import random

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.policy.form import Feature
from chocolatl.interpreter.policy.integers import MOST_TERMS
from chocolatl.interpreter.policy.quantities import Quantity, chosen
from chocolatl.interpreter.program.types import Scalar
from tests.conftest import Evidence, base_seed
from tests.games import Table, tables, walk
from tests.policy.drawing import form_of


def cacao() -> Game:
    shipped: list[Table] = [table for table in tables() if table.game == "cacao"]
    return random.Random(base_seed()).choice(shipped).load()


def feature(game: Game, name: str) -> Feature:
    return next(each for each in form_of(game).features if each.name == name)


def test_what_is_turned_to_a_cell_is_what_the_rules_say(evidence: Evidence) -> None:
    """`present` of the rules of Cacao counts the workers of a player beside a cell."""
    game = cacao()
    mine = feature(game, "filling: answer: my workers towards gap")
    others = feature(game, "filling: answer: others' workers towards gap")
    present = game.ir.values["present"]
    player, here = present.parameters
    asked = game.program.formulas((player, here), [present.body])
    told = game.program.formulas(mine.parameters, [mine.formula, others.formula])
    cell = [local.name for local in mine.parameters].index("gap")
    for seed in evidence.cases("neighbourhoods", full=100, slice=1):
        chooser = random.Random(seed)
        for position in chooser.sample(list(walk(game, seed)), 10):
            slots, at = position.slots, some_cell(game, chooser)
            counts = [asked(slots, seat, at)[0] for seat in range(game.player_count)]
            for seat in range(game.player_count):
                given = [0] * len(mine.parameters)
                given[0], given[cell] = seat, at
                assert list(told(slots, *given)) == [counts[seat], sum(counts) - counts[seat]]


def some_cell(game: Game, chooser: random.Random) -> int:
    """A cell that is not at the edge, near the middle, where something may lie."""
    grid = game.ir.domains["cell"]
    return grid.join([chooser.randint(-3, 3), chooser.randint(-3, 3)])


def test_at_the_edge_nothing_fails() -> None:
    game = cacao()
    grid = game.ir.domains["cell"]
    start = next(iter(walk(game, base_seed())))
    for each in form_of(game).sites:
        for term in form_of(game).tables[each.first].terms:
            formula = term.feature
            told = game.program.formulas(formula.parameters, [formula.formula])
            for corner in (0, grid.size - 1):
                given = [corner if is_cell(local) else lowest(local) for local in formula.parameters]
                assert len(told(start.slots, *given)) == 1


def is_cell(local: ir.Local) -> bool:
    return isinstance(local.type, Scalar) and local.type.family == "cell"


def lowest(local: ir.Local) -> int:
    assert isinstance(local.type, Scalar)
    return local.type.low


def test_where_there_is_little_room_what_says_most_stays() -> None:
    def quantity(name: str, rank: int) -> Quantity:
        formula = ir.Constant(form.game.score.span, Scalar("number", 0, 1), 0)
        return Quantity(name, formula, rank=rank)

    form = form_of(cacao())
    found = [quantity("late", 2), quantity("first", 0), quantity("second", 1), quantity("third", 1)]
    assert [each.name for each in chosen(found, 4)] == ["late", "first", "second", "third"]
    assert [each.name for each in chosen(found, 2)] == ["first", "second"]
    assert [each.name for each in chosen(found, 5, lambda each: 2)] == ["first", "second"]
    assert max(len(table.terms) for table in form.tables) <= MOST_TERMS
