"""A position as a player may see it, drawn from the view alone: so nothing can be shown that the view hides.

Grids come first, as pictures, which show sets of cells as well; then the fields of the table, then a table for each
domain that owns fields (the sites of a game, say), the players last with a row for each. Fields with an index get a
table of their own: a row for each owner, a column for each index. Where there is too much for one table, what holds
nothing is left out: empty zones, what belongs to nobody, counters of which all are at 0. A small board keeps all its
columns, so that it looks the same throughout a game.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from interpreter.engine.state import TABLE, encode_state
from interpreter.game import Game, Position, Result
from interpreter.ir.lower import BREAKDOWN
from interpreter.program.model import Field
from interpreter.program.types import NUMBER, PLAYER, TRUTH, Multiset
from interpreter.terminal.cells import content, is_pictured, player_style, sets_of_cells
from interpreter.terminal.console import GOOD
from interpreter.terminal.grid import Picture
from interpreter.terminal.words import EMPTY, enumerated, item_titles, spaced, value_text

ROUND = "round"
MANY = 4
"""With more fields than this the table's own fields stand in two columns."""

WIDE = 78
"""A table that would be wider is parted."""

GAP = 2

UNSEEN = {"secret": "secret", "hidden": "hidden"}


def board(game: Game, position: Position, viewer: int | None) -> RenderableType:
    """What a player sees of a position; without a viewer, all of it."""
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
        used = [field for field in fields if field is game.ir.score or _says_something(game, field, records)]
        simple = [field for field in fields if not field.indices]
        if owner is None:
            simple = simple if len(simple) <= MANY else [field for field in simple if field in used]
            parts += [_table_fields(game, simple, records[""])] if simple else []
        else:
            if not _fit(game, owner, simple, records):
                simple = [field for field in simple if field in used]
            parts += [_owners(game, owner, some, records, viewer) for some in _chunks(game, owner, simple, records)]
        parts += [_indexed(game, field, records, viewer) for field in used if field.indices]
    return Group(*[line for part in parts for line in (part, Text())])


def heading(game: Game, position: Position) -> Rule:
    """The title of the game and the round."""
    round_number = game.round(position)
    title = f"{game.files.title}, round {round_number}" if round_number else game.files.title
    return Rule(Text(title, "bold"), align="left", style="dim")


def results(game: Game, result: Result, viewer: int | None = None) -> RenderableType:
    """The end of a game: points by item, the sum, and who has won. Many items stand below one another."""
    titles = item_titles(game)
    items = [item for item in titles if any(points.get(item) for points in result.breakdown)]
    names = [_player(name, seat == viewer) for seat, name in enumerate(game.players)]
    total = spaced(game.ir.score.name)
    across = sum(len(titles[item]) + 1 + GAP for item in items) + len(total) + max(map(len, names)) + GAP
    fits = across <= WIDE
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
        table.add_column("", footer=Text(total, "bold"))
        for seat, name in enumerate(names):
            sum_ = Text(str(result.scores[seat]), f"bold {winning[seat]}")
            table.add_column(name, justify="right", style=winning[seat], footer=sum_)
        for item in items:
            each = [points.get(item, 0) for points in result.breakdown]
            table.add_row(titles[item], *[str(points) if points else EMPTY for points in each])
    winners = [game.players[seat] for seat in result.winners]
    verb = "wins" if len(winners) == 1 else "share the victory"
    return Group(table, Text(f"\n{enumerated(winners)} {verb}.", f"bold {GOOD}"))


def _pictures(game: Game, position: Position, viewer: int | None, state: Any) -> dict[str, RenderableType]:
    """A picture of each grid in which something can stand, by the name of the grid."""
    if viewer is None:
        decisions = list(game.pending(position))
    else:
        decisions = [decision for decision in [game.decision(position, viewer)] if decision is not None]
    grids = [domain for domain in game.ir.domains.values() if is_pictured(game, domain)]
    pictures: dict[str, RenderableType] = {}
    for grid in grids:
        picture = Picture(content(game, grid, state, decisions))
        pictures[grid.name] = picture if len(grids) == 1 else Group(Text(spaced(grid.name), "dim"), picture)
    return pictures


def _shown_fields(game: Game, pictured: list[str]) -> list[Field]:
    """The fields for tables: not what is counted for the end, and not what pictures show."""
    marked = [field.key for name in pictured for field in sets_of_cells(game, game.ir.domains[name])]
    return [
        field
        for field in game.ir.fields
        if field.name != BREAKDOWN and field.key not in [(None, ROUND), *marked] and field.owner not in pictured
    ]


