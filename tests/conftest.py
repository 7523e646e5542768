"""What all tests share: how many cases a property is tried on, from which seeds, and the record of what was tried.

`make test` tries a slice of the cases, from seeds that change every day; `make evidence` tries all of them (option
`--full-counts`) and writes the counts to docs/evidence.json. A property test reads

    def test_positions_survive_yaml(evidence: Evidence) -> None:
        for seed in evidence.cases("positions survive YAML", full=1000, slice=20):
            ...

The first line of a run names its seed; `CHOCOLATL_SEED=20773 make test` repeats that run.

A property that takes hours is tried in parts (`evidence.part`, a parametrised test marked `part`). The record of a part
is written as soon as it is done, and `make evidence GO_ON=1` leaves out those that have one without a failure.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import chocolatl

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(chocolatl.__file__).resolve().parent
"""`src/chocolatl` of the checkout; or where the distribution is installed, if that is what is tested."""
EVIDENCE_FILE = ROOT / "docs" / "evidence.json"
SEED_VARIABLE = "CHOCOLATL_SEED"
FULL_VARIABLE = "CHOCOLATL_FULL_COUNTS"
CASES_PER_SEED = 1_000_000

_call_failed = pytest.StashKey[bool]()
_records = pytest.StashKey[list[dict[str, Any]]]()
_told = pytest.StashKey[list[tuple[str, dict[str, int]]]]()


class OnlyBelowOneName:
    """Refuses to import a part of the program from the top of a checkout (an import hook).

    Where `tests/solver/test_x.py` lies, pytest asks whether `solver.test_x` can be imported before it comes to
    `tests.solver.test_x`, and would load our own `solver` under that name."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if path is None and name in ("interpreter", "solver"):
            raise ModuleNotFoundError(f"{name} is imported as chocolatl.{name}", name=name)


sys.meta_path.insert(0, OnlyBelowOneName)


@dataclass
class Record:
    """What was tried of one property: the cases `case_seeds(seed, count)`, of which so many failed."""

    name: str
    seed: int
    count: int
    failures: int


def base_seed() -> int:
    """The seed of this run, the same in all its worker processes."""
    return int(os.environ[SEED_VARIABLE])


def scaled(full: int, slice: int) -> int:
    """How many cases to try: `full` for the evidence, else `slice`."""
    return full if os.environ.get(FULL_VARIABLE) else slice


def case_seeds(seed: int, count: int) -> range:
    """The seeds of single cases; those of two days have none in common."""
    assert count <= CASES_PER_SEED
    return range(seed * CASES_PER_SEED, seed * CASES_PER_SEED + count)


def part_name(name: str, number: int, parts: int) -> str:
    return f"{name}, part {number + 1:02} of {parts}"


