"""`set` of a variant or scenario (a deep merge): new values for parameters, tables and components of a game.

Names are dotted or nested (`hut.bonus: 2` is `hut: {bonus: 2}`); maps merge by key, lists and scalars are replaced,
and null is a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from chocolatl.interpreter.data.game_data import Data, check_value, places_of, same, with_kinds
from chocolatl.interpreter.data.model import ComponentData, DataPath
from chocolatl.interpreter.data.schema import check_part
from chocolatl.interpreter.data.schema_messages import found, shown
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, Related, nearest

SET: DataPath = ("set",)


def apply_settings(
    data: Data, settings: dict[Any, Any], document: Document, findings: Findings, *, warn: bool = True
) -> None:
    """Changes the data as the `set` of a document says. With `warn`, a value that changes nothing is reported."""
    for name, value, path in _targets(data, settings, "", SET, document, findings):
        if name in data.parameters:
            changed = _set_parameter(data, name, value, document, path, findings)
        elif name in data.tables:
            changed = _set_table(data, name, value, document, path, findings)
        else:
            changed = _set_component(data, name, value, document, path, findings)
        if warn and not changed:
            findings.warning("W901", f"`{name}` has this value already", document.span(path), "leave it out")


def _targets(
    data: Data, settings: dict[Any, Any], front: str, path: DataPath, document: Document, findings: Findings
) -> Iterator[tuple[str, Any, DataPath]]:
    """What is set, by full name. Nested maps are walked until their joined keys are a name."""
    names = data.names()
    fronts = _fronts(tuple(names))
    for key, value in settings.items():
        name, inner = f"{front}{key}", (*path, key)
        if name in names:
            yield name, value, inner
        elif name in fronts and isinstance(value, dict):
            yield from _targets(data, value, name + ".", inner, document, findings)
        elif name in fronts:
            parts = ", ".join(f"`{n}`" for n in names if n.startswith(name + "."))
            findings.error("E901", f"`{name}` is no parameter but the front part of {parts}", document.key_span(inner))
        else:
            hint = nearest(name, [*names, *fronts])
            message = f"there is no parameter, table or component `{name}` to set"
            findings.error("E901", message, document.key_span(inner), hint)


@lru_cache(maxsize=16)
def _fronts(names: tuple[str, ...]) -> frozenset[str]:
    """The front parts of names with dots in them."""
    return frozenset([name[:dot] for name in names for dot in range(len(name)) if name[dot] == "."])


def _set_parameter(data: Data, name: str, value: Any, document: Document, path: DataPath, findings: Findings) -> bool:
    """Whether the value is new (or wrong, which is reported)."""
    parameter = data.parameters[name]
    related = (Related(parameter.span, f"`{name}` is declared here"),)
    if not check_value(parameter, value, document, path, findings, related):
        return True
    data.parameters[name] = replace(parameter, value=value, written=document, place=path)
    return not same(value, parameter.value)


def _set_table(data: Data, name: str, value: Any, document: Document, path: DataPath, findings: Findings) -> bool:
    table = data.tables[name]
    if not check_part(document, path, value, "game", "entries", findings):
        return True
    if type(value) is not type(table.value):
        message = f"the table `{name}` is {found(table.value)}, it cannot be {found(value)}"
        related = (Related(table.span, f"`{name}` is declared here"),)
        findings.error("E206", message, document.span(path), "", related)
        return True
    merged, places = _merged(table.value, value), places_of(value, document, path)
    data.tables[name] = replace(table, value=merged, places={**table.places, **places})
    return not same(merged, table.value)


def _merged(old: Any, new: Any) -> Any:
    if isinstance(old, dict) and isinstance(new, dict):
        return {**old, **{key: _merged(old.get(key), value) for key, value in new.items()}}
    return new


def _set_component(data: Data, name: str, value: Any, document: Document, path: DataPath, findings: Findings) -> bool:
    component = data.components[name]
    if not check_part(document, path, value, "game", "kinds", findings):
        return True
    data.components[name] = with_kinds(component, value, document, path)
    return _bare(data.components[name]) != _bare(component)


def _bare(component: ComponentData) -> str:
    """The kinds without their places, in a form that tells `true` from 1."""
    return shown([[kind.attributes, kind.name, kind.copies] for kind in component.kinds] + [component.ranges])
