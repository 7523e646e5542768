"""What has no form in a model, and why: a closed list of reasons, and the operations that each is about (the coverage
table of a back end).

A message names one of the reasons and the line of the rule. Of every operation of the IR it is told whether it has a
form in a model wherever it stands, or for which reasons it may have none; an operation that is not listed is noticed
when this module is loaded. docs/solver.md shows the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import (
    AggregateKind,
    ArithmeticOperator,
    ComparisonOperator,
    ElementsKind,
    ExpressionKind,
    LogicOperator,
    Operation,
    SetChange,
    Sharing,
    StatementKind,
    complete,
    complete_nodes,
)
from chocolatl.interpreter.source import Span


class ModelGap(Enum):
    """Why a rule has no form in a model: what is told, with a gap, and what is behind it."""

    def __init__(self, message: str, behind: str) -> None:
        self.message = message
        self.behind = behind

    # fmt: off
    LIMITED_SET = ("a set of values with a limit has no form in a model",
                   "such a set lists its values, in no order, and has no counts")
    LOCAL_SET = "a set in a local has no form in a model", "the counts of a set are kept by field"
    DECK_ORDER = "an order in a deck has no form in a model", "a set is how many of each kind lie in it"
    WHICH_SET = ("which set is meant is decided by the answer",
                 "every set that may be meant would have to be kept in every way it may be")
    DIVISOR = ("a division by 0, or by something that has too many values",
               "a division is linear for each divisor that the answer may decide, and these are more than 200")
    MANY_VALUES = "this has too many values to tell them apart", "an index needs a literal for each value"
    MANY_ANSWERS = "there are too many answers to tell them apart", "so does an answer"
    NO_ENTRY = ("there is no such entry",
                "the interpreter would stop here, too, or this never happens and bounds do not tell")
    NO_ELEMENT = "there is nothing to find the {} of", "the same"
    NO_HOLDER = "nobody has this place", "the same"
    NO_ANSWER = "there is nothing to choose from, or to draw", "the same"
    WHAT_IS_RANKED = ("what is ranked is decided by the answer",
                      "each ranking that may be meant would have to be made; a contest does it")
    TWICE_IN_CONTEST = ("a contest in which somebody takes part twice has no form in a model",
                        "who wins it wins it as often as they take part")
    WHO_BEGINS = ("who begins is decided by the answer",
                  "the turns of all who may begin would have to be run side by side")
    WHOSE_TURN = "whose turn it is is decided by the answer", "the same"
    LAST_TURN = "when the turns end is decided by the answer", "the same"
    HOW_MANY = ("how many are chosen is decided by the answer",
                "another player's answer is found by its number among all legal ones, for each number of pieces; these "
                "are more than 64")
    THEIR_CHOICE = ("what another player can choose is decided by the answer",
                    "their number among all legal answers has to be known")
    ORDER_OF_ANSWERS = ("the order of what there is to choose or roll is decided by the answer",
                        "the number of an answer counts through them in that order")
    OUTCOMES = "what chance can bring is decided by the answer", "the same, for chance"
    HOW_OFTEN = "how often chance is asked is decided by the answer", "the same"
    DRAWN = ("what can be drawn is decided by the answer",
             "a draw needs to tell apart how many pieces there may be, and there are more than 64 ways")
    WHOSE_CHANCE = ("whose chance it is is decided by the answer",
                    "the number drawn in advance belongs to somebody")
    NEXT_QUESTION = ("where the next round first asks is decided by the answer",
                     "what happens before that belongs to this round, and only some ways would end there")
    ROUNDS_AGAIN = ("rounds are counted anew before the horizon",
                    "a round is over where another number is counted, and the same one may come back")
    ASKED_AGAIN = ("whether the player is asked again is decided by the answer",
                   "a later secret block is sought only where it surely comes")
    LATER_BLOCKS = ("the player decides {} more before the horizon, knowing more by then",
                    "a tree of nested samples has two levels")
    TOO_DEEP = ("what comes of this depends on too much before it",
                "a value is worked out from all that it depends on, and that chain is longer than the stack is deep")
    # fmt: on


class Unsupported(Exception):
    """Something in the rules that no model can be made of."""

    def __init__(self, span: Span, reason: ModelGap, *gaps: str) -> None:
        self.span = span
        self.reason = reason
        self.message = reason.message.format(*gaps)
        super().__init__(f"{span}: {self.message}")


# ---------------------------------------------------------------- by operation

Gaps = tuple[ModelGap, ...]
"""For which reasons an operation may have no form in a model."""

MODELLED: Gaps = ()
"""It has one wherever it stands, whatever the answer decides."""

_MANY, _NONE, _SET, _NEXT = ModelGap.MANY_VALUES, ModelGap.NO_ENTRY, ModelGap.WHICH_SET, ModelGap.NEXT_QUESTION

EXPRESSIONS: Mapping[ExpressionKind, Gaps] = complete(
    ExpressionKind,
    {
        ExpressionKind.CONSTANT: MODELLED,
        ExpressionKind.READ: MODELLED,
        ExpressionKind.LOAD: (_MANY, _NONE),
        ExpressionKind.LOOKUP: (_MANY, _NONE),
        ExpressionKind.JOINED: (_MANY, _NONE),
        ExpressionKind.PART: MODELLED,
        ExpressionKind.ARITHMETIC: MODELLED,
        ExpressionKind.COMPARISON: MODELLED,
        ExpressionKind.LOGIC: MODELLED,
        ExpressionKind.NOT: MODELLED,
        ExpressionKind.CONDITIONAL: MODELLED,
        ExpressionKind.REQUIRED: MODELLED,
        ExpressionKind.NARROWED: MODELLED,
        ExpressionKind.AGGREGATE: MODELLED,
        ExpressionKind.ZONE_SIZE: MODELLED,
        ExpressionKind.ZONE_COUNT: (_MANY, _NONE),
        ExpressionKind.CALL_VALUE: MODELLED,
        ExpressionKind.PLACE_OF: (ModelGap.NO_HOLDER,),
        ExpressionKind.RANK_OF: (_MANY,),
    },
    __name__,
)

ARITHMETIC: Mapping[ArithmeticOperator, Gaps] = complete(
    ArithmeticOperator,
    {
        ArithmeticOperator.ADD: MODELLED,
        ArithmeticOperator.SUBTRACT: MODELLED,
        ArithmeticOperator.MULTIPLY: MODELLED,
        ArithmeticOperator.DIVIDE: (ModelGap.DIVISOR,),
        ArithmeticOperator.MODULO: (ModelGap.DIVISOR,),
        ArithmeticOperator.MINIMUM: MODELLED,
        ArithmeticOperator.MAXIMUM: MODELLED,
    },
    __name__,
)

COMPARISONS: Mapping[ComparisonOperator, Gaps] = complete(
    ComparisonOperator,
    {
        ComparisonOperator.EQUAL: MODELLED,
        ComparisonOperator.UNEQUAL: MODELLED,
        ComparisonOperator.LESS: MODELLED,
        ComparisonOperator.AT_MOST: MODELLED,
        ComparisonOperator.MORE: MODELLED,
        ComparisonOperator.AT_LEAST: MODELLED,
    },
    __name__,
)

LOGIC: Mapping[LogicOperator, Gaps] = complete(
    LogicOperator, {LogicOperator.AND: MODELLED, LogicOperator.OR: MODELLED}, __name__
)

AGGREGATES: Mapping[AggregateKind, Gaps] = complete(
    AggregateKind,
    {
        AggregateKind.SOME: MODELLED,
        AggregateKind.EVERY: MODELLED,
        AggregateKind.NUMBER: MODELLED,
        AggregateKind.SUM: MODELLED,
        AggregateKind.HIGHEST: (ModelGap.NO_ELEMENT,),
        AggregateKind.LOWEST: (ModelGap.NO_ELEMENT,),
    },
    __name__,
)

ELEMENTS: Mapping[ElementsKind, Gaps] = complete(
    ElementsKind,
    {
        ElementsKind.NUMBERS: MODELLED,
        ElementsKind.WHOLE: (ModelGap.WHO_BEGINS,),
        ElementsKind.ZONE_ELEMENTS: MODELLED,
        ElementsKind.LISTING: (_MANY,),
        ElementsKind.ORDER_ELEMENTS: MODELLED,
    },
    __name__,
)

CHANGES: Mapping[SetChange, Gaps] = complete(
    SetChange,
    {SetChange.ADD: (_SET, _MANY), SetChange.REMOVE: (_SET, _MANY), SetChange.CLEAR: (_SET,)},
    __name__,
)

SHARING: Mapping[Sharing, Gaps] = complete(
    Sharing, {Sharing.ANYBODY: MODELLED, Sharing.ALONE: MODELLED, Sharing.SHARED: MODELLED}, __name__
)

STATEMENTS: Mapping[StatementKind, Gaps] = complete(
    StatementKind,
    {
        StatementKind.SET_LOCAL: MODELLED,
        StatementKind.STORE: MODELLED,
        StatementKind.COPY_ZONE: (_SET,),
        StatementKind.CHANGE_SET: MODELLED,
        StatementKind.AWARD: MODELLED,
        StatementKind.MOVE_ELEMENT: (_SET, ModelGap.DECK_ORDER),
        StatementKind.MOVE_ALL: (_SET,),
        StatementKind.IF: (_NEXT,),
        StatementKind.FOR_EACH: (ModelGap.ROUNDS_AGAIN,),
        StatementKind.IN_TURN: (ModelGap.WHO_BEGINS, ModelGap.WHOSE_TURN, ModelGap.LAST_TURN),
        StatementKind.REPEAT: MODELLED,
        StatementKind.STOP: MODELLED,
        StatementKind.CALL: MODELLED,
        StatementKind.SECRETLY: (_NEXT,),
        StatementKind.CHOOSE: (
            ModelGap.MANY_ANSWERS, ModelGap.NO_ANSWER, ModelGap.ORDER_OF_ANSWERS, ModelGap.ASKED_AGAIN, _NEXT,
        ),
        StatementKind.CHOOSE_SET: (
            _SET, ModelGap.NO_ANSWER, ModelGap.THEIR_CHOICE, ModelGap.HOW_MANY, ModelGap.ASKED_AGAIN, _NEXT,
        ),
        StatementKind.ROLL: (
            _SET, ModelGap.LOCAL_SET, ModelGap.NO_ANSWER, ModelGap.ORDER_OF_ANSWERS, ModelGap.OUTCOMES,
            ModelGap.HOW_OFTEN, ModelGap.WHOSE_CHANCE, _NEXT,
        ),
        StatementKind.DRAW: (_SET, ModelGap.NO_ANSWER, ModelGap.DRAWN, ModelGap.WHOSE_CHANCE, _NEXT),
        StatementKind.CONTEST: (ModelGap.TWICE_IN_CONTEST,),
    },
    __name__,
)  # fmt: skip

SETS: Mapping[type, Gaps] = complete_nodes(
    ir.Zone, {ir.FieldZone: (ModelGap.LIMITED_SET, _MANY, _NONE), ir.LocalZone: (ModelGap.LOCAL_SET,)}, __name__
)

ORDERS: Mapping[type, Gaps] = complete_nodes(
    ir.OrderSource,
    {ir.Ranked: (ModelGap.WHAT_IS_RANKED, _MANY), ir.HeldOrder: MODELLED},
    __name__,
)

NOT_AT_ALL: frozenset[Operation | type] = frozenset([ir.LocalZone])
"""What has no form in a model anywhere, for the reasons that are listed."""

OF_NO_OPERATION: Gaps = (ModelGap.LATER_BLOCKS, ModelGap.TOO_DEEP)
"""What the rules as a whole have no model for."""

TABLES: tuple[Mapping[Any, Gaps], ...] = (
    EXPRESSIONS, ARITHMETIC, COMPARISONS, LOGIC, AGGREGATES, ELEMENTS, SETS, ORDERS, STATEMENTS, CHANGES, SHARING,
)  # fmt: skip

GAPS: dict[Operation | type, Gaps] = {each: gaps for table in TABLES for each, gaps in table.items()}
"""All operations, and for which reasons one may have no form in a model."""
