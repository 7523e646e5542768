"""Errors in the rules of folding, each with words of the rules that show it: what is plausible for every function and
branch of `chocolatl.interpreter.lowered.fold`, and of `chocolatl.interpreter.ir.failing`, on which it relies.
"""

from __future__ import annotations

from chocolatl.interpreter.ir import failing
from chocolatl.interpreter.lowered import fold
from tests.lowered.planting import Mutant

RULES = """
enum colour = red, green, blue
enum way = east, west

grid cell (x : 1..2, y : 1..2) by way
    east : (x + 1, y)
    west : (x - 1, y)

table has
    number        : 0..9 = 3
    zero          : 0..9
    minus         : -9..0
    found         : -99..99
    maybe         : 0..9 or none
    holder        : player or nobody
    board[1..3]   : 0..9 = 4
    marks[colour] : 0..9 = 5
    square[1..3, 1..3] : 0..9 = 1
    spot          : cell = cell(2, 2)
    dice          : set of 1..6
    deck          : set of card = every card

each player has
    score : -99..99
    coins : 0..9 = 2
    hand  : set of card = every card

ranking richest(least : 0..9) of p in player where p.coins >= least, strict
    highest p.coins
    then lowest p.score

value same(n : 0..9) = n
value twice(n : 0..9) = n + n
value difference(a : 0..9, b : 0..9) = a - b
value half(n : 0..9) = 6 / n
value careless(n : 1..9) = number
value either(a : 1..9 or none, b : 0..9) = a is b
value deeper(n : 0..9) = half(n) + 1
value chained(n : 0..9) = twice(n) + number

play
    square[1, 2] becomes 2
    square[2, 1] becomes 3
    marks[green] becomes 6
    add 4 to dice
    roll die from 1..6
    {}
"""
TABLES = """
tables:
  pay: {value: [3, 5, 7]}
  gap: {value: [1, null, 3]}
  both: {index: [1..2, 1..3], value: [[1, 2, 3], [4, 5, 6]]}
"""

SOME = "found becomes 1 if some n in 1..3 has number is n + 2 or {} else 0"
"""The first element decides; one after it fails, which must not get lost."""

