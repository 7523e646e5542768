"""No silent default: where only some operations are named, that is listed here, with the reason why the rest is right.

A recogniser looks for one special shape; what it does not know it treats as everything else is treated, and that is
right for whatever there will be (it leaves out an optimisation, or asks another place that names all). Whoever gives a
meaning names every operation: see "How to add an operation" in docs/ir.md.
"""

from __future__ import annotations

from collections import defaultdict

import pytest

from tests.operations.defaults import Default, defaults
from tests.project.test_architecture import product_files

RECOGNISERS: dict[tuple[str, str], str] = {
    ("interpreter/native/paired/module.py", "paired_games"): "all that draws is here; the rest is as in any game",
    ("interpreter/play/pairing.py", "_visit"): "whatever else holds statements adds nothing to what a number is for",
    (
        "interpreter/engine/expressions.py",
        "PythonExpressionEmitter.integer",
    ): "a number stays what it is when it is made one",
    ("interpreter/engine/expressions.py", "depends_on"): "what may depend on something is computed each time",
    (
        "interpreter/engine/statements.py",
        "PythonStatementEmitter.change_set",
    ): "the others go to matches that name them",
    (
        "interpreter/engine/statements.py",
        "PythonStatementEmitter.checkpoint",
    ): "before all but changes, invariants are looked at",
    ("interpreter/lowered/fold.py", "Folder.written_out"): "the order of terms that cannot fail",
    ("interpreter/lowered/conditions.py", "conjuncts"): "any condition is the only part of itself",
    ("interpreter/formats/scenario_names.py", "Questions.__init__"): "whatever else is no question, so it has no name",
    ("interpreter/analysis/endings.py", "alternatives"): "any condition is the only part of itself",
    (
        "interpreter/meaning/conditions.py",
        "ConditionWalk.place",
    ): "only a shared place asks whether places can be shared",
    (
        "interpreter/meaning/conditions.py",
        "ConditionWalk.look",
    ): "what is no condition holds some, and they are looked at",
    ("interpreter/meaning/conditions.py", "ConditionWalk.with_fact"): "any other condition is known as it is",
    ("interpreter/meaning/secrets.py", "SecretFlow.taint"): "all but how many there are tells what they are",
    ("interpreter/meaning/reading.py", "Reader.kind"): "what is not denied is a number",
    ("interpreter/meaning/reading.py", "Reader._aggregate"): "the others go to a match that names them",
    ("interpreter/meaning/reading.py", "Reader.form"): "any other number is an unknown of its own",
    ("interpreter/meaning/reading.py", "Reader._nonlinear"): "of any other number nothing is known",
    ("interpreter/meaning/reading.py", "Reader.term"): "what is no sum is the same where its parts are",
    ("interpreter/meaning/reading.py", "Reader.formula"): "any other condition is an unknown of its own",
    ("interpreter/meaning/reading.py", "Reader._comparison"): "the others go to a match that names them",
    (
        "interpreter/translate/expressions.py",
        "ExpressionTranslator.beside_dropped",
    ): "asked of the equalities alone, which are two",
    (
        "interpreter/translate/expressions.py",
        "ExpressionTranslator.compare",
    ): "asked of the equalities alone, which are two",
    (
        "interpreter/translate/expressions.py",
        "ExpressionTranslator.comparison",
    ): "asked of the equalities alone, which are two",
    ("interpreter/ir/operations.py", "CALLS"): "what is no call stands between its operands",
    ("interpreter/analysis/secrecy.py", "InformationFlow.label"): "all but how many lie in a zone tells what they are",
    ("interpreter/ir/walk.py", "fields_read.visit"): "only these two have a field: see test_declared.py",
    (
        "interpreter/native/emit/statements/invariants.py",
        "check_invariants",
    ): "before all but changes, invariants are looked at",
    ("interpreter/native/emit/statements/latches.py", "latch_alternatives"): "any condition is the only part of itself",
    (
        "interpreter/native/emit/statements/latches.py",
        "is_owners_alone",
    ): "what is not one player's own is asked of all",
    (
        "interpreter/native/emit/decisions/answers.py",
        "draw_bit",
    ): "the elements of others are gone through, each once",
    (
        "interpreter/native/emit/statements/contests.py",
        "note_sharers",
    ): "what is not for anybody holds or does not, and leaves a 0 then",
    (
        "interpreter/native/vector/statements.py",
        "_can_vectorise_one",
    ): "the others are done by one player after the other",
    ("interpreter/native/builds/whole_games.py", "straight_contest"): "others than those for anybody are loops",
    ("interpreter/native/builds/whole_games.py", "WHOLE_GAMES"): "with others there is no pass to try first",
    ("interpreter/native/builds/resumable.py", "RESUMABLE"): "others are as in whole games, where a table names all",
    ("interpreter/native/policy/lanes.py", "_counted"): "others are computed in lanes as they are, or not there",
    ("interpreter/policy/answers.py", "known_value"): "others are held to depend on more than the element",
    ("interpreter/policy/sites.py", "_kept"): "all that is inside a block is gone through, and only choices are asked",
    ("interpreter/program/constants.py", "_Evaluator.typed"): "the others go to a match that names them",
    ("solver/symbolic/next_round.py", "RunToNextQuestion.carried_out"): "lowered/waits decides by name what waits",
    ("solver/symbolic/next_round.py", "tested"): "of others it is not known for which values they hold",
    ("solver/symbolic/bounds.py", "FormulaBounds.factors_of"): "others have the bounds that their parts give them",
    ("solver/symbolic/loop_invariants.py", "LoopInvariants.is_early"): "others are done in their turn",
    ("solver/symbolic/effects.py", "alternatives"): "any condition is the only part of itself",
    ("solver/symbolic/run.py", "COMPOUND"): "others are carried out at once",
    ("solver/symbolic/run.py", "PLAIN"): "with others there is a pass for each player",
}
"""File and function, and why its default is right for every operation that it does not name."""


