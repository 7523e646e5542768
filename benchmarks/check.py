"""How long `chocolatl check` takes: from a cold start on each shipped game, and on rules of growing size.

The times are processor time, the least of some runs. What grows with the number of declarations should grow in
proportion to it: the last column is the time of one declaration.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from interpreter.data.find import games_in, rules_folder
from interpreter.diagnostics import Findings
from interpreter.translation import check

SIZES = (100, 1_000, 10_000)
RUNS = 3
DATA = "kind: game\nformat: 1\nname: large\ntitle: Large\nplayers: {min: 2, max: 2}\n"
HEAD = "language 1\ngame large\n\neach player has\n    score : 0..99\n\n"
TAIL = (
    "play\n    for each p in player\n        p gains 1 score for luck\n\nitem luck\n\nwinner p\n    highest p.score\n"
)


def cold(arguments: list[str]) -> float:
    """The processor time of a command in a process of its own."""
    script = "import sys, time, cli; cli.main(sys.argv[1:]); sys.stdout.write(str(time.process_time()))"
    times = []
    for _ in range(RUNS):
        run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
        times.append(float(run.stdout.split()[-1]))
    return min(times)


def warm(folder: Path, declarations: int) -> float:
    """The processor time of checking a game with so many values."""
    values = [f"value v{n}(p : player) = p.score + {n}\n" for n in range(declarations)]
    (folder / "large.rules").write_text(HEAD + "".join(values) + TAIL, encoding="utf-8")
    times = []
    for _ in range(RUNS):
        # A new comment: nothing that was read before is the same.
        with open(folder / "large.rules", "a", encoding="utf-8") as file:
            file.write("# once more\n")
        findings = Findings()
        begin = time.process_time()
        check(folder, findings)
        times.append(time.process_time() - begin)
        assert not findings.items, findings.items[0].message
    return min(times)


def main() -> None:
    print(f"{'cold start':<24}{'seconds':>10}")
    print(f"{'chocolatl --help':<24}{cold(['--help']):>10.3f}")
    for name in games_in(rules_folder()):
        print(f"{'check ' + name:<24}{cold(['check', str(rules_folder() / name)]):>10.3f}")
    print(f"\n{'declarations':<24}{'seconds':>10}{'microseconds each':>20}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "large"
        folder.mkdir()
        (folder / "game.yaml").write_text(DATA, encoding="utf-8")
        for size in SIZES:
            seconds = warm(folder, size)
            print(f"{size:<24,}{seconds:>10.3f}{seconds / size * 1e6:>20.0f}")


if __name__ == "__main__":
    main()
