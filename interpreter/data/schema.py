"""Data against its JSON Schema, reported at its place in the file.

`schemas/` holds the definition of every format that people or programs exchange. This module finds the schema and
runs it; `schema_messages` words what it says.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from chocolatl.interpreter.data.schema_messages import TYPES, Explainer, SchemaProblem, found
from chocolatl.interpreter.data.schema_quick import SchemaTest, quick_test
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.system.shipped import shipped

FORMAT = 1
OTHER_FILE = "E209"


def schema_folder() -> Path:
    return shipped("schemas")


def schema_names() -> list[str]:
    return sorted(path.name.removesuffix(".schema.json") for path in schema_folder().glob("*.schema.json"))


@cache
def schema(name: str) -> dict[str, Any]:
    return json.loads(_schema_text(name), object_hook=_in_python)  # type: ignore[no-any-return]


def _in_python(part: dict[str, Any]) -> dict[str, Any]:
    """A pattern as Python reads it: there `$` is also before the end of a line, in JSON Schema only at the end."""
    pattern = part.get("pattern")
    if isinstance(pattern, str) and pattern.endswith("$"):
        part["pattern"] = pattern[:-1] + r"\Z"
    return part


def _schema_text(name: str) -> str:
    return (schema_folder() / f"{name}.schema.json").read_text(encoding="utf-8")


@cache
def kinds() -> tuple[str, ...]:
    """The kinds of files that people write: what may stand behind `kind:`."""
    return tuple(name for name in schema_names() if _kind(name))


def kind_of(document: Document) -> str | None:
    """What a file says it is, if it says so."""
    kind = document.value.get("kind") if isinstance(document.value, dict) else None
    return kind if isinstance(kind, str) else None


def check(document: Document, schema_name: str, findings: Findings) -> bool:
    """Whether a file follows its schema. What does not is reported at its place in the file."""
    wrong = problems(document.value, schema_name)
    for problem in wrong:
        related = _related(problem, schema_name)
        findings.error(problem.code, problem.message, _mark(document, problem), problem.hint, related)
    return not wrong


def check_part(
    document: Document, path: tuple[str | int, ...], value: Any, schema_name: str, definition: str, findings: Findings
) -> bool:
    """Whether the value at a path of a file follows one of the definitions (`$defs`) of a schema."""
    wrong = _violations(value, schema_name, definition)
    for problem in wrong:
        inner = replace(problem, path=(*path, *problem.path))
        message = problem.message if problem.path else problem.message.replace("this", f"`{path[-1]}`", 1)
        related = _related(problem, schema_name, definition)
        findings.error(problem.code, message, _mark(document, inner), problem.hint, related)
    return not wrong


def _related(problem: SchemaProblem, name: str, definition: str = "") -> tuple[Related, ...]:
    if not problem.rule:
        return ()
    from chocolatl.interpreter.data.schema_places import (
        asked_here,  # only who made a mistake is told what the schema says
    )

    return asked_here(name, _schema_text(name), definition, problem.rule)


def problems(value: Any, schema_name: str) -> list[SchemaProblem]:
    """The mistakes in plain data, each once; for data from JSON as well as from YAML."""
    misfit = _identity(value, schema_name)
    return [misfit] if misfit else _violations(value, schema_name)


def _violations(value: Any, schema_name: str, definition: str = "") -> list[SchemaProblem]:
    surely_right = _quick_test(schema_name, definition)
    if surely_right is not None and surely_right(value):
        return []
    validator = _validator(schema_name, definition)
    explainer = Explainer(validator.schema)
    errors = validator.iter_errors(_with_text_keys(value))
    every: dict[SchemaProblem, SchemaProblem] = {}
    for problem in (problem for error in errors for problem in explainer.explain(error)):
        every.setdefault(replace(problem, rule=()), problem)  # one mistake, however many rules of the schema it breaks
    # A key that is spelt wrong is also missing: that is one mistake.
    misspelt = {(p.path[:-1], p.hint) for p in every if p.on_key}
    return [p for p in every.values() if not p.missing or (p.path, f"did you mean `{p.missing}`?") not in misspelt]


@cache
def _validator(name: str, definition: str) -> Any:
    from jsonschema import Draft202012Validator  # 90 ms that only commands with mistakes in data files pay

    return Draft202012Validator(_part(name, definition))


@cache
def _quick_test(name: str, definition: str) -> SchemaTest | None:
    return quick_test(_part(name, definition))


def _part(name: str, definition: str) -> dict[str, Any]:
    whole = schema(name)
    return {"$defs": whole["$defs"], "$ref": f"#/$defs/{definition}"} if definition else whole


def _kind(name: str) -> str | None:
    kind = schema(name).get("properties", {}).get("kind", {}).get("const")
    return kind if isinstance(kind, str) else None


def _identity(value: Any, name: str) -> SchemaProblem | None:
    """A file of another kind or version, or no map at all: what the schema says about it would not help."""
    expected = _kind(name)
    if expected is None:
        return None
    begin = f"begin with `kind: {expected}`"
    if not isinstance(value, dict):
        return SchemaProblem((), f"the file needs {TYPES['object']}, found {found(value)}", begin, code=OTHER_FILE)
    if "kind" not in value:
        return SchemaProblem((), "`kind` is missing: the file does not say what it is", begin, code=OTHER_FILE)
    kind = value["kind"]
    if kind in kinds() and kind != expected:
        return SchemaProblem(("kind",), f"this is a {kind} file; a {expected} file is expected", code=OTHER_FILE)
    if kind != expected:
        hint = nearest(str(kind), kinds()) or f"write `kind: {expected}`"
        return SchemaProblem(("kind",), f"{found(kind)} is no kind of file", hint, code=OTHER_FILE)
    version = value.get("format", FORMAT)
    if type(version) is not int or version != FORMAT:
        message = f"`format` is {found(version)}; this version reads format {FORMAT}"
        return SchemaProblem(("format",), message, code=OTHER_FILE)
    return None


def _mark(document: Document, problem: SchemaProblem) -> Span:
    """The value or its key. Of what takes many lines only the start is marked, the key if there is one."""
    span = document.key_span(problem.path) if problem.on_key else document.span(problem.path)
    if span.line != span.end_line:
        span = document.key_span(problem.path)
    if span.line != span.end_line:
        span = Span(span.source, span.line, span.column, span.line, span.column + 1)
    return span


def _with_text_keys(value: Any) -> Any:
    """JSON knows only texts as keys."""
    if isinstance(value, dict):
        return {str(key): _with_text_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_text_keys(item) for item in value]
    return value