def complaints(files: dict[str, str], listed: dict[tuple[str, str], str]) -> list[str]:
    places: dict[tuple[str, str], list[Default]] = defaultdict(list)
    for each in defaults(files):
        places[each.path, each.function].append(each)
    said: list[str] = []
    for (path, function), found in places.items():
        if (path, function) not in listed:
            named = ", ".join(sorted({name for each in found for name in each.named}))
            said.append(f"{path}:{found[0].line}: {function} leaves all but {named} to a default")
    return said + [
        f"{path}: {name} is listed, and has no default" for path, name in listed if (path, name) not in places
    ]


def test_nothing_is_left_to_a_default_without_a_reason() -> None:
    assert complaints(product_files(), RECOGNISERS) == []


HEAD = """
from chocolatl.interpreter.ir import nodes as ir, operations
from chocolatl.interpreter.ir.operations import AggregateKind, SetChange, complete
from typing import assert_never
"""

SILENT = {
    "a comparison": "def f(kind): return 1 if kind is AggregateKind.SUM else 2",
    "a comparison of values": "def f(kind): return kind != operations.AggregateKind.SUM",
    "a choice of several": "def f(kind): return kind in (AggregateKind.SUM, AggregateKind.NUMBER)",
    "a match without an end": "def f(kind):\n match kind:\n  case AggregateKind.SUM: return 1",
    "a match with a default": "def f(kind):\n match kind:\n  case SetChange.ADD: return 1\n  case _: return 2",
    "a match that fails": "def f(s):\n match s:\n  case ir.If() | ir.Call() | ir.Stop(): return 1\n  case _: raise E",
    "a match of both": "def f(z):\n match z:\n  case ir.FieldZone(): return 1\n  case ir.LocalZone(): return 2",
    "a pattern inside": "def f(e):\n match e:\n  case ir.Aggregate(kind=AggregateKind.SUM): return 1",
    "a table": "f = {AggregateKind.SUM: 1, AggregateKind.NUMBER: 2}.get",
    "a table of nodes": "f = {ir.If: 1, ir.Call: 2, ir.Stop: 3}.get",
    "a collection of nodes": "f = frozenset([ir.If, ir.Call, ir.Stop])",
    "a question after the other": "def f(s): return isinstance(s, (ir.If, ir.Call)) or isinstance(s, ir.Stop)",
    "a question about a union": "Some = ir.If | ir.Call | ir.Stop\ndef f(s): return isinstance(s, Some)",
}
LOUD = {
    "a match of all": "def f(k):\n match k:\n  case SetChange.ADD: return 1\n  case _: assert_never(k)",
    "a table of all": "f = complete(SetChange, {SetChange.ADD: 1, SetChange.REMOVE: 2}, __name__)",
    "a finer case": (
        "def f(k):\n match k:\n  case SetChange.ADD | SetChange.CLEAR: return k is SetChange.ADD\n"
        "  case _: assert_never(k)"
    ),
    "a question that leaves the rest to a match": (
        "def f(s):\n if isinstance(s, ir.If | ir.Call | ir.Stop): return 1\n match s:\n  case ir.Draw(): return 2\n"
        "  case _: assert_never(s)"
    ),
    "a type": "def f(s: ir.If | ir.Call | ir.Stop) -> tuple[ir.If, ir.Call, ir.Stop]: ...",
    "one kind of node": "def f(e): return isinstance(e, ir.Constant)",
    "a whole list": "def f(e): return isinstance(e, ir.Expression)",
    "what has the same name elsewhere": "from elsewhere import tree as t\nf = (t.If, t.Call, t.Stop)",
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_a_silent_default_is_found(text: str) -> None:
    (complaint,) = complaints({"solver/sample.py": HEAD + text}, {})
    assert complaint.startswith("solver/sample.py:") and ": f leaves all but " in complaint
    assert complaints({"solver/sample.py": HEAD + text}, {("solver/sample.py", "f"): "it is right"}) == []


@pytest.mark.parametrize("text", LOUD.values(), ids=LOUD)
def test_what_names_all_or_only_looks_is_none(text: str) -> None:
    assert complaints({"solver/sample.py": HEAD + text}, {}) == []


def test_a_reason_that_is_not_needed_any_more_is_found() -> None:
    listed = {("solver/sample.py", "f"): "it was right"}
    assert complaints({"solver/sample.py": HEAD}, listed) == ["solver/sample.py: f is listed, and has no default"]
