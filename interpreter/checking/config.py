"""What a project says once and for all about `check`: the table `[tool.chocolatl]` of its pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.diagnostics import nearest

FILE = "pyproject.toml"
TABLE = "chocolatl"
FORMATS = ("text", "json", "sarif", "github")
LEVELS = ("error", "warning")


class WrongConfig(Exception):
    """A table that cannot be used; the message names the file and what is wrong with it."""


class Config(Struct, frozen=True):
    """Paths are relative to the folder of the file. What the command line says comes first."""

    paths: tuple[Path, ...] = ()
    exclude: tuple[Path, ...] = ()
    format: str = "text"
    fail_on: str = "error"


def find_config(start: Path) -> Config:
    """The table of the nearest pyproject.toml that has one, here or above."""
    for folder in (start, *start.parents):
        file = folder / FILE
        if file.is_file():
            config = read_config(file)
            if config is not None:
                return config
    return Config()


def read_config(file: Path) -> Config | None:
    """The table of a file, or None if it has none."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get(TABLE)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError) as error:
        raise WrongConfig(f"{file}: this cannot be read as TOML ({error})") from None
    if table is None:
        return None
    if not isinstance(table, dict):
        raise WrongConfig(f"{file}: `tool.{TABLE}` is a table")
    config = Config()
    for key, value in table.items():
        match key:
            case "paths" | "exclude":
                if not isinstance(value, list) or not all(
                    isinstance(entry, str) and "\0" not in entry for entry in value
                ):
                    raise WrongConfig(f"{file}: `{key}` is a list of paths")
                paths = tuple(file.parent / entry for entry in value)
                config = replace(config, paths=paths) if key == "paths" else replace(config, exclude=paths)
            case "format" | "fail-on":
                options = FORMATS if key == "format" else LEVELS
                if value not in options:
                    raise WrongConfig(f"{file}: `{key}` is one of {', '.join(options)}, not {value!r}")
                config = replace(config, format=value) if key == "format" else replace(config, fail_on=value)
            case _:
                known = ("paths", "exclude", "format", "fail-on")
                hint = nearest(key, known) or f"known are {', '.join(known)}"
                raise WrongConfig(f"{file}: there is no setting `{key}` of `tool.{TABLE}`; {hint}")
    return config
