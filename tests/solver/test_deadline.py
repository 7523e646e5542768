"""Limits are limits: every stage of `solve` stops when its time is over, with an answer, and players have no clock."""

from __future__ import annotations

import ast
import gc
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, ref

import pytest

from benchmarks.limits import HUGE
from chocolatl import cli
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.system.deadline import Deadline, Interruption, TimeIsUp
from chocolatl.solver.advice import SolverQuestion, advise
from chocolatl.solver.backends import cpsat, enumeration
from chocolatl.solver.backends.enumeration import tabled
from chocolatl.solver.explanation import Understanding
from chocolatl.solver.methods import best
from chocolatl.solver.methods import portfolio as engines
from chocolatl.solver.methods.continuations import at_random, by_policy
from chocolatl.solver.methods.exact import exact
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.model.definitions import NoTable, TooLong
from chocolatl.solver.report import reported, with_contests
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.scenario_sets import ScenarioSets
from chocolatl.solver.worth.scenarios import scenarios, source
from tests.conftest import ROOT
from tests.games import write_game
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import Case, dealt, grown
from tests.solver.test_stages import GREEN

SLOW = """\
item won "Won"

table has
    sum : 0..9

each player has
    score : 0..9
    bid : 0..9

play
    every player p secretly
        p chooses p.bid from 0..9
    for each a in 1..20
        for each b in 1..1000
            for each c in 1..1000
                sum becomes (sum + a * b + c) mod 7
    for each p in player
        p gains p.bid score for won
"""
"""Twenty million steps without a decision."""


def position_of(folder: Path, rules: str) -> Path:
    path = folder / "position.yaml"
    assert cli.main(["deal", str(write_game(folder, rules)), "--players", "2", "--seed", "1", "-o", str(path)]) == 0
    return path


# ---------------------------------------------------------------- the command


