"""The command `chocolatl`: arguments, exit codes, nothing else.

A command is a module of `chocolatl.interpreter.commands` with `configure(parser)` and `run(arguments) -> exit code`.
Only the module of the command at hand is imported, and each imports what it works with when it runs: help is there at
once.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # As a script this file is `python -m chocolatl`, here and in the processes that are started from here (they look at
    # the main module): so what follows has one name only, `chocolatl.cli`.
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "src"))
    import chocolatl.__main__ as process

    sys.modules["__main__"] = process
    sys.exit(process.main())

import argparse
import gc
from collections.abc import Sequence
from importlib import import_module
from typing import NoReturn

from chocolatl.interpreter import VERSION
from chocolatl.interpreter.system import signals, streams
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.terminal.output.screen import Screened, width

PROGRAM = "chocolatl"

COMMANDS = {
    "new": "make a game of one's own to begin with",
    "variant": "make a variant that lists what can be set",
    "rules": "show what of a game can be set, with sources and rulings",
    "check": "find what is wrong with rules, tables, variants, scenarios and positions",
    "explain": "show the page of a finding's code: what it means, and what to write instead",
    "fmt": "bring rules into canonical layout",
    "test": "run scenarios",
    "mutate": "find changes of the rules that no scenario notices",
    "deal": "write a position at the first decision of a game, or of one of its rounds",
    "play": "play in the terminal",
    "simulate": "play many games and count",
    "replay": "check transcripts against the rules, event by event",
    "train": "learn to play a game well, and write it to a policy file",
    "value": "estimate from games what holdings are worth, and write it to a valuation file",
    "ladder": "tell which type of player is stronger at a game",
    "compare": "tell what a change of rules does, in the rules and in play",
    "solve": "find the best answer to a decision, with its proof",
    "completion": "print a script that completes commands and options in bash, zsh or fish",
    "dump": "show a stage of the pipeline, from the syntax tree to machine code or a model, or a position",
}

EXAMPLE_GAME, EXAMPLE_WITH_ROUNDS = "{game}", "{game with rounds}"
"""In the examples of a command's help they stand for games that are really there."""

FINE, WRONG_USAGE, INTERRUPTED = 0, 2, 130


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Asked for the width of the terminal, argparse would import a module for archives with it, at each start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=width() - 2)


class Parser(argparse.ArgumentParser):
    """Mistakes in one line, abbreviations of options refused: they would change their meaning with a new option."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, formatter_class=Formatter, allow_abbrev=False)

    def print_help(self, file: object = None) -> None:
        """On standard output, failing where that does; argparse would keep quiet."""
        sys.stdout.write(self.format_help())

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {one_line(message)} (see `{self.prog} --help`)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code says how it went. Without arguments given it is that of this process."""
    if argv is not None:
        return _run(list(argv))
    try:
        streams.complete()
    except OSError:  # there is nobody to tell it to
        return WRONG_USAGE
    try:
        signals.raise_interruptions()
        code = _run(sys.argv[1:])
        signals.die_of_interruptions()
        streams.settle(code)
        gc.freeze()  # the process ends here, and what it leaves need not be looked through
        return code
    except KeyboardInterrupt:  # once more, while the first one was told
        os._exit(INTERRUPTED)


def _run(argv: list[str]) -> int:
    """Nothing that a command prints can act on a terminal."""
    with Screened():
        return _answered(argv)


def _answered(argv: list[str]) -> int:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a character that a terminal does not know is no reason to stop
    try:
        try:
            code = _dispatch(argv)
        except SystemExit as leaving:  # argparse leaves in this way, after help too
            code = leaving.code if isinstance(leaving.code, int) else FINE
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # whoever read it has gone
        return FINE
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except Exception as error:
        return _failed(error)


def _dispatch(argv: list[str]) -> int:
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(_overview())
        return FINE if argv else WRONG_USAGE
    name, *rest = argv
    if name in ("-V", "--version"):
        print(f"{PROGRAM} {VERSION}")
        return FINE
    if name not in COMMANDS:
        from chocolatl.interpreter.diagnostics import nearest

        what = "option" if name.startswith("-") else "command"
        hint = nearest(name, COMMANDS) or f"see `{PROGRAM} --help`"
        return _say(f"there is no {what} `{name}`; {hint}", WRONG_USAGE)
    command = import_module(f"chocolatl.interpreter.commands.{name}")
    summary = COMMANDS[name]
    parser = Parser(f"{PROGRAM} {name}", summary[0].upper() + summary[1:] + ".")
    command.configure(parser)
    if parser.epilog:
        for stands in (EXAMPLE_GAME, EXAMPLE_WITH_ROUNDS):
            if stands in parser.epilog:
                parser.epilog = parser.epilog.replace(stands, _shipped_game("each round" * (stands != EXAMPLE_GAME)))
    code = command.run(parser.parse_args(rest))
    assert isinstance(code, int)
    return code


def _shipped_game(words: str) -> str:
    """The first game with such words in its rules."""
    from chocolatl.interpreter.data.games import games_in, rules_folder

    for name in games_in(rules_folder()):
        with open(rules_folder() / name / f"{name}.rules", encoding="utf-8") as file:
            if words in file.read():
                return name
    return "GAME"


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            f"usage: {PROGRAM} COMMAND ...",
            "",
            "Board-game rules as text: check them, play them, count with them.",
            "",
            "commands:",
            *lines,
            "",
            f"`{PROGRAM} COMMAND --help` explains a command with an example, `{PROGRAM} --version` tells the version.",
        ]
    )


def _failed(error: Exception) -> int:
    """Tell what an exception means to the user."""
    from chocolatl.interpreter.commands.shared.errors import failure_of

    failure = failure_of(error)
    if failure.findings:
        from chocolatl.interpreter.terminal.reports.findings import print_findings

        print_findings(failure.findings, sys.stderr)
        return failure.code
    if not failure.is_foreseen and os.environ.get(f"{PROGRAM.upper()}_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    return _say(failure.message, failure.code)


def _say(message: str, code: int) -> int:
    print(f"{PROGRAM}: {one_line(message)}", file=sys.stderr)
    return code
