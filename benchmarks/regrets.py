"""What answers lose beside the best one, where the exact value of every answer is known (regret).

Each player has five cards on a board of two locations, so that all histories can be played. Answers come from nested
samples and from sampling; the table is that of docs/solver.md.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from chocolatl.interpreter.play.game import Game
from tests.advice.two_locations import Losses, board, boards_in, compared, sampled
from tests.solver.test_stages import GOLD, GREEN

Compare = Callable[[Game, int, Losses], None]


def later_round(game: Game, seed: int, losses: Losses, number: int) -> None:
    compared(game, seed, number, losses)


ROWS: list[tuple[str, dict[str, object], int, Compare]] = [
    ("half-open, second round", {**GREEN}, 24, partial(later_round, number=2)),
    ("half-open, first round", {**GREEN}, 4, partial(later_round, number=1)),
    ("one by one, second round, by sampling", {**GOLD}, 24, sampled),
]


def main() -> None:
    print("| | positions | any answer | a tree of 12 branches | the answer |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        boards = boards_in(Path(folder) / "chocolatl")
        for name, settings, count, compare in ROWS:
            begin, losses = time.monotonic(), Losses()
            for seed in range(count):
                compare(board(boards, seed, settings), seed, losses)
            means = {key: f"{float(lost / losses.positions):.3f}" for key, lost in losses.lost.items()}
            any_ = f"{float(losses.average / losses.positions):.3f}"
            answer = means.get("answer", means.get("sampled", ""))
            took = time.monotonic() - begin
            print(f"| {name} | {count} | {any_} | {means.get('tree', '')} | {answer} |  ({took:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
