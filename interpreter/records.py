"""Frozen dataclasses that are there at once: the classes of the trees, of which there are two hundred.

`dataclasses` writes and compiles six functions for each class, which takes longer than all the rest of the import of a
tree. Here every class shares functions that work for all of them, and the one that matters, `__init__`, is a copy of
one that was compiled for as many fields, with other names. A type checker sees the usual decorator and refuses to
change a record; nothing does so when the program runs, since that would make each record three times as slow to make.
`dataclasses.fields` and `replace` do what they do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def dataclass(*, frozen: bool) -> Callable[[C], C]:
    """The decorator `dataclasses.dataclass(frozen=True)`, for classes with plain fields."""
    assert frozen
    return _made


def _made(cls: C) -> C:
    cls.__doc__ = cls.__doc__ or cls.__name__  # otherwise a signature would be worked out for it
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    fields = dataclasses.fields(made)
    names = tuple(field.name for field in fields)
    made.__init__ = _initialiser(names, tuple(f.default for f in fields if f.default is not dataclasses.MISSING))
    made._content = staticmethod(attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),))
    made.__eq__, made.__hash__, made.__repr__ = _equals, _hash, _repr
    return made  # type: ignore[no-any-return]


@cache
def _template(count: int) -> Any:
    """`__init__` of a class with so many fields, called `_0`, `_1` and so on."""
    names = [f"_{number}" for number in range(count)]
    body = "; ".join(f"self.{name} = {name}" for name in names) or "pass"
    space: dict[str, Any] = {}
    exec(f"def __init__(self, {', '.join(names)}): {body}", space)
    return space["__init__"].__code__


def _initialiser(names: tuple[str, ...], defaults: tuple[Any, ...]) -> FunctionType:
    code = _template(len(names)).replace(co_varnames=("self", *names), co_names=names)
    return FunctionType(code, {}, "__init__", defaults)


def _equals(self: Any, other: Any) -> Any:
    return self._content(self) == self._content(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._content(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self))
    return f"{type(self).__qualname__}({shown})"
