"""Mistakes in meaning: how many of them `check` finds at the right line, by class, and that sound games are silent.

What is missed stands in `missed.txt`, so that nothing is lost unseen; `python -m tests.checking.meaning.test_meaning`
prints the rates and writes it anew. What only play finds (`~ play`) is not counted here.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import pytest

from tests.checking.meaning.corpus import HERE, Entry, entries, findings, is_found, rates
from tests.conftest import base_seed, scaled

BAR = 0.95
"""The least share of mistakes that a machine can see without playing."""
SLICES = 4
"""`make test` tries one of so many slices of the corpus, another one each day."""
KINDS = ("mistakes", "made")


def mistakes() -> list[tuple[str, Entry]]:
    return [(f"{kind}/{entry}", entry) for kind in KINDS for entry in entries(kind) if not entry.play]


def known_misses() -> set[str]:
    return set((HERE / "missed.txt").read_text(encoding="utf-8").split())


def test_the_corpus_is_as_large_as_it_says() -> None:
    found = mistakes()
    assert len(found) >= 300 and sum(1 for _ in entries("sound")) + len(list((HERE / "games").iterdir())) >= 60
    assert sum(name.startswith("made/") for name, _ in found) * 2 >= len(found)
    assert sum(entry.play for entry in entries("mistakes")) >= 15


def test_so_many_are_found() -> None:
    assert known_misses() <= {name for name, _ in mistakes()}
    assert 1 - len(known_misses()) / len(mistakes()) >= BAR


@pytest.mark.parametrize("part", range(scaled(SLICES, 1)))
def test_a_mistake_is_found_at_its_line_unless_it_is_listed(part: int, tmp_path: Path) -> None:
    chosen = mistakes()[(base_seed() + part) % SLICES :: SLICES]
    missed = {name for name, entry in chosen if not is_found(*findings(entry, tmp_path), tmp_path)}
    assert missed == known_misses() & {name for name, _ in chosen}


def test_sound_games_are_silent(tmp_path: Path) -> None:
    for entry in entries("sound"):
        assert (str(entry), [str(d) for d in findings(entry, tmp_path)[0]]) == (str(entry), [])


def main() -> None:
    results: dict[str, list[bool]] = defaultdict(list)
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        below = Path(folder)
        for name, entry in mistakes():
            results[entry.group].append(is_found(*findings(entry, below), below))
            if not results[entry.group][-1]:
                missed.append(name)
    (HERE / "missed.txt").write_text("".join(f"{name}\n" for name in missed), encoding="utf-8")
    print(rates(results))


if __name__ == "__main__":
    main()
