"""The fields of a position as tables: those of the table, of the players, of the elements of any other domain.

Fields with an index get a table of their own: a row for each owner, a column for each index. Where there is too much
for one table, what holds nothing is left out: empty zones, what belongs to nobody, counters of which all are at 0. Then
players get several tables, and the elements of other domains a register, each with a paragraph of all it holds. A small
board keeps all its columns, so that it looks the same throughout a game.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType

from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import NUMBER, PLAYER, TRUTH, Multiset
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.board.cells import is_pictured, player_style
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.output.words import EMPTY, spaced, value_text

Record = dict[str, Any]

MANY = 4
"""With more fields than this the table's own fields stand in two columns."""

WIDE = 78
"""A table that would be wider is parted, however wide the terminal is."""

GAP = 2
SHORT = 8
"""Names and values stand in two columns if there is room for so many letters of a value."""

UNSEEN = {"secret": "secret", "hidden": "hidden"}


def of_table(game: Game, fields: list[Field], record: Record, wide: int) -> list[RenderableType]:
    """The table's own fields."""
    simple = [field for field in fields if not field.indices]
    if len(simple) > MANY:
        simple = [field for field in simple if _says_something(game, field, [record])]
    indexed = [field for field in fields if field.indices and _says_something(game, field, [record])]
    listed = [Group(*_listed(game, simple, record, wide))] if simple else []
    return [*listed, *(_indexed(game, field, {"": record}, None) for field in indexed)]


def of_owners(
    game: Game, fields: list[Field], records: dict[str, Record], viewer: int | None, wide: int
) -> list[RenderableType]:
    """The fields of the players, or of the elements of another domain."""
    score = game.ir.score
    used = [field for field in fields if field is score or _says_something(game, field, list(records.values()))]
    simple = [field for field in fields if not field.indices]
    if not _fit(game, simple, records, WIDE):  # what is left out does not depend on the terminal
        if fields[0].owner != PLAYER:
            return [_register(game, used, records, wide)]
        simple = [field for field in simple if field in used]
    tables = [_owners(game, some, records, viewer) for some in _chunks(game, simple, records, wide)]
    return [*tables, *(_indexed(game, field, records, viewer) for field in used if field.indices)]


def plain_table(show_footer: bool = False) -> FoldingTable:
    """Columns under a thin line, without a frame."""
    return FoldingTable(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        header_style="dim",
        show_edge=False,
        padding=(0, GAP, 0, 0),
        show_footer=show_footer,
    )


def player_name(name: str, is_viewer: bool) -> str:
    """A player, or an element of another domain that has a row."""
    return f"{one_line(name)} (you)" if is_viewer else one_line(name)


# ---------------------------------------------------------------- the table


