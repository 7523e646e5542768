"""Perfect recall: the unknown is sampled among exactly the assignments that fit all that a player has seen.

Each case is a small game. All its histories are played out; those in which a player has seen the same from the first
event to the last tell what that player can hold for possible. The sampler is run through all random numbers that it
can be given, so its probabilities are exact fractions, not estimates.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod
from pathlib import Path
from typing import NamedTuple

import pytest

from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.engine.knowledge import Knowledge
from chocolatl.interpreter.engine.worlds import _taken
from chocolatl.interpreter.formats import position as position_format
from chocolatl.interpreter.formats.position import dump_position, load_position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import count
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from tests.conftest import base_seed, scaled
from tests.games import all_draws, legal_answers, loaded, tables, walk, write_game, zones

Contents = tuple[tuple[int, ...], ...]
"""How many cards of each kind lie in each zone; then the cards that lie at the bottom of each deck, lowest last."""

# ---------------------------------------------------------------- what a player can hold for possible


def contents(game: Game, slots: list[int]) -> Contents:
    parts = [
        tuple(count(slots[slot], kind) for kind in range(game.ir.domains["card"].type.size))
        for place in zones(game)
        for slot in range(place.base, place.end)
    ]
    unders = [tuple(slots[start + 1 : start + 1 + slots[start]]) for start in game.program.layout.unders.values()]
    return (*parts, *unders)


class Seen(NamedTuple):
    """What a player sees of one event: whose it is, its value if it is the player's own, and the view that follows."""

    event: str
    value: str
    view: str


Memory = tuple[Seen, ...]
"""All that a player has seen."""


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


def histories(game: Game, player: int) -> Iterator[tuple[Memory, Position]]:
    """All positions that can arise, each with all that a player has seen on the way to it."""
    todo: list[tuple[Memory, Position]] = [((), game.initial())]
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


def possible(game: Game, player: int, copies: bool) -> dict[Memory, tuple[list[Position], dict[Contents, Fraction]]]:
    """By what was seen: the positions in which it is seen, and the share of each assignment."""
    found: dict[Memory, list[Position]] = {}
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


def play_on(game: Game, position: Position) -> None:
    """Play to the end: a position that was sampled must be one that the rules can go on from."""
    while not game.is_over(position):
        position = next(futures(game, position))[0]


def sampled(game: Game, position: Position, player: int) -> dict[Contents, Fraction]:
    shares: dict[Contents, Fraction] = {}
    for sample, bounds in all_draws(lambda source: game.sample_unknown(position, player, source)):
        play_on(game, sample)
        assert game.view(sample, player) == game.view(position, player)
        assert legal_answers(game, sample, player) == legal_answers(game, position, player)
        found = contents(game, sample.slots)
        shares[found] = shares.get(found, Fraction(0)) + Fraction(1, prod(bounds))
    return shares


def compare(game: Game, copies: bool, through: Callable[[Position], Position] | None = None, most: int = 10**6) -> int:
    """The sampler against all histories, for every player at every position (or some); how many assignments there were.

    The position that is sampled may first go `through` something."""
    compared = 0
    for player in range(game.player_count):
        known = list(possible(game, player, copies).items())
        for past, (positions, expected) in random.Random(base_seed()).sample(known, min(most, len(known))):
            position = positions[0] if through is None else through(positions[0])
            found = sampled(game, position, player)
            assert found == expected, difference(game, past, player, found, expected)
            compared += len(expected)
    return compared


def difference(
    game: Game, past: Memory, player: int, found: dict[Contents, Fraction], expected: dict[Contents, Fraction]
) -> str:
    """The assignments of one position with the shares that they have and should have, for a failed test."""
    names = [f"{place.field.name} {cell}" for place in zones(game) for cell in range(place.cells)]
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

ranking lowest_card(p : player) of c in p.hand, strict
    lowest c.value

play
"""

STEPS = {
    "deal": """
for each p in player
    draw deal from deck into p.hand for p
""",
    "seal": """
every player p secretly
    p chooses 1 from p.hand into p.box
""",
    "seal twice": """
every player p secretly
    p chooses 1 from p.hand into p.box
    move all p.box to p.hand
    p chooses 1 from p.hand into p.box
""",
    "seal or not": """
every player p secretly
    p chooses up to 1 from p.hand into p.box
""",
    "seal a high one": """
for each p in player
    p chooses 1 c from p.hand where c.value > 1 into p.box
""",
    "seal the lowest": """
for each p in player
    move first of lowest_card(p) from p.hand to p.box
""",
    "lay down one": """
for each p in player
    p chooses 1 from p.hand into p.box
""",
    "lay down all": """
for each p in player
    move all p.hand to p.box
""",
    "reveal box": """
for each p in player
    reveal p.box into p.open
""",
    "reveal hand": """
for each p in player
    reveal p.hand into p.open
""",
    "show one": """
