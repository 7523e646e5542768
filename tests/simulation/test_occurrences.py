"""What happens inside games is counted the same by both engines, and as the transcripts of the games have it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper
from chocolatl.interpreter.native.llvm import compile as native_compile
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import ChoiceEvent, PlayedEvent, play_game, play_on, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.program.types import number
from chocolatl.interpreter.simulation.counting import CountedGames
from chocolatl.interpreter.statistics import occurrences as counted
from chocolatl.interpreter.statistics.occurrences import HOW_MANY, AnswerLabel, OccurrenceCounts, Occurrences
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.conftest import Evidence, base_seed, scaled
from tests.games import Table, tables, write_game
from tests.native.test_native import ODD, odd, own_cache  # noqa: F401  # a fixture for all tests here
from tests.shipped.specifications import SPECIFICATIONS, Specification

PARTS, GAMES = ((0, 1), (1, 3)), 4
"""The first games of a series, in parts that are counted apart: the first and the number of each."""


def interpreted(game: Game, seed: int, games: int, start: Position | None = None) -> int:
    found = CountedGames(game, [RandomPlayer()] * game.player_count, Occurrences(game.ir))
    for index in range(games):
        found.play(seed, index, start=start)
    return found.counting.counts


def same(game: Game, seed: int, level: int = QUICK) -> int:
    """The counts of some games, by both engines; native code counts them in parts."""
    expected = interpreted(game, seed, GAMES)
    kernel = Kernel(game, level, inspected=True)
    assert sum(kernel.series(seed, *part).counts for part in PARTS) == expected
    return expected


@pytest.mark.parametrize("table", tables(), ids=str)
def test_both_engines_count_the_same_in_a_shipped_game(table: Table, evidence: Evidence) -> None:
    game = table.load()
    for seed in evidence.cases("both engines count the same inside games", full=20, slice=1):
        assert same(game, seed, scaled(full=FAST, slice=QUICK)) > 0


@pytest.mark.parametrize(
    ("game", "place"), [(g, place) for g in SPECIFICATIONS for place in range(len(g.combinations))], ids=str
)
def test_so_they_do_under_every_ruling(game: Specification, place: int, evidence: Evidence) -> None:
    variant, settings = list(game.combinations.values())[place]
    for players in game.some_players(place):
        loaded = game.load(players, variant, settings)
        for seed in evidence.cases("both engines count the same under every ruling", full=4, slice=1):
            assert same(loaded, seed) > 0


@pytest.mark.parametrize("path", files("good"), ids=lambda path: path.stem)
def test_so_they_do_with_every_construct_of_the_language(path: Path, tmp_path: Path) -> None:
    write(tmp_path / GAME, text_of(path))
    same(load(tmp_path / GAME, 2), base_seed())


@pytest.mark.parametrize("name", list(ODD))
def test_so_they_do_with_what_is_hard_to_come_by(name: str, tmp_path: Path) -> None:
    same(odd(tmp_path, name), base_seed())


@pytest.mark.parametrize("name", ["goofspiel-3", "chocolatl-4", "cacao-2", "quetzal-3"])
@pytest.mark.parametrize("decisions", [0, 31])
def test_so_they_do_from_a_position(name: str, decisions: int) -> None:
    game = next(table for table in tables() if str(table) == name).load()
    there = play_on(
        game,
        game.initial(),
        [RandomPlayer()] * game.player_count,
        streams(base_seed(), 0, game.player_count),
        until=lambda _, made: made >= decisions,
    )
    start = there.position if decisions else game.initial()
    resumed = Resumed(Stepper(game, QUICK, inspected=True), start)
    expected = interpreted(game, base_seed(), GAMES, start)
    assert sum(resumed.series(base_seed(), *part).counts for part in PARTS) == expected > 0


@pytest.mark.parametrize("name", ["kuhn_poker-3", "chocolatl-4", "blotto-2", "quetzal-3"])
def test_they_are_the_choices_of_the_transcripts(name: str) -> None:
    game = next(table for table in tables() if str(table) == name).load()
    asked: Counter[str] = Counter()
    given: dict[tuple[str, str], Counter[str]] = {}

    def hear(event: PlayedEvent, _: Position) -> None:
        if isinstance(event, ChoiceEvent):
            asked[event.name] += 1
            parts = event.value if isinstance(event.value, dict) else {"": event.value}
            for part, value in parts.items():
                values = value if isinstance(value, list) else [value]
                given.setdefault((event.name, part), Counter()).update(map(json.dumps, values))

    for index in range(5):
        play_game(game, [RandomPlayer()] * game.player_count, base_seed(), index, hear)
    inside = OccurrenceCounts(Occurrences(game.ir), game.codec, 5, interpreted(game, base_seed(), 5))
    found: dict[tuple[str, str], Counter[str]] = {}
    for choice, chosen in inside.choices.items():
        assert chosen.times.total == asked[choice]
        parts = {part: answers for part, answers in chosen.parts.items() if part != HOW_MANY}
        for part, answers in parts.items():
            found[choice, part if len(parts) > 1 else ""] = Counter({a.json: count for a, count in answers.items()})
    assert {key: answers for key, answers in found.items() if answers} == {key: a for key, a in given.items() if a}


# ---------------------------------------------------------------- parts of answers

LARGE = """
enum side = north, south

