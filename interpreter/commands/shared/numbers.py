"""Numbers and names of drawings on the command line, refused with a sentence where they make no sense."""

from __future__ import annotations

import argparse
from pathlib import Path

MOST = 999_999_999_999
MOST_JOBS = 256


def positive(text: str, most: int = MOST) -> int:
    if not text.isascii() or not text.isdigit() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 up; found {text[:40]!r}")
    if len(text) > 40 or int(text) > most:
        raise argparse.ArgumentTypeError(f"expected at most {most}; found {text[:40]}")
    return int(text)


def jobs(text: str) -> int:
    """A number of processes."""
    return positive(text, MOST_JOBS)


def drawing(text: str) -> Path:
    """A file that is drawn into: whoever names it after another format would get what nothing can open."""
    if Path(text).suffix.lower() not in ("", ".svg"):
        raise argparse.ArgumentTypeError(f"drawings are SVG: expected a name that ends in .svg; found {text[:200]!r}")
    return Path(text)
