"""The words for data that does not follow its schema: what was found, what is expected, the nearest spelling.

A part of a schema may have a `title`: it is how a message names what is expected there. One mistake gives one
problem: of several alternatives (`anyOf`, `oneOf`) the one that comes closest is explained.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.diagnostics import nearest

TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "null": "nothing (`null`)",
    "array": "a list",
    "object": "a map (`key: value`)",
}


class SchemaProblem(Struct, frozen=True):
    """One mistake in plain data. `on_key`: the key is wrong, not the value; `missing` names a key that is not there."""

    path: tuple[str | int, ...]
    message: str
    hint: str = ""
    on_key: bool = False
    missing: str = ""
    code: str = "E204"
    rule: tuple[str | int, ...] = ()
    """The way to what the schema asks for."""


class Explainer:
    """Turns the errors of a JSON Schema validator into problems."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def explain(self, error: Any) -> Iterator[SchemaProblem]:
        rule = tuple(error.absolute_schema_path)
        for problem in self._explain(error):
            yield problem if problem.rule else replace(problem, rule=rule)

    def _explain(self, error: Any) -> Iterator[SchemaProblem]:
        path = tuple(error.absolute_path)
        rule, wanted, value = error.validator, error.validator_value, error.instance
        subject, expected = _subject(path), error.schema.get("title", "")
        if "propertyNames" in error.absolute_schema_path:
            yield SchemaProblem(
                (*path, value), f"the key `{value}` is not {expected or 'allowed'}", on_key=True, code="E207"
            )
        elif rule in ("anyOf", "oneOf"):
            yield from self._explain_best(error)
        elif rule == "additionalProperties":
            allowed = error.schema.get("properties", {})
            for key in value:
                if key not in allowed:
                    hint = nearest(key, allowed) or f"known are {_listed(allowed)}"
                    yield SchemaProblem(
                        (*path, key), f"the key `{key}` is not known here", hint, on_key=True, code="E207"
                    )
        elif rule == "required":
            for key in wanted:
                if key not in value:
                    where = f" in {subject}" if path else ""
                    yield SchemaProblem(path, f"`{key}` is missing{where}", missing=key, code="E208")
        elif rule == "type":
            types = [wanted] if isinstance(wanted, str) else wanted
            hint = _type_hint(types, value) or self._key_hint(error)
            yield SchemaProblem(path, f"{subject} needs {expected or _either(types)}, found {found(value)}", hint)
        elif rule in ("enum", "const"):
            options = wanted if rule == "enum" else [wanted]
            message = f"{subject} cannot be {found(value)}; it is {' or '.join(shown(o) for o in options)}"
            yield SchemaProblem(path, message, nearest(str(value), [str(option) for option in options]))
        else:
            yield SchemaProblem(path, _limit(rule, wanted, value, subject, expected) or f"{subject}: {error.message}")

    def _explain_best(self, error: Any) -> Iterator[SchemaProblem]:
        """Of several alternatives, the mistakes in the one that is meant."""
        path = tuple(error.absolute_path)
        subject, expected = _subject(path), error.schema.get("title", "something else")
        branches: dict[int, list[Any]] = {}
        for inner in error.context or ():
            branches.setdefault(inner.schema_path[0], []).append(inner)
        fitting = [errors for errors in branches.values() if not any(_of_wrong_type(e, error) for e in errors)]
        if not branches:
            yield SchemaProblem(path, f"{subject} can be read in more than one way; it needs {expected}")
        elif not fitting:
            yield SchemaProblem(path, f"{subject} needs {expected}, found {found(error.instance)}")
        else:
            best = min(fitting, key=lambda errors: sum(_weight(inner) for inner in errors))
            if len(fitting) > 1 and not _resembles(best, error.instance):
                yield SchemaProblem(path, f"{subject} needs {expected}")
                return
            for inner in best:
                yield from self.explain(inner)

    def _key_hint(self, error: Any) -> str:
        """Where any name may be a key, a misspelt key shows only in the type of its value."""
        steps: list[str | int] = list(error.absolute_schema_path)
        if steps[-2:-1] != ["additionalProperties"]:
            return ""
        holder: Any = self.schema
        for step in steps[:-2]:
            if isinstance(holder, dict) and "$ref" in holder and step not in holder:  # paths leave references out
                holder = self.schema["$defs"][holder["$ref"].rpartition("/")[2]]
            holder = holder[step]
        return nearest(str(error.absolute_path[-1]), holder.get("properties", {}))


def _of_wrong_type(inner: Any, outer: Any) -> bool:
    return inner.validator == "type" and inner.instance is outer.instance


def _weight(error: Any) -> int:
    """How far an alternative is from what was written: each unknown, missing or wrong part counts one."""
    if error.validator == "additionalProperties":
        return sum(key not in error.schema.get("properties", {}) for key in error.instance)
    return 1


def _resembles(errors: list[Any], instance: Any) -> bool:
    """Whether a map has at least one of the keys that the alternative requires."""
    required = [key for error in errors if error.validator == "required" for key in error.validator_value]
    return not required or any(key in instance for key in required) or any(nearest(key, required) for key in instance)


def _limit(rule: str, wanted: Any, value: Any, subject: str, expected: str) -> str:
    if rule == "pattern":
        return f"{subject} needs {expected or 'another form'}, found {found(value)}"
    if rule in ("minimum", "maximum"):
        return f"{subject} is {value}; it is {'at least' if rule == 'minimum' else 'at most'} {wanted}"
    if rule in ("minItems", "minProperties", "minLength"):
        return f"{subject} is empty" if wanted == 1 else f"{subject} needs at least {wanted} entries"
    if rule == "maxLength":
        return f"{subject} has {len(value):,} characters; it has at most {wanted}"
    if rule == "maxItems":
        return f"{subject} has {len(value)} entries; it has at most {wanted}"
    if rule == "uniqueItems":
        return f"{subject} holds the same entry twice"
    return ""


def _subject(path: tuple[str | int, ...]) -> str:
    if not path:
        return "this"
    if isinstance(path[-1], str):
        return f"`{path[-1]}`"
    owner = next((step for step in reversed(path) if isinstance(step, str)), "")
    return f"item {path[-1] + 1} of `{owner}`" if owner else f"item {path[-1] + 1}"


def found(value: Any) -> str:
    """A value that somebody wrote, in words."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"the text `{value if len(value) <= 40 else value[:37] + '...'}`"
    if isinstance(value, bool):
        return shown(value)
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a map"
    return f"the number {value}"


def shown(value: Any) -> str:
    """A value as it is written in YAML."""
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _listed(keys: Iterable[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys)


def _either(types: list[str]) -> str:
    words = [TYPES[name] for name in types]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _type_hint(types: list[str], value: Any) -> str:
    if "boolean" in types and value in ("yes", "no", "on", "off"):
        return "write `true` or `false`"
    if "integer" in types and isinstance(value, str) and value.lstrip("-").isdigit():
        return "write the number without quotation marks"
    return ""
