"""What ended a game, told by the words of the rules, and counted the same by both engines."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.analysis.endings import LATCH, OVER, STOP, UNTIL, alternatives, endings
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.formats.position import dump_position
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper
from chocolatl.interpreter.native.layout.memory import ASKED, STREAMS
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game, play_on, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.simulation.counting import CountedGames
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.statistics.occurrences import OccurrenceCounts, Occurrences
from tests.conftest import base_seed
from tests.games import Table, tables, write_game
from tests.native.test_native import own_cache  # noqa: F401  # a fixture for all tests here

GAMES = 6

Told = list[tuple[str, str, str, int, dict[str, int]]]
"""Kind, name, words, in how many games, and in how many each alternative held."""


def counted(game: Game, games: int = GAMES) -> Told:
    """What ended some games, by the interpreter and by every build that counts; they agree."""
    counts = interpreted(game, games, None)
    for level, closely in product((QUICK, FAST), (False, True)):
        assert played(Kernel(game, level, closely, inspected=True), games) == counts
    start = game.initial()
    for closely in (False, True):
        resumed = Resumed(Stepper(game, QUICK, closely, inspected=True), start)
        assert played(resumed, games) == interpreted(game, games, start)
    return told(game, counts, games)


def interpreted(game: Game, games: int, start: Position | None) -> int:
    found = CountedGames(game, [RandomPlayer()] * game.player_count, Occurrences(game.ir))
    for index in range(games):
        found.play(base_seed(), index, start=start)
    return found.counting.counts


def played(build: Kernel | Resumed, games: int) -> int:
    summed = build.series(base_seed(), 0, games)
    assert summed.error is None
    return summed.counts


def told(game: Game, counts: int, games: int) -> Told:
    found = []
    for came in OccurrenceCounts(Occurrences(game.ir), game.codec, games, counts).ended:
        ending = came.ending
        parts = dict(zip([each.text for each in ending.alternatives], came.alternatives, strict=True))
        found.append((ending.kind, ending.name, ending.text, came.games, parts))
    return found


# ---------------------------------------------------------------- small games

HEAD = """
table has
    a : 0..9
    b : 0..9
    n : 0..9
    opener : player

each player has
    score : 0..99
"""

TURN = """
procedure turn
    for each p in player
        p chooses step from 1..2
    a becomes a + 1
    b becomes b + 1
"""


def small(tmp_path: Path, rules: str) -> Game:
    return load(write_game(tmp_path, HEAD + TURN + rules), 2)


def test_exactly_one_alternative_or_both_hold(tmp_path: Path) -> None:
    """The latch looks after each change, so that `b` is a step behind; `stop when` looks at the end of a turn."""
    rules = """
latch over "It is over" when a is 2 or b is 2

play
    repeat until n is 1, at most 1 times
        n becomes 1
        for each k in 1..9
            do turn
            stop when a is 2 or b is 2
    for each k in 1..9
        do turn
        stop when a is 9 or some p in player has (b is 4 or p.score > 9)
"""
    game = small(tmp_path, rules)
    assert counted(game) == [
        (LATCH, "over", "a is 2 or b is 2", GAMES, {"a is 2": GAMES, "b is 2": 0}),
        (UNTIL, "repeat until n is 1, at most 1 times", "n is 1", GAMES, {"n is 1": GAMES}),
        (
            STOP,
            "for each k in 1..9",
            "a is 9 or some p in player has (b is 4 or p.score > 9)",
            GAMES,
            {"a is 9": 0, "some p in player has b is 4": GAMES, "some p in player has p.score > 9": 0},
        ),
        (OVER, "for each k in 1..9", "", 0, {}),
    ]


def test_both_alternatives_hold(tmp_path: Path) -> None:
    rules = """
value done = a >= 2 or high
value high = b >= 2

play
    for each k in 1..9
        do turn
        stop when done or n is 1        # and not before
"""
    game = small(tmp_path, rules)
    assert counted(game) == [
        (STOP, "for each k in 1..9", "done or n is 1", GAMES, {"a >= 2": GAMES, "high": GAMES, "n is 1": 0}),
        (OVER, "for each k in 1..9", "", 0, {}),
    ]


def test_what_ends_depends_on_what_is_chosen(tmp_path: Path) -> None:
    """Shares add up: a loop is left in one way."""
    rules = """
play
    for each k in 1..2
        do turn
        opener chooses n from 0..2
        if n > 0
            stop when n is 1
        stop when n is 2
    if n is 0
        in turn p from opener where a < 9, at most 9 turns
            do turn
    else
        repeat until b is 9 or a is 9, at most 9 times
            do turn
