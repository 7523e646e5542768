"""What is said when a value turns out wrong while a game runs, as the text that the emitted code keeps for it."""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.model import Domain
from chocolatl.interpreter.program.types import NUMBER, Scalar, missing


def outside(e: ir.Expression, type_: Scalar, what: str, game: ir.GameRules) -> str:
    """A value that is not of the type that its place needs; `{}` stands for a number."""
    if type_.family == NUMBER:
        return f"{what} is {{}}, outside of {type_}"
    domain = game.domains.get(type_.family)
    found = e.operand if isinstance(e, ir.Required) else e
    if domain is not None and isinstance(found, ir.Lookup) and domain.neighbours and found.values == domain.neighbours:
        return f"there is no {domain.name} here: {_ends(domain)}"
    # An owner and an index are pointed at, so they need no other word.
    return f"{'this' if what == 'the index' else what} is {missing(type_.family)}, and {_a(type_.required)} is needed"


def outside_of_source(points: Scalar) -> str:
    """Points go up and down without end, so that a source pays or takes more than there is room for."""
    return f"what this has paid becomes {{}}, outside of {points}"


def absent(type_: Scalar, e: ir.Expression, game: ir.GameRules) -> str:
    """A value that is none where one is needed."""
    if type_.family == NUMBER:
        return "this is none, and a value is needed"
    return outside(e, type_, "this", game)


def narrowed(e: ir.Narrowed) -> str:
    """A value that is not among those that its place has a meaning for; `{}` stands for a number."""
    if e.type.family == NUMBER:
        return "a count cannot be less than 0, and this is {}"
    return "this is no player, and a player is needed"


def part(domain: Domain, name: str) -> str:
    """How a part of a cell or a pair is called."""
    return f"the `{name}` of {_a(domain.type)}"


def _ends(grid: Domain) -> str:
    corners = (", ".join(str(getattr(part, end)) for _, part in grid.parts) for end in ("low", "high"))
    return "the grid goes from ({}) to ({})".format(*corners)


def _a(type_: Scalar) -> str:
    return f"{'an' if str(type_)[0] in 'aeiou' else 'a'} {type_}"
