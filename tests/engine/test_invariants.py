"""`always`: what rules say of themselves is looked at after each step, and the rule that breaks it is named."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.ir.printer import print_ir
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.source import Span
from tests.checking.test_diagnostics import GAME, found_in, write
from tests.games import walk

HEAD = f"""\
language 1
game {GAME}

item work "Work"

table has
    bank : 0..50 = 50

each player has
    score : 0..99
    coins : 0..50

always coins_are_kept "No coin is lost" : bank + (sum of p.coins for p in player) is 50

winner p
    highest p.score

"""
FINE = """\
play
    for each p in player
        roll number from 2..6
        p gains number coins
        bank becomes bank - number
"""


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.split("\n"), start=1) if words in line)


def play(folder: Path, text: str) -> RuleError | None:
    """How a game fails, if it does: in the interpreter, and in native code that looks at what holds."""
    write(folder / GAME, text)
    assert found_in(folder / GAME) == []
    game = load(folder / GAME, 2)
    for seed in range(3):
        compare(game, seed)
    try:
        list(walk(game, 1))
    except RuleError as error:
        return error
    return None


def compare(game: Game, seed: int) -> None:
    expected = failure(lambda: play_game(game, [RandomPlayer()] * 2, seed))
    for kernel in (Kernel(game, QUICK, inspected=True), Kernel(game, QUICK, closely=True)):
        assert failure(lambda kernel=kernel: kernel.play(seed)) == expected  # type: ignore[misc]
        assert failure(lambda kernel=kernel: kernel.events(seed)) == expected  # type: ignore[misc]
    summed = Resumed(Stepper(game, QUICK, inspected=True), game.initial()).series(seed, 0, 1)
    assert (summed.error and (summed.error.span, summed.error.message)) == expected
    assert failure(lambda: Kernel(game, QUICK).play(seed)) is None  # this one does not look


def failure(run: Callable[[], object]) -> tuple[Span, str] | None:
    try:
        run()
    except RuleError as error:
        return error.span, error.message
    return None


def test_changes_that_follow_one_another_are_one_step(tmp_path: Path) -> None:
    assert play(tmp_path, HEAD + FINE) is None


@pytest.mark.parametrize(
    ("old", "new", "guilty"),
    [
        ("bank - number", "bank - 1", "bank becomes"),
        ("        bank becomes bank - number\n", "", "p gains number"),
        ("        bank becomes", "        roll again from 1..6\n        bank becomes", "p gains number"),
        ("        bank becomes", "        if bank > 10\n            bank becomes", "p gains number"),
        ("p gains number coins", "p gains number score for work", "bank becomes"),
    ],
)
def test_the_rule_that_breaks_it_is_named(old: str, new: str, guilty: str, tmp_path: Path) -> None:
    text = HEAD + FINE.replace(old, new)
    error = play(tmp_path, text)
    assert error is not None and error.span.line == line_of(text, guilty)
    assert "`coins_are_kept` (No coin is lost) does not hold" in error.message
    assert f":{line_of(text, 'always coins')}" in error.message


def test_a_secret_block_is_looked_at_when_it_ends(tmp_path: Path) -> None:
    secret = """\
play
    every player p secretly
        p chooses n from 1..1
        p.coins becomes n
    bank becomes bank - 2
