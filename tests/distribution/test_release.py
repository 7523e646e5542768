"""The steps of a release, run from a clone at a tag; and files that tell people about the project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from chocolatl.interpreter import VERSION
from tests.conftest import ROOT, Evidence
from tests.distribution.installed import install, lend_packages

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "tag.gpgSign=false"]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout as it would be released."""
    folder = tmp_path_factory.mktemp("release") / "clone"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    changes = folder / "CHANGELOG.md"
    changes.write_text(changes.read_text(encoding="utf-8").replace("## Unreleased", f"## {VERSION}", 1))
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "as released"], ["tag", f"v{VERSION}"]):
        subprocess.run([*GIT, *words], cwd=folder, check=True)
    return folder


def release(clone: Path, *steps: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable, **settings}
    environment.pop("PYTHONPATH", None)
    return subprocess.run([".ci/release", *steps], cwd=clone, env=environment, capture_output=True, text=True)


def test_only_a_tagged_commit_is_released(clone: Path) -> None:
    assert release(clone, "tag").returncode == 0
    (clone / "more.txt").write_text("more\n")
    changed = release(clone, "tag")
    assert changed.returncode == 1 and "not as in the commit" in changed.stderr
    (clone / "more.txt").unlink()
    subprocess.run([*GIT, "tag", "-d", f"v{VERSION}"], cwd=clone, check=True, capture_output=True)
    other = release(clone, "tag", "build")
    assert other.returncode == 1 and f"no tag v{VERSION}" in other.stderr
    assert not (clone / "dist").exists()
    subprocess.run([*GIT, "tag", f"v{VERSION}"], cwd=clone, check=True)


def test_what_is_built_works(clone: Path, tmp_path: Path) -> None:
    built = release(clone, "tag", "build")
    assert built.returncode == 0, built.stderr
    names = {path.name for path in (clone / "dist").iterdir()}
    assert names == {f"chocolatl-{VERSION}.tar.gz", f"chocolatl-{VERSION}-py3-none-any.whl"}
    lend_packages(install(clone / "dist" / f"chocolatl-{VERSION}-py3-none-any.whl", tmp_path / "made"))
    command = str(tmp_path / "made" / "bin" / "chocolatl")
    tried = release(clone, "try", COMMANDS=f"{command} {command}")
    assert tried.returncode == 0, tried.stdout + tried.stderr
    failing = release(clone, "try", COMMANDS=f"{command} {shutil.which('false')}")
    assert failing.returncode != 0


@pytest.mark.full_counts  # it installs everything twice, which takes minutes
def test_a_release_from_beginning_to_end(clone: Path, evidence: Evidence) -> None:
    for _ in evidence.cases("a release, installed in clean environments", full=1, slice=1):
        done = release(clone)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full_counts
def test_the_steps_of_the_container_run(clone: Path, tmp_path: Path, evidence: Evidence) -> None:
    for _ in evidence.cases("the steps of the container, in a clean environment", full=1, slice=1):
        subprocess.run([str(clone / ".ci/install"), str(tmp_path / "opt"), "all"], check=True)
        command = str(tmp_path / "opt/bin/chocolatl")
        told = subprocess.run([command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert told.stdout == f"chocolatl {VERSION}\n"


def test_the_container_installs_by_the_script() -> None:
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("RUN")] == ["RUN /program/.ci/install /usr/local/chocolatl all"]
    assert lines[-1] == 'ENTRYPOINT ["/usr/local/chocolatl/bin/chocolatl"]'


def test_the_workflow_of_a_release_is_the_script() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["release"]["steps"] if "run" in step]
    assert ".ci/release" in steps and not any("${{" in step for step in steps)


def test_files_for_people_name_the_version_and_what_is_there() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == VERSION and cited["cff-version"] == "1.2.0"
    for form in (ROOT / ".github/ISSUE_TEMPLATE").iterdir():
        held = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert held.keys() >= {"name", "description", "body"}
        assert {part["type"] for part in held["body"]} <= {"textarea", "input", "dropdown", "markdown", "checkboxes"}
    for page in ("CONTRIBUTING.md", "SECURITY.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#]+)", text):
            assert (ROOT / link).exists(), link
        for place in re.findall(r"`((?:rules|interpreter|solver|benchmarks|tests|docs)/[\w./]*)`", text):
            assert (ROOT / place).exists(), place
