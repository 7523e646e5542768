"""The wheel, installed: one name beside other packages, and all commands at work among files that have our old names.

`make test-wheel` runs all other tests against it, see `distribution/installed.py`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from chocolatl.interpreter import VERSION
from chocolatl.interpreter.system.shipped import shipped
from tests.conftest import ROOT
from tests.distribution.installed import INSTALLED, build, install, lend_packages, unpacked

OWN = "raise RuntimeError('this is the own module of whoever works here')\n"

NOTEBOOK = """
import chocolatl
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.play.library import load
from chocolatl.solver.advice import SolverQuestion, advise

game = load(find_game("goofspiel/short"), 2)
position = game.initial()
while chance := game.chance(position):
    position = game.resolve(position, chance.nth(0))
best = advise(game, position, 0, SolverQuestion(scenarios=2, samples=5))
print(chocolatl.__file__, best.status)
"""


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel, and a folder of somebody who has modules of the same names."""

    packages: Path
    names: frozenset[str]
    python: Path
    folder: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def chocolatl(self, *words: str) -> str:
        done = self.run(str(self.python.with_name("chocolatl")), *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    environment, folder = tmp_path_factory.mktemp("environment"), tmp_path_factory.mktemp("folder")
    packages = install(wheel, environment)
    names = frozenset(path.name for path in packages.iterdir())
    lend_packages(packages)
    for name in ("solver", "interpreter", "cli"):
        (folder / f"{name}.py").write_text(OWN, encoding="utf-8")
    for name in ("rules", "schemas"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(OWN, encoding="utf-8")
    return Installation(packages, names, environment / "bin" / "python", folder)


def contents(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def test_one_name_is_installed(installed: Installation) -> None:
    assert installed.names == {"chocolatl", f"chocolatl-{VERSION}.dist-info"}


def test_the_wheel_holds_every_file_of_the_program_and_no_other(wheel: Path) -> None:
    sources = {f"chocolatl/{path.name}": path for path in (ROOT / "src/chocolatl").iterdir() if path.is_file()}
    for name in INSTALLED:
        files = [ROOT / name] if (ROOT / name).is_file() else (ROOT / name).rglob("*")
        some = [path for path in files if path.is_file() and "__pycache__" not in path.parts]
        sources |= {f"chocolatl/{path.relative_to(ROOT).as_posix()}": path for path in some}
    found = {name: digest for name, digest in contents(wheel).items() if ".dist-info/" not in name}
    assert found == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in sources.items()}


def test_the_wheel_from_the_source_distribution_is_the_one_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path / "dist")
    again = build("wheel", unpacked(sdist, tmp_path / "source"), tmp_path / "dist")
    assert again.name == wheel.name and contents(again) == contents(wheel)


def test_commands_work_among_modules_that_have_the_names_of_our_folders(installed: Installation) -> None:
    assert "usage: chocolatl COMMAND" in installed.chocolatl("--help")
    shutil.copytree(shipped("rules/goofspiel"), installed.folder / "rules/goofspiel")
    assert '"errors": 0' in installed.chocolatl("check", "rules/goofspiel", "--format", "json")
    played = installed.chocolatl("simulate", "goofspiel", "--players", "2", "--games", "20", "--jobs", "2", "--json")
    assert '"games": 20' in played
    installed.chocolatl("deal", "goofspiel/short", "--players", "2", "--seed", "1", "-o", "p.yaml")
    solved = installed.chocolatl("solve", "p.yaml", "--player", "p1", "--scenarios", "2", "--samples", "5", "--json")
    assert '"status"' in solved


def test_python_finds_the_package_among_such_modules(installed: Installation) -> None:
    done = installed.run(str(installed.python), "-m", "chocolatl", "--version")
    assert (done.returncode, done.stdout) == (0, f"chocolatl {VERSION}\n")
    (installed.folder / "notebook.py").write_text(NOTEBOOK, encoding="utf-8")
    done = installed.run(str(installed.python), "notebook.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{installed.packages / 'chocolatl/__init__.py'} optimal\n"
    for name in ("solver", "interpreter", "cli", "rules", "schemas"):
        asked = installed.run(str(installed.python), "-c", f"import {name}")
        assert asked.returncode == 1 and "own module" in asked.stderr, "whoever asks for their own gets it"
