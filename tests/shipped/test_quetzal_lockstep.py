"""The rule file of Quetzal against an implementation of the game in plain Python, in lockstep over random games.

Before every question the two have to agree on which question it is and to whom, on all its legal answers or the odds
of chance, and on the whole table; at the end on the points by source and the winners. What is answered is drawn here.
Every second game begins as if much had happened already: with gold, objects and improvements, some way along the
discovery track, and with few cards left in the deck, so that rare things happen.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from chocolatl.interpreter.engine.machine import settle
from chocolatl.interpreter.engine.state import decode_state, encode_state
from chocolatl.interpreter.play.game import Decision, Game, Position
from tests.conftest import Evidence, base_seed, scaled
from tests.games import answered
from tests.reference.events import Disagreement, Event
from tests.reference.quetzal_reference import (
    AUTOMATON,
    PERMANENT,
    RULINGS,
    SITES,
    SOURCES,
    START_GOLD,
    Question,
    Reference,
    Site,
    Some,
    Table,
    family,
)
from tests.shipped.specifications import QUETZAL, Settings
from tests.shipped.test_quetzal_reference import any_answer

VARIANTS: dict[str | None, tuple[Settings, int]] = {
    None: ({}, 5),
    "italian_preview": ({"roll.edge_gold": 1}, 5),
    "short": ({}, 3),
}
"""What the variants are, said a second time: rulings and rounds."""

PAIRS = (("reroll_two", "reroll_all"), ("trio", "three_pottery"), ("gold_to_discovery", "gold_to_vp"))
"""Improvements that have more to say together."""
MOST_ANSWERS = 300

# ---------------------------------------------------------------- tables


def table(game: Game, position: Position) -> Table:
    """The table of the reference, read out of a position."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    common, players = state["table"], list(state["player"].values())

    def by_seat(name: str) -> tuple[int, ...]:
        return tuple(player[name] for player in players)

    def lists_by_seat(name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(sorted(player[name])) for player in players)

    def slots(site: str, number: int) -> tuple[str | None, ...]:
        return tuple(state["site"][site]["taken"].values())[:number]

    return Table(
        score=by_seat("score"),
        points=tuple(tuple(player["breakdown"][source] for source in SOURCES) for player in players),
        gold=by_seat("gold"),
        discovery=by_seat("discovery"),
        reserve=lists_by_seat("reserve"),
        hand=lists_by_seat("hand"),
        active=lists_by_seat("active"),
        retired=settled(lists_by_seat("retired")),
        sites={
            name: Site(tuple(sorted(site["laid"])), site["colour"], site["holder"], tuple(sorted(site["cards"])))
            for name, site in state["site"].items()
        },
        temple=slots("temple", 5),
        village=slots("village", 2 if game.player_count == 2 else 3),
        visits=by_seat("deliveries"),
        offer=tuple(sorted(common["offer"])),
        deck=len(common["deck"]),
        stack=len(common["stack"]),
        discard=len(common["discard"]) + len(common["crate"]),
        token=common["first_player"],
    )


