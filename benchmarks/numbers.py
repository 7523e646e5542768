"""Numbers that are chosen: coins on nine fields by the whole command, beside a model written by hand and a hill climb.

Each line is a command of its own, from its start to its end. The model written by hand knows nothing of the rules but
what a field is worth, and the hill climb nothing but how to move coins: both are independent of the solver.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
COINS, FIELDS = 100, 9

VARIANT = f"""\
kind: variant
format: 1
extends: blotto
title: A long war
why: More ways to divide coins than anybody can list.
set: {{coins: {COINS}, fields: {FIELDS}}}
"""

Division = tuple[int, ...]


def divisions(count: int, seed: int) -> list[Division]:
    """Ways to divide the coins, each as likely as any other."""
    luck = random.Random(seed)
    found = []
    for _ in range(count):
        cuts = [0, *sorted(luck.sample(range(1, COINS + FIELDS), FIELDS - 1)), COINS + FIELDS]
        found.append(tuple(b - a - 1 for a, b in pairwise(cuts)))
    return found


def line(division: Division) -> str:
    """A scenario as a file of scenarios has it."""
    choices = [{"player": "p2", "choice": f"troops[{f}]", "value": coins} for f, coins in enumerate(division, start=1)]
    return json.dumps({"choices": choices}) + "\n"


def write_variant(folder: Path) -> Path:
    """The game with many coins, in a folder of its own."""
    shutil.copytree(ROOT / "rules" / "blotto", folder / "blotto")
    path = folder / "blotto" / "variants" / "long_war.yaml"
    path.write_text(VARIANT, encoding="utf-8")
    return path


# ---------------------------------------------------------------- a model written by hand


def by_hand(others: Sequence[Division], objective: str, seconds: float) -> tuple[float, float]:
    """The best value and its bound, by a naive model: a literal for each field of each scenario."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    coins = [model.new_int_var(0, COINS, "") for _ in range(FIELDS)]
    model.add(sum(coins) == COINS)

    def at_least(field: int, number: int) -> Any:
        literal = model.new_bool_var("")
        model.add(coins[field] >= number).only_enforce_if(literal)
        model.add(coins[field] < number).only_enforce_if(~literal)
        return literal

    total: list[Any] = []
    for division in others:
        won = [at_least(field, number + 1) for field, number in enumerate(division)]
        if objective == "points":
            total += won
            continue
        lost = [~at_least(field, number) for field, number in enumerate(division)]
        if objective == "margin":
            total.append(sum(won) - sum(lost))
            continue
        ahead = model.new_bool_var("")
        model.add(sum(won) >= sum(lost)).only_enforce_if(ahead)
        total.append(ahead)
    model.maximize(sum(total))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.solve(model)
    return solver.objective_value / len(others), solver.best_objective_bound / len(others)


# ---------------------------------------------------------------- a hill climb


def hill_climb(
    others: Sequence[Division], restarts: int, seed: int, deadline: float = float("inf")
) -> tuple[int, Division]:
    """In how many scenarios nobody is ahead, at best: coins go from field to field for as long as that helps."""
    laid = np.array(others).T
    sign = np.sign(np.arange(COINS + 1)[None, :, None] - laid[:, None, :]).astype(np.int16)
    best: tuple[int, Division] = (-1, ())
    for start in divisions(restarts, seed):
        coins = list(start)
        lead = sum(sign[field, number] for field, number in enumerate(coins))
        value, better = int((lead >= 0).sum()), True
        while better:
            better = False
            moves = [(i, j, d) for d in (1, 2, 3, 5, 8) for i in range(FIELDS) for j in range(FIELDS) if i != j]
            for i, j, d in moves:
                if d <= coins[i]:
                    other = lead - sign[i, coins[i]] - sign[j, coins[j]]
                    other = other + sign[i, coins[i] - d] + sign[j, coins[j] + d]
                    found = int((other >= 0).sum())
                    if found > value:
                        value, lead, better = found, other, True
                        coins[i] -= d
                        coins[j] += d
        best = max(best, (value, tuple(coins)))
        if time.monotonic() > deadline:
            break
    return best


# ---------------------------------------------------------------- all of it


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """What comes of it, and the seconds that it took by the clock and of processors."""
    clock, before = time.monotonic(), os.times()
    result = work()
    after = os.times()
    spent = sum(after[:4]) - sum(before[:4])
    return result, time.monotonic() - clock, spent


def main() -> None:
    parser = argparse.ArgumentParser(description="Coins on fields: the whole command, by hand, and a hill climb.")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each question (default 60)")
    parser.add_argument("--restarts", type=int, default=1000, help="of the hill climb (default 1000)")
    arguments = parser.parse_args()
    chocolatl = [sys.executable, str(ROOT / "cli.py")]
    print("objective scenarios   value   bound  clock s  processor s  engine                by hand: value, bound, s")
    with tempfile.TemporaryDirectory() as folder:
        variant, position = write_variant(Path(folder)), Path(folder) / "position.yaml"
        deal = [*chocolatl, "deal", str(variant), "--players", "2", "--seed", "1", "-o", str(position)]
        subprocess.run(deal, check=True, capture_output=True)
        fresh = Path(folder) / "fresh.jsonl"
        fresh.write_text("".join(map(line, divisions(400, seed=0))))
        for objective in ("points", "margin", "win"):
            for count in (1, 50, 1000):
                others = divisions(count, seed=count)
                file = Path(folder) / "others.jsonl"
                file.write_text("".join(map(line, others)))
                command = [
                    *chocolatl,
                    "solve",
                    str(position),
                    "--player",
                    "p1",
                    "--against",
                    str(file),
                    "--objective",
                    objective,
                ]
                # All lines are searched; half of the fresh ones are reported.
                command += ["--scenarios", str(count), "--fresh", str(fresh)]
                command += ["--time-limit", str(arguments.limit), "--json"]
                run = lambda: subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: B023, E731
                out, clock, spent = timed(run)
                found = json.loads(out)
                assert found["scenarios"] == count, "a file is divided unless all of it is asked for"
                best = found["proved"] or found
                (value, bound), hand, _ = timed(lambda: by_hand(others, objective, arguments.limit))  # noqa: B023
                print(
                    f"{objective:9}{count:10}{best['value']:8.3f}{found['bound']:8.3f}{clock:9.2f}{spent:13.2f}  "
                    f"{found['engine']:20}  {value:.3f}, {bound:.3f}, {hand:.2f}"
                )
                if objective == "win" and count == 1000:
                    (most, _), took, _ = timed(lambda: hill_climb(others, arguments.restarts, 1))  # noqa: B023
                    print(f"the best of {arguments.restarts} climbs: {most / count:.3f} in {took:.1f} s")


if __name__ == "__main__":
    main()
