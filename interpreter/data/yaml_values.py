"""The values of a YAML file without their places (a fast path), for files in which nothing is wrong.

Whatever is refused, and the little that is allowed but rare, is `UNCLEAR` here;
`chocolatl.interpreter.data.strict_yaml` then reads the file again, with places, and says what there is to say about it.
So nothing is worded twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import yaml

from chocolatl.interpreter.data.yaml_scalars import INTEGER, resolve

UNCLEAR = object()
"""The answer for a file that needs a closer look; no YAML gives it."""

_NO_KEY = object()


class _Unclear(Exception):
    pass


def values(text: str, loader: Any, max_depth: int, max_events: int) -> Any:
    """The data of a YAML text, or `UNCLEAR`."""
    parser = loader(text)
    try:
        return _build(parser.get_event, max_depth, max_events)
    except (_Unclear, yaml.YAMLError):
        return UNCLEAR
    finally:
        parser.dispose()


def _build(next_event: Callable[[], Any], max_depth: int, max_events: int) -> Any:
    whole: list[Any] = []
    current: Any = whole  # the list or map that is still open, and those around it, with the key that each waits at
    key: Any = _NO_KEY
    around: list[tuple[Any, Any]] = []
    events = documents = 0
    while True:
        event = next_event()
        events += 1
        kind = type(event)
        if kind is yaml.ScalarEvent:
            value = event.value
            quoted = event.style
            if event.anchor is not None or event.tag is not None:
                raise _Unclear
            if not quoted:
                value = _plain(value)
            if type(current) is list:
                current.append(value)
            elif key is _NO_KEY:
                # A number in quotation marks is the same key as the number.
                if value in current or (quoted and INTEGER.fullmatch(value)) or type(value) not in (str, int):
                    raise _Unclear
                key = value
            else:
                current[key] = value
                key = _NO_KEY
        elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
            current, key = around.pop()
        elif kind is yaml.SequenceStartEvent or kind is yaml.MappingStartEvent:
            opened: Any = [] if kind is yaml.SequenceStartEvent else {}
            if event.anchor is not None or event.tag is not None or len(around) >= max_depth:
                raise _Unclear
            if type(current) is list:
                current.append(opened)
            elif key is _NO_KEY:
                raise _Unclear
            else:
                current[key] = opened
            around.append((current, _NO_KEY))
            current, key = opened, _NO_KEY
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if event.version or event.tags or documents > 1:
                raise _Unclear
        elif kind is yaml.StreamEndEvent:
            if documents != 1:
                raise _Unclear
            return whole[0]
        elif kind is yaml.AliasEvent:
            raise _Unclear
        if events > max_events:
            raise _Unclear


@lru_cache(maxsize=4096)
def _plain(text: str) -> str | int | bool | None:
    value, complaint, _ = resolve(text)
    if complaint:
        raise _Unclear
    return value
