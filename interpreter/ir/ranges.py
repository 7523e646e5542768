"""Interval arithmetic: the range of a result from the ranges of its operands."""

from __future__ import annotations

from interpreter.program.types import Scalar, number


def arithmetic(operator: str, a: Scalar, b: Scalar) -> Scalar:
    """The range of `a operator b`; a zero divisor is left out, since it is an error when it occurs."""
    match operator:
        case "+":
            return number(a.low + b.low, a.high + b.high)
        case "-":
            return number(a.low - b.high, a.high - b.low)
        case "*":
            corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return number(min(corners), max(corners))
        case "min":
            return number(min(a.low, b.low), min(a.high, b.high))
        case "max":
            return number(max(a.low, b.low), max(a.high, b.high))
    divisors = [d for d in (b.low, b.high, -1, 1) if d != 0 and b.low <= d <= b.high]
    if not divisors:
        return number(0, 0)
    if operator == "/":
        corners = [x // d for x in (a.low, a.high) for d in divisors]
        return number(min(corners), max(corners))
    low = min(0, b.low + 1)
    high = max(0, b.high - 1)
    if a.low >= 0 and b.low > 0:
        high = min(high, a.high)
    return number(low, high)


def compute(operator: str, a: int, b: int) -> int | None:
    """The result for two constants; None for a division by zero."""
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
    if b == 0:
        return None
    return a // b if operator == "/" else a % b


def compare(operator: str, a: int, b: int) -> bool:
    match operator:
        case "==":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
    return a >= b


def decided(operator: str, a: Scalar, b: Scalar) -> bool | None:
    """What a comparison yields whatever the values, when the ranges alone decide it."""
    (a_low, a_high), (b_low, b_high) = a.bounds, b.bounds
    match operator:
        case "==" if a_high < b_low or b_high < a_low:
            return False
        case "!=" if a_high < b_low or b_high < a_low:
            return True
        case "<" | "<=" if a_high < b_low:
            return True
        case ">" | ">=" if a_low > b_high:
            return True
        case "<" if a_low >= b_high:
            return False
        case ">" if a_high <= b_low:
            return False
        case "<=" if a_low > b_high:
            return False
        case ">=" if a_high < b_low:
            return False
    return None
