"""Which functions become part of those that call them: told to the compiler, which then need not weigh it up."""

from __future__ import annotations

import re
from collections import Counter

CALL = re.compile(r"call \w+ @(\w+)\(")
DEFINITION = re.compile(r"define internal \w+ @(\w+)\([^)]*\) nounwind")

SHORT, ONCE = 40, 600
"""So many lines a function may have: if it is called often, and if it is called from one place."""


def inlined(texts: list[str]) -> list[str]:
    """The same functions, marked. A text may hold several of them."""
    functions = [function for text in texts for function in re.split(r"\n\n(?=define )", text)]
    calls = Counter(name for function in functions for name in CALL.findall(function))

    def marked(function: str) -> str:
        found = DEFINITION.match(function)
        room = 0 if found is None else ONCE if calls[found[1]] == 1 else SHORT
        if found is None or function.count("\n") >= room:
            return function
        return f"{found[0]} alwaysinline{function[found.end() :]}"

    return [marked(function) for function in functions]
