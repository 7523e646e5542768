"""The data of a game as its YAML files give it, merged with its variants, before the rules give it types.

`chocolatl.interpreter.data.load` makes it; `chocolatl.interpreter.program` reads it for one number of players. Whatever
a person wrote keeps its place, in the file that wrote it last.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax import tree

if TYPE_CHECKING:
    from chocolatl.interpreter.data.strict_yaml import Document

ScalarData = int | str | bool | None
DataPath = tuple[str | int, ...]
"""The keys and places in lists that lead to a value in a YAML file."""


class ParameterData(Struct, frozen=True):
    """A constant with the values that it can take: `options`, or the numbers from `minimum` to `maximum`.

    `span` is its declaration; `written` and `place` are where its value was set last."""

    name: str
    value: ScalarData
    options: tuple[ScalarData, ...] | None
    minimum: int | None
    maximum: int | None
    about: str
    source: str
    span: Span
    written: Document
    place: DataPath

    @property
    def value_span(self) -> Span:
        """Found on demand, as it takes a moment: of a hundred scenarios that set something, most are right."""
        return self.written.span(self.place)


class TableData(Struct, frozen=True):
    """Constants by index: `value` is a list (from 1) or a map, with lists or maps in it for a second index.

    `index` holds type texts such as `site` or `1..3`. `places` tells where each entry was written last."""

    name: str
    index: tuple[str, ...] | None
    type: str | None
    value: Any
    about: str
    span: Span
    places: Mapping[DataPath, Span] = field(default_factory=dict)

    @property
    def called(self) -> str:
        """What messages call it."""
        return f"table `{self.name}`"

    def place(self, *path: str | int) -> Span:
        """Where an entry stands; of one that does not, the table."""
        return self.places.get(path, self.span)


class KindData(Struct, frozen=True):
    """Equal pieces of a component. `copies` is a number or the text of an expression over parameters."""

    attributes: dict[str, Any]
    name: str | None
    copies: int | str
    span: Span


class ComponentData(Struct, frozen=True):
    """The kinds of a component: either `kinds` one by one, or `ranges` (text by attribute), one kind a number.

    Ranges are kept as text: they may name parameters and the number of players."""

    name: str
    kinds: tuple[KindData, ...]
    about: str
    span: Span
    ranges: dict[str, str] = field(default_factory=dict)
    range_spans: Mapping[str, Span] = field(default_factory=dict)


class GameFiles(Struct, frozen=True, eq=False, dict=True, weakref=True):
    """A game or a variant of it as the whole game that it makes. Each one that is loaded is a thing of its own."""

    path: Path
    """The folder or the variant file that was asked for."""
    folder: Path
    name: str
    variant: str | None
    title: str
    about: str
    minimum: int
    maximum: int
    parameters: dict[str, ParameterData]
    tables: dict[str, TableData]
    components: dict[str, ComponentData]
    rules: tree.RuleFile
    rules_source: Source
    dropped: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Members of enums that a variant leaves out, by enum."""

    @cached_property
    def rules_hash(self) -> str:
        """What tells games apart that play differently, whatever their layout and texts for people."""
        from chocolatl.interpreter.data.fingerprint import rules_hash

        return rules_hash(self)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What tells games apart of which even a message or a place differs."""
        sources = frozenset(node.span.source.text for node in self.rules.declarations)
        return self.folder, self.rules_hash, self.rules_source.text, sources
