"""A position as a player may see it, drawn from the view alone: so nothing can be shown that the view hides.

The fields of the table come first, then a table for each domain that owns fields (the sites of a game, say), the
players last with a row for each. Fields with an index get a table of their own: a row for each owner, a column for
each index.
"""

from __future__ import annotations

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
from interpreter.program.types import NUMBER, PLAYER, Multiset
from interpreter.terminal.console import GOOD
from interpreter.terminal.words import EMPTY, enumerated, item_titles, spaced, value_text

ROUND = "round"
MANY = 6
"""With more fields than this a board is spread out."""

UNSEEN = {"secret": "secret", "hidden": "hidden"}


def board(game: Game, position: Position, viewer: int | None) -> RenderableType:
    """What a player sees of a position; without a viewer, all of it."""
    if viewer is None:
        state: Any = encode_state(game.program, game.codec, position.slots)
    else:
        state = game.view(position, viewer)["state"]
    parts: list[RenderableType] = [heading(game, position)]
    owners = dict.fromkeys(field.owner for field in _shown_fields(game))
    for owner in sorted(owners, key=lambda name: (name is not None, name == PLAYER)):
        fields = [field for field in _shown_fields(game) if field.owner == owner]
        records = {"": state[TABLE]} if owner is None else state[owner]
        simple = [field for field in fields if not field.indices]
        if owner is None:
            parts += [_table_fields(simple, records[""])] if simple else []
        else:
            parts += [_owners(owner, some, records, viewer) for some in _chunks(simple)]
        parts += [_indexed(field, records, viewer) for field in fields if field.indices and _is_used(field, records)]
    return Group(*[line for part in parts for line in (part, Text())])


def heading(game: Game, position: Position) -> Rule:
    """The title of the game and the round."""
    round_number = game.round(position)
    title = f"{game.files.title}, round {round_number}" if round_number else game.files.title
    return Rule(Text(title, "bold"), align="left", style="dim")


def results(game: Game, result: Result, viewer: int | None = None) -> RenderableType:
    """The end of a game: points by item, the sum, and who has won."""
    table = _grid()
    titles = item_titles(game)
    items = [item for item in titles if any(points.get(item) for points in result.breakdown)]
    table.add_column(PLAYER)
    for item in items:
        table.add_column(titles[item], justify="right")
    table.add_column(spaced(game.ir.score.name), justify="right", style="bold")
    for seat, name in enumerate(game.players):
        points = [str(result.breakdown[seat].get(item, 0)) for item in items]
        style = GOOD if seat in result.winners else ""
        table.add_row(_player(name, seat == viewer), *points, str(result.scores[seat]), style=style)
    winners = [game.players[seat] for seat in result.winners]
    verb = "wins" if len(winners) == 1 else "share the victory"
    return Group(table, Text(f"\n{enumerated(winners)} {verb}.", f"bold {GOOD}"))


def _shown_fields(game: Game) -> list[Field]:
    return [field for field in game.ir.fields if field.name != BREAKDOWN and field.key != (None, ROUND)]


def _grid() -> Table:
    return Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False, padding=(0, 2, 0, 0))


def _label(field: Field) -> str:
    """The name of a field. That others don't see what is in it is worth knowing before one fills it."""
    note = UNSEEN.get(field.visibility)
    return spaced(field.name) + (f" ({note})" if note else "")


def _player(name: str, is_viewer: bool) -> str:
    return f"{name} (you)" if is_viewer else name


def _table_fields(fields: list[Field], record: dict[str, Any]) -> Table:
    """Names and values, in two columns if there are many."""
    cells = [(_label(field), value_text(field.type, record[field.name])) for field in fields]
    half = (len(cells) + 1) // 2 if len(cells) > MANY else len(cells)
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(-(-len(cells) // half)):
        grid.add_column(style="dim")
        grid.add_column()
    for row in range(half):
        grid.add_row(*[text for cell in cells[row::half] for text in cell])
    return grid


def _chunks(fields: list[Field]) -> list[list[Field]]:
    """The columns of one table, or of two where one would be too wide: numbers and the like, then zones."""
    if len(fields) <= MANY:
        return [fields] if fields else []
    zones = [field for field in fields if isinstance(field.type, Multiset)]
    return [some for some in ([field for field in fields if field not in zones], zones) if some]


def _owners(owner: str, fields: list[Field], records: dict[str, Any], viewer: int | None) -> Table:
    """A row for each player, or for each element of another domain."""
    table = _grid()
    table.add_column(spaced(owner))
    for field in fields:
        table.add_column(_label(field), justify=_side(field))
    for number, (name, record) in enumerate(records.items()):
        cells = [value_text(field.type, record[field.name]) for field in fields]
        mine = owner == PLAYER and number == viewer
        table.add_row(_player(name, mine), *cells, style="bold" if mine else "")
    return table


def _is_used(field: Field, records: dict[str, Any]) -> bool:
    """Whether there is anything in a zone with an index; a table of nothing is not worth its place."""
    if not isinstance(field.type, Multiset):
        return True
    cells = [value for record in records.values() for value in record[field.name].values()]
    return any(value_text(field.type, value) != EMPTY for value in cells)


def _indexed(field: Field, records: dict[str, Any], viewer: int | None) -> Table:
    """A row for each owner, a column for each index; of the table's own fields, a single row."""
    table = _grid()
    table.add_column(_label(field))
    for key in next(iter(records.values()))[field.name]:
        table.add_column(spaced(key), justify=_side(field))
    for number, (name, record) in enumerate(records.items()):
        cells = [value_text(field.type, value) for value in record[field.name].values()]
        mine = field.owner == PLAYER and number == viewer
        table.add_row(_player(name, mine), *cells, style="bold" if mine else "")
    return table


def _side(field: Field) -> Any:
    return "right" if not isinstance(field.type, Multiset) and field.type.family == NUMBER else "left"
