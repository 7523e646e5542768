"""`chocolatl rules`: what of a game can be set, as a table: values, limits, sources and rulings."""

from __future__ import annotations

import argparse

EPILOG = """\
Every parameter and table of GAME with its value, what it can be set to, what it is, and where that is printed or was
decided. `chocolatl variant` writes them into a file to be changed.

Exit code: 0; 2 wrong usage, or rules that fail `check`.

examples:
  chocolatl rules {game}
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", help="a folder, a name, or `game/variant`")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.starting.settings import game_settings
    from chocolatl.interpreter.system.escaping import one_line
    from chocolatl.interpreter.terminal.output.console import VisibleText, make_console
    from chocolatl.interpreter.terminal.output.tables import FoldingTable

    findings = Findings()
    files = load_game(find_game(arguments.game), findings)
    findings.reject_errors()
    assert files is not None
    players = f"{files.minimum} to {files.maximum}" if files.minimum < files.maximum else f"{files.minimum}"
    table = FoldingTable(title=VisibleText(f"{one_line(files.title)}, {players} players: what can be set"))
    for column in ("name", "value", "can be", "what it is", "source"):
        table.add_column(column)
    for setting in game_settings(files):
        sure = f" ({setting.confidence})" if setting.confidence else ""
        cells = setting.name, setting.written, setting.can_be, setting.about, f"{setting.source}{sure}"
        table.add_row(*(VisibleText(one_line(cell)) for cell in cells))
    make_console().print(table)
    return 0
