"""What a game was learned to, as an object: how strong it is, and a file that players follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from weakref import finalize

from chocolatl.interpreter.interface.errors import told
from chocolatl.interpreter.interface.tabulating import Row, Rowed
from chocolatl.interpreter.play.game import Game

if TYPE_CHECKING:  # numpy takes time to load
    from chocolatl.interpreter.learning.lessons import Learned, LearningNews

PARTS = 10_000


@dataclass(frozen=True, eq=False)
class LearnedPolicy(Rowed):
    """A policy for a game and its number of players. `simulate` takes it as a type of players."""

    game: Game = field(repr=False)
    learned: Learned = field(repr=False)

    def __repr__(self) -> str:
        title, players = self.game.files.title, self.game.player_count
        return f"<policy of {title} for {players} players: {self.learned.updates:,} updates>"

    @property
    def name(self) -> str:
        """How it is called among others."""
        return f"learned, {self.learned.updates:,} updates by seed {self.learned.section['recipe'].get('seed')}"

    @property
    def strength(self) -> dict[str, float]:
        """What was measured at the end: its share of victories among random players with the lower end of its interval,
        which tells little about competent ones; of a table what best responses gain (`nash_conv`)."""
        return {name: value if name == "games" else value / PARTS for name, value in self.learned.strength.items()}

    @property
    def rows(self) -> list[Row]:
        return [{"figure": name, "value": value} for name, value in self.strength.items()]

    def save(self, path: str | Path) -> Path:
        """Write it into a policy file, beside what is there for other numbers of players; `learned:FILE` follows it."""
        from chocolatl.interpreter.formats.policy_file import write_section

        with told():
            write_section(Path(path), self.game, self.learned.section)
        return Path(path)

    @cached_property
    def type(self) -> str:
        """As a type of players, for as long as this object is there."""
        folder = mkdtemp(prefix="chocolatl-")
        finalize(self, rmtree, folder, ignore_errors=True)
        return f"learned:{self.save(Path(folder) / 'policy.yaml')}"


def learned_policy(
    game: Game,
    updates: int | None,
    minutes: float | None,
    seed: int,
    jobs: int,
    progress: Callable[[LearningNews], object] | None,
) -> LearnedPolicy:
    """Learn a game, as `chocolatl train` does."""
    from chocolatl.interpreter.learning.lessons import Lesson, learn

    with told():
        lesson = Lesson(game, seed, updates, None if minutes is None else minutes * 60, jobs)
        return LearnedPolicy(game, learn(lesson, progress or (lambda news: None)))