class Evidence:
    """The record of one test. A test that fails counts as one failed case of the property it was at."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.told: list[tuple[str, dict[str, int]]] = []

    def cases(self, name: str, full: int, slice: int) -> Iterator[int]:
        """A seed for each case of a property; the cases are counted as they are taken."""
        for seed in case_seeds(base_seed(), scaled(full, slice)):
            self.count(name)
            yield seed

    def part(self, name: str, number: int, parts: int, full: int) -> range:
        """The seeds of one part of a property; what is found is told with `record`, by the name of the part."""
        size = -(-full // parts)
        seeds = case_seeds(base_seed(), full)[number * size : (number + 1) * size]
        self.record(part_name(name, number, parts), len(seeds))
        return seeds

    def tell(self, title: str, counts: dict[str, int]) -> None:
        """Counts that are printed at the end of a run."""
        self.told.append((title, counts))

    def count(self, name: str, cases: int = 1) -> None:
        """Some more cases of a property, about to be tried."""
        record = next((r for r in self.records if r.name == name), None) or Record(name, base_seed(), 0, 0)
        self.records = [*(r for r in self.records if r is not record), record]  # the last one is what the test is at
        record.count += cases

    def record(self, name: str, count: int, failures: int = 0, seed: int | None = None) -> None:
        """The record of a property that runs through its cases in its own way."""
        self.records.append(Record(name, base_seed() if seed is None else seed, count, failures))


@pytest.fixture(scope="session", autouse=True)
def one_name_for_each_module() -> Generator[None]:
    """Whatever the tests of this process did: no file of ours was loaded twice. Otherwise the last test fails."""
    yield
    from tests.distribution.loaded import complaints

    assert complaints(sys.modules) == []


@pytest.fixture
def seed() -> int:
    return base_seed()


@pytest.fixture
def count() -> Callable[[int, int], int]:
    return scaled


@pytest.fixture
def evidence(request: pytest.FixtureRequest) -> Generator[Evidence]:
    found = Evidence()
    yield found
    if request.node.stash.get(_call_failed, False):
        if not found.records:
            found.record(request.node.nodeid, 0)
        found.records[-1].failures = max(found.records[-1].failures, 1)
    # The properties of a test travel with its report, also from a worker process to the one that writes the file.
    for record in found.records:
        request.node.user_properties.append(("evidence", asdict(record)))
    request.node.user_properties.extend(("told", each) for each in found.told)
    if request.node.get_closest_marker("part"):
        request.node.user_properties.append(("part", True))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full-counts", action="store_true", help="try all cases of every property and write docs/evidence.json"
    )
    parser.addoption("--go-on", action="store_true", help="leave out parts that docs/evidence.json has already")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.stash[_records], config.stash[_told] = [], []
    # Tests send signals to what they start. A shell that runs the tests in the background, or `nohup`, wants some
    # ignored, and so would they.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)
    if not hasattr(config, "workerinput"):  # worker processes start later and inherit these
        os.environ.setdefault("CHOCOLATL_CACHE", str(ROOT / ".pytest_cache" / "native"))  # not the user's own
        os.environ["XDG_STATE_HOME"] = str(ROOT / ".pytest_cache" / "state")
        given = os.environ.setdefault(SEED_VARIABLE, str(int(time.time()) // 86_400))
        if not given.isascii() or not given.isdigit():
            raise pytest.UsageError(f"expected a whole number in {SEED_VARIABLE}; found {given!r}")
        os.environ[FULL_VARIABLE] = "1" if config.getoption("--full-counts") else ""
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = str(base_seed())
    config.addinivalue_line("markers", "full_counts: takes long whatever its count, so that only the evidence has it")
    config.addinivalue_line("markers", "part(name, number, parts): a part of a property, written down by itself")
    settings.register_profile(
        "chocolatl",
        max_examples=scaled(full=1000, slice=50),
        deadline=None,
        print_blob=True,
        derandomize=False,
        database=None if os.environ.get("CI") else settings().database,
    )
    settings.load_profile("chocolatl")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--full-counts"):
        left = [item for item in items if item.get_closest_marker("full_counts")]
    elif config.getoption("--go-on"):
        known = known_evidence(EVIDENCE_FILE)
        left = [item for item in items if is_done(item.get_closest_marker("part"), known)]
    else:
        return
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


def is_done(part: pytest.Mark | None, known: dict[str, list[dict[str, Any]]]) -> bool:
    """Whether a part was tried without a failure, on code that is in the history."""
    entries = known.get(part_name(*part.args), []) if part is not None else []
    return any(not entry["failures"] and is_in_history(str(entry["commit"])) for entry in entries)


@cache
def is_in_history(commit: str) -> bool:
    """Whether the code of a commit led to this one. What differed from its commit has none."""
    command = ["git", "merge-base", "--is-ancestor", commit, "HEAD"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def pytest_report_header() -> str:
    counts = "full counts" if os.environ.get(FULL_VARIABLE) else "a slice of the counts"
    return f"{counts}, seed {base_seed()} (repeat with {SEED_VARIABLE}={base_seed()})"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[_call_failed] = report.failed
    return report


class Collector:
    """Gathers the records from the reports, which arrive in the main process wherever a test ran."""

    def __init__(self, records: list[dict[str, Any]], told: list[tuple[str, dict[str, int]]]) -> None:
        self.records = records
        self.told = told

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "teardown":
            return
        properties: list[tuple[str, Any]] = report.user_properties
        found = [value for key, value in properties if key == "evidence"]
        self.records += found
        self.told += [value for key, value in properties if key == "told"]
        if ("part", True) in [tuple(each) for each in properties] and os.environ[FULL_VARIABLE]:
            write_evidence(EVIDENCE_FILE, found, known_evidence(EVIDENCE_FILE))


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.pluginmanager.register(Collector(session.config.stash[_records], session.config.stash[_told]))


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    if not config.getoption("--full-counts") or config.getoption("--collect-only"):
        return
    for title, counts in config.stash.get(_told, []):
        terminalreporter.write_line(title)
        for name, count in sorted(counts.items(), key=lambda each: (each[1], each[0])):
            terminalreporter.write_line(f"{count:8} {name}")
    if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        terminalreporter.write_line("evidence: not written, since the run was broken off")
        return
    asked = {(config.invocation_params.dir / argument).resolve() for argument in config.args}
    whole = (
        asked == {ROOT / "tests"}
        and not config.getoption("--go-on")
        and not config.getoption("-k")
        and not config.getoption("-m")
    )
    write_evidence(EVIDENCE_FILE, config.stash[_records], {} if whole else known_evidence(EVIDENCE_FILE))
    terminalreporter.write_line(f"evidence: {EVIDENCE_FILE.relative_to(ROOT)} written")


def known_evidence(path: Path) -> dict[str, list[dict[str, Any]]]:
    """What the file says already, by the name of the property."""
    found: dict[str, list[dict[str, Any]]] = {}
    if path.exists():
        for run in json.loads(path.read_text(encoding="utf-8"))["runs"]:
            for entry in run.pop("properties"):
                found.setdefault(entry["name"], []).append(entry | run)
    return found


def write_evidence(path: Path, records: list[dict[str, Any]], known: dict[str, list[dict[str, Any]]]) -> None:
    """Write the records, those of one property joined, and what is known of the others. The file is whole or is not
    there."""
    joined: dict[tuple[str, int], Record] = {}
    for record in records:
        entry = joined.setdefault((record["name"], record["seed"]), Record(record["name"], record["seed"], 0, 0))
        entry.count += record["count"]
        entry.failures += record["failures"]
    run = {"commit": commit(), "date": datetime.now(UTC).date().isoformat(), "python": platform.python_version()}
    tried = {name for name, _ in joined}
    properties = [asdict(record) | run for record in joined.values()]
    properties += [entry for name, entries in known.items() if name not in tried for entry in entries]
    runs: dict[str, dict[str, str]] = {}
    for each in properties:
        head = json.dumps({key: each[key] for key in ("date", "commit", "python", "seed")})
        line = json.dumps({key: each[key] for key in ("name", "count", "failures")}, ensure_ascii=False)
        runs.setdefault(head, {})[each["name"]] = line
    # A line for each property, in order, so that what was not tried again stays and runs can be brought together.
    parts = [(head[:-1], ",\n".join(line for _, line in sorted(lines.items()))) for head, lines in sorted(runs.items())]
    text = ",\n".join(f'{head}, "properties": [\n{lines}\n]}}' for head, lines in parts)
    path.parent.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, suffix=".tmp", delete=False) as file:
        file.write(f'{{"runs": [\n{text}\n]}}\n')
    os.chmod(file.name, 0o644)  # temporary files are private at first
    os.replace(file.name, path)


def commit() -> str | None:
    """The commit that was tested, marked when files other than the evidence differ from it. None outside of git."""
    try:
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        paths = [".", f":!{EVIDENCE_FILE.relative_to(ROOT)}"]
        changes = subprocess.run(
            ["git", "status", "--porcelain", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return head.stdout.strip() + ("-dirty" if changes.stdout.strip() else "")
