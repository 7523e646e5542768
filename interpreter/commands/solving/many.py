"""Several positions or players in one call of `chocolatl solve` (batch processing): a line of JSON for each answer.

Each question has the whole time limit. What goes wrong with one is a line of its own, and the others are answered.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.checking.checker import DATA, SAYS_KIND
from chocolatl.interpreter.commands.shared.errors import UsageError, failure_of
from chocolatl.interpreter.commands.solve import EVERYBODY
from chocolatl.interpreter.commands.solving.answer import read_position, solved
from chocolatl.interpreter.data.find import files_below
from chocolatl.interpreter.source import UnreadableFile, read_source
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:
    from chocolatl.interpreter.formats.position import LoadedPosition


def solve_many(arguments: argparse.Namespace, deadline: Deadline) -> int:
    """Answer one question after the other. The exit code is the worst one."""
    if arguments.plot is not None:
        raise UsageError("--plot draws the answer to one question: give one position file and one player")
    paths = list(dict.fromkeys(path for given in arguments.positions for path in _positions(given)))
    worst = 0
    for number, path in enumerate(paths, start=1):
        if sys.stderr.isatty():
            print(one_line(f"{number} of {len(paths)}: {path}"), file=sys.stderr)
        for line, code in _answers(path, arguments, deadline):
            print(json.dumps(line), flush=True)
            worst = max(worst, code)
        deadline = Deadline(arguments.time_limit)
    return worst


def _positions(given: Path) -> Iterator[Path]:
    """A file, or the position files in a folder and in those inside it."""
    if not given.is_dir():
        yield given
        return
    found = [path for path in files_below(given) if path.suffix in DATA and _is_position(path)]
    if not found:
        raise UsageError(f"{given}: this folder holds no position")
    yield from found


def _is_position(path: Path) -> bool:
    try:
        return "position" in SAYS_KIND.findall(read_source(path).text)
    except UnreadableFile:
        return False


def _answers(path: Path, arguments: argparse.Namespace, deadline: Deadline) -> Iterator[tuple[dict[str, Any], int]]:
    """The lines about a position, each with its exit code."""
    try:
        loaded = read_position(path, arguments, deadline)
        players = _players(loaded, arguments.player)
    except Exception as error:
        yield _failed(path, None, error)
        return
    for player in players:
        try:
            found = solved(arguments, loaded, player, deadline)
        except Exception as error:
            yield _failed(path, player, error)
        else:
            yield {"file": str(path), **found.content()}, 0
        deadline = Deadline(arguments.time_limit)


def _players(loaded: LoadedPosition, asked: list[str]) -> list[str]:
    """Whose answers are sought: those that were named, or everybody who has something to decide."""
    game = loaded.game
    if EVERYBODY not in asked or EVERYBODY in game.players:
        return list(dict.fromkeys(asked))
    seats = {decision.player for decision in game.pending(loaded.position)}
    if not seats:
        raise UsageError("nobody has anything to decide in this position")
    return [name for seat, name in enumerate(game.players) if seat in seats]


def _failed(path: Path, player: str | None, error: Exception) -> tuple[dict[str, Any], int]:
    """What went wrong with one question, told on standard error as well."""
    from chocolatl.interpreter.terminal.reports.findings import print_findings

    failure = failure_of(error)
    if failure.findings:
        print_findings(failure.findings, sys.stderr)
    else:
        about = str(path) if player is None else f"{path}, {player}"
        print(f"chocolatl: {one_line(f'{about}: {failure.message}')}", file=sys.stderr)
    return {"file": str(path), "player": player, "error": failure.message, "code": failure.code}, failure.code