def plain_table(show_footer: bool = False) -> Table:
    """Columns under a thin line, without a frame."""
    return Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        header_style="dim",
        show_edge=False,
        padding=(0, GAP, 0, 0),
        show_footer=show_footer,
    )


def _label(field: Field) -> str:
    """The name of a field. That others don't see what is in it is worth knowing before one fills it."""
    note = UNSEEN.get(field.visibility)
    return spaced(field.name) + (f" ({note})" if note else "")


def _player(name: str, is_viewer: bool) -> str:
    return f"{name} (you)" if is_viewer else name


def _table_fields(game: Game, fields: list[Field], record: dict[str, Any]) -> Table:
    """Names and values, in two columns if there are many."""
    cells = [(_label(field), value_text(game, field.type, record[field.name])) for field in fields]
    half = (len(cells) + 1) // 2 if len(cells) > MANY else len(cells)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(-(-len(cells) // half)):
        grid.add_column(style="dim")
        grid.add_column()
    for row in range(half):
        grid.add_row(*[text for cell in cells[row::half] for text in cell])
    return grid


def _chunks(game: Game, owner: str, fields: list[Field], records: dict[str, Any]) -> list[list[Field]]:
    """The columns of one table; where that would be too wide, of two or more: numbers and the like, then zones."""
    if _fit(game, owner, fields, records):
        return [fields] if fields else []
    chunks: list[list[Field]] = []
    for _, alike in groupby(sorted(fields, key=_is_zone), _is_zone):
        chunks.append([])
        for field in alike:
            if chunks[-1] and not _fit(game, owner, [*chunks[-1], field], records):
                chunks.append([])
            chunks[-1].append(field)
    return chunks


def _is_zone(field: Field) -> bool:
    return isinstance(field.type, Multiset)


def _fit(game: Game, owner: str, fields: list[Field], records: dict[str, Any]) -> bool:
    """Whether fields have room in one table."""
    names = max(len(name) for name in [owner, *records]) + len(" (you)") + GAP
    return names + sum(max(map(len, [_label(f), *_column(game, f, records)])) + GAP + 1 for f in fields) <= WIDE


def _column(game: Game, field: Field, records: dict[str, Any]) -> list[str]:
    return [value_text(game, field.type, record[field.name]) for record in records.values()]


def _owners(game: Game, owner: str, fields: list[Field], records: dict[str, Any], viewer: int | None) -> Table:
    """A row for each player, or for each element of another domain."""
    table = plain_table()
    table.add_column(spaced(owner))
    for field in fields:
        table.add_column(_label(field), justify=_side(field))
    for number, (name, record) in enumerate(records.items()):
        cells = [value_text(game, field.type, record[field.name]) for field in fields]
        mine = owner == PLAYER and number == viewer
        coloured = owner == PLAYER and any(is_pictured(game, domain) for domain in game.ir.domains.values())
        shown = Text(_player(name, mine), player_style(number) if coloured else "")
        table.add_row(shown, *cells, style="bold" if mine else "")
    return table


def _says_something(game: Game, field: Field, records: dict[str, Any]) -> bool:
    """Whether a field holds anything. A number of the table is always worth seeing, and what has a yes and a no when
    it is not as it was at first."""
    values = [record[field.name] for record in records.values()]
    if field.indices:
        values = [value for cells in values for value in cells.values()]
    if isinstance(field.type, Multiset):
        return any(value_text(game, field.type, value) != EMPTY for value in values)
    if field.type.family == TRUTH:
        return any(value is not None and int(value) != field.initial for value in values)
    if field.type.family == NUMBER and field.owner is None and not field.indices:
        return True
    return any(value not in (None, 0) for value in values)


def _indexed(game: Game, field: Field, records: dict[str, Any], viewer: int | None) -> Table:
    """A row for each owner, a column for each index; of the table's own fields, a single row."""
    table = plain_table()
    table.add_column(_label(field))
    for key in next(iter(records.values()))[field.name]:
        table.add_column(spaced(key), justify=_side(field))
    for number, (name, record) in enumerate(records.items()):
        cells = [value_text(game, field.type, value) for value in record[field.name].values()]
        mine = field.owner == PLAYER and number == viewer
        table.add_row(_player(name, mine), *cells, style="bold" if mine else "")
    return table


def _side(field: Field) -> Any:
    return "right" if not isinstance(field.type, Multiset) and field.type.family == NUMBER else "left"
