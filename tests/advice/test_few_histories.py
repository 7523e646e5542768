"""Small auctions and small poker: where little can happen any more, all of it is played, and the value adds up.

The values are worked out by hand here, or are those of OpenSpiel: no history is played by the code that is tested.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered import zones
from chocolatl.interpreter.lowered.answers import SeveralAnswers
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.solver.advice import AUTO, EXACT, SAMPLING, Advice, SolverQuestion, advise
from tests.games import loaded, write_game
from tests.solver.test_response import theirs
from tests.terminals import run

CARDS, CAP, TURNS = 5, 6, 4

AUCTION = """\
item prize "The prize"
item paid  "Paid"

table has
    deck   : set of card hidden = every card
    bid    : 0..6 = 0
    leader : player or nobody = nobody

each player has
    score : -9..9 = 0
    hand  : set of card secret

value worth(p : player) = highest c.value for c in p.hand

ranking leading of p in player where leader is p
    highest bid

play
    for each p in player
        draw dealt from deck into p.hand for p
    for each p in player
        do bids(p)
    for each p in player
        do bids(p)
    contest leading
        first p
            p gains worth(p) score for prize
            p loses bid score for paid

procedure bids(p : player)
    if leader is not p
        p chooses raised from bid..6 "How much? {bid} is to pass."
        if raised > bid
            leader becomes p
        bid becomes raised
"""
"""An auction in turns. To each the prize is worth what the own card says."""


@pytest.fixture(scope="module")
def auction(tmp_path_factory: pytest.TempPathFactory) -> Game:
    return load(write_game(tmp_path_factory.mktemp("auction"), AUCTION, cards="{value: 1..5}"), 2)


def first_bid(game: Game, hands: tuple[int, int]) -> Position:
    position = game.initial()
    for value in hands:
        position = game.resolve(position, value - 1)
    return position


def bids_worth(card: int, margin: bool) -> dict[int, Fraction]:
    """What each first bid is worth to somebody with a card, who bids on as well as can be, against random bids."""
    others = [value for value in range(1, CARDS + 1) if value != card]

    @cache
    def worth(turn: int, bid: int, leader: int | None) -> Fraction:
        if turn == TURNS:
            if leader == 1:
                return Fraction(-sum(value - bid for value in others), len(others)) if margin else Fraction(0)
            return Fraction(card - bid if leader == 0 else 0)
        who = turn % 2
        if leader == who:
            return worth(turn + 1, bid, leader)
        ways = [worth(turn + 1, raised, who if raised > bid else leader) for raised in range(bid, CAP + 1)]
        return max(ways) if who == 0 else sum(ways, Fraction(0)) / len(ways)

    return {bid: worth(1, bid, 0 if bid else None) for bid in range(CAP + 1)}


@pytest.mark.parametrize("objective", ["points", "margin"])
@pytest.mark.parametrize("card", range(1, CARDS + 1))
def test_an_auction_in_turns_is_played_in_every_way(auction: Game, card: int, objective: str) -> None:
    """What the other one holds is not looked at."""
    expected = bids_worth(card, objective == "margin")
    for other in {1, 5} - {card}:
        found = advise(auction, first_bid(auction, (card, other)), 0, SolverQuestion(objective=objective))
        assert (found.engine, found.status, found.value) == ("exact", "optimal", float(max(expected.values())))
        values = {option.choices[0][1]: option.value.mean for option in found.options}
        assert values == {bid: float(value) for bid, value in expected.items()}


def test_sampling_alone_bids_wrongly_there(auction: Game) -> None:
    """Who goes on at random buys what is worth less than the bid; so an auction looks worse than it is."""
    lost = []
    for card in range(1, CARDS + 1):
        position, expected = first_bid(auction, (card, 1 + card % CARDS)), bids_worth(card, margin=False)
        sampled, all_ = (advise(auction, position, 0, SolverQuestion(engine=each)) for each in (SAMPLING, AUTO))
        bids = [found.choices[0][1] for found in (sampled, all_)]
        lost.append([max(expected.values()) - expected[bid] for bid in bids])  # type: ignore[index]
    by_sampling, by_histories = map(sum, zip(*lost, strict=True))
    assert by_histories == 0 < by_sampling


# ---------------------------------------------------------------- in secret, twice

SEALED = """\
item prize "Prizes"

each player has
    score : 0..9 = 0
    coins : 0..4 = 4
    bid   : 0..4 = 0

play
    for each worth in 2..3
        every player p secretly
            p chooses p.bid from 0..p.coins
        for each p in player
            p loses p.bid coins
        do sell(worth)

ranking bids of p in player
    highest p.bid

procedure sell(worth : 2..3)
    contest bids
        first p alone
            p gains worth score for prize
