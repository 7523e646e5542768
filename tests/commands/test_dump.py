"""`chocolatl dump`: native code and models as text. That the text is all of it is shown by reading it back."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import count as count_from
from itertools import pairwise
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from chocolatl import cli
from chocolatl.interpreter.commands.dump import STAGES
from chocolatl.interpreter.commands.shared.question import OPTIONS
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.position import dump_position, load_position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.llvm import compile as compiling
from chocolatl.interpreter.native.llvm.compile import processor
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.system import deadline
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver import going_on
from chocolatl.solver.advice import SolverQuestion, formulated, question_of
from chocolatl.solver.backends import cpsat
from chocolatl.solver.methods.best import ModelledProblem
from chocolatl.solver.methods.nested import TWIGS
from chocolatl.solver.methods.printer import print_model
from chocolatl.solver.model.constraints import BooleanClause, Implication, LinearConstraint, Product, Quotient
from chocolatl.solver.model.linear import BooleanLiteral, LinearExpression
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.plan import AnswerPlan
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.worth.outcome import POINTS
from tests.conftest import ROOT
from tests.games import Table, tables, walk, write_game
from tests.solver.solving import dealt

GAMES = [table for table in tables() if table.variant is None]
FEWEST = [min((t for t in GAMES if t.game == game), key=lambda t: t.players) for game in games_in(rules_folder())]


def dump(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    assert cli.main(["dump", *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert cli.main(["dump", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def first_position(game: Game, folder: Path) -> Path:
    """A position file at the first decision."""
    position, random = game.initial(), Random(1)
    while (chance := game.chance(position)) is not None:
        position = game.resolve(position, chance.outcomes.sample(random))
    return written(game, position, folder)


def written(game: Game, position: Position, folder: Path) -> Path:
    path = folder / "position.yaml"
    path.write_text(dump_position(game, position), encoding="utf-8")
    return path


# ---------------------------------------------------------------- native code


def meaning(text: str) -> str:
    """What LLVM has read of a text: nothing of its comments."""
    return str(llvm.parse_assembly(text))


@pytest.mark.parametrize("table", FEWEST, ids=str)
def test_the_native_stage_is_the_code_that_simulate_compiles(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    compiled = compiling.compiled

    def noted(text: str, level: int) -> bytes:
        texts.append(text)
        return compiled(text, level)

    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(compiling, "compiled", noted)
    position = first_position(table.load(), tmp_path)
    for subject, start, build in (
        (table.path, table.path, "plays whole games"),
        (position, f"--from={position}", "goes on from any decision"),
    ):
        lines = dump(capsys, subject, "--stage", "native")
        assert lines[0] == f"; {table.game} for {table.players} players: the code that {build}"
        types = ",".join(["random"] * table.players)
        assert cli.main(["simulate", str(start), "--players", types, "--games", "1", "--jobs", "1"]) == 0
        capsys.readouterr()
        assert meaning("\n".join(lines)) == meaning(texts.pop()) and texts == []
        assert_declared(table, lines)
        assert_explained(lines)


def assert_declared(table: Table, lines: list[str]) -> None:
    """Above each function of a declaration stands what it is called, its line in the rules if they say its name, and
    what its parameters are."""
    rules = (table.path / f"{table.game}.rules").read_text(encoding="utf-8")
    found = 0
    for above, line in pairwise(lines):
        if re.match(r"define internal .*@[a-z]+_\d+(_\d+)?\(", line):
            about = re.match(r"; (\w+) (\w+).*?, (\S+):(\d+)(;|$)", above)
            assert about is not None, line
            assert about[3] == f"{table.game}.rules"
            there = "\n".join(rules.split("\n")[int(about[4]) - 1 :][:3])  # a choice may have its name in a later line
            assert about[2] in there or not re.search(rf"\b{about[2]}\b", rules), above
            assert re.findall(r"; \w+ is (%v\d+)", above) == re.findall(r"%v\d+", line)
            found += 1
    assert found > 2


def assert_explained(lines: list[str]) -> None:
    """Beside each call of a declaration stands its name, beside each failure its message and beside each field its
    name; lines of statements are there, too."""
    calls = [line for line in lines if re.search(r"call \w+ @(procedure|value|ranking|together)_\d+", line)]
    assert calls and all(re.search(r"; (procedure|value|ranking) \w", line) for line in calls)
    failures = [line for line in lines if "call void @fail(ptr %s, i64 " in line and "%site" not in line]
    assert all(re.search(r"; [\w.]+\.rules:\d+: ", line) for line in failures)
    tags = {int(tag[1]) for line in lines for tag in [re.search(r"!tbaa !(\d+)", line)] if tag}
    fields = [line for line in lines if re.search(r"!tbaa !(\d{2,}|8)\b", line)]
    assert max(tags) >= 8 and fields and all(re.search(r"; [\w.]+$", line) for line in fields)
    assert any(re.search(r"; line \d+", line) for line in lines)


def test_a_line_of_native_code_tells_the_statement_the_field_and_the_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_game(tmp_path, SMALL)
    rules = (folder / "small.rules").read_text(encoding="utf-8")
    line = rules.split("\n").index("    total becomes total - amount") + 1
    text = "\n".join(dump(capsys, folder, "--stage", "native", "--players", 2))
    (function,) = re.findall(r"^; procedure spend, .*\n(?:.+\n)+", text, re.MULTILINE)
    assert re.match(rf"; procedure spend, small\.rules:{line - 1}; amount is (%v\d+)\ndefine .*i64 \1\)", function)
    assert re.search(rf"; line {line}(; total)?\n", function) and "; total\n" in function
    assert f"; small.rules:{line}: `total` is {{}}, outside of 0..9\n" in function


SMALL = """\
item work "Work"

