"""What can happen in a game, as far as a viewer may know it: the words that a narrator tells and a chronicle arranges.

`at` is what an event is about when the rules give it an index or an argument, by its title: a place on the board, say.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Happened:
    """Chance has spoken; `value` is None where the viewer may not know what it said."""

    name: str
    owner: int | None
    value: str | None


@dataclass(frozen=True)
class Chose:
    """A player has chosen; `value` is None where the viewer may not know what. `contest` is the label of the contest in
    whose clauses the rules ask for it, if they do. What has several parts (`joint`) is told on a line of its own."""

    player: int
    name: str
    value: str | None
    at: str = ""
    contest: int | None = None
    joint: bool = False


@dataclass(frozen=True)
class Revealed:
    """What a player had laid face down was turned up."""

    player: int
    name: str
    elements: tuple[str, ...]
    at: str = ""


@dataclass(frozen=True)
class Tie:
    """Two neighbours in an order that are equal in its first key, and the key that told them apart."""

    better: int
    worse: int
    key: str


@dataclass(frozen=True)
class Contested:
    """An order was made: `places` holds the players of each place, best first.

    `key` is what comes first in the comparison, `values` its value for each player, empty if they may not be known;
    `ties` say what told neighbours apart that are equal in it. `line` is the line of the rules that says what the first
    get, if there is one. `label` is the number of its label."""

    title: str
    places: tuple[tuple[int, ...], ...]
    key: str = ""
    values: dict[int, str] = field(default_factory=dict)
    ties: tuple[Tie, ...] = ()
    line: int | None = None
    label: int = -1


@dataclass(frozen=True)
class Scored:
    player: int
    points: int
    item: str
    text: str


StoryEvent = Happened | Chose | Revealed | Contested | Scored
