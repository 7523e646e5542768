"""A journal is a value, however long: made without changing another one, compared, copied and sent away."""

from __future__ import annotations

import copy
import pickle

from chocolatl.interpreter.lowered.journal import Journal

LONG = range(5000)


def test_what_follows_leaves_the_journal_as_it_was() -> None:
    first = Journal().followed_by([1, 2])
    one, other = first.followed_by([3]), first.followed_by([4, 5])
    assert (first.notes(), one.notes(), other.notes()) == ([1, 2], [1, 2, 3], [1, 2, 4, 5])
    assert one != other and one == Journal().followed_by([1, 2, 3])
    assert Journal() == Journal().followed_by([])


def test_a_long_journal_is_compared_copied_and_sent_away() -> None:
    journal = Journal().followed_by(LONG)
    for other in (Journal().followed_by(LONG), copy.deepcopy(journal), pickle.loads(pickle.dumps(journal))):
        assert other == journal and other.notes() == list(LONG)
    assert Journal().followed_by([0, *LONG]) != journal
    assert repr(Journal().followed_by([1])) == "Journal().followed_by([1])"
