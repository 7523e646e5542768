"""What the specifications of the games say, once more: their rulings, their printed numbers, their worked examples.

`test_specifications.py` compares all of them with the files of the games; the tests of a single game, and those
against second implementations, take from here what there is to be played.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from chocolatl.interpreter.play.game import Game
from tests.conftest import ROOT, base_seed, scaled
from tests.games import loaded

Settings = dict[str, Any]


@dataclass(frozen=True)
class Specification:
    """A game as its specification has it. `rulings`: the default of every ruling, followed by its alternatives;
    `printed`: what is printed on the components; `cited`: how many rulings there are; `examples`: the ids of the
    worked examples; `without_parameter`: rulings that nothing can be set for; `lines`: how long the rules may be."""

    game: str
    players: tuple[int, ...]
    rulings: dict[str, tuple[Any, ...]]
    printed: dict[str, Any]
    cited: int
    examples: tuple[str, ...]
    without_parameter: tuple[str, ...] = ()
    lines: int = 300

    def __str__(self) -> str:
        return self.game

    @property
    def folder(self) -> Path:
        return ROOT / "rules" / self.game

    @property
    def variants(self) -> list[Path]:
        return sorted(self.folder.glob("variants/*.yaml"))

    @property
    def scenarios(self) -> list[Path]:
        return sorted(self.folder.glob("scenarios/*.yaml"))

    @cached_property
    def declared(self) -> dict[str, Any]:
        """All parameters and tables, as game.yaml declares them."""
        content = yaml.safe_load((self.folder / "game.yaml").read_text(encoding="utf-8"))
        return {**content["parameters"], **content["tables"]}

    @cached_property
    def components(self) -> dict[str, Any]:
        """All components, as game.yaml declares them."""
        content = yaml.safe_load((self.folder / "game.yaml").read_text(encoding="utf-8"))
        return dict(content["components"])

    @property
    def alternatives(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, (_, *others) in self.rulings.items() for value in others]

    @property
    def open_rulings(self) -> dict[str, Any]:
        """The defaults of those rulings that have alternatives."""
        return {name: default for name, (default, *others) in self.rulings.items() if others}

    @property
    def combinations(self) -> dict[str, tuple[str | None, Settings]]:
        """What is played at random: a variant, or nothing, and settings."""
        return {
            "as ruled": (None, {}),
            **{f"{name} {json.dumps(value)}": (None, {name: value}) for name, value in self.alternatives},
            "all alternatives": (None, dict(self.alternatives)),  # of two to one ruling the last one
            **{variant.stem: (variant.stem, {}) for variant in self.variants},
        }

    def load(self, players: int, variant: str | None = None, settings: Settings | None = None) -> Game:
        path = self.folder / "variants" / f"{variant}.yaml" if variant else self.folder
        return loaded(path, players, json.dumps(settings or {}))

    def some_players(self, place: int) -> tuple[int, ...]:
        """All numbers of players for the evidence; otherwise one, another one every day."""
        every = scaled(full=1, slice=0)
        return self.players if every else (self.players[(base_seed() + place) % len(self.players)],)


CHOCOLATL = Specification(
    game="chocolatl",
    players=(3, 4, 5),
    rulings={
        "ties.lowest": ("tie_loser",),
        "temple.tie_holder": ("before", "after"),
        "ties.vp_snapshot": ("at_ranking",),
        "payout.order": ("rank", "reverse_rank"),
        "mode.read": ("round_start",),
        "dice.order": ("rear_to_front", "front_to_rear"),
        "dice.multi": (True, False),
        "dice.passes": ("until_all_pass", "full_sweep", "once"),
        "mode.red.reveal": ("per_location", "all"),
        "mode.green.second": ("all_then_per_location", "all_then_all"),
        "score.floor": (0, None),
        "pyramid.double_mandatory": (True, False),
        "stones.substitutes": (True,),
        "court.discard": ("lowest", "choice"),
        "court.discard_includes_new": (False, True),
        "end.latched": (True, False),
        "oldman.temple_bonus_optional": (False, True),
        "setup.pile": ("random",),
        "temple.vp_on_keep": (True, False),
        "dice.usable_from": ("next_location", "next_round"),
        "final.die_optional": (False, True),
        "dice.count": (7,),
        "court.discard_public": (True, False),
        "pyramid.check": ("each_stone",),
    },
    printed={
        "cards.values": list(range(13)),
        "cards.offering": 1,
        "cards.bid_size": 2,
        "stones_per_player": 9,
        "hut.bonus": 1,
        "hut.village_malus": 1,
        "hut.tiles": 7,
        "hut.sites": 7,
        "oldman.temple": 1,
        "oldman.elsewhere": -1,
        "oldman.final": -3,
        "figure.vp": 1,
        "figure.final": 3,
        "pyramid.rows": [5, 4, 3, 2],
        "pyramid.bonus": [5, 4, 3, 2],
        "pyramid.double_margin": 3,
        "pyramid.final_per_stone": 1,
        "pyramid.final_majority": 3,
        "drink.highest": [8, 7, 6, 5, 4, 3, 2],
        "drink.second": [4, 3, 2, 0, 0, 0, 0],
        "drink.lowest": -2,
        "court.low_stack": [7, 8, 9, 10, 11, 12],
        "court.high_stack": [13, 14, 15, 16, 17, 18],
        "court.last_round_vp": [6, 3],
        "track.start": 0,
        "track.colour_of_0": "red",
        "track.cycle_from_1": ["gold", "green", "red"],
        "end.score": 40,
        "end.rounds": 7,
        "final.offering_majority": 3,
        "final.dice": 1,
    },
    cited=21,
    examples=(
        *(f"RB-{number}" for number in range(1, 4)),
        *("10.2 (i)", "10.2 (ii)"),
        *(f"CH-{number:02}" for number in range(1, 18)),
    ),
)

CACAO = Specification(
    game="cacao",
    players=(2, 3, 4),
    rulings={
        "fill.min_workers": (2,),
        "fill.sides": ("all",),
        "fill.shortage": ("active_player_choice",),
        "activation.optional": (True, "beans_and_sales"),
        "overbuild.when": ("pile_and_display_empty", "pile_empty"),
        "overbuild.per_cell": (1, 2, 3),
        "overbuild.per_turn": (1,),
        "overbuild.owner": ("self", "any"),
        "activation.granularity": ("edge",),
        "activation.player_order": ("clockwise",),
        "start_player": ("first_seat",),
        "setup.start_cells": ("diagonal",),
        "place.mandatory": (True,),
        "fill.third_tile": ("last_gap",),
        "hand.hidden": (True, False),
        "final.order": ("temples_suns_water",),
    },
    printed={
        "start.tiles": ["plantation1", "market2"],
        "start.cells": [[0, 0], [1, 1]],
        "hand.size": 3,
        "display.size": 2,
        "beans_max": 5,
        "suns_max": 3,
        "water.fields": [-10, -4, -1, 0, 2, 4, 7, 11, 16],
        "temple.first": 6,
        "temple.second": 3,
        "temple.split": "floor",
        "sun_final": 1,
    },
    cited=17,
    examples=(*(f"RB-{number}" for number in range(1, 4)), *(f"CA-{number:02}" for number in range(1, 18))),
)

QUETZAL = Specification(
    game="quetzal",
    players=(2, 3, 4, 5),
    rulings={
        "roll.standing_pays": ("every_throw",),
        "unique.multi": (True, False),
        "auction.returned_wild": ("chosen_colour", "wild"),
        "auction.self_raise": (False, True),
        "discovery.overflow": ("lost",),
        "camp.per": ("meeple", "visit"),
        "harbour.combine": (False, True),
        "activation.order": ("first_player",),
        "deck.reshuffle": (True, False),
        "delivery.partition": ("greedy", "best"),
        "delivery.new_tiles": ("next_time",),
        "automaton.annex_colour": ("card_else_free",),
        "delivery.bonus_once": (True, False),
        "improvement.discard_new": (True, False),
        "improvement.duplicate_check": ("active", "owned"),
        "improvement.empty": ("skip",),
        "exchange.until": ("final_scoring",),
        "roll.both": (True, False),
        "temple.colour": ("archaeologist", "adventurer"),
        "roll.edge_gold": (0, 1),
        "exchange.limit": (None,),
        "extra_object.per": ("delivery",),
    },
    printed={
        "rounds": 5,
        "start_gold": [4, 5, 5, 6, 6],
        "team_meeples": {2: 6, 3: 6, 4: 5, 5: 4},
        "ships": {2: 1, 3: 1, 4: 2, 5: 2},
        "chance": {"black": 40, "white": 40, "edge": 15, "standing": 5},
        "shows": {"black": "adventurer", "white": "archaeologist", "edge": "wild", "standing": "wild"},
        "roll.standing_gold": 1,
        "camp.gold": 1,
        "temple.open_cards": 8,
        "temple.costs": [5, 4, 3, 2, 1],
        "temple.choose": [2, 2, 1, 1, 1],
        "temple.draw": [0, 0, 1, 1, 0],
        "annex.cards": 2,
        "annex.quarry": "vp",
        "annex.small_temple": "discovery",
        "annex.ruins": "gold",
        "black_market.gold": 7,
        "village.costs": [2, 1, 1],
        "village.colour": "adventurer",
        "village.slots": {2: 2, 3: 3, 4: 3, 5: 3},
        "village.offer": {2: 2, 3: 3, 4: 3, 5: 3},
        "harbour.cost": 2,
        "harbour.objects": 3,
        "ship.objects": 6,
        "worth_of": {
            "pottery": [1, 2, 5],
            "weapon": [1, 3, 6],
            "tablet": [1, 4, 7],
            "statuette": [2, 5, 8],
            "mummy": [3, 6, 10],
        },
        "improvement.places": 2,
        "improvement.gain_gold": 5,
        "improvement.tablet_gold": 2,
        "improvement.trio_vp": 4,
        "improvement.pottery_gold": 1,
        "improvement.pottery_vp": 3,
        "improvement.weapons_gold": 2,
        "improvement.weapons_vp": 2,
        "exchange.gold_for_vp": 2,
        "exchange.gold_for_discovery": 3,
        "automaton.meeples": 3,
        "automaton.families": {"mummy": 1, "statuette": 2, "tablet": 3, "weapon": 4, "pottery": 5},
        "automaton.bonuses": {"discovery": 1, "vp": 2, "gold": 3, "plain": 4},
        "final.token_vp": 2,
        "final.gold_per_vp": 3,
    },
    cited=25,
    examples=(*(f"RB-{number}" for number in range(1, 11)), *(f"QZ-{number:02}" for number in range(1, 18))),
    without_parameter=("R-20", "R-21", "R-23"),
    lines=400,
)

SPECIFICATIONS = (CHOCOLATL, CACAO, QUETZAL)