# fmt: off
FOLDING = (
    # what stands for what
    Mutant("Folder.fold", "not bound and ", "",
           "found becomes chained(number) + twice(number)"),
    Mutant("Folder.fold", "self.meant[id(result)] = self.written(e)", "self.meant[id(result)] = result",
           "for each k in 3..4\n        found becomes board[same(k) + 0]"),
    Mutant("Folder.fold", "result = replace(result)  # it", "pass  # it",
           "found becomes sum of board[n] + board[n] for n in 1..4"),
    Mutant("Folder.written", "self.meant.get(id(e), e)", "e",
           "for each k in 3..4\n        found becomes board[same(k) + 0]"),
    # each kind of expression
    Mutant("Folder._fold", "case ir.Constant():\n                return e",
           "case ir.Constant():\n                return replace(e, value=e.value + 1)",
           "found becomes number + 1"),
    Mutant("Folder._fold", "bound.get(e.local.number, e)", "e",
           "found becomes twice(2)"),
    Mutant("Folder._fold", "self.written_out(e, bound) or self.parts(e, bound)", "self.written_out(e, bound) or e",
           "found becomes sum of (sum of n * m for m in 1..number) for n in 1..3"),
    Mutant("Folder._fold", "_arithmetic(self.parts(e, bound))", "_arithmetic(e)",
           "found becomes sum of n * number for n in 1..3"),
    Mutant("Folder._fold", "_comparison(self.parts(e, bound))", "_comparison(e)",
           "found becomes sum of number for n in 1..3 where n < number"),
    Mutant("Folder._fold", "_logic(self.parts(e, bound))", "_logic(e)",
           "found becomes sum of number for n in 1..3 where n < number or n is 3"),
    Mutant("Folder._fold", "_negation(self.parts(e, bound))", "_negation(e)",
           "found becomes sum of number for n in 1..3 where not n < number"),
    Mutant("Folder._fold", "_conditional(self.parts(e, bound))", "_conditional(e)",
           "found becomes sum of (n if number > n else 0) for n in 1..3"),
    Mutant("Folder._fold", "_required(self.parts(e, bound))", "_required(e)",
           "found becomes sum of gap[n] for n in 1..3 where n is not 2"),
    Mutant("Folder._fold", "_entry(self.parts(e, bound))", "_entry(e)",
           "found becomes sum of pay[n] for n in 1..3"),
    Mutant("Folder._fold", "self.in_place(self.parts(e, bound))", "self.in_place(e)",
           "found becomes sum of twice(n + zero) for n in 1..3"),
    Mutant("Folder._fold", "ir.Narrowed():\n                return self.parts(e, bound)",
           "ir.Narrowed():\n                return e",
           "found becomes sum of board[n] for n in 1..3"),
    Mutant("Folder._fold", "ir.RankOf():\n                return self.parts(e, bound)",
           "ir.RankOf():\n                return e",
           "found becomes number of n in 1..3 where n in dice"),
    # the parts of a node
    Mutant("Folder.parts", "changes[name] = after", "changes[name] = before",
           "found becomes sum of n * number for n in 1..3"),
    Mutant("Folder.parts", "replace(node, **changes) if changes else node", "node",
           "found becomes sum of n * number for n in 1..3"),
    Mutant("Folder.part", "return self.fold(value, bound)", "return self.fold(value)",
           "found becomes sum of n * number for n in 1..3"),
    Mutant("Folder.part", "self.part(item, bound) for item", "self.part(item, {}) for item",
           "found becomes sum of board[n] for n in 1..3"),
    Mutant("Folder.part", "items if any(", "items if all(",
           "found becomes sum of square[n, number] for n in 1..3"),
    Mutant("Folder.part", "in HOLDING", "in HOLDING - {ir.FieldZone}",
           "found becomes sum of size of p.hand for p in player"),
    Mutant("Folder.part", "in HOLDING", "in HOLDING - {ir.Ranked}",
           "found becomes number of n in 3..4 where rank of holder in richest(n) is 1"),
    Mutant("Folder.part", "in HOLDING", "in HOLDING - {ir.Numbers}",
           "found becomes sum of (sum of m for m in 1..n * number) for n in 1..2"),
    Mutant("Folder.part", "in HOLDING", "in HOLDING - {ir.ZoneElements}",
           "found becomes sum of (sum of c.value for c in p.hand) for p in player"),
    Mutant("Folder.part", "in HOLDING", "in HOLDING - {ir.Listing}",
           "found becomes sum of (sum of m for m in [n, n * number]) for n in 1..2"),
    Mutant("Folder.part", "in HOLDING", "in HOLDING - {ir.OrderElements}",
           "found becomes sum of (number of p in richest(n)) for n in 1..3"),
    # values in the place of their calls
    Mutant("Folder.in_place", "not isinstance(argument, (ir.Constant, ir.Read)) or ", "",
           "found becomes careless(1 + 6 / zero)"),
    Mutant("Folder.in_place", " or not parameter.type.holds(argument.type)", "",
           "found becomes sum of careless(n) for n in 0..3"),
    Mutant("Folder.in_place", "in zip(value.parameters, e.arguments, strict=True)}",
           "in zip(value.parameters, e.arguments[::-1], strict=True)}",
           "found becomes difference(5, die)"),
    # formulas that are written out
    Mutant("Folder.written_out", "not elements or self.tries <= 0", "self.tries <= 0",
           "found becomes sum of n for n in 1..number"),
    Mutant("Folder.written_out", "self.fold(e.where, inner) if e.where is not None else None", "None",
           "found becomes sum of n for n in 1..3 where n is not die"),
    Mutant("Folder.written_out", "_constant(e, number(1, 1), 1)", "_constant(e, number(2, 2), 2)",
           "found becomes number of n in 1..3 where n is not die"),
    Mutant("Folder.written_out", "length > SHORT:\n                return None",
           "length > SHORT:\n                continue",
           "found becomes highest n for n in 1..3 where n < number"),
    Mutant("Folder.written_out", "sign, result, term))\n            else", "sign, term, term))\n            else",
           "found becomes 1 if every n in 1..3 has number is not n else 0"),
    Mutant("Folder.written_out", "e.type, sign, result, term", "e.type, sign, term, term",
           "found becomes sum of board[n] * n for n in 1..2"),
    Mutant("Folder.term", " and not self.failures.can_fail(body)", "",
           "found becomes 1 if some n in 0..3 has 3 - n > 2 or half(3 - n) > 9 else 0"),
    Mutant("Folder.term", "where is None:\n                    return body", "True:\n                    return body",
           "found becomes number of n in 1..3 where n is not die"),
    Mutant("Folder.term", "_constant(e, number(0, 0), 0)", "_constant(e, number(1, 1), 1)",
           "found becomes number of n in 1..3 where n is not die"),
    Mutant("Folder.term", "HIGHEST | AggregateKind.LOWEST:\n                return body if where is None else None",
           "HIGHEST | AggregateKind.LOWEST:\n                return body",
           "found becomes highest n for n in 1..3 where n < number"),
    Mutant("_between", "LogicOperator.OR", "LogicOperator.AND",
           "found becomes 1 if some n in 1..3 has n is number else 0"),
    Mutant("_between", "LogicOperator.AND", "LogicOperator.OR",
           "found becomes 1 if every n in 1..3 has n is number else 0"),
    Mutant("_between", "ArithmeticOperator.ADD", "ArithmeticOperator.MULTIPLY",
           "found becomes sum of n + number for n in 1..3"),
    Mutant("_between", "ArithmeticOperator.MAXIMUM", "ArithmeticOperator.MINIMUM",
           "found becomes highest board[n] + n for n in 1..3"),
    Mutant("_between", "ArithmeticOperator.MINIMUM", "ArithmeticOperator.ADD",
           "found becomes lowest board[n] + n for n in 1..3"),
    Mutant("known_elements", "low, high = type_.low, type_.high", "low, high = type_.low, type_.high - 1",
           "found becomes sum of marks[c] for c in colour"),
    Mutant("known_elements", "first.value, last.value", "first.value + 1, last.value",
           "found becomes sum of board[n] for n in 1..3"),
    Mutant("known_elements", "range(low, high + 1)", "range(low, high)",
           "found becomes sum of board[n] for n in 1..3"),
    # constants
    Mutant("_constant", "type_ if type_.optional else replace(type_, low=value, high=value)",
           "replace(type_, low=value, high=value)",
           "found becomes number of n in 1..3 where gap[n] is 0"),
    Mutant("_constant", "ir.Constant(e.span, exact, value)", "ir.Constant(e.span, exact, value + 1)",
           "found becomes sum of n * n for n in 1..3"),
    Mutant("_truth", "int(value)", "int(not value)",
           "found becomes sum of number for n in 1..3 where n > 1"),
    Mutant("_arithmetic", "e.operator.apply(left.value, right.value)", "e.operator.apply(right.value, left.value)",
           "found becomes sum of 9 - n for n in 1..3"),
    Mutant("_arithmetic", "e.operator not in DIVIDING or right.value", "True",
           "found becomes sum of 6 / n for n in 0..3"),
    Mutant("_arithmetic", "left.value == before:\n        return right", "left.value == before:\n        return left",
           "found becomes sum of (n - 1) + number for n in 1..3"),
    Mutant("_arithmetic", "right.value == after:\n        return left", "right.value == after:\n        return right",
           "found becomes sum of number + (n - 1) for n in 1..3"),
    Mutant("_neutral", "return 0, 0", "return 1, 0",
           "found becomes sum of n + number for n in 0..2"),
    Mutant("_neutral", "return 0, 0", "return 0, 1",
           "found becomes sum of number + n for n in 0..2"),
    Mutant("_neutral", "return None, 0", "return 0, 0",
           "found becomes sum of n - number for n in 0..2"),
    Mutant("_neutral", "return None, 0", "return None, 1",
           "found becomes sum of number - n for n in 0..2"),
    Mutant("_neutral", "return 1, 1", "return 0, 1",
           "found becomes sum of n * number for n in 0..2"),
    Mutant("_neutral", "return 1, 1", "return 1, 0",
           "found becomes sum of number * n for n in 0..2"),
    Mutant("_neutral", "return None, 1", "return 1, 1",
           "found becomes sum of n / number for n in 0..2"),
    Mutant("_neutral", "return None, 1", "return None, 2",
           "found becomes sum of number / n for n in 1..2"),
    Mutant("_neutral", "return None, None", "return 0, None",
           "found becomes sum of min(n, number) for n in 0..2"),
    Mutant("_neutral", "return None, None", "return None, 0",
           "found becomes sum of min(number, n) for n in 0..2"),
    Mutant("_neutral", "return None, None", "return 0, None",
           "found becomes sum of max(n, 0 - number) for n in 0..2"),
    Mutant("_neutral", "return None, None", "return None, 1",
           "found becomes sum of number mod n for n in 1..2"),
    # conditions
    Mutant("_comparison", "e.operator.apply(left.value, right.value)", "e.operator.apply(right.value, left.value)",
           "found becomes sum of number for n in 1..3 where n > 1"),
    Mutant("_comparison", "not left.type.optional and ", "",
           "found becomes 1 if either(none, 0) else 0"),
    Mutant("_comparison", " and not right.type.optional", "",
           "found becomes number of n in 0..3 where n is gap[2]"),
    Mutant("_logic", "_truth(e, decides) if", "_truth(e, not decides) if",
           "found becomes sum of number for n in 1..3 where n > 1 and number > n"),
    Mutant("_logic", "== decides else e.right", "!= decides else e.right",
           "found becomes sum of number for n in 1..3 where n > 1 or number > n"),
    Mutant("_logic", "bool(e.right.value) != decides:\n        return e.left", "True:\n        return e.left",
           "found becomes sum of number for n in 1..3 where number > 2 and n > 1"),
    Mutant("_logic", "bool(e.right.value) != decides:\n        return e.left", "True:\n        return e.right",
           "found becomes sum of number for n in 1..3 where number > 4 and n > 1"),
    Mutant("_logic", "!= decides:\n        return e.left", "== decides:\n        return e.right",
           "found becomes sum of number for n in 1..3 where 6 / zero > 1 and twice(n) > 9"),
    Mutant("_negation", "not e.operand.value", "e.operand.value",
           "found becomes sum of number for n in 1..3 where not n > 1"),
    Mutant("_conditional", "e.then if e.condition.value else e.otherwise",
           "e.otherwise if e.condition.value else e.then",
           "found becomes sum of (number if n > 1 else zero) for n in 1..3"),
    Mutant("_conditional", "if not isinstance(e.condition, ir.Constant):\n        return e",
           "if not isinstance(e.condition, ir.Constant):\n        return e.then",
           "found becomes number if number > 4 else zero"),
    Mutant("_required", " and e.operand.value != e.operand.type.none", "",
           "found becomes sum of gap[n] for n in 1..3"),
    Mutant("_required", "_constant(e, e.type, e.operand.value)", "_constant(e, e.type, e.operand.value - 1)",
           "found becomes sum of gap[n] for n in 1..3 where n is not 2"),
    Mutant("_entry", "position = position * bound.size", "position = position * (bound.size - 1)",
           "found becomes sum of both[n, 2] for n in 1..2"),
    Mutant("_entry", " - bound.low", "",
           "found becomes sum of both[n, 2] for n in 1..2"),
    Mutant("_entry", " or not bound.low <= index.value <= bound.high", "",
           "found becomes sum of pay[n] for n in 0..3"),
)

