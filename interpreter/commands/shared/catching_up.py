"""What a command does about a policy that was learned for other rules: it learns for a moment, and says so; or it says
what to type."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when it is needed
    from chocolatl.interpreter.players.learned import StalePolicy


def one_thread_each() -> None:
    """Products of matrices are dealt out by us already: threads of their library would only wait for one another. It
    looks here when it is imported, which is later."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def catch_up(stale: StalePolicy, jobs: int | None = None) -> None:
    """Let `learned` go on from the policy for other rules. `UnfitPolicy` with the command to type where that would take
    too long; `KeyboardInterrupt` if the user has no patience for it."""
    one_thread_each()
    from chocolatl.interpreter.learning import catching_up
    from chocolatl.interpreter.learning.lessons import NoPatience
    from chocolatl.interpreter.players.learned import UnfitPolicy, called
    from chocolatl.interpreter.terminal.reports.learning import learning_shown

    game, count = stale.game, stale.game.player_count
    other = f"{stale.path}: this policy for {count} players was learned for other rules than {called(game)}"
    more = f"`learned` goes on from it by {catching_up.UPDATES} updates"
    if "table" in stale.section:
        more = "`learned` makes a table for these"
    print(one_line(f"note: {other}; {more}"), file=sys.stderr)
    try:
        with learning_shown() as told:
            learned = catching_up.catch_up(game, stale.section, jobs or os.cpu_count() or 1, told)
    except NoPatience as error:
        words = ["chocolatl", "train", str(game.files.path), "--players", str(count)]
        words += ["--updates", str(catching_up.UPDATES), "--from", str(stale.path), "--cache"]
        raise UnfitPolicy(
            f"to go on from {stale.path} would take about {error.seconds:.0f} seconds; type `{shlex.join(words)}` for "
            "that, or `--accept-stale` to follow it as it is"
        ) from None
    if learned.interrupted:
        raise KeyboardInterrupt
    print(one_line(f"note: that took {learned.seconds:.0f} seconds"), file=sys.stderr)
