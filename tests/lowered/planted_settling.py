"""Errors in what the translation settles by constants and by ranges, each with a statement that shows it.

A statement is written over constants and narrow ranges, and once more over wide ones: `{3}` is the number 3, or a field
that holds it. So an error that every back end has shows as a difference between the two.
"""

from __future__ import annotations

import re
from types import ModuleType

from chocolatl.interpreter.ir import operations, ranges, sizes
from chocolatl.interpreter.ir.operations import AggregateKind, ArithmeticOperator, complete
from chocolatl.interpreter.translate import access, changes, domains, expressions, scope, space, statements
from tests.lowered.planting import Mutant

NARROW = {
    "nil": "0..3 = 0", "other": "0..3 = 2", "top": "1..3 = 3", "three": "3..5 = 3", "four": "3..5 = 4",
    "five": "1..5 = 5", "twelve": "0..12 = 12", "minus": "-3..0 = -3", "around": "-2..2 = 1", "below": "-3..-2 = -3",
    "nine": "0..9 = 9", "high": "10..12 = 12", "once": "0..3 = 1",
}  # fmt: skip
"""Fields by their ranges and what they hold. In the other way to write it they are all from -99 to 99."""

NUMBERS = {f"k{number}": f"-99..99 = {number}" for number in (*range(10), 20)}
OTHERS = {"kyes": "yes/no = yes", "kno": "yes/no = no", "kred": "colour = red", "ktan": "colour = tan"}

RULES = """
enum colour = red, tan, sky
enum lonely = alone
cyclic enum side = north, east, south, west

grid cell (x : 1..3, y : 1..3) by side
    north : (x, y - 1)
    east  : (x + 1, y)
    south : (x, y + 1)
    west  : (x - 1, y)

item red_ones
item other_ones

table has
{fields}
    found     : -999..999
    begun     : -999..999 = {start}
    maybe     : 1..9 or none
    marks[colour] : 0..9 = 4
    dice      : set of 1..6
    few       : set of 1..6 up to 3

each player has
    score     : 0..99
    coins     : 0..99

ranking rich of p in player
    highest p.coins when {1} > {0}
    then lowest p.score when {0} > {1}

value kept(n : 0..9) = n
value always(n : 1..9) = 4
value price = twelve
modifier rise changes price by 3 while {1} < {2}
modifier fall changes price by 5 while {1} > {2}

play
    {statement}

procedure paid
    for each p in player
        p gains 5 score for red
        found becomes found * 10 + p.coins
"""
TABLES = """
tables:
  pay: {value: [3, 5, 7]}
  gap: {value: [1, null, 3]}
  both: {index: [1..2, 1..3], value: [[1, 2, 3], [4, 5, 6]]}
  by_colour: {index: colour, value: {red: 4, tan: 5, sky: 6}}
parameters:
  fee: {value: 2, min: 0, max: 9, about: A fee.}
  mode: {value: quick, options: [quick, slow], about: How it is played.}
  no_limit: {value: null, options: [null, 5], about: A limit.}
"""


def rules(statement: str, settled: bool, start: str = "0") -> str:
    """The rules with a statement, in one of the two ways to write it, and with a start value."""
    named = {name: type_ if settled else re.sub(r"\S+ =", "-99..99 =", type_) for name, type_ in NARROW.items()}
    lines = "\n".join(f"    {name} : {type_}" for name, type_ in (named | NUMBERS | OTHERS).items())
    text = RULES.replace("{fields}", lines).replace("{statement}", statement).replace("{start}", start)
    return re.sub(r"\{(\w+)\}", r"\1" if settled else r"k\1", text)


