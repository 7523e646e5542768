"""What some programs get besides, so that rare ways of native code are gone often enough: a few shapes as they stand.

Whether a program has them, and which, is drawn apart from all else: whatever comes or goes here, the rest of a program
stays what it is for its seed.
"""

from __future__ import annotations

from typing import Any

from tests.fuzzing.programs.chance import Chance
from tests.fuzzing.programs.tree import Line, line

SHARE, EACH = 7, 70
"""So many programs in a hundred have some, and so many of these have each."""

APART = 1 << 80
"""Far from the seeds of programs."""

CRATES = 90
"""More kinds than a vector holds."""


def spiced(seed: int, data: dict[str, Any], lines: list[Line]) -> list[Line]:
    """The lines of a program, and what it has besides."""
    chance = Chance(APART + seed)
    if not chance.percent(SHARE):
        return lines
    declared: list[Line] = []
    held: list[Line] = []
    done: list[Line] = []
    if chance.percent(EACH):  # sets of many kinds, from which several are taken at random
        data.setdefault("components", {})["crate"] = {"kinds": {"mass": f"1..{CRATES}"}}
        declared.append(line("component crate (mass)"))
        held += [line("crates : set of crate = every crate"), line("yard : set of crate")]
        taking = line("z1 chooses 2 from crates into yard")
        done += [line("for each z1 in player", line("if size of crates > 1", taking)), line("move all yard to crates")]
    if chance.percent(EACH):  # one of few, all as likely, that meet a condition
        rolled = [line("roll z3 from player where z3.budget > 0"), line("z3.budget becomes 0")]
        done.append(line("if some z2 in player has z2.budget > 0", rolled))
    if chance.percent(EACH):  # a condition that only the field of one player can meet
        declared.append(line("latch somebody_is_rich when some z4 in player has z4.budget > 2"))
        done.append(line("for each z5 in player", line("z5.budget becomes min(z5.budget + 1, 3)")))
    if chance.percent(EACH):  # turns in which most have nothing to do, by one thing or another
        declared.append(line("ranking in_turn_by_seat of z6 in player, strict", line("lowest z6.seat")))
        turn = [
            line("let z9 : yes/no = no"),
            line(f"if (z8.budget if z8.seat > {chance.below(3)} else z8.seat) > 1", line("z8 chooses z9 from yes/no")),
            line("if z9", line("z8.budget becomes 1")),
            line("else", line("z7 becomes min(z7 + 1, 9)")),
        ]
        done += [line("let z7 : 0..9 = 0"), line("for each z8 in in_turn_by_seat", turn)]
    own: list[Line] = []
    if chance.percent(EACH):  # all take several of their own at once
        data.setdefault("components", {})["bead"] = {"kinds": {"gloss": f"1..{chance.between(2, 5)}"}}
        declared.append(line("component bead (gloss)"))
        own += [line("sack : set of bead secret = every bead"), line("string : set of bead")]
        done += [
            line("every player za secretly", line("za chooses 2 from za.sack into za.string")),
            line("for each zb in player", line("move all zb.string to zb.sack")),
        ]
    return [*declared, *(_with(each, held, own, done) for each in lines)]


def _with(each: Line, held: list[Line], own: list[Line], done: list[Line]) -> Line:
    """A line of a program with what belongs below it."""
    match each.text:
        case "table has":
            return line(each.text, each.inner, held)
        case "each player has":
            return line(each.text, each.inner, own)
        case "play":
            return line(each.text, each.inner, done)
        case _:
            return each
