"""What a word without quotation marks means in YAML: the core of YAML 1.2, less what surprises people.

`yes`, `on`, `12:30` and `2010-01-01` are texts. What one reader takes for a number and another for a text, or for
another number, is refused with the way to say either.
"""

from __future__ import annotations

import re

WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
DOUBTFUL = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "Null": "null", "NULL": "null"}
INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
PADDED = re.compile(r"[-+]?0[0-9]+")
OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")


def resolve(text: str) -> tuple[str | int | bool | None, str, str]:
    """The value of a plain word; with a complaint and a hint if it is refused."""
    if text in WORDS:
        return WORDS[text], "", ""
    word = text if len(text) <= 30 else text[:27] + "..."
    hint = f'for a text write `"{word}"`'
    if text in DOUBTFUL:
        return text, f"`{text}` is not allowed", f'write `{DOUBTFUL[text]}`, or `"{text}"` for a text'
    if INTEGER.fullmatch(text):
        if len(text) < 25 and -(2**63) <= int(text) < 2**63:
            return int(text), "", ""
        return text, f"the number {word} does not fit into 64 bits", hint
    if PADDED.fullmatch(text):
        return text, f"`{word}` is not allowed: a number does not begin with 0", hint
    if OTHER_BASE.fullmatch(text):
        return text, f"`{word}` is not allowed: numbers are decimal", hint
    if FLOAT.fullmatch(text):
        return text, f"`{word}` is not allowed: numbers are whole", hint
    return text, "", ""
