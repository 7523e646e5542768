"""How much of the stack native code takes, reckoned from its text before it is compiled.

Nothing calls itself, so that there is a bound. Rules that would need more than a thread has are left to the
interpreter: code that runs over the end of its stack takes the whole process with it, or worse.
"""

from __future__ import annotations

import re
from functools import cache

MOST = 1 << 20
"""Bytes; a thread has some eight times as many, and most games need a fiftieth."""

FUNCTION = re.compile(r"^define .*? @(\w+)\(.*?^}", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"call [^@\n]*@(\w+)\(")
VARIABLE = re.compile(r"alloca (?:[\[<](\d+) x )?(?:i(\d+)|ptr)")
FRAME = 512
"""Bytes for what a function keeps besides its variables."""


class TooLarge(Exception):
    """Code that may need more of the stack than a thread has."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"they keep {needed:,} bytes at a time, and {MOST:,} are possible")


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


def checked(text: str) -> str:
    """The same text, unless it is `TooLarge`."""
    needed = room(text)
    if needed > MOST:
        raise TooLarge(needed)
    return text
