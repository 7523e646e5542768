"""The file of a new variant: it changes nothing yet, and lists all that it could set, as comments."""

from __future__ import annotations

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.starting.settings import GameSetting, game_settings
from chocolatl.interpreter.system.escaping import one_line

WIDTH = 100
"""A comment that is longer goes on in the next line."""


def variant_text(files: GameFiles, name: str) -> str:
    """The text of a variant of a game, or of a variant of it."""
    extended = files.name if files.variant is None else f"{files.name}/{files.variant}"
    lines = [
        "kind: variant",
        "format: 1",
        f"extends: {extended}",
        f"title: {name.replace('_', ' ').capitalize()}",
        "why: Say here what is different, and what for.",
        "",
        "# What can be set. Take the `#` away before `set:` and before each line that you want to change; the values",
        "# are those of the game. `chocolatl compare` tells what a change does.",
        "# set:",
    ]
    for setting in game_settings(files):
        lines += _listed(setting)
    return "\n".join(lines) + "\n"


def _listed(setting: GameSetting) -> list[str]:
    sure = f" ({setting.confidence})" if setting.confidence else ""
    source = f" Source: {setting.source.rstrip('.')}{sure}." if setting.source else ""
    about = one_line(f"{setting.about} Can be: {setting.can_be}.{source}".lstrip())  # a text is no line of the file
    return [*(f"#   # {line}" for line in _wrapped(about)), f"#   {setting.name}: {setting.written}"]


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= WIDTH and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
