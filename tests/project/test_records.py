"""Records: a class that is declared frozen is frozen when the program runs, and `check` waits for none to be compiled.

What `check` loads is made of `msgspec.Struct`, which takes a fortieth of the time of a plain dataclass to come into
being and a tenth to be made; the rest may be either.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any

from msgspec import Struct

from tests.conftest import ROOT
from tests.project.test_architecture import module_name, product_files


def declared_frozen(node: ast.ClassDef) -> bool:
    """Whether a class says `frozen=True`, as an option of its own or of its decorator."""
    calls = [decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call)]
    options = [*node.keywords, *(option for call in calls for option in call.keywords)]
    return any(option.arg == "frozen" and ast.literal_eval(option.value) is True for option in options)


def frozen_classes() -> Iterator[Any]:
    for path, text in product_files().items():
        names = [n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ClassDef) and declared_frozen(n)]
        yield from (getattr(import_module(module_name(path)), name) for name in names)


def blank(kind: Any) -> tuple[Any, Iterable[str]]:
    """A record without content, with the names of its fields."""
    if issubclass(kind, Struct):
        return kind(*[None] * len(kind.__struct_fields__)), kind.__struct_fields__
    return object.__new__(kind), [field.name for field in fields(kind)]


def changeable(kinds: Iterable[Any]) -> list[str]:
    """The fields of records that can be set or deleted."""
    found = []
    for kind in kinds:
        record, names = blank(kind)
        for name in [*names, "something_new"]:
            for change in (lambda r, n: setattr(r, n, 1), delattr):
                try:
                    change(record, name)
                except (AttributeError, TypeError):  # the latter by mistake, of a dataclass that has slots
                    continue
                found.append(f"{kind.__name__}.{name}")
    return found


def test_records_that_are_declared_frozen_cannot_be_changed() -> None:
    kinds = list(frozen_classes())
    assert len(kinds) > 250
    assert not changeable(kinds)


def test_a_record_that_is_frozen_by_word_alone_is_seen() -> None:
    @dataclass
    class Plain:
        part: int

    class Loose(Struct):
        part: int

    assert {"Plain.part", "Loose.part"} <= set(changeable([Plain, Loose]))


def test_check_loads_no_dataclasses() -> None:
    loaded = "'dataclasses' in sys.modules"
    code = f"import sys, chocolatl.cli as cli; print(cli.main(['check', 'rules/chocolatl']), {loaded}, file=sys.stderr)"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stderr.splitlines()[-1] == "0 False"
