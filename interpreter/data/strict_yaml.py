"""YAML files to plain data with places (a composer of parser events): the core of YAML 1.2 without its surprises.

Only `true` and `false` are booleans, a key stands once in a map, and whatever is not a text, a whole number of 64
bits, a boolean, null, a list or a map is refused. The events of the YAML parser are taken one by one and never
nested, so that neither depth nor size of a hostile file costs more than its first part. Places are found for what is
refused, and otherwise on demand (`chocolatl.interpreter.data.yaml_places`): of a hundred files most are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

import yaml
from msgspec import Struct

from chocolatl.interpreter.data.yaml_mistakes import describe
from chocolatl.interpreter.data.yaml_places import YamlNode, places, span_of
from chocolatl.interpreter.data.yaml_scalars import INTEGER, resolve
from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.source import Source, Span

MAX_DEPTH = 40
MAX_NODES = 200_000
MAX_FINDINGS = 20

Path = tuple[str | int, ...]
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml, where it is there, reads about 17 times faster; tests compare its values, places and messages."""

UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
"""Control characters, what is no character, and the two that YAML 1.1 takes for line ends and editors do not."""


class Document(Struct, frozen=True, eq=False, dict=True):
    """A YAML file as plain data (`value`) that knows the place of each of its parts."""

    source: Source
    value: Any
    places: YamlNode | None = None

    def __repr__(self) -> str:
        return f"Document(source={self.source!r}, value={self.value!r})"

    @cached_property
    def root(self) -> YamlNode:
        """The places, where they are not given: found when somebody asks for one."""
        return self.places or places(self.source, self.value, islice(_events(self.source), 2, None))

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


def load(source: Source, findings: Findings) -> Document | None:
    """The data of a YAML file, or None after at least one finding about it."""
    reader = _Reader(source)
    reader.read()
    findings.items += reader.findings.items
    return None if reader.findings.items else Document(source, reader.whole[0])


def _events(source: Source) -> Iterator[Any]:
    parser = Loader(source.text.rstrip("\n") + "\n")
    try:
        event = None
        while type(event) is not yaml.StreamEndEvent:
            event = parser.get_event()
            yield event
    finally:
        parser.dispose()


class _Stop(Exception):
    """Nothing more can be learned from this file."""


class _Reader:
    """Takes events. The list or map that is open is `current`; those that it stands in wait in `around`."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.findings = Findings()
        self.whole: list[Any] = []
        self.current: Any = self.whole
        self.keys: dict[str | int, Any] = {}
        """The events of the keys of an open map, by name."""
        self.name: str | int = ""
        self.key: Any = None
        """The name and the event of a key whose value is awaited, if one is."""
        self.around: list[tuple[Any, dict[str | int, Any]]] = []
        self.nodes = 0
        self.shared = False

    def read(self) -> None:
        """Take all events, until nothing more can be learned."""
        take = {
            yaml.ScalarEvent: self.scalar,
            yaml.SequenceStartEvent: lambda event: self.open(event, []),
            yaml.MappingStartEvent: lambda event: self.open(event, {}),
            yaml.SequenceEndEvent: self.close,
            yaml.MappingEndEvent: self.close,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.begin,
        }
        try:
            self.check_characters()
            for event in _events(self.source):
                handler = take.get(type(event))
                if handler is not None:
                    handler(event)
            if not (self.whole or self.findings.items):
                place = Span(self.source, 1, 1, 1, 1)
                self.findings.error("E201", "the file is empty", place, "a data file begins with `kind:`")
        except _Stop:
            pass
        except yaml.MarkedYAMLError as error:
            self.findings.items.append(describe(error, self.source))

    # ------------------------------------------------------------ events

    def begin(self, event: Any) -> None:
        if self.whole:
            self.refuse("a second document begins here; one file holds one", event, "delete this line")
            raise _Stop
        if event.version or event.tags:
            self.refuse("directives (`%...`) are not allowed", event, "delete this line")

    def alias(self, event: Any) -> None:
        self.refuse_sharing(f"the alias `*{event.anchor}` is", event)
        self.add(None, event)

    def scalar(self, event: Any) -> None:
        self.check_node(event)
        value = event.value
        if not event.style:
            value, complaint, hint = _plain(value)
            if complaint:
                self.refuse(complaint, event, hint)
        self.add(value, event)

    def open(self, event: Any, value: Any) -> None:
        self.check_node(event)
        if self.key is None and type(self.current) is dict:
            self.refuse("a list or map cannot be a key", event)
            raise _Stop
        self.add(value, event)
        self.around.append((self.current, self.keys))
        self.current, self.keys = value, {}
        if len(self.around) > MAX_DEPTH:
            self.refuse(f"this is nested more than {MAX_DEPTH} levels deep", event)
            raise _Stop

    def close(self, event: Any) -> None:
        self.current, self.keys = self.around.pop()

    def add(self, value: Any, event: Any) -> None:
        current, name = self.current, self.name
        if type(current) is list:
            current.append(value)
        elif self.key is None:
            self.key, self.name = event, value if type(value) in (str, int) else self.refused_key(value, event)
        else:
            if name in current or _twin(name) in current:
                name = self.refused_twin(name)
            current[name] = value
            self.keys[name], self.key = self.key, None

    # ------------------------------------------------------------ refusals

    def refuse(self, message: str, event: Any, hint: str = "") -> None:
        self.findings.error("E203", message, self.span(event), hint)
        if len(self.findings.items) >= MAX_FINDINGS:
            raise _Stop

    def span(self, event: Any) -> Span:
        return span_of(self.source, event, None if self.key is None else span_of(self.source, self.key, None))

    def check_characters(self) -> None:
        found = UNWANTED.search(self.source.text)
        if found:
            line = self.source.text.count("\n", 0, found.start()) + 1
            column = found.start() - self.source.text.rfind("\n", 0, found.start())
            message = f"the invisible character U+{ord(found[0]):04X} is not allowed"
            self.findings.error("E203", message, Span(self.source, line, column, line, column + 1), "delete it")
            raise _Stop

    def check_node(self, event: Any) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self.refuse(f"the file has more than {MAX_NODES:,} values", event)
            raise _Stop
        if event.anchor is not None:
            self.refuse_sharing(f"the anchor `&{event.anchor}` is", event)
        if event.tag is not None:
            self.refuse("tags (`!...`) are not allowed", event, "write the value alone, in quotation marks for a text")

    def refuse_sharing(self, what: str, event: Any) -> None:
        """One finding for a file: who uses aliases uses many."""
        if not self.shared:
            self.shared = True
            self.refuse(f"{what} not allowed", event, "write the value out")

    def refused_key(self, value: Any, event: Any) -> str:
        self.refuse("a key is a name or a whole number", event, "put it between quotation marks")
        return str(value)

    def refused_twin(self, name: str | int) -> str:
        """A name that nothing else has, so that what is wrong in the rest of the map is seen, too."""
        first = self.keys[name if name in self.keys else _twin(name)]
        related = (Related(span_of(self.source, first, None), "the first one"),)
        place = span_of(self.source, self.key, None)
        self.findings.error("E202", f"the key `{name}` stands twice in this map", place, "", related)
        return f"{name} (again, {len(self.current)})"


_plain = lru_cache(maxsize=4096)(resolve)
"""Files of one game say the same words over and over."""


def _twin(name: str | int) -> str | int:
    """What is the same key: `1` and `"1"` are one in JSON, so they are one here."""
    if isinstance(name, int):
        return str(name)
    return int(name) if name[:1] in "+-0123456789" and len(name) < 25 and INTEGER.fullmatch(name) else name
