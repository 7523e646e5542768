"""Plain data to YAML text in the project's own layout: short things on one line, keys in the order given."""

from __future__ import annotations

import json
import re

from interpreter.engine.codec import Json

WIDTH = 110
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ .-]*[A-Za-z0-9_.-]|[A-Za-z_]")
RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf"}


def to_yaml(data: dict[str, Json]) -> str:
    return "\n".join(_map(data, 0)) + "\n"


def _map(data: dict[str, Json], depth: int) -> list[str]:
    lines: list[str] = []
    for key, value in data.items():
        head = "  " * depth + _key(key) + ":"
        flow = _flow(value)
        if not isinstance(value, (dict, list)) or len(head) + 1 + len(flow) <= WIDTH or not value:
            lines.append(f"{head} {flow}")
        elif isinstance(value, dict):
            lines += [head, *_map(value, depth + 1)]
        else:
            lines += [head, *("  " * depth + "  - " + _flow(item) for item in value)]
    return lines


def _flow(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _scalar(value: bool | int | str | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if PLAIN.fullmatch(value) and value.lower() not in RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    """An index that is a number is written as one; readers take it for the text that it is."""
    return key if re.fullmatch(r"0|-?[1-9][0-9]{0,17}", key) else _scalar(key)
