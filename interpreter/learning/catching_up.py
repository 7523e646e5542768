"""What a policy for other rules has to learn to be one for these (fine-tuning): a fixed amount, so that everybody comes
to the same policy, and none where that would take longer than anybody waits unasked."""

from __future__ import annotations

from chocolatl.interpreter.formats.policy_cache import cached_path
from chocolatl.interpreter.formats.policy_file import Section, write_section
from chocolatl.interpreter.learning.lessons import Learned, Lesson, Told, learn
from chocolatl.interpreter.play.game import Game

UPDATES = 30
SEED = 0

PATIENCE = 30.0
"""Seconds that a command may learn without having been asked to."""


def catch_up(game: Game, section: Section, jobs: int, told: Told) -> Learned:
    """Go on from the section of a policy for other rules, and keep what comes of it where `learned` looks for it.

    `NoPatience` if it cannot be done soon, `NoCache` if it could not be kept."""
    path = cached_path(game)
    start = section if "weights" in section else None
    learned = learn(Lesson(game, SEED, UPDATES, None, jobs, start, patience=PATIENCE), told)
    if not learned.interrupted:
        write_section(path, game, learned.section)
    return learned
