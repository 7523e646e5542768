"""Whether two IRs are the same game (alpha-equivalence): equal in all but places in the text and numbers of locals.

A number of a local only tells it apart from others, so that it may differ as long as it does so everywhere.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.source import Span

TEXTS = frozenset(["text", "texts", "label"])
"""The parts of nodes that hold words for people."""


def alike(one: ir.GameRules, other: ir.GameRules, besides: range = range(0), texts: bool = True) -> bool:
    """Whether two games are the same, values, rankings and procedures on some lines left out; without `texts` what is
    said to people may differ."""
    return _Pairing(besides, frozenset() if texts else TEXTS).alike(one, other)


class _Pairing:
    """Which local of the other game stands for which local of the one."""

    def __init__(self, besides: range, left_out: frozenset[str]) -> None:
        self.besides = besides
        self.left_out = left_out
        self.there: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def alike(self, one: Any, other: Any) -> bool:
        if one is other:
            return True
        if one.__class__ is not other.__class__:
            return False
        if isinstance(one, tuple | list):
            return len(one) == len(other) and all(map(self.alike, one, other))
        if isinstance(one, dict):
            return list(one) == list(other) and all(map(self.alike, one.values(), other.values()))
        if not isinstance(one, Struct):
            return bool(one == other)
        if isinstance(one, Span):
            return True
        if isinstance(one, ir.Value | ir.Ranking | ir.Procedure) and one.span.line in self.besides:
            return True
        if isinstance(one, ir.Local) and not self.paired(one.number, other.number):
            return False
        left_out = {"number"} if isinstance(one, ir.Local) else {"settled"} if isinstance(one, ir.GameRules) else set()
        names = [name for name in one.__struct_fields__ if name not in left_out | self.left_out]
        return all(self.alike(getattr(one, name), getattr(other, name)) for name in names)

    def paired(self, one: int, other: int) -> bool:
        return self.there.setdefault(one, other) == other and self.back.setdefault(other, one) == one