def _listed(game: Game, fields: list[Field], record: Record, wide: int) -> Iterator[RenderableType]:
    """Names and values: in two columns if there are many, and below them what is too long for that."""
    cells = [(_label(field), value_text(game, field.type, record[field.name])) for field in fields]
    names = max((len(name) for name, _ in cells), default=0)
    room = wide // 2 - names - 2 * GAP
    beside = len(cells) > MANY and room >= SHORT
    short = [cell for cell in cells if beside and len(cell[1]) <= room]
    long = [cell for cell in cells if cell not in short]
    for some, columns in ((short, 2), (long, 1)):
        height = -(-len(some) // columns)
        grid = FoldingTable.grid(padding=(0, GAP, 0, 0))
        for _ in range(columns):
            grid.add_column(style="dim", min_width=names)
            grid.add_column(min_width=room if columns > 1 else None)
        for row in range(height):
            grid.add_row(*[text for cell in some[row::height] for text in cell])
        if some:
            yield grid


# ---------------------------------------------------------------- players, and elements of other domains


def _chunks(game: Game, fields: list[Field], records: dict[str, Record], wide: int) -> list[list[Field]]:
    """The columns of one table; where that would be too wide, of two or more: numbers and the like, then zones."""
    if _fit(game, fields, records, wide):
        return [fields] if fields else []
    chunks: list[list[Field]] = []
    for _, alike in groupby(sorted(fields, key=_is_zone), _is_zone):
        chunks.append([])
        for field in alike:
            if chunks[-1] and not _fit(game, [*chunks[-1], field], records, wide):
                chunks.append([])
            chunks[-1].append(field)
    return chunks


def _is_zone(field: Field) -> bool:
    return isinstance(field.type, Multiset)


def _fit(game: Game, fields: list[Field], records: dict[str, Record], wide: int) -> bool:
    """Whether fields have room in one table."""
    names = max(len(name) for name in [*(str(field.owner) for field in fields), *records]) + len(" (you)") + GAP
    return names + sum(max(map(len, [_label(f), *_column(game, f, records)])) + GAP + 1 for f in fields) <= wide


def _column(game: Game, field: Field, records: dict[str, Record]) -> list[str]:
    return [value_text(game, field.type, record[field.name]) for record in records.values()]


def _owners(game: Game, fields: list[Field], records: dict[str, Record], viewer: int | None) -> FoldingTable:
    """A row for each player, or for each element of another domain."""
    owner = str(fields[0].owner)
    table = plain_table()
    table.add_column(spaced(owner))
    for field in fields:
        table.add_column(_label(field), justify=_side(field))
    for number, (name, record) in enumerate(records.items()):
        cells = [value_text(game, field.type, record[field.name]) for field in fields]
        mine = owner == PLAYER and number == viewer
        coloured = owner == PLAYER and any(is_pictured(game, domain) for domain in game.ir.domains.values())
        shown = VisibleText(player_name(name, mine), player_style(number) if coloured else "")
        table.add_row(shown, *cells, style="bold" if mine else "")
    return table


def _indexed(game: Game, field: Field, records: dict[str, Record], viewer: int | None) -> FoldingTable:
    """A row for each owner, a column for each index; of the table's own fields, a single row."""
    table = plain_table()
    table.add_column(_label(field))
    for key in next(iter(records.values()))[field.name]:
        table.add_column(spaced(key), justify=_side(field))
    for number, (name, record) in enumerate(records.items()):
        cells = [value_text(game, field.type, value) for value in record[field.name].values()]
        mine = field.owner == PLAYER and number == viewer
        table.add_row(player_name(name, mine), *cells, style="bold" if mine else "")
    return table


def _register(game: Game, fields: list[Field], records: dict[str, Record], wide: int) -> FoldingTable:
    """A paragraph for each element, of those of its fields that hold something."""
    owner = str(fields[0].owner)
    room = wide - max(map(len, [owner, *records])) - GAP
    table = plain_table()
    table.add_column(spaced(owner))
    table.add_column("")
    for name, record in records.items():
        table.add_row(one_line(name), _paragraph([_held(game, field, record) for field in fields], room))
    return table


def _held(game: Game, field: Field, record: Record) -> VisibleText:
    """The name of a field and what it holds; of a field with an index, where it holds something. Empty for nothing."""
    single = (
        {"": record} if not field.indices else {key: {field.name: cell} for key, cell in record[field.name].items()}
    )
    held = [
        f"{spaced(key)} {value_text(game, field.type, cell[field.name])}".strip()
        for key, cell in single.items()
        if _holds(game, field, cell[field.name])
    ]
    return VisibleText().append(f"{_label(field)}: ", "dim").append(", ".join(held)) if held else VisibleText()


def _paragraph(parts: list[VisibleText], room: int) -> RenderableType:
    """Parts beside one another as long as a line has room for them."""
    lines: list[VisibleText] = []
    for part in filter(None, parts):
        if lines and len(lines[-1]) + GAP + 1 + len(part) <= room:
            lines[-1].append(" " * (GAP + 1)).append_text(part)
        else:
            lines.append(part)
    return VisibleText("\n").join(lines) if lines else VisibleText(EMPTY)


# ---------------------------------------------------------------- single fields


def _label(field: Field) -> str:
    """The name of a field. That others don't see what is in it is worth knowing before one fills it."""
    note = UNSEEN.get(field.visibility)
    return spaced(field.name) + (f" ({note})" if note else "")


def _side(field: Field) -> Any:
    return "right" if not isinstance(field.type, Multiset) and field.type.family == NUMBER else "left"


def _says_something(game: Game, field: Field, records: list[Record]) -> bool:
    """Whether a field holds anything. A number of the table is always worth seeing."""
    if field.owner is None and not field.indices and _side(field) == "right":
        return True
    values = [record[field.name] for record in records]
    if field.indices:
        values = [value for cells in values for value in cells.values()]
    return any(_holds(game, field, value) for value in values)


def _holds(game: Game, field: Field, value: Any) -> bool:
    """Whether a value is worth seeing: what is a yes or a no, when it is not as it was at first."""
    if isinstance(field.type, Multiset):
        return value_text(game, field.type, value) != EMPTY
    if field.type.family == TRUTH:
        return value is not None and int(value) != field.initial
    return value not in (None, 0)
