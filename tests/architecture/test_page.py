"""docs/architecture.md against the code: its picture, its tables, each hop of its walks, each term of its glossary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.page import PAGE, PICTURE, TABLE, first_sentence, page
from tests.architecture.picture import ROOMS, arrows, beyond, picture, rows, ways
from tests.architecture.walks import RUNS, WALKS, Hop, calls, missed
from tests.conftest import ROOT
from tests.project.test_architecture import product_files

TEXT = PAGE.read_text(encoding="utf-8")
GLOSSARY = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", TEXT.partition("## Glossary")[2], re.MULTILINE)
ANEW = "python -m tests.architecture.page"


def test_the_tables_are_those_of_the_code() -> None:
    assert [name for name, _ in TABLE.findall(TEXT)] == ["rooms", *[f"walk: {walk.name}" for walk in WALKS]]
    assert page() == TEXT, ANEW


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    return ways(product_files())


def test_the_picture_is_that_of_the_code(imports: dict[str, set[str]]) -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(imports), ANEW


def test_what_is_drawn_is_what_is_imported(imports: dict[str, set[str]]) -> None:
    drawn: dict[str, set[str]] = {room: set() for room in imports}
    for start, end in arrows(imports):
        drawn[end].add(start)
    assert all(beyond(room, drawn) == beyond(room, imports) for room in imports)
    row = rows(imports)
    assert all(row[start] < row[end] for start, end in arrows(imports))


def test_a_room_without_a_place_in_the_picture_is_a_complaint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(ROOMS, "solver/worth")
    with pytest.raises(AssertionError, match="solver/worth"):
        picture(ways({"solver/methods/best.py": "from chocolatl.solver.worth import contests"}))


def functions(path: str) -> set[str]:
    """The functions of a file, by their qualified names."""

    def inside(node: ast.AST, front: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                yield front + child.name
                yield from inside(child, f"{front}{child.name}." if isinstance(child, ast.ClassDef) else "<locals>.")

    return set(inside(ast.parse((ROOT / path).read_text(encoding="utf-8")), ""))


def test_the_functions_of_the_walks_exist() -> None:
    gone = [
        f"{walk.name}: {hop.path} {hop.function}"
        for walk in WALKS
        for hop in walk.hops
        if not (ROOT / hop.path).is_file() or hop.function not in functions(hop.path)
    ]
    assert gone == []


@pytest.mark.parametrize("run", RUNS)
def test_the_walks_are_gone_in_a_run(run: str, tmp_path: Path) -> None:
    gone = [walk for walk in WALKS if walk.run == run]
    made = calls(run, {(hop.path, hop.function) for walk in gone for hop in walk.hops}, tmp_path)
    assert gone
    for walk in gone:
        assert missed(walk.hops, made) is None, walk.name


def test_a_hop_that_is_not_made_in_its_turn_is_found() -> None:
    first, second = Hop("a.py", "f", ""), Hop("a.py", "g", "")
    made = [("a.py", "f"), ("b.py", "h"), ("a.py", "g")]
    assert missed([first, second], made) is None
    assert missed([second, first], made) == first
    assert missed([first, Hop("a.py", "k", ""), second], made) == Hop("a.py", "k", "")


def test_the_terms_of_the_glossary_stand_in_the_modules_that_they_are_about() -> None:
    assert len(GLOSSARY) > 40
    lacking = []
    for _, terms, path in GLOSSARY:
        said = f"{first_words(path)} {Path(path).stem.replace('_', ' ')}".lower()
        lacking += [f"{path}: {term}" for term in terms.split(", ") if term.lower() not in said]
    assert lacking == []


def first_words(path: str) -> str:
    """The first two paragraphs of a module's docstring, each on one line."""
    docstring = ast.get_docstring(ast.parse((ROOT / path).read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.split("\n\n")[:2]).replace("\n", " ")


def test_the_files_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`((?:interpreter|solver|tests|rules|docs)/[\w./]*)`", TEXT))
    assert len(named) > 60
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
    links = re.findall(r"\]\(([\w.]+)(?:#([\w-]+))?\)", TEXT)
    for file, anchor in links:
        headings = re.findall(r"^#+ (.*)$", (ROOT / "docs" / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert not anchor or anchor in [heading.lower().replace(" ", "-") for heading in headings], anchor


def test_the_rule_of_the_walk_is_a_rule() -> None:
    rule = re.findall(r"^```\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)[0]
    written = (ROOT / "rules/blotto/blotto.rules").read_text(encoding="utf-8")
    assert all(part in written for part in rule.rstrip().split("\n\n"))
    assert first_sentence('"""One.\n\nTwo."""') == "One."
