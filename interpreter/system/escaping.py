r"""Texts from files made fit for a terminal: what would act instead of being seen is written as `\u001b` (escaping).

A control character moves a cursor, sets a clipboard or ends a line that goes on; one that changes the direction of
writing, or has no width, makes a text look like another. They are all written as JSON and YAML write them, so that
what is escaped inside a quoted text of these formats still means the same.
"""

from __future__ import annotations

import re

UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for the tab and the end of a line
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the direction of writing
    "\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # without a width
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e007f"
    "\u2028\u2029"  # ends of lines and paragraphs that are none to most programs
    "\ud800-\udfff"  # no characters: bytes of a file's name that are not UTF-8
    "]"
)
LAYOUT = re.compile("[\t\n]")


def visible(text: str) -> str:
    """A text of any number of lines without anything that is not seen."""
    return UNSEEN.sub(_written, text)


def one_line(text: str) -> str:
    """The same for what is one line: a name, a title, a message. It can neither end the line nor begin another."""
    return LAYOUT.sub(_written, visible(text))


def _written(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
