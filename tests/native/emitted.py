"""The text of all native code, as digests: two versions that emit the same text run at the same speed.

    python -m tests.native.emitted FILE [PROGRAMS]

writes a line for each shipped game and variant with each number of players, in each build, and for so many programs
made at random. Written before and after a change and compared (`diff`), the files show which code has changed.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.native.builds import guarded
from chocolatl.interpreter.native.builds.module import Module, stepwise, whole_games
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from tests.fuzzing.coverage import FEATURES
from tests.fuzzing.programs import generate
from tests.games import tables

PROGRAMS = 250


def builds(game: Game) -> Iterator[tuple[str, Module]]:
    """Every build of a game."""
    for features in FEATURES:
        yield f"whole{features}", whole_games(game.ir, features)
    yield "closely", whole_games(game.ir, "", closely=True)
    yield "watched", whole_games(game.ir, "", watched=True)
    yield "inspected", whole_games(game.ir, FEATURES[-1], inspected=True)
    yield "stepwise", stepwise(game.program, "")
    yield "stepwise, closely", stepwise(game.program, "", closely=True)
    yield "stepwise, inspected", stepwise(game.program, "", inspected=True)
    yield "guarded", guarded.whole_games(game.ir, "", watched=True)
    yield "guarded, stepwise", guarded.stepwise(game.program, "", inspected=True)


def games(programs: int) -> Iterator[tuple[str, Game]]:
    for table in tables():
        yield str(table), table.load()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(programs):
            program = generate(seed)
            try:
                yield f"program {seed}", load(program.write(Path(folder)), program.players)
            except Rejected:
                continue


def main(file: str, programs: str = str(PROGRAMS)) -> None:
    with Path(file).open("w", encoding="utf-8") as written:
        for name, game in games(int(programs)):
            for build, module in builds(game):
                print(hashlib.sha256(module.text.encode()).hexdigest()[:32], name, build, file=written)


if __name__ == "__main__":
    main(*sys.argv[1:])