for each p in player
    p chooses 1 from p.hand into p.open
""",
    "take back": """
for each p in player
    move all p.open to p.hand
""",
    "take from the open": """
for each p in player
    move first of lowest_shown from shown to p.hand
""",
    "hide": """
for each p in player
    p chooses 1 from p.hand into pile
""",
    "give": """
for each p in player
    for each q in player where q is not p
        p chooses 1 from p.hand into q.box
""",
    "pass on": """
for each p in player
    for each q in player from p where q is not p and size of p.hand > 0
        p chooses 1 from p.hand into q.box
""",
    "draw and show later": """
for each p in player
    draw card from deck into p.hand for p
    for each q in player
        q chooses pause from yes/no where pause
    move card from p.hand to p.open
""",
    "choose and show later": """
for each p in player
    p chooses card from p.hand
    for each q in player
        q chooses pause from yes/no where pause
    move card from p.hand to p.open
""",
    "choose two and show them later": """
for each p in player
    p chooses one from p.hand
    p chooses other from p.hand where other is not one
    for each q in player
        q chooses pause from yes/no where pause
    move one from p.hand to p.open
    move other from p.hand to p.open
""",
    "shown under deck": """
for each c in shown
    put c from shown under deck
""",
    "one under deck": """
for each p in player
    p chooses card from p.hand
    put card from p.hand under deck
""",
    "shown under hands": """
for each p in player
    p chooses card from shown
    put card from shown under p.hand
""",
    "one under its hand": """
for each p in player
    p chooses card from p.hand
    put card from p.hand under p.hand
""",
    "draw unseen": """
draw top from deck into pile
""",
    "draw two unseen": """
for each n in 1..2
    draw top from deck into pile
""",
    # A decision with one answer, so that there is a position at the end in which something can be asked.
    "pause": """
for each p in player
    p chooses pause from yes/no where pause