# fmt: off
EXPRESSIONS = (
    Mutant("ExpressionTranslator.arithmetic", "operator.apply(left.value, right.value)",
           "operator.apply(right.value, left.value)",
           "found becomes {7} - {2}"),
    Mutant("ExpressionTranslator.arithmetic", "(left.type.low, left.type.high), (right.type.low, right.type.high)",
           "(right.type.low, right.type.high), (left.type.low, left.type.high)",
           "found becomes kept(nil - three)"),
    Mutant("ExpressionTranslator.arithmetic", "right.type.low == right.type.high == 0", "False",
           "found becomes {6} / {0}"),
    Mutant("ExpressionTranslator.comparison", "if any(missing) and is_equality(operator)", "if False",
           "found becomes 1 if gap[{2}] is {0} else 0"),
    Mutant("ExpressionTranslator.comparison", "int(all(missing) ==", "int(any(missing) ==",
           "found becomes 1 if gap[{2}] is {0} else 0"),
    Mutant("ExpressionTranslator.comparison", "operator.apply(left.value, right.value)",
           "operator.apply(right.value, left.value)",
           "found becomes 1 if {2} < {3} else 0"),
    Mutant("ExpressionTranslator.comparison", "int(decided)", "int(not decided)",
           "found becomes 1 if other < {9} else 0"),
    Mutant("ExpressionTranslator.comparison", " or self.can_fail(left, right)", "",
           "found becomes 1 if {6} / nil < {9} else 0"),
    Mutant("ExpressionTranslator.logic", "!= deciding(operator)", "== deciding(operator)",
           "found becomes 1 if {no} or other > {1} else 0"),
    Mutant("ExpressionTranslator.logic", "replace(other, span=span)", "replace(side, span=span)",
           "found becomes 1 if other > {2} and {yes} else 0"),
    Mutant("ExpressionTranslator.logic", "side is left or not self.can_fail(left)", "True",
           "found becomes 1 if {6} / nil > {2} and {no} else 0"),
    Mutant("ExpressionTranslator.negation", "1 - operand.value", "operand.value",
           "found becomes 1 if not {yes} else 0"),
    Mutant("ExpressionTranslator.conditional", "then if condition.value else otherwise",
           "otherwise if condition.value else then",
           "found becomes 5 if {yes} else 6"),
    Mutant("ExpressionTranslator.call", " and not self.can_fail(call)", "",
           "found becomes always({6} / nil)"),
    Mutant("ExpressionTranslator.call", "declared.body.type, declared.body.value)", "declared.body.type, 5)",
           "found becomes always(top)"),
    Mutant("ExpressionTranslator.modified", "amount if condition.value else nothing",
           "nothing if condition.value else amount",
           "found becomes price"),
    Mutant("ExpressionTranslator.reference", "local.type.low)", "local.type.low + 1)",
           "found becomes number of each in lonely where each is alone"),
    Mutant("ExpressionTranslator.translate", ".indices[0].size", ".indices[0].size - 1",
           "found becomes size of pay"),
)

DECIDING = (
    Mutant("deciding", "AND:\n            return False", "AND:\n            return True",
           "found becomes 1 if {no} and other > {1} else 0"),
    Mutant("deciding", "OR:\n            return True", "OR:\n            return False",
           "found becomes 1 if {yes} or other > {2} else 0"),
)

CONSTANTS = (
    Mutant("_Evaluator.typed", "node.word == \"yes\"", "node.word == \"no\"", "1 if yes else 2"),
    Mutant("_Evaluator.typed", "node.then if self.truth(node.condition) else node.otherwise",
           "node.otherwise if self.truth(node.condition) else node.then", "1 if 3 > 2 else 2"),
    Mutant("_Evaluator.typed", "reduce(CALLS[node.name.text].apply, map(self.number, node.arguments))",
           "self.number(node.arguments[0])", "min(7, 2)"),
    Mutant("_Evaluator.typed", "indices[0].size, NUMBER", "indices[0].size + 1, NUMBER", "size of pay"),
    Mutant("_Evaluator.named", "return self.program.seats, NUMBER", "return 3, NUMBER", "player_count"),
    Mutant("_Evaluator.named", "return constant.value, constant", "return constant.value + 1, constant", "fee"),
    Mutant("_Evaluator.unary", "-self.number(node.operand)", "self.number(node.operand)", "-5"),
    Mutant("_Evaluator.unary", "int(not self.truth(node.operand))", "self.truth(node.operand)",
           "1 if not 3 > 2 else 2"),
    Mutant("_Evaluator.binary", "left & right", "left | right", "1 if 3 > 2 and 2 > 3 else 2"),
    Mutant("_Evaluator.binary", "left | right", "left & right", "1 if 3 > 2 or 2 > 3 else 2"),
    Mutant("_Evaluator.binary", "operator in DIVIDING and right == 0", "False", "1 / 0"),
    Mutant("_Evaluator.binary", "return operator.apply(left, right), NUMBER", "return left, NUMBER", "7 - 2"),
    Mutant("_Evaluator.binary", "operator is ComparisonOperator.EQUAL)", "operator is ComparisonOperator.UNEQUAL)",
           "1 if 3 is 3 else 2"),
    Mutant("_Evaluator.binary", "int(operator.apply(left, right)), TRUTH", "1, TRUTH", "1 if 3 < 2 else 2"),
    Mutant("_Evaluator.option", "constant.value == constant.type.none\n", "constant.value != constant.type.none\n",
           "1 if no_limit is none else 2"),
    Mutant("_Evaluator.option", "return names[constant.value] == wanted", "return names[constant.value] != wanted",
           "1 if mode is quick else 2"),
    Mutant("_Evaluator.table", "position * index.size", "position * (index.size - 1)", "both[2, 1]"),
    Mutant("_Evaluator.table", " - index.low", "", "pay[1]"),
    Mutant("_Evaluator.element", "return domain.labels.index(node.name)", "return 0", "by_colour[tan]"),
)
"""Formulas of start values and of the ends of ranges, beside the same ones in a statement."""

