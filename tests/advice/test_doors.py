"""One question, one answer: a hint, `solve`, the `solver` player and a program ask the same, and are told the same."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from chocolatl.interpreter.commands import solve
from chocolatl.interpreter.commands.play import HINT, hint_question
from chocolatl.interpreter.commands.shared.question import check_budget, check_options
from chocolatl.interpreter.commands.solve_answer import asked_question, read_position
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.formats.position import LoadedPosition, dump_position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import advise, question_of
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.by_work import CUT
from chocolatl.solver.player import SolverPlayer
from chocolatl.solver.question import HorizonKind, SolverQuestion
from chocolatl.solver.worth.horizons import horizon_of
from chocolatl.solver.worth.refusals import NoAnswer
from tests.conftest import Evidence, scaled
from tests.games import loaded, tables, walk
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import dealt

GAMES = games_in(rules_folder())
WORK = 0.002


def a_game(name: str, seed: int) -> Game:
    """A shipped game, with any number of players."""
    counts = [table.players for table in tables() if (table.game, table.variant) == (name, None)]
    return loaded(rules_folder() / name, counts[seed % len(counts)])


@cache
def options(*words: str) -> argparse.Namespace:
    """What is given to `solve`, read as the command reads it."""
    parser = argparse.ArgumentParser()
    solve.configure(parser)
    arguments = parser.parse_args(["position.yaml", "--player", "p1", "--work", str(WORK), *words])
    check_options(arguments)
    check_budget(arguments)
    arguments.compare = []
    return arguments


def questions(game: Game, opened: LoadedPosition, horizon: HorizonKind) -> dict[str, SolverQuestion]:
    """The question as each door makes it."""
    return {
        "hint": hint_question(game, far=horizon == HorizonKind.FAR, work=WORK),
        "solve": asked_question(options("--horizon", horizon.value), opened),
        "player": SolverPlayer(WORK, horizon).question(game),
        "program": question_of(game, work=WORK, horizon=horizon),
    }


def decisions(game: Game, seed: int) -> Iterator[tuple[Position, Decision]]:
    """Every decision of a random game, of all who are asked at once."""
    for position in walk(game, seed):
        yield from ((position, decision) for decision in game.pending(position))


# ---------------------------------------------------------------- the question


@pytest.mark.parametrize("name", GAMES)
def test_all_doors_ask_the_same_question(name: str, evidence: Evidence) -> None:
    """At every decision: the same data, the same seed of all that is drawn, the same horizon."""
    for seed in evidence.cases(f"one question at every decision of {name}", full=20, slice=1):
        game = a_game(name, seed)
        for position, decision in decisions(game, seed):
            opened = LoadedPosition(game, position, None)
            for horizon in HorizonKind:
                made = questions(game, opened, horizon)
                asked = {door: PositionQuestion(game, position, decision.player, q) for door, q in made.items()}
                assert len({repr(q) for q in made.values()}) == 1 and len(set(made.values())) == 1, made
                assert len({each.seed for each in asked.values()}) == 1
                assert made["player"].horizon == horizon
            evidence.count(f"decisions of {name} with one question")


@pytest.mark.parametrize("name", GAMES)
def test_whoever_wishes_for_nothing_asks_the_same(name: str) -> None:
    """And who plays a game with rounds knows what lasts beyond one."""
    game = a_game(name, 0)
    asked = SolverPlayer(WORK).question(game)
    assert asked == question_of(game, work=WORK) and asked.horizon == HorizonKind.ROUND
    assert bool(asked.valuation) == game.has_rounds
    opened, simply = LoadedPosition(game, game.initial(), None), options("--work", f"{HINT:g}")
    assert replace(asked_question(simply, opened), work=None) == question_of(game), "as is asked without any option"
    assert asked_question(simply, opened) == hint_question(game)


def test_a_horizon_is_the_end_of_the_round_or_of_the_game() -> None:
    game = CHOCOLATL.load(3)
    offering, bidding = game.initial(), dealt(game, 1)
    assert bidding is not None and game.round(offering) == 0 and game.round(bidding) == 1
    near, far = ([horizon_of(game, p, kind) for p in (offering, bidding)] for kind in HorizonKind)
    assert [horizon.rounds for horizon in near] == [False, True] and near[1].least == 0
    assert far[0] == far[1] and far[0].rounds and far[0].least == 40
    poker = loaded(rules_folder() / "kuhn_poker", 2)
    assert {horizon_of(poker, poker.initial(), kind).rounds for kind in HorizonKind} == {False}


# ---------------------------------------------------------------- the answer


def chosen(game: Game, position: Position, player: int) -> tuple[Answer, ...]:
    """What the player answers, to all that is left of a secret block."""
    solver, answers = SolverPlayer(WORK, HorizonKind.ROUND), list[Answer]()
    block = position.slots
    while (decision := game.decision(position, player)) is not None:
        answers.append(solver.choose(game, position, decision, Random(0)))
        position = game.answer(position, player, answers[-1])
        if position.sealed is None or position.slots is not block:
            break
    return tuple(answers)


@pytest.mark.parametrize("name", GAMES)
def test_all_doors_give_the_same_answer_for_the_same_work(name: str, tmp_path: Path, evidence: Evidence) -> None:
    """`solve` gets the position as a file."""
    left, seeds = (
        scaled(full=200, slice=4),
        iter(evidence.cases(f"games of {name} for one answer", full=400, slice=40)),
    )
    path = tmp_path / "position.yaml"
    while left:
        seed = next(seeds)
        game = a_game(name, seed)
        some = [each for each in decisions(game, seed) if each[1].answers.count() > 1]
        for position, decision in random.Random(seed).sample(some, min(left, len(some), scaled(full=10, slice=2))):
            player = decision.player
            path.write_text(dump_position(game, position), encoding="utf-8")
            arguments = options("--samples", "2")
            opened = read_position(path, arguments, Deadline())
            told = advise(game, position, player, replace(hint_question(game, work=WORK), samples=2), contests=False)
            solved = advise(opened.game, opened.position, player, asked_question(arguments, opened))
            assert told.choices == solved.choices and told.fresh == solved.fresh and told.parts == solved.parts
            assert tuple(told.answers) == chosen(game, position, player), (name, seed, decision.name)
            assert CUT not in told.left_out + solved.left_out
            evidence.count(f"decisions of {name} with one answer")
            left -= 1


def test_work_does_not_go_by_the_clock_but_keeps_to_the_time() -> None:
    game = loaded(rules_folder() / "blotto", 2)
    asked = question_of(game, work=0.01, samples=4, engine="sampling")
    slow, quick = (advise(game, game.initial(), 0, replace(asked, seconds=s)) for s in (600.0, 60.0))
    assert slow.answers == quick.answers and slow.fresh == quick.fresh
    hurried = advise(game, game.initial(), 0, replace(asked, work=9999, seconds=0.5))
    assert CUT in hurried.left_out


@pytest.mark.parametrize("wish", [{"work": 1.0}, {"horizon": HorizonKind.FAR}])
def test_what_only_sampling_can_answer_is_no_question_for_a_model(wish: dict[str, object]) -> None:
    game = loaded(rules_folder() / "blotto", 2)
    with pytest.raises(NoAnswer, match=f"{next(iter(wish))}.*: only the engines auto and sampling know"):
        advise(game, game.initial(), 0, question_of(game, engine="model", **wish))
