"""Chocolatl as its specification has it: every number and ruling is data, every worked example is a scenario, every
alternative can be played, and whatever is played keeps all cards, stones, dice and points together.

That the scenarios hold, and that a changed number in any of them fails, is shown for all games in `test_scenarios.py`.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from interpreter.data.load import load_game, read_document
from interpreter.diagnostics import Findings
from interpreter.engine.compile import Log
from interpreter.engine.state import encode_state
from interpreter.formats.position import dump_position, read_position
from interpreter.formats.replaying import Replay
from interpreter.formats.scenario import load_scenario
from interpreter.formats.scenario_run import run_scenario
from interpreter.formats.transcript import event_line, header_line, read_lines, result_line
from interpreter.game import Game, Position
from interpreter.library import check
from interpreter.match import Event, play_game
from interpreter.players.uniform import RandomPlayer
from interpreter.source import make_source
from tests.conftest import ROOT, Evidence, base_seed, scaled
from tests.games import inventory, loaded, walk
from tests.test_views import complaints

FOLDER = ROOT / "rules" / "chocolatl"
SCENARIOS = sorted(FOLDER.glob("scenarios/*.yaml"))
VARIANTS = sorted(FOLDER.glob("variants/*.yaml"))

WORKED_EXAMPLES = (
    *(f"RB-{number}" for number in range(1, 4)),
    *("10.2 (i)", "10.2 (ii)"),
    *(f"CH-{number:02}" for number in range(1, 18)),
)

RULINGS: dict[str, tuple[Any, ...]] = {
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
}
"""The default of every ruling, followed by its alternatives."""

PRINTED: dict[str, Any] = {
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
}

Settings = dict[str, Any]

ALTERNATIVES: list[tuple[str, Any]] = [
    (name, value) for name, (_, *alternatives) in RULINGS.items() for value in alternatives
]
TOGETHER: Settings = dict(ALTERNATIVES)  # of two alternatives to one ruling the last one, so there are two of these
COMBINATIONS: dict[str, tuple[str | None, Settings]] = {
    "as ruled": (None, {}),
    **{f"{name} {json.dumps(value)}": (None, {name: value}) for name, value in ALTERNATIVES},
    "all alternatives, one sweep": (None, TOGETHER),
    "all alternatives, full sweeps": (None, {**TOGETHER, "dice.passes": "full_sweep"}),
    **{variant.stem: (variant.stem, {}) for variant in VARIANTS},
    "12 cards on three locations": ("three_locations", {"cards.values": list(range(13))}),
}
"""What is played at random: a variant, or nothing, and settings."""


def data() -> dict[str, Any]:
    """All parameters and tables, as game.yaml declares them."""
    value = yaml.safe_load((FOLDER / "game.yaml").read_text(encoding="utf-8"))
    return {**value["parameters"], **value["tables"]}


# ---------------------------------------------------------------- numbers and rulings are data


def test_every_ruling_has_its_parameter_with_the_default_and_the_alternatives() -> None:
    declared = data()
    for name, (default, *alternatives) in RULINGS.items():
        assert declared[name]["value"] == default and type(declared[name]["value"]) is type(default), name
        options = declared[name].get("options", [True, False])
        assert sorted(map(repr, options)) == sorted(map(repr, [default, *alternatives])), name


def test_every_printed_number_is_a_parameter_or_a_table() -> None:
    declared = data()
    assert {name: declared[name]["value"] for name in PRINTED} == PRINTED


def test_each_says_what_it_is_where_it_comes_from_and_how_sure_that_is() -> None:
    for name, entry in data().items():
        assert all(entry.get(key) for key in ("about", "source", "confidence")), name


def test_each_ruling_is_cited_where_it_is_decided() -> None:
    wanted = {f"R-{number:02}" for number in range(1, 22)}
    assert wanted == {found for entry in data().values() for found in re.findall(r"R-\d\d", entry["source"])}


@pytest.mark.parametrize("name", [name for name, values in RULINGS.items() if len(values) == 1])
def test_a_ruling_without_alternatives_refuses_anything_else(name: str) -> None:
    findings = Findings()
    assert load_game(FOLDER, findings, settings={name: "otherwise"}) is None
    (default,) = RULINGS[name]
    (message,) = [found.message.replace("`", "") for found in findings.items]
    assert message == f"{name} cannot be the text otherwise; it is one of {str(default).lower()}"


def test_the_rules_are_shorter_than_300_lines() -> None:
    lines = (FOLDER / "chocolatl.rules").read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip() and not line.lstrip().startswith("#")]) < 300


@pytest.mark.parametrize("path", [FOLDER, *VARIANTS], ids=lambda path: path.stem)
def test_game_and_variants_have_no_findings(path: Path) -> None:
    findings = Findings()
    check(path, findings)
    assert findings.items == []


def test_the_reduced_boards_have_as_many_ways_to_lay_the_cards_as_they_say() -> None:
    for stem, count in (("three_locations", 90), ("four_locations", 2_520), ("five_locations", 113_400)):
        game = loaded(FOLDER / "variants" / f"{stem}.yaml", 3)
        position = game.initial()
        while game.chance(position) or game.pending(position)[0].name != "sealed[temple]":
            position = next(iter(successors(game, position)))
        ways = 1
        while (decision := game.decision(position, 0)) is not None:
            ways *= decision.answers.count()
            position = game.answer(position, 0, decision.answers.nth(0))
        assert ways == count


def successors(game: Game, position: Position) -> Iterator[Position]:
    """The positions after each answer to the first question."""
    chance = game.chance(position)
    if chance is not None:
        yield from (game.resolve(position, outcome) for outcome, _ in chance.outcomes.odds())
        return
    decision = game.pending(position)[0]
    yield from (game.answer(position, decision.player, answer) for answer in decision.answers)


# ---------------------------------------------------------------- worked examples and alternatives are scenarios


def name_of(path: Path) -> str:
    return str(yaml.safe_load(path.read_text(encoding="utf-8"))["name"])


@pytest.mark.parametrize("example", WORKED_EXAMPLES)
def test_a_worked_example_is_a_scenario(example: str) -> None:
    in_file_names = re.sub(r"[^a-z0-9]+", "-", example.lower()).strip("-")
    named = [path for path in SCENARIOS if name_of(path).startswith(f"{example} ")]
    assert named
    assert all(path.name.startswith(f"{in_file_names}-") for path in named)


def test_no_scenario_names_an_example_that_does_not_exist() -> None:
    for path in SCENARIOS:
        found = re.match(r"(RB|CH)-\d+|10\.2 \(\w+\)", name_of(path))
        assert found is None or found[0] in WORKED_EXAMPLES, path.name


@pytest.mark.parametrize(("name", "value"), ALTERNATIVES, ids=lambda part: str(part))
def test_an_alternative_has_a_scenario_that_fails_under_the_default(name: str, value: Any, tmp_path: Path) -> None:
    failing = []
    for path in SCENARIOS:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        if name in content.get("set", {}) and content["set"][name] == value:
            content["set"] = {key: part for key, part in content["set"].items() if key != name}
            (tmp_path / path.name).write_text(json.dumps(content), encoding="utf-8")
            scenario = load_scenario(tmp_path / path.name, Findings())
            # Without the alternative a choice that it brings along may not even exist.
            if scenario is None or run_scenario(scenario):
                failing.append(path.name)
    assert failing


# ---------------------------------------------------------------- random games


def player_counts(place: int) -> tuple[int, ...]:
    """All for the evidence; otherwise one, another one every day."""
    return (3, 4, 5) if scaled(full=1, slice=0) else (3 + (base_seed() + place) % 3,)


GAMES, CLOSELY = 1000, 4
"""How many games of each kind are played, and in how many of these every single position is looked at."""


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_random_games(combination: str, tmp_path: Path, evidence: Evidence) -> None:
    variant, settings = COMBINATIONS[combination]
    path = FOLDER / "variants" / f"{variant}.yaml" if variant else FOLDER
    for players in player_counts(list(COMBINATIONS).index(combination)):
        game = loaded(path, players, json.dumps(settings))
        kind = f"Chocolatl, {combination}, {players} players"
        pieces = inventory(game, game.initial().slots)
        for number, seed in enumerate(evidence.cases(f"random games of {kind}", full=GAMES, slice=3)):
            log: Log = []
            lines, positions = [header_line(game, seed)], [game.initial()]

            def observe(
                event: Event, position: Position, lines: list[str] = lines, positions: list[Position] = positions
            ) -> None:
                lines.append(event_line(event))
                positions.append(position)

            last = play_game(game, [RandomPlayer()] * players, seed, observe=observe, log=log).position
            assert inventory(game, last.slots) == pieces
            assert_kept_together(game, last)
            assert_explained(game, last, log)
            assert_ended(game, last)
            evidence.count(f"transcripts replay: {kind}")
            assert_replays(game, [*lines, result_line(game, game.result(last))], tmp_path)
            if number < scaled(full=CLOSELY, slice=1):
                choice = random.Random(seed)
                looked_at = choice.sample(positions, min(len(positions), scaled(full=10**6, slice=6)))
                evidence.count(f"every position of {CLOSELY} games survives YAML: {kind}", len(looked_at))
                for position in looked_at:
                    assert_survives_yaml(game, position)
                evidence.count(f"every view in {CLOSELY} games leaks nothing: {kind}", len(looked_at) * players)
                for position in looked_at:
                    for player in range(players):
                        assert complaints(game, position, player, choice) == []


def assert_replays(game: Game, lines: list[str], folder: Path) -> None:
    """A transcript is legal from its first event to its result, and chance is what the seed gives."""
    path = folder / "game.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    replay = Replay(lambda header: game, check_seed=True)
    replay.run(read_lines(path))
    assert replay.problems == [] and (replay.games, replay.events) == (1, len(lines) - 2)


def assert_survives_yaml(game: Game, position: Position) -> None:
    """Written, read by the rules for all files, and written again, a position is the same."""
    text, findings = dump_position(game, position), Findings()
    document = read_document(make_source("position.yaml", text), "position", findings)
    assert document is not None
    found = read_position(document, game, findings)
    assert found is not None and findings.items == []
    assert found.position == position
    assert dump_position(game, found.position) == text


@pytest.mark.parametrize("players", (3, 4, 5))
def test_every_position_of_a_game_keeps_its_pieces_together(players: int, evidence: Evidence) -> None:
    game = loaded(FOLDER, players)
    pieces = inventory(game, game.initial().slots)
    for seed in evidence.cases(f"pieces at every position of Chocolatl, {players} players", full=100, slice=1):
        for position in walk(game, seed):
            if position.sealed is None:
                assert inventory(game, position.slots) == pieces
                assert_kept_together(game, position)


def assert_kept_together(game: Game, position: Position) -> None:
    """Black dice, stones, huts and discs are where they can be."""
    state: Any = encode_state(game.program, game.codec, position.slots)
    table, players = state["table"], state["player"].values()
    assert table["supply"] + table["village_dice"] + sum(player["dice"] for player in players) == 7
    for player in players:
        assert player["stones"] == max(0, 9 - player["huts"] - sum(player["placed"].values()))
    sizes = game.files.tables["pyramid.rows"].value
    rows = [sum(player["placed"][str(row)] for player in players) for row in range(1, len(sizes) + 1)]
    for below, (stones, size) in enumerate(zip(rows, sizes, strict=True)):
        assert stones <= size and (stones == 0 or rows[:below] == sizes[:below])
    assert sum(player["huts"] for player in players) <= 7
    if table["moves"]:
        assert len({player["arrival"] for player in players}) == len(players)


def assert_explained(game: Game, position: Position, log: Log) -> None:
    """Every point is in the breakdown, and every entry of the breakdown is a sum of awards."""
    result = game.result(position)
    awards: Counter[tuple[int, str]] = Counter()
    for kind, player, item, points, *_ in log:
        if kind == "award":
            awards[player, game.ir.items[item]] += points
    for player, (score, breakdown) in enumerate(zip(result.scores, result.breakdown, strict=True)):
        assert score == sum(breakdown.values())
        assert breakdown == {item: awards[player, item] for item in game.ir.items}
    best = max(result.scores)
    assert {result.scores[winner] for winner in result.winners} == {best}


def assert_ended(game: Game, position: Position) -> None:
    """The game was over for a reason: the last round, a full pyramid, the last stone, or points enough."""
    state: Any = encode_state(game.program, game.codec, position.slots)
    players = state["player"].values()
    rows: list[int] = game.files.tables["pyramid.rows"].value
    before = [sum(points for item, points in player["breakdown"].items() if item in SOURCES) for player in players]
    assert (
        state["table"]["round"] == game.files.parameters["end.rounds"].value
        or sum(sum(player["placed"].values()) for player in players) == sum(rows)
        or any(player["stones"] == 0 for player in players)
        or max(before) >= 40 - 2  # reached once in the last round, and 2 of them lost again
    )


SOURCES = ("temple", "plantation", "village", "pyramid", "drink", "court", "row_bonus")
"""Where points come from during play."""
