"""What a player may hold that could be worth something, read off the declarations of the rules (candidate features).

Each is a formula of the rule language about the player `p`, as a person would write it into a valuation. What holds
nothing between two rounds, or is always as much for everybody, is left to whoever fits: it cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import NUMBER, PLAYER, TRUTH, Multiset, Scalar

LONGEST = 12
"""A field with a longer index says where things lie, and not what somebody has."""


def holdings(game: ir.GameRules) -> dict[str, str]:
    """Formulas by name: numbers, yes or no, sizes of sets and sums of what lies there, whose name a field holds."""
    return dict(each for field in game.fields if field.key != game.score.key for each in _of_field(game, field))


def _of_field(game: ir.GameRules, field: Field) -> Iterator[tuple[str, str]]:
    name = field.name
    if field.owner is None:
        if isinstance(field.type, Scalar) and field.type.required.family == PLAYER and not field.indices:
            yield f"is_{name}", f"1 if p is {name} else 0"
        return
    if field.owner != PLAYER or name == "breakdown" or len(field.indices) > 1:
        return
    held, over = f"p.{name}", ""
    if field.indices:
        index = field.indices[0]
        if index.size > LONGEST or index.optional:
            return
        held, over = (
            f"p.{name}[i]",
            f" for i in {f'{index.low}..{index.high}' if index.family == NUMBER else index.family}",
        )
    for suffix, what in _counted(game, field.type, held):
        yield name + suffix, f"sum of {what if what == held else f'({what})'}{over}" if over else what


def _counted(game: ir.GameRules, type_: Scalar | Multiset, held: str) -> Iterator[tuple[str, str]]:
    """What can be counted of a value or of a set, with what its name has behind that of the field."""
    if isinstance(type_, Scalar):
        if type_.family == NUMBER and not type_.optional:
            yield "", held
        elif type_.family == TRUTH and not type_.optional:
            yield "", f"1 if {held} else 0"
        return
    yield "", f"size of {held}"
    if type_.element.family == NUMBER:
        yield "_sum", f"sum of x for x in {held}"
        return
    domain = game.domains.get(type_.element.family)
    for name, attribute in domain.attributes.items() if domain is not None else ():
        if attribute.type.family == NUMBER and attribute.index is None and not attribute.type.optional:
            yield f"_{name}", f"sum of x.{name} for x in {held}"
