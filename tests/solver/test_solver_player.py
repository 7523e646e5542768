"""The `solver` player: stronger than the others, a function of what it may know, and the same with the same seed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.players.registry import WrongPlayers, parse_players
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Tally
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver import by_work
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.by_work import DRAWN
from chocolatl.solver.methods.continuations import at_random
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.methods.search import searched, whole
from chocolatl.solver.methods.starting_answers import policy_answers
from chocolatl.solver.player import SolverPlayer
from chocolatl.solver.players import SOLVER, make_player
from chocolatl.solver.question import question_of
from chocolatl.solver.worth.outcome import OutcomeMeasure
from chocolatl.solver.worth.scenarios import source
from tests.conftest import Evidence, scaled
from tests.games import loaded, walk
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import allocations, dealt
from tests.solver.test_solver import RED

SMALL = ("goofspiel", "blotto", "kuhn_poker")

# ---------------------------------------------------------------- strength


def share(game: Game, one: Callable[[], Player], other: Callable[[], Player], games: int) -> ConfidenceInterval:
    """The share of victory of one player among others of another type, who takes each seat in turn."""
    tally = Tally()
    for index in range(games):
        seat = index % game.player_count
        players = [one() if place == seat else other() for place in range(game.player_count)]
        winners = game.result(play_game(game, players, 2024, index).position).winners
        tally.add(Fraction(int(seat in winners), len(winners)))
    return tally.share()


def test_it_beats_random_play_in_a_small_game() -> None:
    found = share(load(find_game("goofspiel"), 2, {"cards": 5}), lambda: SolverPlayer(0.01), _random, 40)
    assert found.low is not None and found.low > 0.5


def _random() -> Player:
    return make_player("random")


@pytest.mark.parametrize("players", CHOCOLATL.players)
@pytest.mark.parametrize(
    ("one", "other", "times"), [("greedy", "random", 1.5), (SOLVER, "greedy", 1.0), (SOLVER, "learned", 1.0)]
)
def test_one_is_stronger_than_the_other(one: str, other: str, times: float, players: int, evidence: Evidence) -> None:
    """200 games of Chocolatl each for the evidence; else a few of the quickest table."""
    games = scaled(full=200, slice=12 if (one, players) == ("greedy", 3) else 0)
    evidence.record(f"{one} among {other} in Chocolatl, {players} players: above {times:g}/n", games, seed=2024)
    if games:
        found = share(CHOCOLATL.load(players), lambda: make_player(one), lambda: make_player(other), games)
        print(f"{one} among {other}, {players} players, {games} games: {found}")  # for the log of the evidence
        assert found.low is not None and found.low > times / players, found


# ---------------------------------------------------------------- what it knows


@pytest.mark.parametrize("name", SMALL)
def test_it_answers_by_what_it_may_know_alone(name: str, seed: int) -> None:
    """In positions that a player cannot tell apart it gives the same answer, and always the same one."""
    game = loaded(rules_folder() / name, 3)
    for position in list(walk(game, seed))[::5]:
        for decision in game.pending(position)[:1]:
            chosen = SolverPlayer(0.001).choose(game, position, decision, Random(1))
            assert decision.answers.contains(chosen)
            other = game.sample_unknown(position, decision.player, Random(seed, 1))
            same = game.decision(other, decision.player)
            assert same is not None
            assert SolverPlayer(0.001).choose(game, other, same, Random(2)) == chosen


def test_against_learned_players_it_answers_as_their_policy_might() -> None:
    """With the best of what it draws, for a whole secret block; of a single decision with few answers all are tried."""
    game = CHOCOLATL.load(3)
    position = dealt(game, 1)
    assert position is not None
    asked = PositionQuestion(game, position, 0, question_of(game, work=0.01))
    assert asked.conduct is not None
    random, never = Random(asked.seed), Deadline()
    block = game.sample_unknown(position, 0, Random(0))
    drawn = {policy_answers(game, block, 0, asked.conduct, random) for _ in range(DRAWN)}
    found = by_work.found(asked, asked.sampler(asked.at_random(never), never))
    assert len(drawn) > 1 and set(found.options) <= drawn
    cards = loaded(rules_folder() / "goofspiel", 3)
    bid = next(place for place in walk(cards, 1) if cards.pending(place))
    single = PositionQuestion(cards, bid, 0, question_of(cards, work=0.1))
    tried = by_work.found(single, single.sampler(single.at_random(never), never)).tried
    assert tried == cards.pending(bid)[0].answers.count()


def test_the_answers_to_a_secret_block_are_found_together() -> None:
    game = loaded(rules_folder() / "blotto", 2)
    player, position, given = SolverPlayer(0.02), game.initial(), []
    while (decision := game.decision(position, 0)) is not None:
        given.append(player.choose(game, position, decision, Random(1)))
        position = game.answer(position, 0, given[-1])
    assert tuple(given) in [tuple(plan) for plan in player.plans.values()]
    assert sum(given) == 10


# ---------------------------------------------------------------- whole answers


def test_a_change_exchanges_two_pieces(seed: int) -> None:
    """Cards at two places are exchanged, and the rest stays."""
    game = CHOCOLATL.load(3, None, RED)
    position = dealt(game, seed)
    assert position is not None
    random = Random(seed)
    block = game.sample_unknown(position, 0, random)
    old = whole(game, block, 0, random)
    assert len(old) == 6
    for changed in range(5):
        new = whole(game, block, 0, random, old, changed)
        assert Counter(card for pair in new for card in pair) == Counter(card for pair in old for card in pair)
        assert sum(a != b for a, b in zip(old, new, strict=True)) <= 2 + (changed < 4)
        legal = block
        for answer in new:
            decision = game.decision(legal, 0)
            assert decision is not None and decision.answers.contains(answer)
            legal = game.answer(legal, 0, answer)


def test_the_search_comes_close_to_the_best_of_all_answers() -> None:
    """On three locations there are 90 ways to lay the cards: all are tried, too."""
    game = CHOCOLATL.load(3, "three_locations", RED)
    for seed in range(3):
        position = dealt(game, seed)
        assert position is not None
        sampler = Sampler(game, source(game, position, 0, "random", seed), at_random(game, 0), OutcomeMeasure(game, 0))

        def worth(answers: AnswerSequence, sampler: Sampler = sampler) -> float:
            return sum(row[0] for row in sampler.table([answers], 0, 4))

        best = max(worth(answers) for answers in allocations(game, position, 0))
        found = searched(sampler, position, 0, 60, 4, Random(seed)).options
        assert worth(found[0]) >= 0.9 * best
        assert [worth(answers) for answers in found] == sorted((worth(a) for a in found), reverse=True)


# ---------------------------------------------------------------- commands


def test_the_same_seed_gives_the_same_games_with_any_number_of_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for jobs in ("1", "2"):
        players = "solver:0.005,random"
        assert (
            cli.main(["simulate", "goofspiel/short", "--players", players, "--games", "6", "--jobs", jobs, "--json"])
            == 0
        )
        result = json.loads(capsys.readouterr().out)
        found.append([(p["type"], p["score"], p["win_share"]) for p in result["players"]])
    assert found[0] == found[1] and found[0][0][0] == "solver:0.005"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("solver:0,random", "a budget is a number above 0, such as `solver:3`; found `solver:0`"),
        ("solver:fast", "a budget is a number above 0"),
        ("solver:", "a budget is a number above 0"),
        ("solver:-1", "a budget is a number above 0"),
        ("solver:99999", "a budget is a number above 0"),
        ("greedy:3", "a player of the type `greedy` has no budget; found `greedy:3`"),
        ("sover:3", "no type of player `sover` (they are: random, greedy, learned, solver); did you mean `solver`?"),
    ],
)
def test_a_wrong_budget_is_refused(text: str, message: str) -> None:
    with pytest.raises(WrongPlayers) as refused:
        parse_players(text, (SOLVER,))
    assert message in str(refused.value)
    assert parse_players("red=solver:0.5,solver", (SOLVER,)) == [("red", "solver:0.5"), ("p2", "solver")]
