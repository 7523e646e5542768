"""Every module has one name, below `chocolatl`, in this process and in all that the command starts.

What the tests of a whole run have loaded is looked at when they are over, by a fixture of `conftest.py`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from chocolatl import cli
from chocolatl.interpreter.system.shipped import HOME, shipped
from tests.conftest import ROOT
from tests.distribution.loaded import complaints
from tests.project.test_architecture import python_files

PARTS = ("interpreter", "solver", "cli", "rules", "schemas")
"""What is a folder or a file at the top of a checkout, and no module of that name."""

PLAIN = re.compile(rf"^\s*(?:from|import) (?:{'|'.join(PARTS)})\b(?:\.\w+)*(?: import .*| as .*|,.*)?$", re.MULTILINE)
"""A statement that imports one of them."""

WATCHING = """
import os, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        mains = [getattr(sys.modules.get(each), "__file__", None) for each in ("__main__", "__mp_main__")]
        with open(os.environ["WATCHED"], "a") as file:
            print(os.getpid(), name, *mains, sep="\\t", file=file)

sys.meta_path.insert(0, Watch())
"""
"""Loaded by every process as it starts: writes down what is imported, and which file the process began with."""

BEGINNINGS = {
    "python cli.py": [sys.executable, str(ROOT / "cli.py")],
    "python -m chocolatl": [sys.executable, "-m", "chocolatl"],
    "chocolatl": [str(Path(sys.executable).with_name("chocolatl"))],
}


def copy_of(module: ModuleType, name: str) -> ModuleType:
    spec = spec_from_file_location(name, module.__file__)
    assert spec is not None
    return module_from_spec(spec)


def test_a_module_with_two_names_is_found() -> None:
    assert complaints({"chocolatl.cli": cli, "__main__": cli, "os": os}) == []
    assert complaints({"cli": cli}) == [f"{cli.__file__} is loaded as cli"]
    for name in ("__main__", "chocolatl.again"):
        both = {"chocolatl.cli": cli, name: copy_of(cli, name)}
        assert complaints(both) == [f"{cli.__file__} is loaded as chocolatl.cli and {name}"]
    assert complaints({"loaded": copy_of(sys.modules[__name__], "a"), "tests.x": sys.modules[__name__]})


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_the_command_and_its_workers_load_each_module_once(beginning: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WATCHING, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "WATCHED": str(tmp_path / "watched")}
    words = ["simulate", "goofspiel/short", "--players", "2", "--games", "40", "--jobs", "2", "--engine", "interpreter"]
    done = subprocess.run(
        [*BEGINNINGS[beginning], *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    watched = [line.split("\t") for line in (tmp_path / "watched").read_text(encoding="utf-8").splitlines()]
    games = {process for process, name, *_ in watched if name == "chocolatl.interpreter.engine.machine"}
    assert len(games) >= 2, "the workers are watched, too"
    assert {name for _, name, *_ in watched if name.partition(".")[0] in PARTS} == set()
    once = [(process, name) for process, name, *_ in watched if name == "chocolatl.cli"]
    assert len(once) == len(set(once))
    own = {Path(main).name for process, _, _, main in watched if main != "None"}
    assert "cli.py" not in own, "no worker reads the file again that the process began with"


def test_nothing_is_imported_by_the_name_of_a_folder() -> None:
    files = python_files("interpreter", "solver", "cli.py", "tests", "benchmarks", "docs")
    assert len(files) > 400
    files.pop("benchmarks/former_moves.py")  # it runs in an old version, by the names of then
    assert [f"{path}: {found[0].strip()}" for path, text in files.items() for found in PLAIN.finditer(text)] == []
    assert PLAIN.search("    import solver.advice") and PLAIN.search("x\nfrom cli import main")


def test_what_comes_with_the_program_is_found() -> None:
    for path in (
        "interpreter/syntax/grammar.lark",
        "interpreter/syntax/grammar.json",
        "interpreter/diagnostics/codes/E101.md",
        "rules/goofspiel/game.yaml",
        "schemas/game.schema.json",
    ):
        assert shipped(path).is_file() and shipped(path).is_relative_to(HOME)
