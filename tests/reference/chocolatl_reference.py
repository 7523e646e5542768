"""Chocolatl a second time, in plain Python: independent evidence that the rule file says what the rules are.

It was written from the rules of the game alone and shares nothing with the interpreter, which it does not import: no
rule file, no data, no random numbers. It plays nothing by itself. It is given the events of a game (what chance
brought, what the players chose), works out after each what the table looks like and which question has to come next,
and complains if another one came. Who compares its tables with those of the interpreter finds any rule that the two
understand differently; `tests/shipped/test_reference.py` does so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.reference.events import Disagreement, Event

LOCATIONS = ("temple", "plantation", "village", "pyramid", "drink", "court")
HAND = tuple(range(13))
LOW_STACK, HIGH_STACK = tuple(range(7, 13)), tuple(range(13, 19))
DRINK_HIGHEST, DRINK_SECOND, DRINK_LOWEST = (8, 7, 6, 5, 4, 3, 2), (4, 3, 2, 0, 0, 0, 0), -2
COURT_LAST_ROUND = (6, 3)
STONES, CLEAR_MARGIN, END_SCORE = 9, 3, 40

RULINGS: dict[str, Any] = {
    "temple.tie_holder": "before",
    "payout.order": "rank",
    "dice.order": "rear_to_front",
    "dice.multi": True,
    "dice.passes": "until_all_pass",
    "mode.red.reveal": "per_location",
    "mode.green.second": "all_then_per_location",
    "score.floor": 0,
    "pyramid.double_mandatory": True,
    "court.discard": "lowest",
    "court.discard_includes_new": False,
    "court.discard_public": True,
    "end.latched": True,
    "oldman.temple_bonus_optional": False,
    "temple.vp_on_keep": True,
    "dice.usable_from": "next_location",
    "final.die_optional": False,
}
"""Every ruling that has alternatives, with its default. When cards are turned up, and whether a discard is, changes
what players know and nothing on the table; these rulings stand here without effect."""


def printed_colour(space: int) -> str:
    """The colour of a space on the score track; a disc below 0 counts as on 0."""
    return ("gold", "green", "red")[(space - 1) % 3] if space > 0 else "red"


@dataclass(frozen=True)
class Edition:
    """What variants change: rulings, the colours of the track, the number of rounds, the rows of the pyramid."""

    rulings: dict[str, Any] = field(default_factory=dict)
    colour: Callable[[int], str] = printed_colour
    rounds: int = 7
    rows: tuple[int, ...] = (5, 4, 3, 2)
    bonus: tuple[int, ...] = (5, 4, 3, 2)


@dataclass(frozen=True)
class Table:
    """What lies open when a question is asked, by player in the order of the seats."""

    scores: tuple[int, ...]
    figure: str | None
    old_man: str | None
    stones: tuple[int, ...]
    huts: tuple[int, ...]
    dice: tuple[int, ...]
    in_pyramid: tuple[int, ...]


class Reference:
    """Replays the events of one game. Afterwards: `tables`, one before each event and one after the last, `points` by
    source for each player, `winners`, and `owned`, the cards of each player without the offering."""

    def __init__(self, players: Sequence[str], events: Sequence[Event], edition: Edition) -> None:
        self.players = list(players)
        self.events = events
        self.edition = edition
        self.ruling = {**RULINGS, **edition.rulings}
        self.taken = 0
        self.tables: list[Table] = []
        self.winners: list[str] = []
        self.points: dict[str, dict[str, int]] = {player: {} for player in players}
        self.score = dict.fromkeys(players, 0)
        self.pile: list[str] = []  # by arrival: on one space, who comes later in this list lies higher
        self.stones = dict.fromkeys(players, STONES)
        self.huts = dict.fromkeys(players, 0)
        self.dice = dict.fromkeys(players, 0)
        self.new_dice = dict.fromkeys(players, 0)
        self.owned = {player: list(HAND) for player in players}
        self.offering: dict[str, int] = {}
        self.figure: str | None = None
        self.old_man: str | None = None
        self.old_man_helps = True
        self.pyramid: list[str] = []  # the owner of each stone, from the first one placed
        self.round = 0
        self.end_was_reached = False

    # ------------------------------------------------------------ questions and tables

    def next_event(self, is_chance: bool, who: str | None, name: str) -> Any:
        """The value of the next event, which has to be the answer to this very question."""
        self.tables.append(self.table())
        if self.taken == len(self.events):
            raise Disagreement(f"the game ended, but {name} of {who} has to follow")
        event = self.events[self.taken]
        self.taken += 1
        if (event.is_chance, event.who, event.name) != (is_chance, who, name):
            raise Disagreement(f"event {self.taken} should be {name} of {who}, but is {event}")
        return event.value

    def chance(self, name: str, owner: str | None = None) -> Any:
        return self.next_event(True, owner, name)

    def choice(self, player: str, name: str) -> Any:
        return self.next_event(False, player, name)

    def table(self) -> Table:
        def by_seat(values: dict[str, int]) -> tuple[int, ...]:
            return tuple(values[player] for player in self.players)

        placed = {player: self.pyramid.count(player) for player in self.players}
        return Table(
            by_seat(self.score),
            self.figure,
            self.old_man,
            by_seat(self.stones),
            by_seat(self.huts),
            by_seat(self.dice),
            by_seat(placed),
        )

    # ------------------------------------------------------------ the course of the game

    def replay(self) -> None:
        self.pile = [self.chance("pile") for _ in self.players]
        for player in self.players:
            (self.offering[player],) = self.choice(player, "offering")
            self.owned[player].remove(self.offering[player])
        low, high = list(LOW_STACK), list(HIGH_STACK)
        while self.round == 0 or not self.is_last_round():
            self.round += 1
            self.note_end()
            self.play_round(low, high)
        self.score_finally()
        self.tables.append(self.table())
        if self.taken < len(self.events):
            raise Disagreement(f"the game is over, but there follows {self.events[self.taken]}")

    def play_round(self, low: list[int], high: list[int]) -> None:
        white = sorted(self.chance("white_dice"), reverse=True)
        open_cards = []
        for stack, name in ((low, "low_card"), (high, "high_card")):
            if stack:
                open_cards.append(self.chance(name))
                stack.remove(open_cards[-1])
        mode = self.edition.colour(max(self.score.values()))
        laid: dict[tuple[str, str], list[int]] = {(p, here): [] for p in self.players for here in LOCATIONS}
        in_hand = {player: list(self.owned[player]) for player in self.players}

        def lay(player: str, here: str, name: str, count: int) -> None:
            cards = self.choice(player, f"{name}[{here}]")
            if len(cards) != count:
                raise Disagreement(f"{player} lays {cards} at the {here}, and should lay {count}")
            for card in cards:
                in_hand[player].remove(card)
            laid[player, here] += cards

        passes = {"red": [("sealed", 2)], "green": [("first_card", 1), ("second_card", 1)], "gold": []}
        for name, count in passes[mode]:
            for player in self.players:
                for here in LOCATIONS:
                    lay(player, here, name, count)
        for here in LOCATIONS:
            if mode == "gold":
                for player in self.players:
                    lay(player, here, "sealed", 2)
            bids = self.bids(here, {player: sum(laid[player, here]) for player in self.players})
            self.resolve(here, bids, white, open_cards)
        self.new_dice = dict.fromkeys(self.players, 0)

    def end_is_reached(self) -> bool:
        return (
            self.round == self.edition.rounds
            or len(self.pyramid) == sum(self.edition.rows)
            or any(self.score[player] >= END_SCORE or self.stones[player] == 0 for player in self.players)
        )

    def note_end(self) -> None:
        self.end_was_reached = self.end_was_reached or self.end_is_reached()

    def is_last_round(self) -> bool:
        return self.end_was_reached if self.ruling["end.latched"] else self.end_is_reached()

    # ------------------------------------------------------------ bids, dice, ranking, points

    def bids(self, here: str, cards: dict[str, int]) -> dict[str, int]:
        """What each player bids, after everybody was asked for black dice."""
        self.old_man_helps = True
        if here == "temple" and self.old_man is not None and self.ruling["oldman.temple_bonus_optional"]:
            self.old_man_helps = self.choice(self.old_man, "old_man_helps")
        pips = self.roll_black_dice()
        total = {}
        for player in self.players:
            huts = -self.huts[player] if here == "village" else self.huts[player]
            old_man = 0
            if player == self.old_man:
                old_man = -1 if here != "temple" else 1 if self.old_man_helps else 0
            total[player] = cards[player] + huts + old_man + sum(pips[player])
        return total

    def roll_black_dice(self) -> dict[str, list[int]]:
        """Sweeps from the rearmost disc to the foremost, until enough players have passed."""
        rolled: dict[str, list[int]] = {player: [] for player in self.players}
        order = sorted(self.players, key=lambda p: (self.score[p], -self.pile.index(p)))
        if self.ruling["dice.order"] == "front_to_rear":
            order.reverse()
        passed_in_a_row = 0
        while True:
            somebody_rolled = False
            for player in order:
                if self.may_roll(player, rolled[player]) and self.choice(player, "black_die"):
                    rolled[player].append(self.chance("black_die", player))
                    self.dice[player] -= 1
                    passed_in_a_row = 0
                    somebody_rolled = True
                else:
                    passed_in_a_row += 1
                if self.ruling["dice.passes"] == "until_all_pass" and passed_in_a_row == len(self.players):
                    return rolled
            if self.ruling["dice.passes"] == "once":
                return rolled
            if self.ruling["dice.passes"] == "full_sweep" and not somebody_rolled:
                return rolled

    def may_roll(self, player: str, rolled: list[int]) -> bool:
        fresh = self.new_dice[player] if self.ruling["dice.usable_from"] == "next_round" else 0
        return self.dice[player] > fresh and (self.ruling["dice.multi"] or not rolled)

    def ranked(self, value: dict[str, int], among: Sequence[str] | None = None) -> list[str]:
        """Best first: the value, then the holder of the figure, then fewer points, then higher in the pile."""
        return sorted(
            self.players if among is None else among,
            key=lambda p: (-value[p], p != self.figure, self.score[p], -self.pile.index(p)),
        )

    def move_disc(self, player: str, points: int, source: str) -> None:
        before = self.score[player]
        after = before + points
        if self.ruling["score.floor"] is not None:
            after = max(after, self.ruling["score.floor"])
        self.note_points(player, after - before, source)
        if after != before:
            self.pile.remove(player)
            self.pile.append(player)
        self.note_end()

    def note_points(self, player: str, points: int, source: str) -> None:
        self.score[player] += points
        self.points[player][source] = self.points[player].get(source, 0) + points

    def pay(self, payments: list[tuple[str, int]], source: str) -> None:
        """Payments are given in the order of the ranking."""
        if self.ruling["payout.order"] == "reverse_rank":
            payments.reverse()
        for player, points in payments:
            self.move_disc(player, points, source)

    # ------------------------------------------------------------ the six locations

    def resolve(self, here: str, bids: dict[str, int], white: list[int], open_cards: list[int]) -> None:
        order = self.ranked(bids)
        if here == "temple":
            self.resolve_temple(order, bids)
        elif here == "plantation":
            self.pay(list(zip(order, white, strict=False)), here)
        elif here == "village":
            self.resolve_village(order)
        elif here == "pyramid":
            self.resolve_pyramid(order, bids)
        elif here == "drink":
            number = self.round - 1
            first, second, last = order[0], order[1], order[-1]
            self.pay([(first, DRINK_HIGHEST[number]), (second, DRINK_SECOND[number]), (last, DRINK_LOWEST)], here)
        elif self.is_last_round():
            self.pay(list(zip(order, COURT_LAST_ROUND, strict=False)), here)
        else:
            for player in order[:2]:
                self.exchange(player, open_cards)

    def resolve_temple(self, order: list[str], bids: dict[str, int]) -> None:
        first = order[0]
        if first != self.figure or self.ruling["temple.vp_on_keep"]:
            self.move_disc(first, 1, "temple")
        self.figure = first
        if self.ruling["temple.tie_holder"] == "after":
            order = self.ranked(bids, [player for player in self.players if player != first])
        self.old_man = order[-1]

    def resolve_village(self, order: list[str]) -> None:
        builder, other = order[:2] if self.choice(order[0], "hut_or_die") == "hut" else (order[1], order[0])
        self.huts[builder] += 1
        self.use_stone(builder)
        self.dice[other] += 1
        self.new_dice[other] += 1

    def use_stone(self, player: str) -> None:
        self.stones[player] = max(0, self.stones[player] - 1)
        self.note_end()

    def resolve_pyramid(self, order: list[str], bids: dict[str, int]) -> None:
        first, second = order[:2]
        both = bids[first] - bids[second] >= CLEAR_MARGIN
        if both and not self.ruling["pyramid.double_mandatory"]:
            both = self.choice(first, "places_both")
        if both:
            turns = [first, first]
        else:
            begins = self.choice(first, "places_first")
            if begins not in (first, second):
                raise Disagreement(f"{begins} places a stone, and is neither {first} nor {second}")
            turns = [begins, second if begins == first else first]
        for player in turns:
            if len(self.pyramid) < sum(self.edition.rows):
                self.pyramid.append(player)
                self.use_stone(player)
                self.pay_row_bonus()

    def pay_row_bonus(self) -> None:
        """If the last stone has filled a row: to the player with most stones in it."""
        below = 0
        for size, bonus in zip(self.edition.rows, self.edition.bonus, strict=True):
            if len(self.pyramid) == below + size:
                row = self.pyramid[below:]
                best = self.ranked({player: row.count(player) for player in self.players})[0]
                self.move_disc(best, bonus, "row_bonus")
            below += size

    def exchange(self, player: str, open_cards: list[int]) -> None:
        """The best open card for a card of the player's own."""
        if not open_cards:
            return
        won = max(open_cards)
        open_cards.remove(won)
        own = self.owned[player]
        if self.ruling["court.discard_includes_new"]:
            own.append(won)
        own.remove(min(own) if self.ruling["court.discard"] == "lowest" else self.choice(player, "discard"))
        if not self.ruling["court.discard_includes_new"]:
            own.append(won)

    # ------------------------------------------------------------ final scoring

    def score_finally(self) -> None:
        last_die = dict.fromkeys(self.players, 0)
        for player in self.players:
            if self.dice[player] and (not self.ruling["final.die_optional"] or self.choice(player, "final_die")):
                last_die[player] = self.chance("final_die", player)
        placed = {player: self.pyramid.count(player) for player in self.players}
        most, highest = max(placed.values()), max(self.offering.values())
        for player in self.players:
            self.note_points(player, placed[player], "stones")
            self.note_points(player, 3 if placed[player] == most else 0, "most_stones")
            self.note_points(player, 3 if player == self.figure else 0, "figure")
            self.note_points(player, -3 if player == self.old_man else 0, "old_man")
            self.note_points(player, self.offering[player], "offering")
            self.note_points(player, 3 if self.offering[player] == highest else 0, "highest_offering")
            self.note_points(player, last_die[player], "final_die")
        best = max((self.score[player], self.offering[player]) for player in self.players)
        self.winners = [p for p in self.players if (self.score[p], self.offering[p]) == best]