def settled(retired: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Whether the tile of one step is put by before the step or after it makes no difference to anything."""
    return tuple(tuple(tile for tile in tiles if tile != "gain_discovery") for tiles in retired)


def told_table(reference: Reference) -> Table:
    """The reference notes what a meeple was, the rule file as what it comes back."""
    found = reference.table()
    sites = dict(found.sites)
    for name in SITES:
        laid, colour, holder, cards = sites[name]
        if colour and holder != AUTOMATON and reference.ruling["auction.returned_wild"] == "chosen_colour":
            laid = tuple(sorted(colour if meeple == "wild" else meeple for meeple in laid))
        sites[name] = Site(laid, colour, holder, cards)
    content = {**vars(found), "sites": sites, "retired": settled(found.retired)}
    return Table(**content)


# ---------------------------------------------------------------- questions


def assert_same_question(game: Game, position: Position, question: Question) -> None:
    chance = game.chance(position)
    if chance is not None:
        owner = None if chance.owner is None else game.players[chance.owner]
        assert (True, owner, chance.name) == (question.is_chance, question.who, question.name)
        odds = {json.dumps(chance.encode(outcome)): weight for outcome, weight in chance.outcomes.odds()}
        assert isinstance(question.answers, tuple)
        weights = dict(zip(map(json.dumps, question.answers), question.weights, strict=True))
        assert shares(odds) == shares(weights)
        return
    (decision,) = game.pending(position)
    asked = (False, game.players[decision.player], decision.name)
    assert asked == (question.is_chance, question.who, question.name)
    if isinstance(question.answers, Some):
        assert_same_sets(decision, question.answers)
    else:
        answers = [json.dumps(decision.encode(answer), sort_keys=True) for answer in decision.answers]
        told = [json.dumps(answer, sort_keys=True) for answer in question.answers]
        assert Counter(answers) == Counter(told)


def shares(weights: dict[str, int]) -> dict[str, Fraction]:
    total = sum(weights.values())
    return {value: Fraction(weight, total) for value, weight in weights.items() if weight}


def assert_same_sets(decision: Decision, told: Some) -> None:
    """As many sets as there can be, all of them different, and each of them one that there can be."""
    answers = decision.answers
    assert answers.count() == number_of_sets(told)
    tried = [decision.encode(answers.nth(place)) for place in range(min(answers.count(), MOST_ANSWERS))]
    assert all(taken in told for taken in tried)
    assert len({json.dumps(taken) for taken in tried}) == len(tried)


def number_of_sets(some: Some) -> int:
    """How many different sets from `least` to `most` can be taken from a pool."""
    by_size = [1] + [0] * some.most
    for copies in Counter(some.pool).values():
        by_size = [sum(by_size[size - taken] for taken in range(min(copies, size) + 1)) for size in range(len(by_size))]
    return sum(by_size[some.least :])


# ---------------------------------------------------------------- lockstep


def furnished(game: Game, reference: Reference, draw: random.Random) -> Position:
    """The start of the game, with the same belongings for everybody on both sides."""
    for name in game.players:
        reference.gold[name] = draw.randint(0, 20)
        reference.discovery[name] = draw.randint(0, 13)
        common = [item for item in reference.deck if family(item) in ("pottery", "weapon", "tablet")]
        reference.hand[name] = draw.sample(common, min(draw.randint(0, 11), len(common)))
        for item in reference.hand[name]:
            reference.deck.remove(item)
        wanted = draw.choice(PAIRS) if draw.random() < 0.6 else draw.sample(PERMANENT, draw.randint(0, 2))
        reference.active[name] = [tile for tile in wanted if tile in reference.stack]
        for tile in reference.active[name]:
            reference.stack.remove(tile)
    draw.shuffle(reference.deck)
    left = draw.randint(10, 40)
    reference.deck, reference.discard = reference.deck[:left], reference.deck[left:]
    state = {
        "table": {"deck": reference.deck, "discard": reference.discard, "stack": reference.stack},
        "player": {
            name: {
                "gold": reference.gold[name],
                "discovery": reference.discovery[name],
                "hand": reference.hand[name],
                "active": reference.active[name],
            }
            for name in game.players
        },
    }
    slots = game.program.initial()
    decode_state(game.program.layout, game.codec, state, slots, complete=False)
    for name, gold in zip(reference.clockwise(), START_GOLD, strict=False):
        reference.gold[name] += gold
    reference.follow(reference.game())
    return settle(game.program, slots, None)


def assert_agreement(game: Game, seed: int, rulings: Settings, rounds: int = 5) -> list[Event]:
    """One random game, played by both."""
    draw = random.Random(seed)
    token = draw.choice(game.players)
    reference = Reference(game.players, rulings, token, rounds)
    position = answered(game, furnished(game, reference, draw) if seed % 2 else game.initial(), token)
    events: list[Event] = []
    while (question := reference.question) is not None:
        try:
            assert_same_question(game, position, question)
            assert table(game, position) == told_table(reference)
        except AssertionError as error:
            raise Disagreement(f"after {events[-4:]}: {error}") from error
        answers = question.answers
        if isinstance(answers, Some) and question.name == "delivered" and seed % 2:
            question = replace(question, answers=replace(answers, least=answers.most))
        events.append(Event(question.is_chance, question.who, question.name, any_answer(question, draw)))
        reference.take(events[-1])
        position = answered(game, position, events[-1].value)
    assert game.is_over(position)
    assert table(game, position) == told_table(reference)
    assert [game.players[seat] for seat in game.result(position).winners] == reference.winners
    return events


@pytest.mark.parametrize("name", QUETZAL.combinations)
def test_rule_file_and_reference_agree(name: str, evidence: Evidence) -> None:
    variant, settings = QUETZAL.combinations[name]
    rulings, rounds = VARIANTS[variant]
    place = list(QUETZAL.combinations).index(name)
    for players in QUETZAL.some_players(place):
        game = QUETZAL.load(players, variant, settings)
        for seed in evidence.cases(f"Quetzal and the reference agree, {name}, {players} players", full=10, slice=1):
            assert_agreement(game, seed + place, {**rulings, **settings}, rounds)


@pytest.mark.parametrize("players", QUETZAL.players)
def test_they_agree_on_any_mixture_of_alternatives(players: int, evidence: Evidence) -> None:
    """Twelve mixtures; those of the slice are other ones every day."""
    for seed in evidence.cases(f"Quetzal and the reference agree, a mixture, {players} players", full=10, slice=1):
        draw = random.Random(seed % 12 if scaled(1, 0) else base_seed())
        settings = {name: draw.choice(QUETZAL.rulings[name]) for name in RULINGS}
        assert_agreement(QUETZAL.load(players, settings=settings), 2 * seed + 1, settings)


# ---------------------------------------------------------------- that they can disagree


def test_the_reference_knows_every_ruling_that_has_alternatives() -> None:
    assert QUETZAL.open_rulings == RULINGS
    assert set(VARIANTS) == {None, *(path.stem for path in QUETZAL.variants)}


WITHOUT_EFFECT = ("delivery.partition",)
"""With the values that are assumed, as many threes as possible are worth most."""
TOGETHER: dict[str, Settings] = {"delivery.bonus_once": {"harbour.combine": True}}
"""Only a large delivery has two groups of objects."""


@pytest.mark.parametrize("name", [name for name in RULINGS if name not in WITHOUT_EFFECT])
def test_a_ruling_that_the_two_take_differently_is_found(name: str) -> None:
    """The rule file plays an alternative, the reference the default."""
    (alternative,) = QUETZAL.rulings[name][1:]
    common = TOGETHER.get(name, {})
    game = QUETZAL.load(2, settings={**common, name: alternative})
    assert any(disagree(game, seed, common) for seed in range(1, 100, 2))


def disagree(game: Game, seed: int, rulings: Settings) -> bool:
    try:
        assert_agreement(game, seed, rulings)
    except (AssertionError, Disagreement):
        return True
    return False