"""


def sealed_worth(prize: int, mine: int, theirs_: int) -> Fraction:
    """What is to be had from a prize on, with so many coins, against somebody who bids anything."""
    if prize > 3:
        return Fraction(0)
    return max(sealed_bids(prize, mine, theirs_).values())


def sealed_bids(prize: int, mine: int, theirs_: int) -> dict[int, Fraction]:
    found = {}
    for bid in range(mine + 1):
        each = [
            prize * (bid > other) + sealed_worth(prize + 1, mine - bid, theirs_ - other) for other in range(theirs_ + 1)
        ]
        found[bid] = sum(each, Fraction(0)) / len(each)
    return found


def test_two_prizes_one_after_the_other(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, SEALED), 2)
    found = advise(game, game.initial(), 0, SolverQuestion())
    expected = sealed_bids(2, 4, 4)
    assert found.engine == "exact" and found.value == float(max(expected.values()))
    assert {option.choices[0][1]: option.value.mean for option in found.options} == pytest.approx(
        {bid: float(value) for bid, value in expected.items()}
    )


# ---------------------------------------------------------------- whom it is about


def test_the_others_divide_coins_as_random_players_do() -> None:
    """Field by field any number of what is left: not every division is as likely."""
    game = loaded(rules_folder() / "blotto", 2)
    likely = {(a, b, 10 - a - b): Fraction(1, 11) * Fraction(1, 11 - a) for a in range(11) for b in range(11 - a)}
    worth = {
        mine: sum(share * sum(m > t for m, t in zip(mine, laid, strict=True)) for laid, share in likely.items())
        for mine in likely
    }
    found = advise(game, game.initial(), 0, SolverQuestion())
    assert found.engine == "exact" and found.value == float(max(worth.values())) == float(worth[found.answers])  # type: ignore[index]


def test_the_odds_of_answers_are_those_of_drawing_them() -> None:
    """Of pieces of which there are copies, and of a number that is free."""
    answers = SeveralAnswers(zones.pack([3, 1, 2]), 4, 1, 3)
    odds = dict(answers.odds())
    assert sum(odds.values()) == 1 and set(odds) == set(answers)
    random, draws = Random(5), 6000
    drawn = [answers.sample(random) for _ in range(draws)]
    for answer, share in odds.items():
        spread = (float(share) * (1 - float(share)) / draws) ** 0.5
        assert abs(drawn.count(answer) / draws - float(share)) < 5 * spread


# ---------------------------------------------------------------- poker


@pytest.mark.parametrize("players", [2, 3])
def test_poker_is_worth_what_openspiel_says(players: int) -> None:
    """The first seat, in the mean over all hands that may be dealt."""
    game = loaded(rules_folder() / "kuhn_poker", players)
    total = Fraction(0)
    deals = [cards for cards in product(range(players + 1), repeat=players) if len(set(cards)) == players]
    for cards in deals:
        position = game.initial()
        for card in cards:
            position = game.resolve(position, card)
        found = advise(game, position, 0, SolverQuestion())
        assert found.engine == "exact" and found.value is not None
        total += Fraction(found.value).limit_denominator(10**6) + game.scores(position)[0]
    assert float(total / len(deals)) == pytest.approx(theirs("kuhn_poker", 0, players=players))


# ---------------------------------------------------------------- parts


def assert_adds_up(found: Advice) -> None:
    assert found.parts is not None and found.value is not None
    assert found.parts.total == pytest.approx(found.value)
    paid = {contest.name: contest.points for contest in found.contests}
    assert paid == pytest.approx(found.parts.contests)


def test_exact_values_are_sums_of_parts(auction: Game) -> None:
    """In the auction it is all about one contest, in which only who leads takes part."""
    for card in range(1, CARDS + 1):
        found = advise(auction, first_bid(auction, (card, 1 + card % CARDS)), 0, SolverQuestion())
        assert_adds_up(found)
        assert found.parts is not None and found.parts.elsewhere == 0
        for contest in found.contests:
            assert contest.one_more is None and contest.first == 1
    for name, players in (("blotto", 2), ("goofspiel", 2), ("kuhn_poker", 3)):
        game = loaded(rules_folder() / name, players)
        position = game.initial()
        while not game.pending(position):
            chance = game.chance(position)
            assert chance is not None
            position = game.resolve(position, chance.outcomes.sample(Random(3)))
        found = advise(game, position, game.pending(position)[0].player, SolverQuestion(engine=EXACT))
        assert_adds_up(found)
        assert found.contests


def test_what_is_explained_adds_up_over_all_histories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("deal", "kuhn_poker", "--players", "2", "--seed", "1", "-o", "poker.yaml")
    asked = "--player", "p1", "--against", "random"
    told = " ".join(run("solve", "poker.yaml", *asked, "--explain", "--plot", "bids.svg").out.split())
    value = "worth 1.50 over all 16 histories against random players = 2.50 points by contests - 1.00 elsewhere"
    assert value in told
    assert "over all 16 histories the chosen answer is 0.50 ± 0.00 points ahead of the runner-up, action pass:" in told
    assert "+1.00 points - points that no contest pays: -0.50 points" in told
    assert "a column for each bid, over all 16 histories" in Path("bids.svg").read_text(encoding="utf-8")
