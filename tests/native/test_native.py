"""Same game, two back ends: the native kernel says what the interpreter says, event by event, with the same numbers.

The corpus is everything there is to be played: each shipped game and variant with each number of players, each
alternative to a ruling, and the files of `diagnostics/good`, which hold every construct of the language.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chocolatl.interpreter.analysis.score_bounds import most_paid
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside, statements
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.limits import FRAME, MOST, Reason, Refused, checked, refusal, room
from chocolatl.interpreter.native.builds.module import stepwise, whole_games
from chocolatl.interpreter.native.builds.series import Sums
from chocolatl.interpreter.native.builds.stepper import Stepper
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import PlayedEvent, play_game, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.program.types import Scalar
from chocolatl.interpreter.simulation.series import LARGEST_PART
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.conftest import Evidence, base_seed, scaled
from tests.games import Table, tables, write_game
from tests.operations.operations import named, operations
from tests.shipped.specifications import SPECIFICATIONS, Specification

NOT_NATIVE: dict[str, str] = {}
"""Operations that the native kernel does not have, each with the reason."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads or leaves anything in the cache of whoever runs it."""
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def same(game: Game, kernel: Kernel, seed: int, index: int = 0) -> None:
    """One game in both back ends: all events, the result and the number of decisions, watched and unwatched."""
    events: list[PlayedEvent] = []
    players = [RandomPlayer()] * game.player_count
    played = play_game(game, players, seed, index, before=events.append)
    assert kernel.events(seed, index) == events
    unwatched = kernel.play(seed, index)
    assert unwatched.result == kernel.result() == game.result(played.position)
    assert unwatched.decisions == played.decisions


