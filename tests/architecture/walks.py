"""Walks through the program, for docs/architecture.md: a rule from its text to each back end, a position to an answer.

A hop is a file, a function and a sentence. That the hops are real is seen in a run: a child process plays or solves
with a profiler (`sys.setprofile`) that notes each call of one of these functions. Whoever renames or moves one changes
it here, and writes the page anew: `python -m tests.architecture.page`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

GAME = "blotto"
INTERPRETED, NATIVE, SOLVED = "interpreter", "native", "solve"
RUNS: dict[str, list[str]] = {
    INTERPRETED: ["simulate", GAME, "--players=random,random", "--games=1", "--jobs=1", "--engine=interpreter"],
    NATIVE: ["simulate", GAME, "--players=random,random", "--games=1", "--jobs=1", "--engine=native"],
    SOLVED: [
        "solve",
        "position.yaml",
        "--player=p1",
        "--scenarios=3",
        "--samples=4",
        "--objective=win",
        "--engine=model",
    ],
}
"""The commands that go these ways. The position is dealt before, and not a part of the walk."""


@dataclass(frozen=True)
class Hop:
    path: str
    function: str
    sentence: str


@dataclass(frozen=True)
class Walk:
    name: str
    run: str
    hops: tuple[Hop, ...]


def walk(name: str, run: str, text: str) -> Walk:
    """A hop is two lines: its file and function, and its sentence."""
    hops = re.findall(r"^ *(\S+\.py): (\S+)\n *(.+)$", text, re.MULTILINE)
    assert len(hops) * 2 == len(text.strip().splitlines()), name
    return Walk(name, run, tuple([Hop(*hop) for hop in hops]))


WALKS = (
    walk("text to IR", INTERPRETED, """
        interpreter/play/library.py: load
            A game is asked for by the path of its folder or variant.
        interpreter/data/load.py: load_game
            Its files become one `GameFiles`: rules and data, with variants merged in.
        interpreter/data/strict_yaml.py: load
            YAML is read strictly, with the place of every value.
        interpreter/data/schema.py: check
            The data is held against its JSON Schema.
        interpreter/syntax/parser.py: parse_rules
            The rule text is parsed declaration by declaration; mistakes become findings.
        interpreter/syntax/automaton.py: Automaton.parse
            An LALR automaton makes a parse tree; its tables come from `grammar.lark`.
        interpreter/syntax/build.py: Builder.contest
            The contest becomes a `tree.Contest`, with the place it came from.
        interpreter/program/declare.py: declare
            Names and types of all declarations are resolved: a `Program`.
        interpreter/translate/lower.py: lower
            Bodies are translated to IR; parameters are constants from here on.
        interpreter/translate/domains.py: DomainTranslator.declared_ranking
            `ranking armies` becomes an `ir.Ranking` with typed keys.
        interpreter/translate/statements.py: StatementTranslator.contest
            `contest armies(f)` becomes an `ir.Contest`.
        interpreter/translate/changes.py: ChangeTranslator.gains
            `p gains 1 score for field_won` becomes an `ir.Award`.
        interpreter/ir/validate.py: validate
            What back ends rely on is checked once.
        interpreter/analysis/secrecy.py: check_secrecy
            Nothing secret decides what others see (taint analysis).
        interpreter/analysis/work.py: check_work
            There is a bound for the work between two questions.
    """),
    walk("interpreter", INTERPRETED, """
        interpreter/engine/compile.py: ExecutableGame.__init__
            The IR becomes Python functions.
        interpreter/lowered/layout.py: Layout.__init__
            Every field gets its slots in one flat list of integers.
        interpreter/lowered/waits.py: waiting_procedures
            Procedures that can wait for an answer are told from those that cannot.
        interpreter/engine/steps.py: PythonStepEmitter.emit_procedure
            `play` waits, so it is cut into steps at its decisions.
        interpreter/engine/statements.py: PythonStatementEmitter.contest
            `settle` never waits: its contest is plain Python.
        interpreter/lowered/fold.py: Folder.fold
            Formulas are shortened first (constant folding).
        interpreter/engine/statements.py: PythonStatementEmitter.award
            The award is a line that calls the runtime.
        interpreter/engine/compile.py: _ranking
            The ranking is a function that sorts by its keys.
        interpreter/play/match.py: play_game
            A game is played: chance and players are asked in turn.
        interpreter/engine/machine.py: start
            The first position: slots, and the step at which they wait.
        interpreter/engine/machine.py: answer
            An answer leads from one position to the next.
        interpreter/engine/runtime.py: Runtime.order
            The emitted contest ranks the players.
        interpreter/engine/runtime.py: Runtime.award
            Whoever is first alone gets the point, within the range of the score.
        interpreter/play/game.py: Game.result
            The end: scores, winners, and what each item has paid.
    """),
    walk("native code", NATIVE, """
        interpreter/simulation/series.py: _kernel
            Games by the million are played by native code, if the rules can be compiled.
        interpreter/native/builds/kernel.py: Kernel.__init__
            The same IR and layout; a kernel plays whole games.
        interpreter/native/builds/module.py: whole_games
            The text of an LLVM module is written, function by function.
        interpreter/native/layout/memory.py: Memory.__init__
            The slots become bytes: a number is as short as its range.
        interpreter/native/emit/statements/contests.py: emit_contest
            The contest: an order on the stack, then a branch for each clause.
        interpreter/native/emit/values_and_rankings/orders.py: evaluate_ranking
            A call of the function that ranks the players.
        interpreter/native/emit/statements/changes.py: emit_award
            The award: add, compare with the range, store.
        interpreter/native/emit/values_and_rankings/rankings.py: ranking_text
            That function: sorted by one number for each player, if keys fit.
        interpreter/native/llvm/compile.py: compiled
            LLVM optimises the module and makes machine code, or finds it in the cache.
        interpreter/native/builds/kernel.py: Kernel.series
            Many games in one call, their sums taken in native code.
    """),
    walk("solver model", SOLVED, """
        solver/methods/best.py: formulate
            One model for all scenarios, in which the player's answers are variables.
        solver/symbolic/resume.py: ResumedRun.to_horizon
            The rules are carried out from the position on (symbolic execution).
        solver/symbolic/answers.py: ScenarioAnswers.sought
            `p chooses p.troops[f]` becomes variables, with what makes them legal.
        solver/symbolic/run.py: SymbolicRun.put_off
            Statements wait until somebody asks for what they write (lazy evaluation).
        solver/worth/objective.py: gained
            The objective asks for the score.
        solver/symbolic/run.py: SymbolicRun.contest
            So the contest is carried out.
        solver/symbolic/domains.py: SymbolicDomains.ranked_by
            The keys of the ranking become linear expressions.
        solver/symbolic/orders.py: Orders.compared
            Who comes before whom becomes literals (reified comparisons).
        solver/symbolic/orders.py: Orders.at_place
            Who is first, alone: a conjunction of these.
        solver/symbolic/changes.py: SymbolicChanges.award
            The score grows by 1 where that literal holds.
        solver/symbolic/state.py: SymbolicState.merged
            What several paths have written becomes one value (path merging).
    """),
    walk("position to answer", SOLVED, """
        interpreter/commands/solve.py: run
            The command: its arguments, and one deadline for everything.
        interpreter/formats/position.py: load_position
            The position file is read, checked and becomes a `Position`.
        interpreter/commands/shared/question.py: make_question
            Options are what is wished for.
        solver/question.py: question_of
            A `SolverQuestion`, as everybody asks it: against whom, how many scenarios, what end, how far.
        solver/advice.py: advise
            The one door to all methods.
        solver/worth/scenario_sets.py: ScenarioSets.search
            What is unknown is fixed in several ways (determinization), with common random numbers.
        solver/methods/best.py: formulate
            The rules become a model of all scenarios: see the walk above.
        solver/model/thresholds.py: add_thresholds
            Comparisons of several scenarios are tied together.
        solver/methods/portfolio.py: searched
            Decision by decision, a table of all answers, or CP-SAT (a portfolio).
        solver/backends/cpsat.py: solutions
            CP-SAT maximises, and proves a bound.
        solver/symbolic/plan.py: AnswerPlan.fixed
            The values of variables become answers again.
        solver/worth/outcome.py: OutcomeMeasure.__call__
            The interpreter plays every scenario with them: what it pays has to be what was claimed.
        solver/asking.py: ChoiceTable.ranked
            The best answers are compared in other scenarios, and one is chosen (validation).
        solver/report.py: reported
            The chosen one is played in others again, with a log: what it is worth, and what that is made of.
        solver/worth/contests.py: summaries
            How the bids fare in each contest.
        interpreter/terminal/reports/best.py: show_advice
            The answer is told: value, bound, what it rests on.
    """),
)  # fmt: skip


CHILD = """
import contextlib, io, json, os, sys, threading
import chocolatl.solver
from chocolatl.cli import main
wanted = {tuple(each) for each in json.loads(sys.argv[1])}
root = os.path.join(os.path.dirname(os.path.dirname(chocolatl.solver.__file__)), "")
calls = []

