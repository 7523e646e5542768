"""No finding about a random program is wrong: what is said to be always or never so is so in every game played."""

from __future__ import annotations

from pathlib import Path

from tests.checking.meaning.judging import findings_of, is_wrong
from tests.conftest import Evidence
from tests.fuzzing.programs import generate


def test_conditions_that_are_always_or_never_so_can_be_replaced(tmp_path: Path, evidence: Evidence) -> None:
    wrong, judged = [], 0
    for seed in evidence.cases("conditions said to be always or never so are so in play", full=500, slice=8):
        program = generate(seed)
        found = findings_of(program, tmp_path)
        if any(d.severity == "error" for d in found):
            continue
        for finding in found:
            if finding.code == "W005":
                judged += 1
                if is_wrong(program, finding, seed, tmp_path):
                    wrong.append((seed, str(finding)))
    assert not wrong and judged >= 8
