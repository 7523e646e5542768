"""What there is to do: every operation of the IR, declared once (the opcodes of a compiler).

A member says what the IR calls it, how many operands it has, what range its result has, when it fails and what it does.
Whoever gives operations a meaning (types, ranges, folding, the back ends, validation, printers, documentation) has a
`match` over them that ends in `assert_never`, or a table made by `complete`: so where the meaning of a new operation is
still missing, the type checker says so, or the module does when it is loaded.

Of this package it imports only what imports nothing else, so that the tree of the syntax can carry operations, too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from enum import Enum, StrEnum
from inspect import get_annotations
from typing import Any, Self, TypeVar, assert_never, get_args

from chocolatl.interpreter.ir import ranges
from chocolatl.interpreter.ir.ranges import Interval

ANY = -1
"""The arity of what has as many operands as are written."""

TRUTH = "yes or no"
"""The range of a condition."""

BY_ZERO = "the right side is 0"
"""How a division fails."""


class Operation(StrEnum):
    """A kind of operation. Its value is what the printed IR calls it."""

    arity: int
    """How many operands it has."""
    range: str
    """What range its result has, in words; empty if it has none."""
    fails: str
    """When it is a run-time error; empty if it always succeeds once its operands have a value."""
    sentence: str
    """What it does."""

    def __new__(cls, text: str, arity: int, range_: str, fails: str, sentence: str) -> Self:
        return cls.declared(text, arity, range_, fails, sentence)

    @classmethod
    def declared(cls, text: str, arity: int, range_: str, fails: str, sentence: str) -> Self:
        member = str.__new__(cls, text)
        member._value_ = text
        member.arity, member.range, member.fails, member.sentence = arity, range_, fails, sentence
        return member


# ---------------------------------------------------------------- operators

RangeRule = Callable[[Interval, Interval], Interval]
Applied = Callable[[int, int], int]


class ArithmeticOperator(Operation):
    """Two numbers make a third. `apply` is what it is of two constants, `interval` of any two within their ranges."""

    apply: Applied
    interval: RangeRule

    def __new__(cls, text: str, range_: str, fails: str, sentence: str, apply: Applied, interval: RangeRule) -> Self:
        member = cls.declared(text, 2, range_, fails, sentence)
        member.apply, member.interval = apply, interval
        return member

    # fmt: off
    ADD = "+", "the sums of the ends", "", "the sum of two numbers", operator.add, ranges.total
    SUBTRACT = ("-", "the differences of opposite ends", "", "the difference of two numbers",
                operator.sub, ranges.difference)
    MULTIPLY = "*", "the extreme products of the ends", "", "the product of two numbers", operator.mul, ranges.product
    DIVIDE = ("/", "the extreme quotients of the ends", BY_ZERO,
              "the quotient of two numbers, rounded down", operator.floordiv, ranges.quotient)
    MODULO = ("mod", "from 0 to just before the right side", BY_ZERO,
              "what the division leaves, of the sign of the right side", operator.mod, ranges.remainder)
    MINIMUM = "min", "the smaller ends", "", "the smaller of two numbers", min, ranges.minimum
    MAXIMUM = "max", "the greater ends", "", "the greater of two numbers", max, ranges.maximum
    # fmt: on


DIVIDING = tuple(each for each in ArithmeticOperator if each.fails == BY_ZERO)
"""The operators whose right side must not be 0."""

ComparisonTest = Callable[[int, int], bool]
RangeVerdict = Callable[[Interval, Interval], bool | None]


class ComparisonOperator(Operation):
    """Two values of one type make a condition. `word` is what the rule file writes, `apply` what it is of two
    constants, `decided` what it is of any two within their ranges, if that is always the same."""

    word: str
    apply: ComparisonTest
    decided: RangeVerdict

    def __new__(cls, text: str, word: str, sentence: str, apply: ComparisonTest, decided: RangeVerdict) -> Self:
        member = cls.declared(text, 2, TRUTH, "", sentence)
        member.word, member.apply, member.decided = word, apply, decided
        return member

    EQUAL = "==", "is", "both sides are the same; none is the same as none", operator.eq, ranges.equal
    UNEQUAL = "!=", "is not", "the sides differ", operator.ne, ranges.unequal
    LESS = "<", "<", "the left number is smaller", operator.lt, ranges.less
    AT_MOST = "<=", "<=", "the left number is not greater", operator.le, ranges.at_most
    MORE = ">", ">", "the left number is greater", operator.gt, ranges.more
    AT_LEAST = ">=", ">=", "the left number is not smaller", operator.ge, ranges.at_least


def is_equality(operator: ComparisonOperator) -> bool:
    """Whether it compares also what has no order, and what may be none."""
    match operator:
        case ComparisonOperator.EQUAL | ComparisonOperator.UNEQUAL:
            return True
        case (
            ComparisonOperator.LESS | ComparisonOperator.AT_MOST | ComparisonOperator.MORE | ComparisonOperator.AT_LEAST
        ):
            return False
        case _:
            assert_never(operator)


def tells_apart(sign: ComparisonOperator) -> bool:
    """What a comparison says of none and a value, which have no order."""
    match sign:
        case ComparisonOperator.UNEQUAL:
            return True
        case ComparisonOperator.EQUAL:
            return False
        case ComparisonOperator.LESS | ComparisonOperator.AT_MOST:
            return False
        case ComparisonOperator.MORE | ComparisonOperator.AT_LEAST:
            return False
        case _:
            assert_never(sign)


class LogicOperator(Operation):
    """Two conditions make a third; the right one is not evaluated when the left one decides."""

    AND = "and", 2, TRUTH, "", "both hold"
    OR = "or", 2, TRUTH, "", "one of them holds, or both"


def deciding(logic: LogicOperator) -> bool:
    """What the left side is when the right one is not evaluated any more."""
    match logic:
        case LogicOperator.AND:
            return False
        case LogicOperator.OR:
            return True
        case _:
            assert_never(logic)


class UnaryOperator(Operation):
    """What the rule file writes before an operand. In the IR the negative of a number is its difference from 0."""

    NOT = "not", 1, TRUTH, "", "the condition does not hold"
    NEGATIVE = "-", 1, "the ends with the other sign, exchanged", "", "the number with the other sign"


class Membership(Operation):
    """What the rule file writes between an element and a set. In the IR it is whether there are copies of it."""

    IN = "in", 2, TRUTH, "", "there is such an element in the set"


BinaryOperator = ArithmeticOperator | ComparisonOperator | LogicOperator | Membership

# ---------------------------------------------------------------- over sets

Over = Callable[[Interval, int], Interval]


class AggregateKind(Operation):
    """A formula over the elements of a domain, copies counted. `interval` is its range, given that of its body and how
    many elements there are at most."""

    interval: Over

    def __new__(cls, text: str, arity: int, range_: str, fails: str, sentence: str, interval: Over) -> Self:
        member = cls.declared(text, arity, range_, fails, sentence)
        member.interval = interval
        return member

    # fmt: off
    SOME = "some", 1, TRUTH, "", "an element meets the condition", ranges.truth
    EVERY = "every", 1, TRUTH, "", "each element meets the condition", ranges.truth
    NUMBER = "number", 0, "from 0 to the most elements", "", "how many elements there are", ranges.count
    SUM = ("sum", 1, "0, and the ends of the term times the most elements", "",
           "the terms of all elements added up", ranges.sums)
    HIGHEST = "highest", 1, "that of the term", "there is no element", "the greatest term of an element", ranges.same
    LOWEST = "lowest", 1, "that of the term", "there is no element", "the smallest term of an element", ranges.same
    # fmt: on


class SetChange(Operation):
    """What happens to a set of plain values."""

    ADD = "add", 1, "", "the set is full, or no such element can lie in it", "the set gains the element"
    REMOVE = "remove", 1, "", "the element is not there", "the set loses the element once"
    CLEAR = "clear", 0, "", "", "the set loses all of its elements"


class Sharing(Operation):
    """For whom a clause of a contest is, of those who have its place."""

    ANYBODY = "", 0, TRUTH, "", "everybody who has the place"
    ALONE = "alone", 0, TRUTH, "", "whoever has the place, if nobody else has it"
    SHARED = "shared", 0, TRUTH, "", "everybody who has the place, if several have it"


# ---------------------------------------------------------------- nodes, called as their classes

CELL = "the owner or an index is outside of its range"
ZONE = "the owner or an index of the zone is outside of its range"
FULL = "there are more plain values than a zone can hold"
RANKING = "its ranking fails: a key does, or it is strict and two are equal"


# fmt: off
class ExpressionKind(Operation):
    """The kinds of expressions."""

    CONSTANT = "Constant", 0, "its value", "", "a number, member, yes/no or none"
    READ = "Read", 0, "that of the local", "", "a local"
    LOAD = "Load", ANY, "that of the field", CELL, "a cell of a scalar field: the owner and the indices say which"
    LOOKUP = ("Lookup", ANY, "that of the entries", "an index is outside of its range",
              "an entry of a constant table: of the data, an attribute of a component, the neighbour of a cell at a "
              "side, the opposite of a side, the face of a component after a turn")
    JOINED = ("Joined", ANY, "that of its domain", "a part is outside of its range",
              "a cell made of its coordinates, a pair made of its parts, each within its bound")
    PART = ("Part", 1, "the bound of the part", "",
            "one part of a joined value, by its position: a coordinate, `edge.side`")
    ARITHMETIC = "Arithmetic", 2, "by the operator", "by the operator", "two numbers make a third"
    COMPARISON = "Comparison", 2, TRUTH, "", "two values of one type are compared"
    LOGIC = "Logic", 2, TRUTH, "", "two conditions make a third; the right side is not evaluated when the left decides"
    NOT = "Not", 1, TRUTH, "", "the condition does not hold"
    CONDITIONAL = "Conditional", 3, "that of both values together", "", "one of two values"
    REQUIRED = "Required", 1, "that of the operand, without none", "it is none", "the value of an optional expression"
    NARROWED = ("Narrowed", 1, "the players, or 0 and more", "it is another owner, or below 0",
                "an owner that is a player, a number that is a count")
    AGGREGATE = "Aggregate", ANY, "by the kind", "by the kind", "a formula over elements, copies counted"
    ZONE_SIZE = "ZoneSize", 0, "from 0 to what the zone can hold", ZONE, "how many elements lie in a zone"
    ZONE_COUNT = ("ZoneCount", 1, "from 0 to what the zone can hold", f"no such element can lie in the zone, or {ZONE}",
                  "how many copies of an element lie in a zone, for `x in Z`")
    CALL_VALUE = ("CallValue", ANY, "that of its body", "an argument is outside of its range, or the body fails",
                  "a declared value")
    PLACE_OF = ("PlaceOf", 0, "that of the elements", f"there is not exactly one at the place, or {RANKING}",
                "the element at a place of an order")
    RANK_OF = "RankOf", 1, "from 0 to the most elements", RANKING, "the place of an element, 0 if it is not ranked"


class ElementsKind(Operation):
    """The kinds of what a loop, an aggregate, a choice or a roll runs through."""

    NUMBERS = "Numbers", 2, "between the ends of both", "", "numbers from low to high, both evaluated once"
    WHOLE = ("Whole", ANY, "the type", "the start is outside of its range",
             "every value of a type; players may start from a seat")
    ZONE_ELEMENTS = "ZoneElements", 0, "what can lie in the zone", ZONE, "the elements of a zone, each copy by itself"
    LISTING = "Listing", ANY, "that of all items together", "", "the values of some expressions"
    ORDER_ELEMENTS = "OrderElements", 0, "what is ranked", RANKING, "the elements of an order, best first"


class StatementKind(Operation):
    """The kinds of statements, those of zones and of chance among them."""

    SET_LOCAL = "SetLocal", 1, "", "the value is outside of the range of the local", "a local gets a value"
    STORE = "Store", 1, "", f"the value is outside of the range of the cell, or {CELL}", "a cell gets a value"
    COPY_ZONE = ("CopyZone", 0, "", f"{FULL}, or {ZONE}",
                 "a set that holds no components, such as rolled dice, is kept in a field")
    CHANGE_SET = ("ChangeSet", ANY, "", f"by the change, or {ZONE}",
                  "a set that holds no components gains a value or loses some")
    AWARD = ("Award", ANY, "", "the score, or what its item has paid, leaves its range, or there is no such player",
             "the score changes within optional limits, and the breakdown says what for")
    MOVE_ELEMENT = ("MoveElement", 1, "", f"it is not there, or {FULL}, or {ZONE}",
                    "an element changes its zone; `under` puts a component at the known bottom")
    MOVE_ALL = ("MoveAll", 0, "", f"{FULL}, or {ZONE}",
                "all elements of a zone move to another one")
    IF = "If", 1, "", "", "one of two blocks"
    FOR_EACH = ("ForEach", ANY, "", "",
                "a block for each element, fixed at entry, that meets the condition when it is reached")
    IN_TURN = ("InTurn", ANY, "", "the limit is passed, or it starts from nobody",
               "a block by seat, again and again, for whoever meets the condition at that moment; ends when nobody "
               "does")
    REPEAT = "Repeat", 1, "", "the limit is passed", "a block until a condition holds"
    STOP = "Stop", 1, "", "", "leaves the innermost loop when the condition holds"
    CALL = "Call", ANY, "", "an argument is outside of its range", "a procedure with values for its parameters"
    SECRETLY = ("Secretly", 0, "", "",
                "each player runs the body on a private copy; `writes` lists the own fields that its end joins")
    CHOOSE = ("Choose", ANY, "", "there is no legal answer, or its field cannot hold it, or nobody is to choose",
              "a player picks one element, or a joint choice of several, that meets a condition; the domain of a "
              "later pick may read the local of an earlier one")
    CHOOSE_SET = ("ChooseSet", ANY, "", f"there is no legal answer, or nobody is to choose, or {ZONE}",
                  "a player moves several elements from a zone to another; neither bound of how many is below 0")
    ROLL = ("Roll", ANY, "", f"there is nothing that it can be, or {CELL}",
            "chance picks elements with odds, so many as a count says that is not below 0")
    DRAW = ("Draw", ANY, "", f"there is nothing to draw, or {ZONE}",
            "chance moves one element of a zone, each copy equally likely")
    CONTEST = ("Contest", 0, "", RANKING,
               "an order of players is fixed; then a block for each place, in the order written")
# fmt: on


# ---------------------------------------------------------------- tables

WORDS: dict[str, BinaryOperator] = {
    **{each.value: each for each in ArithmeticOperator},
    **{each.word: each for each in ComparisonOperator},
    **{each.value: each for each in LogicOperator},
    **{each.value: each for each in Membership},
}
"""What the rule file writes between two operands."""

CALLS = {each.value: each for each in (ArithmeticOperator.MINIMUM, ArithmeticOperator.MAXIMUM)}
"""What it writes before them, in brackets."""

Kind = TypeVar("Kind", bound=Enum)
Meaning = TypeVar("Meaning")


def named(kinds: type[Kind], text: str) -> Kind:
    """The kind that is written so."""
    return {each.value: each for each in kinds}[text]


class Forgotten(Exception):
    """A module does not say what it has to say of an operation or a kind, and cannot be loaded: the file to touch."""

    def __init__(self, module: str, what: str) -> None:
        super().__init__(f"{module.removeprefix('chocolatl.').replace('.', '/')}.py: {what}")


def written_types(record: type) -> dict[str, str]:
    """The fields of a record, each with its type as it is written: those of its bases first."""
    own = [get_annotations(base) for base in reversed(record.__mro__)]
    return {name: written for annotations in own for name, written in annotations.items()}


def complete(kinds: type[Kind], table: Mapping[Kind, Meaning], module: str) -> Mapping[Kind, Meaning]:
    """A table that has an entry for each kind; else its module cannot be loaded, and the error names the file."""
    missing = [kind.name for kind in kinds if kind not in table]
    if missing:
        raise Forgotten(module, f"a table over {kinds.__name__} has no entry for {', '.join(missing)}")
    return table


def complete_nodes(union: Any, table: Mapping[type, Meaning], module: str) -> Mapping[type, Meaning]:
    """The same of a table by the classes of a closed list of nodes, such as all statements."""
    missing = [node.__name__ for node in get_args(union) if node not in table]
    if missing:
        raise Forgotten(module, f"a table over nodes has no entry for {', '.join(missing)}")
    return table
