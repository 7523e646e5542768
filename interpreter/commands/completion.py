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
    words = {name: _words(parser) for name, parser in _parsers().items()}
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](words)


def _parsers() -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for module in pkgutil.iter_modules(import_module(str(__package__)).__path__):
        command = import_module(f"{__package__}.{module.name}")
        if hasattr(command, "configure"):
            found[module.name] = argparse.ArgumentParser(prog=module.name)
            command.configure(found[module.name])
    return found


def _words(parser: argparse.ArgumentParser) -> list[str]:
    """The options of a command, and what can stand without one: choices, codes, games."""
    from interpreter.data.find import games_in, rules_folder
    from interpreter.diagnostics.pages import codes

    words: list[str] = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        if action.choices is not None:
            words += map(str, action.choices)
        elif action.metavar == CODE:
            words += codes()
        elif action.metavar == GAME:
            words += games_in(rules_folder())
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


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f"complete -c chocolatl -n __fish_use_subcommand -f -a '{' '.join(words)}'"]
    for name, own in words.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c chocolatl {seen} -l {word[2:]}" for word in own if word.startswith("--")]
        others = " ".join(word for word in own if not word.startswith("--"))
        lines += [f"complete -c chocolatl {seen} -a '{others}'"] if others else []
    return "\n".join(lines) + "\n"
