"""The story of a game from its events, as they stand in a transcript: what one who sees everything would tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from rich.padding import Padding

from chocolatl.interpreter.formats.events import find_decision
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.terminal.output.console import VisibleText
from chocolatl.interpreter.terminal.story.events import StoryEvent
from chocolatl.interpreter.terminal.story.narrator import Narrator


class Story:
    """It listens to the events of one game, one after the other."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.narrator = Narrator(game)
        self.told: list[tuple[int, list[StoryEvent]]] = []

    def hear(self, before: Position, event: Mapping[str, Any], after: Position) -> None:
        """An event that led from one position to another."""
        if "chance" in event:
            chance = self.game.chance(before)
            assert chance is not None
            events = self.narrator.chance(before, chance, chance.decode(event["value"]))
        else:
            decision = find_decision(self.game, before, event["player"], event["choice"])
            events = self.narrator.choice(before, decision, decision.decode(event["value"]), after)
        self.told.append((self.game.round(before), events))

    def lines(self) -> Iterator[VisibleText | Padding]:
        """What was heard, round by round."""
        for number, run in groupby(self.told, lambda entry: entry[0]):
            if number:
                yield VisibleText(f"round {number}", "bold")
            for line in self.narrator.lines([event for _, events in run for event in events]):
                yield Padding(VisibleText(line), (0, 0, 0, 2), expand=False)
