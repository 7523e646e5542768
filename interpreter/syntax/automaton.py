"""The grammar's tables at work (an LALR automaton): text to parse tree, or None where it does not follow the grammar.

Lark makes the tables (see `chocolatl.interpreter.syntax.tables`). Running them takes little, so that a text in which
nothing is wrong waits neither for Lark nor for the regular expressions of each of its lexers. Why a text does not
follow the grammar is for Lark to say: `chocolatl.interpreter.syntax.problems` asks it. Both do the same, which tests
compare: words are known by what the parser expects, indentation and line ends become tokens as `RuleIndenter` makes
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct

TAB = 8
NEWLINE, INDENT, DEDENT, END = "_NEWLINE", "_INDENT", "_DEDENT", "$END"
OPENING, CLOSING = ("LPAR", "LSQB"), ("RPAR", "RSQB")

TokenPlace = tuple[int, int, int, int]
"""Line and column of the beginning, and of the end."""


class Token:
    """A word or sign of the text."""

    __slots__ = ("place", "text", "type")

    def __init__(self, type_: str, text: str, place: TokenPlace) -> None:
        self.type = type_
        self.text = text
        self.place = place


class ParseTree:
    """A production with its parts; `place` is None where it has none in the text."""

    __slots__ = ("children", "data", "place")

    def __init__(self, data: str, children: list[Any], place: TokenPlace | None) -> None:
        self.data = data
        self.children = children
        self.place = place


class Reduction(Struct, frozen=True):
    """How a production is reduced: `kept` are its parts that the tree keeps, each with whether its own children take
    its place and how many empty ones stand before it."""

    symbol: str
    length: int
    name: str
    unwraps: int
    kept: list[tuple[int, int, int]]
    empty: int


K = TypeVar("K")
V = TypeVar("V")


class _Unpacked(dict[K, V]):
    """What is worked out when somebody asks for it, and then known."""

    def __init__(self, make: Callable[[K], V]) -> None:
        self.make = make

    def __missing__(self, key: K) -> V:
        made = self[key] = self.make(key)
        return made


Scan = tuple[Callable[[str, int], re.Match[str] | None], str, dict[str, str]]


class Automaton:
    """The parser of a grammar. Of its tables only the rows are unpacked that a text comes to."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self.symbols: list[str] = tables["symbols"]
        self.sets: list[list[int]] = tables["sets"]
        self.rows: list[list[int]] = tables["rows"]
        self.starts: dict[str, list[int]] = tables["starts"]
        self.terminals: list[list[Any]] = tables["terminals"]
        self.places = {terminal[0]: place for place, terminal in enumerate(self.terminals)}
        self.shapes: dict[str, dict[str, str]] = {name: texts for name, _, texts, _ in self.terminals if texts}
        """Terminals that many words look like, with those of the words that are terminals themselves."""
        self.ignored = frozenset(tables["ignored"])
        self.rules = [Reduction(*rule) for rule in tables["rules"]]
        self.actions: _Unpacked[int, dict[str, int]] = _Unpacked(self._row)
        """What follows in a state: an even number is twice the state that comes next, an odd one a rule to reduce."""
        self.scans: _Unpacked[tuple[int, str], list[Scan]] = _Unpacked(self._scan)
        """The words that can follow in a state and begin with a character, in the order in which they are tried."""
        self._words: _Unpacked[int, list[tuple[str, str, dict[str, str], str]]] = _Unpacked(self._expected)
        self._patterns: dict[str, Callable[[str, int], re.Match[str] | None]] = {}

    def _row(self, state: int) -> dict[str, int]:
        row = self.rows[state]
        return {
            self.symbols[symbol]: action
            for action, number in zip(row[::2], row[1::2], strict=True)
            for symbol in self.sets[number]
        }

    def _scan(self, key: tuple[int, str]) -> list[Scan]:
        state, first = key
        return [
            (self.pattern(name, regexp), name, texts)
            for name, regexp, texts, beginnings in self._words[state]
            if first in beginnings
        ]

    def _expected(self, state: int) -> list[tuple[str, str, dict[str, str], str]]:
        """The words that can follow in a state, with the characters that they can begin with."""
        wanted = {*self.actions[state], *self.ignored, NEWLINE}
        named: dict[str, dict[str, str]] = {}
        for name, texts in self.shapes.items():
            if name in wanted:
                named[name] = {word: other for word, other in texts.items() if other in wanted}
        wanted.difference_update(*[texts.values() for texts in named.values()])  # the shape finds them
        found = [self.terminals[place] for place in sorted([self.places[n] for n in wanted if n in self.places])]
        return [(name, regexp, named.get(name, {}), beginnings) for name, regexp, _, beginnings in found]

    def pattern(self, name: str, regexp: str) -> Callable[[str, int], re.Match[str] | None]:
        if name not in self._patterns:
            self._patterns[name] = re.compile(regexp).match
        return self._patterns[name]

    def parse(self, text: str, start: str) -> ParseTree | Token | None:
        return _ParserRun(self, text, *self.starts[start]).parse()

    def tokens(self, text: str, start: str) -> list[Token] | None:
        """The tokens of a text, with line ends and indentation; None if it does not follow the grammar."""
        run = _ParserRun(self, text, *self.starts[start])
        run.taken = []
        return run.taken if run.parse() is not None else None


