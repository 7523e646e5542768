"""Plain data to YAML text in the project's own layout (a serialiser): short things on one line, keys as given."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.system.escaping import visible

WIDTH = 110
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ .-]*[A-Za-z0-9_.-]|[A-Za-z_]")
NUMERIC_KEY = re.compile(r"0|-?[1-9][0-9]{0,17}")
RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", "~", "nan", "inf"}


def to_yaml(data: dict[str, Json]) -> str:
    return "\n".join(_map(data, 0)[1]) + "\n"


def _map(data: dict[str, Json], depth: int) -> tuple[str, list[str]]:
    """A map on one line, and on several. Every value is looked at once, however deep it lies."""
    flows: list[str] = []
    lines: list[str] = []
    indent = "  " * depth
    for name, value in data.items():
        key = _key(name)
        head = f"{indent}{key}:"
        block: list[str] = []
        if isinstance(value, dict):
            flow, block = _map(value, depth + 1)
        elif isinstance(value, list):
            items = [_flow(item) for item in value]
            flow = f"[{', '.join(items)}]"
            if len(head) + 1 + len(flow) > WIDTH:
                block = [f"{indent}  - {item}" for item in items]
        else:
            flow = _scalar(value)
        flows.append(f"{key}: {flow}")
        if not block or len(head) + 1 + len(flow) <= WIDTH:
            lines.append(f"{head} {flow}")
        else:
            lines.append(head)
            lines += block
    return "{" + ", ".join(flows) + "}", lines


def _flow(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_key(k)}: {_flow(v)}" for k, v in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_flow(item) for item in value]) + "]"
    return _scalar(value)


def _scalar(value: bool | int | str | None) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


@lru_cache(maxsize=4096)
def _text(value: str) -> str:
    if PLAIN.fullmatch(value) and value.lower() not in RESERVED:
        return value
    return visible(json.dumps(value, ensure_ascii=False))


@lru_cache(maxsize=4096)
def _key(key: str) -> str:
    """An index that is a number is written as one; readers take it for the text that it is."""
    return key if NUMERIC_KEY.fullmatch(key) else _text(key)
