"""The tables of docs/ir.md, made from what is declared of the operations and from who asks for a new one.

    python -m tests.operations.ir_page

writes them anew. Each stands behind a comment that names it.
"""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from chocolatl.interpreter.ir.operations import ANY, ComparisonOperator, Operation
from tests.conftest import ROOT
from tests.operations.consumers import CLOSED, UNIONS, consumers
from tests.operations.forgetting import NEW, Copy, Report, new_names, with_new_operations, without_texts
from tests.operations.loading import told_by_loading
from tests.project.test_architecture import module_name, product_files

PAGE = ROOT / "docs" / "ir.md"
TABLE = re.compile(r"(?<=^<!-- )(\w+)( -->\n\n).*?(?=\n\n)", re.MULTILINE | re.DOTALL)
WHO = "who"

Informed = dict[str, set[str]]
"""Each list of operations, and the files that ask for the meaning of a new one."""


def table(head: str, rows: list[list[str]]) -> str:
    titles = head.split(", ")
    return "\n".join([" | ".join(["", *cells, ""]).strip() for cells in [titles, ["---"] * len(titles), *rows]])


def declared(kinds: type[Operation]) -> str:
    """What is declared of some operations. What is the same for all of them needs no column."""
    columns: dict[str, Callable[[Operation], str]] = {
        "name": lambda kind: f"`{kind.value}`" if kind.value else "(none)",
        "written": lambda kind: f"`{kind.word}`" if isinstance(kind, ComparisonOperator) else "",
        "operands": lambda kind: "any" if kind.arity == ANY else str(kind.arity),
        "meaning": lambda kind: kind.sentence,
        "range": lambda kind: kind.range,
        "fails when": lambda kind: kind.fails,
    }
    told = {name: tell for name, tell in columns.items() if len({tell(kind) for kind in kinds}) > 1}
    told = {"name": columns["name"], "meaning": columns["meaning"]} | told
    in_order = [name for name in columns if name in told]
    return table(", ".join(in_order), [[told[name](kind) for name in in_order] for kind in kinds])


def who(informed: Informed) -> str:
    """A table over kinds of nodes asks for new nodes, too."""
    names = [name for name in CLOSED if name.removesuffix("Kind") == name or name.removesuffix("Kind") not in UNIONS]
    paths = [sorted(informed[name] | informed[f"{name}Kind"]) for name in names]
    return table(
        "new in, asked for by",
        [[f"`{name}`", ", ".join(f"`{path}`" for path in some)] for name, some in zip(names, paths, strict=True)],
    )


def read_informed(reports: list[Report], told: list[str]) -> Informed:
    """Who asks, from what the type checker and the tables say of the new operations."""
    new = {operation: name for name, operation in new_names().items()}
    found: Informed = defaultdict(set)
    for report in reports:
        for operation in report.tells_of(new):
            found[new[operation]].add(report.path)
    for path, kinds, missing in re.findall(r"^(\S+): a table over (\w+) has no entry for (.*)$", "\n".join(told), re.M):
        for each in missing.split(", "):
            found[kinds if each == NEW else new[each]].add(path)
    return found


def asked(folder: Path, files: dict[str, str]) -> tuple[list[Report], list[str]]:
    """What is said of new operations in a copy of the program: by the type checker, and by loading the tables."""
    reports = Copy(folder / "checked", without_texts(files)).reports_once()
    tables = sorted({module_name(each.path) for each in consumers(files) if each.never is None})
    return reports, told_by_loading(Copy(folder / "loaded", files).folder, tables)


def page(informed: Informed) -> str:
    """The page as it should be."""
    tables = {kinds.__name__: declared(kinds) for kinds in Operation.__subclasses__()} | {WHO: who(informed)}
    return TABLE.sub(lambda found: found[1] + found[2] + tables[found[1]], PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        found = asked(Path(folder), with_new_operations(product_files()))
        PAGE.write_text(page(read_informed(*found)), encoding="utf-8")
