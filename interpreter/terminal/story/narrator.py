"""What happened, in sentences for one player or for everyone: chance, choices, contests and points of any game.

A narrator is told of an event and gives back what its viewer may hear of it. What others choose in a secret block is
held back until the block is over, and even then only that is told which can be seen on the table. The viewer's own
choices are left out: the viewer knows them. A narrator without a viewer tells everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from chocolatl.interpreter.lowered.layout import PC, Slots
from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.play.game import Answer, Chance, Decision, Game, Position
from chocolatl.interpreter.program.types import Multiset, Scalar
from chocolatl.interpreter.terminal.output.words import (
    answer_text,
    elements_text,
    enumerated,
    is_joint,
    item_titles,
    spaced,
    titled,
)
from chocolatl.interpreter.terminal.story import visibility
from chocolatl.interpreter.terminal.story.contests import contested, labels_by_choice
from chocolatl.interpreter.terminal.story.events import Chose, Contested, Happened, Revealed, Scored, StoryEvent

UNSEEN = "(unseen)"


class Narrator:
    """`viewer` is a seat, `visibility.ALL` for what everyone sees, or None for everything."""

    def __init__(self, game: Game, viewer: int | None = None) -> None:
        self.game = game
        self.viewer = viewer
        self.titles = item_titles(game)
        self.turned_up = visibility.turned_up(game)
        self.labels = labels_by_choice(game)

    # ------------------------------------------------------------ what is told to it

    def chance(self, before: Position, chance: Chance, outcome: Answer) -> list[StoryEvent]:
        """Chance has spoken at a position."""
        seen = self.viewer is None or chance.seen_by(self.viewer)
        value = self.outcome_text(chance, outcome) if seen else None
        return [
            Happened(spaced(chance.name), chance.owner, value),
            *self._followed(_answered(self.game, before, outcome)),
        ]

    def choice(self, before: Position, decision: Decision, answer: Answer, after: Position) -> list[StoryEvent]:
        """A player has answered. In a secret block nothing is heard until it is over, and then of all players."""
        if before.sealed is None:
            told = [(decision, answer, visibility.sees_answer(self.game, before, decision, answer, after, self.viewer))]
            slots = _answered(self.game, before, answer)
        elif visibility.is_over(before, after):
            common = visibility.joined(self.game, before, decision, answer)
            told = [
                (d, a, visibility.sees_answer_in_block(self.game, before, d, a, common, self.viewer))
                for d, a in visibility.block_answers(self.game, before, decision, answer)
            ]
            slots = list(common.slots)
        else:
            return []
        events: list[StoryEvent] = [self._chose(d, a, seen) for d, a, seen in told if d.player != self.viewer]
        return events + list(self._followed(slots))

    def logged(self, log: Log) -> list[StoryEvent]:
        """What the rules did: contests, and points that are worth a line."""
        events: list[StoryEvent] = []
        for kind, *entry in log:
            if kind == "contest":
                events.append(contested(self.game, self.viewer, *entry))
            elif kind == "award":
                scored = self._scored(*entry)
                events += [scored] if scored.points or scored.text else []
        return events

    def _followed(self, slots: Slots) -> Iterator[StoryEvent]:
        """What came of an event, from the slots in which it has just been noted."""
        lying = self._lying(slots)
        for log in visibility.steps(self.game, slots):
            before, lying = lying, self._lying(slots)
            for place, elements in lying.items():
                if len(elements) > len(before[place]):
                    fresh = list(elements)
                    for element in before[place]:
                        if element in fresh:
                            fresh.remove(element)
                    name, player, at = place
                    yield Revealed(player, name, tuple(fresh), at)
            yield from self.logged(log)

    def _lying(self, slots: Slots) -> dict[tuple[str, int, str], list[str]]:
        """What lies turned up, by zone, player and index."""
        found: dict[tuple[str, int, str], list[str]] = {}
        for field in self.turned_up:
            place = self.game.program.layout.places[field.key]
            assert isinstance(field.type, Multiset)
            per_owner = place.cells // field.owners
            for cell in (owner * per_owner + n for n in range(per_owner) for owner in range(field.owners)):
                elements: Any = self.game.codec.encode_set(field.type, slots[place.base + cell])
                at = self._index_titles(field.indices, cell % per_owner)
                found[spaced(field.name), cell // per_owner, at] = [str(element) for element in elements]
        return found

    def _index_titles(self, indices: tuple[Scalar, ...], cell: int) -> str:
        words: list[str] = []
        for index in reversed(indices):
            cell, position = divmod(cell, index.size)
            words.insert(0, titled(self.game, index, index.low + position))
        return ", ".join(words)

    # ------------------------------------------------------------ choices and points

    def _chose(self, decision: Decision, answer: Answer, seen: bool) -> Chose:
        values = self.game.program.index[decision.stop.pc](decision.slots)
        pairs = zip(decision.node.indices, values, strict=True)
        at = ", ".join(titled(self.game, index.type, value) for index, value in pairs)
        value = answer_text(decision, answer) if seen else None
        contest = self.labels.get(id(decision.node))
        return Chose(decision.player, spaced(decision.node.name), value, at, contest, is_joint(decision))

    def _scored(self, player: int, item: int, points: int, text: int, values: tuple[int | None, ...]) -> Scored:
        words = self.game.program.texts[text]
        public = words is not None and (self.viewer is None or visibility.is_public(self.game, words))
        reason = self.game.fill(words, values) if words is not None and public else ""
        return Scored(player, points, self.titles[self.game.ir.items[item]], reason)

    # ------------------------------------------------------------ words

    def outcome_text(self, chance: Chance, outcome: Answer) -> str:
        if chance.outcomes.several:
            encoded = chance.encode(outcome)
            return elements_text(encoded if isinstance(encoded, list) else [encoded])
        return titled(self.game, chance.element, outcome)

    def name(self, player: int) -> str:
        return self.game.players[player]

    def lines(self, events: Sequence[StoryEvent]) -> list[str]:
        """Events as lines of text; what belongs together and follows one another stands on one line."""
        lines: list[str] = []
        for are_choices, run in groupby(events, lambda event: isinstance(event, Chose)):
            group = list(run)
            if are_choices and all(isinstance(event, Chose) and event.value is None for event in group):
                group.sort(key=lambda event: event.name if isinstance(event, Chose) else "")
                lines += [self._unseen(list(same)) for _, same in groupby(group, lambda e: getattr(e, "name", ""))]
            else:
                lines += [self._line(list(same)) for _, same in groupby(group, _line_key)]
        return lines

    def _unseen(self, events: Sequence[StoryEvent]) -> str:
        """Choices of one name of which nobody is told more."""
        choices = [event for event in events if isinstance(event, Chose)]
        names = list(dict.fromkeys(self.name(event.player) for event in choices))
        each = len(choices) // len(names)
        return f"{enumerated(names)}: {choices[0].name} {UNSEEN}{f' x{each}' if each > 1 else ''}"

    def _line(self, events: list[StoryEvent]) -> str:
        match events[0]:
            case Chose() as first:
                texts = [self.choice_text(event) for event in events if isinstance(event, Chose)]
                return f"{self.name(first.player)}: {', '.join(texts)}"
            case Revealed() as first:
                shown = [
                    f"{self.name(e.player)} {elements_text(e.elements)}" for e in events if isinstance(e, Revealed)
                ]
                return f"{first.at or first.name}, shown: {', '.join(shown)}"
            case Happened() as first:
                values = [UNSEEN if e.value is None else e.value for e in events if isinstance(e, Happened)]
                return f"{first.name}{self._for(first)}: {', '.join(values)}"
            case Scored() as first:
                return self.scored_text(first)
            case Contested() as first:
                return f"{first.title}: {self.order(first)}{self.why(first)}"

    def _for(self, event: Happened) -> str:
        return f" for {self.name(event.owner)}" if event.owner is not None else ""

    def choice_text(self, event: Chose) -> str:
        """`bid 4`, `way: To the left`, `walk fish, steps 2`."""
        name = f"{event.name} ({event.at})" if event.at else event.name
        value = UNSEEN if event.value is None else event.value
        return f"{name} {value}" if event.joint or value[:1] in "-(0123456789" else f"{name}: {value}"

    def scored_text(self, event: Scored) -> str:
        reason = f" ({event.text})" if event.text else ""
        return f"{self.points(event)} {event.item}{reason}"

    def points(self, event: Scored) -> str:
        return f"{self.name(event.player)} {event.points:+d}"

    def order(self, event: Contested) -> str:
        """`p2 9 > p1 7 = p3 7`; where the values may not be known, only who is first."""
        if not event.places:
            return "nobody"
        if not event.values:
            first = [self.name(player) for player in event.places[0]]
            return f"{enumerated(first)} {'is first' if len(first) == 1 else 'share the first place'}"
        places = [" = ".join(f"{self.name(p)} {event.values[p]}" for p in place) for place in event.places]
        return " > ".join(places)

    def why(self, event: Contested) -> str:
        """What was compared, and what told those apart who are equal in it, in brackets."""
        if not event.places:
            return ""
        return f" ({'; '.join([event.key, *self.ties(event)])})"

    def ties(self, event: Contested) -> list[str]:
        return [f"{self.name(tie.better)} before {self.name(tie.worse)}: {tie.key}" for tie in event.ties]


def _answered(game: Game, position: Position, answer: Answer) -> Slots:
    """The slots in which an answer or outcome has been noted, before the rules go on. Not for secret blocks."""
    slots = list(position.slots)
    stop = game.program.stops[slots[PC]]
    game.program.store[stop.pc](slots, answer)
    slots[PC] = stop.after
    return slots


def _line_key(event: StoryEvent) -> object:
    """Events that follow one another and are equal in this share a line."""
    match event:
        case Chose() if not event.joint:
            return "chose", event.player
        case Revealed():
            return "revealed", event.name, event.at
        case Happened():
            return "happened", event.name, event.owner
    return id(event)
