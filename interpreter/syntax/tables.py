"""The tables of the parser (LALR): what Lark makes of `grammar.lark`, kept in `grammar.json` beside it.

Lark needs half a second to make them, which nobody should wait for who reads a few rules. The file says from which
grammar it was made; where that is another one, the tables are made on the spot. After a change of the grammar,
`make tables` writes them anew; a test tells when that was forgotten.
"""

from __future__ import annotations

import json
import re
import zlib
from functools import cache
from typing import Any

from chocolatl.interpreter.syntax.automaton import Automaton
from chocolatl.interpreter.system.shipped import shipped

FILE = shipped("interpreter/syntax/grammar.json")
GRAMMAR = shipped("interpreter/syntax/grammar.lark")
WIDTH = 120


@cache
def automaton() -> Automaton:
    return Automaton(_kept() or made())


def _kept() -> dict[str, Any] | None:
    """The tables of the file, if they are those of the grammar."""
    try:
        tables = json.loads(FILE.read_bytes())
    except (OSError, ValueError):
        return None
    return tables if isinstance(tables, dict) and tables.get("grammar") == _fingerprint() else None


def _fingerprint() -> str:
    """It only has to tell an edited grammar from the one before, and to be there at once. Comments change no table."""
    lines = [line for line in GRAMMAR.read_bytes().splitlines(True) if not line.lstrip().startswith(b"//")]
    return f"{zlib.crc32(b''.join(lines).replace(bytes([13, 10]), bytes([10]))):08x}"


def made() -> dict[str, Any]:
    """The tables, as Lark makes them, in an order that depends on the grammar alone."""
    from chocolatl.interpreter.syntax.grammar import grammar

    parser: Any = grammar().parser
    table = parser.parser._parse_table
    numbers = _numbered(table)
    symbols = sorted({str(symbol) for row in table.states.values() for symbol in row})
    rules = sorted(
        {rule for row in table.states.values() for _, rule in row.values() if not isinstance(rule, int)}, key=_key
    )
    rule_numbers = {_key(rule): number for number, rule in enumerate(rules)}
    sets: dict[tuple[int, ...], int] = {}
    rows = []
    for state in numbers:
        by_action: dict[int, list[int]] = {}
        for symbol, (_, target) in table.states[state].items():
            action = numbers[target] * 2 if isinstance(target, int) else rule_numbers[_key(target)] * 2 + 1
            by_action.setdefault(action, []).append(symbols.index(str(symbol)))
        rows.append(
            [
                n
                for action, group in sorted(by_action.items())
                for n in (action, sets.setdefault(tuple(sorted(group)), len(sets)))
            ]
        )
    starts = sorted(table.start_states.items())
    return {
        "grammar": _fingerprint(),
        "starts": {name: [numbers[state], numbers[table.end_states[name]]] for name, state in starts},
        "ignored": sorted(parser.lexer_conf.ignore),
        "terminals": _terminals(parser.lexer_conf.terminals),
        "symbols": symbols,
        "rules": [_rule(rule) for rule in rules],
        "sets": [list(group) for group in sets],
        "rows": rows,
    }  # fmt: skip


def _numbered(table: Any) -> dict[int, int]:
    """The states in the order in which they are reached."""
    found = {state: number for number, (_, state) in enumerate(sorted(table.start_states.items()))}
    for state in (waiting := list(found)):
        for _, (_, target) in sorted(table.states[state].items(), key=lambda entry: str(entry[0])):
            if isinstance(target, int) and target not in found:
                found[target] = len(found)
                waiting.append(target)
    return found


def _key(rule: Any) -> tuple[str, str, str, str]:
    return (
        str(rule.origin.name),
        " ".join(s.name for s in rule.expansion),
        str(rule.alias),
        str(rule.options.empty_indices),
    )


def _rule(rule: Any) -> list[Any]:
    """A rule as `chocolatl.interpreter.syntax.automaton.Reduction` has it."""
    gaps = "".join("1" if empty else "0" for empty in rule.options.empty_indices).split("0")
    nothing = [len(gap) for gap in gaps] if rule.options.empty_indices else [0] * (len(rule.expansion) + 1)
    kept: list[list[Any]] = []
    empty = 0
    for number, symbol in enumerate(rule.expansion):
        empty += nothing[number]
        if not (symbol.is_term and symbol.filter_out):
            kept.append([number, int(not symbol.is_term and symbol.name.startswith("_")), empty])
            empty = 0
    name = rule.alias or rule.options.template_source or rule.origin.name
    unwraps = int(bool(rule.options.expand1 and not rule.alias))
    return [rule.origin.name, len(rule.expansion), str(name), unwraps, kept, empty + nothing[-1]]


def _terminals(terminals: list[Any]) -> list[list[Any]]:
    """Name, expression and the words inside it that are terminals of their own, in the order in which Lark tries."""
    ordered = sorted(terminals, key=lambda t: (-t.priority, -t.pattern.max_width, -len(t.pattern.value), t.name))
    found = []
    for terminal in ordered:
        regexp = terminal.pattern.to_regexp()
        words = {
            other.pattern.value: other.name
            for other in ordered
            if terminal.pattern.type == "re" and other.pattern.type == "str" and other.priority == terminal.priority
            and re.fullmatch(regexp, other.pattern.value)
        }  # fmt: skip
        found.append([terminal.name, regexp, dict(sorted(words.items())), beginnings(regexp)])
    return found


def beginnings(regexp: str) -> str:
    """The ASCII characters that a text can begin with that an expression matches."""
    from re import _parser  # only who makes tables needs it

    return "".join(sorted(chr(number) for number in _first(_parser.parse(regexp))[0] if number < 128))


def _first(parsed: Any) -> tuple[set[int], bool]:
    """The characters that a parsed expression can begin with, and whether it can match nothing."""
    found: set[int] = set()
    for operator, argument in parsed:
        empty = False
        match str(operator):
            case "LITERAL":
                found.add(argument)
            case "NOT_LITERAL" | "ANY" | "CATEGORY":
                found |= set(range(128))
            case "IN":
                inside: set[int] = set()
                for kind, value in argument:
                    match str(kind):
                        case "LITERAL":
                            inside.add(value)
                        case "RANGE":
                            inside |= set(range(value[0], value[1] + 1))
                        case _:
                            inside |= set(range(128))
                found |= inside
            case "SUBPATTERN":
                chars, empty = _first(argument[-1])
                found |= chars
            case "BRANCH":
                options = [_first(option) for option in argument[1]]
                found |= set().union(*(chars for chars, _ in options))
                empty = any(nothing for _, nothing in options)
            case "MAX_REPEAT" | "MIN_REPEAT":
                chars, empty = _first(argument[2])
                found |= chars
                empty = empty or argument[0] == 0
            case _:
                empty = True  # a look around, or a place, takes no character
        if not empty:
            return found, False
    return found, True


def written(tables: dict[str, Any]) -> str:
    """The tables as a file, whose lines are as long as those of a text."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {_filled(content)}" for name, content in tables.items()) + "\n}\n"


def _filled(content: Any) -> str:
    if not isinstance(content, list):
        return json.dumps(content)
    lines = [""]
    for entry in content:
        word = json.dumps(entry, separators=(",", ":"))
        if lines[-1] and len(lines[-1]) + len(word) >= WIDTH:
            lines.append("")
        lines[-1] += f"{word},"
    return "[\n" + "\n".join(lines).removesuffix(",") + "\n]"


if __name__ == "__main__":
    FILE.write_text(written(made()), encoding="utf-8", newline="\n")
