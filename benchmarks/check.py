"""How long `chocolatl check` takes: from a cold start on each shipped game, and on rules of growing size.

The times are processor time, the least of some runs, each in a process of its own. What grows with the number of
declarations should grow in proportion to it: the last column is the time of one declaration, beyond that of a game
without them.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from chocolatl.interpreter.data.games import games_in, rules_folder

SIZES = (100, 1_000, 10_000)
RUNS = 5
GROUP = 20
"""So many values are used by one procedure."""
DATA = "kind: game\nformat: 1\nname: large\ntitle: Large\nplayers: {min: 2, max: 2}\n"
HEAD = "language 1\ngame large\n\ntable has\n    level : 0..9\n\neach player has\n    score : 0..99\n\n"
TAIL = "\nwinner p\n    highest p.score\n"


def cold(arguments: list[str]) -> float:
    """The processor time of a command in a process of its own, from its start to its end."""
    command = [sys.executable, "-c", "import sys; from chocolatl import cli; sys.exit(cli.main())", *arguments]
    times = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


def rules(declarations: int) -> str:
    """Rules with so many declarations more than they need: values, procedures that use them, a play that does all."""
    procedures = declarations // (GROUP + 1)
    values = declarations - procedures
    parts = [f"value v{n} = level + {n}\n" for n in range(values)]
    for number in range(procedures):
        used = range(number * values // procedures, (number + 1) * values // procedures)
        parts.append(
            f"\nprocedure p{number}\n    if {' + '.join(f'v{n}' for n in used)} > 9\n        level becomes 1\n"
        )
    calls = "".join(f"    do p{number}\n" for number in range(procedures)) or "    nothing\n"
    return HEAD + "".join(parts) + "\nplay\n" + calls + TAIL


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
        times = {}
        for size in (0, *SIZES):
            (folder / "large.rules").write_text(rules(size), encoding="utf-8")
            times[size] = cold(["check", str(folder)])
        for size in SIZES:
            print(f"{size:<24,}{times[size]:>10.3f}{(times[size] - times[0]) / size * 1e6:>20.0f}")


if __name__ == "__main__":
    main()
