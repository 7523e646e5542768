"""Perfect recall: the unknown is sampled among exactly the assignments that fit all that a player has seen.

Each case is a small game. All its histories are played out; those in which a player has seen the same from the first
event to the last tell what that player can hold for possible. The sampler is run through all random numbers that it
can be given, so its probabilities are exact fractions, not estimates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from pathlib import Path
from typing import NamedTuple

import pytest

from interpreter.game import Game, Position, load
from tests.games import all_draws, legal_answers, write_game, zones

Contents = tuple[tuple[int, ...], ...]
"""How many cards of each kind lie in each zone; then the cards that lie at the bottom of each deck, lowest last."""

# ---------------------------------------------------------------- what a player can hold for possible


def contents(game: Game, slots: list[int]) -> Contents:
    parts = [
        tuple(slots[place.base + cell * place.width : place.base + (cell + 1) * place.width])
        for place in zones(game)
        for cell in range(place.cells)
    ]
    unders = [tuple(slots[start + 1 : start + 1 + slots[start]]) for start in game.program.layout.unders.values()]
    return (*parts, *unders)


class Seen(NamedTuple):
    """What a player sees of one event: whose it is, its value if it is the player's own, and the view that follows."""

    event: str
    value: str
    view: str


def futures(game: Game, position: Position) -> Iterator[tuple[Position, str, int | None, str]]:
    """Every next position, with the name, the owner and the value of the event that leads to it."""
    chance = game.chance(position)
    if chance is not None:
        for outcome, _ in chance.outcomes.odds():
            yield game.resolve(position, outcome), chance.name, chance.owner, str(chance.encode(outcome))
        return
    for decision in game.pending(position)[:1]:
        for answer in decision.answers:
            after = game.answer(position, decision.player, answer)
            yield after, f"{decision.player} {decision.name}", decision.player, str(decision.encode(answer))


def histories(game: Game, player: int) -> Iterator[tuple[tuple[Seen, ...], Position]]:
    """All positions that can arise, each with all that a player has seen on the way to it."""
    todo: list[tuple[tuple[Seen, ...], Position]] = [((), game.initial())]
    while todo:
        past, position = todo.pop()
        yield past, position
        for after, name, owner, value in futures(game, position):
            mine = owner == player
            if position.sealed is not None and not mine and after.slots == position.slots:
                todo.append((past, after))  # what another player answers in a secret block is not seen at all
                continue
            view = str(game.view(after, player))
            # The last answer of a secret block ends it for all, whoever gave it.
            shown = "" if position.sealed is not None and not mine else name
            todo.append(((*past, Seen(shown, value if mine else "", view)), after))


def arrangements(game: Game, found: Contents) -> int:
    """In how many ways the cards of a component, told apart, lie as the contents say. Equal cards are exchangeable,
    so an assignment is as likely as the arrangements that it stands for."""
    ways = 1
    parts = found[: len(found) - len(game.program.layout.unders)]
    for kind in range(len(parts[0])):
        ways *= factorial(sum(part[kind] for part in parts))
        for part in parts:
            ways //= factorial(part[kind])
    return ways


def possible(game: Game, player: int, copies: bool) -> dict[tuple[Seen, ...], tuple[list[Position], dict[Contents, Fraction]]]:
    """By what was seen: the positions in which it is seen, and the share of each assignment."""
    found: dict[tuple[Seen, ...], list[Position]] = {}
    for past, position in histories(game, player):
        if not game.is_over(position):
            found.setdefault(past, []).append(position)
    result = {}
    for past, positions in found.items():
        assignments = {contents(game, position.slots) for position in positions}
        weights = {a: Fraction(arrangements(game, a) if copies else 1) for a in assignments}
        total = sum(weights.values())
        result[past] = positions, {a: weight / total for a, weight in weights.items()}
    return result


# ---------------------------------------------------------------- what the sampler gives


def sampled(game: Game, position: Position, player: int) -> dict[Contents, Fraction]:
    shares: dict[Contents, Fraction] = {}
    for sample, bounds in all_draws(lambda random: game.sample_unknown(position, player, random)):
        assert game.view(sample, player) == game.view(position, player)
        assert legal_answers(game, sample, player) == legal_answers(game, position, player)
        found = contents(game, sample.slots)
        shares[found] = shares.get(found, Fraction(0)) + Fraction(1, prod(bounds))
    return shares


def check(game: Game, copies: bool) -> int:
    """The sampler against all histories, for every player at every position; how many assignments were compared."""
    compared = 0
    for player in range(game.player_count):
        for past, (positions, expected) in possible(game, player, copies).items():
            for position in positions[:2]:
                found = sampled(game, position, player)
                assert found == expected, difference(game, past, player, found, expected)
                compared += len(expected)
    return compared


def difference(
    game: Game, past: tuple[Seen, ...], player: int, found: dict[Contents, Fraction], expected: dict[Contents, Fraction]
) -> str:
    """The assignments of one position with the shares that they have and should have, for a failed test."""
    names = [f"{place.field.name}{cell if place.cells > 1 else ''}" for place in zones(game) for cell in range(place.cells)]
    lines = [f"{game.players[player]} has seen {[seen.event for seen in past]}"]
    for one in sorted({*found, *expected}):
        shown = {n: [k + 1 for k, c in enumerate(part) for _ in range(c)] for n, part in zip(names, one, strict=False)}
        shown = {name: part for name, part in shown.items() if part}
        lines.append(f"{shown}: {found.get(one, 0)}, expected {expected.get(one, 0)}")
    return "\n".join(lines)


