"""Findings in the formats of others, safe edits, allowances and settings: what a pipeline builds on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from chocolatl import cli
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.diagnostics.pages import codes, page
from tests.checking.diagnostic_pages import write
from tests.conftest import ROOT, Evidence

SARIF = json.loads((ROOT / "tests/sarif/sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
FOREIGN = """\
play
    if n==3&&m != 4:
        n becomes 1;
    elif n ≤ 2
        n becomes 2

table has
    n : 0..9 = 0
    m : 0..9 = 0
"""
UNUSED = "enum suit = clubs, hearts"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    yield Path(".")


def rules(text: str) -> Path:
    write(f"```rules\n{text}```", Path())
    return Path("sample/sample.rules")


def check(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["check", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


# ---------------------------------------------------------------- formats


def test_the_findings_of_all_examples_are_valid_sarif(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    for code in codes():
        write(page(code).sections["Example"], place / code)
    status, out, _ = check(capsys, ".", "--format", "sarif")
    found = json.loads(out)
    jsonschema.Draft7Validator(SARIF).validate(found)
    results = found["runs"][0]["results"]
    assert status == 1 and {result["ruleId"] for result in results} == {*codes()} - {"E801"}
    described = [rule["id"] for rule in found["runs"][0]["tool"]["driver"]["rules"]]
    assert all(described[result["ruleIndex"]] == result["ruleId"] for result in results)
    assert any("relatedLocations" in result for result in results) and any("fixes" in result for result in results)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(SARIF).validate({**found, "version": "2.0.0"})
    status, out, _ = check(capsys, ".", "--format", "json")
    assert problems(json.loads(out), "findings") == []


def test_notes_for_a_workflow_are_one_line_each(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    rules("value a = cion\nvalue coin = 1\n")
    _, out, _ = check(capsys, "sample", "--format", "github")
    assert out == (
        "::error file=sample/sample.rules,line=4,col=11,title=E301,endColumn=14::there is nothing called `cion`"
        "%0Asample/sample.rules:5:7: this is declared and never used%0Adid you mean `coin`?\n"
    )


# ---------------------------------------------------------------- edits


def test_fix_makes_the_safe_edits_and_nothing_else(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    file = rules(FOREIGN)
    text = "\ufeff" + file.read_text(encoding="utf-8").replace("\n", "\r\n")
    file.write_bytes(text.encode("utf-8"))
    assert check(capsys, "sample")[2] == "checked 1 game: 1 error; `--fix` can mend 1\n"
    assert file.read_bytes() == text.encode("utf-8")
    assert check(capsys, "sample", "--fix") == (0, "", "checked 1 game: no findings; 7 mended\n")
    mended = text.replace("if n==3&&m != 4:", "if n is 3 and m is not 4").replace("1;", "1")
    assert file.read_bytes().decode("utf-8") == mended.replace("elif n ≤ 2", "else if n <= 2")
    assert sorted(path.name for path in Path("sample").iterdir()) == ["game.yaml", "sample.rules"]


def test_a_guess_at_a_spelling_is_suggested_and_not_made(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    file = rules("play\n    for each p in player\n        p.scroe becomes 1\n")
    before = file.read_bytes()
    code, out, _ = check(capsys, "sample", "--fix", "--format", "json")
    finding = json.loads(out)["findings"][0]
    assert code == 1 and file.read_bytes() == before
    assert (finding["fix"]["safe"], finding["fix"]["edits"][0]["text"]) == (False, "score")


# ---------------------------------------------------------------- allowances


def test_a_comment_allows_a_warning_on_its_line_or_the_next(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    rules(f"{UNUSED}\n")
    assert check(capsys, "sample", "--fail-on", "warning")[0] == 1
    for text in (f"{UNUSED}  # allow W001: later\n", f"# allow W001: later\n\n{UNUSED}\n"):
        rules(text)
        assert check(capsys, "sample", "--fail-on", "warning")[:2] == (0, "")


@pytest.mark.parametrize(
    ("comment", "code"),
    [("allow W003: later", "W007"), ("allow W001", "E111"), ("allow E301: no", "E111"), ("allow W999: no", "E111")],
)
def test_a_comment_that_allows_nothing_is_a_finding(
    comment: str, code: str, capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    rules(f"{UNUSED}  # {comment}\n")
    assert code in {
        finding["code"] for finding in json.loads(check(capsys, "sample", "--format", "json")[1])["findings"]
    }


def test_an_allowance_that_is_not_needed_is_taken_out(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    file = rules("play\n    # allow W005: it was so once\n    nothing  # allow W002: no more\n")
    assert check(capsys, "sample", "--fix")[:2] == (0, "")
    assert "play\n    nothing\n" in file.read_text(encoding="utf-8")


# ---------------------------------------------------------------- settings of a project


def test_a_project_sets_paths_format_and_level(capsys: pytest.CaptureFixture[str], place: Path) -> None:
    rules(f"{UNUSED}\n")
    Path("pyproject.toml").write_text('[tool.chocolatl]\npaths = ["sample"]\nfail-on = "warning"\nformat = "github"\n')
    code, out, _ = check(capsys)
    assert code == 1 and out.startswith("::warning file=sample/sample.rules,line=4,")
    assert check(capsys, "--fail-on", "error", "--format", "text")[0] == 0
    Path("pyproject.toml").write_text('[tool.chocolatl]\nexclude = ["sample"]\n')
    assert check(capsys)[2] == "checked nothing: no findings\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.chocolatl]\npath = []\n", "there is no setting `path` of `tool.chocolatl`; did you mean `paths`?"),
        ("[tool.chocolatl]\npaths = 3\n", "`paths` is a list of paths"),
        ("[tool.chocolatl]\nformat = 'xml'\n", "`format` is one of text, json, sarif, github, not 'xml'"),
        ("[tool.chocolatl\n", "this cannot be read as TOML"),
    ],
)
def test_wrong_settings_are_wrong_usage(
    text: str, message: str, capsys: pytest.CaptureFixture[str], place: Path
) -> None:
    Path("pyproject.toml").write_text(text)
    code, out, err = check(capsys, ".")
    assert (code, out) == (2, "") and message in err


# ---------------------------------------------------------------- hooks and workflows


FINE = "item winnings\n\nplay\n    for each p in player\n        p gains 1 score for winnings\n"


def committed() -> subprocess.CompletedProcess[str]:
    """What the framework says about all that is in this folder."""
    subprocess.run(["git", "add", "-A"], check=True)
    environment = {**os.environ, "PRE_COMMIT_HOME": str(Path(".git/home").resolve())}
    command = [sys.executable, "-m", "pre_commit", "run"]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def assert_only_sound_rules_are_committed() -> None:
    file = rules(FINE)
    subprocess.run(["git", "init", "-q"], check=True)
    right = committed()
    assert right.returncode == 0 and "Passed" in right.stdout, right.stdout
    file.write_text(file.read_text(encoding="utf-8").replace("for winnings", "for winings"), encoding="utf-8")
    wrong = committed()
    assert wrong.returncode == 1 and "sample/sample.rules:8:29: error E301" in wrong.stdout, wrong.stdout


def test_the_hook_keeps_broken_rules_from_being_committed(place: Path) -> None:
    """The definition is the shipped one; only where the program comes from differs: no index is needed here."""
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["language"] == "python"
    local = {**hook, "language": "system", "entry": f"{sys.executable} {ROOT / 'cli.py'} check"}
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [{"repo": "local", "hooks": [local]}]}))
    assert_only_sound_rules_are_committed()


@pytest.mark.full_counts  # it takes half a minute to install everything once more
def test_the_hook_installs_itself_from_a_clone(place: Path, evidence: Evidence) -> None:
    """As a maintainer has it: the framework clones the project and installs it with all that it needs."""
    for _ in evidence.cases("the hook installs itself", full=1, slice=1):
        subprocess.run(["git", "clone", "-q", str(ROOT), "clone"], check=True)
        head = subprocess.run(["git", "-C", "clone", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
        Path("work").mkdir()
        os.chdir("work")
        hooks = [{"id": "chocolatl-check"}]
        config = {"repos": [{"repo": str(Path("../clone").resolve()), "rev": head.stdout.strip(), "hooks": hooks}]}
        Path(".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
        assert_only_sound_rules_are_committed()


def test_the_steps_of_the_reusable_workflow_run(place: Path) -> None:
    workflow: dict[Any, Any] = yaml.safe_load((ROOT / ".github/workflows/check-rules.yml").read_text(encoding="utf-8"))
    inputs = workflow[True]["workflow_call"]["inputs"]  # YAML 1.1 reads `on` so
    job = workflow["jobs"]["check"]
    names = {"PATHS": "paths", "FAIL_ON": "fail-on", "REQUIREMENT": "requirement"}
    assert job["env"] == {name: f"${{{{ inputs.{key} }}}}" for name, key in names.items()}
    (run,) = [step["run"] for step in job["steps"] if step.get("name") == "Check"]
    assert "${{" not in run
    rules(f"{UNUSED}\n")
    defaults = {name: inputs[key]["default"] for name, key in names.items()}
    Path("bin").mkdir()
    Path("bin/chocolatl").write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT / "cli.py"} "$@"\n')
    Path("bin/chocolatl").chmod(0o755)
    path = f"{Path('bin').resolve()}:{os.environ['PATH']}"
    for given, code in (({}, 0), ({"PATHS": "sample", "FAIL_ON": "warning"}, 1)):
        environment = {**os.environ, **defaults, **given, "PATH": path}
        done = subprocess.run(["bash", "-e", "-c", run], capture_output=True, text=True, env=environment)
        assert done.returncode == code and done.stdout.startswith("::warning file=sample/sample.rules"), done.stderr