def shares(table: Table) -> int:
    """For the evidence 20,000 games of each game, dealt out to its variants and numbers of players."""
    return -(-20_000 // sum(other.game == table.game for other in tables()))


@pytest.mark.parametrize("table", tables(), ids=str)
def test_a_shipped_game_goes_the_same_way(table: Table, evidence: Evidence) -> None:
    game = table.load()
    kernel = Kernel(game, scaled(full=FAST, slice=QUICK))
    for seed in evidence.cases(f"{table.game} goes the same way in both back ends", full=shares(table), slice=2):
        same(game, kernel, seed, seed % 3)


@pytest.mark.parametrize(
    ("game", "place"), [(g, place) for g in SPECIFICATIONS for place in range(len(g.combinations))], ids=str
)
def test_so_does_every_alternative(game: Specification, place: int, evidence: Evidence) -> None:
    variant, settings = list(game.combinations.values())[place]
    for players in game.some_players(place):
        loaded = game.load(players, variant, settings)
        kernel = Kernel(loaded, QUICK)
        for seed in evidence.cases(f"{game} goes the same way under every ruling", full=20, slice=1):
            same(loaded, kernel, seed)


@pytest.mark.parametrize("path", files("good"), ids=lambda path: path.stem)
def test_so_does_every_construct_of_the_language(path: Path, tmp_path: Path) -> None:
    write(tmp_path / GAME, text_of(path))
    for players in (2, 3):
        game = load(tmp_path / GAME, players)
        for kernel in (Kernel(game, QUICK), Kernel(game, QUICK, closely=True)):
            for index in range(20):
                same(game, kernel, base_seed(), index)


@pytest.mark.parametrize("name", ["cacao-2", "chocolatl-4", "goofspiel-3", "quetzal-3"])
def test_so_does_code_that_is_made_with_care_and_code_that_checks_everything(name: str) -> None:
    game = next(table for table in tables() if str(table) == name).load()
    for kernel in (Kernel(game, FAST), Kernel(game, QUICK, closely=True)):
        for index in range(20):
            same(game, kernel, base_seed(), index)


# ---------------------------------------------------------------- what is hard to come by


ODD = {
    "many kinds and large rankings": (
        "{value: 1..150}",
        """
ranking rich of c in deck, strict
    highest c.value * c.value * 10000000000
    then lowest c.value * 10000000000
    then c.value mod 2 is 1

ranking shared of c in deck
    highest c.value / 50 * 1000000000000
    then lowest c.value / 75 * 1000000000000

value odd(c : card) = c.value mod 2 is 1

table has
    deck : set of card = every card
    gone : set of card

each player has
    score : 0..99999
    hand  : set of card

item winnings

play
    for each p in player
        p chooses 3..7 c from deck where odd(c) into p.hand as several
        p chooses up to 40 from deck into p.hand as more
        draw drawn from deck into p.hand
        p chooses two from deck where not odd(two)
        p may choose three from deck where three.value > 140
        move two from deck to gone
        let best = first of rich
        move best from deck to p.hand
        p gains best.value + rank of two in rich + (number of c in shared) score for winnings
        p gains (sum of c.value for c in p.hand) score for winnings
        for each c in p.hand
            move c from p.hand to gone
""",
    ),
    "odds of what comes twice": (
        "{value: 1..3}",
        """
table has
    thrown : set of -2..3
    kept   : set of -2..3
    near   : set of -5..5 up to 3
    opener : player

each player has
    score : -999..999

item winnings

play
    for each round in 1..3
        for each p in player from opener
            roll one from [3, 1, 3, 2, 1] odds one
            roll 4 thrown from -2..3 odds thrown + 2
            kept becomes thrown
            roll 2 pair from [1, 2, 2]
            for each n in kept
                p gains n score for winnings
            for each n in pair backwards
                p gains n score for winnings
            if size of near < 3
                add one - 3 to near
            p chooses far from near
            p chooses also from [one, 2, one]
            remove far from near
            p gains one * 7 / -2 + (0 - one) mod 3 + far mod -4 score for winnings
            p gains (highest n for n in kept) - (number of n in kept where n > 0) + also score for winnings
""",
    ),
    "places among what was rolled": (
        "{value: 1..3}",
        """
table has
    few  : set of -2..3
    many : set of 1..40

each player has
    score : -9999..9999

item winnings

ranking falling of n in few, strict
    highest n

ranking rising of n in few, strict
    lowest n

ranking among_many of n in many, strict
    highest n

play
    for each round in 1..5
        for each p in player
            roll 5 few from -2..3
            roll 5 many from 1..40
            p gains (first of falling) + 2 * (second of falling) - 3 * (third of falling) score for winnings
            p gains 5 * (fourth of falling) - 7 * (fifth of falling) + 11 * (last of falling) score for winnings
            p gains 13 * (second of rising) - 17 * (third of rising) + 19 * (fifth of rising) score for winnings
            p gains (second of among_many) - 2 * (fourth of among_many) score for winnings
""",
    ),
    "points that come and go": (
        "{value: 1..3}",
        """
each player has
    score : 0..30

item winnings
item losses

play
    for each n in 1..2000
        for each p in player
            p gains 30 score for winnings
            p loses 30 score for losses
""",
    ),
    "a latch that falls in secret": (
        "{value: 1..3}",
        """
table has
    deck : set of card = every card

each player has
    score : 0..99
    bid   : 0..5

item winnings

latch high when some p in player has p.bid >= 4

play
    for each round in 1..3
        every player p secretly
            p chooses n from 0..5
            p.bid becomes n
        for each p in player
            p.bid becomes 0
    for each p in player
        if high
            p gains 7 score for winnings
""",
    ),
}


def odd(tmp_path: Path, name: str) -> Game:
    cards, rules = ODD[name]
    return load(write_game(tmp_path, rules, cards), 2)


@pytest.mark.parametrize("name", list(ODD))
def test_so_does_what_is_hard_to_come_by(name: str, tmp_path: Path) -> None:
    game = odd(tmp_path, name)
    for kernel in (Kernel(game, QUICK), Kernel(game, FAST), Kernel(game, QUICK, closely=True)):
        for index in range(20):
            same(game, kernel, base_seed(), index)


# ---------------------------------------------------------------- every operation


def used(game: ir.GameRules) -> Iterator[str]:
    roots: list[object] = [s for p in game.procedures.values() for s in statements(p.body)]
    roots += [value.body for value in game.values.values()] + [latch.condition for latch in game.latches]
    for part in (part for root in [*roots, *game.rankings.values()] for part in inside(root)):
        yield type(part).__name__
        operation = named(part)
        if operation is not None:
            yield operation


def test_every_operation_is_compared_or_listed_with_a_reason(tmp_path: Path) -> None:
    compared = {name for table in tables() for name in used(table.load().ir)}
    for number, path in enumerate(files("good")):
        write(tmp_path / str(number) / GAME, text_of(path))
        compared |= set(used(load(tmp_path / str(number) / GAME, 2).ir))
    assert operations() - compared == set(NOT_NATIVE)
    assert all(NOT_NATIVE.values())
    assert {name for name in compared if " " in name} <= operations()


# ---------------------------------------------------------------- failures


FAILING = {
    "a range": "p.coins becomes p.coins - 1 - die",
    "an award": "p gains 0 - 90 - die score for winnings",
    "a division": "p.coins becomes 3 / (p.coins - p.coins)",
    "nobody": "holder gains 1 score for winnings",
    "a card that is not there": "move c from gone to deck",
    "no answer": "p chooses n from 1..6 where n > 6",
    "no answer with an index": "p chooses p.guess[die, p] from 1..6 where p.guess[die, p] > 6",
    "too few with an index": "p chooses 1 from gone into p.held[c]",
    "an empty zone": "draw d from gone into deck",
    "no odds": "roll n from 1..6 where n > 6",
    "two who are equal": "p gains rank of p in equals score for winnings",
    "a place that is shared": "p.coins becomes 1 if first of shared is p else 2",
    "a place that nobody has": "p.coins becomes 1 if third of shared is p else 2",
    "a place among too few": "p gains second of rolled score for winnings",
    "nothing to look at": "p.coins becomes highest d.value for d in gone",
    "turns without end": "in turn q from p, at most 5 turns\n            nothing",
    "a loop without end": "repeat until p.coins > 8, at most 5 times\n            nothing",
    "a full set": "add die to few\n        add die to few\n        add die to few",
    "what is not in a set": "remove die from few",
}


def failing(name: str) -> str:
    return f"""
table has
    deck   : set of card = every card
    gone   : set of card
    holder : player or nobody
    few    : set of 1..6 up to 2
    thrown : set of 1..6

each player has
    score : 0..99
    coins : 0..9
    guess[1..6, player] : 0..6
    held[card] : set of card

item winnings

ranking equals of p in player, strict
    highest p.coins

ranking shared of p in player
    highest p.coins

ranking rolled of n in thrown, strict
    highest n

play
    for each p in player
        roll die from 1..6
        roll 1 thrown from 1..6
        p chooses c from deck
        {FAILING[name]}
"""


@pytest.mark.parametrize("name", list(FAILING))
def test_a_failure_is_the_same_at_the_same_line(name: str, tmp_path: Path) -> None:
    game = load(write_game(tmp_path, failing(name)), 2)
    with pytest.raises(RuleError) as told:
        play_game(game, [RandomPlayer()] * 2, base_seed())
    for kernel in (Kernel(game, QUICK), Kernel(game, FAST)):
        with pytest.raises(RuleError) as found:
            kernel.play(base_seed())
        assert (found.value.span, found.value.message) == (told.value.span, told.value.message)


def test_a_source_that_pays_without_end_fails_at_its_line(tmp_path: Path) -> None:
    rules = """
each player has
    score : 0..1000000000000000000

item winnings
item losses

play
    for each n in 1..5
        for each p in player
            p gains 1000000000000000000 score for winnings
            p loses 1000000000000000000 score for losses
"""
    game = load(write_game(tmp_path, rules), 2)
    with pytest.raises(RuleError) as told:
        play_game(game, [RandomPlayer()] * 2, 1)
    assert told.value.message == f"what this has paid becomes {5 * 10**18}, outside of {-(2**62)}..{2**62}"
    stepper = Stepper(game, QUICK)
    for play in (Kernel(game, QUICK).play, lambda seed: stepper.start(streams(seed, 0, 2)).play_on()):
        with pytest.raises(RuleError) as found:
            play(1)
        assert (found.value.span, found.value.message) == (told.value.span, told.value.message)


def test_that_no_source_pays_too_much_is_proved_of_the_text() -> None:
    """Chocolatl need not look at it in each game. The sums of a part of a series hold squares of what sources pay."""
    proved = set()
    for table in tables():
        game = table.load().ir
        (points,) = [field.type for field in game.fields if field.name == "breakdown"]
        assert isinstance(points, Scalar) and Sums(game).most >= LARGEST_PART
        proved |= {table.game} if most_paid(game) <= points.high else set()
    assert proved >= {"chocolatl", "cacao", "goofspiel"}


def test_what_code_keeps_meanwhile_is_reckoned_beforehand() -> None:
    for table in tables():
        for text in (whole_games(table.load().ir, "", inspected=True).text, stepwise(table.load().program, "").text):
            assert refusal(text) is None and FRAME < room(text) < MOST // 20, table
    text = "define void @a({} %x) nounwind{} {{\n  %v = alloca [100 x i64], align 16\n  ret void\n}}\n"
    calls = "define void @b() nounwind {\n  %n = alloca i64, align 8\n  call void @a(i64 1)\n  call void @a(i64 2)\n}\n"
    assert room(text.format("i64", "") + calls) == 2 * FRAME + 808
    assert room(text.format("i64", " alwaysinline") + calls) == FRAME + 1600
    with pytest.raises(Refused) as refused:
        checked(text.replace("100", "1000000"))
    assert refused.value.reason is Reason.STACK
