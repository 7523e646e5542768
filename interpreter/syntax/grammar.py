"""The grammar at work: `grammar.lark` as an LALR parser, indentation as tokens, and the words of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lark import Lark, Token
from lark.indenter import DedentError, Indenter

from chocolatl.interpreter.syntax.automaton import TAB
from chocolatl.interpreter.syntax.words import START, STARTS
from chocolatl.interpreter.system.shipped import shipped


class UnevenDedent(DedentError):
    """A line that goes back to an indentation that no line above it has; `line` is the one before it, from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class RuleIndenter(Indenter):
    NL_type = "_NEWLINE"
    OPEN_PAREN_types = ["LPAR", "LSQB"]
    CLOSE_PAREN_types = ["RPAR", "RSQB"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = TAB

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        result: Iterator[Token] = super().process(self._joined(stream))  # type: ignore[no-untyped-call]
        return result

    def handle_NL(self, token: Token) -> Iterator[Token]:
        try:
            yield from super().handle_NL(token)
        except DedentError:
            raise UnevenDedent(int(token.line or 1)) from None

    def _joined(self, stream: Iterator[Token]) -> Iterator[Token]:
        """A comma at the end of a line goes on in the next. Line ends, and with them the ends of blocks, stand behind
        the last word of their line: what they belong to ends there, not at the first word below."""
        previous: Token | None = None
        for token in stream:
            if token.type == self.NL_type and previous is not None:
                if previous.type == "COMMA":
                    continue
                token.line = token.end_line = previous.end_line
                token.column = token.end_column = previous.end_column
            yield token
            previous = token


@cache
def grammar() -> Lark:
    text = shipped("interpreter/syntax/grammar.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        start=list(STARTS),
        postlex=RuleIndenter(),
        propagate_positions=True,
        maybe_placeholders=True,
    )


def tokens(text: str) -> list[Token]:
    """The tokens of a whole rule file that follows the grammar, with line ends and indentation."""
    parser = grammar().parse_interactive(text, start=START)
    return list(parser.iter_parse())


@cache
def spellings() -> dict[str, tuple[str, ...]]:
    """The words and signs that make up each token of the grammar; names, numbers and texts have none."""
    found: dict[str, tuple[str, ...]] = {}
    for terminal in grammar().terminals:
        if terminal.pattern.type == "str":
            found[terminal.name] = (terminal.pattern.value,)
        elif terminal.name not in ("NAME", "INT", "TEXT", "COMPARISON", "_NEWLINE", "CONTINUATION"):
            # Of what an expression only looks at, nothing belongs to the token itself.
            own = re.sub(r"\(\?[=!](\([^()]*\)|[^()])*\)", "", terminal.pattern.value)
            found[terminal.name] = tuple(re.findall(r"[a-z]{2,}", own))
    return found


@cache
def vocabulary() -> frozenset[str]:
    """Every word that the language itself knows."""
    return frozenset(word for words in spellings().values() for word in words if word.isalpha())
