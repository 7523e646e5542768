"""What of a game can be set to something else (its parameters and tables), with values, limits, sources and rulings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chocolatl.interpreter.data.load import load_document
from chocolatl.interpreter.data.model import GameFiles, ParameterData
from chocolatl.interpreter.diagnostics import Findings

WORDS = ("true", "false", "null")
"""What would be no text in YAML."""


@dataclass(frozen=True)
class GameSetting:
    """Something that a variant can set. `can_be` says what it can be set to, in words."""

    name: str
    value: Any
    can_be: str
    about: str
    source: str
    confidence: str

    @property
    def written(self) -> str:
        """The value as YAML has it, on one line."""
        return _flow(self.value)


def _flow(value: Any) -> str:
    """A value as YAML writes it in a line; keys that are yes or no stay so."""
    match value:
        case dict():
            return f"{{{', '.join(f'{_flow(key)}: {_flow(held)}' for key, held in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(_flow, value))}]"
        case str() if value.isascii() and value.isidentifier() and value not in WORDS:
            return value
        case _:
            return json.dumps(value)  # what cannot be seen is written out


def game_settings(files: GameFiles) -> Iterator[GameSetting]:
    """Parameters first, then tables, as they stand in the file of the game, with the values that a variant gives."""
    document = load_document(files.folder / "game.yaml", "game", Findings())
    held: dict[str, Any] = document.value if document is not None else {}
    for name, parameter in files.parameters.items():
        said = _declared(held.get("parameters", {}), name)
        confidence = str(said.get("confidence", ""))
        yield GameSetting(name, parameter.value, _can_be(parameter), parameter.about, parameter.source, confidence)
    for name, table in files.tables.items():
        said = _declared(held.get("tables", {}), name)
        index = f"by {' and '.join(table.index)}" if table.index else "entries"
        source, confidence = str(said.get("source", "")), str(said.get("confidence", ""))
        yield GameSetting(name, table.value, index, table.about, source, confidence)


def _declared(held: Any, name: str) -> dict[str, Any]:
    """What a file says of a name, dotted or nested."""
    if isinstance(held, dict) and name in held:
        return held[name] if isinstance(held[name], dict) else {}
    first, _, rest = name.partition(".")
    return _declared(held.get(first, {}), rest) if rest and isinstance(held, dict) else {}


def _can_be(parameter: ParameterData) -> str:
    if parameter.options is not None:
        return ", ".join(json.dumps(option) if not isinstance(option, str) else option for option in parameter.options)
    if parameter.minimum is not None or parameter.maximum is not None:
        low = "any number" if parameter.minimum is None else f"{parameter.minimum}"
        return f"{low} to {parameter.maximum}" if parameter.maximum is not None else f"from {low}"
    return "yes or no" if isinstance(parameter.value, bool) else "any"


def is_shipped(files: GameFiles, root: Path) -> bool:
    """Whether a game is one of those that come with the program."""
    return files.folder.resolve().is_relative_to(root.resolve())
