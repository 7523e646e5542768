"""Rules that have no model: for each reason the least that shows it, in every operation that may be refused for it.

`HERE` stands for each of the lines, and the message is about that line. The first thing that a player has to decide is
what the rest depends on.

    python -m tests.solver.unmodelled

writes the table of docs/solver.md anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from chocolatl.interpreter.ir.operations import Operation
from chocolatl.solver.symbolic.unmodelled import GAPS, ModelGap
from tests.conftest import ROOT

GAME = """\
item won "Won"

enum dish = soup, roast, cake
enum way = on, back

grid ring (n : 0..250) by way
    on   : (n + 1)
    back : (n - 1)

table has
    board        : set of card = every card
    spot[0..9]   : set of card
    dice         : set of dish
    plate[0..9]  : set of dish
    road[0..250] : set of dish
    far[0..250]  : 0..9 = 0
    many         : set of 0..250
    few          : set of 0..9 up to 3
    here         : ring
    leader       : player

each player has
    score : 0..9999 = 0
    bid   : 0..9 = 0
    rival : player
    hand  : set of card = every card
    pile  : set of card

value long(p : player) = 25 * p.bid

ranking numbers of n in 0..3
    lowest n

ranking above(least : 0..250) of q in player where q.score >= least
    highest max(q.bid, 7)

ranking twice of q in [leader, leader]
    q is leader

ranking nobodies of q in player where q.bid > 9
    highest q.bid

ranking cards of c in board, strict
    lowest c.value

"""

ASKED = """\
play
    for each p in player
        p chooses p.bid from 0..9
        for each q in player where p.bid > 6
            p.rival becomes q
        if p.bid > 4
            HERE
            p gains 1 score for won
        p gains (sum of c.value for c in p.pile) + (sum of c.value for c in spot[0]) score for won
        p gains size of dice + size of plate[0] + size of road[0] + size of many + far[0] + here.n score for won
"""

ANSWERED = """\
play
    for each p in player
        p chooses p.bid from 0..9
        for each q in player where q is not p and p.bid > 4
            HERE
            p gains size of q.pile score for won
"""
"""The decision of another player, or of chance."""

LEFT = """\
play
    leader chooses 1..90 from board into leader.pile as taken
    for each q in player where q is not leader
        HERE
        leader gains (sum of c.value for c in leader.pile) score for won
"""
"""What is left in a set depends on the answer."""

TURNS = """\
play
    for each p in player
        p chooses p.bid from 0..9
        for each q in player where p.bid > 6
            p.rival becomes q
        HERE
            for each r in player
                r gains 1 score for won
            stop when p.bid > 4
"""

AT_A_TURN = """\
play
    HERE
        p chooses p.bid from 0..9
        p gains 1 score for won
        stop when p.bid > 4
"""

CONTESTED = """\
play
    for each p in player
        p chooses p.bid from 0..9
        HERE
            first q
                q gains p.bid score for won
"""

NEXT = """\
play
    for each round in 1..2
        for each p in player where round > 1 and p.bid > 4
            HERE
        leader gains 1 score for won
        for each p in player
            p chooses p.bid from 0..9
            p gains p.bid score for won
"""
"""Whether the second round asks there depends on what the first one was answered."""

AGAIN = """\
procedure half
    HERE
        for each p in player
            p chooses p.bid from 0..9
            p gains p.bid score for won

play
    do half
    do half
"""

NEXT_BRANCH = """\
play
    for each round in 1..2
        HERE
            every player p secretly
                p chooses p.bid from 0..9
        leader gains 1 score for won
        leader chooses leader.bid from 0..9
"""

NEXT_BLOCK = """\
play
    for each round in 1..2
        for each q in player where round > 1 and leader.bid > 4
            HERE
                p chooses p.bid from 0..9
        leader gains 1 score for won
        leader chooses leader.bid from 0..9
"""

SECRET = """\
play
    every player p secretly
        p chooses p.bid from 0..9
        if p.bid > 4
            HERE
    for each p in player
        p gains p.bid + size of p.pile score for won
