"""Games from files to play: a folder or variant file, checked, compiled and given players.

The game contract (`chocolatl.interpreter.play.game`) says what can be done with the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from chocolatl.interpreter.analysis.pipeline import WrongPlayerCount, compile_game
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings, Rejected
from chocolatl.interpreter.engine.compile import ExecutableGame
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Game

__all__ = ["WrongPlayerCount", "load", "ready"]


@lru_cache(maxsize=64)
def _program(key: tuple[object, ...], held: _ProgramSource) -> ExecutableGame:
    """The code of a game; what is rejected is looked at anew each time, so that its findings are always told."""
    code = held.code or compile_game(held.files, held.player_count, held.findings)
    held.findings.reject_errors()
    assert code is not None
    return ExecutableGame(code, held.literal)


@dataclass(frozen=True)
class _ProgramSource:
    """What a program is made from. The key stands for it, so that it takes no part in comparisons."""

    files: GameFiles = field(compare=False)
    player_count: int = field(compare=False)
    findings: Findings = field(compare=False)
    code: ir.GameRules | None = field(compare=False)
    literal: bool


def ready(
    files: GameFiles,
    players: tuple[str, ...],
    findings: Findings,
    code: ir.GameRules | None = None,
    literal: bool = False,
) -> Game | None:
    """A game that can be played, or None with findings. The same rules and data are compiled once; `code` is their IR,
    if somebody has it already. A literal program is for those who watch it, or who run it only once."""
    try:
        program = _program((*files.key, len(players)), _ProgramSource(files, len(players), findings, code, literal))
    except Rejected:
        return None
    return Game(files, program.game, program, players)


def load(
    path: Path,
    players: int | tuple[str, ...],
    settings: Mapping[str, object] | None = None,
    findings: Findings | None = None,
) -> Game:
    """A game ready to play; `Rejected` with all findings when its files are wrong."""
    findings = findings if findings is not None else Findings()
    names = players if isinstance(players, tuple) else tuple(f"p{i + 1}" for i in range(players))
    files = load_game(path, findings, dict(settings) if settings is not None else None)
    findings.reject_errors()
    assert files is not None
    if not files.minimum <= len(names) <= files.maximum:
        wanted = f"{files.minimum} to {files.maximum}" if files.minimum < files.maximum else str(files.minimum)
        raise WrongPlayerCount(f"{files.name} is for {wanted} players, not {len(names)}")
    game = ready(files, names, findings)
    findings.reject_errors()
    assert game is not None
    return game
