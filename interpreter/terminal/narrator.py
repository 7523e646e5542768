"""What happened, in sentences for one player or for everyone: chance, choices, contests and points of any game.

A narrator is told of an event and gives back what its viewer may hear of it. What others choose in a secret block is
held back until the block is over, and even then only that is told which can be seen on the table. The viewer's own
choices are left out: the viewer knows them. A narrator without a viewer tells everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from interpreter.engine.compile import Log
from interpreter.game import Answer, Chance, Decision, Game, Position
from interpreter.ir import nodes as ir
from interpreter.ir.walk import statements
from interpreter.program.types import Scalar
from interpreter.terminal import sight
from interpreter.terminal.words import elements_text, enumerated, item_titles, spaced, titled

UNSEEN = "(unseen)"


@dataclass(frozen=True)
class Happened:
    """Chance has spoken; `value` is None where the viewer may not know what it said."""

    name: str
    owner: int | None
    value: str | None


@dataclass(frozen=True)
class Chose:
    """A player has chosen; `value` is None where the viewer may not know what."""

    player: int
    name: str
    value: str | None


@dataclass(frozen=True)
class Contested:
    """An order was made: `places` holds the players of each place, best first.

    `key` is what told the first from the rest (or what they have in common), `values` its value for each player, empty
    if they may not be known; `tied` are the keys before it in which the first two were equal. `line` is the line of the
    rules that says what the first get, if there is one."""

    title: str
    places: tuple[tuple[int, ...], ...]
    key: str = ""
    values: dict[int, str] = field(default_factory=dict)
    tied: tuple[str, ...] = ()
    line: int | None = None

    @property
    def first(self) -> int:
        """How many share the first place."""
        return len(self.places[0]) if self.places else 0


@dataclass(frozen=True)
class Scored:
    player: int
    points: int
    item: str
    text: str


Event = Happened | Chose | Contested | Scored


class Narrator:
    """`viewer` is a seat, `sight.ALL` for what everyone sees, or None for everything."""

    def __init__(self, game: Game, viewer: int | None = None) -> None:
        self.game = game
        self.viewer = viewer
        self.titles = item_titles(game)

    # ------------------------------------------------------------ what is told to it

    def chance(self, position: Position, chance: Chance, outcome: Answer, log: Log) -> list[Event]:
        """Chance has spoken at a position; `log` is what the rules did then."""
        seen = sight.sees_outcome(self.game, position, chance, outcome, self.viewer)
        value = self.outcome_text(chance, outcome) if seen else None
        return [Happened(spaced(chance.name), chance.owner, value), *self.logged(log)]

    def choice(self, before: Position, decision: Decision, answer: Answer, after: Position, log: Log) -> list[Event]:
        """A player has answered. In a secret block nothing is heard until it is over, and then of all players."""
        if before.sealed is None:
            told = [(decision, answer, sight.sees_answer(self.game, before, decision, answer, after, self.viewer))]
        elif sight.is_over(before, after):
            common = sight.joined(self.game, before, decision, answer)
            told = [
                (d, a, sight.sees_answer_in_block(self.game, before, d, a, common, self.viewer))
                for d, a in sight.block_answers(self.game, before, decision, answer)
            ]
        else:
            told = []
        events: list[Event] = [
            Chose(d.player, spaced(d.name), answer_text(d, a) if seen else None)
            for d, a, seen in told
            if d.player != self.viewer
        ]
        return events + self.logged(log)

    def logged(self, log: Log) -> list[Event]:
        """What the rules did: contests, and points that are worth a line."""
        events = [self.scored(*entry[1:]) if entry[0] == "award" else self.contested(*entry[1:]) for entry in log]
        return [e for e in events if not isinstance(e, Scored) or e.points or e.text]

    # ------------------------------------------------------------ contests and points

    def scored(self, player: int, item: int, points: int, text: int, values: tuple[int, ...]) -> Scored:
        words = self.game.program.texts[text]
        public = words is not None and (self.viewer is None or sight.is_public(self.game, words))
        reason = self.game.fill(words, values) if words is not None and public else ""
        return Scored(player, points, self.titles[self.game.ir.items[item]], reason)

    def contested(
        self, number: int, ranked: tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]], text: int,
        values: tuple[int, ...],
    ) -> Contested:  # fmt: skip
        elements, ranks, keys = ranked
        ranking = self.game.ir.rankings[self.game.program.rankings[number]]
        label = self.game.program.texts[text]
        assert label is not None
        title = spaced(self.game.fill(label, values))
        places: dict[int, list[int]] = {}
        for element, rank in zip(elements, ranks, strict=True):
            places.setdefault(rank, []).append(element)
        groups = tuple(tuple(group) for group in places.values())
        if not groups:
            return Contested(title, ())
        other = keys[len(groups[0])] if len(groups) > 1 else keys[0]
        differing = [i for i, (mine, theirs) in enumerate(zip(keys[0], other, strict=True)) if mine != theirs]
        decisive = differing[0] if differing else len(ranking.keys) - 1  # among equals, what would have decided
        key = ranking.keys[decisive]
        words = self._words(ranking.local.name, key.text)
        line = self._clause(text, len(groups[0]))
        if self.viewer is not None and not sight.is_public(self.game, key.expression):
            return Contested(title, groups[:1], words, line=line)  # how the others compare says what they hide
        sign = -1 if key.descending else 1
        shown = {
            element: self.game.show(key.expression.type, sign * own[decisive])
            for element, own in zip(elements, keys, strict=True)
        }
        numeric = [k.text for k in ranking.keys[:decisive] if k.text.startswith(("highest ", "lowest "))]
        tied = tuple(self._words(ranking.local.name, k) for k in numeric) if differing else ()
        return Contested(title, groups, words, shown, tied, line)

    def _clause(self, text: int, sharers: int) -> int | None:
        """The line of the clause of a contest that the first place comes under; the contest is found by its label."""
        label = self.game.program.texts[text]
        sharing = ("", "alone" if sharers == 1 else "shared")
        for procedure in self.game.ir.procedures.values():
            for statement in statements(procedure.body):
                if isinstance(statement, ir.Contest) and statement.label is label:
                    for clause in statement.clauses:
                        if getattr(clause.place, "value", None) == 1 and clause.sharing in sharing:
                            return clause.span.line
        return None

    def _words(self, variable: str, text: str) -> str:
        """`highest p.bid` is `highest bid` to someone who does not read rules."""
        return spaced(text.replace(f"{variable}.", "").replace(f"({variable})", ""))

    # ------------------------------------------------------------ words

    def outcome_text(self, chance: Chance, outcome: Answer) -> str:
        if chance.outcomes.several:
            encoded = chance.encode(outcome)
            return elements_text(encoded if isinstance(encoded, list) else [encoded])
        return titled(self.game, chance.element, outcome)

    def name(self, player: int) -> str:
        return self.game.players[player]

    def lines(self, events: Sequence[Event]) -> list[str]:
        """Events as lines of text; what one player chose in a row stands on one line."""
        lines: list[str] = []
        for number, event in enumerate(events):
            before = events[number - 1] if number else None
            if isinstance(event, Chose) and isinstance(before, Chose) and before.player == event.player:
                lines[-1] += f", {self.choice_text(event)}"
            else:
                lines.append(self.sentence(event))
        return lines

    def sentence(self, event: Event) -> str:
        """An event as a line of text."""
        match event:
            case Happened():
                owner = f" for {self.name(event.owner)}" if event.owner is not None else ""
                return f"{event.name}{owner}: {UNSEEN if event.value is None else event.value}"
            case Chose():
                return f"{self.name(event.player)}: {self.choice_text(event)}"
            case Scored():
                reason = f" ({event.text})" if event.text else ""
                return f"{self.points(event)} {event.item}{reason}"
            case Contested():
                return f"{event.title}: {self.order(event)}{self.why(event)}"

    def choice_text(self, event: Chose) -> str:
        return f"{event.name} {UNSEEN if event.value is None else event.value}"

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
        """What told the first from the second, in brackets."""
        equal = f"equal in {enumerated(event.tied)}; then " if event.tied else ""
        return f" ({equal}{event.key})" if event.places else ""


def answer_text(decision: Decision, answer: Answer) -> str:
    """An answer as people read it."""
    encoded = decision.encode(answer)
    if isinstance(decision.node, ir.ChooseSet):
        return elements_text(encoded if isinstance(encoded, list) else [])
    if isinstance(encoded, dict):
        return ", ".join(f"{spaced(name)} {value}" for name, value in encoded.items())
    if encoded is None and len(decision.node.picks) > 1:
        return "none"
    return titled(decision.game, element_type(decision), answer)


def element_type(decision: Decision) -> Scalar:
    """The type of what a decision asks for, be it one element or several of a zone."""
    if isinstance(decision.node, ir.ChooseSet):
        return decision.game.element(decision.node.source)
    type_ = decision.node.picks[0].local.type
    assert isinstance(type_, Scalar)
    return type_
