"""The pages about findings: each code has one, its example gives the finding, and what it says to write is right."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.diagnostics.pages import FAMILIES, SECTIONS, codes, page
from tests.checking.diagnostic_pages import DOCS, document, findings, overview
from tests.conftest import ROOT

CODE = re.compile(r'"([EW]\d{3})"')


def reported() -> set[str]:
    """The codes that the program names."""
    files = [*(ROOT / "interpreter").rglob("*.py"), *(ROOT / "solver").rglob("*.py"), ROOT / "cli.py"]
    return {code for path in files for code in CODE.findall(path.read_text(encoding="utf-8"))}


def test_every_code_has_a_page_and_every_page_is_about_a_code() -> None:
    assert reported() == set(codes())
    assert len(codes()) >= 40


def test_the_families_are_those_of_the_codes() -> None:
    assert {code[1] for code in codes()} == set(FAMILIES)


@pytest.mark.parametrize("code", codes())
def test_a_page_says_what_why_shows_an_example_and_what_to_write_instead(code: str) -> None:
    shown = page(code)
    assert shown.text.startswith(f"# {code}: {shown.title}\n")
    assert tuple(shown.sections) == SECTIONS and all(shown.sections.values())
    assert max(map(len, shown.text.split("\n"))) <= 120


@pytest.mark.parametrize("code", codes())
def test_an_example_gives_its_finding_and_no_other(code: str, tmp_path: Path) -> None:
    found = findings(page(code).sections["Example"], tmp_path, code)
    assert {diagnostic.code for diagnostic in found} == {code}


@pytest.mark.parametrize("code", codes())
def test_what_a_page_says_to_write_instead_has_no_findings(code: str, tmp_path: Path) -> None:
    assert findings(page(code).sections["Instead"], tmp_path, code) == []


@pytest.mark.parametrize("code", codes())
def test_what_is_generated_from_a_page_is_up_to_date(code: str) -> None:
    """If not: python -m tests.checking.diagnostic_pages"""
    assert (DOCS / f"{code}.md").read_text(encoding="utf-8") == document(page(code))


def test_the_overview_of_all_pages_is_up_to_date() -> None:
    assert (DOCS / "README.md").read_text(encoding="utf-8") == overview()
    assert {path.stem for path in DOCS.glob("*.md")} == {*codes(), "README"}


# ---------------------------------------------------------------- chocolatl explain


def test_explain_shows_a_page_in_any_spelling_of_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "e301"]) == 0
    assert capsys.readouterr().out == page("E301").text


def test_explain_without_a_code_lists_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain"]) == 0
    lines = capsys.readouterr().out.split("\n")
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(codes())
    assert {line for line in lines if line and not line.startswith(" ")} == set(FAMILIES.values())


def test_a_code_that_there_is_not_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "E3011"]) == 2
    out, err = capsys.readouterr()
    assert not out and err == "chocolatl: there is no code `E3011`; did you mean `E311`?\n"
    assert cli.main(["explain", "../E301"]) == 2


def test_check_reads_no_page() -> None:
    """They are many files, and only who asks for one should wait for it."""
    program = "from chocolatl import cli; import sys; cli.main(['check', 'rules/blotto']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert "chocolatl.interpreter.checking.checker" in done.stdout.split()
    assert "chocolatl.interpreter.diagnostics.pages" not in done.stdout.split()