RANGES = (
    Mutant("total", "a[1] + b[1]", "a[1] + b[0]", "found becomes kept(nine + other)"),
    Mutant("total", "a[0] + b[0]", "a[0] + b[1]", "found becomes kept(minus + nil)"),
    Mutant("difference", "a[0] - b[1]", "a[0] - b[0]", "found becomes kept(nil - other)"),
    Mutant("difference", "a[1] - b[0]", "a[1] - b[1]", "found becomes kept(high - nil)"),
    Mutant("product", "[x * y for x in a for y in b]", "[x * y for x, y in zip(a, b)]",
           "found becomes kept(minus * other)"),
    Mutant("minimum", "min(a[0], b[0])", "max(a[0], b[0])", "found becomes kept(min(minus, other))"),
    Mutant("maximum", "max(a[1], b[1])", "min(a[1], b[1])", "found becomes kept(max(twelve, other))"),
    Mutant("quotient", "(*b, -1, 1)", "b", "found becomes kept(twelve / once)"),
    Mutant("quotient", "d != 0 and ", "", "found becomes twelve / nil"),
    Mutant("quotient", "(min(corners), max(corners))", "(min(corners), min(corners))",
           "found becomes kept(twelve / top)\n    found becomes kept(twelve / around)"),
    Mutant("remainder", "min(0, b[0] + 1)", "0", "found becomes kept(other mod below)"),
    Mutant("remainder", "max(0, b[1] - 1)", "0", "found becomes kept(minus mod {20})"),
    Mutant("remainder", "a[0] >= 0 and ", "", "found becomes kept(minus mod {20})"),
    Mutant("count", "return 0, most", "return 0, most - 1", "found becomes kept(number of n in {0}..{9})"),
    Mutant("sums", "max(0, body[1] * most)", "max(0, body[1])", "found becomes kept(sum of five for n in {1}..{3})"),
    Mutant("sums", "min(0, body[0] * most)", "0", "found becomes kept(sum of minus for n in {1}..{3})"),
    Mutant("same", "return body", "return body[0], body[0]", "found becomes kept(highest twelve for n in {1}..{3})"),
    Mutant("equal", "a[1] < b[0]", "a[1] <= b[0]", "found becomes 1 if top is three else 0"),
    Mutant("equal", "b[1] < a[0]", "b[1] <= a[0]", "found becomes 1 if three is top else 0"),
    Mutant("unequal", "a[1] < b[0]", "a[1] <= b[0]", "found becomes 1 if top is not three else 0"),
    Mutant("unequal", "b[1] < a[0]", "b[1] <= a[0]", "found becomes 1 if three is not top else 0"),
    Mutant("less", "a[1] < b[0]", "a[1] <= b[0]", "found becomes 1 if top < three else 0"),
    Mutant("less", "a[0] >= b[1]", "a[1] >= b[0]", "found becomes 1 if top < four else 0"),
    Mutant("at_most", "a[1] < b[0]", "a[0] < b[0]", "found becomes 1 if five <= three else 0"),
    Mutant("at_most", "a[0] > b[1]", "a[0] >= b[1]", "found becomes 1 if three <= top else 0"),
    Mutant("more", "less(b, a)", "less(a, b)", "found becomes 1 if {9} > top else 0"),
    Mutant("at_least", "at_most(b, a)", "at_most(a, b)", "found becomes 1 if {9} >= top else 0"),
)

SIZES = (
    Mutant("reckoned", "domain.low.type.low + 1", "domain.low.type.low", "found becomes kept(number of n in {0}..{9})"),
    Mutant("reckoned", "domain.type.size", "1", "found becomes kept(sum of five for c in colour)"),
    Mutant("reckoned", "len(domain.items)", "1", "found becomes kept(sum of five for n in [{1}, {2}])"),
    Mutant("reckoned", "most_held(ir.set_type(domain.zone), total)", "1",
           "add 5 to few\n    add 5 to few\n    found becomes kept(sum of n for n in few)"),
    Mutant("reckoned", "reckoned_order(domain.order, total, ranked)", "1",
           "found becomes kept(sum of five for p in rich)"),
    Mutant("most_held", "type_.most if type_.most is not None else", "1 if type_.most is not None else",
           "add 5 to few\n    add 5 to few\n    found becomes kept(sum of n for n in few)"),
    Mutant("most_held", "total(type_.element.family)", "1",
           "add 5 to dice\n    add 5 to dice\n    found becomes kept(sum of n for n in dice)"),
    Mutant("reckoned_order", "return order.local.type.most", "return 1",
           "contest rich as order\n        first p\n            found becomes kept(sum of five for q in order)"),
    Mutant("reckoned_order", "reckoned(domain, total, ranked) if domain is not None else 0", "1",
           "found becomes kept(sum of five for p in rich)"),
)

