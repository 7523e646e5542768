"""Games from files to play: a folder or variant file, checked, compiled and given players.

The game contract (`interpreter.game`) says what can be done with the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from interpreter.data.load import load_game
from interpreter.data.model import GameFiles
from interpreter.diagnostics import Findings, Rejected
from interpreter.engine.compile import Program
from interpreter.game import Game
from interpreter.ir import nodes as ir
from interpreter.ir.lower import lower
from interpreter.ir.validate import validate
from interpreter.program.declare import declare


def compile_game(files: GameFiles, player_count: int, findings: Findings) -> ir.Game | None:
    """The IR for a number of players, or None with findings."""
    program = declare(files, player_count, findings)
    code = lower(program, findings)
    if code is not None:
        validate(code)
    return code


@lru_cache(maxsize=64)
def _program(key: tuple[object, ...], held: _Held) -> Program:
    """The code of a game; what is rejected is looked at anew each time, so that its findings are always told."""
    code = compile_game(held.files, held.player_count, held.findings)
    held.findings.reject_errors()
    assert code is not None
    return Program(code)


@dataclass(frozen=True)
class _Held:
    """What a program is made from. The key stands for it, so that it takes no part in comparisons."""

    files: GameFiles = field(compare=False)
    player_count: int = field(compare=False)
    findings: Findings = field(compare=False)


def ready(files: GameFiles, players: tuple[str, ...], findings: Findings) -> Game | None:
    """A game that can be played, or None with findings. The same rules and data are compiled once."""
    sources = {node.span.source.text for node in files.rules.declarations}
    key = (files.folder, files.rules_hash, files.rules_source.text, frozenset(sources), len(players))
    try:
        program = _program(key, _Held(files, len(players), findings))
    except Rejected:
        return None
    return Game(files, program.game, program, players)


def check(path: Path, findings: Findings) -> None:
    """Everything that can be found wrong with a game or variant, for every number of players it is made for."""
    files = load_game(path, findings)
    if files is None:
        return
    for player_count in range(files.minimum, files.maximum + 1):
        compile_game(files, player_count, findings)


class WrongPlayerCount(Exception):
    """A number of players that the game is not made for."""


def load(
    path: Path,
    players: int | tuple[str, ...],
    settings: dict[str, object] | None = None,
    findings: Findings | None = None,
) -> Game:
    """A game ready to play; `Rejected` with all findings when its files are wrong."""
    findings = findings if findings is not None else Findings()
    names = players if isinstance(players, tuple) else tuple(f"p{i + 1}" for i in range(players))
    files = load_game(path, findings, settings)
    findings.reject_errors()
    assert files is not None
    if not files.minimum <= len(names) <= files.maximum:
        wanted = f"{files.minimum} to {files.maximum}" if files.minimum < files.maximum else str(files.minimum)
        raise WrongPlayerCount(f"{files.name} is for {wanted} players, not {len(names)}")
    game = ready(files, names, findings)
    findings.reject_errors()
    assert game is not None
    return game
