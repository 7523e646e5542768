"""What must hold of every game that is played, whatever its rules: it can be replayed, every position on its way can be
written and read, and nobody sees what is hidden. All games are replayed, and a position of each is looked at; of a few,
every position is."""

from __future__ import annotations

import random
from pathlib import Path

from chocolatl.interpreter.data.load import read_document
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.position import dump_position, read_position
from chocolatl.interpreter.formats.replaying import Replay
from chocolatl.interpreter.formats.transcript import event_line, header_line, read_lines, result_line
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.match import PlayedEvent
from chocolatl.interpreter.source import make_source
from tests.conftest import Evidence, scaled
from tests.engine.test_views import complaints

CLOSELY = 2
"""In so many games of each kind every single position is looked at."""


class Recorded:
    """A game while it is played: `note` is told of every event."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.seed = seed
        self.lines = [header_line(game, seed)]
        self.positions = [game.initial()]

    def note(self, event: PlayedEvent, position: Position) -> None:
        self.lines.append(event_line(event))
        self.positions.append(position)

    def look(self, number: int, kind: str, folder: Path, evidence: Evidence) -> list[Position]:
        """Look at the game, the `number`-th of its kind, after its end; return the positions that were looked at."""
        game = self.game
        evidence.count(f"transcripts replay: {kind}")
        assert_replays(game, [*self.lines, result_line(game, game.result(self.positions[-1]))], folder)
        choice = random.Random(self.seed)
        closely = number < scaled(full=CLOSELY, slice=1)
        looked_at = choice.sample(self.positions, scaled(full=len(self.positions), slice=6) if closely else 1)
        evidence.count(f"positions survive YAML: {kind}", len(looked_at))
        for position in looked_at:
            assert_survives_yaml(game, position)
        evidence.count(f"views leak nothing: {kind}", len(looked_at) * game.player_count)
        for position in looked_at:
            for player in range(game.player_count):
                assert complaints(game, position, player, choice) == []
        return looked_at


def assert_replays(game: Game, lines: list[str], folder: Path) -> None:
    """A transcript is legal from its first event to its result, and chance is what the seed gives."""
    path = folder / "game.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    replay = Replay(lambda header: game, check_seed=True)
    replay.run(read_lines(path))
    assert replay.problems == [] and (replay.games, replay.events) == (1, len(lines) - 2)


def assert_survives_yaml(game: Game, position: Position) -> None:
    """Written, read by the rules for all files, and written again, a position is the same."""
    text, findings = dump_position(game, position), Findings()
    document = read_document(make_source("position.yaml", text), "position", findings)
    assert document is not None
    found = read_position(document, game, findings)
    assert found is not None and findings.items == []
    assert found.position == position
    assert dump_position(game, found.position) == text
