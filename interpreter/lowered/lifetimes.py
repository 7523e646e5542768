"""How long the slots of a statement live (scopes of locals): what it declares is cleared when it ends.

So equal positions are equal lists, whichever way led to them, in the interpreter and in native code alike.
"""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.layout import Frame, Layout, locals_of


def is_nested(s: ir.Statement) -> bool:
    """Whether what a statement declares lives and ends in a block of its own, and not in the one where it stands."""
    if isinstance(s, ir.Flat):
        return False
    match s:
        case ir.If() | ir.ForEach() | ir.InTurn() | ir.Repeat() | ir.Contest():
            return True
        case ir.Secretly():
            return False  # the private copies end with it
        case _:
            assert_never(s)


def declared_in(
    s: ir.Statement, layout: Layout, frame: Frame, outer: frozenset[int], first: int, end: int
) -> list[tuple[int, int]]:
    """Stretches of slots that only a statement uses: its locals, those of the outer ones aside, and from `first` to
    `end` its places in loops."""
    slots: set[int] = set()
    for local in locals_of((s,)):
        if local.number not in outer:
            slot = frame.locals[local.number]
            slots.update(range(slot, slot + layout.local_width(local) + (local.number in frame.lies)))
    return [*_runs(sorted(slots)), *([(first, end)] if end > first else [])]


def _runs(slots: list[int]) -> list[tuple[int, int]]:
    """Neighbouring slots as stretches."""
    runs: list[tuple[int, int]] = []
    for slot in slots:
        if runs and runs[-1][1] == slot:
            runs[-1] = (runs[-1][0], slot + 1)
        else:
            runs.append((slot, slot + 1))
    return runs
