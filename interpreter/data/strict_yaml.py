"""YAML files to plain data with places (a composer of parser events): the core of YAML 1.2 without its surprises.

Only `true` and `false` are booleans, a key stands once in a map, and whatever is not a text, a whole number of 64
bits, a boolean, null, a list or a map is refused. The events of the YAML parser are taken one by one and never
nested, so that neither depth nor size of a hostile file costs more than its first part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import yaml
from msgspec import Struct, field

from chocolatl.interpreter.data import yaml_values
from chocolatl.interpreter.data.yaml_mistakes import describe
from chocolatl.interpreter.data.yaml_scalars import INTEGER, resolve
from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.source import Source, Span

MAX_DEPTH = 40
MAX_NODES = 200_000
MAX_QUICK = 20_000
"""Larger files are read with their places at once, so that a hostile one costs no more than it must."""
MAX_FINDINGS = 20

Path = tuple[str | int, ...]
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml, where it is there, reads about 17 times faster; tests compare its values, places and messages."""

UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Control characters, what is no character, and the two that YAML 1.1 takes for line ends and editors do not."""


class YamlNode(Struct):
    """Where one value stands. `text_line` is the line on which the words of a text begin."""

    span: Span
    text_line: int
    key_span: Span | None = None
    children: dict[str | int, YamlNode] = field(default_factory=dict)


class Document(Struct, frozen=True, eq=False, dict=True):
    """A YAML file as plain data (`value`) that knows the place of each of its parts."""

    source: Source
    value: Any
    places: YamlNode | None = None

    def __repr__(self) -> str:
        return f"Document(source={self.source!r}, value={self.value!r})"

    @cached_property
    def root(self) -> YamlNode:
        """The places; of a file in which nothing is wrong they are found when somebody asks for one."""
        found = self.places or _compose(self.source).root
        assert found is not None
        return found

    def span(self, path: Path) -> Span:
        """The place of a value; for a path that leads nowhere, of the last value on the way."""
        return self._node(path).span

    def key_span(self, path: Path) -> Span:
        """The place of the key of a value; an item of a list has none and gives its own place."""
        node = self._node(path)
        return node.key_span or node.span

    def text_line(self, path: Path) -> int:
        return self._node(path).text_line

    def _node(self, path: Path) -> YamlNode:
        node = self.root
        for step in path:
            child = node.children.get(step)
            if child is None and isinstance(step, str) and INTEGER.fullmatch(step):
                child = node.children.get(int(step))  # JSON paths spell the keys of numbers as texts
            if child is None:
                break
            node = child
        return node


class _Stop(Exception):
    """Nothing more can be learned from this file."""


class _Frame(Struct):
    """A list or map that is still open; `key` waits for its value."""

    value: list[Any] | dict[str | int, Any]
    node: YamlNode
    flow: bool
    key: tuple[str | int, Span] | None = None


def load(source: Source, findings: Findings) -> Document | None:
    """The data of a YAML file, or None after at least one finding about it."""
    if not UNWANTED.search(source.text):
        value = yaml_values.values(_ended(source.text), Loader, MAX_DEPTH, MAX_QUICK)
        if value is not yaml_values.UNCLEAR:
            return Document(source, value)
    composer = _compose(source)
    findings.items += composer.findings.items
    if composer.findings.items or composer.root is None:
        return None
    return Document(source, composer.value, composer.root)


def _ended(text: str) -> str:
    return text.rstrip("\n") + "\n"


def _compose(source: Source) -> _Composer:
    """The data of a file with all places, and all that is wrong with it."""
    composer = _Composer(source)
    try:
        composer.check_characters()
        for event in yaml.parse(_ended(source.text), Loader=Loader):
            composer.take(event)
        composer.check_end()
    except _Stop:
        pass
    except yaml.MarkedYAMLError as error:
        composer.findings.items.append(describe(error, source))
    return composer


class _Composer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = source.text.split("\n")
        self.findings = Findings()
        self.frames: list[_Frame] = []
        self.value: Any = None
        self.root: YamlNode | None = None
        self.nodes = 0
        self.shared = False
        self.ended = False

    def refuse(self, message: str, span: Span, hint: str = "") -> None:
        self.findings.error("E203", message, span, hint)
        if len(self.findings.items) >= MAX_FINDINGS:
            raise _Stop

    def check_characters(self) -> None:
        found = UNWANTED.search(self.source.text)
        if found:
            line = self.source.text.count("\n", 0, found.start()) + 1
            column = found.start() - self.source.text.rfind("\n", 0, found.start())
            span = Span(self.source, line, column, line, column + 1)
            code = f"U+{ord(found[0]):04X}"
            self.refuse(f"the invisible character {code} is not allowed", span, "delete it")
            raise _Stop

    def check_end(self) -> None:
        if self.root is None and not self.findings.items:
            self.findings.error(
                "E201", "the file is empty", Span(self.source, 1, 1, 1, 1), "a data file begins with `kind:`"
            )

    # ------------------------------------------------------------ events

    def take(self, event: Any) -> None:
        handler: Callable[[Any], None] | None = getattr(self, "_" + type(event).__name__, None)
        if handler is not None:
            handler(event)

    def _DocumentStartEvent(self, event: Any) -> None:
        if self.ended:
            self.refuse("a second document begins here; one file holds one", self._span(event), "delete this line")
            raise _Stop
        if event.version or event.tags:
            self.refuse("directives (`%...`) are not allowed", self._span(event), "delete this line")

    def _DocumentEndEvent(self, event: Any) -> None:
        self.ended = True

    def _AliasEvent(self, event: Any) -> None:
        self._refuse_sharing(self._span(event), f"the alias `*{event.anchor}` is")
        self._add(None, YamlNode(self._span(event), self._span(event).line))

    def _ScalarEvent(self, event: Any) -> None:
        span = self._check_node(event)
        value = event.value if event.style else self._plain(event.value, span)
        node = YamlNode(span, span.line + (event.style in ("|", ">")))
        self._add(value, node)

    def _SequenceStartEvent(self, event: Any) -> None:
        self._open(event, [])

    def _MappingStartEvent(self, event: Any) -> None:
        self._open(event, {})

    def _SequenceEndEvent(self, event: Any) -> None:
        self._close(event)

    def _MappingEndEvent(self, event: Any) -> None:
        self._close(event)

    # ------------------------------------------------------------ building

    def _open(self, event: Any, value: list[Any] | dict[str | int, Any]) -> None:
        span = self._check_node(event)
        if self._awaits_key():
            self.refuse("a list or map cannot be a key", span)
            raise _Stop
        node = YamlNode(span, span.line)
        self._add(value, node)
        self.frames.append(_Frame(value, node, bool(event.flow_style)))
        if len(self.frames) > MAX_DEPTH:
            self.refuse(f"this is nested more than {MAX_DEPTH} levels deep", span)
            raise _Stop

    def _close(self, event: Any) -> None:
        frame = self.frames.pop()
        if frame.flow:
            end = self._span(event)
        else:  # the event of a block stands where the next thing begins, be it many lines below
            end = next(reversed(frame.node.children.values())).span if frame.node.children else frame.node.span
        frame.node.span = frame.node.span.to(end)

    def _awaits_key(self) -> bool:
        return bool(self.frames) and isinstance(self.frames[-1].value, dict) and self.frames[-1].key is None

    def _add(self, value: Any, node: YamlNode) -> None:
        if not self.frames:
            self.value, self.root = value, node
            return
        frame = self.frames[-1]
        if isinstance(frame.value, list):
            frame.node.children[len(frame.value)] = node
            frame.value.append(value)
        elif frame.key is None:
            frame.key = self._key(value, node.span), node.span
        else:
            key, node.key_span = frame.key
            frame.key = None
            # `1` and `"1"` are one key in JSON, so they are one here.
            twin = next((k for k in (key, str(key), _number(key)) if k in frame.value), None)
            if twin is not None:
                first = frame.node.children[twin].key_span or node.key_span
                related = (Related(first, "the first one"),)
                self.findings.error("E202", f"the key `{key}` stands twice in this map", node.key_span, "", related)
                key = f"{key} (again, {len(frame.value)})"  # keeps the place for the end of the block
            frame.value[key] = value
            frame.node.children[key] = node

    def _key(self, value: Any, span: Span) -> str | int:
        if isinstance(value, str) or type(value) is int:
            return value
        self.refuse("a key is a name or a whole number", span, "put it between quotation marks")
        return str(value)

    # ------------------------------------------------------------ checks

    def _check_node(self, event: Any) -> Span:
        """Where a value stands, after findings about it."""
        self.nodes += 1
        span = self._span(event)
        if self.nodes > MAX_NODES:
            self.refuse(f"the file has more than {MAX_NODES:,} values", span)
            raise _Stop
        if event.anchor is not None:
            self._refuse_sharing(span, f"the anchor `&{event.anchor}` is")
        if event.tag is not None:
            self.refuse("tags (`!...`) are not allowed", span, "write the value alone, in quotation marks for a text")
        return span

    def _refuse_sharing(self, span: Span, what: str) -> None:
        """One finding for a file: who uses aliases uses many."""
        if not self.shared:
            self.shared = True
            self.refuse(f"{what} not allowed", span, "write the value out")

    def _plain(self, text: str, span: Span) -> Any:
        value, complaint, hint = resolve(text)
        if complaint:
            self.refuse(complaint, span, hint)
        return value

    def _span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        line, column, end_line, end_column = start.line + 1, start.column + 1, end.line + 1, end.column + 1
        if getattr(event, "style", None) in ("|", ">"):  # ends with its last visible line
            while end_line - 1 > line and not self.lines[min(end_line - 2, len(self.lines) - 1)].strip():
                end_line -= 1
            end_line = max(end_line - 1, line)
            end_column = len(self.lines[end_line - 1].rstrip()) + 1
        elif isinstance(event, yaml.ScalarEvent) and (line, column) == (end_line, end_column):
            # Nothing is written: its key stands for it, else the dash before it.
            if self.frames and self.frames[-1].key is not None:
                return self.frames[-1].key[1]
            column = max(column - 1, 1)
        return Span(self.source, line, column, end_line, end_column)


def _number(key: str | int) -> str | int:
    return int(key) if isinstance(key, str) and len(key) < 25 and INTEGER.fullmatch(key) else key