"""
"""Two decisions whose answers are sought together."""

SECOND = """\
play
    every player p secretly
        p chooses p.bid from 0..9
    if leader.bid < 5
        every player p secretly
            HERE
    for each p in player
        p gains p.bid + size of p.pile score for won
"""
"""A second secret block, if the first one is answered so."""

THIRD = """\
play
    every player p secretly
        p chooses p.bid from 0..9
    for each n in 1..2
        every player p secretly
            HERE
    for each p in player
        p gains p.bid score for won
"""

ROLLED = """\
play
    roll 2 rolled from dish
    for each p in player
        p chooses p.bid from 0..9
        HERE
"""

LINKS = 160
DEEP = (
    "value link1(p : player) = p.bid\n\n"
    + "".join(f"value link{n}(p : player) = max(link{n - 1}(p), {n} - p.bid)\n\n" for n in range(2, LINKS))
    + f"""\
HERE
    for each p in player
        p chooses p.bid from 0..9
        p gains link{LINKS - 1}(p) score for won
"""
)


@dataclass(frozen=True)
class Example:
    """Lines that have no model for a reason, each in the same rules."""

    reason: ModelGap
    lines: tuple[str, ...]
    rules: str = ASKED
    gap: str = ""


EXAMPLES = (
    Example(ModelGap.LIMITED_SET, ("add p.bid to few",)),
    Example(ModelGap.LOCAL_SET, ("roll 2 rolled from dish",)),
    Example(ModelGap.LOCAL_SET, ("p gains size of rolled score for won",), ROLLED),
    Example(ModelGap.DECK_ORDER, ("put last of cards from board under p.pile",)),
    Example(
        ModelGap.WHICH_SET,
        (
            "plate[p.bid] becomes dice",
            "add soup to plate[p.bid]",
            "remove soup from plate[p.bid]",
            "clear plate[p.bid]",
            "move last of cards from board to spot[p.bid]",
            "move all board to spot[p.bid]",
            "p chooses 1..2 from board into spot[p.bid] as moved",
            "roll 2 plate[p.bid] from dish",
            "draw drawn from board into spot[p.bid]",
        ),
    ),
    Example(ModelGap.DIVISOR, ("p gains 9 / (long(p) + 1) score for won", "p gains 9 mod (long(p) + 1) score for won")),
    Example(
        ModelGap.MANY_VALUES,
        (
            "p gains far[long(p)] score for won",
            "p gains distance[long(p) + 1] score for won",
            "here becomes ring(long(p))",
            "p gains (1 if long(p) in many else 0) score for won",
            "p gains rank of long(p) in numbers score for won",
            "p gains (sum of n for n in [long(p), 3]) score for won",
            "add long(p) to many",
            "remove long(p) from many",
            "p gains size of road[long(p)] score for won",
            "p gains rank of p in above(long(p)) score for won",
        ),
    ),
    Example(ModelGap.MANY_ANSWERS, ("p chooses a from 0..250, b from 0..250 as both",)),
    Example(
        ModelGap.NO_ENTRY,
        (
            "p gains far[p.bid + 250] score for won",
            "p gains distance[p.bid + 251] score for won",
            "here becomes ring(p.bid + 250)",
            "p gains (1 if p.bid + 250 in many else 0) score for won",
            "p gains size of road[p.bid + 250] score for won",
        ),
    ),
    Example(ModelGap.NO_ELEMENT, ("p gains (highest n for n in 1..p.bid - 9) score for won",), gap="highest"),
    Example(ModelGap.NO_ELEMENT, ("p gains (lowest n for n in 1..p.bid - 9) score for won",), gap="lowest"),
    Example(ModelGap.NO_HOLDER, ("(third of nobodies) gains p.bid score for won",)),
    Example(
        ModelGap.NO_ANSWER,
        (
            "q chooses x from 1..9 where x > p.bid + 20",
            "q chooses 91..92 from board into q.pile as given",
            "roll x from 1..3 where x > 3",
            "draw x from p.pile into board",
        ),
        ANSWERED,
    ),
    Example(
        ModelGap.NO_ANSWER,
        ("p chooses n from 1..9 where n > 9", "p chooses 91..92 from p.hand into p.pile as kept"),
        SECRET,
    ),
    Example(ModelGap.WHAT_IS_RANKED, ("p gains rank of p in above(p.bid) score for won",)),
    Example(ModelGap.TWICE_IN_CONTEST, ("contest twice",), CONTESTED),
    Example(
        ModelGap.WHO_BEGINS,
        ("for each q in player from p.rival", "in turn q from p.rival where q.score < 2, at most 9 turns"),
        TURNS,
    ),
    Example(ModelGap.WHOSE_TURN, ("in turn q from p where q.bid > 4, at most 9 turns",), TURNS),
    Example(ModelGap.LAST_TURN, ("in turn q from p where q.score < 2, at most 9 turns",), TURNS),
    Example(ModelGap.LAST_TURN, ("in turn p from leader where p.score < 2, at most 9 turns",), AT_A_TURN),
    Example(ModelGap.HOW_MANY, ("q chooses p.bid..p.bid + 3 from board into q.pile as given",), ANSWERED),
    Example(ModelGap.THEIR_CHOICE, ("q chooses 1 from leader.pile into q.pile as given",), LEFT),
    Example(ModelGap.ORDER_OF_ANSWERS, ("p chooses x from above(0)", "roll x from above(0)")),
    Example(ModelGap.OUTCOMES, ("roll x from 0..20 where x > p.bid",), ANSWERED),
    Example(ModelGap.HOW_OFTEN, ("roll p.bid dice from dish",), ANSWERED),
    Example(ModelGap.DRAWN, ("draw x from leader.pile into board",), LEFT),
    Example(ModelGap.WHOSE_CHANCE, ("roll x from 1..3 for p.rival", "draw x from board into p.pile for p.rival")),
    Example(
        ModelGap.NEXT_QUESTION,
        (
            "p chooses p.bid from 0..9",
            "p chooses 1 from board into p.pile as taken",
            "roll x from 1..3",
            "draw x from board into p.pile",
        ),
        NEXT,
    ),
    Example(ModelGap.NEXT_QUESTION, ("if leader.bid > 4",), NEXT_BRANCH),
    Example(ModelGap.NEXT_QUESTION, ("every player p secretly",), NEXT_BLOCK),
    Example(ModelGap.ROUNDS_AGAIN, ("for each round in 1..1",), AGAIN),
    Example(
        ModelGap.ASKED_AGAIN,
        ("p chooses p.bid from 0..9", "p chooses 1 from p.hand into p.pile as taken"),
        SECOND,
    ),
    Example(ModelGap.LATER_BLOCKS, ("p chooses p.bid from 0..9",), THIRD, gap="2 times"),
    Example(ModelGap.TOO_DEEP, ("play",), DEEP),
)

CARDS = "[{value: 1, copies: 30}, {value: 2, copies: 30}, {value: 3, copies: 30}]"
DATA = f"tables:\n  distance: {{value: [{', '.join(['0'] * 251)}], about: By number.}}\n"


# ---------------------------------------------------------------- docs/solver.md

PAGE = ROOT / "docs" / "solver.md"
TABLE = re.compile(r"(?<=\n)\| message \|.*?\n(?=\n)", re.DOTALL)


def table() -> str:
    """The reasons, what is behind each, and the operations that may be refused for it."""
    rows = [("message", "what is behind it", "operations"), ("---",) * 3]
    for reason in ModelGap:
        operations = [named(each) for each, gaps in GAPS.items() if reason in gaps]
        rows.append((reason.message, reason.behind, ", ".join(operations) or "the rules as a whole"))
    return "".join(f"| {' | '.join(row)} |\n".replace("| --- |", "|---|").replace(" --- |", "---|") for row in rows)


def named(operation: Operation | type) -> str:
    """As the IR calls it."""
    return f"`{operation.__name__ if isinstance(operation, type) else operation.value}`"


def main() -> None:
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text(encoding="utf-8"), count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
