"""Frozen dataclasses that are there at once: the classes of the trees, of which there are two hundred.

`dataclasses` writes and compiles six functions for each class, which takes longer than all the rest of the import of a
tree. Here every class shares functions that work for all of them; a type checker sees the usual decorator, and
`dataclasses.fields` and `replace` do what they do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

C = TypeVar("C", bound=type)


def dataclass(*, frozen: bool) -> Callable[[C], C]:
    """The decorator `dataclasses.dataclass(frozen=True)`, for classes with plain fields."""
    assert frozen
    return _made


def _made(cls: C) -> C:
    cls.__doc__ = cls.__doc__ or cls.__name__  # otherwise a signature would be worked out for it
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    made.__init__ = _initialiser(dataclasses.fields(made))
    made.__eq__, made.__hash__, made.__repr__ = _equals, _hash, _repr
    made.__setattr__ = made.__delattr__ = _refuse
    return made  # type: ignore[no-any-return]


def _initialiser(fields: tuple[dataclasses.Field[Any], ...]) -> Callable[..., None]:
    names = tuple(field.name for field in fields)
    count = len(names)

    def __init__(self: Any, *values: Any, **named: Any) -> None:
        if len(values) != count or named:
            values = _completed(type(self), fields, values, named)
        self.__dict__.update(zip(names, values, strict=True))

    return __init__


def _completed(
    cls: type, fields: tuple[dataclasses.Field[Any], ...], values: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...]:
    """All values in the order of the fields, some of which are given by name or left to their defaults."""
    rest = fields[len(values) :]
    missing = [f.name for f in rest if f.name not in named and f.default is dataclasses.MISSING]
    surplus = set(named) - {field.name for field in rest}
    if missing or surplus or len(values) > len(fields):
        raise TypeError(f"{cls.__name__}: missing {missing}, unknown or given twice {sorted(surplus)}")
    return (*values, *(named.get(field.name, field.default) for field in rest))


def _equals(self: Any, other: object) -> bool:
    return self.__dict__ == other.__dict__ if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(tuple(self.__dict__.values()))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
    return f"{type(self).__qualname__}({shown})"


def _refuse(self: Any, name: str, value: object = None) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot change `{name}`")
