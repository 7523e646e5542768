"""One name means one thing, and says what it is: no two modules define a class or a type of the same name.

The exception is a construct of the language that lives in several stages: what the tree calls `If` the IR calls `If`,
since it is the same thing further down. There nobody is misled, because nodes of the tree and of the IR are always used
with the name of their module (`t.If`, `ir.If`), which is looked at here, too. See the glossary of docs/architecture.md.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import PurePosixPath

import pytest

from tests.project.test_architecture import imported, product_files

CONSTRUCTS = ("interpreter/syntax/tree.py", "interpreter/program/model.py", "interpreter/ir/nodes.py")
"""A construct of the language as it is written, declared and run."""

QUALIFIED = ("chocolatl.interpreter.syntax.tree.", "chocolatl.interpreter.ir.nodes.")
"""What these define is never imported by its own name."""


UNTELLING = frozenset(
    [
        "early", "once", "pip", "truths", "meaning", "straight", "rows", "idea", "abreast", "together", "holding",
        "idling", "room", "pools", "bench", "place", "decided", "observed", "paid", "likeness", "settled",
    ]
)  # fmt: skip
"""Words that were names of modules and classes once, and told nobody what was inside."""


def defined(text: str) -> Iterator[str]:
    """The classes of a module, and the names that it gives to types. Type variables have no meaning elsewhere."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper() and not isinstance(node.value, ast.Call):
                yield name


def shared_names(files: dict[str, str]) -> list[str]:
    places: dict[str, list[str]] = defaultdict(list)
    for path, text in files.items():
        for name in defined(text):
            places[name].append(path)
    return [
        f"{name} means one thing each in {', '.join(found)}"
        for name, found in sorted(places.items())
        if len(found) > 1 and not all(path.endswith(CONSTRUCTS) for path in found)
    ]


def untelling(files: dict[str, str]) -> list[str]:
    names = {path: [PurePosixPath(path).stem, *map(str.lower, defined(text))] for path, text in files.items()}
    return [f"{path}: {name} says nothing" for path, some in names.items() for name in some if name in UNTELLING]


def unqualified(files: dict[str, str]) -> list[str]:
    return [
        f"{path}:{line}: {name} is used with the name of its module"
        for path, text in files.items()
        for line, name in imported(path, text)
        if name.startswith(QUALIFIED)
    ]


def test_one_name_means_one_thing() -> None:
    assert shared_names(product_files()) == []


def test_names_say_what_is_inside() -> None:
    assert untelling(product_files()) == []
    assert len(untelling({"solver/early.py": "class Bench: ...", "solver/table.py": "class AnswerRows: ..."})) == 2


def test_nodes_of_the_tree_and_of_the_ir_are_used_with_their_module() -> None:
    assert unqualified(product_files()) == []


@pytest.mark.parametrize("text", ["class Place:\n    pass", "Place = tuple[int, int]", "Place = Other | None"])
def test_a_second_meaning_is_found(text: str) -> None:
    first = {"interpreter/lowered/layout.py": "class Place: ..."}
    assert len(shared_names(first | {"solver/symbolic/resume.py": text})) == 1
    assert shared_names(first | {"solver/symbolic/resume.py": "from somewhere import Place\nPLACE = Place()"}) == []


def test_stages_share_the_names_of_constructs_and_of_nothing_else() -> None:
    stages = dict.fromkeys(CONSTRUCTS, "class If: ...")
    assert shared_names(stages) == []
    assert len(shared_names(stages | {"solver/symbolic/run.py": "class If: ..."})) == 1
    assert len(unqualified({"interpreter/engine/steps.py": "from chocolatl.interpreter.ir.nodes import If"})) == 1
    assert unqualified({"interpreter/engine/steps.py": "from chocolatl.interpreter.ir import nodes as ir"}) == []
