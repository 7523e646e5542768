"""`chocolatl completion`: a script that lets a shell complete commands, options, codes and names of games.

It is made from the parsers of the commands. All words are written into it: a shell need not start the program for each
key.
"""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module

EPILOG = """\
The script is printed; write it where the shell looks for it:
  bash  ~/.local/share/bash-completion/completions/chocolatl
  zsh   _chocolatl in a folder of $fpath
  fish  ~/.config/fish/completions/chocolatl.fish

examples:
  chocolatl completion bash
"""

GAME, CODE = "GAME", "CODE"
"""What the arguments are called that stand for a game or for the code of a finding."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    print(script(arguments.shell), end="")
    return 0


def script(shell: str) -> str:
    """The script for bash, zsh or fish."""
    parsers = _parsers()
    if shell == "fish":
        return _fish(parsers)
    words = {name: _words(parser) for name, parser in parsers.items()}
    return {"bash": _bash, "zsh": _zsh}[shell](words)


def _parsers() -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for module in pkgutil.iter_modules(import_module(str(__package__)).__path__):
        command = import_module(f"{__package__}.{module.name}")
        if hasattr(command, "configure"):
            found[module.name] = argparse.ArgumentParser(prog=module.name)
            command.configure(found[module.name])
    return found


def _options(action: argparse.Action) -> list[str]:
    return [option for option in action.option_strings if option.startswith("--")]


def _values(action: argparse.Action) -> list[str]:
    """What can stand for an argument, or follow an option: choices, codes, games."""
    from chocolatl.interpreter.data.games import games_in, rules_folder
    from chocolatl.interpreter.diagnostics.pages import codes

    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    if action.metavar == CODE:
        return list(codes())
    return games_in(rules_folder()) if GAME in str(action.metavar).split("|") else []


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """All that can come after a command."""
    words = [word for action in parser._actions for word in (*_options(action), *_values(action))]
    return list(dict.fromkeys(words))


def _bash(words: dict[str, list[str]]) -> str:
    cases = "".join(f"        {name}) words='{' '.join(own)}' ;;\n" for name, own in words.items())
    return f"""\
_chocolatl() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(words)}' -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{cases}    esac
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _chocolatl chocolatl
"""


def _zsh(words: dict[str, list[str]]) -> str:
    cases = "".join(f"    {name}) compadd -- {' '.join(own)} ;;\n" for name, own in words.items())
    return f"""\
#compdef chocolatl
if (( CURRENT == 2 )); then
    compadd -- {" ".join(words)}
    return
fi
case ${{words[2]}} in
{cases}esac
_files
"""


def _fish(parsers: dict[str, argparse.ArgumentParser]) -> str:
    lines = [f"complete -c chocolatl -n __fish_use_subcommand -f -a '{' '.join(parsers)}'"]
    for name, parser in parsers.items():
        own = f"complete -c chocolatl -n '__fish_seen_subcommand_from {name}'"
        for action in parser._actions:
            values = f" -a '{' '.join(_values(action))}'" if _values(action) else ""
            if not action.option_strings:
                lines += [own + values] if values else []
            else:  # what has values of its own wants no file
                wanted = "" if action.nargs == 0 else " -x" if action.choices is not None else " -r"
                lines += [f"{own} -l {option[2:]}{wanted}{values}" for option in _options(action)]
    return "\n".join(lines) + "\n"
