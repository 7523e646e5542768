"""No finding about a random program is wrong: what is said to be always or never so, or to be for nothing, is so in
every game played."""

from __future__ import annotations

from pathlib import Path

from tests.checking.meaning.judging import findings_of, is_wrong
from tests.conftest import Evidence
from tests.fuzzing.programs import generate


def test_what_is_said_to_be_for_nothing_changes_no_game(tmp_path: Path, evidence: Evidence) -> None:
    wrong, judged = [], 0
    for seed in evidence.cases("what check says is for nothing changes no game", full=500, slice=8):
        program = generate(seed)
        found = findings_of(program, tmp_path)
        if any(d.severity == "error" for d in found):
            continue
        for finding in found:
            said = is_wrong(program, finding, seed, tmp_path)
            judged += said is not None
            if said:
                wrong.append((seed, str(finding)))
    assert not wrong and judged >= 8
