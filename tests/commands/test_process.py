"""The command among other processes: streams that are closed or full, signals, and what a killed one leaves behind."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from chocolatl.interpreter.formats.files import UnwritableFile, write_text, writing
from chocolatl.interpreter.system import atomic
from chocolatl.interpreter.system.signals import cleared
from tests.conftest import PACKAGE, ROOT, Evidence
from tests.games import ENDLESS, write_game

COMMAND = f"{sys.executable} {ROOT / 'cli.py'}"
DEAL = "deal goofspiel --players 2 --seed 1"
PLAY = "play goofspiel --players you,random --seed 1 --save left.yaml"
SIMULATE = "simulate goofspiel --players 2 --games 10 --engine interpreter"
CLOSED, FULL = "chocolatl: standard output is closed\n", "chocolatl: the machine refuses: No space left on device\n"


def shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", f"{COMMAND} {line}"], cwd=folder, capture_output=True, text=True, check=False)


@contextmanager
def start(folder: Path, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A command that ends with the block at the latest."""
    command = [sys.executable, str(ROOT / "cli.py"), *map(str, arguments)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


# ---------------------------------------------------------------- standard streams


@pytest.mark.parametrize(
    ("line", "code", "told"),
    [
        ("--help >&-", 2, CLOSED),
        ("simulate --help >/dev/full", 2, FULL),
        (f"{DEAL} >&-", 2, CLOSED),
        (f"{DEAL} >/dev/full", 2, FULL),
        (f"{DEAL} -o position.yaml >&-", 0, "position.yaml written\n"),
        (f"{SIMULATE} --json >&-", 2, CLOSED),
        (f"{PLAY} <&-", 0, ""),
        (f"{PLAY} <&- >&-", 2, CLOSED),
        ("fmt --check - <&-", 2, None),
    ],
)
def test_a_closed_stream_leads_nowhere(line: str, code: int, told: str | None, tmp_path: Path) -> None:
    """A closed input is at its end; a result for a closed output is like one for a full disk."""
    process = shell(line, tmp_path)
    assert process.returncode == code and process.stderr == (process.stderr if told is None else told)
    assert "Traceback" not in process.stderr and "bug of ours" not in process.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [(f"{DEAL} -o position.yaml", 0), ("test no_such_file", 2), ("explain X", 2), (f"{DEAL} --to-round 99", 1)],
)
def test_messages_that_nobody_can_get_change_no_exit_code(line: str, code: int, tmp_path: Path) -> None:
    assert [shell(f"{line} {how}", tmp_path).returncode for how in ("", "2>&-", "2>/dev/full")] == [code] * 3


def test_no_file_is_taken_for_a_closed_stream(tmp_path: Path) -> None:
    """The system gives a new file the lowest number that is free: that of standard output, if that is closed."""
    for name, closed in (("open", ""), ("closed", "<&- >&- 2>&-")):
        assert shell(f"simulate goofspiel --players 2 --games 3 --transcripts {name} --jobs 2 {closed}", tmp_path)
    assert (tmp_path / "open").read_bytes() == (tmp_path / "closed").read_bytes() != b""


def test_a_table_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    reading, writing_end = os.pipe()
    os.close(reading)
    command = [sys.executable, str(ROOT / "cli.py"), *SIMULATE.split()]
    process = subprocess.run(command, stdout=writing_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing_end)
    assert process.returncode == 0 and "rror" not in process.stderr


# ---------------------------------------------------------------- signals


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_signal_ends_the_command_and_its_helpers_and_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """What SIGKILL leaves, the next command that writes there removes. Games that take years end with their parent."""
    folder, game = tmp_path / "results", write_game(tmp_path, ENDLESS)
    folder.mkdir()
    write_text(folder / "t.jsonl", "old\n")
    more = ("--jobs", "2", "--transcripts", "t.jsonl", "--plot", "p.svg")
    with start(folder, "simulate", game, "--players", "2", "--games", "9", *more) as process:
        while len(list(folder.glob(".*"))) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.5)  # its helpers have begun
        process.send_signal(number)
        # Its helpers have its standard error too: there is no end of that before they have ended.
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (-number, "", "")
    assert len(list(folder.glob(".*"))) == (2 if number == signal.SIGKILL else 0)
    assert shell(f"{DEAL} -o position.yaml", folder).returncode == 0
    assert {path.name for path in folder.iterdir()} == {"t.jsonl", "position.yaml"}
    assert (folder / "t.jsonl").read_bytes() == b"old\n"


def test_mutants_leave_no_copy_of_their_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with start(tmp_path, "mutate", "goofspiel") as process:
        while not list(tmp_path.glob("chocolatl-*")):  # before that, Python tries whether it can write there at all
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == -signal.SIGTERM and not list(tmp_path.iterdir())


