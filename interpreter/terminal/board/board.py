"""A position as a player may see it, drawn from the view alone: so nothing can be shown that the view hides.

Grids come first, as pictures, which show sets of cells as well; then the fields of the table, then those of each domain
that owns fields (the sites of a game, say), the players last with a row for each.
"""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.rule import Rule

from chocolatl.interpreter.engine.state import TABLE, encode_state
from chocolatl.interpreter.play.game import Game, Position, Result
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import PLAYER
from chocolatl.interpreter.terminal.board.cells import content, is_pictured, sets_of_cells
from chocolatl.interpreter.terminal.board.fields import GAP, WIDE, of_owners, of_table, plain_table, player_name
from chocolatl.interpreter.terminal.board.grid import GridPicture
from chocolatl.interpreter.terminal.output.console import GOOD, VisibleText
from chocolatl.interpreter.terminal.output.tables import WidthDependent
from chocolatl.interpreter.terminal.output.words import EMPTY, enumerated, item_titles, spaced
from chocolatl.interpreter.translate.lower import BREAKDOWN

ROUND = "round"
LINE = 4
"""So much room a line behind a title needs: a gap, and some of the line."""


def board(game: Game, position: Position, viewer: int | None) -> RenderableType:
    """What a player sees of a position; without a viewer, all of it."""
    return WidthDependent(lambda width: _board(game, position, viewer, min(width, WIDE)))


def _board(game: Game, position: Position, viewer: int | None, wide: int) -> RenderableType:
    if viewer is None:
        state: Any = encode_state(game.program.layout, game.codec, position.slots)
    else:
        state = game.view(position, viewer)["state"]
    pictures = _pictures(game, position, viewer, state)
    parts: list[RenderableType] = [heading(game, position), *pictures.values()]
    shown = _shown_fields(game, list(pictures))
    owners = dict.fromkeys(field.owner for field in shown)
    for owner in sorted(owners, key=lambda name: (name is not None, name == PLAYER)):
        records = {"": state[TABLE]} if owner is None else state[owner]
        fields = [field for field in shown if field.owner == owner]
        if owner is None:
            parts += of_table(game, fields, records[""], wide)
        else:
            parts += of_owners(game, fields, records, viewer, wide)
    return Group(*[line for part in parts for line in (part, VisibleText())])


def heading(game: Game, position: Position) -> RenderableType:
    """The title of the game and the round, with a line behind them where there is room for one."""
    round_number = game.round(position)
    title = f"{game.files.title}, round {round_number}" if round_number else game.files.title
    text = VisibleText(title, "bold")
    return WidthDependent(
        lambda width: Rule(text, align="left", style="dim") if text.cell_len + LINE <= width else text
    )


def results(game: Game, result: Result, viewer: int | None = None) -> RenderableType:
    """The end of a game: points by item, the sum, and who has won. Many items stand below one another."""
    return WidthDependent(lambda width: _results(game, result, viewer, min(width, WIDE)))


def _results(game: Game, result: Result, viewer: int | None, wide: int) -> RenderableType:
    titles = item_titles(game)
    items = [item for item in titles if any(points.get(item) for points in result.breakdown)]
    names = [player_name(name, seat == viewer) for seat, name in enumerate(game.players)]
    total = spaced(game.ir.score.name)
    across = sum(len(titles[item]) + 1 + GAP for item in items) + len(total) + max(map(len, names)) + GAP
    fits = across <= wide
    table = plain_table(show_footer=not fits)
    winning = [GOOD if seat in result.winners else "" for seat in range(game.player_count)]
    if fits:
        table.add_column(PLAYER)
        for item in items:
            table.add_column(titles[item], justify="right")
        table.add_column(total, justify="right", style="bold")
        for seat, name in enumerate(names):
            points = [str(result.breakdown[seat].get(item, 0)) for item in items]
            table.add_row(name, *points, str(result.scores[seat]), style=winning[seat])
    else:
        table.add_column("", footer=VisibleText(total, "bold"))
        for seat, name in enumerate(names):
            sum_ = VisibleText(str(result.scores[seat]), f"bold {winning[seat]}")
            table.add_column(name, justify="right", style=winning[seat], footer=sum_)
        for item in items:
            each = [points.get(item, 0) for points in result.breakdown]
            table.add_row(titles[item], *[str(points) if points else EMPTY for points in each])
    winners = [game.players[seat] for seat in result.winners]
    verb = "wins" if len(winners) == 1 else "share the victory"
    return Group(table, VisibleText(f"\n{enumerated(winners)} {verb}.", f"bold {GOOD}"))


def _pictures(game: Game, position: Position, viewer: int | None, state: Any) -> dict[str, RenderableType]:
    """A picture of each grid in which something can stand, by the name of the grid."""
    if viewer is None:
        decisions = list(game.pending(position))
    else:
        decisions = [decision for decision in [game.decision(position, viewer)] if decision is not None]
    grids = [domain for domain in game.ir.domains.values() if is_pictured(game, domain)]
    pictures: dict[str, RenderableType] = {}
    for grid in grids:
        picture = GridPicture(content(game, grid, state, decisions))
        pictures[grid.name] = picture if len(grids) == 1 else Group(VisibleText(spaced(grid.name), "dim"), picture)
    return pictures


def _shown_fields(game: Game, pictured: list[str]) -> list[Field]:
    """The fields for tables: not what is counted for the end, and not what pictures show."""
    marked = [field.key for name in pictured for field in sets_of_cells(game, game.ir.domains[name])]
    return [
        field
        for field in game.ir.fields
        if field.name != BREAKDOWN and field.key not in [(None, ROUND), *marked] and field.owner not in pictured
    ]
