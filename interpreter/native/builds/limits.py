"""Which rules are not compiled, and why: how much native code takes, reckoned from its text (static stack bound).

Nothing calls itself, so that there is a bound on the stack. Rules that would need more than a thread has are left to
the interpreter: code that runs over the end of its stack takes the whole process with it, or worse. So are rules that
would keep the compiler busy for minutes, in which nobody can interrupt it. There is no third reason: that LLVM does not
take a text is a mistake in whatever wrote it.
"""

from __future__ import annotations

import re
from enum import Enum, unique
from functools import cache

LONGEST = 400_000
"""Lines of code; the longest shipped game has 14,000, for which the compiler takes a second."""

MOST = 1 << 20
"""Bytes; a thread has some eight times as many, and most games need a fiftieth."""

FUNCTION = re.compile(r"^define .*? @(\w+)\(.*?^}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"call [^@\n]*@(\w+)\(")
VARIABLE = re.compile(r"alloca (?:[\[<](\d+) x )?(?:i(\d+)|ptr)")
FRAME = 512
"""Bytes for what a function keeps besides its variables."""


@unique
class Reason(Enum):
    """Why rules are left to the interpreter: all that there is."""

    STACK = "stack"
    LENGTH = "length"


class Refused(Exception):
    """Rules that are not compiled, for one of the reasons."""

    def __init__(self, reason: Reason, found: int) -> None:
        self.reason = reason
        what, most = {
            Reason.STACK: ("they keep {:,} bytes at a time", MOST),
            Reason.LENGTH: ("their code has {:,} lines", LONGEST),
        }[reason]
        super().__init__(f"{what.format(found)}, and {most:,} are possible")


def room(text: str) -> int:
    """The most bytes that a call of any function takes, with all that it calls."""
    bodies = {found[1]: found[0] for found in FUNCTION.finditer(text)}

    @cache
    def calls(name: str) -> list[str]:
        return [each for each in CALL.findall(bodies[name]) if each in bodies]

    @cache
    def kept(name: str) -> tuple[int, int]:
        """The bytes of numbers, and those of arrays."""
        sizes = [(count, -(-int(bits or 64) // 8)) for count, bits in VARIABLE.findall(bodies[name])]
        return sum(size for count, size in sizes if not count), sum(int(count) * size for count, size in sizes if count)

    @cache
    def at_once(name: str) -> int:
        """Compiled at once: each function by itself."""
        return FRAME + sum(kept(name)) + max(map(at_once, calls(name)), default=0)

    @cache
    def well(name: str) -> tuple[int, int]:
        """Compiled well: what the function keeps, and what those keep that it calls. Numbers are in registers; a
        function that becomes part of another has its arrays there, once for each call."""
        own, below = kept(name)[1], 0
        for each in calls(name):
            inner, deeper = well(each)
            if " alwaysinline" in bodies[each].partition("\n")[0]:
                own, below = own + inner, max(below, deeper)
            else:
                below = max(below, FRAME + inner + deeper)
        return own, below

    return max([0, *map(at_once, bodies), *(FRAME + sum(well(name)) for name in bodies)])


def refusal(text: str) -> Refused | None:
    """Why a text is not compiled, if it is not. A game that can be compiled gives None for each of its builds."""
    lines = text.count("\n")
    if lines > LONGEST:
        return Refused(Reason.LENGTH, lines)
    needed = room(text)
    return Refused(Reason.STACK, needed) if needed > MOST else None


def checked(text: str) -> str:
    """The same text, unless it is `Refused`."""
    refused = refusal(text)
    if refused is not None:
        raise refused
    return text
