"""Players and the match they play: whose random numbers are drawn when, and what a player may know."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import pack
from chocolatl.interpreter.play.game import Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import (
    ChanceEvent,
    ChoiceEvent,
    PlayedEvent,
    Player,
    next_question,
    play_game,
    play_on,
    streams,
)
from chocolatl.interpreter.players import greedy
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.lookahead import below, candidates
from chocolatl.interpreter.players.registry import TYPES, WrongPlayers, make_player, parse_players
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.conftest import Evidence, scaled

SHIPPED = ("goofspiel", "blotto", "kuhn_poker")

SAMPLE_DATA = """\
kind: game
format: 1
name: sample
title: A sample of everything that can be asked
players: {min: 2, max: 4}
parameters:
  limit: {value: 200, min: 1, max: 200, about: The highest score.}
components:
  card: {kinds: {value: 1..9}, about: One card of each value.}
"""

SAMPLE_RULES = """\
language 1
game sample

enum place = harbour, market

component card (value)

item cards "Cards laid"
item dice "Dice rolled"

table has
    deck : set of card hidden = every card

each player has
    score       : 0..limit = 0
    hand        : set of card secret
    laid[place] : set of card secret

play
    for each p in player
        for each n in 1..2
            draw deal from deck into p.hand for p
    every player p secretly
        for each here in place
            p chooses up to 1 from p.hand into p.laid[here] "What do you lay at {here}?"
    for each round in 1..2
        for each p in player
            roll 2 throw from 1..6 for p
            p may choose extra from 1..3 as extra "More?"
            p chooses a from place, b from 1..2 where a is market or b is 1 as spot
            p gains (sum of t for t in throw) + b score for dice
            if extra is not none
                p gains (sum of c.value for c in p.laid[a]) score for cards

winner p
    highest p.score
