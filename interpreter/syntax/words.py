"""What can be parsed on its own, and the words that nothing can be called."""

from __future__ import annotations

START = "start"
DECLARATION = "declaration"
EXPRESSION = "expression"
TYPE = "type"
HEADER = "header"

STARTS = (START, DECLARATION, EXPRESSION, TYPE, HEADER)

RESERVED = frozenset(
    [
        "and", "or", "not", "is", "in", "mod", "if", "else", "some", "every", "highest", "lowest",
        "yes", "no", "none", "nobody",
    ]
)  # fmt: skip
"""Words that nothing can be called, since a formula could not name it."""

OPENERS = frozenset(
    [
        "let", "do", "for", "repeat", "contest", "stop", "nothing", "move", "reveal", "put", "roll", "draw",
        "add", "remove", "clear", "announce", "as", "into", "where",
    ]
)  # fmt: skip
"""Words that nothing can be called whose name begins a line, since they begin lines of their own."""
