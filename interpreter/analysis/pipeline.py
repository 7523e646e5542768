"""From files to IR, for one number of players (the driver of the front end): what `check` and all back ends begin with.

A game is translated once for each number of players, however many scenarios ask for it.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from weakref import WeakKeyDictionary

from chocolatl.interpreter.analysis.secrecy import check_secrecy
from chocolatl.interpreter.analysis.work import check_work
from chocolatl.interpreter.data.load import load_game, load_partly
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Diagnostic, Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.survey import Surveys
from chocolatl.interpreter.ir.validate import validate
from chocolatl.interpreter.program.declare import declare
from chocolatl.interpreter.translate.lower import lower
from chocolatl.interpreter.translate.reuse import TranslationMemo


class WrongPlayerCount(Exception):
    """A number of players that the game is not made for."""


class Translator:
    """Translates games for one number of players after the other, and remembers what was without findings."""

    def __init__(self, memory: TranslationMemo | None = None) -> None:
        self.memory = memory
        self.surveys = Surveys()
        self.sound: dict[int, ir.GameRules] = {}
        self.known: WeakKeyDictionary[GameFiles, dict[int, ir.GameRules]] = WeakKeyDictionary()

    def game(self, files: GameFiles, player_count: int, findings: Findings) -> ir.GameRules | None:
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
                check_work(code, own, self.surveys)
                if own.items:
                    findings.items += own.items
                    return None
                self.sound[id(code)] = code
            known[player_count] = code
        return known[player_count]


def compile_game(files: GameFiles, player_count: int, findings: Findings) -> ir.GameRules | None:
    """The IR for a number of players, or None with findings."""
    return Translator().game(files, player_count, findings)


QUOTED = re.compile(r"`(\w+)")


def _check_rest(path: Path, findings: Findings) -> None:
    """Find errors in what could be read of rules with syntax errors, but for names that may stand in the rest."""
    files = load_partly(path)
    if files is None:
        return
    lost = {"round", *(files.rules.lost or ())}
    own = Findings()
    lower(declare(files, files.minimum, own), own)
    uses = Counter(name for d in own.items if d.code == "E301" for name in QUOTED.findall(d.message))
    lost |= {name for name, number in uses.items() if number > 1}  # so often nobody misspells it
    findings.items += [d for d in own.items if d.severity == "error" and not _may_follow(d, lost)]


def _may_follow(diagnostic: Diagnostic, lost: set[str]) -> bool:
    """Whether something may be wrong only because a declaration could not be read: it names a word of that, or a name
    that is like no other, and so may have been misspelt there."""
    unlike = diagnostic.code in ("E301", "E303", "E309", "E312") and not diagnostic.hint.startswith("did you mean")
    return unlike or not lost.isdisjoint(QUOTED.findall(diagnostic.message))


def check(path: Path, findings: Findings, translator: Translator | None = None) -> GameFiles | None:
    """Find all errors of a game or variant, for every number of players it is made for; its files."""
    files = load_game(path, findings)
    if files is None:
        _check_rest(path, findings)
    else:
        translator = translator or Translator(TranslationMemo())
        for player_count in range(files.minimum, files.maximum + 1):
            translator.game(files, player_count, findings)
    return files
