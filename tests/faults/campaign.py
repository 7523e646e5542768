"""A campaign of faults: which ones are tried in a command, and what is wrong with what came of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.position import load_position
from tests.conftest import ROOT
from tests.faults.commands import COMMANDS, MATERIAL, STAGES, Command
from tests.faults.injection import FAILURES, SEEN
from tests.faults.sites import Kind, Site, sites

REFUSED = 2


@dataclass(frozen=True)
class Fault:
    site: Site
    number: int
    failure: str

    def __str__(self) -> str:
        return f"{self.failure} at {self.site.key}, time {self.number}"


class Campaign:
    """A process that runs commands with faults, and how they go without any."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.sites = {site.key: site for site in sites()}
        self.material: dict[str, str] = {}

    @cached_property
    def process(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.faults.driver", str(self.place)],
            cwd=ROOT,
            env=os.environ | {"COLUMNS": "80"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        if "process" in self.__dict__:
            self.process.communicate()

    def run(self, command: Command, fault: Fault | None = None) -> dict[str, Any]:
        for name in command.material:
            if name not in self.material:
                made = self.run(Command(MATERIAL[name], STAGES))
                self.material[name] = made["files"][name]
        task = {
            "words": command.words.split(),
            "files": self.before(command),
            "typed": command.typed,
            "closed": command.closed,
            "cold": command.cold,
            "cache": str(self.place),
            "fault": fault and (fault.site.key, fault.number, fault.failure),
        }
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps(task), file=self.process.stdin, flush=True)
        result: dict[str, Any] = json.loads(self.process.stdout.readline())
        return result

    def before(self, command: Command) -> dict[str, str]:
        return dict(command.files) | {name: self.material[name] for name in command.material}

    def faults(self, reached: list[str]) -> Iterator[Fault]:
        """Each site that was reached fails in each way, at the first, the second and the last time."""
        for key, times in Counter(reached).items():
            for number in sorted({1, 2, min(times, SEEN)} & set(range(1, times + 1))):
                for failure in FAILURES[self.sites[key].kind]:
                    if failure != "killed" or self.sites[key].what == "process.start":
                        yield Fault(self.sites[key], number, failure)

    def complaints(self, command: Command, fault: Fault, result: dict[str, Any], sound: dict[str, Any]) -> list[str]:
        """What is wrong with the end of a command in which something failed."""
        code, told, found = result["code"], result["err"], result["files"]
        wrong = []
        if code not in (command.code, REFUSED) or (_is_result(fault.site) and code != REFUSED):
            wrong.append(f"exit code {code}, where {command.code} is that without the fault")
        if "Traceback" in told or "bug of ours" in told:
            wrong.append("a traceback, or our own bug")
        if code == REFUSED and "stderr" not in command.closed and not told:
            wrong.append("not a word")
        before = self.before(command)
        for name in sorted({*before, *found, *command.writes}):
            states = [before.get(name), *([None] if name in command.sweeps else [])]
            if name in command.writes:
                # In a game that goes on, and beside another failure, it is told and changes no exit code.
                beside = (command.group == "play" or code) and "cannot be written" in result["out"] + told
                states = [*(states if code == REFUSED or beside else []), sound["files"].get(name)]
            if found.get(name) not in states and not (command.group == "play" and self.is_position(found.get(name))):
                wrong.append(f"{name}: neither the old file nor the new one")
        if result["left"] and fault.site.what != "shutil.rmtree":
            wrong.append(f"left behind: {result['left']}")
        return wrong and [f"{command.words}: {fault}: {'; '.join(wrong)}", told]

    def is_position(self, text: str | None) -> bool:
        """Whether a file is a whole position: who plays may find the game saved at another moment."""
        path, findings = self.place / "position.yaml", Findings()
        path.write_text(text or "", encoding="utf-8")
        return load_position(path, findings) is not None and not findings.items


def _is_result(site: Site) -> bool:
    """Whether a site is about a result: if that cannot be written, the command has failed. Messages and what is kept
    for another time may be lost; of files one can see whether they were written."""
    return site.kind is Kind.STREAM and not site.path.startswith(("interpreter/native/", "interpreter/system/"))


def commands(group: str) -> list[Command]:
    return [command for command in COMMANDS if command.group == group]