grid field (x : 0..99, y : 0..99) by side
    north : (x, y - 1)
    south : (x, y + 1)

each player has
    score : 0..99
    hue[1..70] : yes/no

play
    for each p in player
        p chooses n from 9990..20000 where n <= 10015 as bid
        p chooses here from field, turn from 0..1 where here.x is 7 and here.y < 2 as place
        p may choose away from field where away.y is 5 and away.x < 2
        for each k in 1..70
            p chooses p.hue[k] from yes/no
"""


def test_what_has_very_many_values_is_counted_in_ranges_and_by_its_parts(tmp_path: Path) -> None:
    game = load(write_game(tmp_path, LARGE), 2)
    inside = OccurrenceCounts(Occurrences(game.ir), game.codec, GAMES, same(game, base_seed()))
    assert list(inside.choices) == ["bid", "place", "away", "hue"]  # an index of 70 values is left out
    assert inside.choices["hue"].times.total == GAMES * 2 * 70
    place, away = inside.choices["place"].parts, inside.choices["away"].parts
    assert list(place) == ["here.x", "here.y", "turn"] and list(away) == ["x", "y"]
    assert texts(place["here.x"]) == {"7"} and texts(place["here.y"]) <= {"0", "1"}
    assert texts(away["y"]) <= {"5", "none"} and texts(away["x"]) <= {"0", "1", "none"}
    assert texts(inside.choices["bid"].parts[""]) <= {"9990 to 9999", "10000 to 10009", "10010 to 10019"}


def test_code_from_the_cache_counts_the_same_in_another_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load(write_game(tmp_path / "b", LARGE), 2)
    expected = same(game, base_seed())
    monkeypatch.setattr(native_compile, "compiled", None)
    other = load(write_game(tmp_path / "a", LARGE.replace("\n        p", "\n\n        # Now:\n        p")), 2)
    assert other.ir.procedures != game.ir.procedures and same(other, base_seed()) == expected


def texts(answers: Counter[AnswerLabel]) -> set[str]:
    return {answer.text for answer in answers}


@pytest.mark.parametrize(("low", "high"), [(0, 4095), (-5, 20_000), (-1_000_000, 3), (7, 7), (0, 2**62)])
def test_ranges_of_numbers_are_round_and_cover_all_of_them(low: int, high: int) -> None:
    game = next(iter(tables())).load().ir
    (part,) = counted._counted(game, "", 0, number(low, high))
    assert part.words <= 4096 + 1 and str(part.width).strip("0") == "1"
    assert part.word(low) == 0 and part.word(high) == part.words - 1 and part.first % part.width == 0
