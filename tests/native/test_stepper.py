"""A game can go over from the interpreter to native code and back at any decision, and nothing shows that it did."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.stepper import Resumed, SteppedGame, Stepper
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game, streams
from chocolatl.interpreter.play.playout import WHOLE_GAME, Horizon, played_on
from chocolatl.interpreter.players import lookahead
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.lookahead import candidates
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests import games
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.conftest import Evidence, base_seed, scaled
from tests.games import tables, walk, write_game
from tests.native.test_native import FAILING, ODD, failing, odd, own_cache  # noqa: F401  # a fixture for all tests here
from tests.shipped.specifications import SPECIFICATIONS, Specification

GOING_OVER = 4
"""At one of so many decisions a game goes over to the other back end."""


def lockstep(game: Game, stepper: Stepper, seed: int, over: int = GOING_OVER) -> list[Position]:
    """One game in both back ends, compared at every decision and every chance, with answers at random.

    Gives back the positions that it went over at."""
    chosen = random.Random(seed)
    luck = streams(seed, 0, game.player_count)
    position, table = game.initial(), stepper.start(luck)
    passed = [position]
    while True:
        assert table.position() == position
        assert table.is_over == game.is_over(position)
        if table.is_over:
            break
        if not chosen.randrange(over):
            table = stepper.load(position, luck)
            passed.append(position)
        if not chosen.randrange(over):
            table = table.copy()
        if not chosen.randrange(over):
            position = table.position()
        chance = game.chance(position)
        assert table.is_chance == (chance is not None)
        if chance is None:
            position = answered(game, position, table, chosen)
            continue
        outcome = chance.outcomes.sample(luck[0])
        position = game.resolve(position, outcome)
        if chosen.randrange(2):
            table.resolve(outcome).set_randoms(luck)
            continue
        table.run()
        while (chance := game.chance(position)) is not None:
            position = game.resolve(position, chance.outcomes.sample(luck[0]))
        assert table.randoms() == luck
    assert table.result() == game.result(position)
    assert table.scores() == game.scores(position)
    return passed


def answered(game: Game, position: Position, table: SteppedGame, chosen: random.Random) -> Position:
    """Both back ends ask the same; one of the players answers, and the answers of that one are compared."""
    pending, asked = game.pending(position), table.pending
    assert [(d.player, d.name) for d in pending] == [(q.player, q.name) for q in asked]
    decision, question = chosen.choice(list(zip(pending, asked, strict=True)))
    here, there = decision.answers, question.answers
    count = here.count()
    assert there.count() == count
    for number in {0, count - 1, *(chosen.randrange(count) for _ in range(2))}:
        assert here.nth(number) == there.nth(number)
        assert there.contains(here.nth(number))
    assert not there.contains((-99,) * 9)
    for number in (-1, count):
        with pytest.raises(IndexError):
            there.nth(number)
    answer = here.nth(chosen.randrange(count))
    table.apply(decision.player, answer)
    return game.answer(position, decision.player, answer)


def shares(table: games.Table) -> int:
    """For the evidence 2,000 games of each game, dealt out to its variants and numbers of players."""
    return -(-2_000 // sum(other.game == table.game for other in tables()))


@pytest.mark.parametrize("table", tables(), ids=str)
def test_every_decision_of_a_shipped_game_is_the_same(table: games.Table, evidence: Evidence) -> None:
    game = table.load()
    stepper = Stepper(game, scaled(full=FAST, slice=QUICK))
    for seed in evidence.cases(f"{table.game} goes over at any decision", full=shares(table), slice=1):
        passed = lockstep(game, stepper, seed)
        evidence.count(f"{table.game} is played on at random from any position", 2)
        for number in range(2):
            same_ends(game, stepper, random.Random(seed + number).choice(passed), seed + number)


def same_ends(game: Game, stepper: Stepper, position: Position, seed: int) -> None:
    """Random play from a position leads to the same end, or to the same place at a horizon."""
    chosen = random.Random(seed)
    horizon = chosen.choice([WHOLE_GAME, Horizon(), Horizon(7), Horizon(3, 30), Horizon(most=chosen.randrange(40))])
    luck, mine = (streams(seed, 0, game.player_count) for _ in range(2))
    end = played_on(game, position, luck, horizon)
    played = stepper.load(position, mine)
    played.play_on(horizon)
    assert played.position() == end
    assert played.randoms() == luck
    other = played.copy().run()  # chance has spoken, and a secret block has been entered
    played.play_on()
    other.play_on()
    assert played.position() == other.position() == played_on(game, end, luck, WHOLE_GAME)


@pytest.mark.parametrize("game", SPECIFICATIONS, ids=str)
def test_so_it_is_under_every_ruling(game: Specification, evidence: Evidence) -> None:
    rulings = list(enumerate(game.combinations.values()))
    for place, (variant, settings) in random.Random(base_seed()).sample(rulings, scaled(len(rulings), slice=1)):
        for players in game.some_players(place):
            loaded = game.load(players, variant, settings)
            for seed in evidence.cases(f"{game} goes over at any decision under every ruling", full=20, slice=1):
                lockstep(loaded, Stepper(loaded, QUICK), seed)


@pytest.mark.parametrize("path", files("good"), ids=lambda path: path.stem)
def test_so_it_is_with_every_construct_of_the_language(path: Path, tmp_path: Path) -> None:
    write(tmp_path / GAME, text_of(path))
    for players in (2, 3):
        game = load(tmp_path / GAME, players)
        for stepper in (Stepper(game, QUICK), Stepper(game, QUICK, closely=True)):
            for index in range(5):
                lockstep(game, stepper, base_seed() + index)


@pytest.mark.parametrize("name", ["cacao-2", "chocolatl-3", "goofspiel-3", "quetzal-2"])
def test_so_it_is_with_code_that_is_made_with_care_and_code_that_checks_everything(name: str) -> None:
    game = next(table for table in tables() if str(table) == name).load()
    for stepper in (Stepper(game, FAST), Stepper(game, QUICK, closely=True)):
        lockstep(game, stepper, base_seed(), over=8)


@pytest.mark.parametrize("name", list(ODD))
def test_so_it_is_with_what_is_hard_to_come_by(name: str, tmp_path: Path) -> None:
    game = odd(tmp_path, name)
    for stepper in (Stepper(game, QUICK), Stepper(game, FAST)):
        for index in range(3):
            lockstep(game, stepper, base_seed() + index)


# ---------------------------------------------------------------- tables are values


def test_a_copy_goes_its_own_way() -> None:
    game = next(table for table in tables() if str(table) == "goofspiel-3").load()
    table = Stepper(game, QUICK).start(streams(base_seed(), 0, 3)).run()
    before = table.position()
    copies = [table.copy() for _ in range(2)]
    for copy, number in zip(copies, (0, 1), strict=True):
        question = copy.pending[0]
        copy.apply(question.player, question.answers.nth(number))
    assert table.position() == before
    assert len({table.position(), *(copy.position() for copy in copies)}) == 3


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    game = next(table for table in tables() if str(table) == "goofspiel-3").load()
    table = Stepper(game, QUICK).start(streams(base_seed(), 0, 3)).run()
    before = table.position()
    question = table.pending[1]
    for player, answer in ((question.player, 99), (question.player, (0, 0)), (7, 0), (-1, 0), (question.player, "3")):
        with pytest.raises(ValueError, match="cannot answer"):
            table.apply(player, answer)
    assert table.position() == before
    legal = question.answers.nth(1)
    assert isinstance(legal, int) and not question.answers.contains(legal + 2**64)
    with pytest.raises(ValueError, match="chance does not speak"):
        table.resolve(1)
    chance = Stepper(game, QUICK).start(streams(base_seed(), 0, 3))
    assert chance.is_chance
    with pytest.raises(ValueError, match="cannot bring"):
        chance.resolve(2**40)


# ---------------------------------------------------------------- failures


@pytest.mark.parametrize("name", list(FAILING))
def test_a_failure_is_the_same_at_the_same_line(name: str, tmp_path: Path) -> None:
    game = load(write_game(tmp_path, failing(name)), 2)
    with pytest.raises(RuleError) as told:
        play_game(game, [RandomPlayer()] * 2, base_seed())
    stepper = Stepper(game, QUICK)
    with pytest.raises(RuleError) as played:
        stepper.start(streams(base_seed(), 0, 2)).play_on()
    with pytest.raises(RuleError) as found:
        table = stepper.start(streams(base_seed(), 0, 2)).run()
        while True:  # answers are those of the random players
            question = table.pending[0]
            stream = table.randoms()
            table.apply(question.player, question.answers.sample(stream[1 + question.player]))
            table.set_randoms(stream)
            table.run()
    summed = Resumed(stepper, game.initial()).series(base_seed(), 0, 3)
    assert summed.sums[stepper.sums.games] == 0 and summed.error is not None
    for each in (played.value, found.value, summed.error):
        assert (each.span, each.message) == (told.value.span, told.value.message)


# ---------------------------------------------------------------- looking ahead


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """How long the interpreter plays on before code is compiled; what has gone into games so far is forgotten."""

    def wait(seconds: float) -> None:
        effort = lookahead.LookaheadEffort(patience=seconds, tried=0)
        monkeypatch.setattr(lookahead, "effort", lambda program: effort)

    return wait


@pytest.mark.parametrize("name", ["cacao-2", "chocolatl-4", "goofspiel-3", "kuhn_poker-2", "quetzal-3"])
def test_options_lead_to_the_same_whoever_plays_on(
    name: str, patience: Callable[[float], None], evidence: Evidence
) -> None:
    game = next(table for table in tables() if str(table) == name).load()
    positions = [position for position in walk(game, base_seed()) if game.pending(position)]
    chosen = random.Random(base_seed())
    for seed in evidence.cases(f"{game.files.name}: options lead to the same", full=300, slice=5):
        position = chosen.choice(positions)
        decision = chosen.choice(game.pending(position))
        options = [(answer,) for answer in candidates(decision, 6, Random(seed))]
        horizon = chosen.choice([WHOLE_GAME, Horizon(12, 400)])
        found = []
        for seconds in (float("inf"), -1.0):
            patience(seconds)
            found.append(list(lookahead.endings(game, position, decision.player, options, seed, horizon)))
        assert found[0] == found[1]
        for one, other in zip(*found, strict=True):
            assert game.scores(one) == game.scores(other)
            assert game.result(one) == game.result(other)
            assert game.is_over(one) == game.is_over(other)
            assert list(one.slots[3:]) == list(other.slots[3:])


def test_a_greedy_player_answers_the_same(patience: Callable[[float], None]) -> None:
    game = next(table for table in tables() if str(table) == "goofspiel-3").load()
    found = []
    for seconds in (float("inf"), 0.005, -1.0):  # the second one goes over in the middle of a game
        patience(seconds)
        found.append(play_game(game, [GreedyPlayer(), RandomPlayer(), RandomPlayer()], base_seed()))
        assert (lookahead.effort(game.program).stepper is None) == (seconds > 1)
    assert found[0] == found[1] == found[2]


def test_without_a_compiler_the_interpreter_goes_on(
    patience: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = next(table for table in tables() if str(table) == "kuhn_poker-2").load()
    patience(-1.0)
    monkeypatch.setitem(sys.modules, "chocolatl.interpreter.native.builds.stepper", None)
    expected = play_game(game, [GreedyPlayer(), RandomPlayer()], base_seed())
    assert lookahead.effort(game.program).stepper is None and lookahead.effort(game.program).patience > 1
    monkeypatch.undo()
    assert play_game(game, [GreedyPlayer(), RandomPlayer()], base_seed()) == expected
