"""Games from files to IR, for one number of players: all that `check` needs, and what every back end begins with.

A game is translated once for each number of players, however many scenarios ask for it.
"""

from __future__ import annotations

from pathlib import Path
from weakref import WeakKeyDictionary

from interpreter.data.load import load_game
from interpreter.data.model import GameFiles
from interpreter.diagnostics import Findings
from interpreter.ir import nodes as ir
from interpreter.ir.lower import lower
from interpreter.ir.validate import validate
from interpreter.program.declare import declare


class WrongPlayerCount(Exception):
    """A number of players that the game is not made for."""


def compile_game(files: GameFiles, player_count: int, findings: Findings) -> ir.Game | None:
    """The IR for a number of players, or None with findings."""
    known = _translated.setdefault(files, {})
    if player_count not in known:
        own = Findings()
        code = lower(declare(files, player_count, own), own)
        findings.items += own.items
        if code is None or own.items:
            return code
        validate(code)
        known[player_count] = code
    return known[player_count]


_translated: WeakKeyDictionary[GameFiles, dict[int, ir.Game]] = WeakKeyDictionary()
"""What was translated without any finding: a hundred scenarios of a game are about the same rules."""


def check(path: Path, findings: Findings) -> None:
    """Everything that can be found wrong with a game or variant, for every number of players it is made for."""
    files = load_game(path, findings)
    if files is None:
        return
    for player_count in range(files.minimum, files.maximum + 1):
        compile_game(files, player_count, findings)