def note(frame, event, argument):
    if event == "call":
        code = frame.f_code
        called = code.co_filename.removeprefix(root).replace(os.sep, "/"), code.co_qualname
        if called in wanted:
            calls.append(called)

with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    if "position.yaml" in sys.argv:
        assert main(["deal", sys.argv[2], "--players=2", "--seed=1", "-o", "position.yaml"]) == 0
    threading.setprofile(note)
    sys.setprofile(note)
    code = main(sys.argv[3:])
    sys.setprofile(None)
assert code == 0, code
json.dump(calls, sys.stdout)
"""


def calls(run: str, wanted: Iterable[tuple[str, str]], folder: Path) -> list[tuple[str, str]]:
    """The calls of some functions in a run, in order. Nothing was compiled or kept before."""
    words = [json.dumps([*wanted]), GAME, *RUNS[run]]
    known = {**os.environ, "CHOCOLATL_CACHE": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "state")}
    child = [sys.executable, "-c", CHILD, *words]
    done = subprocess.run(child, cwd=folder, env=known, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [(path, function) for path, function in json.loads(done.stdout)]


def missed(hops: Iterable[Hop], made: list[tuple[str, str]]) -> Hop | None:
    """The first hop that does not come after the one before it."""
    waiting = iter(made)
    return next((hop for hop in hops if (hop.path, hop.function) not in waiting), None)
