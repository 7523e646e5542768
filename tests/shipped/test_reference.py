"""The rule file of Chocolatl against an implementation of the game in plain Python, in lockstep over random games.

Before every question the two have to agree on which question it is and to whom, on the scores, figures, stones, huts
and dice; at the end on the points by source, the winners and everybody's cards.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.match import ChanceEvent, play_game
from chocolatl.interpreter.play.match import PlayedEvent as PlayedEvent
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.program.types import PLAYER, Scalar
from tests.conftest import Evidence, base_seed, scaled
from tests.reference.chocolatl_reference import RULINGS, Edition, Reference, Table
from tests.reference.events import Disagreement, Event
from tests.shipped.specifications import CHOCOLATL, Settings
from tests.shipped.test_chocolatl_rules import COMBINATIONS

REDUCED = ("three_locations", "four_locations", "five_locations")
"""Other games than the reference knows: they have fewer locations."""


def only(colour: str) -> Callable[[int], str]:
    return lambda space: colour


EDITIONS = {
    None: Edition(),
    "always_red": Edition(colour=only("red")),
    "always_green": Edition(colour=only("green")),
    "always_gold": Edition(colour=only("gold")),
    "five_rounds": Edition(rounds=5),
    "three_row_pyramid": Edition(rows=(7, 5, 2), bonus=(7, 4, 2)),
    "dutch": Edition(
        {"dice.multi": False, "court.discard_includes_new": True, "oldman.temple_bonus_optional": True},
    ),
    "french": Edition(
        {
            "mode.red.reveal": "all",
            "mode.green.second": "all_then_all",
            "pyramid.double_mandatory": False,
            "court.discard": "choice",
            "final.die_optional": True,
        },
    ),
}
"""What the variants are, said a second time."""

PLAYED: dict[str, tuple[str | None, Settings]] = {
    name: (variant, settings) for name, (variant, settings) in COMBINATIONS.items() if variant not in REDUCED
}
MIXTURES = "a mixture of alternatives"


def edition_of(variant: str | None, settings: Settings) -> Edition:
    edition = EDITIONS[variant]
    return replace(edition, rulings={**edition.rulings, **settings})


def plain(event: PlayedEvent) -> Event:
    if isinstance(event, ChanceEvent):
        return Event(True, event.owner, event.name, event.value)
    return Event(False, event.player, event.name, event.value)


class Reader:
    """Reads the table of the reference out of positions. It reads slots: naming everything takes ten times as long."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def by_seat(self, slots: list[int], name: str) -> tuple[int, ...]:
        """A field of the players; of one with an index, the sum."""
        place = self.game.program.layout.places[PLAYER, name]
        width = (place.end - place.base) // self.game.player_count
        return tuple(sum(slots[start : start + width]) for start in range(place.base, place.end, width))

    def holder(self, slots: list[int], name: str) -> str | None:
        place = self.game.program.layout.places[None, name]
        assert isinstance(place.field.type, Scalar)
        shown = self.game.codec.encode(place.field.type, slots[place.base])
        return None if shown is None else str(shown)

    def table(self, slots: list[int]) -> Table:
        return Table(
            scores=self.by_seat(slots, "score"),
            figure=self.holder(slots, "figure"),
            old_man=self.holder(slots, "old_man"),
            stones=self.by_seat(slots, "stones"),
            huts=self.by_seat(slots, "huts"),
            dice=self.by_seat(slots, "dice"),
            in_pyramid=self.by_seat(slots, "placed"),
        )


def assert_agreement(game: Game, seed: int, edition: Edition) -> None:
    """One random game, replayed by the reference."""
    events: list[Event] = []
    positions: list[Position] = [game.initial()]

    def observe(event: PlayedEvent, position: Position) -> None:
        events.append(plain(event))
        positions.append(position)

    play_game(game, [RandomPlayer()] * game.player_count, seed, observe=observe)
    reference = Reference(game.players, events, edition)
    reference.replay()
    assert len(reference.tables) == len(positions)
    reader = Reader(game)
    for number, (position, table) in enumerate(zip(positions, reference.tables, strict=True)):
        assert reader.table(position.slots) == table, f"before event {number + 1} of {len(events)}"
    result = game.result(positions[-1])
    assert [game.players[seat] for seat in result.winners] == reference.winners
    state: Any = encode_state(game.program.layout, game.codec, positions[-1].slots)
    for seat, name in enumerate(game.players):
        assert {item: points for item, points in result.breakdown[seat].items() if points} == {
            source: points for source, points in reference.points[name].items() if points
        }
        assert state["player"][name]["hand"] == sorted(reference.owned[name])


@pytest.mark.parametrize("name", PLAYED)
def test_rule_file_and_reference_agree(name: str, evidence: Evidence) -> None:
    variant, settings = PLAYED[name]
    for players in CHOCOLATL.some_players(list(PLAYED).index(name)):
        game = CHOCOLATL.load(players, variant, settings)
        property_ = f"Chocolatl and the reference agree, {name}, {players} players"
        for seed in evidence.cases(property_, full=50, slice=4):
            assert_agreement(game, seed, edition_of(variant, settings))


@pytest.mark.parametrize("players", CHOCOLATL.players)
def test_they_agree_on_any_mixture_of_alternatives(players: int, evidence: Evidence) -> None:
    """Twelve mixtures; those of the slice are other ones every day."""
    for seed in evidence.cases(f"Chocolatl and the reference agree, {MIXTURES}, {players} players", 1000, 4):
        draw = random.Random(seed % 12 if scaled(1, 0) else seed % 2 + base_seed())
        settings = {name: draw.choice(CHOCOLATL.rulings[name]) for name in RULINGS}
        assert_agreement(CHOCOLATL.load(players, settings=settings), seed, edition_of(None, settings))


# ---------------------------------------------------------------- that they can disagree


def test_the_reference_knows_every_ruling_that_has_alternatives() -> None:
    assert CHOCOLATL.open_rulings == RULINGS


WITHOUT_EFFECT = ("mode.red.reveal", "mode.green.second", "court.discard_public")
TOGETHER = {"court.discard_includes_new": {"court.discard": "choice"}}
"""A new card is never the lowest, so that it makes no difference unless there is a choice."""


@pytest.mark.parametrize("name", [name for name in RULINGS if name not in WITHOUT_EFFECT])
def test_a_ruling_that_the_two_take_differently_is_found(name: str) -> None:
    """The rule file plays an alternative, the reference the default."""
    common = TOGETHER.get(name, {})
    for alternative in CHOCOLATL.rulings[name][1:]:
        game = CHOCOLATL.load(3, settings={**common, name: alternative})
        assert any(disagree(game, seed, edition_of(None, common)) for seed in range(500)), alternative


@pytest.mark.parametrize("variant", [variant for variant in EDITIONS if variant])
def test_so_is_a_variant(variant: str) -> None:
    game = CHOCOLATL.load(3, variant)
    assert any(disagree(game, seed, EDITIONS[None]) for seed in range(500))


def disagree(game: Game, seed: int, edition: Edition) -> bool:
    try:
        assert_agreement(game, seed, edition)
    except (AssertionError, Disagreement, ValueError):
        return True
    return False
