"""Transcripts checked against the rules, as an object: what is wrong with them, and where their last game came to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chocolatl.interpreter.commands.replay import game_finder
from chocolatl.interpreter.formats.replaying import Replay, TranscriptProblem
from chocolatl.interpreter.formats.transcript import read_lines
from chocolatl.interpreter.interface.errors import told
from chocolatl.interpreter.interface.positions import TablePosition
from chocolatl.interpreter.interface.tabulating import Row, Rowed


@dataclass(frozen=True)
class ReplayedTranscripts(Rowed):
    """What came of a file."""

    games: int
    events: int
    reached: TablePosition | None
    """Where the game that was asked for came to."""
    problems: tuple[TranscriptProblem, ...]

    @property
    def ok(self) -> bool:
        return not self.problems

    @property
    def rows(self) -> list[Row]:
        """What is wrong: line and message."""
        return [{"line": problem.line, "message": problem.message} for problem in self.problems]


def replay(path: str | Path, game: str | Path | None = None, number: int = 1) -> ReplayedTranscripts:
    """Check a transcript file event by event, as `chocolatl replay` does. `game` names the rules, if they are not those
    that the file names; `number` is the game whose last position is wanted."""
    with told():
        find = game_finder(None if game is None else str(game), any_rules=False)
        checked = Replay(find, stop_in=number)
        checked.run(read_lines(Path(path)))
    reached = TablePosition(checked.reached.game, checked.reached.position) if checked.reached is not None else None
    return ReplayedTranscripts(checked.games, checked.events, reached, tuple(checked.problems))