""",
}


@dataclass(frozen=True)
class Case:
    """A course of play. What lies where at first is known to all: `every card`, or those of a list."""

    fact: str
    steps: str
    filled: dict[str, str]
    cards: int = 4
    copies: bool = False
    """The lowest card is there twice."""
    players: int = 2

    def __str__(self) -> str:
        return self.fact.replace(" ", "-")

    def load(self, folder: Path) -> Game:
        kinds = f"{{value: 1..{self.cards}}}"
        lists = {"low": [1, 2], "high": [3], "rest": [*range(3, self.cards + 1)]}
        tables = "tables:\n" + "".join(f"  {name}: {{type: card, value: {cards}}}\n" for name, cards in lists.items())
        if self.copies:
            kinds = f"[{', '.join(f'{{value: {n}, copies: {2 if n == 1 else 1}}}' for n in range(1, self.cards))}]"
            tables = ""
        fill = {zone: f" = every card{' in ' + listed if listed else ''}" for zone, listed in self.filled.items()}
        fields = FIELDS.format(**{zone: fill.get(zone, "") for zone in ("hand", "box", "deck", "shown")})
        play = "".join(STEPS[step] for step in [*self.steps.split(", "), "pause"])
        rules = fields + "\n".join("    " + line for line in play.split("\n") if line)
        return load(write_game(folder, rules, kinds, tables, self.players), self.players)


CASES = [
    Case("a dealt card can be any that one does not see", "deal", {"deck": ""}),
    Case("equal cards weigh as many as they are", "deal", {"deck": ""}, copies=True),
    Case("they do so after they were sealed", "deal, seal", {"deck": ""}, copies=True),
    Case("a card sealed from a known hand can be any of it", "seal", {"hand": ""}, 3),
    Case("all cards left can be sealed after a reveal", "seal, reveal box, seal", {"hand": ""}, 3),
    Case("what is left is known when all the rest was revealed", "seal, reveal hand", {"hand": ""}, 3),
    Case("a dealt card is as unknown when it is sealed", "deal, seal", {"deck": ""}),
    Case("so it is when it is laid down outside of a secret block", "deal, lay down one", {"deck": ""}),
    Case("so it is when the hand is laid down as a whole", "deal, lay down all", {"deck": ""}),
    Case("so it is when it comes back and goes again", "deal, deal, seal twice", {"deck": ""}),
    Case("a revealed card is known and those left are not", "deal, deal, show one", {"deck": ""}, 5),
    Case("a card on top of a known one leaves that one known", "seal", {"hand": "low", "box": "high"}),
    Case("a card sealed before another was drawn is not that one", "seal, deal", {"hand": "low", "deck": "rest"}),
    Case("a card taken from the open stays known", "deal, take from the open", {"deck": "", "shown": "low"}),
    Case("nothing is unknown where nothing was moved", "seal or not", {"hand": "low", "box": "high"}),
    Case("whoever hides a card remembers it", "deal, hide", {"deck": ""}),
    Case("a hand is known when it was seen and taken back", "seal, reveal box, take back, seal", {"hand": ""}, 3),
    Case("a card given away is known to both", "deal, give", {"deck": ""}),
    Case("a card passed on is known to two of three", "deal, pass on", {"deck": ""}, players=3),
    Case("a card put openly under the deck comes last", "shown under deck, draw two unseen",
         {"deck": "low", "shown": "high"}),
    Case("a card put secretly under the deck is known to one", "deal, one under deck", {"deck": ""}),
    Case("cards under the deck come in their order", "deal, one under deck, draw two unseen", {"deck": ""}, 3),
    Case("a card put openly under a hand is known to all", "deal, shown under hands", {"deck": "low", "shown": "rest"}),
    Case("so it is when it goes on under the deck", "shown under hands, one under deck, draw unseen", {"shown": ""}, 3),
    Case("a card put under its own hand stays in it", "deal, one under its hand, draw unseen", {"deck": ""}),
    Case("a card that was drawn is shown later", "draw and show later", {"deck": ""}),
    Case("a card that was chosen is shown later", "deal, choose and show later", {"deck": ""}),
    Case("two cards that were chosen are shown later", "deal, deal, choose two and show them later", {"deck": ""}, 5),
    Case("a hand is known in part", "deal, take from the open, seal", {"deck": "rest", "shown": "low"}),
    Case("a deck is drawn to its end", "deal, draw unseen", {"deck": ""}, 3),
]  # fmt: skip

WIDER = [
    Case("from which of two groups a card came", "seal, deal, seal", {"hand": "low", "deck": "rest"}, 5),
    Case("what the rules choose by themselves", "seal the lowest", {"hand": "low"}),
    Case("what the condition of a choice excludes", "seal a high one", {"hand": ""}),
]
"""What the sampler does not conclude, though a sharp mind could."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_unknown_is_what_fits_all_that_was_seen(case: Case, tmp_path: Path) -> None:
    assert compare(case.load(tmp_path), case.copies) > 5


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_was_seen_survives_a_position_file(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = case.load(tmp_path)
    monkeypatch.setattr(position_format, "load", lambda *_: game)  # compiled once is enough

    def written_and_read(position: Position) -> Position:
        path = tmp_path / "position.yaml"
        path.write_text(dump_position(game, position), encoding="utf-8")
        findings = Findings()
        found = load_position(path, findings, tmp_path / "small")
        assert found is not None, [render(item) for item in findings.items]
        assert found.position == position
        return found.position

    assert compare(game, case.copies, written_and_read, scaled(full=200, slice=15)) > 5


@pytest.mark.parametrize("case", WIDER, ids=str)
def test_the_sampler_may_hold_more_for_possible_but_never_less(case: Case, tmp_path: Path) -> None:
    game, wider = case.load(tmp_path), 0
    for player in range(game.player_count):
        for positions, expected in possible(game, player, case.copies).values():
            found = sampled(game, positions[0], player)
            assert set(expected) <= set(found)
            wider += set(expected) < set(found)
    assert wider, "this is exact by now, and belongs to the other cases"


# ---------------------------------------------------------------- the order of questions


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_what_a_player_concludes_does_not_depend_on_what_was_asked_before(name: str, seed: int) -> None:
    """Conclusions are continued from earlier ones where that is possible; asked out of order they are the same."""
    game = next(table for table in tables() if table.game == name).load()
    asked = [(position, player) for position in walk(game, seed) for player in range(game.player_count)]
    random.Random(seed).shuffle(asked)
    for position, player in asked[:100]:
        fresh = Knowledge(game.program.layout).belief(position.slots, player)
        found = game.program.knowledge.belief(position.slots, player)
        assert [(group.cards, group.zones) for group in found.groups] == [(g.cards, g.zones) for g in fresh.groups]
        assert found.bottoms == fresh.bottoms


def test_what_is_asked_in_a_world_that_somebody_imagines_changes_no_knowledge() -> None:
    """The world has the journal of the real position, and another card in the hand of whoever is asked."""
    game = loaded(rules_folder() / "kuhn_poker", 2)
    for seed in range(12):
        dealt = next(position for position in walk(game, seed) if game.pending(position))
        for number in range(4):
            imagined = game.sample_unknown(dealt, 0, Random(number))
            game.sample_unknown(imagined, 1, Random(number))
            world = game.sample_unknown(dealt, 1, Random(number))
            hands = [world.slots[place.base : place.base + 2] for place in zones(game) if place.field.name == "hand"]
            assert hands and all(one != other for one, other in hands)


def test_what_can_lie_in_one_way_alone_is_found_at_once() -> None:
    """A hundred kinds of which all are taken: ways that lead nowhere are not gone."""
    kinds = [(kind, 1) for kind in range(100)]
    assert list(_taken(kinds, 100)) == [(tuple(range(100)), 1)]
    assert len(list(_taken(kinds, 99))) == 100
    assert list(_taken(kinds, 101)) == []