def test_a_signal_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """`nohup` asks for that."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with cleared(lambda: None):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# ---------------------------------------------------------------- interruptions while it starts


def python(code: str, folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run some Python in which modules of a folder come before all others."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(PACKAGE.parent)])}
    command = [sys.executable, "-c", code, *arguments]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout, process.stderr


INTERRUPTING = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(0.02)\n"


def test_an_interruption_during_the_first_imports_is_no_traceback(tmp_path: Path) -> None:
    write_text(tmp_path / "errno.py", "")
    write_text(tmp_path / "gc.py", "")
    write_text(tmp_path / "argparse.py", INTERRUPTING)
    code = "import sys\nsys.argv = ['bin/chocolatl', '--help']\nfrom chocolatl.__main__ import main\nprint(main())"
    assert python(code, tmp_path) == (130, "", "")


def test_an_interruption_waits_for_an_import_to_end(tmp_path: Path) -> None:
    """Whoever catches it there would be left with half a module, and a lock's own finalizer would lose it."""
    write_text(tmp_path / "slow.py", INTERRUPTING + "print('imported')\n")
    code = (
        "from chocolatl.interpreter.system.signals import raise_interruptions\nimport time\nraise_interruptions()\n"
        "try:\n    import slow\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('interrupted')"
    )
    assert python(code, tmp_path) == (0, "imported\ninterrupted\n", "")


def test_an_interruption_is_not_lost_in_a_finalizer(tmp_path: Path) -> None:
    code = (
        "import os, signal, time\n"
        "from chocolatl.interpreter.system.signals import raise_interruptions\n"
        "raise_interruptions()\n"
        "class Last:\n    def __del__(self):\n        os.kill(os.getpid(), signal.SIGINT)\n        time.sleep(0.01)\n"
        "try:\n    Last()\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    print('interrupted')"
    )
    assert python(code, tmp_path) == (0, "interrupted\n", "")


def test_an_interruption_at_any_moment_shows_no_traceback(evidence: Evidence, tmp_path: Path) -> None:
    """What Python shows before the command's first lines have run, while it starts itself, is its own."""
    write_text(tmp_path / "p.yaml", shell(DEAL, tmp_path).stdout)
    commands = [
        ("simulate", "goofspiel", "--players", "2", "--games", "100000", "--transcripts", "t.jsonl", "--jobs", "2"),
        ("solve", "p.yaml", "--player", "p1", "--time-limit", "2"),
        ("test", str(ROOT / "rules" / "goofspiel"), "--jobs", "2"),
        ("deal", "goofspiel", "--players", "2", "--seed", "1", "-o", "position.yaml"),
    ]
    for seed in evidence.cases("an interruption at any moment shows no traceback of ours", full=1600, slice=12):
        command, moment = commands[seed % 4], seed // 4 % 400
        with start(tmp_path, *command) as process:
            time.sleep(moment / 1000)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        own = [line for line in re.findall(r'File "(.*?)", line', err) if line.startswith(str(ROOT / "interpreter"))]
        lines = [int(number) for number in re.findall(r'__main__\.py", line (\d+), in <module>', err)]
        assert not own and all(number < first_import() for number in lines), (command, moment, err)
        assert process.returncode in (130, -signal.SIGINT, 0) or not lines, (command, moment, err)
        assert not list(tmp_path.glob(".*.tmp"))


def first_import() -> int:
    """The line of the process's first file from which on an interruption is no traceback."""
    lines = (PACKAGE / "__main__.py").read_text(encoding="utf-8").split("\n")
    return lines.index("def main() -> int:") + 1


# ---------------------------------------------------------------- files that appear whole


def test_only_what_nobody_holds_is_swept(tmp_path: Path) -> None:
    def name(number: int) -> Path:
        return tmp_path / f".t.jsonl.{number:012x}.chocolatl.tmp"

    orphan, linked, hard, folder, other, short = (name(number) for number in range(6))
    outside = tmp_path / "outside"
    for path in (orphan, outside, hard):
        write_text(path, "text\n")
    linked.symlink_to(outside)
    os.link(hard, tmp_path / "second name")
    folder.mkdir()
    other = tmp_path / ".t.jsonl.0123456789ab.tmp"
    short = tmp_path / ".t.jsonl.0123.chocolatl.tmp"
    for path in (other, short):
        write_text(path, "not ours\n")
    atomic.sweep.cache_clear()
    with writing(tmp_path / "held.txt") as file:
        atomic.sweep.cache_clear()
        atomic.sweep(str(tmp_path))
        file.write("whole\n")
    assert not orphan.exists()
    assert all(path.exists() for path in (linked, hard, folder, other, short))
    assert (tmp_path / "held.txt").read_text(encoding="utf-8") == "whole\n"


def test_a_file_that_is_swept_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, swept = fcntl.flock, list[Path]()

    def late(handle: int, operation: int) -> None:
        if not swept:
            swept.extend(tmp_path.glob(".*"))
            swept[0].unlink()
        lock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    write_text(tmp_path / "new.txt", "whole\n")
    assert swept and [path.name for path in tmp_path.iterdir()] == ["new.txt"]


def test_a_failure_of_something_else_is_not_blamed_on_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no more processes"), writing(tmp_path / "new.txt"):
        raise OSError(errno.EAGAIN, "no more processes")
    with pytest.raises(UnwritableFile, match=r"there is no folder .*missing"):
        write_text(tmp_path / "missing" / "new.txt", "")
    assert not list(tmp_path.iterdir())


def test_a_long_name_that_is_no_ascii_has_a_temporary_file_too(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 127)
    write_text(path, "whole\n")
    assert list(tmp_path.iterdir()) == [path]
