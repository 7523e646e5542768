"""The player's own idea: a part of the choices is enough, and the solver finds the best rest."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import SolverQuestion, advise
from chocolatl.solver.methods import completing
from chocolatl.solver.methods.best import formulate
from chocolatl.solver.methods.completing import CompletedIdea
from chocolatl.solver.worth.playout import named
from chocolatl.solver.worth.proposed_answers import has, proposal_of
from chocolatl.solver.worth.refusals import NoAnswer
from chocolatl.solver.worth.scenarios import scenarios
from tests.conftest import Evidence
from tests.games import HALF_OPEN, loaded, write_game
from tests.solver.solving import Answers, allocations, dealt, worth

ASKED_PERHAPS = """
item won

each player has
    score : 0..99 = 0
    bid   : 0..9 = 0
    more  : 0..9 = 0

play
    every player p secretly
        p chooses p.bid from 0..9
        if p.bid > 4
            p chooses p.more from 10 - p.bid..p.bid
    for each p in player
        p gains 20 - p.bid + p.more score for won
"""


def completed_by_model(game: Game, position: Position, idea: list[tuple[str, object]], seed: int = 0) -> CompletedIdea:
    drawn = scenarios(game, position, 0, "random", 3, seed)
    found = completing.by_model(formulate(game, 0, drawn), proposal_of(game, position, 0, idea), Deadline(60.0))
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["blotto", "chocolatl/variants/three_locations.yaml", "goofspiel"])
def test_no_rest_is_better_than_the_one_that_is_found(name: str, evidence: Evidence) -> None:
    """Beside all answers that have what is given, each played."""
    game = loaded(rules_folder() / name, 3)
    for seed in evidence.cases(f"the rest of an idea, {name}", full=20, slice=1):
        choice = random.Random(seed)
        position = dealt(game, seed) or game.initial()
        every = list(allocations(game, position, 0))
        whole = named(game, position, 0, choice.choice(every))
        idea = choice.sample(whole, choice.randrange(1, len(whole))) if len(whole) > 1 else list(whole)
        proposal = proposal_of(game, position, 0, idea)
        found = completed_by_model(game, position, idea, seed)
        drawn = scenarios(game, position, 0, "random", 3, seed)
        fitting = [answers for answers in every if has(game, position, 0, answers, proposal.given)]
        some = choice.sample(fitting, min(len(fitting), 60))
        assert has(game, position, 0, found.answers, proposal.given) and found.status == "optimal"
        assert worth(game, drawn, 0, tuple(found.answers)) >= max(worth(game, drawn, 0, each) for each in some)


def blotto() -> tuple[Game, Position]:
    game = loaded(rules_folder() / "blotto", 2)
    return game, game.initial()


@pytest.mark.parametrize("engine", ["auto", "model", "enumeration", "sampling", "exact"])
def test_every_engine_finds_a_rest(engine: str) -> None:
    game, position = blotto()
    question = SolverQuestion(scenarios=4, samples=20, engine=engine, idea=(("troops[2]", 6),), seconds=30)
    found = advise(game, position, 0, question)
    assert found.compared is not None and found.idea is not None
    assert found.idea.given == ("troops[2]",)
    assert found.idea.status == ("feasible" if engine == "sampling" else "optimal")
    assert dict(found.compared.choices)["troops[2]"] == 6
    assert sum(value for _, value in found.compared.choices if isinstance(value, int)) == 10


def test_a_whole_idea_is_taken_as_it_is() -> None:
    game, position = blotto()
    idea = tuple((f"troops[{field}]", value) for field, value in ((3, 10), (1, 0), (2, 0)))
    found = advise(game, position, 0, SolverQuestion(scenarios=4, samples=20, idea=idea))
    assert found.compared is not None and found.compared.answers == (0, 0, 10)
    assert found.idea == CompletedIdea((0, 0, 10), ("troops[1]", "troops[2]", "troops[3]"), None)


def test_the_rest_goes_with_what_is_decided_later(tmp_path: Path) -> None:
    """Of a half-open round the first cards are sought; without a model of all of it they are drawn."""
    game = load(write_game(tmp_path, HALF_OPEN, cards="{value: 1..4}"), 2)
    for engine in ("model", "sampling", "exact"):
        question = SolverQuestion(scenarios=2, samples=4, engine=engine, idea=(("first_card[right]", [1]),), seconds=20)
        found = advise(game, game.initial(), 0, question)
        assert found.compared is not None and dict(found.compared.choices)["first_card[right]"] == [1]
        assert dict(found.compared.choices)["first_card[left]"] != [1]


@pytest.mark.parametrize(("more", "bid"), [(9, 9), (6, 6), (1, 9)])
def test_what_is_asked_only_after_some_answers_can_be_given(more: int, bid: int, tmp_path: Path) -> None:
    """With the first one missing, which then has to be such that it is asked."""
    game = load(write_game(tmp_path, ASKED_PERHAPS), 2)
    question = SolverQuestion(scenarios=2, samples=4, idea=(("more", more),))
    found = advise(game, game.initial(), 0, question)
    assert found.compared is not None and found.compared.choices == (("bid", bid), ("more", more))


def test_pieces_that_are_given_for_later_are_spared() -> None:
    """Without a model: at random, the first locations would take them nearly always."""
    game = loaded(rules_folder() / "chocolatl", 3)
    position = dealt(game, 5)
    assert position is not None
    first: Answers = next(iter(allocations(game, position, 0)))
    last, pieces = named(game, position, 0, first)[-1]
    other, more = named(game, position, 0, first)[-2]
    idea = [(last, more), (other, pieces)]
    question = SolverQuestion(samples=4, engine="sampling", idea=tuple(idea), seconds=20)
    found = advise(game, position, 0, question)
    assert found.compared is not None
    assert {name: value for name, value in found.compared.choices if name in (last, other)} == dict(idea)


@pytest.mark.parametrize("typed", [[6, 5], "5 6", "6 5"])
def test_pieces_may_be_typed_as_they_are_shown(typed: object) -> None:
    game = loaded(rules_folder() / "chocolatl" / "variants" / "three_locations.yaml", 3)
    position = dealt(game, 1)
    assert position is not None
    given = proposal_of(game, position, 0, [("sealed[temple]", typed)]).given
    assert dict(given) == dict(proposal_of(game, position, 0, [("sealed[temple]", [5, 6])]).given)
    with pytest.raises(NoAnswer) as refused:
        proposal_of(game, position, 0, [("sealed[temple]", "5 x")])
    assert "`sealed[temple]`: 'x' is not a card" in refused.value.told(str)


@pytest.mark.parametrize(
    ("idea", "message"),
    [
        ([("troops[3]", 11)], "`troops[3]`: "),
        ([("troops[3]", "x")], "`troops[3]`: "),
        ([("troops[2]", 6), ("troops[3]", 5)], "nothing else can be answered so that this is legal"),
        ([("troups[3]", 5)], "p1 is not asked `troups[3]` here; did you mean `troops[3]`?"),
        ([("troops[1]", 5), ("bid", 5)], "p1 is not asked `bid` here"),
        ([("troops[1]", 5), ("troops[2]", 6)], "p1 cannot answer `troops[2]` with 6"),
    ],
)
def test_ideas_that_make_no_sense(idea: list[tuple[str, object]], message: str) -> None:
    game, position = blotto()
    with pytest.raises(NoAnswer) as refused:
        advise(game, position, 0, SolverQuestion(scenarios=2, samples=4, idea=tuple(idea)))
    assert message in refused.value.told(str)


def test_without_a_model_an_idea_that_nothing_goes_with_is_refused() -> None:
    game, position = blotto()
    question = SolverQuestion(samples=4, engine="sampling", idea=(("troops[2]", 6), ("troops[3]", 5)))
    with pytest.raises(NoAnswer) as refused:
        advise(game, position, 0, question)
    assert "in 2,000 tries no answer was found that has it" in refused.value.told(str)
