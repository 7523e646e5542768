"""Nothing falls through: where an operation is forgotten, the type checker or the loading of a module says so.

Every place that gives operations a meaning is found in the text (`consumers.py`) and made to forget each of them; and
new operations are declared to see who asks for their meaning. All of this happens in a copy of the program.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Evidence, scaled
from tests.operations.consumers import Consumer, consumers
from tests.operations.forgetting import (
    TAKEN_FOR_TEXT,
    copied,
    forgetful,
    new_names,
    rounds,
    unnoticed,
    with_new_operations,
)
from tests.operations.ir_page import PAGE, asked, page, read_informed
from tests.operations.loading import incomplete
from tests.project.test_architecture import module_name, product_files

PLANTED = "solver/planted.py"
CARELESS = """
from typing import Any, assert_never
from chocolatl.interpreter.ir.operations import AggregateKind


def planted(kind: Any) -> int:
    match kind:
        case AggregateKind.SUM | AggregateKind.NUMBER:
            return 1
        case _:
            assert_never(kind)
"""
"""What looks like an exhaustive match, and is none: the type checker does not know what it is about."""


@pytest.fixture(scope="module")
def found() -> list[Consumer]:
    return consumers(product_files())


def test_every_forgotten_operation_is_reported_where_it_is_missing(
    found: list[Consumer], tmp_path: Path, evidence: Evidence
) -> None:
    """One after the other for the evidence, else one half and then the other. What is planted shows that it could be
    missed."""
    files = product_files() | {PLANTED: CARELESS}
    matches = [consumer for consumer in (*found, *consumers({PLANTED: CARELESS})) if consumer.never is not None]
    complaints: list[str] = []
    with copied(tmp_path, files) as copy:
        for forgotten in rounds(matches, scaled(max(len(each.named) for each in matches), 2)):
            ours = [operations for consumer, operations in forgotten if consumer.path != PLANTED]
            evidence.count("operations forgotten by a match", sum(map(len, ours)))
            copy.change(forgetful(files, forgotten))
            complaints += unnoticed(forgotten, copy.reports())
    missed = [f"{PLANTED}:7 planted: nobody notices that it forgets AggregateKind.{name}" for name in ("NUMBER", "SUM")]
    assert [complaint.removesuffix(": None") for complaint in complaints] == missed


def test_a_table_without_an_entry_cannot_be_loaded(found: list[Consumer], evidence: Evidence) -> None:
    paths = sorted({consumer.path for consumer in found if consumer.never is None})
    assert paths
    for path in paths:
        for kind, said in incomplete(module_name(path)):
            evidence.count("operations forgotten by a table")
            assert said.startswith(f"{path}: a table over ") and said.endswith(f" has no entry for {kind}")


MISTAKEN = """
from chocolatl.interpreter.ir.operations import AggregateKind


def mistaken(kind: AggregateKind) -> bool:
    return kind == "sum"
"""
"""An operation that is taken for a text: what is written so would always do, and no new one would be noticed."""


def test_a_new_operation_is_asked_for_wherever_one_is_given_a_meaning(tmp_path: Path, evidence: Evidence) -> None:
    """By every match and every table there is; docs/ir.md lists the files (else: python -m tests.operations.ir_page).

    In that copy operations are no texts, so that the type checker also sees where they are taken for some."""
    files = with_new_operations(product_files())
    reports, told = asked(tmp_path, files | {PLANTED: MISTAKEN})
    left, new = {(report.path, report.line): report.left for report in reports}, new_names()
    for consumer in consumers(files):
        for name in consumer.lists:
            evidence.count("places that ask for the meaning of a new operation")
            if consumer.never is None:
                assert any(line.startswith(f"{consumer.path}: ") for line in told), consumer.place
            else:
                assert new[name] in left[consumer.path, consumer.never], consumer.place
    assert page(read_informed(reports, told)) == PAGE.read_text(encoding="utf-8")
    assert [f"{each.path}:{each.line}" for each in reports if each.code in TAKEN_FOR_TEXT] == [f"{PLANTED}:6"]


WHO_HAS_TO_KNOW = {
    "ArithmeticOperator": "ir/failing lowered/fold engine/expressions native/emit/values_and_rankings/arithmetic "
    "solver/symbolic/formulas",
    "ComparisonOperator": "engine/expressions native/llvm/instructions solver/symbolic/formulas",
    "LogicOperator": "engine/expressions native/llvm/instructions solver/symbolic/formulas",
    "AggregateKind": "ir/failing lowered/fold engine/expressions native/emit/values_and_rankings/aggregates "
    "solver/symbolic/aggregates",
    "SetChange": "ir/printer engine/statements native/emit/statements/changes solver/symbolic/changes",
    "Sharing": "engine/statements native/emit/statements/contests solver/symbolic/run",
    "Expression": "ir/printer ir/failing ir/walk ir/validate lowered/fold engine/expressions "
    "native/emit/values_and_rankings/tables solver/symbolic/formulas solver/symbolic/bounds solver/symbolic/unmodelled",
    "Elements": "ir/printer ir/failing ir/sizes engine/expressions native/emit/values_and_rankings/elements "
    "solver/symbolic/domains",
    "Statement": "ir/printer analysis/work ir/walk ir/validate engine/statements engine/control "
    "native/builds/statement_table solver/symbolic/run solver/symbolic/effects solver/symbolic/unmodelled",
    "Zone": "ir/printer ir/failing engine/expressions native/emit/values_and_rankings/zones solver/symbolic/cells",
    "OrderSource": "ir/printer ir/failing engine/expressions native/emit/values_and_rankings/orders "
    "solver/symbolic/domains",
}
"""Some that must be among them, whatever the page says: what the IR promises, and each back end."""


def test_each_back_end_has_to_know_each_operation() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (`\w+/.*?) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    for name, some in WHO_HAS_TO_KNOW.items():
        wanted = {f"{'' if each.startswith('solver') else 'interpreter/'}{each}.py" for each in some.split()}
        assert wanted - set(re.findall(r"`(.*?)`", rows[name])) == set(), name
