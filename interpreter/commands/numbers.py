"""Numbers on the command line, refused with a sentence where they make no sense."""

from __future__ import annotations

import argparse

MOST_JOBS = 256


def positive(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 12 or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 up; found {text[:40]!r}")
    return int(text)


def jobs(text: str) -> int:
    """A number of processes."""
    if positive(text) > MOST_JOBS:
        raise argparse.ArgumentTypeError(f"expected at most {MOST_JOBS}; found {text}")
    return int(text)
