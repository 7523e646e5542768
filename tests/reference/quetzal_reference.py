"""Quetzal a second time, in plain Python: independent evidence that the rule file says what the rules are.

It was written from the rules of the game alone and shares nothing with the interpreter, which it does not import: no
rule file, no data, no random numbers. It plays nothing by itself. At any time it has a `table` and a `question` with
all its legal answers; it is given the events of a game (what chance brought, what the players chose) one by one and
complains about one that does not answer its question. Who compares its tables and questions with those of the
interpreter finds any rule that the two understand differently.

A meeple is named by what it counts as: adventurer, archaeologist, wild (either) or character (either, and it stays so).
An object is named by its family and its bonus: mummy_vp; without a bonus: mummy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, cycle
from math import factorial, prod
from typing import Any, NamedTuple, TypeVar

from tests.reference.events import Disagreement, Event

ROUNDS = 5
START_GOLD = (4, 5, 5, 6, 6)
TEAM = {2: 6, 3: 6, 4: 5, 5: 4}

FALLS = {"black": 8, "white": 8, "edge": 3, "standing": 1}
"""How a meeple falls, and how often in twenty throws."""
COUNTS_AS = {"black": "adventurer", "white": "archaeologist", "edge": "wild", "standing": "wild"}
COLOURS = ("adventurer", "archaeologist")
MEEPLES = (*COLOURS, "wild", "character")

ANNEXES = ("quarry", "small_temple", "ruins")
SHIPS = ("ship", "second_ship")
SITES = ("camp", "stele", "temple", *ANNEXES, "black_market", "village", "harbour", *SHIPS)
CARDS = {"temple": 8, "quarry": 2, "small_temple": 2, "ruins": 2}
TEMPLE_COSTS, TEMPLE_CHOOSE, TEMPLE_DRAW = (5, 4, 3, 2, 1), (2, 2, 1, 1, 1), (0, 0, 1, 1, 0)
VILLAGE_COSTS, OFFER = (2, 1, 1), 3
TWO_PLAYERS_VILLAGE_COSTS, TWO_PLAYERS_OFFER = (2, 1), 2
BLACK_MARKET_GOLD = 7
HARBOUR_COST, HARBOUR_OBJECTS, SHIP_OBJECTS = 2, 3, 6

BONUSES = ("none", "gold", "discovery", "vp")
OBJECTS = {
    "pottery": (9, 4, 4, 4),
    "weapon": (9, 3, 3, 3),
    "tablet": (6, 3, 3, 3),
    "statuette": (3, 3, 3, 3),
    "mummy": (3, 2, 2, 2),
}
"""How many there are of each family, by bonus."""
VALUES = {
    "pottery": (1, 2, 5),
    "weapon": (1, 3, 6),
    "tablet": (1, 4, 7),
    "statuette": (2, 5, 8),
    "mummy": (3, 6, 10),
}
"""What one, two and three objects of a family are worth."""

PERMANENT = (
    *("reroll_two", "reroll_all", "gold_to_vp", "gold_to_discovery", "tablet_gold", "trio"),
    *("three_pottery", "three_weapons", "temple_discount", "extra_object", "extra_draw"),
)
IMPROVEMENTS = {**dict.fromkeys(PERMANENT, 2), "gain_gold": 1, "gain_discovery": 1}
EXCHANGES = {"gold_to_vp": 2, "gold_to_discovery": 3}
ACTIVE, GAIN_GOLD, IMPROVEMENT_VP = 2, 5, 1

TRACK: dict[int, tuple[str, int]] = {
    2: ("vp", 1),
    4: ("gold", 2),
    6: ("tile", 1),
    8: ("vp", 2),
    10: ("gold", 3),
    12: ("tile", 1),
    14: ("vp", 3),
    15: ("vp", 4),
}
"""What the spaces of the discovery track give. The others are empty; the last one is the last of the track."""

TOKEN_VP, GOLD_PER_VP = 2, 3
SOURCES = (
    *("annexes", "bonuses", "collections", "track", "trios", "potteries", "arsenals"),
    *("exchanges", "token", "gold", "improvements"),
)

AUTOMATON = "automaton"
AUTOMATON_FAMILIES = ("mummy", "statuette", "tablet", "weapon", "pottery")
AUTOMATON_BONUSES = ("discovery", "vp", "gold", "none")


class Plan(NamedTuple):
    """Where a card puts the automaton: on two slots of the temple, three meeples on an annex, one on an auction."""

    slots: tuple[int, int]
    annex: str
    auction: str


PLANS = {
    f"plan{number}": Plan(slots, ANNEXES[(number - 1) % 3], "black_market" if number % 2 else "ship")
    for number, slots in enumerate(combinations(range(1, 6), 2), 1)
}

RULINGS: dict[str, Any] = {
    "unique.multi": True,
    "auction.returned_wild": "chosen_colour",
    "auction.self_raise": False,
    "camp.per": "meeple",
    "harbour.combine": False,
    "deck.reshuffle": True,
    "delivery.partition": "greedy",
    "delivery.bonus_once": True,
    "improvement.discard_new": True,
    "improvement.duplicate_check": "active",
    "roll.both": True,
    "temple.colour": "archaeologist",
    "roll.edge_gold": 0,
}
"""Every ruling that has alternatives, with its default."""


@dataclass(frozen=True)
class Some:
    """All ways to take from `least` to `most` out of a pool, as lists in any order. There can be very many."""

    pool: tuple[str, ...]
    least: int
    most: int

    def __contains__(self, taken: object) -> bool:
        return (
            isinstance(taken, list) and self.least <= len(taken) <= self.most and Counter(taken) <= Counter(self.pool)
        )


Answers = tuple[Any, ...] | Some


@dataclass(frozen=True)
class Question:
    """Who has to say what. What chance brings has weights, one for each of the answers."""

    is_chance: bool
    who: str | None
    name: str
    answers: Answers
    weights: tuple[int, ...] = ()


T = TypeVar("T")
Course = Generator[Question, Any, T]
"""A part of the game: it asks questions, is sent their answers, and comes to a result."""


class Site(NamedTuple):
    """What lies at a site. A meeple lies there as what it was in the reserve: a wild one still as a wild one."""

    laid: tuple[str, ...]
    colour: str | None  # of an auction; a character alone and the automaton's meeples on annexes and ships have none
    holder: str | None  # of an auction or the stele: a player or the automaton
    cards: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """All that there is when a question is asked; what players have, in the order of the seats; lists are sorted."""

    score: tuple[int, ...]
    points: tuple[tuple[int, ...], ...]  # the score by its source, in the order of SOURCES
    gold: tuple[int, ...]
    discovery: tuple[int, ...]
    reserve: tuple[tuple[str, ...], ...]
    hand: tuple[tuple[str, ...], ...]
    active: tuple[tuple[str, ...], ...]
    retired: tuple[tuple[str, ...], ...]
    sites: dict[str, Site]
    temple: tuple[str | None, ...]  # who holds the slots
    village: tuple[str | None, ...]
    visits: tuple[int, ...]  # meeples at the harbour office
    offer: tuple[str, ...]
    deck: int
    stack: int
    discard: int
    token: str


def family(item: str) -> str:
    return item.partition("_")[0]


def bonus(item: str) -> str:
    return item.partition("_")[2] or "none"


def automaton_preference(item: str) -> tuple[int, int]:
    return AUTOMATON_FAMILIES.index(family(item)), AUTOMATON_BONUSES.index(bonus(item))


def greedy_value(values: Sequence[int], count: int) -> int:
    return count // 3 * values[2] + (values[count % 3 - 1] if count % 3 else 0)


def best_value(values: Sequence[int], count: int) -> int:
    """The most that so many cards are worth in ones, twos and threes."""
    best = [0]
    for number in range(1, count + 1):
        best.append(max(values[size - 1] + best[number - size] for size in (1, 2, 3) if size <= number))
    return best[count]


class Reference:
    """One game. The players, two to five of them, sit clockwise; the first one has the token if nobody else has."""

    def __init__(
        self,
        players: Sequence[str],
        rulings: dict[str, Any] | None = None,
        token: str | None = None,
        rounds: int = ROUNDS,
    ) -> None:
        count = len(players)
        self.rounds = rounds
        self.players = list(players)
        self.ruling = {**RULINGS, **(rulings or {})}
        self.winners: list[str] = []
        self.token = token or self.players[0]
        self.points = {player: dict.fromkeys(SOURCES, 0) for player in players}
        self.gold = dict(zip(self.clockwise(), START_GOLD, strict=False))
        self.discovery = dict.fromkeys(players, 0)
        self.reserve: dict[str, list[str]] = {player: [] for player in players}
        self.hand: dict[str, list[str]] = {player: [] for player in players}
        self.active: dict[str, list[str]] = {player: [] for player in players}
        self.retired: dict[str, list[str]] = {player: [] for player in players}
        self.exchanging = False

        self.village_costs = TWO_PLAYERS_VILLAGE_COSTS if count == 2 else VILLAGE_COSTS
        self.ships = SHIPS if count > 3 else SHIPS[:1]
        self.auctions = (*ANNEXES, "black_market", *self.ships)
        self.cards: dict[str, list[str]] = {site: [] for site in CARDS}
        self.offer: list[str] = []
        self.clear()

        self.deck = [
            kind if gain == "none" else f"{kind}_{gain}"
            for kind, numbers in OBJECTS.items()
            for gain, number in zip(BONUSES, numbers, strict=True)
            for _ in range(number)
        ]
        self.under_deck: list[str] = []  # these come after all others, the first one first
        self.discard: list[str] = []
        self.stack = list(Counter(IMPROVEMENTS).elements())
        self.plans = list(PLANS)
        self.follow(self.game())

    def clear(self) -> None:
        """All meeples leave the board. They show nothing, and are in no reserve, until they are thrown."""
        self.laid: dict[str, list[str]] = {site: [] for site in SITES}
        self.colour: dict[str, str | None] = dict.fromkeys(self.auctions)
        self.holder: dict[str, str | None] = dict.fromkeys(self.auctions)
        self.slots: dict[str, list[str | None]] = {
            "stele": [None],
            "temple": [None] * len(TEMPLE_COSTS),
            "village": [None] * len(self.village_costs),
        }
        self.visits = dict.fromkeys(self.players, 0)

    # ------------------------------------------------------------ questions and tables

    def follow(self, course: Course[None]) -> None:
        """Go on with this part of the game: a test may set up a table of its own and begin in the middle."""
        self.course = course
        self.question: Question | None = None  # None: it is over
        self.question = next(course, None)

    def take(self, event: Event) -> None:
        """Go on to the next question. The event has to answer this one."""
        question = self.question
        if question is None:
            raise Disagreement(f"the game is over, but there follows {event}")
        if (event.is_chance, event.who, event.name) != (question.is_chance, question.who, question.name):
            raise Disagreement(f"{question.name} of {question.who} has to follow, but there follows {event}")
        if event.value not in question.answers:
            raise Disagreement(f"{event} is none of {question.answers}")
        try:
            self.question = self.course.send(event.value)
        except StopIteration:
            self.question = None

    def choice(self, player: str, name: str, legal: Callable[[], Iterable[Any] | Some]) -> Course[Any]:
        """A decision. The exchanges before it may change what is legal."""
        if not self.exchanging:
            yield from self.exchanges(player)
        answers = legal()
        return (yield Question(False, player, name, answers if isinstance(answers, Some) else tuple(answers)))

    def drawn(self, name: str, stack: list[str], owner: str | None = None) -> Course[str]:
        kinds = Counter(sorted(stack))
        kind: str = yield Question(True, owner, name, tuple(kinds), tuple(kinds.values()))
        stack.remove(kind)
        return kind

    def score(self, player: str) -> int:
        return sum(self.points[player].values())

    def table(self) -> Table:
        def by_seat(values: dict[str, int]) -> tuple[int, ...]:
            return tuple(values[player] for player in self.players)

        def lists_by_seat(values: dict[str, list[str]]) -> tuple[tuple[str, ...], ...]:
            return tuple(tuple(sorted(values[player])) for player in self.players)

        return Table(
            score=tuple(self.score(player) for player in self.players),
            points=tuple(tuple(self.points[player].values()) for player in self.players),
            gold=by_seat(self.gold),
            discovery=by_seat(self.discovery),
            reserve=lists_by_seat(self.reserve),
            hand=lists_by_seat(self.hand),
            active=lists_by_seat(self.active),
            retired=lists_by_seat(self.retired),
            sites={
                site: Site(
                    laid=tuple(sorted(self.laid[site])),
                    colour=self.colour.get(site),
                    holder=self.slots["stele"][0] if site == "stele" else self.holder.get(site),
                    cards=tuple(sorted(self.cards.get(site, ()))),
                )
                for site in SITES
            },
            temple=tuple(self.slots["temple"]),
            village=tuple(self.slots["village"]),
            visits=by_seat(self.visits),
            offer=tuple(sorted(self.offer)),
            deck=len(self.deck) + len(self.under_deck),
            stack=len(self.stack),
            discard=len(self.discard),
            token=self.token,
        )

    # ------------------------------------------------------------ the course of the game

    def game(self) -> Course[None]:
        yield from self.refill()
        for number in range(1, self.rounds + 1):
            yield from self.round()
            if number < self.rounds:
                self.clear()
                yield from self.refill()
        yield from self.finish()

    def round(self) -> Course[None]:
        if len(self.players) == 2:
            self.place_automaton((yield from self.drawn("card", self.plans)))
        yield from self.throw_all()
        for player in self.clockwise():
            yield from self.reroll(player)
        yield from self.place_all()
        yield from self.activate()

    def finish(self) -> Course[None]:
        for player in self.clockwise():
            yield from self.exchanges(player)
        self.score_finally()

    def clockwise(self) -> list[str]:
        """The players, beginning with the one who has the token."""
        seat = self.players.index(self.token)
        return self.players[seat:] + self.players[:seat]

    def refill(self) -> Course[None]:
        for site, number in CARDS.items():
            while len(self.cards[site]) < number:
                card = yield from self.draw_object("new_object")
                if card is None:
                    break
                self.cards[site].append(card)
        offer = TWO_PLAYERS_OFFER if len(self.players) == 2 else OFFER
        while self.stack and len(self.offer) < offer:
            self.offer.append((yield from self.drawn("new_tile", self.stack)))

    def draw_object(self, name: str, owner: str | None = None) -> Course[str | None]:
        """The top card of the deck, if there is one."""
        if not self.deck and self.under_deck:
            self.deck = [self.under_deck.pop(0)]
        elif not self.deck and self.ruling["deck.reshuffle"]:
            self.deck, self.discard = self.discard, []
        return (yield from self.drawn(name, self.deck, owner)) if self.deck else None

    def place_automaton(self, plan: str) -> None:
        slots, annex, auction = PLANS[plan]
        for slot in slots:
            self.slots["temple"][slot - 1] = AUTOMATON
            self.laid["temple"].append("archaeologist")
        self.holder[annex] = self.holder[auction] = AUTOMATON
        self.laid[annex] = ["wild"] * 3
        if auction == "black_market":
            self.laid[auction], self.colour[auction] = ["adventurer"], "adventurer"
        else:
            self.laid[auction] = ["wild"]

    # ------------------------------------------------------------ step 1: throwing

    def throw_all(self) -> Course[None]:
        for player in self.players:
            throws = [list(falls) for falls in combinations_with_replacement(FALLS, TEAM[len(self.players)])]
            weights = tuple(
                prod(FALLS[fall] for fall in falls)
                * factorial(len(falls))
                // prod(factorial(falls.count(fall)) for fall in FALLS)
                for falls in throws
            )
            for fall in (yield Question(True, player, "fallen", tuple(throws), weights)):
                self.land(player, fall, COUNTS_AS[fall])
            yield from self.throw(player, "character")

    def throw(self, player: str, meeple: str) -> Course[None]:
        fall = yield Question(True, player, "thrown", tuple(FALLS), tuple(FALLS.values()))
        self.land(player, fall, meeple if meeple == "character" else COUNTS_AS[fall])

    def land(self, player: str, fall: str, meeple: str) -> None:
        self.reserve[player].append(meeple)
        if fall == "standing":
            self.gold[player] += 1
        elif fall == "edge":
            self.gold[player] += self.ruling["roll.edge_gold"]

    def throw_again(self, player: str, meeples: Iterable[str]) -> Course[None]:
        lifted = sorted(meeples, key=MEEPLES.index)
        self.take_from_reserve(player, lifted)
        for meeple in lifted:
            yield from self.throw(player, meeple)

    def take_from_reserve(self, player: str, meeples: Iterable[str]) -> None:
        for meeple in meeples:
            self.reserve[player].remove(meeple)

    def some_of_reserve(self, player: str, most: int) -> Some:
        reserve = self.reserve[player]
        return Some(tuple(reserve), 0, min(most, len(reserve)))

    def reroll(self, player: str) -> Course[None]:
        unused = ["reroll_two", "reroll_all"]

        def usable() -> list[str]:
            return [tile for tile in unused if tile in self.active[player]]

        while usable():
            tile = yield from self.choice(player, "reroll", lambda: (*usable(), None))
            if tile is None:
                return
            if tile == "reroll_two":
                again = yield from self.choice(player, "thrown_again", lambda: self.some_of_reserve(player, 2))
            else:
                again = self.reserve[player]
            yield from self.throw_again(player, again)
            unused = [other for other in unused if other != tile] if self.ruling["roll.both"] else []

    # ------------------------------------------------------------ step 2: placing

    def place_all(self) -> Course[None]:
        for player in cycle(self.clockwise()):
            if not any(self.reserve.values()):
                break
            if self.reserve[player]:
                yield from self.place(player)

    def place(self, player: str) -> Course[None]:
        answer = yield from self.choice(player, "place", lambda: self.legal_places(player))
        site, slot = answer["spot"], answer["slot"]
        if site == "camp":
            yield from self.go_to_camp(player)
        elif site == "harbour":
            yield from self.go_to_harbour(player)
        elif site in self.slots:
            self.gold[player] -= self.cost(player, site, slot)
            self.slots[site][slot - 1] = player
            suiting = self.suiting(player, self.colour_of_slots(site))
            meeple = yield from self.choice(player, "meeple", lambda: sorted(set(suiting)))
            self.lay(player, site, [meeple])
        else:
            yield from self.bid(player, site)

    def legal_places(self, player: str) -> Iterator[dict[str, Any]]:
        yield {"spot": "camp", "slot": 1}
        for site, slots in self.slots.items():
            for slot, holder in enumerate(slots, 1):
                if (
                    holder is None
                    and not (site == "stele" and player == self.token)
                    and (self.ruling["unique.multi"] or player not in slots)
                    and self.cost(player, site, slot) <= self.gold[player]
                    and self.suiting(player, self.colour_of_slots(site))
                ):
                    yield {"spot": site, "slot": slot}
        if self.gold[player] >= HARBOUR_COST:
            yield {"spot": "harbour", "slot": 1}
        for site in self.auctions:
            if self.colours_to_bid(player, site):
                yield {"spot": site, "slot": 1}

    def cost(self, player: str, site: str, slot: int) -> int:
        if site == "temple":
            return TEMPLE_COSTS[slot - 1] - ("temple_discount" in self.active[player])
        return self.village_costs[slot - 1] if site == "village" else 0

    def colour_of_slots(self, site: str) -> str:
        colours = {"stele": "archaeologist", "temple": str(self.ruling["temple.colour"]), "village": "adventurer"}
        return colours[site]

    def suiting(self, player: str, colour: str) -> list[str]:
        return [meeple for meeple in self.reserve[player] if meeple in (colour, "wild", "character")]

    def lay(self, player: str, site: str, meeples: list[str]) -> None:
        self.take_from_reserve(player, meeples)
        self.laid[site] += meeples

    def go_to_camp(self, player: str) -> Course[None]:
        reserve = self.reserve[player]
        meeples = yield from self.choice(player, "meeples", lambda: Some(tuple(reserve), 1, len(reserve)))
        self.lay(player, "camp", meeples)
        for _ in meeples if self.ruling["camp.per"] == "meeple" else [meeples]:
            self.gold[player] += 1
            if reserve:
                again = yield from self.choice(player, "thrown_again", lambda: self.some_of_reserve(player, 1))
                yield from self.throw_again(player, again)

    def go_to_harbour(self, player: str) -> Course[None]:
        self.gold[player] -= HARBOUR_COST
        reserve = self.reserve[player]
        meeples = yield from self.choice(
            player,
            "meeples",
            lambda: Some(tuple(reserve), 1, min(len(reserve), 1 + self.gold[player] // HARBOUR_COST)),
        )
        self.gold[player] -= HARBOUR_COST * (len(meeples) - 1)
        self.visits[player] += len(meeples)
        self.lay(player, "harbour", meeples)

    def colours_to_bid(self, player: str, site: str) -> list[str]:
        """The colours of which the player has more meeples than lie there."""
        if self.holder[site] == player and not self.ruling["auction.self_raise"]:
            return []
        colour = "adventurer" if site == "black_market" else self.colour[site]
        colours = COLOURS if colour is None else (colour,)
        return [colour for colour in colours if len(self.suiting(player, colour)) > len(self.laid[site])]

    def bid(self, player: str, site: str) -> Course[None]:
        colour = yield from self.choice(player, "colour", lambda: self.colours_to_bid(player, site))
        suiting = self.suiting(player, colour)
        lying, owner, played_as = self.laid[site], self.holder[site], self.colour[site]
        meeples = yield from self.choice(player, "meeples", lambda: Some(tuple(suiting), len(lying) + 1, len(suiting)))
        self.laid[site] = []
        self.lay(player, site, meeples)
        self.holder[site] = player
        self.colour[site] = None if meeples == ["character"] else colour
        if owner is not None and owner != AUTOMATON:
            keeps_colour = played_as is not None and self.ruling["auction.returned_wild"] == "chosen_colour"
            for meeple in lying:
                self.reserve[owner].append(str(played_as) if keeps_colour and meeple == "wild" else meeple)

    # ------------------------------------------------------------ step 3: activating the places

    def activate(self) -> Course[None]:
        yield from self.activate_stele()
        for slot, holder in enumerate(self.slots["temple"]):
            if holder == AUTOMATON:
                yield from self.explore_temple_for_automaton(slot)
            elif holder is not None:
                yield from self.explore_temple(holder, slot)
        yield from self.activate_annexes()
        yield from self.activate_black_market()
        for holder in self.slots["village"]:
            if holder is not None and self.offer:
                tile = yield from self.choice(holder, "improvement", lambda: sorted(set(self.offer)))
                self.offer.remove(tile)
                yield from self.gain(holder, tile)
        for player in self.clockwise():
            yield from self.deliver_at_harbour(player)
        for player in self.clockwise():
            for ship in self.ships:
                if self.holder[ship] == player:
                    yield from self.deliver(player, SHIP_OBJECTS)

    def activate_stele(self) -> Course[None]:
        holder = self.slots["stele"][0]
        if holder is not None:
            self.token = holder
            yield from self.discover(holder, 1)

    def explore_temple(self, player: str, slot: int) -> Course[None]:
        opened = self.cards["temple"]
        for _ in range(min(TEMPLE_CHOOSE[slot], len(opened))):
            card = yield from self.choice(player, "object", lambda: sorted(set(opened)))
            opened.remove(card)
            self.hand[player].append(card)
        if TEMPLE_DRAW[slot]:
            drawn: list[str] = []
            for _ in range(2 if "extra_draw" in self.active[player] else 1):
                top = yield from self.draw_object("drawn", player)
                drawn += [] if top is None else [top]
            if len(drawn) == 2:
                kept = yield from self.choice(player, "kept", lambda: sorted(set(drawn)))
                drawn.remove(kept)
                self.under_deck += drawn
                drawn = [kept]
            self.hand[player] += drawn

    def explore_temple_for_automaton(self, slot: int) -> Course[None]:
        opened = self.cards["temple"]
        for _ in range(min(TEMPLE_CHOOSE[slot], len(opened))):
            card = min(opened, key=automaton_preference)
            opened.remove(card)
            self.discard.append(card)
        for _ in range(TEMPLE_DRAW[slot]):
            top = yield from self.draw_object("drawn")
            self.discard += [] if top is None else [top]

    def activate_annexes(self) -> Course[None]:
        """Clockwise, after the automaton; several annexes of one player in the order of the board."""
        for holder in (AUTOMATON, *self.clockwise()):
            for annex in ANNEXES:
                if self.holder[annex] == holder:
                    cards, self.cards[annex] = self.cards[annex], []
                    if holder == AUTOMATON:
                        self.discard += cards
                        continue
                    self.hand[holder] += cards
                    if annex == "quarry":
                        self.points[holder]["annexes"] += 1
                    elif annex == "small_temple":
                        yield from self.discover(holder, 1)
                    else:
                        self.gold[holder] += 1

    def activate_black_market(self) -> Course[None]:
        holder = self.holder["black_market"]
        if holder is not None and holder != AUTOMATON:
            sold = yield from self.choice(holder, "sold", lambda: (*sorted(set(self.hand[holder])), None))
            if sold is not None:
                self.hand[holder].remove(sold)
                self.discard.append(sold)
                self.gold[holder] += BLACK_MARKET_GOLD

    # ------------------------------------------------------------ deliveries

    def deliver_at_harbour(self, player: str) -> Course[None]:
        meeples = self.visits[player]
        deliveries = [1] * meeples
        if self.ruling["harbour.combine"] and meeples:
            deliveries = [meeples]
        for together in deliveries:
            yield from self.deliver(player, HARBOUR_OBJECTS, together)

    def deliver(self, player: str, objects_each: int, meeples: int = 1) -> Course[None]:
        """One delivery of so many objects for each of the meeples that make it, and of one more by the improvement."""
        hand = self.hand[player]
        if not hand:
            return

        def legal() -> Some:
            limit = objects_each * meeples + ("extra_object" in self.active[player])
            return Some(tuple(hand), 0, min(limit, len(hand)))

        objects = yield from self.choice(player, "delivered", legal)
        improvements = list(self.active[player])  # what is gained or given up from now on changes nothing
        for item in objects:
            hand.remove(item)
            self.discard.append(item)
        points = self.points[player]

        number = Counter(family(item) for item in objects)
        value_of = best_value if self.ruling["delivery.partition"] == "best" else greedy_value
        points["collections"] += sum(value_of(VALUES[kind], count) for kind, count in number.items())

        bonuses = Counter(bonus(item) for item in objects)
        self.gold[player] += bonuses["gold"]
        points["bonuses"] += bonuses["vp"]
        yield from self.discover(player, bonuses["discovery"])

        most = 1 if self.ruling["delivery.bonus_once"] else len(objects)
        if "tablet_gold" in improvements:
            self.gold[player] += 2 * number["tablet"]
        if "trio" in improvements:
            points["trios"] += 4 * min(most, number["pottery"], number["weapon"], number["tablet"])
        if "three_pottery" in improvements:
            self.gold[player] += min(most, number["pottery"] // 3)
            points["potteries"] += 3 * min(most, number["pottery"] // 3)
        if "three_weapons" in improvements:
            self.gold[player] += 2 * min(most, number["weapon"] // 3)
            points["arsenals"] += 2 * min(most, number["weapon"] // 3)

    # ------------------------------------------------------------ discoveries and improvements

    def discover(self, player: str, steps: int) -> Course[None]:
        for _ in range(steps):
            if self.discovery[player] == max(TRACK):
                return
            self.discovery[player] += 1
            reward, amount = TRACK.get(self.discovery[player], ("nothing", 0))
            if reward == "vp":
                self.points[player]["track"] += amount
            elif reward == "gold":
                self.gold[player] += amount
            elif reward == "tile" and self.stack:
                tile = yield from self.drawn("top_tile", self.stack)
                yield from self.gain(player, tile)

    def gain(self, player: str, tile: str) -> Course[None]:
        active, retired = self.active[player], self.retired[player]
        if tile == "gain_gold":
            self.gold[player] += GAIN_GOLD
            retired.append(tile)
        elif tile == "gain_discovery":
            yield from self.discover(player, 1)
            retired.append(tile)
        elif self.is_copy(player, tile):
            retired.append(tile)
        elif len(active) < ACTIVE:
            active.append(tile)
        else:
            yield from self.replace(player, tile)

    def is_copy(self, player: str, tile: str) -> bool:
        owned = self.ruling["improvement.duplicate_check"] == "owned" and tile in self.retired[player]
        return owned or tile in self.active[player]

    def replace(self, player: str, tile: str) -> Course[None]:
        """There is no place for a third one. Until it is decided, the new one is not active."""
        active, retired = self.active[player], self.retired[player]

        def legal() -> list[str]:
            # An exchange just before the decision may have brought, and laid out, the other copy of this tile.
            if self.is_copy(player, tile):
                return [tile]
            return sorted([*active, tile] if self.ruling["improvement.discard_new"] else active)

        given_up = yield from self.choice(player, "given_up", legal)
        if given_up != tile:
            active.remove(given_up)
            active.append(tile)
        retired.append(given_up)

    def exchanges(self, player: str) -> Course[None]:
        """What can be done at any time is asked for before every decision, but not before those within an exchange."""
        while affordable := [
            tile for tile, price in EXCHANGES.items() if tile in self.active[player] and price <= self.gold[player]
        ]:
            tile = yield Question(False, player, "exchange", (*affordable, None))
            if tile is None:
                return
            self.gold[player] -= EXCHANGES[tile]
            if tile == "gold_to_vp":
                self.points[player]["exchanges"] += 1
            else:
                self.exchanging = True
                yield from self.discover(player, 1)
                self.exchanging = False

    # ------------------------------------------------------------ final scoring

    def score_finally(self) -> None:
        for player in self.players:
            points = self.points[player]
            points["token"] = TOKEN_VP if player == self.token else 0
            points["gold"] = self.gold[player] // GOLD_PER_VP
            points["improvements"] = IMPROVEMENT_VP * (len(self.active[player]) + len(self.retired[player]))
        best = max((self.score(player), self.discovery[player]) for player in self.players)
        self.winners = [player for player in self.players if (self.score(player), self.discovery[player]) == best]
