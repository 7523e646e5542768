"""Where the files lie that come with the program: rules, schemas, the grammar, pages of codes (resource lookup).

`rules` and `schemas` stand beside the package `interpreter`: at the top of a checkout, and inside `chocolatl` where the
distribution is installed. So one rule finds them in both, and nothing else in the program asks where it lies.
"""

from __future__ import annotations

from pathlib import Path

HOME = Path(__file__).parents[2]
"""The folder that holds `interpreter`, `solver`, `rules` and `schemas`."""


def shipped(path: str) -> Path:
    """A file or folder that comes with the program, by its path in a checkout."""
    return HOME / path