ELSEWHERE = {
    access: (
        Mutant("AccessTranslator.entry", "position * bound.size", "position * (bound.size - 1)",
               "found becomes both[{2}, {1}]"),
        Mutant("AccessTranslator.entry", "exact = type_.family == NUMBER and not type_.optional",
               "exact = type_.family == NUMBER",
               "found becomes 1 if gap[{2}] is none else 0"),
        Mutant("AccessTranslator.attribute", "domain.split(subject.value)[position]",
               "domain.split(subject.value)[1 - position]",
               "found becomes cell({1}, {3}).x"),
    ),
    space: (
        Mutant("SpaceTranslator.joined", "domain.join(values)", "domain.join(values[::-1])",
               "found becomes cell({1}, {3}).x"),
    ),
    scope: (
        Mutant("Scoped.with_none", "return self.required(found)", "return found",
               "found becomes gap[{2}]"),
        Mutant("Scoped.with_none", "type_.none if found.value == found.type.none else found.value", "type_.none",
               "maybe becomes gap[{3}]\n    found becomes 1 if maybe is none else 0"),
    ),
    statements: (
        Mutant("StatementTranslator.branch", "then if translated.value else result",
               "result if translated.value else then",
               "if {yes}\n        found becomes 1"),
        Mutant("StatementTranslator.limit", "return value.value", "return value.value - 1",
               "repeat until found is 2, at most 2 times\n        found becomes found + 1"),
        Mutant("StatementTranslator.backwards", "return bool(condition.value)", "return not condition.value",
               "for each n in 1..3 backwards when 1 > 2\n        found becomes found * 10 + n"),
    ),
    domains: (
        Mutant("DomainTranslator.ranked", "not when.value", "when.value",
               "for each p in player\n        p.coins becomes found\n        found becomes found + 1\n"
               "    for each p in rich\n        found becomes found * 10 + p.coins"),
    ),
    changes: (
        Mutant("ChangeTranslator.gains", "limit = None  # a", "limit = self.number_constant(node.span, 0)  # a",
               "for each p in player\n        p gains 5 coins, at most no_limit\n        found becomes p.coins"),
        Mutant("ChangeTranslator.item", "domain.labels[found.value]", "domain.labels[found.value - 1]",
               "do paid"),
    ),
}
# fmt: on

PLANTED: dict[ModuleType, tuple[Mutant, ...]] = {
    expressions: EXPRESSIONS, operations: DECIDING, ranges: RANGES, sizes: SIZES, **ELSEWHERE,
}  # fmt: skip

HARMLESS = {
    "ranges.remainder: b == (0, 0):": "refused before (E502)",
    "ranges.truth": "a condition is yes or no, whatever it says",
    "sizes.total_of": "how much room back ends make: they check it themselves",
    "sizes.most_of_set": "how much room back ends make: they check it themselves",
    "sizes.most_elements": "how much room back ends make: they check it themselves",
    "context.Context.condition": "what `check` warns of",
    "failing.Failures.of_itself": "settles nothing, and has mutants of its own",
    "printer.show": "settles nothing",
    "secrecy.InformationFlow.label": "settles nothing",
    "secrecy.InformationFlow.who": "settles nothing",
    "secret_blocks._SealedCheck.is_own": "settles nothing",
}
"""Rules in which nothing can be planted that would show, and why."""

ARITHMETIC = complete(
    ArithmeticOperator,
    {
        ArithmeticOperator.ADD: ("{7} + {2}", "kept(nine + other)"),
        ArithmeticOperator.SUBTRACT: ("{7} - {2}", "kept(nil - other)"),
        ArithmeticOperator.MULTIPLY: ("{7} * {2}", "kept(twelve * three)"),
        ArithmeticOperator.DIVIDE: ("{7} / {2}", "kept(twelve / once)"),
        ArithmeticOperator.MODULO: ("{7} mod {2}", "kept(minus mod {20})"),
        ArithmeticOperator.MINIMUM: ("min({7}, {2})", "kept(min(minus, other))"),
        ArithmeticOperator.MAXIMUM: ("max({7}, {2})", "kept(max(twelve, other))"),
    },
    __name__,
)
"""What shows an error in the constants, and in the range, of an operator."""

AGGREGATES = complete(
    AggregateKind,
    {
        AggregateKind.SOME: None,  # a condition is yes or no
        AggregateKind.EVERY: None,
        AggregateKind.NUMBER: "kept(number of n in {0}..{9})",
        AggregateKind.SUM: "kept(sum of five for n in {1}..{3})",
        AggregateKind.HIGHEST: "kept(highest twelve for n in {1}..{3})",
        AggregateKind.LOWEST: "kept(lowest twelve for n in {1}..{3})",
    },
    __name__,
)
"""What shows an error in the range of a formula over elements."""
