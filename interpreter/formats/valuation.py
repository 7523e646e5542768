"""Valuations (linear evaluation functions): what a position is worth to a player beyond the round, as data.

Each item counts something, by a formula of the rule language, and says what one of it is worth for each number of
rounds that are left. A position that goes on is in the next round, which is one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from chocolatl.interpreter.data.load import load_document, load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.declare import declare
from chocolatl.interpreter.program.types import PLAYER, Scalar
from chocolatl.interpreter.source import Span, make_source, whole_line
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
        formulas = _FormulaReader(files, players, own)
        for name, entry in document.value["items"].items():
            what = formulas.read(entry["what"], document.span(("items", name, "what")))
            if what is not None:
                found.append(ValuationItem(str(name), *what, worth_for(entry["worth"], players)))
    findings.items += own.items
    return None if own.has_errors else tuple(found)


def worthless_items(game: Game, formulas: Mapping[str, str]) -> Valuation:
    """Items by name of which only the formulas are known. `Rejected` if one makes no sense."""
    findings, found = Findings(), []
    reader = _FormulaReader(game.files, game.player_count, findings)
    for name, text in formulas.items():
        source = make_source(name, text)
        what = reader.read(text, whole_line(source, 1))
        found += [ValuationItem(name, *what, (0,))] if what is not None else []
    findings.reject_errors()
    return tuple(found)


class _FormulaReader:
    """Reads formulas about the player `p`."""

    def __init__(self, files: GameFiles, players: int, findings: Findings) -> None:
        self.context = Context(declare(files, players, Findings()), findings)

    def read(self, text: str, span: Span) -> tuple[ir.Local, ir.Expression] | None:
        """The local that holds the player, and the formula; None after a finding."""
        local = self.context.local("p", self.context.program.domains[PLAYER].type)
        node = parse_expression(text, span, self.context.findings)
        return (local, ExpressionTranslator(self.context, {"p": local}).number(node)) if node is not None else None


def worth_for(worth: list[int] | dict[int | str, list[int]], players: int) -> tuple[int, ...]:
    """What an item is worth by rounds left, for so many players: of two numbers that are as near, the lower one's."""
    if isinstance(worth, list):
        return tuple(worth)
    nearest = min(worth, key=lambda number: (abs(int(number) - players), int(number)))
    return tuple(worth[nearest])


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


def formulas_of(path: Path) -> dict[str, str]:
    """The formulas of a file by the names of the items. `Rejected` if the file is none."""
    findings = Findings()
    document = load_document(path, "valuation", findings)
    findings.reject_errors()
    assert document is not None
    return {str(name): entry["what"] for name, entry in document.value["items"].items()}


def round_count(game: Game) -> int:
    """How many rounds a game has; 0 if none are counted."""
    type_ = game.program.layout.places[None, "round"].field.type if game.has_rounds else None
    return type_.high if isinstance(type_, Scalar) else 0


def rounds_left(game: Game, over: bool, round_: int) -> int:
    """How many rounds are left, by whether the game is over, and by the round that it is in."""
    return 0 if over else round_count(game) - round_ + 1


def check_valuation(path: Path, findings: Findings) -> None:
    """Find what is wrong with a file that lies beside its game."""
    files = load_game(path.parent, findings)
    if files is not None:
        for players in range(files.minimum, files.maximum + 1):
            if load_valuation(path, files, players, findings) is None:
                return
