"""Rules that nobody would write, made at random (generative, property-based testing): nearly all of them pass `check`.

They say nothing about any game. What they are for is that all back ends must come to the same, whatever the rules say.
A program is the same for a seed on every platform: `generate(seed)`.
"""

from __future__ import annotations

from tests.fuzzing.programs.tree import Line, Program, read_kept
from tests.fuzzing.programs.whole import generate

__all__ = ["Line", "Program", "generate", "read_kept"]
