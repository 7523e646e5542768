"""Passes: ways to write shorter or faster code, each with a name, a sentence on when it applies, and a switch
(optimisation passes).

The functions of a pass give None where it does not apply, and all of them do so where it is switched off: then the code
is written in the general way, and games go the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from chocolatl.interpreter.native.emit.context import EmitContext

Given = ParamSpec("Given")
Found = TypeVar("Found")


class Pass:
    """A pass; its functions are those that are decorated with `function`."""

    def __init__(self, name: str, applies: str) -> None:
        self.name = name
        self.applies = applies
        self.functions: list[Callable[..., Any]] = []

    def function(
        self, function: Callable[Concatenate[EmitContext, Given], Found]
    ) -> Callable[Concatenate[EmitContext, Given], Found | None]:
        """A function that is called only where the pass is switched on."""

        @wraps(function)
        def switched(context: EmitContext, /, *given: Given.args, **named: Given.kwargs) -> Found | None:
            return None if self.name in context.off else function(context, *given, **named)

        self.functions.append(switched)
        return switched


def applied(context: EmitContext, node: object) -> Any:
    """What the first pass that applies makes of a node; None where it has to be written in the general way."""
    for function in context.build.passes.get(node.__class__, ()):
        found = function(context, node)
        if found is not None:
            return found
    return None
