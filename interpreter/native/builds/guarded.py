"""The two builds of native code with every access to memory checked (an address sanitizer).

`chocolatl.interpreter.native.builds.bounds_checks` is the rewriting.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.native.builds import module
from chocolatl.interpreter.native.builds.bounds_checks import guarded
from chocolatl.interpreter.native.builds.module import Module, MoreTexts, Recorded
from chocolatl.interpreter.native.builds.resumable import RESUMABLE
from chocolatl.interpreter.native.emit.context import Build
from chocolatl.interpreter.native.runtime.support import meanings


def whole_games(
    game: ir.GameRules, features: str, closely: bool = False, watched: bool = False, inspected: bool = False,
    without: Iterable[str] = (),
) -> Module:  # fmt: skip
    recorded: Recorded = {}
    made = module.whole_games(game, features, closely, watched, inspected, without, recorded)
    return with_checks(made, recorded)


def stepwise(
    program: LoweredGame, features: str, closely: bool = False, inspected: bool = False, without: Iterable[str] = (),
    more: MoreTexts | None = None, build: Build = RESUMABLE,
) -> Module:  # fmt: skip
    recorded: Recorded = {}
    made = module.stepwise(program, features, closely, inspected, without, recorded, more, build)
    return with_checks(made, recorded)


def with_checks(made: Module, recorded: Recorded) -> Module:
    """The same code with checks."""
    text, checks = guarded(made.text, {**meanings(made.memory.streams), **recorded})
    return replace(made, text=text, checks=checks)
