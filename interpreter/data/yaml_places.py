"""Where the values of a YAML file stand, found from the events of its parser when somebody asks (a lazy source map).

Of a file in which nothing is wrong nobody asks. Its data is known by then, so that the events only have to be taken
along with it: which of them are keys, lists and maps is not decided a second time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from chocolatl.interpreter.source import Source, Span


class YamlNode(Struct):
    """Where one value stands. `text_line` is the line on which the words of a text begin."""

    span: Span
    text_line: int
    key_span: Span | None = None
    children: dict[str | int, YamlNode] = field(default_factory=dict)


def places(source: Source, value: Any, events: Iterator[Any]) -> YamlNode:
    """The places of some data and of all inside it; the events begin with that of the data itself."""
    return _Places(source, events).of(value, None)


class _Places:
    def __init__(self, source: Source, events: Iterator[Any]) -> None:
        self.source = source
        self.events = events

    def of(self, value: Any, key: Span | None) -> YamlNode:
        event = next(self.events)
        span = span_of(self.source, event, key)
        node = YamlNode(span, span.line + (getattr(event, "style", None) in ("|", ">")), key)
        if isinstance(value, list):
            for number, inner in enumerate(value):
                node.children[number] = self.of(inner, None)
        elif isinstance(value, dict):
            for name, inner in value.items():
                node.children[name] = self.of(inner, span_of(self.source, next(self.events), None))
        else:
            return node
        end = next(self.events)
        if event.flow_style:
            node.span = span.to(span_of(self.source, end, None))
        elif node.children:  # the event of a block stands where the next thing begins, be it many lines below
            node.span = span.to(next(reversed(node.children.values())).span)
        return node


def span_of(source: Source, event: Any, key: Span | None) -> Span:
    """The place of an event. Where nothing is written, the key stands for its value, else the dash before it."""
    start, end = event.start_mark, event.end_mark
    line, column, end_line, end_column = start.line + 1, start.column + 1, end.line + 1, end.column + 1
    if getattr(event, "style", None) in ("|", ">"):  # ends with its last visible line
        lines = source.lines
        while end_line - 1 > line and not lines[min(end_line - 2, len(lines) - 1)].strip():
            end_line -= 1
        end_line = max(end_line - 1, line)
        end_column = len(lines[end_line - 1].rstrip()) + 1
    elif hasattr(event, "style") and (line, column) == (end_line, end_column):
        if key is not None:
            return key
        column = max(column - 1, 1)
    return Span(source, line, column, end_line, end_column)