# ---------------------------------------------------------------- cases

FIELDS = """
each player has
    score : 0..9 = 0
    hand  : set of card secret{hand}
    box   : set of card secret{box}
    open  : set of card

table has
    deck  : set of card hidden{deck}
    pile  : set of card hidden
    shown : set of card{shown}

ranking lowest_shown of c in shown, strict
    lowest c.value

play
"""

QUESTION = "    for each p in player\n        p chooses pause from yes/no where pause\n"
"""A decision with one answer, so that there is a position at the end in which something can be asked."""

LISTS = """tables:
  low:  {type: card, value: [1, 2]}
  high: {type: card, value: [3]}
  rest: {type: card, value: [3, 4]}
"""


def small(folder: Path, play: str, cards: str = "{value: 1..4}", more: str = LISTS, **filled: str) -> Game:
    fill = {name: f" = every card{' in ' + listed if listed else ''}" for name, listed in filled.items()}
    fields = FIELDS.format(**{name: fill.get(name, "") for name in ("hand", "box", "deck", "shown")})
    body = "\n".join("    " + line for line in play.strip("\n").split("\n"))
    return load(write_game(folder, f"{fields}{body}\n{QUESTION}", cards, more), 2)


DEAL = """
for each p in player
    draw deal from deck into p.hand for p
"""

SEAL = """
every player p secretly
    p chooses 1 from p.hand into p.box
"""


@dataclass(frozen=True)
class Case:
    """A course of play; `filled` says which zones hold which cards at first, as everybody knows."""

    fact: str
    play: str
    filled: dict[str, str]
    cards: str = "{value: 1..4}"
    lists: str = LISTS
    copies: bool = False

    def __str__(self) -> str:
        return self.fact.replace(" ", "-")


COPIES = "[{name: a, value: 1, copies: 2}, {name: b, value: 2, copies: 1}, {name: c, value: 3, copies: 1}]"

CASES = [
    Case("a dealt card can be any that one does not see", DEAL, {"deck": ""}),
    Case("equal cards weigh as many as they are", DEAL, {"deck": ""}, COPIES, "", copies=True),
    Case("a card sealed from a known hand can be any of it", SEAL, {"hand": ""}, "{value: 1..3}", ""),
    Case("all other cards of a hand are possible after a reveal", SEAL + """
for each p in player
    reveal p.box into p.open
every player p secretly
    p chooses 1 from p.hand into p.box
""", {"hand": ""}, "{value: 1..3}", ""),
    Case("what is left is known when all the rest was revealed", SEAL + """
for each p in player
    reveal p.hand into p.open
""", {"hand": ""}, "{value: 1..3}", ""),
    Case("a card that was dealt and then sealed is as unknown as before", DEAL + SEAL, {"deck": ""}),
    Case("so is one that was sealed outside of a secret block", DEAL + """
for each p in player
    p chooses 1 from p.hand into p.box
""", {"deck": ""}),
    Case("so are all cards of a hand that is laid down as a whole", DEAL + """
for each p in player
    move all p.hand to p.box
""", {"deck": ""}),
    Case("so is a card that passes through another zone", DEAL + DEAL + """
every player p secretly
    p chooses 1 from p.hand into p.box
    move all p.box to p.hand
    p chooses 1 from p.hand into p.box
""", {"deck": ""}),
    Case("a revealed card is known, and those left are not", DEAL + DEAL + """
for each p in player
    p chooses 1 from p.hand into p.open
""", {"deck": ""}),
    Case("a card sealed on top of a known one does not make that one unknown", SEAL, {"hand": "low", "box": "high"}),
    Case("a card sealed before another was drawn is not the drawn one", SEAL + DEAL, {"hand": "low", "deck": "rest"}),
    Case("a card taken from the open stays known", DEAL + """
for each p in player
    move first of lowest_shown from shown to p.hand
""", {"deck": "", "shown": "low"}),
    Case("where nothing was moved all stays as it was", """
every player p secretly
    p chooses up to 1 from p.hand into p.box
""", {"hand": "low", "box": "high"}),
    Case("whoever lays a card away in hiding remembers it", DEAL + """
for each p in player
    p chooses 1 from p.hand into pile
""", {"deck": ""}),
    Case("a hand that others have seen is known when it is taken back", SEAL + """
for each p in player
    reveal p.box into p.open
for each p in player
    move all p.open to p.hand
""" + SEAL, {"hand": ""}, "{value: 1..3}", ""),
    Case("a card given to a neighbour is known to both", DEAL + """
for each p in player
    for each q in player where q is not p
        p chooses 1 from p.hand into q.box
""", {"deck": ""}),
    Case("a card put openly under the deck is drawn last", """
for each c in shown
    put c from shown under deck
draw first_card from deck into pile
draw second_card from deck into pile
""", {"deck": "low", "shown": "high"}),
    Case("a card put secretly under the deck is known to its player alone", DEAL + """
for each p in player
    p chooses card from p.hand
    put card from p.hand under deck
""", {"deck": ""}),
    Case("a deck is drawn to its end", """
for each p in player
    draw deal from deck into p.hand for p
draw deal from deck into pile
""", {"deck": ""}, "{value: 1..3}", ""),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_unknown_is_what_fits_all_that_was_seen(case: Case, tmp_path: Path) -> None:
    game = small(tmp_path, case.play, case.cards, case.lists, **case.filled)
    assert check(game, case.copies) > 5