table has
    total : 0..9 = 9

each player has
    score : 0..999
    amount : 0..9
    times : 0..9
    bonus : 0..9
    idle : 0..9

procedure spend(amount : 0..9)
    total becomes total - amount

play
    every player p secretly
        p chooses p.amount from 0..4 "How much?"
        p chooses p.times from 0..5 "How often?"
        p chooses p.idle from 0..9 "What do you think of?"
    for each p in player
        do spend(p.amount)
        if p.amount is 3
            p.bonus becomes 5
        p gains p.amount * p.times + total / 4 + p.bonus score for work
"""


def test_machine_code_tells_which_procedure_is_which(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = next(table for table in FEWEST if table.game == "chocolatl")
    lines = dump(capsys, table.path, "--stage", "assembly")
    assert lines[0].endswith(f", for {processor()[0]} */")
    labels = [line for line in lines if re.match(r"_?\w+:", line)]
    assert {"play:", "winners:", "series:"} <= {label.lstrip("_").split()[0] for label in labels}
    own = [(above, line) for above, line in pairwise(lines) if re.match(r"_?procedure_\d+:", line)]
    assert own and all(re.match(r"/\* procedure .*, chocolatl\.rules:\d+ \*/$", above) for above, _ in own)
    resumed = dump(capsys, first_position(table.load(), tmp_path), "--stage", "assembly")
    assert "play_on:" in {line.lstrip("_").split()[0] for line in resumed if line and not line[0].isspace()}


# ---------------------------------------------------------------- models


class Reader:
    """A model, read back from its text."""

    def __init__(self, lines: list[str]) -> None:
        self.model = Model()
        size = re.fullmatch(r"(\d+) variables?, (\d+) constraints?", lines[1])
        assert size is not None
        self.size = int(size[1]), int(size[2])
        domains = [found for line in lines for found in [re.match(r" *x(\d+) in (-?\d+)\.\.(-?\d+)", line)] if found]
        for number, domain in enumerate(sorted(domains, key=lambda found: int(found[1]))):
            assert int(domain[1]) == number
            self.model.integer(int(domain[2]), int(domain[3]))
        (objective,) = [line.removeprefix("maximise ") for line in lines if line.startswith("maximise ")]
        self.objective = self.sum(objective)
        start = next(number for number, line in enumerate(lines) if line == "keep to" or re.match(r"x\d+ in ", line))
        self.model.constraints += [
            self.constraint(line.strip()) for line in lines[start:] if line.startswith("    ") and " in " not in line
        ]

    def sum(self, text: str) -> LinearExpression:
        terms, constant = {}, 0
        for sign, factor, variable in re.findall(r"(^-?|[+-] )(?:(\d+) ?)?(?:x(\d+))?", text.strip()):
            if factor or variable:
                amount = int(factor or 1) * (-1 if "-" in sign else 1)
                if variable:
                    terms[int(variable)] = amount
                else:
                    constant += amount
        lowest, highest = self.model.reach(terms.items())
        return LinearExpression(terms, constant, lowest + constant, highest + constant)

    def literal(self, text: str) -> BooleanLiteral:
        positive = not text.startswith("not ")
        return BooleanLiteral(int(text.removeprefix("not ").removeprefix("x")), positive)

    def constraint(self, text: str) -> LinearConstraint | BooleanClause | Implication | Product | Quotient:
        if text.startswith("exactly one of "):
            return BooleanClause(
                tuple(map(self.literal, text.removeprefix("exactly one of ").split(", "))), exactly=True
            )
        condition, colon, rest = text.removeprefix("if ").partition(": ")
        given = tuple(map(self.literal, condition.split(" and "))) if colon else ()
        rest = rest if colon else text
        if product := re.fullmatch(r"x(\d+) = \((.*)\) \* \((.*)\)", rest):
            return Product(int(product[1]), self.sum(product[2]), self.sum(product[3]))
        if quotient := re.fullmatch(r"x(\d+) = \((.*)\) / (\d+)", rest):
            return Quotient(int(quotient[1]), self.sum(quotient[2]), int(quotient[3]))
        if not re.search("[=<>]", rest):
            literals = tuple(map(self.literal, re.split(" and | or ", rest)))
            return Implication(literals, *given) if given else BooleanClause(literals)
        rest, _, gap = rest.partition(", but not ")
        sides = re.split(" (<=|>=|=|!=) ", rest)
        total = self.sum(sides[2] if len(sides) == 5 else sides[0])
        low, high = total.low, total.high
        if len(sides) == 5:
            low, high = int(sides[0]), int(sides[4])
        else:
            how, limit = sides[1], int(sides[2])
            low = limit if how in (">=", "=") else low
            high = limit if how in ("<=", "=") else high
            gap = str(limit) if how == "!=" else gap
        return LinearConstraint(tuple(total.terms.items()), low, high, given, int(gap) if gap else None)


def assert_read_back(lines: list[str], path: Path, question: SolverQuestion) -> None:
    """The text has the size and the optimum of the model of the first who has to decide."""
    loaded = load_position(path, Findings())
    assert loaded is not None
    player = loaded.game.pending(loaded.position)[0].player
    problem = formulated(loaded.game, loaded.position, player, question)
    solution = cpsat.solve(problem.model, problem.goal, Deadline(60))
    read = Reader(lines)
    again = cpsat.solve(read.model, read.objective, Deadline(60))
    assert (solution.status, again.status) == (cpsat.OPTIMAL, cpsat.OPTIMAL)
    assert again.objective == solution.objective
    assert read.size == (solution.variables, solution.constraints)
    assert len(read.model.constraints) == solution.constraints


@pytest.mark.parametrize("name", ["goofspiel-2", "blotto-2", "chocolatl-3", "chocolatl/three_locations-3"])
def test_the_text_of_a_model_is_all_that_the_solver_gets(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = next(table for table in tables() if str(table) == name).load()
    position = dealt(game, 1, 1 if game.has_rounds else 0)
    assert position is not None
    path = written(game, position, tmp_path)
    lines = dump(capsys, path, "--stage", "model", "--scenarios", 2, "--seed", 3, "--valuation", "none")
    assert_read_back(lines, path, question_of(game, scenarios=2, seed=3, valuation=()))
    decision = game.decision(position, 0)
    assert decision is not None and f"decision {decision.name}" in lines
    start = lines.index(f"decision {decision.name}")
    assert re.fullmatch(r"    x0 in 0\.\.\d+: \S.*", lines[start + 1])
    named = [line for line in lines if re.match(r"x\d+ in .*, (\w+\.rules|\w+\.yaml):\d+$", line)]
    assert len(named) > 1


IDLE = """\
item work "Work"