"""


def write_sample(root: Path) -> Path:
    """A game with every kind of choice and chance, in a root folder of its own."""
    folder = root / "sample"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "game.yaml").write_text(SAMPLE_DATA)
    (folder / "sample.rules").write_text(SAMPLE_RULES)
    return folder


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Game]:
    found = {name: load(find_game(name), 3) for name in SHIPPED}
    found["sample"] = load(write_sample(tmp_path_factory.mktemp("root")), 3)
    return found


def positions(game: Game, seed: int, players: list[Player] | None = None) -> list[tuple[PlayedEvent, Position]]:
    """The events of a game with the positions they led to."""
    seen: list[tuple[PlayedEvent, Position]] = []
    watch = players or [RandomPlayer()] * game.player_count
    play_game(game, watch, seed, 0, lambda event, position: seen.append((event, position)))
    return seen


# ---------------------------------------------------------------- the match


@pytest.mark.parametrize("name", [*SHIPPED, "sample"])
@pytest.mark.parametrize("index", [0, 5])
def test_chance_draws_from_stream_0_and_seat_i_from_stream_i(games: dict[str, Game], name: str, index: int) -> None:
    game, seed = games[name], 7
    chance, *seats = (Random(seed, index, stream) for stream in range(game.player_count + 1))
    position = game.initial()
    expected: list[PlayedEvent] = []
    while not game.is_over(position):
        question = game.chance(position)
        if question is not None:
            outcome = question.outcomes.sample(chance)
            owner = None if question.owner is None else game.players[question.owner]
            expected.append(ChanceEvent(question.name, question.encode(outcome), owner))
            position = game.resolve(position, outcome)
        else:
            decision = game.pending(position)[0]
            answer = decision.answers.sample(seats[decision.player])
            expected.append(ChoiceEvent(game.players[decision.player], decision.name, decision.encode(answer)))
            position = game.answer(position, decision.player, answer)
    seen: list[PlayedEvent] = []
    players = [RandomPlayer()] * game.player_count
    played = play_game(game, players, seed, index, lambda event, _: seen.append(event))
    assert seen == expected
    assert played.position == position
    assert played.decisions == sum(isinstance(event, ChoiceEvent) for event in expected)
    assert play_game(game, players, seed, index) == played  # unobserved, it is the same game


def test_in_a_secret_block_one_player_finishes_before_the_next_begins(games: dict[str, Game]) -> None:
    events = [event for event, _ in positions(games["blotto"], 1)]
    assert [(event.player, event.name) for event in events if isinstance(event, ChoiceEvent)] == [
        (player, f"troops[{field}]") for player in ("p1", "p2", "p3") for field in (1, 2, 3)
    ]


@pytest.mark.parametrize("name", [*SHIPPED, "sample"])
def test_the_next_question_is_the_chance_or_the_first_pending_decision(games: dict[str, Game], name: str) -> None:
    game = games[name]
    for _, position in [(None, game.initial()), *positions(game, 3)]:
        question, chance, pending = next_question(game, position), game.chance(position), game.pending(position)
        if question is None:
            assert chance is None and not pending and game.is_over(position)
        elif isinstance(question, Decision):
            assert chance is None and (question.player, question.name) == (pending[0].player, pending[0].name)
        else:
            assert chance is not None and question.name == chance.name and not pending


@pytest.mark.parametrize("name", [*SHIPPED, "sample"])
def test_a_game_goes_on_from_any_position_with_the_same_random_numbers(games: dict[str, Game], name: str) -> None:
    game, players = games[name], [RandomPlayer()] * 3
    whole = play_game(game, players, 11)
    for steps in range(0, 12, 3):
        randoms, count = streams(11, 0, 3), itertools.count(1)
        half = play_on(game, game.initial(), players, randoms, until=lambda *_: next(count) > steps)  # noqa: B023
        rest = play_on(game, half.position, players, randoms)
        assert rest.position == whole.position
        assert half.decisions + rest.decisions == whole.decisions


# ---------------------------------------------------------------- the random player


@pytest.mark.parametrize("name", [*SHIPPED, "sample"])
def test_one_element_is_uniform_in_canonical_order(games: dict[str, Game], name: str, evidence: Evidence) -> None:
    game = games[name]
    for seed in evidence.cases(f"random player, one element: {name}", full=100, slice=5):
        for _, position in positions(game, seed):
            for decision in game.pending(position):
                answers = decision.answers
                if not isinstance(answers, SeveralAnswers):
                    chosen = RandomPlayer().choose(game, position, decision, Random(seed))
                    assert chosen == answers.nth(Random(seed).next_u32() * answers.count() >> 32)


@given(
    counts=st.lists(st.integers(0, 3), min_size=1, max_size=6),
    least=st.integers(0, 4),
    more=st.integers(0, 3),
    seed=st.integers(0, 2**64 - 1),
)
def test_several_are_drawn_one_by_one_among_the_kinds_that_are_left(
    counts: list[int], least: int, more: int, seed: int
) -> None:
    if least > sum(counts):
        return
    most = min(least + more, sum(counts))
    random, left, drawn = Random(seed), list(counts), []
    size = least + random.below(most - least + 1) if least < most else most
    for _ in range(size):
        kinds = [kind for kind, copies in enumerate(left) if copies]
        kind = kinds[random.below(len(kinds))]
        left[kind] -= 1
        drawn.append(kind + 10)
    answers = SeveralAnswers(pack(counts), 10, least, least + more)
    assert answers.sample(Random(seed)) == tuple(sorted(drawn))
    assert answers.contains(tuple(sorted(drawn)))


# ---------------------------------------------------------------- the greedy player


def share_of_greedy(game: Game, number: int) -> float:
    """The share of victory of one greedy player among random ones."""
    players: list[Player] = [GreedyPlayer(), *[RandomPlayer()] * (game.player_count - 1)]
    total = 0.0
    for index in range(number):
        winners = game.result(play_game(game, players, 2024, index).position).winners
        total += (0 in winners) / len(winners)
    return total / number


def test_greedy_beats_random(evidence: Evidence) -> None:
    number = scaled(full=200, slice=80)
    assert share_of_greedy(load(find_game("goofspiel"), 2, {"cards": 5}), number) > 0.6
    evidence.record("greedy beats random in 60 % of the games", number, seed=2024)


@pytest.mark.parametrize("name", [*SHIPPED, "sample"])
def test_greedy_is_a_function_of_its_arguments(games: dict[str, Game], name: str, seed: int) -> None:
    game, player = games[name], GreedyPlayer()
    for _, position in positions(game, seed)[::7]:
        for decision in game.pending(position):
            before = (position, Random(seed))
            chosen = player.choose(game, position, decision, Random(seed))
            assert decision.answers.contains(chosen)
            assert chosen == player.choose(game, position, decision, Random(seed))
            assert (position, Random(seed)) == before


@pytest.mark.parametrize("name", [*SHIPPED, "sample"])
def test_greedy_does_not_know_what_it_may_not_know(games: dict[str, Game], name: str, evidence: Evidence) -> None:
    """In positions that a player cannot tell apart, the same random numbers give the same answer."""
    game, player = games[name], GreedyPlayer()
    for seed in evidence.cases(f"greedy does not look: {name}", full=10, slice=2):
        for _, position in positions(game, seed)[::9]:
            for decision in game.pending(position):
                other = game.sample_unknown(position, decision.player, Random(seed, 1))
                assert game.view(other, decision.player)["state"] == game.view(position, decision.player)["state"]
                same = game.decision(other, decision.player)
                assert same is not None
                first = player.choose(game, position, decision, Random(seed, 2))
                assert player.choose(game, other, same, Random(seed, 2)) == first


@pytest.mark.parametrize(("card", "answer"), [(3, "bet"), (1, "pass")])
def test_greedy_calls_with_the_best_card_and_folds_the_worst(card: int, answer: str) -> None:
    game = load(find_game("kuhn_poker"), 2)
    position = game.initial()
    for dealt in (card, 2):
        chance = game.chance(position)
        assert chance is not None
        position = game.resolve(position, chance.decode(dealt))
    for chosen in ("pass", "bet"):
        decision = game.pending(position)[0]
        position = game.answer(position, decision.player, decision.decode(chosen))
    decision = game.pending(position)[0]
    for seed in range(20):
        assert decision.encode(GreedyPlayer().choose(game, position, decision, Random(seed))) == answer


def test_greedy_takes_the_first_of_equals(games: dict[str, Game]) -> None:
    """Of the two numbers in the choice `extra` none is better: what matters is only whether there is one."""
    game = games["sample"]
    for seed in range(5):
        asked = [
            position for _, position in positions(game, seed) if [d.name for d in game.pending(position)] == ["extra"]
        ]
        for position in asked:
            decision = game.pending(position)[0]
            assert GreedyPlayer().choose(game, position, decision, Random(seed)) == decision.answers.nth(0)


def test_of_many_answers_greedy_tries_some() -> None:
    game = load(find_game("blotto"), 2, {"coins": 100, "fields": 2})
    decision = game.pending(game.initial())[0]
    tried = candidates(decision, greedy.CANDIDATES, Random(5))
    assert decision.answers.count() == 101
    assert tried == sorted(tried) and 8 < len(tried) <= greedy.CANDIDATES
    assert GreedyPlayer().choose(game, game.initial(), decision, Random(5)) in tried


@given(st.integers(1, 2**200), st.integers(0, 2**64 - 1))
def test_a_number_below_any_count(count: int, seed: int) -> None:
    assert 0 <= below(count, Random(seed)) < count


# ---------------------------------------------------------------- names and types


def test_every_type_can_be_made() -> None:
    for type_name in TYPES:
        assert callable(make_player(type_name).choose)
    with pytest.raises(WrongPlayers, match=r"there is no type of player `gredy`.*did you mean `greedy`\?"):
        make_player("gredy")


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("3", [("p1", "random"), ("p2", "random"), ("p3", "random")]),
        ("random,greedy", [("p1", "random"), ("p2", "greedy")]),
        ("red=greedy,blue=random", [("red", "greedy"), ("blue", "random")]),
        (" red = greedy , random ", [("red", "greedy"), ("p2", "random")]),
        ("you,greedy", [("p1", "you"), ("p2", "greedy")]),
        ("a-1=you,B_2=you", [("a-1", "you"), ("B_2", "you")]),
    ],
)
def test_players_by_number_type_and_name(text: str, players: list[tuple[str, str]]) -> None:
    assert parse_players(text, also=("you",)) == players


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "from 1 to 99"),
        ("100", "from 1 to 99"),
        ("9" * 5000, "from 1 to 99"),
        ("", "missing"),
        ("random,", "player 2 is missing"),
        ("red=", "no type of player ``"),
        ("=random", "`` is not a name"),
        ("random,gredy", "did you mean `greedy`"),
        ("3,random", "no type of player `3`"),
        ("red=random,red=greedy", "two players are called `red`"),
        ("p2=random,random", "two players are called `p2`"),
        ("ré=random,x=random", "`ré` is not a name"),
        ("-a=random", "`-a` is not a name"),
        ("a b=random", "`a b` is not a name"),
        ("you,random", "no type of player `you`"),
        (",".join(["random"] * 100), "found 100"),
    ],
)
def test_wrong_players_are_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(WrongPlayers) as refused:
        parse_players(text)
    assert message in str(refused.value) and len(str(refused.value)) < 200


@given(st.text(max_size=30))
def test_any_text_gives_players_or_a_reason(text: str) -> None:
    try:
        players: Any = parse_players(text)
    except WrongPlayers:
        return
    assert len({name for name, _ in players}) == len(players) >= 1
    assert {type_name for _, type_name in players} <= set(TYPES)
