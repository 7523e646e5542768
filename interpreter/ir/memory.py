"""What was translated before: a hundred variants and scenarios of a game differ from it in a few declarations each.

While a declaration is translated, all that is looked up for it is noted. Where the same declaration comes again, in
another variant or for another number of players, and every lookup gives the very same things as before, so does its
translation. Things that are equal are made one object first, so that this is quick to see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

from interpreter.program.model import Program
from interpreter.source import Span

Lookups = dict[tuple[str, Any], Any]

MANY = 20_000
"""With so many translations the memory begins anew."""
ABSENT: Any = object()
"""What a lookup gives that finds nothing."""
WHOLE: Any = object()
"""What is looked up by who looks at a whole map."""


class Watched(dict[Any, Any]):
    """A map that notes what is looked up in it."""

    def __init__(self, name: str, memory: Memory, content: dict[Any, Any]) -> None:
        super().__init__(content)
        self.name = name
        self.memory = memory
        self._content: object = None

    def found(self, key: Any) -> Any:
        """What a lookup gives, unnoticed."""
        if key is not WHOLE:
            return super().get(key, ABSENT)
        if self._content is None:
            self._content = self.memory.content(self.name, tuple(super().keys()), tuple(super().values()))
        return self._content

    def noted(self, key: Any) -> Any:
        value = self.memory.noted[self.name, key] = self.found(key)
        return value

    def whole(self) -> Watched:
        self.noted(WHOLE)
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        self._content = None
        super().__setitem__(key, value)

    def __getitem__(self, key: Any) -> Any:
        value = self.noted(key)
        if value is ABSENT:
            raise KeyError(key)
        return value

    def get(self, key: Any, default: Any = None) -> Any:
        value = self.noted(key)
        return default if value is ABSENT else value

    def __contains__(self, key: Any) -> bool:
        return self.noted(key) is not ABSENT

    def __iter__(self) -> Any:
        return super(Watched, self.whole()).__iter__()

    def __len__(self) -> int:
        return super(Watched, self.whole()).__len__()

    def keys(self) -> Any:
        return super(Watched, self.whole()).keys()

    def values(self) -> Any:
        return super(Watched, self.whole()).values()

    def items(self) -> Any:
        return super(Watched, self.whole()).items()


@dataclass(frozen=True)
class _Made:
    """A translation, what it was made of and with which lookups, and the items of the breakdown that it numbered."""

    of: object
    lookups: Lookups
    items: dict[str, int]
    result: Any


class Memory:
    """The translations of one run."""

    def __init__(self) -> None:
        self.noted: Lookups = {}
        self.items: dict[str, int] = {}
        self.locals = 0
        """How many locals have a number: it tells them apart in all translations."""
        self.conditions: dict[Span, bool | None] = {}
        """What each condition of a statement came out as in all translations: None where it was not always the same."""
        self._made: dict[tuple[str, int], list[_Made]] = {}
        self._things: dict[tuple[str, Any], list[Any]] = {}
        self._contents: dict[tuple[str, tuple[Any, ...], tuple[int, ...]], object] = {}

    def note_condition(self, span: Span, value: bool | None) -> None:
        self.conditions[span] = value if self.conditions.get(span, value) == value else None

    def watched(self, name: str, content: dict[Any, Any]) -> Watched:
        """A map whose lookups are noted, each thing in it being the same object as any equal one before."""
        return Watched(name, self, {key: self._one(name, key, value) for key, value in content.items()})

    def watch(self, program: Program) -> None:
        """Let all maps of a program note what is looked up in them."""
        if len(self._made) > MANY:
            self._made.clear()
            self._things.clear()
            self._contents.clear()
        self.noted, self.items = {}, {}
        for field in fields(program):
            content = getattr(program, field.name)
            if isinstance(content, dict):
                setattr(program, field.name, self.watched(field.name, content))

    def content(self, name: str, keys: tuple[Any, ...], values: tuple[Any, ...]) -> object:
        """One and the same object for maps of a name that hold the same; it keeps what they hold, and so its ids."""
        return self._contents.setdefault((name, keys, tuple(map(id, values))), [values])

    def _one(self, name: str, key: Any, value: Any) -> Any:
        known = self._things.setdefault((name, key), [])
        for other in known:
            if other is value or other == value:
                return other
        known.append(value)
        return value

    def recall(self, how: str, of: object, maps: dict[str, Watched], item: Callable[[str], int]) -> Any:
        """What was made of the same thing with the same lookups, or None."""
        for made in self._made.get((how, id(of)), ()):
            if all(maps[name].found(key) is value for (name, key), value in made.lookups.items()):
                if all([item(name) == number for name, number in made.items.items()]):
                    self.noted.update(made.lookups)
                    return made.result
        return None

    @contextmanager
    def noting(self, how: str, of: object) -> Iterator[Callable[[Any], None]]:
        """Note the lookups of a translation; the function that is given keeps its result."""
        noted, items = self.noted, self.items
        self.noted, self.items = {}, {}
        yield lambda result: self._made.setdefault((how, id(of)), []).append(_Made(of, self.noted, self.items, result))
        noted.update(self.noted)
        items.update(self.items)
        self.noted, self.items = noted, items
