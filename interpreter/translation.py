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
from interpreter.ir.memory import Memory
from interpreter.ir.secrecy import check_secrecy
from interpreter.ir.survey import Surveys
from interpreter.ir.validate import validate
from interpreter.program.declare import declare


class WrongPlayerCount(Exception):
    """A number of players that the game is not made for."""


class Translator:
    """Translates games for one number of players after the other, and remembers what was without findings."""

    def __init__(self, memory: Memory | None = None) -> None:
        self.memory = memory
        self.surveys = Surveys()
        self.sound: dict[int, ir.Game] = {}
        self.known: WeakKeyDictionary[GameFiles, dict[int, ir.Game]] = WeakKeyDictionary()

    def game(self, files: GameFiles, player_count: int, findings: Findings) -> ir.Game | None:
        """The IR for a number of players, or None with findings."""
        known = self.known.setdefault(files, {})
        if player_count not in known:
            own = Findings()
            declaring = self.memory.declared.declare if self.memory is not None else declare
            code = lower(declaring(files, player_count, own), own, self.memory)
            findings.items += own.items
            if code is None or own.items:
                return code
            if id(code) not in self.sound:
                validate(code, self.surveys)
                check_secrecy(code, own, self.surveys)
                if own.items:
                    findings.items += own.items
                    return None
                self.sound[id(code)] = code
            known[player_count] = code
        return known[player_count]


def compile_game(files: GameFiles, player_count: int, findings: Findings) -> ir.Game | None:
    """The IR for a number of players, or None with findings."""
    return Translator().game(files, player_count, findings)


def check(path: Path, findings: Findings, translator: Translator | None = None) -> GameFiles | None:
    """Find all errors of a game or variant, for every number of players it is made for; its files."""
    files = load_game(path, findings)
    if files is not None:
        translator = translator or Translator(Memory())
        for player_count in range(files.minimum, files.maximum + 1):
            translator.game(files, player_count, findings)
    return files
