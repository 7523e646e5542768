"""Conditions as alternatives of literals (disjunctive normal form), and whether an alternative contradicts itself.

A literal is one of four: a sum that is at most 0; a term that is a certain member, or is not; two terms that are the
same, or are not; anything else that is yes or no.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import assert_never

from msgspec import Struct

from chocolatl.interpreter.meaning.linear import BoundsOf, LinearForm, constant, impossible, minus, plus, times


class AtMostZero(Struct, frozen=True):
    form: LinearForm


class IsMember(Struct, frozen=True):
    term: Hashable
    member: str
    holds: bool


class AreSame(Struct, frozen=True):
    terms: frozenset[Hashable]
    holds: bool


class IsSo(Struct, frozen=True):
    term: Hashable
    holds: bool


Claim = AtMostZero | IsMember | AreSame | IsSo
AllClaims = tuple[Claim, ...]
Formula = tuple[AllClaims, ...]
"""One of the alternatives holds; in each of them, all literals do."""

ALWAYS: Formula = ((),)
NEVER: Formula = ()
MOST = 24
"""So many alternatives at most: of what has more, nothing is known."""

Members = Callable[[Hashable], frozenset[str] | None]
"""All that a term can be, if that is known."""
CanBe = Callable[[Hashable, str], bool]
"""Whether a term may be a certain member."""


def literal(one: Claim) -> Formula:
    return ((one,),)


def below(left: LinearForm, right: LinearForm, strictly: bool) -> Formula:
    """left < right, or left <= right."""
    form = minus(left, right)
    return literal(AtMostZero(plus(form, constant(1)) if strictly else form))


def both(a: Formula | None, b: Formula | None) -> Formula | None:
    if a is None or b is None or len(a) * len(b) > MOST:
        return None
    return tuple([(*one, *[each for each in other if each not in one]) for one in a for other in b])


def either(a: Formula | None, b: Formula | None) -> Formula | None:
    if a is None or b is None or len(a) + len(b) > MOST:
        return None
    return (*a, *b)


def denied(formula: Formula | None) -> Formula | None:
    """The formula that holds where another one does not."""
    if formula is None:
        return None
    result: Formula | None = ALWAYS
    for alternative in formula:
        result = both(result, tuple([(_opposite(each),) for each in alternative]))
    return result


def _opposite(each: Claim) -> Claim:
    match each:
        case AtMostZero():
            return AtMostZero(plus(times(each.form, -1), constant(1)))
        case IsMember():
            return IsMember(each.term, each.member, not each.holds)
        case AreSame():
            return AreSame(each.terms, not each.holds)
        case IsSo():
            return IsSo(each.term, not each.holds)
        case _:
            assert_never(each)


def contradicts(alternative: AllClaims, bounds: BoundsOf, members: Members, can_be: CanBe) -> bool:
    """Whether it is certain that not all of these hold."""
    same: list[frozenset[Hashable]] = []
    forms: list[LinearForm] = []
    said: dict[Hashable, bool] = {}
    is_, is_not = dict[Hashable, str](), dict[Hashable, set[str]]()
    for each in alternative:
        match each:
            case AtMostZero():
                forms.append(each.form)
            case IsMember(holds=True):
                if is_.setdefault(each.term, each.member) != each.member:
                    return True
            case IsMember():
                is_not.setdefault(each.term, set()).add(each.member)
            case AreSame():
                if said.setdefault(each.terms, each.holds) != each.holds:
                    return True
                if each.holds:
                    same.append(each.terms)
            case IsSo():
                if said.setdefault(each.term, each.holds) != each.holds:
                    return True
            case _:
                assert_never(each)
    for term in {*is_, *is_not}:
        known, never = members(term), is_not.get(term, set())
        if term in is_ and (is_[term] in never or (known is not None and is_[term] not in known)):
            return True
        if term not in is_ and known is not None and known <= never:
            return True
    for terms in same:
        if any(not can_be(other, is_[term]) for term in terms if term in is_ for other in terms):
            return True
    return bool(forms) and impossible(forms, bounds)