FAILING = (
    Mutant("Failures.can_fail", "any([", "all([",
           SOME.format("6 / zero > n")),
    Mutant("Failures.of_itself", "ir.Required() | ir.Narrowed():\n                return True",
           "ir.Required() | ir.Narrowed():\n                return False",
           SOME.format("maybe > n")),
    Mutant("Failures.of_itself", "return True  # a ranking", "return False  # a ranking",
           SOME.format("(first of richest(n)).coins > 5")),
    Mutant("Failures.of_itself", "return _operator_fails(part)", "return False",
           SOME.format("6 / zero > n")),
    Mutant("Failures.of_itself", "return _aggregate_fails(part.kind)", "return False",
           SOME.format("(highest m for m in 1..zero) > n")),
    Mutant("Failures.of_itself", "not _within(part.indices, part.bounds)", "False",
           SOME.format("pay[number + n] > 9")),
    Mutant("Failures.of_itself", "not _within(part.parts, part.bounds)", "False",
           SOME.format("cell(number, 1) is spot")),
    Mutant("Failures.of_itself", "return not owner or not", "return not",
           SOME.format("holder.coins > n")),
    Mutant("Failures.of_itself", "return not owner or not _within(part.indices, part.field.indices)",
           "return not owner",
           SOME.format("board[number + n] > 9")),
    Mutant("Failures.of_itself", "return not ir.set_type(part.zone).element.holds(part.element.type)", "return False",
           SOME.format("number + n + 1 in dice")),
    Mutant("Failures.of_itself", "self.arguments_fail(part.name, part.arguments) or ", "",
           SOME.format("careless(zero) > n + 9")),
    Mutant("Failures.of_itself", " or self.value_fails(part.name)", "",
           SOME.format("half(zero) > n")),
    Mutant("Failures.arguments_fail", "return value is not None and not _within",
           "return value is not None and _within",
           SOME.format("careless(zero) > n + 9")),
    Mutant("Failures.arguments_fail", "[p.type for p in value.parameters if isinstance(p.type, Scalar)]",
           "[a.type for a in given]",
           SOME.format("careless(zero) > n + 9")),
    Mutant("Failures.value_fails", "known[now] = any(", "known[now] = all(",
           SOME.format("half(zero) > n")),
    Mutant("Failures.value_fails", "waiting = [other for other in waiting if other not in known]",
           "known[name] = False",
           SOME.format("deeper(zero) > n")),
    Mutant("_within", "all([", "not given or any([",
           SOME.format("square[n, number + n] > 9")),
    Mutant("_operator_fails", "low <= 0 <=", "low < 0 <=",
           SOME.format("6 / zero > n")),
    Mutant("_operator_fails", "<= 0 <= e", "<= 0 < e",
           SOME.format("6 / minus > n")),
    Mutant("_aggregate_fails", "return True  # how", "return False  # how",
           SOME.format("(highest m for m in 1..zero) > n")),
)
# fmt: on

