"""`chocolatl completion`: a script that lets a shell complete commands, options, their values, games and files.

shtab makes it from the parsers of the commands, so that it knows what can follow at each place of a line. What a value
can be is told by what the help calls it (its metavar). All words are written into the script: a shell need not start
the program for each key.
"""

from __future__ import annotations

import argparse
import pkgutil
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

PROGRAM = "chocolatl"
SHELLS = ("bash", "zsh", "fish")

EPILOG = """\
The script is printed; write it where the shell looks for it:
  bash  ~/.local/share/bash-completion/completions/chocolatl
  zsh   _chocolatl in a folder of $fpath
  fish  ~/.config/fish/completions/chocolatl.fish

examples:
  chocolatl completion bash
"""


class Following(NamedTuple):
    """What can stand for a value: words, files, or some of the words with commas between them."""

    words: Sequence[str] = ()
    files: bool = False
    many: bool = False


UNKNOWN = Following()
"""A number, a name or an answer of a game: nothing that a shell could know."""

NUMBERS_AND_NAMES = (
    "N",
    "U",
    "S",
    "R",
    "P",
    "T",
    "M",
    "J",
    "G",
    "W",
    "SECONDS",
    "PERCENT",
    "NAME",
    "WORD",
    "CHOICE=VALUE",
    "FIGURE=VALUE",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    print(script(arguments.shell))
    return 0


def script(shell: str) -> str:
    """The script for bash, zsh or fish."""
    import shtab

    whole = argparse.ArgumentParser(PROGRAM)
    whole.add_argument("--version", action="version", help="show the version")
    commands = whole.add_subparsers(metavar="COMMAND")
    following = followings()
    for name, (parser, summary) in parsers().items():
        added = commands.add_parser(name, parents=[parser], help=summary, add_help=False)
        for action in added._actions:
            if action.choices is None and action.nargs != 0:
                _tell(action, following[str(action.metavar)], re.sub(r"\W", "_", str(action.metavar).lower()))
    return shtab.complete(whole, shell)


def parsers() -> dict[str, tuple[argparse.ArgumentParser, str]]:
    """The parser of each command, and what it does in a sentence."""
    found = {}
    for module in pkgutil.iter_modules(import_module(str(__package__)).__path__):
        command = import_module(f"{__package__}.{module.name}")
        if hasattr(command, "configure"):
            parser = argparse.ArgumentParser(prog=module.name)
            command.configure(parser)
            found[module.name] = parser, str(command.__doc__).partition(": ")[2].partition("\n")[0]
    return found


def followings() -> dict[str, Following]:
    """What can stand for a value, by what the help calls it."""
    from chocolatl.interpreter.commands.play import PERSON
    from chocolatl.interpreter.commands.shared.question import DEFAULT
    from chocolatl.interpreter.data.games import games_in, rules_folder
    from chocolatl.interpreter.diagnostics.pages import codes
    from chocolatl.interpreter.players.registry import BUDGETED, TYPES
    from chocolatl.solver.advice import ENGINES
    from chocolatl.solver.worth.beliefs import BeliefKind
    from chocolatl.solver.worth.horizons import HorizonKind
    from chocolatl.solver.worth.outcome import OBJECTIVES
    from chocolatl.solver.worth.scenarios import KNOWN

    games, players = games_in(rules_folder()), (*TYPES, *BUDGETED)
    return {
        **dict.fromkeys(NUMBERS_AND_NAMES, UNKNOWN),
        **dict.fromkeys(("FILE", "FOLDER", "PATH", "POSITION"), Following(files=True)),
        "BELIEFS": Following([kind.value for kind in BeliefKind]),
        **dict.fromkeys(("GAME", "GAME|POSITION", "A", "B"), Following(games, files=True)),
        "CODE": Following(codes()),
        "E": Following(ENGINES),
        "H": Following([kind.value for kind in HorizonKind]),
        "O": Following(OBJECTIVES),
        "PLAYERS": Following(players, many=True),
        "TYPE": Following(players),
        "TYPES": Following((PERSON, *players), many=True),
        "V": Following(("none", DEFAULT), files=True),
        "WHAT": Following((KNOWN, *players), files=True),
    }


def _tell(action: Any, following: Following, name: str) -> None:
    """Let shtab know what can stand for the value of an action, which goes by a name in the script."""
    import shtab

    words = " ".join(following.words)
    if following.many:
        action.complete = {
            "bash": f"_chocolatl_list_of_{name}",
            "zsh": f"_sequence -d compadd - {words}",
            "fish": f"(__fish_complete_list , 'printf %s\\\\n {words}')",
            "preamble": {"bash": LAST.format(name=f"_chocolatl_list_of_{name}", words=words)},
        }
    elif following.files and following.words:
        action.complete = {
            "bash": f"_chocolatl_{name}_or_files",
            "zsh": f"{{compadd -- {words}; _files}}",
            "fish": f"{words} {shtab.FILE['fish']}",
            "preamble": {"bash": BOTH.format(name=f"_chocolatl_{name}_or_files", words=words)},
        }
    elif following.files:
        action.complete = shtab.FILE
    else:
        action.choices = following.words or None


BOTH = """\
{name}() {{
  compgen -W "{words}" -- "$1"
  compgen -f -- "$1"
}}"""
LAST = """\
{name}() {{
  local before=  # of several words with commas between them, the last one is completed
  [[ $1 == *,* ]] && before=${{1%,*}},
  compgen -P "$before" -W "{words}" -- "${{1##*,}}"
}}"""
"""Functions of bash."""
