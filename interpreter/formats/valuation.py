"""Valuations (linear evaluation functions): what a position is worth to a player beyond the round, as data.

Each item counts something, by a formula of the rule language, and says what one of it is worth for each number of
rounds that are left.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from chocolatl.interpreter.data.load import load_document, load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.declare import declare
from chocolatl.interpreter.program.types import PLAYER
from chocolatl.interpreter.syntax.parser import parse_expression
from chocolatl.interpreter.translate.context import Context
from chocolatl.interpreter.translate.expressions import ExpressionTranslator

if TYPE_CHECKING:  # who only looks at a valuation does not wait for the engine
    from chocolatl.interpreter.play.game import Game

FILE = "valuation.yaml"
PER_POINT = 100


class ValuationItem(Struct, frozen=True):
    """One item: how many there are of it, for the player in `player`, and what one is worth by rounds left."""

    name: str
    player: ir.Local
    what: ir.Expression
    hundredths: tuple[int, ...]

    def each(self, left: int) -> int:
        return self.hundredths[min(left, len(self.hundredths) - 1)]


Valuation = tuple[ValuationItem, ...]


def load_valuation(path: Path, files: GameFiles, players: int, findings: Findings) -> Valuation | None:
    """The items of a file with their formulas, or None after a finding."""
    own = Findings()
    document = load_document(path, "valuation", own)
    found: list[ValuationItem] = []
    if document is not None:
        context = Context(declare(files, players, Findings()), own)
        for name, entry in document.value["items"].items():
            local = context.local("p", context.program.domains[PLAYER].type)
            node = parse_expression(entry["what"], document.span(("items", name, "what")), own)
            if node is not None:
                what = ExpressionTranslator(context, {"p": local}).number(node)
                found.append(ValuationItem(str(name), local, what, tuple(entry["worth"])))
    findings.items += own.items
    return None if own.has_errors else tuple(found)


def valuation_of(game: Game) -> Valuation:
    """The table beside a game; nothing if there is none. `Rejected` if it is wrong."""
    path = game.files.folder / FILE
    return read_valuation(path, game) if path.exists() else ()


def read_valuation(path: Path, game: Game) -> Valuation:
    findings = Findings()
    valuation = load_valuation(path, game.files, game.player_count, findings)
    findings.reject_errors()
    assert valuation is not None
    return valuation


def check_valuation(path: Path, findings: Findings) -> None:
    """Find what is wrong with a file that lies beside its game."""
    files = load_game(path.parent, findings)
    if files is not None:
        for players in range(files.minimum, files.maximum + 1):
            if load_valuation(path, files, players, findings) is None:
                return
