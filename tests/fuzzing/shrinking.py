"""The smallest program that still shows something (delta debugging by Zeller and Hildebrandt, over a tree of lines).

    python -m tests.fuzzing.shrinking SEED [FILE]

tries the program of a seed in all back ends and in the solver, makes it as small as it can with the same symptom, and
prints it, or writes it as a file of the corpus.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.fuzzing.children import Died, in_child, symptom
from tests.fuzzing.comparing import compare
from tests.fuzzing.programs import Line, Program, generate

SECONDS = 20.0
"""So long one program may take."""
Shows = Callable[[Program], bool]


def shrunk(program: Program, shows: Shows) -> Program:
    """As small as it can be made by single changes, each of which keeps what it shows."""
    progress = True
    while progress:
        progress = False
        for candidates in (_fewer_lines, _plainer_lines, _less_data):
            found = True
            while found:
                found = False
                for candidate in candidates(program):
                    if candidate.size < program.size and shows(candidate):
                        program, found, progress = candidate, True, True
                        break
    return program


# ---------------------------------------------------------------- fewer lines


def _fewer_lines(program: Program) -> Iterator[Program]:
    """Without some lines, the largest parts first; or with what is inside of a line in its place."""
    for lines in _fewer(program.lines):
        yield replace(program, lines=lines)


def _fewer(lines: tuple[Line, ...]) -> Iterator[tuple[Line, ...]]:
    length = len(lines)
    while length:
        for start in range(0, len(lines), length):
            yield lines[:start] + lines[start + length :]
        length //= 2
    for position, each in enumerate(lines):
        before, after = lines[:position], lines[position + 1 :]
        if each.inner:
            yield before + each.inner + after
        for inner in _fewer(each.inner):
            yield (*before, Line(each.text, inner), *after)


# ---------------------------------------------------------------- plainer lines


def _plainer_lines(program: Program) -> Iterator[Program]:
    for lines in _plainer(program.lines):
        yield replace(program, lines=lines)


def _plainer(lines: tuple[Line, ...]) -> Iterator[tuple[Line, ...]]:
    for position, each in enumerate(lines):
        before, after = lines[:position], lines[position + 1 :]
        for text in _texts(each.text):
            yield (*before, Line(text, each.inner), *after)
        for inner in _plainer(each.inner):
            yield (*before, Line(each.text, inner), *after)


CLAUSE = re.compile(r'( (where|odds|as|for|while|when|backwards|from) |, at | "|, strict| or | and | \+ | - | \* )')
WORDS = ("0", "1", "yes", "no")


def _texts(text: str) -> Iterator[str]:
    """A line that says less: without a clause, or with a word in place of a formula."""
    for found in CLAUSE.finditer(text):
        yield text[: found.start()]
        following = CLAUSE.search(text, found.end())
        if following is not None:
            yield text[: found.start()] + text[following.start() :]
    for start, end in _groups(text):
        inside = text[start + 1 : end - 1]
        call = re.search(r"\w+$", text[:start])
        first = call.start() if call is not None else start
        for word in (*WORDS, *_parts(inside)):
            yield text[:first] + word + text[end:]
    for found in re.finditer(r"-?\b\d+\b", text):
        number = int(found.group())
        for smaller in dict.fromkeys((0, 1, 2, number // 2, number - 1)):
            if abs(smaller) < abs(number):
                yield text[: found.start()] + str(smaller) + text[found.end() :]


def _groups(text: str) -> list[tuple[int, int]]:
    """Where brackets open and close, the outermost first."""
    opened, found = [], []
    for position, sign in enumerate(text):
        if sign in "([":
            opened.append(position)
        elif sign in ")]" and opened:
            found.append((opened.pop(), position + 1))
    return sorted(found, key=lambda group: group[0] - group[1])


def _parts(text: str) -> list[str]:
    """What stands between commas and words of the language, at the outermost level."""
    found, depth, start = [], 0, 0
    for position, sign in enumerate(text + ","):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0 and sign == ",":
            found.append(text[start:position].strip())
            start = position + 1
    pieces = re.split(r" (?:if|else|and|or|is|<|>|<=|>=|\+|-|\*|/|mod) ", text)
    return [part for part in dict.fromkeys((*found, *pieces)) if part and part != text and _is_balanced(part)]


def _is_balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


# ---------------------------------------------------------------- less data


def _less_data(program: Program) -> Iterator[Program]:
    if program.players > 1:
        yield replace(program, players=program.players - 1)
    for data in _less(dict(program.data)):
        yield replace(program, data=data)


def _less(value: Any) -> Iterator[Any]:
    """A map or list with less in it; a smaller number."""
    if isinstance(value, dict):
        for key in value:
            yield {other: each for other, each in value.items() if other != key}
        for key in value:
            for less in _less(value[key]):
                yield value | {key: less}
    elif isinstance(value, list):
        for position in range(len(value)):
            yield value[:position] + value[position + 1 :]
        for position, each in enumerate(value):
            for less in _less(each):
                yield [*value[:position], less, *value[position + 1 :]]
    elif isinstance(value, int) and not isinstance(value, bool) and value > 1:
        yield from dict.fromkeys((1, value // 2, value - 1))


# ---------------------------------------------------------------- the command


def symptom_of(program: Program, seed: int, fast: bool = False, solved: bool = False) -> str | None:
    """What is wrong with a program, tried in a process of its own; None if nothing is."""

    def tried(tell: Callable[[Any], None]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(program, seed, Path(folder), fast, solved)
            except BaseException as error:
                tell(symptom(error))

    try:
        told = in_child(tried, SECONDS)
    except Died as died:
        return str(died.args[0])
    return told[0] if told else None


def smallest(program: Program, seed: int, fast: bool = True) -> tuple[str, Program] | None:
    """The symptom of a program and the smallest one that has it; None if nothing is wrong with it."""
    for how in ((False, False), (False, True), *([(True, False)] if fast else [])):
        found = symptom_of(program, seed, *how)
        if found is not None:
            break
    else:
        return None
    return found, shrunk(program, lambda candidate: symptom_of(candidate, seed, *how) == found)


def main(arguments: list[str]) -> None:
    seed = int(arguments[0])
    found = smallest(generate(seed), seed)
    if found is None:
        print("nothing is wrong with it")
        return
    text = found[1].kept(found[0])
    print(text)
    if len(arguments) > 1:
        Path(arguments[1]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
