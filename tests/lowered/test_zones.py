"""A zone as one integer says the same as the vector of counts that it stands for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.lowered import zones

COUNTS = st.lists(st.integers(0, 9) | st.integers(0, 1_000), max_size=40)


@given(COUNTS)
def test_a_zone_is_its_counts(counts: list[int]) -> None:
    zone = zones.pack(counts)
    found = list(zones.counts(zone))
    assert found == counts[: len(found)] and not any(counts[len(found) :])
    assert [zones.count(zone, kind) for kind in range(len(counts))] == counts
    assert zones.size(zone) == sum(counts)
    assert dict(zones.copies(zone)) == {kind: count for kind, count in enumerate(counts) if count}
    assert list(zones.kinds(zone)) == [kind for kind, count in enumerate(counts) if count]


@given(st.lists(st.integers(0, 40), max_size=60), st.lists(st.integers(0, 40), max_size=60))
def test_zones_are_put_together_by_addition(some: list[int], more: list[int]) -> None:
    together = zones.bag(some) + zones.bag(more)
    assert list(zones.elements(together)) == sorted(some + more)
    assert together - zones.bag(more) == zones.bag(some)
