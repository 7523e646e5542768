"""The two builds of native code with every access to memory checked
(`chocolatl.interpreter.native.builds.bounds_checks` is the rewriting)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.native.builds import module
from chocolatl.interpreter.native.builds.bounds_checks import guarded
from chocolatl.interpreter.native.builds.module import Module
from chocolatl.interpreter.native.builds.stops import StopEmitter
from chocolatl.interpreter.native.builds.whole_games import WholeGameEmitter
from chocolatl.interpreter.native.emit.support import meanings
from chocolatl.interpreter.native.llvm.regions import Meant
from chocolatl.interpreter.native.llvm.text import Function


class Recorded:
    """Goes before an emitter: what the addresses in all of its functions are meant for is kept."""

    def __setattr__(self, name: str, value: object) -> None:
        if isinstance(value, Function):
            value.exact = True
            self.__dict__.setdefault("recorded", {})[value.name] = value.meant
        super().__setattr__(name, value)


class GuardedGames(Recorded, WholeGameEmitter):
    recorded: dict[str, Mapping[str, Meant]]


class GuardedStops(Recorded, StopEmitter):
    recorded: dict[str, Mapping[str, Meant]]


def whole_games(
    game: ir.GameRules, features: str, closely: bool = False, watched: bool = False, inspected: bool = False
) -> Module:
    emitters: list[GuardedGames] = []

    def make(*given: Any) -> GuardedGames:
        emitters.append(GuardedGames(*given))
        return emitters[-1]

    made = module.whole_games(game, features, closely, watched, inspected, make)
    return _checked(made, emitters[0].recorded)


def stepwise(program: LoweredGame, features: str, closely: bool = False, inspected: bool = False) -> Module:
    emitters: list[GuardedStops] = []

    def make(*given: Any) -> GuardedStops:
        emitters.append(GuardedStops(*given))
        return emitters[-1]

    made = module.stepwise(program, features, closely, inspected, make)
    return _checked(made, emitters[0].recorded)


def _checked(made: Module, recorded: Mapping[str, Mapping[str, Meant]]) -> Module:
    """The same code with checks."""
    text, checks = guarded(made.text, {**meanings(made.memory.streams), **recorded})
    return replace(made, text=text, checks=checks)
