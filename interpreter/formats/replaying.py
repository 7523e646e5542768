"""Transcripts against the rules: every event must be legal where it stands, and the result must be what came of it.

A game with a mistake is left at its first one, and the check goes on with the next game of the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from chocolatl.interpreter.formats.events import RefusedEvent, apply_event, describe_pending, shown
from chocolatl.interpreter.formats.transcript import TranscriptLine, result_content
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Chance, Game, Position, RuleError
from chocolatl.interpreter.play.paired import PairedGame

MOST_PROBLEMS = 20
"""After so many mistakes nothing more is learned from a file."""

FindGame = Callable[[dict[str, Any]], Game]
"""The game that a header line names, with its players, or `RefusedEvent`."""

ReplayListener = Callable[[Game, Position, dict[str, Any], Position], None]
"""It is told of an event, with the position before and the one after it."""


@dataclass(frozen=True)
class TranscriptProblem:
    """What is wrong with a line of a transcript."""

    line: int
    message: str


@dataclass(frozen=True)
class Stopped:
    """A position that a game has come to."""

    game: Game
    position: Position


class Replay:
    """The check of one file. `stop_after` asks for the position after so many events of game number `stop_in`; `watch`
    is told of the events of that game, and `reached` is how far it has come."""

    def __init__(
        self,
        find_game: FindGame,
        check_seed: bool = False,
        stop_after: int | None = None,
        stop_in: int = 1,
        watch: ReplayListener | None = None,
    ) -> None:
        self.find_game = find_game
        self.check_seed = check_seed
        self.stop_after, self.stop_in = stop_after, stop_in
        self.problems: list[TranscriptProblem] = []
        self.watch = watch
        self.stopped: Stopped | None = None
        self.reached: Stopped | None = None
        self.games = 0
        self.events = 0
        self._current: _Current | None = None
        self._skipping = False

    def run(self, lines: Iterable[TranscriptLine]) -> None:
        last = 0
        for line in lines:
            last = line.number
            try:
                self._take(line)
            except RefusedEvent as error:
                self._refuse(line.number, str(error))
            except RuleError as error:
                self._refuse(line.number, f"the rules stop here: {error}")
            if self.stopped or len(self.problems) >= MOST_PROBLEMS:
                return
        if self._current is not None:
            self._refuse(last, f"the file ends in the middle of a game; {self._current.missing()}")
        elif not self.games and not self.problems:
            self._refuse(max(last, 1), "there is no game in this file")

    def _refuse(self, line: int, message: str) -> None:
        self.problems.append(TranscriptProblem(line, message))
        self._current, self._skipping = None, True

    def _take(self, line: TranscriptLine) -> None:
        if line.kind == "header":
            if self._current is not None:
                missing = self._current.missing()
                self.problems.append(
                    TranscriptProblem(line.number, f"a new game begins before the last one has ended; {missing}")
                )
            self._begin(line)
        elif self._skipping:
            return
        elif line.problem:
            raise RefusedEvent(line.problem)
        elif self._current is None:
            raise RefusedEvent("a game begins with a header line")
        elif line.kind == "result":
            self._current.check_result(line.content)
            self._current = None
        else:
            before = self._current.position
            self._current.take(line.content)
            self.events += 1
            if self.watch is not None and self.games == self.stop_in:
                self.watch(self._current.game, before, line.content, self._current.position)
            self._look(self._current)

    def _begin(self, line: TranscriptLine) -> None:
        self.games += 1
        self._current, self._skipping = None, False
        try:
            game = self.find_game(line.content)
        except RefusedEvent as error:
            # What is wrong with the rules of every game in a file is said once.
            if all(problem.message != str(error) for problem in self.problems):
                raise
            self._skipping = True
            return
        self._current = _Current(game, line.content if self.check_seed else None)
        self._look(self._current)

    def _look(self, current: _Current) -> None:
        if self.games == self.stop_in:
            self.reached = Stopped(current.game, current.position)
            self.stopped = self.reached if current.events == self.stop_after else None


class _Current:
    """The game that is being read."""

    def __init__(self, game: Game, header: dict[str, Any] | None) -> None:
        """With a header line chance must be what the generator gives that it names."""
        self.game = game
        self.paired: PairedGame | None = None
        self.drawn: Callable[[Chance], Any] | None = None
        if header is not None and "pairing" in header:
            self.paired = PairedGame(game, header["seed"])
            self.drawn = self.paired.outcome
        elif header is not None:
            random = Random(header["seed"])
            self.drawn = lambda chance: chance.outcomes.sample(random)
        self.position = game.initial()
        self.events = 0

    def take(self, event: dict[str, Any]) -> None:
        before = self.position
        self.position = apply_event(self.game, before, event, complete=True, drawn=self.drawn)
        if self.paired is not None and "chance" not in event:
            decision = self.game.decision(before, self.game.players.index(event["player"]))
            assert decision is not None, "it was answered"
            self.paired.passed(decision)
        self.events += 1

    def missing(self) -> str:
        """What would have to come."""
        if self.game.is_over(self.position):
            return "the result line is missing"
        return describe_pending(self.game, self.position)

    def check_result(self, given: dict[str, Any]) -> None:
        if not self.game.is_over(self.position):
            raise RefusedEvent(f"the result comes before the end; {describe_pending(self.game, self.position)}")
        expected = result_content(self.game, self.game.result(self.position))
        for key, value in expected.items():
            found = given[key]
            if key == "winners":
                value, found = _sorted(value), _sorted(found)
            for path, came, right in _differences(key, found, value):
                raise RefusedEvent(f"{path} is {came} in the file, but {right} by the rules")


def _sorted(value: list[object]) -> list[object]:
    """Winners come in any order."""
    return sorted(value, key=shown)


def _differences(path: str, found: object, right: object) -> Iterator[tuple[str, str, str]]:
    """Where a written value is not the right one; `true` is not 1."""
    if isinstance(found, dict) and isinstance(right, dict):
        for key in {**right, **found}:
            if key not in found or key not in right:
                yield f"{path}.{key}", _entry(found, key), _entry(right, key)
            else:
                yield from _differences(f"{path}.{key}", found[key], right[key])
    elif json.dumps(found) != json.dumps(right):
        yield path, shown(found)[:200], shown(right)[:200]


def _entry(record: dict[str, object], key: str) -> str:
    return shown(record[key])[:200] if key in record else "missing"