"""
    game = small(tmp_path, rules)
    games = 60
    found = counted(game, games)
    assert [(kind, words) for kind, _, words, _, _ in found] == [
        (STOP, "n is 1"), (STOP, "n is 2"), (OVER, ""), (OVER, ""), (UNTIL, "b is 9 or a is 9"),
    ]  # fmt: skip
    first, second, through, turns, repeated = (count for *_, count, _ in found)
    assert min(first, second, through) > 0 and first + second + through == games
    assert (turns, repeated) == (through, first + second)
    assert found[-1][-1] == {"b is 9": repeated, "a is 9": repeated}


def test_an_alternative_that_nobody_asked_for_does_not_fail_the_game(tmp_path: Path) -> None:
    """Where `a` is 2 the second one divides by zero, which the rules never do."""
    rules = """
value share = 6 / (2 - a)

latch over when a is 2 or share > 5 or (some p in player has p.score > 0) or share is 3

play
    for each k in 1..9
        do turn
        stop when a is 2 or share > 5 or b is 2
    do turn
"""
    richer = "some p in player has p.score > 0"
    latch, stop, _ = counted(small(tmp_path, rules.replace("is 3", "is 5").replace("> 5", "> 3")))
    assert latch[-1] == {"a is 2": 0, "share > 3": GAMES, richer: 0, "share is 5": 0}  # at the first change, 6 / 1
    assert stop[-1] == {"a is 2": 0, "share > 3": GAMES, "b is 2": 0}
    latch, stop, _ = counted(small(tmp_path, rules.replace("share > 5", "share < -4")))
    assert latch[-1] == {"a is 2": GAMES, "share < -4": 0, richer: 0, "share is 3": 0}
    assert stop[-1] == {"a is 2": GAMES, "share < -4": 0, "b is 2": GAMES}


def test_many_latches_are_told_apart(tmp_path: Path) -> None:
    """More than can be noted to have been asked."""
    many = STREAMS - ASKED + 1
    latches = "".join(f"latch late{k} when a is {k} or b is {k} and n is 1\n" for k in range(1, 1 + many))
    game = small(tmp_path, f"\n{latches}\nplay\n    for each k in 1..3\n        do turn\n")
    found = counted(game)
    assert [count for *_, count, _ in found] == [GAMES if 1 <= k <= 3 else 0 for k in range(1, 1 + many)] + [GAMES]


def test_a_game_of_chance_alone_has_its_loops(tmp_path: Path) -> None:
    game = small(tmp_path, "\nplay\n    repeat until n >= 3, at most 999 times\n        roll n from 1..4\n")
    assert [(kind, count) for kind, _, _, count, _ in counted(game)] == [(UNTIL, GAMES)]


def test_loops_that_may_come_twice_are_no_end(tmp_path: Path) -> None:
    twice = "\nplay\n    do turn\n    do turn\n"
    assert counted(small(tmp_path, twice)) == []
    assert [name for _, name, *_ in counted(small(tmp_path, "\nplay\n    do turn\n"))] == ["for each p in player"]
    secret = "\nplay\n    every player p secretly\n        for each k in 1..2\n            p chooses m from 1..2\n"
    assert counted(small(tmp_path, secret)) == []


# ---------------------------------------------------------------- shipped games


def test_chocolatl_has_four_reasons() -> None:
    game = next(table for table in tables() if str(table) == "chocolatl-4").load()
    reasons = [
        "round is end.rounds",
        "pyramid_is_full",
        "some p in player has p.score >= end.score",
        "some p in player has p.stones is 0",
    ]
    latch, stop, over = endings(game.ir)
    assert [each.text for each in latch.alternatives] == reasons
    assert [each.text for each in stop.alternatives] == [*reasons, "end_was_reached and end.latched"]
    assert (latch.kind, stop.kind, over.kind) == (LATCH, STOP, OVER)


@pytest.mark.parametrize("table", tables(), ids=str)
def test_words_stand_where_they_are_said_to_stand(table: Table) -> None:
    for ending in endings(table.load().ir):
        assert ending.kind == OVER or ending.text in line(ending.span)
        assert ending.name in ending.span.source.text
        for each in ending.alternatives:
            quantified, _, own = each.text.rpartition(" has ")
            assert quantified in line(each.span) and own in line(each.span)


def line(span: Span) -> str:
    return span.source.line(span.line)


@pytest.mark.parametrize("name", ["chocolatl-3", "chocolatl/five_rounds-4", "chocolatl/french-5"])
def test_a_latch_falls_after_the_first_change_that_meets_it(name: str) -> None:
    """Found anew: after every change all alternatives are worked out, by formulas of their own."""
    game = next(table for table in tables() if str(table) == name).load()
    (latch,) = game.ir.latches
    (unused,) = game.ir.values["is_full"].parameters
    asked = {each.text: game.program.formula(unused, each.condition) for each in alternatives(latch.condition, game.ir)}
    literal = game.program.literal
    assert literal.watch is not None
    expected: Counter[str] = Counter()
    for index in range(GAMES):
        held: list[str] = []

        def look(slots: list[int], _: Span, held: list[str] = held) -> None:
            if not held:
                held += [text for text, holds in asked.items() if holds(slots, 0)]

        literal.watch.changed = look
        play_game(
            Game(game.files, game.ir, literal, game.players), [RandomPlayer()] * game.player_count, base_seed(), index
        )
        literal.watch.changed = None
        assert held
        expected.update(held)
    found = told(game, Kernel(game, QUICK, inspected=True).series(base_seed(), 0, GAMES).counts, GAMES)
    assert Counter(found[0][-1]) == expected


# ---------------------------------------------------------------- the command


def simulated(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert cli.main(["simulate", *map(str, arguments), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert problems(found, "simulate_results") == []
    assert isinstance(found, dict)
    return found


def test_a_game_without_any_condition_comes_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    (end,) = simulated(capsys, "blotto", "--players", 2, "--games", 20)["ends"]
    assert end["kind"] == OVER and end["name"] == "play" and end["condition"] is None and end["mean"] == 1
    assert (end["file"], end["line"], end["alternatives"]) == ("blotto.rules", 17, [])


@pytest.mark.parametrize("players", ["3", "greedy,random,random"])
def test_other_players_are_counted_likewise(players: str, capsys: pytest.CaptureFixture[str]) -> None:
    ends = simulated(capsys, "kuhn_poker", "--players", players, "--games", 30)["ends"]
    stop, through, called = (end["mean"] for end in ends)
    assert stop + through == pytest.approx(1) and called == stop
    assert [part["condition"] for part in ends[0]["alternatives"]] == ["bettor is not nobody"]
    assert all(end["low"] <= end["mean"] <= end["high"] for end in ends)


@pytest.mark.parametrize("engine", ["native", "interpreter"])
def test_a_position_may_have_its_latch_already(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = "\nlatch over when a is 1 or b is 3\n\nplay\n    for each k in 1..5\n        do turn\n"
    game = small(tmp_path, rules)
    (latch,) = game.ir.latches
    slot = game.program.layout.places[latch.field.key].base

    def fallen(position: Position, _: int) -> bool:
        return bool(position.slots[slot])

    played = play_on(game, game.initial(), [RandomPlayer()] * 2, streams(1, 0, 2), until=fallen)
    path = tmp_path / "position.yaml"
    path.write_text(dump_position(game, played.position), encoding="utf-8")
    found = simulated(capsys, "--from", path, "--players", 2, "--games", 10, "--engine", engine)
    end, over = found["ends"]
    parts = [(part["condition"], part["mean"]) for part in end["alternatives"]]
    assert end["mean"] == over["mean"] == found["ended"]["over"]["mean"] == 1
    assert parts == [("a is 1", 0), ("b is 3", 0), ("it had come true before", 1)]
    asked = ["simulate", "--from", str(path), "--players", "2", "--games", "10", "--engine", engine, "--details"]
    assert cli.main(asked) == 0
    assert "it had come true before" in capsys.readouterr().out


def test_what_a_variant_replaces_is_told_by_its_own_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_game(tmp_path, HEAD + TURN + "\nvalue done = a is 3\n\nplay\n    for each k in 1..9\n"
                        "        do turn\n        stop when done\n")  # fmt: skip
    (folder / "variants").mkdir()
    variant = folder / "variants" / "late.yaml"
    variant.write_text(
        "kind: variant\nformat: 1\nextends: small\ntitle: Late\nreplace:\n  done: |\n    value done =\n"
        "        a is 4      # the first of two\n        or b is 5\n",
        encoding="utf-8",
    )
    stop, _ = simulated(capsys, variant, "--players", 2, "--games", 5)["ends"]
    told = [(part["condition"], part["file"], part["line"], part["mean"]) for part in stop["alternatives"]]
    assert told == [("a is 4", "late.yaml", 8, 1), ("b is 5", "late.yaml", 9, 0)]
    assert (stop["condition"], stop["file"]) == ("done", "small.rules")


def test_the_table_names_each_condition(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main(["simulate", "chocolatl", "--players", ",".join(["random"] * 5), "--games", "50", "--details"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for words in ("The last round: end_is_reached", "  some p in player has p.stones is 0", "several may hold at once"):
        assert words in out


def test_the_table_of_sources_breaks_no_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width, players in ((80, 5), (80, 4), (100, 5), (60, 3)):
        monkeypatch.setenv("COLUMNS", str(width))
        types = ",".join(["random"] * players)
        assert cli.main(["simulate", "chocolatl", "--players", types, "--games", "50", "--details"]) == 0
        out = capsys.readouterr().out
        sources = out[out.index("Points by source") : out.index("What ran")]
        assert "Plantations" in sources and max(map(len, sources.splitlines())) <= width
        words = {word for row in sources.splitlines() if row[:1] == "│" for word in row.split("│")[1].split()}
        assert words >= {"Plantations", "Chocolatl", "offering", "pyramid", "highest"}
        assert all(word[:1].isupper() or len(word) > 1 for word in words)