@pytest.mark.parametrize("engine", ["auto", "sampling"])
def test_a_huge_game_is_answered_in_the_time(engine: str, tmp_path: Path) -> None:
    """By a model, if there is time to make it; by sampling of some answers otherwise."""
    path = position_of(tmp_path, HUGE)
    begin = time.perf_counter()
    command = [
        sys.executable,
        str(ROOT / "cli.py"),
        "solve",
        str(path),
        "--player",
        "p1",
        "--time-limit",
        "1",
        "--engine",
        engine,
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    took = time.perf_counter() - begin
    assert (done.returncode, done.stderr) == (0, "")
    assert took < 1.1 * 1 + 1 + 4, "the last part is for machines that have other things to do"
    found = json.loads(done.stdout)
    assert problems(found, "solve_results") == []
    assert 0 <= found["choices"][0]["value"] <= 99_999
    assert engine == "auto" or found["engine"] == "sampling"
    if found["engine"] == "sampling":
        told = ("whole answers: ", "options: ")  # the two numbers are one answer
        assert any(each.startswith(told) and "were tried" in each for each in found["left_out"])


@pytest.mark.parametrize("engine", ["model", "exact"])
def test_rules_that_take_longer_than_there_is_time_have_an_answer(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = position_of(tmp_path, SLOW)
    capsys.readouterr()
    begin = time.perf_counter()
    assert cli.main(["solve", str(path), "--player", "p1", "--time-limit", "1", "--engine", engine, "--json"]) == 0
    assert time.perf_counter() - begin < 1.1 * 1 + 1 + 4
    found = json.loads(capsys.readouterr().out)
    assert problems(found, "solve_results") == []
    assert (found["status"], found["value"], found["fresh"], found["choices"][0]["value"]) == ("unknown", None, None, 0)
    assert len(found["left_out"]) == 2 + (engine == "exact")


def test_people_are_told_what_was_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = position_of(tmp_path, SLOW)
    assert cli.main(["solve", str(path), "--player", "p1", "--time-limit", "1", "--explain"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "value not known: the time was up before the answer was played" in words
    assert "left out: options: 0 of 10 were tried left out: fresh scenarios: none" in words
    assert "left out: explanation and drawing: 0 of 60 scenarios" in words


def test_under_a_second_no_answer_is_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = position_of(tmp_path, HUGE)
    capsys.readouterr()
    assert cli.main(["solve", str(path), "--player", "p1", "--time-limit", "0.5"]) == 1
    message = "chocolatl: no answer was found in the time: --time-limit has to be 1 second or more (0.5 seconds)\n"
    assert capsys.readouterr() == ("", message)


# ---------------------------------------------------------------- every stage


class Clock:
    """A second passes with each look."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


Stage = Callable[[Deadline], object]


def stages() -> Iterator[tuple[str, Stage]]:
    """What may take long in an answer, each to be done by a deadline."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    held = Case.at(game, position, 0, 12, 1)
    problem = best.formulate(game, 0, held.scenarios)
    found = best.solved(problem, Deadline(60))
    yield "scenarios", lambda d: scenarios(game, position, 0, "random", 500, 1, d)
    yield "model", lambda d: best.formulate(game, 0, held.scenarios, deadline=d)
    yield "table", lambda d: tabled(problem.model, problem.plan, problem.parts, d)
    yield "played again", lambda d: problem.values(found.answers, d)
    run = by_policy(game, 0, Deadline())
    sampler = Sampler(game, lambda number: held.scenarios[number], run, OutcomeMeasure(game, 0))
    yield "report", lambda d: reported(sampler, 0, found.answers, [], held.scenarios * 10, d)
    whole = reported(sampler, 0, found.answers, [], held.scenarios * 4, Deadline())
    assert whole is not None
    yield "contests", lambda d: with_contests(whole, found.choices, d)
    yield "samples", lambda d: sampled(game, d)
    answer = advise(game, position, 0, SolverQuestion(scenarios=1, samples=100))
    yield "explanation", lambda d: Understanding(game, position, 0, SolverQuestion(samples=100), answer, d)
    green = CHOCOLATL.load(3, "three_locations", GREEN)
    start = dealt(green, 1)
    assert start is not None
    yield "tree", lambda d: grown(green, start, 0, "random", 40, 7, d)
    yield "histories", lambda d: exact(green, start, 0, OutcomeMeasure(green, 0), deadline=d, hopeless=10**30)


def sampled(game: Game, deadline: Deadline) -> object:
    position = dealt(game, 1)
    assert position is not None
    drawn = source(game, position, 0, "random", 1)
    sampler = Sampler(game, drawn, at_random(game, 0, deadline=deadline), OutcomeMeasure(game, 0), deadline)
    decision = game.decision(position, 0)
    assert decision is not None
    return sampler.table([(answer,) for answer in decision.answers], 0, 50)


def test_every_stage_stops_soon_after_its_time() -> None:
    """However long it would take: after some looks at the clock the time is over, and a few looks later all is done."""
    for name, stage in stages():
        for seconds in (12, 25):
            clock = Clock()
            deadline = Deadline(seconds, clock)
            with suppress(TimeIsUp, best.NotModelled, TooLong):
                stage(deadline)
            assert seconds / 3 <= clock.looks <= seconds + 10, f"{name}: {clock.looks} looks in {seconds} seconds"


def test_no_interruption_is_lost_in_a_finaliser() -> None:
    """What is raised there is ignored, so that nobody would hear of it; it comes with the next tick."""

    class Finalised:
        def __del__(self) -> None:
            Interruption(Deadline(-1))(0, sys._getframe())
            ends.append("of its own")

    class Held:
        def __hash__(self) -> int:  # asked for when a dictionary forgets it
            return 0

        def __eq__(self, other: object) -> bool:
            Interruption(Deadline(-1))(0, sys._getframe())
            ends.append("forgotten")
            return True

    ends: list[str] = []
    thing = Finalised()
    del thing
    known: WeakKeyDictionary[Held, int] = WeakKeyDictionary()
    first, second = Held(), Held()
    known.data.update({ref(first): 1})  # type: ignore[attr-defined]
    known.get(second)

    def collected(*_: object) -> None:
        Interruption(Deadline(-1))(0, sys._getframe())
        ends.append("collected")

    gc.callbacks.append(collected)
    try:
        gc.collect(0)
    finally:
        gc.callbacks.remove(collected)
    assert ends == ["of its own", "forgotten", "collected", "collected"]  # before, and after it
    with pytest.raises(TimeIsUp):
        Interruption(Deadline(-1))(0, sys._getframe())


def test_what_does_not_ask_is_interrupted() -> None:
    begin = time.perf_counter()
    with pytest.raises(TimeIsUp), Deadline(0.05).enforced():
        sum(number * number for number in range(10**9))
    assert time.perf_counter() - begin < 5
    with Deadline(60).enforced(), pytest.raises(TimeIsUp), Deadline(0.05).enforced():
        sum(number * number for number in range(10**9))
    sum(number * number for number in range(10**5))  # nobody is interrupted any more


def test_work_goes_as_far_as_the_time() -> None:
    assert Deadline().each(range(5), str) == ["0", "1", "2", "3", "4"]
    assert Deadline(3, Clock()).each(range(5), str) == ["0", "1", "2"]
    with pytest.raises(TimeIsUp):
        Deadline(3, Clock()).each(range(5), str, whole=True)
    with pytest.raises(TimeIsUp):
        Deadline(0, Clock()).each(range(5), str)


# ---------------------------------------------------------------- what there is when the time is over


def test_a_table_holds_the_first_scenarios_if_there_is_no_time_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are added one by one here. Whenever the time is over, it is as if the others had never been asked for."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    problem = best.formulate(game, 0, Case.at(game, position, 0, 5, 1).scenarios)
    monkeypatch.setattr(enumeration, "TOGETHER", 1)
    monkeypatch.setattr(enumeration, "LINES", 1)
    asked = problem.model, problem.plan
    seen = set()
    for seconds in itertools.count(10, 3):
        try:
            table = tabled(*asked, problem.parts, Deadline(seconds, Clock()), rules=problem.rules)
        except TooLong:
            continue
        seen.add(table.parts)
        if table.known == len(table.values):
            short = tabled(*asked, problem.parts[: table.parts], Deadline(), rules=problem.rules)
            assert short.is_whole and (short.values == table.values).all()
            assert table.best().objective == short.best().objective
            assert table.best().status == (cpsat.OPTIMAL if table.parts == 5 else cpsat.FEASIBLE)
        if table.is_whole:
            break
    assert {1, 3, 5} <= seen


def test_an_answer_to_the_first_scenarios_stands_in_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of all comes to nothing here; what is told of the others is what the interpreter finds there."""
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    held = Case.at(game, position, 0, 5, 1)
    problem = best.formulate(game, 0, held.scenarios)
    search = cpsat.solutions

    def fruitless(*given: Any, helped: bool = True) -> Iterator[cpsat.Solution]:
        for solution in search(given[0], given[1], given[2], helped=helped):
            yield replace(solution, status=cpsat.UNKNOWN, objective=None, values=None) if helped else solution

    def unclimbed(*_: object) -> None:
        raise NoTable("here nobody climbs")

    monkeypatch.setattr(cpsat, "solutions", fruitless)
    monkeypatch.setattr(engines, "FIRST", 2)
    monkeypatch.setattr(engines, "_climber", unclimbed)
    found = best.solved(problem, Deadline(60), engine=best.ENGINE)
    assert (found.modelled, found.scenarios, found.status, found.bound) == (2, 5, cpsat.FEASIBLE, float("inf"))
    assert found.left_out == ("model: 2 of 5 scenarios were modelled and searched",)
    assert round(found.value * problem.weight * problem.unit) == problem.value(found.answers)


def test_nothing_is_proved_for_scenarios_that_were_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None
    proved = advise(game, position, 0, SolverQuestion(scenarios=2, samples=2))
    assert (proved.status, proved.bound, proved.left_out) == ("optimal", proved.value, ())
    drawn = scenarios(game, position, 0, "random", 2, 0)
    monkeypatch.setattr(ScenarioSets, "search", lambda *_: drawn)
    found = advise(game, position, 0, SolverQuestion(scenarios=9, samples=2))
    assert (found.answers, found.value) == (proved.answers, proved.value)
    assert (found.status, found.bound, found.left_out) == ("feasible", None, ("scenarios: 2 of 9 were drawn",))


def test_if_a_search_finds_nothing_in_the_time_sampling_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    game = CHOCOLATL.load(3, "three_locations")
    position = dealt(game, 1)
    assert position is not None

    def never(*_: object, **__: object) -> None:
        raise best.NotFound

    monkeypatch.setattr(best, "solve", never)
    found = advise(game, position, 0, SolverQuestion(scenarios=1, samples=2))
    assert (found.engine, found.bound) == ("sampling", None)
    assert found.why == "no answer was found with it in its share of the time"


# ---------------------------------------------------------------- players


CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time", "time")


def test_players_play_the_same_games_whatever_the_clock_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a machine that stands still for an hour at each look at a clock."""

    def played(name: str) -> bytes:
        path = tmp_path / name
        players = "--players", "solver:0.01,greedy", "--games", "2", "--seed", "3", "--jobs", "1"
        assert cli.main(["simulate", "goofspiel/short", *players, "--transcripts", str(path)]) == 0
        return path.read_bytes()

    calm = played("calm.jsonl")
    hours = itertools.count(0.0, 3600.0)
    real = {getattr(time, name): name for name in CLOCKS}
    patched = 0
    for module in [*sys.modules.values()]:
        if getattr(module, "__name__", "").startswith("chocolatl."):
            for name, value in [*vars(module).items()]:
                if callable(value) and value in real:
                    monkeypatch.setattr(module, name, lambda: next(hours))
                    patched += 1
    for name in CLOCKS:
        monkeypatch.setattr(time, name, lambda: next(hours))
    assert patched and played("hurried.jsonl") == calm


def test_no_clock_is_within_reach_of_a_player() -> None:
    """But for two: one tells whether native code plays on faster, which changes no answer, whatever else there is in
    native code; a deadline that never comes looks at none."""
    seen: dict[str, bool] = {}
    todo = [
        "chocolatl.solver.player",
        "chocolatl.solver.players",
        "chocolatl.interpreter.players.registry",
        "chocolatl.interpreter.players.greedy",
    ]
    while todo:
        name = todo.pop()
        path = ROOT / (name.removeprefix("chocolatl.").replace(".", "/") + ".py")
        if name in seen or not path.exists():
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        modules = [
            word
            for node in imports
            for word in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            )
        ]
        seen[name] = "time" in modules
        todo += [word for word in modules if word.startswith("chocolatl.") and ".native" not in word]
    assert len(seen) > 30 and "chocolatl.solver.methods.sampling" in seen
    assert {name for name, has in seen.items() if has} <= {
        "chocolatl.interpreter.players.lookahead",
        "chocolatl.interpreter.system.deadline",
    }
    deadline = Deadline(clock=lambda: pytest.fail("somebody looked at the clock"))
    deadline.look()
    assert deadline.never and not deadline.is_over and deadline.share(0.5).never
