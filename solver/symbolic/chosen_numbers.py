"""Numbers that are sought: one integer variable for each, within its declared range and what the rules leave.

A number that is chosen from a range is a number in the model, too. A literal for one of its values is made where the
rules ask whether it is that value, or use it as an index (lazy reification). What is no range, or has a condition that
can only be told value by value, is left to literals.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.types import NUMBER, Scalar
from chocolatl.solver.model.constraints import LinearConstraint
from chocolatl.solver.model.linear import BooleanLiteral, SymbolicNumber, high, low
from chocolatl.solver.model.model import Model
from chocolatl.solver.symbolic.run import SymbolicRun
from chocolatl.solver.symbolic.unmodelled import ModelGap, Unsupported


def as_numbers(run: SymbolicRun, node: ir.Choose, only_if: tuple[BooleanLiteral, ...]) -> list[SymbolicNumber] | None:
    """A variable for each part of a choice, or a plain number where just one is left; None if it is no choice of
    numbers. What they keep to, they do if they are asked for."""
    if node.optional or not all(is_range(pick) for pick in node.picks):
        return None
    model, values = run.model, run.state.values
    rules = model.constraints.copy(), model.limited.copy()
    held = [values.get(-pick.local.number) for pick in node.picks]
    try:
        found = [one_of_range(run, node, pick, only_if) for pick in node.picks]
        meets = run.truth(node.where) if node.where is not None else True
        if meets is False:
            raise Unsupported(node.span, ModelGap.NO_ANSWER)
        model.require(meets, only_if)
    except Unsupported as error:
        if error.reason is ModelGap.NO_ANSWER:
            raise
        model.constraints[:], model.limited = rules
        return None
    finally:
        for pick, old in zip(node.picks, held, strict=True):
            if old is not None:
                values[-pick.local.number] = old
    return found


def is_range(pick: ir.PickOne) -> bool:
    """Whether a part of a choice is a number between two others. Other elements are told apart one by one."""
    type_ = pick.local.type
    if not isinstance(type_, Scalar) or type_.family != NUMBER or type_.optional:
        return False
    return isinstance(pick.domain, ir.Numbers) or (isinstance(pick.domain, ir.Whole) and pick.domain.start is None)


def one_of_range(
    run: SymbolicRun, node: ir.Choose, pick: ir.PickOne, only_if: tuple[BooleanLiteral, ...]
) -> SymbolicNumber:
    """A number between the ends of a range, both of which answers before it may decide. The local holds it."""
    model = run.model
    first, last = ends(run, pick.domain)
    lowest, highest = low(first), high(last)
    for type_ in (pick.local.type, pick.field.type if pick.field is not None else None):
        if isinstance(type_, Scalar):
            lowest, highest = max(lowest, type_.low), min(highest, type_.high)
    if lowest > highest:
        raise Unsupported(node.span, ModelGap.NO_ANSWER)
    number = model.integer(lowest, highest) if lowest < highest else lowest
    for beyond in (model.add(first, number, -1), model.add(number, last, -1)):
        if low(beyond) > 0:
            raise Unsupported(node.span, ModelGap.NO_ANSWER)
        limit(model, beyond, only_if)
    run.state.values[-pick.local.number] = number
    return number


def ends(run: SymbolicRun, domain: ir.Elements) -> tuple[SymbolicNumber, SymbolicNumber]:
    if isinstance(domain, ir.Numbers):
        return run.number(domain.low), run.number(domain.high)
    assert isinstance(domain, ir.Whole)
    return domain.type.low, domain.type.high


def limit(model: Model, a: SymbolicNumber, only_if: tuple[BooleanLiteral, ...] = ()) -> None:
    """Require that a is not positive, if literals hold. What a later limit implies is left out."""
    if isinstance(a, int):
        assert a <= 0, "a limit that nothing can keep"
        return
    if a.high <= 0:
        return
    terms, constant = a.key()
    new = LinearConstraint(terms, model.reach(terms)[0], -constant, only_if)
    if only_if:
        model.constraints.append(new)
        return
    key = terms[0][0], new.high
    position = model.limited.setdefault(key, len(model.constraints))
    if position < len(model.constraints):
        old = model.constraints[position]
        if isinstance(old, LinearConstraint) and _implies(model, terms, old.terms):
            model.constraints[position] = new
            return
        model.limited[key] = len(model.constraints)
    model.constraints.append(new)


def _implies(model: Model, stronger: tuple[tuple[int, int], ...], weaker: tuple[tuple[int, int], ...]) -> bool:
    """Whether one sum is at least another one, whatever the variables are."""
    rest = dict(stronger)
    for variable, coefficient in weaker:
        left = rest.pop(variable, 0) - coefficient
        if left < 0 or (left > 0 and model.bounds[variable][0] < 0):
            return False
    return all(coefficient > 0 and model.bounds[variable][0] >= 0 for variable, coefficient in rest.items())
