"""Positions as objects: who decides what, what a player sees, the position after an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chocolatl.interpreter.interface.errors import ChocolatlError, told
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.players.programs import AskedChoice, IllegalAnswer


@dataclass(frozen=True)
class TablePosition:
    """A position of a game. It never changes: `answer` gives another one."""

    game: Game
    value: Position
    random: dict[str, Any] | None = None
    """Where the generators of a dealt game are, as position files have it."""

    def __repr__(self) -> str:
        title, round_ = self.game.files.title, f", round {self.round}" if self.game.has_rounds else ""
        waiting = ", ".join(f"{asked.player} decides {asked.name}" for asked in self.choices) or "the game is over"
        return f"<position of {title}{round_}: {waiting}>"

    @property
    def players(self) -> tuple[str, ...]:
        return self.game.players

    @property
    def round(self) -> int:
        """The number of the round, 0 before the first one and in games without rounds."""
        return self.game.round(self.value)

    @property
    def is_over(self) -> bool:
        return self.game.is_over(self.value)

    @property
    def scores(self) -> dict[str, int]:
        return dict(zip(self.players, self.game.scores(self.value), strict=True))

    @property
    def winners(self) -> list[str]:
        """Nobody while the game goes on."""
        return [self.players[seat] for seat in self.game.result(self.value).winners] if self.is_over else []

    @property
    def choices(self) -> list[AskedChoice]:
        """Who has to decide what; several players where all decide in secret."""
        return [AskedChoice(self.players[asked.player], asked) for asked in self.game.pending(self.value)]

    def answer(self, player: str, value: object, seed: int = 0) -> TablePosition:
        """The position after a legal answer, written as in files. Chance that follows is drawn by the seed."""
        with told():
            decision = self.game.decision(self.value, self.seat(player))
            if decision is None:
                raise ChocolatlError(f"{player} has nothing to decide here")
            try:
                answer = AskedChoice(player, decision).answer(value)
            except IllegalAnswer as error:
                raise ChocolatlError(str(error)) from None
            after = self.game.answer(self.value, decision.player, answer)
            return TablePosition(self.game, _settled(self.game, after, seed))

    def view(self, player: str) -> dict[str, Any]:
        """All that a player may know."""
        return self.game.view(self.value, self.seat(player))

    def seat(self, player: str) -> int:
        if player not in self.players:
            raise ChocolatlError(f"there is no player `{player}` (they are: {', '.join(self.players)})")
        return self.players.index(player)

    def text(self) -> str:
        """The position as a file has it."""
        from chocolatl.interpreter.formats.position import dump_position

        return dump_position(self.game, self.value, self.random, Path.cwd())

    def save(self, path: str | Path) -> Path:
        """Write a position file, which `chocolatl solve`, `play --from` and `BoardGame.read` take."""
        from chocolatl.interpreter.formats.files import write_text
        from chocolatl.interpreter.formats.position import dump_position

        target = Path(path)
        with told():
            write_text(target, dump_position(self.game, self.value, self.random, target.resolve().parent))
        return target


def _settled(game: Game, position: Position, seed: int) -> Position:
    """The next position at which somebody decides, or the last one."""
    number = 0
    while (chance := game.chance(position)) is not None:
        position = game.resolve(position, chance.outcomes.sample(Random(seed, number, 0)))
        number += 1
    return position


def names_of(count: int | Sequence[str]) -> tuple[str, ...]:
    """Players by seat, from names or from how many they are."""
    from chocolatl.interpreter.players.registry import WrongPlayers, checked_name, default_name

    if isinstance(count, int):
        return tuple(map(default_name, range(count)))
    if isinstance(count, str):
        raise ChocolatlError("players are a number or a list of names")
    names: list[str] = []
    try:
        for name in count:
            names.append(checked_name(name, names))
    except WrongPlayers as error:
        raise ChocolatlError(str(error)) from None
    return tuple(names)
