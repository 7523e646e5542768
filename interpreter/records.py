"""Dataclasses that are there at once: check imports two hundred of them.

`dataclasses` writes and compiles six functions for each class, and is slow to import itself: together that takes longer
than all the rest of an import. Here every class shares functions that work for all of them, and the one that matters,
`__init__`, is a copy of one that was compiled for as many fields, with other names. A type checker sees the usual
decorator and refuses to change a frozen record; nothing does so when the program runs, since that would make each
record three times as slow to make. Those who use `dataclasses` can take records for its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "field", "fields", "is_dataclass", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, is_dataclass, replace
else:

    def dataclass(cls=None, *, frozen=False, eq=True):
        """The decorator of the same name, with or without options in brackets."""
        return _made(cls, frozen, eq) if cls is not None else lambda cls: _made(cls, frozen, eq)

    def field(**options):
        return RecordField(**options)

    def fields(record):
        return record.__record__

    def is_dataclass(record):
        return hasattr(record, "__record__")

    def replace(record, **changes):
        """A record that is the same but for some of its fields."""
        return type(record)(**{part.name: getattr(record, part.name) for part in record.__record__} | changes)


NOTHING: Any = object()
"""What stands for a default that is not there, or that is made anew for each record."""


class RecordField:
    """What is known of a field: its name, its type as it is written, and the options that were given for it."""

    name = ""
    type = ""

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.default = options.get("default", NOTHING)
        self.factory: Callable[[], object] | None = options.get("default_factory")


class _ForDataclasses:
    """The fields of a class as `dataclasses` keeps them, found when it asks for them."""

    def __get__(self, record: Any, kind: Any) -> Any:
        import dataclasses

        parts = [(part.name, part.type, dataclasses.field(**part.options)) for part in kind.__record__]
        like = dataclasses.make_dataclass(kind.__name__, parts, init=False, repr=False, eq=False)
        kind.__dataclass_fields__ = like.__dict__["__dataclass_fields__"]
        return kind.__dataclass_fields__


def _made(cls: Any, frozen: bool, eq: bool) -> Any:
    known: dict[str, RecordField] = {part.name: part for part in getattr(cls, "__record__", ())}
    for name, written in cls.__annotations__.items():
        known[name] = _declared(cls, name, written)
    parts = tuple(known.values())
    cls.__record__ = parts
    cls.__dataclass_fields__ = _ForDataclasses()
    cls.__match_args__ = tuple(known)  # type: ignore[misc]
    cls.__init__ = _initialiser(parts)
    cls.__repr__ = _repr
    if eq:
        compared = [part.name for part in parts if part.options.get("compare", True)]
        first = compared[0]
        content = attrgetter(*compared) if len(compared) > 1 else lambda record: (getattr(record, first),)
        cls._content = staticmethod(content)
        cls.__eq__, cls.__hash__ = _equals, _hash if frozen else None
    return cls


def _declared(cls: Any, name: str, written: str) -> RecordField:
    """A field of a class; what it is by default is left to it as an attribute, as usual."""
    given = cls.__dict__.get(name, NOTHING)
    if isinstance(given, RecordField):
        part = given
        delattr(cls, name)
        if part.default is not NOTHING:
            setattr(cls, name, part.default)
    else:
        part = RecordField() if given is NOTHING else RecordField(default=given)
    part.name, part.type = name, written
    return part


def _initialiser(parts: tuple[RecordField, ...]) -> Any:
    names = tuple([part.name for part in parts])
    defaults = tuple([part.default for part in parts if part.factory or part.default is not NOTHING])
    code = _template(len(names)).replace(co_varnames=("self", *names), co_names=names)
    plain = FunctionType(code, {}, "__init__", defaults)
    factories = [(part.name, part.factory) for part in parts if part.factory]
    if not factories:
        return plain

    def __init__(self: object, *values: object, **named: object) -> None:
        plain(self, *values, **named)
        for name, factory in factories:
            if getattr(self, name) is NOTHING:
                setattr(self, name, factory())

    return __init__


@cache
def _template(count: int) -> Any:
    """`__init__` of a class with so many fields, called `_0`, `_1` and so on."""
    names = [f"_{number}" for number in range(count)]
    body = "; ".join(f"self.{name} = {name}" for name in names) or "pass"
    space: dict[str, Any] = {}
    exec(f"def __init__(self, {', '.join(names)}): {body}", space)
    return space["__init__"].__code__


def _equals(self: Any, other: Any) -> Any:
    return self._content(self) == self._content(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._content(self))


def _repr(self: Any) -> str:
    shown = [part.name for part in self.__record__ if part.options.get("repr", True)]
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"
