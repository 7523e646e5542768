"""Whatever the machine refuses: files are old or new and whole, the exit code says so, and nobody sees a traceback."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.conftest import Evidence, scaled
from tests.faults.campaign import Campaign, Fault, commands
from tests.faults.commands import COMMANDS, GROUPS, OTHERS, UNREACHED, Command
from tests.faults.injection import FAILURES
from tests.faults.sites import Kind, sites, sites_of

PROPERTY = "a command in which something fails leaves whole files and the right exit code"


@pytest.fixture
def campaign(tmp_path: Path) -> Generator[Campaign]:
    found = Campaign(tmp_path)
    yield found
    found.close()


def test_each_way_to_ask_the_machine_for_something_is_a_site() -> None:
    text = """
import os
def f(path, stream):
    with open(path, "w") as file, open(path) as other, open(path, "rb"):
        file.write("x")
    os.replace(path, other)
    print(1)
    print(2, file=sys.stderr)
    Thread(target=f).start()
    process.start()
    words = (ctypes.c_int64 * 3)()
    np.zeros(3)
    later = lambda: path.unlink()
"""
    assert [(site.line, site.function, site.kind, site.argument) for site in sites_of("f.py", text)] == [
        (4, "f", Kind.FILE, "path"),
        (5, "f", Kind.STREAM, "file"),
        (6, "f", Kind.FILE, "path"),
        (7, "f", Kind.STREAM, None),
        (9, "f", Kind.THREAD, None),
        (10, "f", Kind.PROCESS, None),
        (11, "f", Kind.MEMORY, None),
        (12, "f", Kind.MEMORY, None),
        (13, "<lambda>", Kind.FILE, None),
    ]


def test_what_is_not_reached_is_a_site_and_has_a_reason() -> None:
    assert set(UNREACHED) <= {site.name for site in sites()}


@pytest.mark.full_counts
def test_the_commands_come_to_every_site(campaign: Campaign, evidence: Evidence) -> None:
    """A new line that asks the machine for something needs a command that comes to it."""
    evidence.record("sites at which the machine can refuse something", len(campaign.sites))
    reached = {key for command in COMMANDS for key in campaign.run(command)["reached"]}
    missing = {site.name for key, site in campaign.sites.items() if key not in reached}
    assert missing == set(UNREACHED)


@pytest.mark.parametrize("group", (*GROUPS, OTHERS) if scaled(1, 0) else ("quick",))
def test_a_command_in_which_something_fails_leaves_whole_files(
    group: str, campaign: Campaign, evidence: Evidence, seed: int
) -> None:
    """In every run each site that some quick commands come to fails once; in the evidence all, in all ways."""
    wrong: list[str] = []
    tried = set[str]()
    for command in commands(group) or [command for command in COMMANDS if command.quick]:
        sound = campaign.run(command)
        assert sound["code"] == command.code, (command, sound)
        for fault in campaign.faults(sound["reached"]):
            if not scaled(1, 0):
                ways = FAILURES[fault.site.kind]
                if fault.site.key in tried or fault.failure != ways[seed % len(ways)]:
                    continue
            tried.add(fault.site.key)
            evidence.count(PROPERTY)
            wrong += campaign.complaints(command, fault, campaign.run(command, fault), sound)
    assert not wrong, "\n".join(wrong)
    assert len(tried) >= 15


def test_a_fault_that_is_not_handled_is_found(campaign: Campaign) -> None:
    """What would be wrong is told: an old file cut short, a left-over, a wrong exit code, a traceback."""
    command = Command("deal goofspiel --players 2 --seed 1 -o d.yaml", (("d.yaml", "old\n"),), writes=("d.yaml",))
    sound = {"code": 0, "out": "", "err": "", "files": {"d.yaml": "new\n"}, "left": []}
    fault = Fault(next(site for site in sites() if site.kind is Kind.FILE), 1, "EIO")
    fine = [sound, {**sound, "code": 2, "err": "full", "files": {"d.yaml": "old\n"}}]
    assert not any(campaign.complaints(command, fault, result, sound) for result in fine)
    changes: list[dict[str, object]] = [
        {"files": {"d.yaml": "ne"}},
        {"files": {"d.yaml": "old\n"}},
        {"files": {"d.yaml": "new\n", ".d.yaml.tmp": ""}},
        {"files": {}},
        {"left": ["tmpabc"]},
        {"code": 70},
        {"code": 120},
        {"code": 2},
        {"err": "Traceback"},
    ]
    for change in changes:
        assert campaign.complaints(command, fault, {**sound, **change}, sound), change
