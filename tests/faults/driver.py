"""Runs commands with faults, each in a process of its own that is a copy of this one (fork server).

The program is imported once. A task is a line of JSON on standard input, its result one on standard output: the exit
code, the messages, the files that are there afterwards, and the sites that were reached.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import pkgutil
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from tests.faults.injection import FAULT, RECORD, SITES, Tracer
from tests.faults.sites import by_file

LONGEST = 60
"""Seconds after which a command hangs, and is ended."""


def serve(place: Path) -> None:
    os.environ[SITES] = str(place / "sites")
    (place / "sites").write_bytes(pickle.dumps(by_file()))
    for package in ("chocolatl.interpreter", "chocolatl.solver"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    for number, line in enumerate(sys.stdin):
        print(json.dumps(run(json.loads(line), place / str(number))), flush=True)


def run(task: dict[str, Any], place: Path) -> dict[str, Any]:
    """Run one command in a folder of its own, and see what came of it."""
    folder = place / "folder"
    folder.mkdir(parents=True)
    for name, text in task["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (place / "in").write_text(task["typed"], encoding="utf-8")
    child = os.fork()
    if not child:
        _become(task, place, folder)
    signal.signal(signal.SIGALRM, lambda number, frame: os.kill(child, signal.SIGKILL))
    signal.alarm(LONGEST)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(0)
    texts = {stream: (place / stream).read_text(encoding="utf-8") for stream in ("out", "err")}
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    left = [path.name for path in (place / "tmp").iterdir()]
    result = {
        "code": code,
        **texts,
        "files": {name: path.read_text(encoding="utf-8", errors="replace") for name, path in files.items()},
        "left": left,
        "reached": (place / "record").read_text(encoding="utf-8").split("\n")[:-1],
    }
    shutil.rmtree(place)
    return result


def _become(task: dict[str, Any], place: Path, folder: Path) -> None:
    """The command itself, which never returns."""
    for number, name, flags in ((0, "in", os.O_RDONLY), (1, "out", os.O_WRONLY), (2, "err", os.O_WRONLY)):
        os.dup2(os.open(place / name, flags | os.O_CREAT, 0o600), number)
    os.chdir(folder)
    sys.stdin, sys.stdout = open(0, encoding="utf-8"), open(1, "w", encoding="utf-8")  # noqa: SIM115
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if name in task["closed"]:
            os.close(number)
            setattr(sys, name, None)
    (place / "tmp").mkdir()
    fault = "\t".join(map(str, task["fault"])) if task["fault"] else ""
    own = place if task["cold"] else Path(task["cache"])
    os.environ |= {FAULT: fault, RECORD: str(place / "record"), "TMPDIR": str(place / "tmp")}
    os.environ |= {"CHOCOLATL_CACHE": str(own / "cache"), "XDG_STATE_HOME": str(own / "state")}
    code = 70
    try:
        from chocolatl.cli import main

        sys.argv = ["chocolatl", *task["words"]]
        Tracer().install()
        code = main()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        sys.settrace(None)
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError:
            code = 120
        os._exit(code)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
elif os.environ.get(RECORD):  # a process that a command has started imports this module again
    Tracer().install()
