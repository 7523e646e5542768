"""`chocolatl variant`: the file of a new variant, with a list of what can be set."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from chocolatl.interpreter.commands.shared.errors import UsageError

EPILOG = """\
The file lists every parameter and table of GAME with its value, what it can be set to, and where it is from, as
comments: take the `#` away from what you want to change. It goes beside the other variants of the game; of a shipped
game into this folder, since a variant may lie anywhere and extend a shipped game.

Exit code: 0; 2 wrong usage, or there is a file of this name.

examples:
  chocolatl variant {game} my_variant
  chocolatl variant {game} my_variant -o variants/mine.yaml
"""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,49}")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", help="what it is a variant of: a folder, a name, or `game/variant`")
    parser.add_argument("name", metavar="NAME", help="what the variant is called")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="where it goes")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.games import rules_folder
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.files import write_text
    from chocolatl.interpreter.starting.settings import is_shipped
    from chocolatl.interpreter.starting.variants import variant_text
    from chocolatl.interpreter.system.escaping import one_line

    if not NAME.fullmatch(arguments.name):
        raise UsageError(f"`{arguments.name[:60]}` is no name of a variant: letters, digits, `_`, `-` and `.`")
    findings = Findings()
    files = load_game(find_game(arguments.game), findings)
    findings.reject_errors()
    assert files is not None
    if files.variant is not None and files.path.resolve().parent != (files.folder / "variants").resolve():
        raise UsageError(f"{arguments.game} lies apart from its game, so that no other variant can extend it")
    beside = Path() if is_shipped(files, rules_folder()) else files.folder / "variants"
    target = arguments.output or beside / f"{arguments.name}.yaml"
    if target.exists():
        raise UsageError(f"{target} is there already; choose another name")
    target.parent.mkdir(parents=True, exist_ok=True)
    write_text(target, variant_text(files, arguments.name))
    told = f"{target}: a variant of {files.title} that changes nothing yet; see the comments in it"
    print(one_line(told))
    return 0
