"""The rule file of Cacao against an implementation of the game in plain Python, in lockstep over random games.

Before every question the two have to agree on which question it is and to whom, on all its legal answers or the odds
of chance, and on the whole table; at the end on the points by source and the winners. What is answered is drawn here,
and in every second game so that rare things happen.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from chocolatl.interpreter.engine.state import encode_state
from chocolatl.interpreter.play.game import Game, Position
from tests.conftest import Evidence, base_seed, scaled
from tests.games import answered
from tests.reference.cacao_reference import RULINGS, SOURCES, Question, Reference, Table, Tile, turned
from tests.reference.events import Disagreement, Event
from tests.shipped.specifications import CACAO, Settings
from tests.shipped.test_cacao_reference import towards_the_rare

VARIANTS: dict[str | None, Settings] = {
    None: {},
    "board_game_arena": {"activation.optional": "beans_and_sales"},
    "early_overbuilding": {"overbuild.when": "pile_empty"},
    "open_hands": {"hand.hidden": False},
}
"""What the variants are, said a second time."""

USUAL, RARE = range(0, 400, 2), range(1, 400, 2)
"""Games at random, and games in which rare things happen."""


def table(game: Game, position: Position) -> Table:
    """The table of the reference, read out of a position."""
    state: Any = encode_state(game.program.layout, game.codec, position.slots)
    players = list(state["player"].values())
    cells = {tuple(map(int, name.split(","))): cell for name, cell in state.get("cell", {}).items()}

    def by_seat(name: str) -> tuple[int, ...]:
        return tuple(player[name] for player in players)

    def laid(cell: dict[str, Any]) -> Tile:
        kind, _, turn = cell["workers"].partition(" turned ")
        return Tile(cell["owner"], kind, turned(kind, int(turn or 0)), cell["covered"])

    return Table(
        gold=by_seat("gold"),
        points=tuple(tuple(player["breakdown"][source] for source in SOURCES) for player in players),
        beans=by_seat("beans"),
        suns=by_seat("suns"),
        water=tuple(field - 1 for field in by_seat("carrier")),
        hands=tuple(tuple(sorted(player["hand"])) for player in players),
        stacks=tuple(len(player["stack"]) for player in players),
        workers={(x, y): laid(cell) for (x, y), cell in cells.items() if cell["workers"]},
        jungle={(x, y): cell["jungle"] for (x, y), cell in cells.items() if cell["jungle"]},
        display=tuple(sorted(state["table"]["display"])),
        pile=len(state["table"]["pile"]),
    )


Asked = tuple[bool, str | None, str, Counter[str]]


def asked(game: Game, position: Position) -> Asked:
    """The question of a position: whether of chance, to whom, its name, its answers with their weights."""
    chance = game.chance(position)
    if chance is not None:
        owner = None if chance.owner is None else game.players[chance.owner]
        return True, owner, chance.name, Counter({json.dumps(chance.encode(o)): n for o, n in chance.outcomes.odds()})
    (decision,) = game.pending(position)
    answers = Counter(json.dumps(decision.encode(answer)) for answer in decision.answers)
    return False, game.players[decision.player], decision.name, answers


def told(question: Question) -> Asked:
    """The question of the reference in the same form."""
    return question.is_chance, question.who, question.name, Counter(map(json.dumps, question.answers))


def assert_agreement(game: Game, seed: int, rulings: Settings) -> list[Event]:
    """One random game, played by both."""
    reference, position = Reference(game.players, rulings), game.initial()
    draw = random.Random(seed)
    events: list[Event] = []
    while (question := reference.question) is not None:
        assert asked(game, position) == told(question), f"after {events[-3:]}"
        assert table(game, position) == reference.table(), f"after {events[-3:]}"
        answers = towards_the_rare(reference, question) if seed % 2 else question.answers
        events.append(Event(question.is_chance, question.who, question.name, draw.choice(answers)))
        reference.take(events[-1])
        position = answered(game, position, events[-1].value)
    assert game.is_over(position)
    assert table(game, position) == reference.table()
    assert [game.players[seat] for seat in game.result(position).winners] == reference.winners
    return events


@pytest.mark.parametrize("name", CACAO.combinations)
def test_rule_file_and_reference_agree(name: str, evidence: Evidence) -> None:
    variant, settings = CACAO.combinations[name]
    for players in CACAO.some_players(list(CACAO.combinations).index(name)):
        game = CACAO.load(players, variant, settings)
        for seed in evidence.cases(f"Cacao and the reference agree, {name}, {players} players", full=30, slice=2):
            assert_agreement(game, seed, {**VARIANTS[variant], **settings})


@pytest.mark.parametrize("players", CACAO.players)
def test_they_agree_on_any_mixture_of_alternatives(players: int, evidence: Evidence) -> None:
    """Twelve mixtures; those of the slice are other ones every day."""
    for seed in evidence.cases(f"Cacao and the reference agree, a mixture of alternatives, {players} players", 500, 2):
        draw = random.Random(seed % 12 if scaled(1, 0) else base_seed())
        settings = {name: draw.choice(CACAO.rulings[name]) for name in RULINGS}
        assert_agreement(CACAO.load(players, settings=settings), seed, settings)


def test_what_is_rare_is_agreed_on() -> None:
    """A third cell is filled from the pile, a place is covered three times."""
    settings = {"overbuild.per_cell": 3, "overbuild.owner": "any"}
    game = CACAO.load(4, settings=settings)
    wanted = {"third cell", "covered three times"}
    for seed in RARE:
        events = assert_agreement(game, seed, settings)
        if any(event.name == "top_tile" for event in events):
            wanted.discard("third cell")
        if max(Counter(str(event.value["here"]) for event in events if event.name == "placement").values()) > 3:
            wanted.discard("covered three times")
        if not wanted:
            return
    assert not wanted


# ---------------------------------------------------------------- that they can disagree


def test_the_reference_knows_every_ruling_that_has_alternatives() -> None:
    assert CACAO.open_rulings == RULINGS


@pytest.mark.parametrize("name", [name for name in RULINGS if name != "hand.hidden"])
def test_a_ruling_that_the_two_take_differently_is_found(name: str) -> None:
    """The rule file plays an alternative, the reference the default. Who sees a hand changes nothing on the table."""
    for alternative in CACAO.rulings[name][1:]:
        game = CACAO.load(3, settings={name: alternative})
        assert any(disagree(game, seed, {}) for seed in USUAL), alternative


def test_so_is_a_variant() -> None:
    assert set(VARIANTS) == {None, *(path.stem for path in CACAO.variants)}
    for variant in ("board_game_arena", "early_overbuilding"):
        assert any(disagree(CACAO.load(3, variant), seed, {}) for seed in USUAL), variant


def disagree(game: Game, seed: int, rulings: Settings) -> bool:
    try:
        assert_agreement(game, seed, rulings)
    except (AssertionError, Disagreement):
        return True
    return False