each player has
    score : 0..9
    hand  : set of card secret = every card
    aside : set of card secret

play
    every player p secretly
        p chooses up to 3 from p.hand into p.aside "What do you lay aside?"
    for each p in player
        p gains 1 score for work
"""


def test_answers_of_which_nothing_depends_are_named_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = first_position(load(write_game(tmp_path, IDLE), 2), tmp_path)
    lines = dump(capsys, path, "--stage", "model", "--scenarios", 1)
    start = lines.index("decision aside")
    assert lines[start + 1 : start + 4] == [f"    makes no difference: how many of {kind}" for kind in (1, 2, 3)]


def test_what_scenarios_add_and_take_away_has_no_number() -> None:
    game = FEWEST[0].load()
    model = Model()
    a, b = model.integer(0, 3), model.integer(0, 3)
    scenarios = [FixedScenario(game.initial(), seed) for seed in (1, 2)]
    parts = [model.add(a, b), model.add(b, a, -1)]
    lines = list(print_model(ModelledProblem(game, 0, scenarios, POINTS, (), model, AnswerPlan(), parts)))
    assert lines[1:] == [
        "1 variable, 0 constraints", "", "maximise 2 x0", "    which is 2 times the value",
        "    scenario 1: x? + x0", "    scenario 2: x0 - x?", "", "x0 in 0..3",
    ]  # fmt: skip


def test_products_and_quotients_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = load(write_game(tmp_path, SMALL), 2)
    path = first_position(game, tmp_path)
    lines = dump(capsys, path, "--stage", "model", "--scenarios", 1)
    assert_read_back(lines, path, SolverQuestion(scenarios=1))
    text = "\n".join(lines)
    assert re.search(r"^    x\d+ = \(.*x\d+.*\) \* \(.*x\d+.*\)$", text, re.MULTILINE)
    assert re.search(r"^    x\d+ = \(.*x\d+.*\) / 4$", text, re.MULTILINE)
    assert re.search(r"^    if not x\d+: .* != 3$", text, re.MULTILINE)


def test_a_model_that_takes_too_long_is_shown_as_far_as_it_was_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second passes with each look at the clock. None is lost on rules of thumb."""
    monkeypatch.setattr(going_on, "RULE_SCENARIOS", 0)
    path = first_position(load(write_game(tmp_path, SMALL), 2), tmp_path)
    model = path, "--stage", "model", "--scenarios"
    one = dump(capsys, *model, 1)
    clock = count_from(0)
    monkeypatch.setattr(deadline, "perf_counter", lambda: next(clock))
    dump(capsys, *model, 1, "--time-limit", 10**9)
    looks = next(clock)
    first, size, *rest = dump(capsys, *model, 3, "--time-limit", looks)
    assert first == "model of small for p1: points in 3 scenarios, of which 1 became a model in the time"
    assert one[0] == "model of small for p1: points in 1 scenario"
    assert [size, *(line for line in rest if not line.startswith("    scenario 1: "))] == one[1:]
    assert cli.main(["dump", *map(str, model), "3", "--time-limit", "2"]) == 1
    assert capsys.readouterr() == ("", "chocolatl: no scenario became a model in the time (2 seconds)\n")


