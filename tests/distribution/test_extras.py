"""The light installation: the wheel and the few packages that everybody needs. What needs more says what to type."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackagePath, distribution
from pathlib import Path
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.players.registry import TYPES
from chocolatl.interpreter.system.extras import Extra
from chocolatl.solver.players import SOLVER
from tests.conftest import ROOT
from tests.distribution.installed import build, install

MOST = 40 << 20
"""Bytes that the light installation takes, our own included."""

NATIVE, SOLVE = Extra.NATIVE, Extra.SOLVE

ASKED: list[tuple[str, Extra | None]] = [
    ("new my_game", None),
    ("variant goofspiel mine", None),
    ("rules goofspiel", None),
    ("check {rules}/goofspiel", None),
    ("explain E414", None),
    ("fmt --check {rules}/goofspiel", None),
    ("test goofspiel", None),
    ("mutate blotto --sample 4 --at-least 1", None),
    ("deal goofspiel/short --players 2 --seed 1 -o dealt.yaml", None),
    ("deal chocolatl/three_locations --players 3 --seed 1 --to-round 1 -o bids.yaml", None),
    ("play goofspiel/short --players me=you,it=solver --seed 1", None),
    ("simulate goofspiel/short --players 2 --games 10", None),
    ("simulate goofspiel/short --players random,greedy --games 2 --transcripts games.jsonl --jobs 2", None),
    ("simulate goofspiel/short --players random,random --games 2 --engine native", NATIVE),
    ("simulate goofspiel --players random,learned --games 2", NATIVE),
    ("simulate goofspiel --players learned,learned --games 4 --jobs 2", NATIVE),
    ("simulate goofspiel/short --players random,solver --games 1 --plot games.svg", None),
    ("simulate goofspiel --players random,solver --games 1", NATIVE),
    ("replay games.jsonl", None),
    ("train goofspiel --players 2 --updates 1 -o learned.yaml", NATIVE),
    ("value fit goofspiel -o value.yaml", NATIVE),
    ("ladder goofspiel --players 2 --types random,learned", NATIVE),
    ("ladder goofspiel/short --players 2 --types random,greedy --most 20", None),
    ("solve dealt.yaml --player p1 --against random --plot answer.svg", None),
    ("solve dealt.yaml --player p1 --against random --engine sampling --samples 4", None),
    ("solve bids.yaml --player p1 --against random --scenarios 1", SOLVE),
    ("solve bids.yaml --player p1 --against random --scenarios 1 --explain", SOLVE),
    ("deal goofspiel --players 2 --seed 1 -o whole.yaml", None),
    ("solve whole.yaml --player p1 --against learned", NATIVE),
    ("compare goofspiel/short goofspiel/short --players 2 --most 20", NATIVE),
    ("completion bash", None),
    ("dump goofspiel/short --stage ir --players 2", None),
    ("dump goofspiel/short --stage native --players 2", NATIVE),
    ("dump bids.yaml --stage model --player p1 --against random --scenarios 1", None),
]
"""Every command and every type of player, with the extra that it needs."""


@dataclass(frozen=True)
class LightInstallation:
    command: Path
    folder: Path
    size: int

    def run(self, words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        asked = [str(self.command), *shlex.split(words)]
        return subprocess.run(
            asked, cwd=self.folder, env=environment, input=typed, capture_output=True, text=True, check=False
        )


def required(names: list[str]) -> set[str]:
    """Packages with all that they need, themselves included, without extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.split(r"[^\w.-]", waiting.pop())[0].lower()
        if name in found:
            continue
        found.add(name)
        for line in distribution(name).requires or []:
            needed, _, condition = line.partition(";")
            if not condition or holds(condition):
                waiting.append(needed.strip())
    return found


def holds(condition: str) -> bool:
    """Whether a requirement is one for this Python and without extras, as far as our packages have conditions."""
    below = re.fullmatch(r"\s*python_version\s*<\s*[\"']3\.(\d+)[\"']\s*", condition)
    if below:
        return sys.version_info[1] < int(below[1])
    assert "extra ==" in condition, f"a condition that nobody thought of: {condition}"
    return False


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> LightInstallation:
    made, place = tmp_path_factory.mktemp("light"), tmp_path_factory.mktemp("place")
    packages = install(build("wheel", ROOT, tmp_path_factory.mktemp("dist")), made)
    for name in required(project()["dependencies"]):
        files = distribution(name).files
        assert files is not None
        for top in {top for file in files if (top := top_of(file)) is not None}:
            (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    parts = (path for top in packages.iterdir() for path in ([top] if top.is_file() else top.rglob("*")))
    size = sum(path.stat().st_size for path in parts if path.is_file() and path.suffix != ".pyc")
    return LightInstallation(made / "bin" / "chocolatl", place, size)


def top_of(file: PackagePath) -> str | None:
    """The folder or module of a package that a file belongs to; scripts lie elsewhere."""
    return None if file.parts[0] in ("..", "__pycache__") else file.parts[0]


def project() -> Any:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def test_it_is_light(light: LightInstallation) -> None:
    assert light.size < MOST


def test_whatever_needs_more_says_what_to_type(light: LightInstallation) -> None:
    for words, extra in ASKED:
        done = light.run(words.format(rules=ROOT / "rules"), typed="hint\nquit\n")
        told = f"{words}: {done.returncode}\n{done.stdout[-500:]}\n{done.stderr}"
        assert "Traceback" not in done.stderr, told
        if extra is None:
            assert done.returncode == 0, told
        else:
            packages = " ".join(f"'{each}'" if ">" in each else each for each in extra.packages)
            assert done.returncode == 2 and f"-m pip install {packages}`" in done.stderr, told


def test_a_game_goes_on_without_hints(light: LightInstallation) -> None:
    done = light.run("play goofspiel --players me=you,it=random --seed 1 --save left.yaml", typed="hint\n3\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "no hint: numpy is not installed; type" in " ".join(done.stdout.split())
    assert "round: 2" in (light.folder / "left.yaml").read_text(encoding="utf-8")


def test_every_command_and_every_type_of_player_is_tried() -> None:
    tried = [words.split() for words, _ in ASKED]
    assert {words[0] for words in tried} == set(cli.COMMANDS)
    types = {part.rpartition("=")[2] for words in tried for word in words for part in word.split(",")}
    assert types >= {*TYPES, SOLVER, "you"}


def test_the_extras_are_those_of_the_distribution() -> None:
    extras = project()["optional-dependencies"]
    for extra in Extra:
        assert set(extras[extra.value]) == set(extra.packages)
    assert set(extras["all"]) == {package for extra in Extra for package in extra.packages}


def test_the_table_of_extras_is_true() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", page, re.MULTILINE))
    assert rows.keys() == {extra.value for extra in Extra} | {"all"}
    for extra in Extra:
        assert [name.strip(" `") for name in rows[extra.value].split(",")] == [*extra.modules]
