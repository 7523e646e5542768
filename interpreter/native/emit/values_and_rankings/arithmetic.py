"""Numbers and conditions: floor division, comparison, short-circuit evaluation, branches turned into selections
(if-conversion) where that is cheaper than to guess wrong."""

from __future__ import annotations

from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ArithmeticOperator, deciding, tells_apart
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.native.emit.checks import add_site, can_fail, value_or_failure
from chocolatl.interpreter.native.emit.context import EmitContext
from chocolatl.interpreter.native.emit.kinds import is_simple
from chocolatl.interpreter.native.emit.passes import Pass
from chocolatl.interpreter.native.emit.values_and_rankings.expressions import emit, emit_condition
from chocolatl.interpreter.native.emit.values_and_rankings.zones import emptiness_test
from chocolatl.interpreter.native.llvm.instructions import JOINING, PREDICATES
from chocolatl.interpreter.native.llvm.text import constant
from chocolatl.interpreter.program.types import Scalar

CHEAP = 12
"""An expression of so many simple parts is computed whether or not it is needed, if it cannot fail."""


def emit_conditional(context: EmitContext, e: ir.Conditional) -> str:
    f = context.f
    condition = emit_condition(context, e.condition)
    if condition in ("true", "false"):
        return emit(context, e.then if condition == "true" else e.otherwise)
    if is_cheap(context, e.then) and is_cheap(context, e.otherwise):
        return f.select(condition, emit(context, e.then), emit(context, e.otherwise))
    then, otherwise, after = f.block(), f.block(), f.block()
    f.branch(condition, then, otherwise)
    ways = []
    for block, part in ((then, e.then), (otherwise, e.otherwise)):
        f.begin(block)
        value = emit(context, part)
        ways.append(f"[{value}, %{f.current}]")
        f.goto(after)
    f.begin(after)
    return f.op(f"phi i64 {', '.join(ways)}")


def emit_not(context: EmitContext, e: ir.Not) -> str:
    inner = emit_condition(context, e.operand)
    if inner in ("true", "false"):
        return "false" if inner == "true" else "true"
    return context.f.op(f"xor i1 {inner}, true")


def emit_logic(context: EmitContext, e: ir.Logic) -> str:
    left = emit_condition(context, e.left)
    decided = "true" if deciding(e.operator) else "false"
    if left in ("true", "false"):
        return left if left == decided else emit_condition(context, e.right)
    return short_circuit(context, left, e, decided)


def short_circuit(context: EmitContext, left: str, e: ir.Logic, decided: str) -> str:
    """The right side of a condition, unless the left one has decided it."""
    f = context.f
    if is_cheap(context, e.right):
        right = emit_condition(context, e.right)
        if right in ("true", "false"):
            return right if right == decided else left
        return f.op(f"{JOINING[e.operator]} i1 {left}, {right}")
    right, after = f.block(), f.block()
    before = f.current
    f.branch(left, *((right, after) if decided == "false" else (after, right)))
    f.begin(right)
    found = emit_condition(context, e.right)
    end = f.current
    f.goto(after)
    f.begin(after)
    return f.op(f"phi i1 [{decided}, %{before}], [{found}, %{end}]")


def emit_comparison(context: EmitContext, e: ir.Comparison) -> str:
    f, empty = context.f, emptiness_test(context, e)
    if empty is not None:
        return empty
    a, b = e.left.type, e.right.type
    # The none of one side may be a number of the other.
    optional, other = (e.left, e.right) if a.optional else (e.right, e.left)
    none = optional.type.none
    if a.optional != b.optional and isinstance(other, ir.Constant) and other.value == none:
        return f.compare(PREDICATES[e.operator], emit(context, optional), str(none - 1))  # which it never is
    left, right = emit(context, e.left), emit(context, e.right)
    found = f.compare(PREDICATES[e.operator], left, right)
    if a.optional == b.optional:
        return found
    held = left if a.optional else right
    if not isinstance(other, ir.Constant) and other.type.low <= none <= other.type.high:
        absent = f.compare("eq", held, str(none))
        if tells_apart(e.operator):
            return f.op(f"or i1 {absent}, {found}")
        present = f.op(f"xor i1 {absent}, true")
        return f.op(f"and i1 {present}, {found}")
    return found


def emit_arithmetic(context: EmitContext, e: ir.Arithmetic) -> str:
    f = context.f
    left, right = emit(context, e.left), emit(context, e.right)
    match e.operator:
        case ArithmeticOperator.ADD:
            return f.add(left, right)
        case ArithmeticOperator.SUBTRACT:
            return f.sub(left, right)
        case ArithmeticOperator.MULTIPLY:
            return f.mul(left, right)
        case ArithmeticOperator.MINIMUM:
            return f.minimum(left, right)
        case ArithmeticOperator.MAXIMUM:
            return f.maximum(left, right)
        case ArithmeticOperator.DIVIDE:
            return floor_division(context, True, left, checked_divisor(context, e, right), e.left.type, e.right.type)
        case ArithmeticOperator.MODULO:
            return floor_division(context, False, left, checked_divisor(context, e, right), e.left.type, e.right.type)
        case _:
            assert_never(e.operator)


def checked_divisor(context: EmitContext, e: ir.Arithmetic, right: str) -> str:
    """The right side of a division, which must not be 0."""
    if not context.failures.of_itself(e):
        return right
    site = add_site(context, e.span, "this divides by zero")
    return value_or_failure(context, context.f.compare("ne", right, "0"), right, 1, site)


HALF = Pass(
    "narrow division", "Both sides of a division have ranges of 32 bits: it is done with half a word, which is faster."
)


@HALF.function
def is_half(context: EmitContext, a: Scalar, b: Scalar) -> bool:
    return all(-(2**31) < bound < 2**31 for bound in (a.low, a.high, b.low, b.high))


def floor_division(context: EmitContext, quotient: bool, left: str, right: str, a: Scalar, b: Scalar) -> str:
    """Rounded down, or what is left then; of few bits where the ranges allow it, which is faster."""
    f = context.f
    width = 32 if is_half(context, a, b) else 64
    if width == 32:
        left, right = (v if constant(v) is not None else f.op(f"trunc i64 {v} to i32") for v in (left, right))
    word = f"i{width}"
    if a.low >= 0 and b.low >= 0:
        found = f.op(f"{'udiv' if quotient else 'urem'} {word} {left}, {right}")
    else:
        q, r = f.op(f"sdiv {word} {left}, {right}"), f.op(f"srem {word} {left}, {right}")
        rest = f.op(f"icmp ne {word} {r}, 0")
        signs = f.op(f"icmp slt {word} {f.op(f'xor {word} {r}, {right}')}, 0")
        less = f.op(f"and i1 {rest}, {signs}")
        if quotient:
            found = f.op(f"sub {word} {q}, {f.op(f'zext i1 {less} to {word}')}")
        else:
            found = f.op(f"add {word} {r}, {f.op(f'select i1 {less}, {word} {right}, {word} 0')}")
    return found if width == 64 else f.op(f"sext i32 {found} to i64")


SELECTION = Pass(
    "if-conversion",
    f"At most {CHEAP} simple parts, none of which can fail: computed in vain rather than branched around.",
)


@SELECTION.function
def is_cheap(context: EmitContext, e: ir.Expression) -> bool:
    """Whether it costs less to compute an expression in vain than to guess wrong whether it is needed."""
    parts = inside(context.fold(e))
    return all(map(is_simple, parts)) and len(parts) <= CHEAP and not can_fail(context, e)