def test_later_answers_are_shown_for_each_branch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = next(table for table in tables() if str(table) == "chocolatl/three_locations-3").load()
    for seed in range(20):
        position = dealt(game, seed, 2)
        if position is not None and game.pending(position)[0].name.startswith("first_card"):
            break
    assert position is not None
    lines = dump(capsys, written(game, position, tmp_path), "--stage", "model", "--scenarios", 2)
    titles = [line for line in lines if line.startswith("decision ")]
    assert len([title for title in titles if title.endswith(" later, in branch 2")]) == len(titles) / 3
    assert [line for line in lines if line.startswith("    scenario ")][-1].startswith(f"    scenario {2 * TWIGS}: ")


# ---------------------------------------------------------------- what is refused


def test_a_model_needs_a_position_and_somebody_who_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "`chocolatl deal goofspiel --players N --seed S -o FILE` writes one" in refused(
        capsys, "goofspiel", "--stage", "model"
    )
    table = next(table for table in FEWEST if table.game == "kuhn_poker")
    game = table.load()
    path = first_position(game, tmp_path)
    model = path, "--stage", "model"
    assert "no model can be made of this rule: who begins is decided by the answer" in refused(capsys, *model)
    assert "there is no player `nobody` (they are: p1, p2)" in refused(capsys, *model, "--player", "nobody")
    assert "p2 has nothing to decide in this position; p1 can" in refused(capsys, *model, "--player", "p2")
    assert "--objective is points, margin, win, win:half; found luck" in refused(capsys, *model, "--objective", "luck")
    assert "--scenarios: at least 1 is needed; found 0" in refused(capsys, *model, "--scenarios", 0)
    assert "--time-limit: more than 0 seconds are needed; found 0" in refused(capsys, *model, "--time-limit", 0)
    assert "--against is known, random" in refused(capsys, *model, "--against", "nowhere.jsonl")
    assert "--players: a position has its own" in refused(capsys, *model, "--players", 2)
    (over,) = [position for position in walk(game, 1) if game.is_over(position)]
    assert "nobody has to decide anything" in refused(capsys, written(game, over, tmp_path), "--stage", "model")


@pytest.mark.parametrize("option", ["player", *OPTIONS, "time-limit"])
def test_what_is_for_a_model_is_refused_elsewhere(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"--{option} is for --stage model" in refused(capsys, "goofspiel", "--stage", "ir", f"--{option}", "1")


@pytest.mark.parametrize("stage", ["native", "assembly"])
def test_native_code_without_a_compiler_is_refused(
    stage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "chocolatl.interpreter.native.builds.printer", None)
    assert f"--stage {stage}: the compiler cannot be used here" in refused(capsys, "goofspiel", "--stage", stage)


# ---------------------------------------------------------------- who waits for what


NEEDED = {"native": {"llvmlite"}, "assembly": {"llvmlite"}, "model": {"chocolatl.solver.advice"}}


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_waits_for_what_it_needs_alone(stage: str, tmp_path: Path) -> None:
    path = first_position(FEWEST[0].load(), tmp_path)
    arguments = ["dump", str(path), "--stage", stage]
    code = f"import sys; from chocolatl import cli; cli.main({arguments!r}); print(*sys.modules, file=sys.stderr)"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout
    loaded = {"llvmlite", "ortools", "chocolatl.solver.advice"} & set(process.stderr.split())
    assert loaded == NEEDED.get(stage, set())
