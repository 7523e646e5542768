"""`chocolatl new`: a game of one's own to begin with, that passes `check` and can be played."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs
    from chocolatl.interpreter.data.model import GameFiles

EPILOG = """\
NAME is the name of the game and of its folder: small letters, digits and `_`, a letter first. The folder is made in
this one, or in --in, and holds game.yaml, the rules and a scenario. What is there passes `check`, `fmt --check` and
`test`, and can be played at once.

Without --like it is a small game of bids with cards, a comment at each part. With --like it is a copy of that game
under the new name, with its variants and scenarios.

Exit code: 0; 2 wrong usage, or there is something of this name.

examples:
  chocolatl new my_game
  chocolatl new his_game --like {game}
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("name", metavar="NAME", help="what the game is called")
    parser.add_argument("--like", metavar="GAME", help="begin with a copy of this game")
    parser.add_argument("--in", dest="place", metavar="FOLDER", type=Path, default=Path(), help="where it goes")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.starting.games import NAME, copied_game, small_game
    from chocolatl.interpreter.system.escaping import one_line

    name: str = arguments.name
    if not NAME.fullmatch(name):
        raise UsageError(f"`{name[:60]}` is no name of a game: small letters, digits and `_`, a letter first")
    folder = arguments.place / name
    if folder.exists():
        raise UsageError(f"{folder} is there already; choose another name")
    write_folder(folder, copied_game(_like(arguments.like), name) if arguments.like else small_game(name))
    shown = one_line(str(folder))
    print(f"{shown}: a game to begin with. Next:")
    for words, what in (
        ("check", "finds what is wrong with it, as often as you like"),
        ("play", "plays it with you"),
        ("simulate", "plays it a thousand times, with `--players 3`"),
    ):
        print(f"  {f'chocolatl {words} {shown}':<40} {what}")
    return 0


def _like(argument: str) -> GameFiles:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings

    findings = Findings()
    files = load_game(find_game(argument), findings)
    findings.reject_errors()
    assert files is not None
    if files.variant is not None:
        raise UsageError(f"--like: {argument} is a variant; `chocolatl variant` makes another one of its game")
    return files


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write a folder that is whole or is not there."""
    import shutil
    from tempfile import mkdtemp

    from chocolatl.interpreter.formats.files import UnwritableFile

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        made = Path(mkdtemp(prefix=".new-", dir=folder.parent))
        try:
            for place, text in files.items():
                (made / place).parent.mkdir(parents=True, exist_ok=True)
                (made / place).write_text(text, encoding="utf-8")
            made.chmod(0o755)
            made.rename(folder)
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise
    except OSError as error:
        raise UnwritableFile(f"{folder}: cannot be written ({error.strerror})") from None