"""
    assert play(tmp_path, HEAD + secret) is None
    text = HEAD + secret.replace("bank - 2", "bank - 1")
    error = play(tmp_path, text)
    assert error is not None and error.span.line == line_of(text, "bank becomes")


def test_a_latch_counts_as_changed(tmp_path: Path) -> None:
    latch = "latch low when bank < 48\nalways not_low : not low\n\n"
    error = play(tmp_path, HEAD + latch + FINE)
    assert error is not None and "`not_low` does not hold" in error.message


def test_it_is_a_condition_with_a_name_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / GAME, HEAD + "always bank : bank > 0\nalways three : 3\n" + FINE)
    assert [d.code for d in found_in(tmp_path / GAME)] == ["E305", "E401"]


def test_it_is_shown_by_dump(tmp_path: Path) -> None:
    write(tmp_path / GAME, HEAD + FINE)
    assert "always coins_are_kept : " in print_ir(load(tmp_path / GAME, 2).ir)


def test_simulate_writes_a_transcript_that_replays_to_the_same_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = HEAD + FINE.replace("bank - number", "bank - min(number, 5)")
    write(tmp_path / GAME, text)
    for options in (
        ["--jobs", "1"],
        ["--jobs", "2"],
        ["--games", "4000"],
        ["--games", "400", "--engine", "interpreter"],
    ):
        assert cli.main(["simulate", f"./{GAME}", "--players", "2", "--games", "40", *options]) == 1
        err = capsys.readouterr().err
        assert f":{line_of(text, 'bank becomes')}:" in err
        told = re.search(r"`chocolatl (replay .*)` comes to the same place", err)
        assert told is not None and "failed-game.jsonl" in told[1]
        assert cli.main(shlex.split(told[1])) == 1
        out = "".join(capsys.readouterr())
        assert f":{line_of(text, 'bank becomes')}:" in out and "`coins_are_kept`" in out


def test_a_given_state_that_breaks_it_already_goes_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / GAME, HEAD + FINE.replace("bank - number", "bank - 1"))
    case = f"kind: scenario\nformat: 1\nname: n\ngame: {GAME}\n"
    when = "when: [{chance: number, value: 3}]\nthen: {table: {bank: 49}}\n"
    (tmp_path / "a.yaml").write_text(case + when)
    assert cli.main(["test", str(tmp_path / "a.yaml")]) == 1
    assert "`coins_are_kept`" in capsys.readouterr().out
    (tmp_path / "a.yaml").write_text(case + "given: {player: {p1: {coins: 1}}}\n" + when)
    assert cli.main(["test", str(tmp_path / "a.yaml")]) == 0


def test_one_that_cannot_be_worked_out_stops_the_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = "table has\n    leader : player or nobody\nalways leader_has_coins : leader.coins >= 0\n\n"
    write(tmp_path / GAME, HEAD + rule + FINE)
    (tmp_path / "a.yaml").write_text(
        f"kind: scenario\nformat: 1\nname: n\ngame: {GAME}\ngiven: {{table: {{leader: null}}}}\n"
        "when: [{chance: number, value: 3}]\nthen: {table: {bank: 47}}\n"
    )
    for options in ([], ["--coverage"]):
        assert cli.main(["test", str(tmp_path / "a.yaml"), *options]) == 1
        assert "this is nobody, and a player is needed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["chocolatl", "cacao", "quetzal"])
def test_the_board_games_say_what_holds(name: str) -> None:
    game = load(find_game(name), 3)
    assert len(game.ir.invariants) >= 2
    assert game.program.broken(game.initial().slots) == frozenset()


def test_a_position_that_breaks_it_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number that was edited without its other half is told when the file is read, by whoever reads it."""
    file = tmp_path / "position.yaml"
    assert cli.main(["deal", "chocolatl", "--players", "3", "--seed", "4", "--to-round", "2", "-o", str(file)]) == 0
    text = file.read_text()
    edited = re.sub(r"stones: \d", "stones: 1", text, count=1)
    assert edited != text
    file.write_text(edited)
    capsys.readouterr()
    play = ["play", "chocolatl", "--players", "you,random,random", "--from", str(file)]
    for command, code in (["check", str(file)], 1), (["solve", str(file), "--player", "p1"], 2), (play, 2):
        assert cli.main(command) == code
        out = "".join(capsys.readouterr())
        assert "E606" in out and "`stones_are_kept`" in out and "chocolatl.rules:" in out


def test_whoever_goes_without_one_still_looks_at_the_others(tmp_path: Path) -> None:
    write(tmp_path / GAME, HEAD + "always few : every p in player has p.coins <= 2\n" + FINE)
    game = load(tmp_path / GAME, 2)
    program = game.program.without(frozenset({"few"}))
    assert program.without(frozenset()) is program and program.literal.excused == {"few"}
    for each in (program, program.literal):
        slots = each.initial()
        slots[each.layout.places["player", "coins"].base] = 3
        assert each.broken(slots) == {"coins_are_kept"}
        assert game.program.broken(slots) == {"coins_are_kept", "few"}
