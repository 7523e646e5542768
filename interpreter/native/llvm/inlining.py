"""Which functions become part of those that call them (inlining): told to the compiler, so that it need not guess."""

from __future__ import annotations

import re
from collections import Counter
from graphlib import TopologicalSorter

CALL = re.compile(r"call \w+ @(\w+)\(")
RARE = re.compile(r"call \w+ @(\w+)\(.*\) cold")
DEFINITION = re.compile(r"define (internal)? *\w+ @(\w+)\([^)]*\) nounwind")

SHORT, ONCE, SPREAD = 40, 2000, 2850
"""So many lines a function may have, with all that becomes part of it: if it is called often, if it is called from one
place, and in all places together."""

WHOLE = 15_000
"""So many lines all functions may come to have, so that compiling does not take long."""


def inlined(texts: list[str]) -> list[str]:
    """The same functions, marked. A text may hold several of them."""
    functions = {}
    for function in (function for text in texts for function in re.split(r"\n\n(?=define )", text)):
        found = DEFINITION.match(function)
        assert found is not None
        functions[found[2]] = function
    called = {name: [each for each in CALL.findall(text) if each in functions] for name, text in functions.items()}
    calls = Counter(callee for callees in called.values() for callee in callees)
    rare = {name for function in functions.values() for name in RARE.findall(function)}
    lines: dict[str, int] = {}
    room = WHOLE - sum(function.count("\n") for function in functions.values())
    chosen = set()
    for name in TopologicalSorter(called).static_order():  # those that are called come first
        lines[name] = functions[name].count("\n") + sum(lines[each] for each in called[name] if each in chosen)
        more = lines[name] * max(0, calls[name] - 1)
        spread = more <= room and lines[name] * calls[name] < SPREAD
        if name not in rare and (spread or lines[name] < (ONCE if calls[name] == 1 else SHORT)):
            chosen.add(name)
            room -= more

    def marked(name: str, function: str) -> str:
        found = DEFINITION.match(function)
        if found is None or not found[1] or name not in chosen:
            return function
        return f"{found[0]} alwaysinline{function[found.end() :]}"

    return [marked(name, function) for name, function in functions.items()]
