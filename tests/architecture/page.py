"""The picture and the tables of docs/architecture.md, made from the code.

    python -m tests.architecture.page

writes them anew. Each table stands behind a comment that names it. The glossary is written by hand.
"""

from __future__ import annotations

import ast
import re

from tests.architecture.picture import ROOMS, picture, ways
from tests.architecture.walks import WALKS, Walk
from tests.conftest import ROOT
from tests.operations.ir_page import table
from tests.project.test_architecture import product_files

PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "architecture.svg"
TABLE = re.compile(r"(?<=^<!-- )([\w: ]+)( -->\n\n).*?(?=\n\n)", re.MULTILINE | re.DOTALL)


def rooms() -> str:
    """Each room with the first sentence of its docstring."""
    rows = []
    for room in ROOMS:
        path = ROOT / room / "__init__.py"
        if path.exists():
            rows.append([f"`{room}`", first_sentence(path.read_text(encoding="utf-8"))])
    return table("room, what is in it", rows)


def first_sentence(text: str) -> str:
    docstring = ast.get_docstring(ast.parse(text)) or ""
    return docstring.split("\n\n")[0].replace("\n", " ")


def hops(walk: Walk) -> str:
    return table(
        "file, function, what happens", [[f"`{hop.path}`", f"`{hop.function}`", hop.sentence] for hop in walk.hops]
    )


def page() -> str:
    """The page as it should be."""
    tables = {"rooms": rooms()} | {f"walk: {walk.name}": hops(walk) for walk in WALKS}
    return TABLE.sub(lambda found: found[1] + found[2] + tables[found[1]], PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PICTURE.write_text(picture(ways(product_files())), encoding="utf-8")
