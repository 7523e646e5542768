"""A small game in every way it can be played (the extensive form), as arrays: what learning by tables works on.

Every history is walked by the game contract, level by level. A node is a position on one history; nodes that look the
same to the player who decides share an *information state*: as the position tells it (what a table is kept by), and as
the player remembers it (perfect recall, by which best responses answer).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chocolatl.interpreter.play.game import Decision, Game, Position, Result
from chocolatl.interpreter.play.sight import Eyes, Seen, in_block, is_shown, question
from chocolatl.interpreter.players.information import Informant, KnownFacts, answer_text, choice_of
from chocolatl.interpreter.players.probes import guessed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Reals = NDArray[np.float64]

CHANCE, END = -1, -2
"""Who acts at a node where no player does, or one who has a single answer: that is nothing to be learned."""

MOST_STATES = 10_000
MOST_NODES = 150_000
"""Larger games are not for tables."""

SURELY = 20
"""If so many times too many histories are guessed, none is walked."""

TOO_MANY = f"it has more than {MOST_NODES:,} histories"


class TooLargeForTable(Exception):
    """The game has too many histories or information states. The message is a sentence for the user."""


@dataclass(frozen=True)
class InformationState:
    """Of one choice: what is known there, and what can be answered; its answers have slots one after the other."""

    choice: str
    facts: KnownFacts
    answers: tuple[str, ...]
    slot: int


@dataclass(frozen=True, eq=False)
class GameTree:
    """Nodes in the order of their levels, the children of one after the other."""

    players: int
    states: list[InformationState]
    slots: int
    """How many answers all states have together."""
    levels: list[slice]
    parent: Numbers
    actor: Numbers
    slot: Numbers
    """Which answer of which state led to a node; -1 where chance did."""
    odds: Reals
    """How likely chance led to it; 1 where a player did."""
    recalled: Numbers
    """The same as `slot`, by all that the player remembers."""
    recalled_slots: int
    answered: Numbers
    """How many answers of its own the player who answered last before a node had given before, by `recalled`."""
    scores: Reals
    shares: Reals
    """At ends, for each player: points, and shares of victory. Elsewhere nothing."""

    @property
    def nodes(self) -> int:
        return len(self.parent)


@dataclass
class _Walk:
    """What has been found so far."""

    states: list[InformationState] = field(default_factory=list)
    by_facts: dict[tuple[object, ...], InformationState] = field(default_factory=dict)
    memories: dict[tuple[object, ...], int] = field(default_factory=dict)
    by_memory: dict[tuple[object, ...], int] = field(default_factory=dict)
    slots: int = 0
    recalled_slots: int = 0

    def remembered(self, *seen: object) -> int:
        """A number for what somebody has seen: the same for the same."""
        return self.memories.setdefault(seen, len(self.memories))


@dataclass(frozen=True)
class _Node:
    position: Position
    memories: tuple[int, ...]
    """What each player remembers, by number."""
    given: tuple[int, ...]
    """How many answers each has given."""


def game_tree(game: Game, progress: Callable[[int], object] | None = None) -> GameTree:
    """All histories of a game; `TooLargeForTable` if there are too many."""
    import numpy as np

    if guessed(game, game.initial(), game.is_over) > SURELY * MOST_NODES:
        raise TooLargeForTable(TOO_MANY)
    walker = _Walker(game)
    rows: list[tuple[int, int, int, float, int, int]] = [(-1, -1, -1, 1.0, -1, -1)]
    actors: list[int] = []
    results: dict[int, Result] = {}
    levels: list[slice] = []
    level, begin = [walker.root()], 0
    while level:
        levels.append(slice(begin, begin + len(level)))
        below: list[_Node] = []
        for number, node in enumerate(level, begin):
            actors.append(walker.actor(node))
            if actors[-1] == END:
                results[number] = game.result(node.position)
                continue
            for child, edge in walker.children(node, actors[-1]):
                below.append(child)
                rows.append((number, actors[-1], *edge))
            if len(rows) > MOST_NODES:
                raise TooLargeForTable(TOO_MANY)
            if len(walker.walk.states) >= MOST_STATES:
                raise TooLargeForTable(f"it has {MOST_STATES:,} information states or more")
        if progress is not None:
            progress(len(rows))
        begin, level = begin + len(level), below
    scores, shares = np.zeros((len(rows), game.player_count)), np.zeros((len(rows), game.player_count))
    for number, result in results.items():
        scores[number] = result.scores
        for seat in result.winners:
            shares[number, seat] = 1 / len(result.winners)
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    parent, _, slot, odds, recalled, answered = columns
    return GameTree(
        game.player_count, walker.walk.states, walker.walk.slots, levels, parent, np.array(actors), slot, odds,
        recalled, walker.walk.recalled_slots, answered, scores, shares,
    )  # fmt: skip


class _Walker:
    """Goes from a node to its children."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.informant = Informant(game)
        self.eyes = [Eyes(game, seat) for seat in range(game.player_count)]
        self.walk = _Walk()

    def root(self) -> _Node:
        position = self.game.initial()
        memories = [self.walk.remembered(seat, eyes.sight(position)) for seat, eyes in enumerate(self.eyes)]
        return _Node(position, tuple(memories), (0,) * len(self.eyes))

    def actor(self, node: _Node) -> int:
        if self.game.is_over(node.position):
            return END
        pending = self.game.pending(node.position)
        return pending[0].player if pending and pending[0].answers.count() > 1 else CHANCE

    def children(self, node: _Node, actor: int) -> list[tuple[_Node, tuple[int, float, int, int]]]:
        """Each child with what led to it: slot, odds, slot by memory, answers given before."""
        if actor != CHANCE:
            return self.by_player(node)
        return self.forced(node) if self.game.pending(node.position) else self.by_chance(node)

    def by_chance(self, node: _Node) -> list[tuple[_Node, tuple[int, float, int, int]]]:
        chance = self.game.chance(node.position)
        assert chance is not None
        total = chance.outcomes.total**chance.outcomes.times
        seen = [chance.seen_by(seat) for seat in range(len(self.eyes))]
        found = []
        for outcome, odds in chance.outcomes.odds():
            after = self.game.resolve(node.position, outcome)
            news = [(chance.name, outcome if sees else None) for sees in seen]
            found.append((self.child(node, after, news, None), (-1, odds / total, -1, -1)))
        return found

    def forced(self, node: _Node) -> list[tuple[_Node, tuple[int, float, int, int]]]:
        """The only answer that there is."""
        decision = self.game.pending(node.position)[0]
        after = self.game.answer(node.position, decision.player, decision.answers.nth(0))
        return [(self.child(node, after, [()] * len(self.eyes), None), (-1, 1.0, -1, -1))]

    def by_player(self, node: _Node) -> list[tuple[_Node, tuple[int, float, int, int]]]:
        decision = self.game.pending(node.position)[0]
        me, shown = decision.player, is_shown(decision)
        state = self.state(self.informant.facts(node.position, decision), decision)
        remembered = (me, node.memories[me], question(decision))
        if remembered not in self.walk.by_memory:
            self.walk.by_memory[remembered] = self.walk.recalled_slots
            self.walk.recalled_slots += len(state.answers)
        recalled = self.walk.by_memory[remembered]
        found = []
        for number, answer in enumerate(decision.answers):
            after = self.game.answer(node.position, me, answer)
            news = [(me, decision.name, answer if shown or seat == me else None) for seat in range(len(self.eyes))]
            edge = (state.slot + number, 1.0, recalled + number, node.given[me])
            found.append((self.child(node, after, news, me), edge))
        return found

    def state(self, facts: KnownFacts, decision: Decision) -> InformationState:
        name, walk = choice_of(decision), self.walk
        found = walk.by_facts.get((name, *facts.items()))
        if found is None:
            answers = tuple(answer_text(decision, answer) for answer in decision.answers)
            found = InformationState(name, facts, answers, walk.slots)
            walk.by_facts[(name, *facts.items())] = found
            walk.states.append(found)
            walk.slots += len(answers)
        return found

    def child(self, node: _Node, after: Position, news: Sequence[Seen], me: int | None) -> _Node:
        """The node after an event: in a secret block nobody but who answers learns of it."""
        if self.game.is_over(after):
            return _Node(after, node.memories, node.given)
        inside = in_block(node.position, after)
        memories = list(node.memories)
        for seat, eyes in enumerate(self.eyes):
            if inside and seat == me:
                memories[seat] = self.walk.remembered(memories[seat], news[seat])
            elif not inside:
                memories[seat] = self.walk.remembered(memories[seat], news[seat], eyes.sight(after))
        given = tuple(number + (seat == me) for seat, number in enumerate(node.given))
        return _Node(after, tuple(memories), given)
