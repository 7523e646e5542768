"""How learning goes while it goes: a line of words and a curve of bars (sparkline)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

from chocolatl.interpreter.learning.lessons import LearningNews
from chocolatl.interpreter.terminal.output.console import VisibleText, make_console

SPARKS = "▁▂▃▄▅▆▇█"


@contextmanager
def learning_shown() -> Iterator[Callable[[LearningNews], object]]:
    """How learning goes, as a line and a curve on the terminal, and nothing anywhere else."""
    if not sys.stderr.isatty():
        yield lambda news: None
        return
    from rich.live import Live

    curve: list[float] = []
    with Live(console=make_console(sys.stderr), transient=True, refresh_per_second=4) as live:

        def told(news: LearningNews) -> None:
            if news.level is not None:
                curve.append(news.level)
            live.update(VisibleText(f"{news.text}  {drawn_curve(curve)}"))

        yield told


def drawn_curve(levels: list[float], width: int = 40) -> str:
    """Levels from 0 to 1 as a row of bars: the mean of each stretch."""
    if not levels:
        return ""
    count = min(width, len(levels))
    cuts = [len(levels) * number // count for number in range(count + 1)]
    means = [sum(levels[a:b]) / (b - a) for a, b in pairwise(cuts)]
    return "".join(SPARKS[min(len(SPARKS) - 1, int(mean * len(SPARKS)))] for mean in means)