class _ParserRun:
    """One text on its way through the automaton."""

    def __init__(self, automaton: Automaton, text: str, first: int, last: int) -> None:
        self.automaton = automaton
        self.text = text
        self.last = last
        self.states = [first]
        self.values: list[Any] = []
        self.places: list[TokenPlace | None] = []
        self.indents = [0]
        self.taken: list[Token] | None = None

    def parse(self) -> ParseTree | Token | None:
        text, states, scans, ignored = self.text, self.states, self.automaton.scans, self.automaton.ignored
        position, line, begin, brackets = 0, 1, 0, 0
        before = ""
        at: TokenPlace | None = None
        while True:
            while text[position : position + 1] in (" ", "\t"):
                position += 1
            if position >= len(text):
                break
            for scan in scans[states[-1], text[position]]:
                found = scan[0](text, position)
                if found is not None:
                    break
            else:
                return None
            _, type_, texts = scan
            word, end = found[0], found.end()
            if type_ == NEWLINE or type_ in ignored:
                if type_ == NEWLINE and before != "COMMA":
                    # Line ends stand behind the last word of their line: what they belong to ends there.
                    at = (
                        (at[2], at[3], at[2], at[3]) if at else (line, position - begin + 1, line, position - begin + 1)
                    )
                    before = NEWLINE
                    if not brackets and not self.line_end(word[word.rfind("\n") + 1 :], at):
                        return None
                line += word.count("\n")
                begin = position + word.rfind("\n") + 1 if "\n" in word else begin
                position = end
                continue
            type_ = texts.get(word, type_)
            at = (line, position - begin + 1, line, end - begin + 1)
            if not self.feed(type_, Token(type_, word, at), at):
                return None
            brackets += (type_ in OPENING) - (type_ in CLOSING)
            if brackets < 0:
                return None
            before, position = type_, end
        while len(self.indents) > 1:
            self.indents.pop()
            if not self.feed(DEDENT, None, at):
                return None
        return self.values[-1] if self.feed(END, None, at) else None

    def line_end(self, margin: str, at: TokenPlace) -> bool:
        """The end of a line, and of the blocks that end with it."""
        if not self.feed(NEWLINE, None, at):
            return False
        depth = len(margin) + margin.count("\t") * (TAB - 1)
        if depth > self.indents[-1]:
            self.indents.append(depth)
            return self.feed(INDENT, None, at)
        while depth < self.indents[-1]:
            self.indents.pop()
            if not self.feed(DEDENT, None, at):
                return False
        return depth == self.indents[-1]

    def feed(self, type_: str, token: Token | None, at: TokenPlace | None) -> bool:
        """Take a token: reduce what ends before it, then go on to the state behind it; False if it cannot follow."""
        automaton, states, values, places = self.automaton, self.states, self.values, self.places
        actions = automaton.actions
        if self.taken is not None and type_ != END:
            self.taken.append(token or Token(type_, "", at or (1, 1, 1, 1)))
        while True:
            action = actions[states[-1]].get(type_)
            if action is None:
                return False
            if not action & 1:
                states.append(action >> 1)
                values.append(token)
                places.append(at)
                return True
            rule = automaton.rules[action >> 1]
            self.reduce(rule)
            states.append(actions[states[-1]][rule.symbol] >> 1)
            if type_ == END and states[-1] == self.last:
                return True

    def reduce(self, rule: Reduction) -> None:
        """The last values become one."""
        first = len(self.values) - rule.length
        parts, places = self.values[first:], self.places[first:]
        if None in places:
            places = [place for place in places if place is not None]
        if rule.length:
            del self.values[first:], self.places[first:], self.states[first + 1 :]
        children: list[Any] = []
        for number, joins, empty in rule.kept:
            children += [None] * empty
            if not joins:
                children.append(parts[number])
            elif children:
                children += parts[number].children
            else:
                children = parts[number].children  # of a list that grows, nothing is copied
        children += [None] * rule.empty
        place: TokenPlace | None = None
        if places:
            begin, end = places[0], places[-1]
            assert begin is not None and end is not None
            place = (begin[0], begin[1], end[2], end[3])
        if rule.unwraps and len(children) == 1:
            value = children[0]
            place = value.place if isinstance(value, Token) else place
        else:
            value = ParseTree(rule.name, children, place)
        self.values.append(value)
        self.places.append(place)