LESS = "a limit, or a doubt: less is folded"
BEGINS = "what it begins with"
HARMLESS = {
    fold: {
        "Folder.__init__": BEGINS,
        "Folder.in_place: self.depth > DEEP or self.tries <= 0:": LESS,
        "Folder.in_place: body if _length(body) <= SHORT else e": LESS,
        "Folder.written_out: _length(term) if term is not None else 0": LESS,
        "Folder.written_out: sign is LogicOperator.AND": "the order of terms that cannot fail",
        "_length": LESS,
        "known_elements: _:": LESS,
        "known_elements: high - low >= FEW:": LESS,
    },
    failing: {
        "Failures.__init__": BEGINS,
        "Failures.of_itself: ir.Constant() | ir.Read() | ir.Part() | ir.Comparison() | ir.Logic() | ir.Not() | "
        "ir.Conditional():": LESS,
        "Failures.of_itself: ir.ZoneSize() | ir.Numbers() | ir.ZoneElements() | ir.Listing():": LESS,
        "Failures.of_itself: ir.LocalZone() | ir.HeldOrder() | ir.Prompt():": LESS,
        "Failures.of_itself: ir.Whole():": "only loops begin at a seat, and they are no part of formulas",
        "Failures.value_fails: inside(value.body) if value is not None else []": "rules with a finding are not played",
        "_operator_fails: ArithmeticOperator.ADD | ArithmeticOperator.SUBTRACT | ArithmeticOperator.MULTIPLY:": LESS,
        "_operator_fails: ArithmeticOperator.MINIMUM | ArithmeticOperator.MAXIMUM:": LESS,
        "_aggregate_fails: AggregateKind.SOME | AggregateKind.EVERY | AggregateKind.NUMBER | AggregateKind.SUM:": LESS,
    },
}
"""Where nothing can be planted that would show, and why."""

PLANTED = {fold: FOLDING, failing: FAILING}
