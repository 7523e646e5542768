"""The table of docs/comparing.md says what keyed numbers are worth: every number of it is measured again."""

from __future__ import annotations

from benchmarks.pairing import Gain, compared, gain, medians, row, shown
from tests.conftest import ROOT, base_seed, scaled

PAGE = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
LINES = [line for line in PAGE.partition("first generator |")[2].splitlines() if line.startswith("| `")]
SLICE = 3


def test_the_table_has_every_variant_and_is_measured() -> None:
    pairs = list(compared())
    assert [line.split("`")[1] for line in LINES] == [name for _, _, name in pairs]
    first, step = base_seed() % len(pairs), scaled(full=len(pairs), slice=SLICE)
    for number in range(first, first + step):
        pair, line = pairs[number % len(pairs)], LINES[number % len(pairs)]
        assert line == row(gain(*pair), gain(*pair, keyed=False))


def test_keyed_numbers_are_worth_more_than_equal_seeds() -> None:
    """The medians of the table, by its own numbers."""
    found = [[cell.strip() for cell in line.split("|")[2:6]] for line in LINES]
    keyed, plain = ([Gain("", *(_number(cell) for cell in cells[at : at + 2])) for cells in found] for at in (0, 2))
    assert all(one > other for one, other in zip(medians(keyed), medians(plain), strict=True))
    score, margin = map(shown, medians(keyed))
    assert f"{score} for scores and {margin} for margins" in PAGE


def _number(cell: str) -> float | None:
    return None if cell == "-" else float(cell)
