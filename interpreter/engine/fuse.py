"""Steps that follow one another as one function: fewer calls between two decisions (jump threading).

Where a step ends with a jump, a copy of the next one takes the place of the jump, unless that leads in a circle or
makes the function long. Every step keeps its number and can still be jumped to, so positions are the same.
"""

from __future__ import annotations

import re

StepLines = list[list[str] | None]
"""The lines of each step; None where the game waits."""

LONGEST = 40
"""So many lines may take the place of a jump."""

FARTHEST = 8
"""So many steps are followed."""

JUMP = re.compile(r"    return (\d+)")
BRANCH = re.compile(r"    return (\d+) if (.*) else (\d+)")


def fused(steps: StepLines) -> StepLines:
    return [None if lines is None else _lines(steps, lines, (pc,)) for pc, lines in enumerate(steps)]


def _lines(steps: StepLines, lines: list[str], before: tuple[int, ...]) -> list[str]:
    *front, last = lines
    if jump := JUMP.fullmatch(last):
        return front + _follow(steps, int(jump[1]), before)
    if branch := BRANCH.fullmatch(last):
        then = _follow(steps, int(branch[1]), before)
        otherwise = _follow(steps, int(branch[3]), before)
        return [*front, f"    if {branch[2]}:", *("    " + line for line in then), *otherwise]
    return lines


def _follow(steps: StepLines, pc: int, before: tuple[int, ...]) -> list[str]:
    """What stands for a jump: the lines of the step, or the jump itself."""
    lines = steps[pc]
    if lines is not None and pc not in before and len(before) < FARTHEST:
        lines = _lines(steps, lines, (*before, pc))
        if len(lines) <= LONGEST:
            return lines
    return [f"    return {pc}"]
