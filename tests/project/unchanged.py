"""Whether a rearrangement of the code changed anything that users see: an old commit beside the working tree
(characterisation tests).

    python -m tests.project.unchanged COMMIT [--part check|dump|games|solve|scenarios] [--quick]

The old commit is checked out into a worktree of its own. Both trees are then asked for the same things: what `check`
finds in every game, variant and faulty file of the tests, every stage of `dump`, transcripts of every game and variant
for every number of players by both engines, scenarios, positions and the answers of `solve` to them. What differs is
shown, and the exit code is 1. Figures that a clock decides are left out.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.conftest import ROOT

CLOCKED = re.compile(
    r'^.*"(?:seconds|games_per_second|wall_seconds|cpu_seconds|bytes_per_second)":.*\n'
    r"|\b[\d.,]+ (?:s|ms|games a second|games/s|games per second)\b"
    r"|\bin [\d.,]+ seconds?\b",
    re.MULTILINE,
)
"""What a clock decides."""


@dataclass(frozen=True)
class Request:
    """A command, what kind of thing it asks for, and the files that it writes, compared as well."""

    part: str
    arguments: tuple[str, ...]
    written: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "chocolatl " + " ".join(self.arguments)


@dataclass(frozen=True)
class Tree:
    """A checkout, a folder for what its commands write, and a cache of its own."""

    root: Path
    folder: Path

    def answer(self, request: Request) -> str:
        """All that a command says and writes, as one text."""
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "COLUMNS": "120", "NO_COLOR": "1"}
        arguments = [argument.replace("@", str(self.folder) + os.sep) for argument in request.arguments]
        command = [sys.executable, str(self.root / "cli.py"), *arguments]
        done = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False)
        parts = [f"exit {done.returncode}", done.stdout, done.stderr]
        parts += [
            self.folder.joinpath(name).read_text(encoding="utf-8") for name in request.written if done.returncode == 0
        ]
        return self.plain("\n".join(parts))

    def plain(self, text: str) -> str:
        """Without its own places, and without what a clock decides."""
        for place, name in ((self.folder, "FOLDER"), (self.root, "ROOT")):
            text = text.replace(str(place), name)
        return CLOCKED.sub("", text)


# ---------------------------------------------------------------- what is asked


def variants() -> Iterator[tuple[str, list[int]]]:
    """Every game and variant, with the numbers of players it is for."""
    for folder in sorted(path.parent for path in (ROOT / "rules").glob("*/game.yaml")):
        given = yaml.safe_load((folder / "game.yaml").read_text(encoding="utf-8"))["players"]
        counts = list(range(given["min"], given["max"] + 1)) if isinstance(given, dict) else [given]
        yield folder.relative_to(ROOT).as_posix(), counts
        for variant in sorted(folder.glob("variants/*.yaml")):
            yield variant.relative_to(ROOT).as_posix(), counts


def check_requests(quick: bool) -> Iterator[Request]:
    for form in ("text", "json", "sarif", "github"):
        yield Request("check", ("check", "rules", "--format", form))
    for path in sorted((ROOT / "tests/diagnostics").rglob("*.rules")):
        yield Request("check", ("check", path.relative_to(ROOT).as_posix(), "--format", "json"))


def dump_requests(quick: bool) -> Iterator[Request]:
    for game, counts in variants():
        yield Request("dump", ("dump", game, "--stage", "tree"))
        for players in counts[:1] if quick else counts:
            for stage in ("program", "ir", "python", "native"):
                yield Request("dump", ("dump", game, "--stage", stage, "--players", str(players)))


def game_requests(quick: bool) -> Iterator[Request]:
    for game, counts in variants():
        name = game.replace("/", "-")
        for players in counts[-1:] if quick else counts:
            for engine, games in (("interpreter", 3 if quick else 10), ("native", 20 if quick else 200)):
                file = f"{name}-{players}-{engine}.jsonl"
                yield Request("games", (
                    "simulate", game, "--players", str(players), "--games", str(games), "--seed", "11", "--jobs", "1",
                    "--engine", engine, "--json", "--transcripts", f"@{file}",
                ), (file,))  # fmt: skip
        greedy = ",".join(["greedy"] * counts[0])
        yield Request("games", ("simulate", game, "--players", greedy, "--games", "1", "--seed", "11", "--json"))


def scenario_requests(quick: bool) -> Iterator[Request]:
    for folder in sorted(path.parent for path in (ROOT / "rules").glob("*/game.yaml")):
        yield Request("scenarios", ("test", folder.relative_to(ROOT).as_posix()))
        if not quick:
            yield Request("scenarios", ("fmt", "--check", folder.relative_to(ROOT).as_posix()))


def solve_requests(quick: bool) -> Iterator[Request]:
    """Positions, and what to answer there: with few scenarios, so that no clock decides anything."""
    for game, counts in variants():
        name = game.replace("/", "-")
        for players in counts[:1] if quick else counts:
            for seed in range(1 if quick else 2):
                file = f"{name}-{players}-{seed}.yaml"
                deal = ("deal", game, "--players", str(players), "--seed", str(seed), "-o", f"@{file}")
                yield Request("solve", deal, (file,))
                yield Request("solve", ("dump", f"@{file}", "--stage", "position"))
                asked = (f"@{file}", "--player", "p1", "--scenarios", "2", "--seed", "3")
                yield Request("solve", ("dump", "--stage", "model", *asked))
                yield Request("solve", ("solve", *asked, "--samples", "20", "--time-limit", "600", "--json"))


PARTS: dict[str, Callable[[bool], Iterator[Request]]] = {
    "check": check_requests,
    "dump": dump_requests,
    "games": game_requests,
    "scenarios": scenario_requests,
    "solve": solve_requests,
}

# ---------------------------------------------------------------- both trees side by side


def compare(old: Tree, new: Tree, requests: list[Request]) -> list[str]:
    """What differs, request by request; those of one tree one after the other, since some read what others wrote."""
    complaints: list[str] = []
    sizes: Counter[str] = Counter()
    with ThreadPoolExecutor(2) as pool:
        for number, request in enumerate(requests, start=1):
            before, after = pool.map(lambda tree: tree.answer(request), (old, new))  # noqa: B023
            sizes[request.part] += len(before)
            print(f"\r{number} of {len(requests)}, {len(complaints)} differ", end="", file=sys.stderr, flush=True)
            if before != after:
                lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "old", "new", lineterm="", n=1)
                complaints.append(f"{request}\n" + "\n".join("    " + line[:200] for line in list(lines)[:20]))
    print(file=sys.stderr)
    for part, size in sizes.items():
        count = sum(request.part == part for request in requests)
        print(f"{part}: {count} commands, {size:,} characters")
    return complaints


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.project.unchanged", description="Compare an old commit with this tree."
    )
    parser.add_argument("commit", help="the old commit")
    parser.add_argument("--part", choices=list(PARTS), action="append", help="only this part (may be given again)")
    parser.add_argument("--quick", action="store_true", help="a sample of each part")
    given = parser.parse_args()
    requests = [request for part in given.part or PARTS for request in PARTS[part](given.quick)]
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), Path(name) / "old"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", str(root), given.commit], cwd=ROOT, check=True)
        try:
            old, new = Tree(root, folder / "before"), Tree(ROOT, folder / "after")
            old.folder.mkdir()
            new.folder.mkdir()
            complaints = compare(old, new, requests)
        finally:
            shutil.rmtree(root, ignore_errors=True)
            subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
    print("\n".join(complaints) or "nothing differs")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
