"""Types of values (range types). Everything that a game holds is made of bounded integers.

A scalar is a number in a range, an element of a domain (a player, an enum member, a kind of component) by its
position, or yes/no as 1 and 0. An optional scalar has one more value below the others, which stands for none.
"""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

NUMBER = "number"
TRUTH = "yes/no"
PLAYER = "player"
OWNER = "owner"
SMALLEST, LARGEST = -(2**63), 2**63 - 1


def missing(family: str) -> str:
    """The word for nothing of a family."""
    return "nobody" if family in (PLAYER, OWNER) else "none"


class Scalar(Struct, frozen=True):
    """Whole numbers from low to high; `family` says what they stand for: number, yes/no or the name of a domain."""

    family: str
    low: int
    high: int
    optional: bool = False

    @property
    def none(self) -> int:
        return self.low - 1

    @property
    def size(self) -> int:
        return max(0, self.high - self.low + 1)

    @property
    def required(self) -> Scalar:
        return replace(self, optional=False)

    @property
    def bounds(self) -> tuple[int, int]:
        """The integers that a variable of this type can hold."""
        return (self.none if self.optional else self.low), self.high

    def bounds_for(self, other: Scalar) -> tuple[int, int]:
        """The integers that one of another type can become: what is never none must not turn out as none."""
        return self.bounds if other.optional else (self.low, self.high)

    def holds(self, other: Scalar) -> bool:
        """Whether every value of the other type is one of this type."""
        if self.family != other.family or (other.optional and not self.optional):
            return False
        return self.low <= other.low and other.high <= self.high

    def __str__(self) -> str:
        name = f"{self.low}..{self.high}" if self.family == NUMBER else self.family.removeprefix("option of ")
        return f"{name} or {missing(self.family)}" if self.optional else name


class Multiset(Struct, frozen=True):
    """A zone: how often each element of a finite domain lies in it.

    A short one holds at most `most` values of a domain that may be large, such as the cells of a grid."""

    element: Scalar
    most: int | None = None

    @property
    def short(self) -> bool:
        return self.most is not None

    def __str__(self) -> str:
        return f"set of {self.element}" + (f" up to {self.most}" if self.short else "")


class OrderType(Struct, frozen=True):
    """Elements of a domain by place: what a ranking yields, and how many they are at most."""

    element: Scalar
    most: int

    def __str__(self) -> str:
        return f"ranking of {self.element}"


class NothingType(Struct, frozen=True):
    """The type of `none` and `nobody` before it is known what is missing."""

    word: str

    def __str__(self) -> str:
        return self.word


Type = Scalar | Multiset | OrderType | NothingType

YES_NO = Scalar(TRUTH, 0, 1)


@lru_cache(maxsize=4096)
def number(low: int, high: int) -> Scalar:
    """The numbers of a range; mostly it is one of a few, so that they are made once."""
    return Scalar(NUMBER, low, high)


def union(a: Scalar, b: Scalar) -> Scalar:
    """The smallest type that holds both; they are of one family."""
    return Scalar(a.family, min(a.low, b.low), max(a.high, b.high), a.optional or b.optional)


def mixes_none(a: Scalar, b: Scalar) -> bool:
    """Whether the none of one type is a value of the other one, which has none."""
    if a.optional == b.optional:
        return False
    optional, other = (a, b) if a.optional else (b, a)
    return other.low <= optional.none <= other.high
