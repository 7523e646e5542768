"""Whole games of players who look ahead are the same in native code: what they conclude from what they have seen, how
the games end, and all that is counted in them. What native code does not decide is left to the interpreter."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.engine.belief import Belief
from chocolatl.interpreter.lowered.layout import JOURNAL
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.lookahead.desk import Unseatable
from chocolatl.interpreter.native.lookahead.planning import belief_bytes
from chocolatl.interpreter.native.lookahead.requests import Halving, Lookahead
from chocolatl.interpreter.native.lookahead.seated import REMEMBERS
from chocolatl.interpreter.native.lookahead.seated_games import SeatedGames
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.play.playout import Horizon
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.simulation.series import SeriesPart, SeriesPlan, SeriesSetting, play_part
from chocolatl.interpreter.simulation.totals import Totals
from tests.conftest import Evidence, base_seed, scaled
from tests.fuzzing.programs import generate
from tests.games import tables
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here

SHIPPED = sorted({table.game for table in tables()})
BRIEFLY = Lookahead(3, Halving(1, 4), Horizon(2, 8))


class Brief(GreedyPlayer):
    """It tries little, so that many games can be compared."""

    def lookahead(self, game: Game) -> Lookahead:
        return BRIEFLY


def some(name: str, full: int, slice_: int) -> list[Game]:
    mine = [table for table in tables() if table.game == name]
    return [table.load() for table in random.Random(base_seed()).sample(mine, scaled(min(full, len(mine)), slice_))]


def seated(game: Game, players: list[Player], guarded: bool = False) -> SeatedGames:
    seats = [player.lookahead(game) if isinstance(player, GreedyPlayer) else None for player in players]
    return SeatedGames(game, seats, QUICK, guarded=guarded)


def parts(game: Game, players: list[Player], native: SeatedGames, first: int, count: int) -> list[SeriesPart]:
    """The same games by the interpreter, and by native code."""
    plan = SeriesPlan(None, game.players, ("greedy",) * game.player_count, base_seed())
    setting = SeriesSetting(plan, game, players, None)
    return [play_part(each, first, count) for each in (setting, replace(setting, seated=native))]


def assert_same(game: Game, players: list[Player], native: SeatedGames, first: int, count: int) -> SeriesPart:
    """Nobody looks at what was counted until a game failed."""
    expected, found = parts(game, players, native, first, count)
    for key in Totals.__dataclass_fields__:
        if key != "counts" or expected.failure is None:
            assert getattr(found.totals, key) == getattr(expected.totals, key), (key, first)
    assert found.failure == expected.failure
    return found


def mixed(game: Game, seed: int, kind: type[GreedyPlayer]) -> list[Player]:
    """One player who looks ahead at least, anywhere among others."""
    chosen = random.Random(seed)
    players: list[Player] = [kind() if chosen.random() < 0.5 else RandomPlayer() for _ in range(game.player_count)]
    players[chosen.randrange(game.player_count)] = kind()
    return players


def assert_same_conclusions(game: Game, native: SeatedGames, seed: int) -> None:
    """At the end of a random game in which everybody remembers."""
    for seat in range(game.player_count):
        native.state.set_word(native.desk.seats + 8 * seat, REMEMBERS)
    native.series(seed, 0, 1)
    ends: list[Position] = []
    try:
        everybody = [RandomPlayer()] * game.player_count
        ends.append(play_game(game, everybody, seed, observe=lambda event, position: None).position)
    except RuleError:
        return
    size, slots = native.desk.belief.size, cast(list[Any], ends[0].slots)
    journal = slots[JOURNAL]
    for player in range(game.player_count):
        start = native.desk.beliefs + player * size
        found = bytes(native.state.view[start : start + size])
        concluded = game.program.knowledge.follow_all(journal, player)
        assert used(native, found) == used(native, as_bytes(native, concluded)), player


def as_bytes(native: SeatedGames, concluded: Belief) -> bytes:
    groups = [(group.cards, group.zones) for group in concluded.groups]
    return belief_bytes(native.desk.belief, groups, concluded.bottoms)


def used(native: SeatedGames, data: bytes) -> tuple[bytes, list[bytes]]:
    """Conclusions without what lies behind the last group and behind known bottoms."""
    form = native.desk.belief
    groups = data[: 16 + form.step * int.from_bytes(data[:8], "little")]
    starts = [form.bottoms + 4 * form.width * number for number in range(len(form.decks))]
    return groups, [data[at : at + 4 + 4 * data[at]] for at in starts]


@pytest.mark.parametrize("name", SHIPPED)
def test_players_conclude_the_same_from_what_they_see(name: str, evidence: Evidence) -> None:
    for game in some(name, 20, 1):
        native = SeatedGames(game, [BRIEFLY] * game.player_count, QUICK)
        for seed in evidence.cases(f"{name}: players conclude the same in native code", full=100, slice=4):
            assert_same_conclusions(game, native, seed)


@pytest.mark.parametrize("name", SHIPPED)
def test_whole_games_are_the_same(name: str, evidence: Evidence) -> None:
    for game in some(name, 20, 1):
        for seed in evidence.cases(f"{name}: whole games of greedy players are the same", full=20, slice=1):
            players = mixed(game, seed, GreedyPlayer if scaled(1, 0) else Brief)
            native = seated(game, players)
            assert_same(game, players, native, seed, 3)
            assert native.series(base_seed(), seed, 3).summed.sums[0] == 3, "none is left to the interpreter"


def test_games_of_rules_made_at_random_are_the_same(tmp_path: Path, evidence: Evidence) -> None:
    whole = left = failed = 0
    for seed in evidence.cases("rules made at random: whole games that look ahead are the same", full=2000, slice=16):
        program = generate(seed)
        try:
            game = load(program.write(tmp_path / str(seed)), program.players)
            players = mixed(game, seed, Brief)
            native = seated(game, players)
        except (Rejected, Refused, Unseatable):
            continue
        found = assert_same(game, players, native, seed, 2)
        left += native.series(base_seed(), seed, 2).left
        failed += found.failure is not None
        whole += 1
        assert_same_conclusions(game, seated(game, players), seed)
    assert whole


def test_every_access_of_whole_games_is_inside() -> None:
    for name in ("kuhn_poker-3", "goofspiel-2"):
        game = next(table for table in tables() if str(table) == name).load()
        players = mixed(game, 1, Brief)
        assert_same(game, players, seated(game, players, guarded=True), 0, 3)
