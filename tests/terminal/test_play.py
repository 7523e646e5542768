"""`chocolatl play`: whole games typed into it, undo, leaving and going on, and that no secret is ever on the screen."""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.formats.position import dump_position
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import next_question, play_game, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.terminal.asking.questions import NotUnderstood, ask
from chocolatl.interpreter.terminal.asking.session import GameProgress, Session
from chocolatl.interpreter.terminal.board.board import board
from chocolatl.interpreter.terminal.output.console import make_console
from chocolatl.interpreter.terminal.story.narrator import Narrator
from tests.conftest import Evidence

Play = Callable[..., str]


@pytest.fixture
def play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Play:
    """Plays with typed lines in an empty folder; what is on the screen in the end."""
    monkeypatch.chdir(tmp_path)

    def play_game_(*arguments: str, typed: list[str], code: int = 0) -> str:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(line + "\n" for line in typed)))
        capsys.readouterr()
        assert cli.main(["play", *arguments]) == code
        return capsys.readouterr().out

    return play_game_


def ending(screen: str) -> str:
    """What is shown when a game is over: the last table and the result."""
    return screen[screen.rindex("────") :] + screen[screen.rindex(" ───") :]


SHORT = ("goofspiel/short", "--players", "you,random", "--seed", "4")


# ---------------------------------------------------------------- the course of a game


def test_a_whole_game(play: Play) -> None:
    screen = play(*SHORT, typed=["5", "4", "3", "2", "1"])
    assert screen.count("p1: Which card do you bid for") == 5
    assert screen.count("\n  bidders: ") == 5
    assert re.search(r"p2: bid \d\n  bidders: p\d \d [>=] p\d \d \(highest bid\)\n", screen)
    assert "Point cards won" in screen and re.search(r"wins\.|share the victory\.", screen)
    assert "Saved" not in screen


def test_the_screen_is_the_same_for_the_same_seed_and_another_for_another(play: Play) -> None:
    typed = ["5", "4", "3", "2", "1"]
    assert play(*SHORT, typed=typed) == play(*SHORT, typed=typed)
    assert play(*SHORT, typed=typed) != play(*SHORT[:-1], "5", typed=typed)


def test_undo_goes_back_to_the_own_decision_before(play: Play) -> None:
    straight = play(*SHORT, typed=["5", "4", "3", "2", "1"])
    detours = play(*SHORT, typed=["1", "undo", "5", "2", "3", "undo", "undo", "4", "3", "1", "undo", "2", "1"])
    assert detours.count("Taken back.") == 4
    assert ending(detours) == ending(straight)


VALUE = r"-?[\d.]+"
WHOM = r"against (?:random|learned) players"
SAMPLED = rf"{VALUE} ± {VALUE} in 200 fresh scenarios {WHOM}"
HELD = rf"(?: \+ {VALUE} held afterwards \(hand_value {VALUE}\))?"
HINT = (
    rf"> hint Which card do you bid for \d+ points\? (\d) worth (?:{SAMPLED}|{VALUE} over all \d+ histories {WHOM}) = "
    rf"{VALUE} points by contests \+ {VALUE} elsewhere{HELD} counted until the end of (?:the|a) round"
)
BLIND = "without a valuation what lasts longer counts for nothing; `hint far` looks beyond it"


def flat(screen: str) -> str:
    """What is on a screen, however its lines are broken."""
    return " ".join(screen.split())


def test_a_hint_tells_what_the_solver_would_answer_and_changes_nothing(play: Play) -> None:
    straight = play(*SHORT, typed=["5", "4", "3", "2", "1"])
    helped = play(*SHORT, typed=["hint", "5", "4", "hint", "hint far", "hint near", "3", "2", "1"])
    found = re.findall(HINT, flat(helped))
    assert len(found) == 2 and found[1] in "123"
    assert len(re.findall(HINT.replace("hint", "hint far"), flat(helped))) == 1
    assert BLIND not in flat(helped)
    assert "`hint` tells what to answer, `hint far` looks beyond the round" in helped
    assert len(re.findall(rf"(?m)^  or: \d: {VALUE} ± {VALUE} (?:less|more)$", helped)) == 6
    assert ending(helped) == ending(straight)


def test_a_hint_says_that_what_lasts_counts_for_nothing_without_a_valuation(play: Play, tmp_path: Path) -> None:
    shutil.copytree(rules_folder() / "goofspiel", tmp_path / "goofspiel")
    (tmp_path / "goofspiel" / "valuation.yaml").unlink()
    game = ("./goofspiel/variants/short.yaml", "--players", "you,random", "--seed", "4")
    assert flat(play(*game, typed=["hint", "hint far", "5", "4", "3", "2", "1"])).count(BLIND) == 1


def test_a_hint_is_what_solve_says_of_the_position_saved_at_that_moment(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    """The answer, what it is worth and what that is made of, before the first round and in a secret block."""
    game = ("chocolatl/three_locations", "--players", "you,random,random", "--seed", "3")
    typed = ["hint", "save offering.yaml", "take", "hint", "save bidding.yaml"]
    hints = play(*game, typed=typed).split("> hint\n")[1:]
    for hint, name in zip(hints, ("offering", "bidding"), strict=True):
        assert cli.main(["solve", f"{name}.yaml", "--player", "p1", "--work", "10"]) == 0
        told = flat(hint.partition("\n> ")[0])
        shown = capsys.readouterr().out
        worth = re.search(r"worth .*?(?=\n[a-z]+ |\n\n|\nby sampling)", shown, re.DOTALL)
        assert worth is not None and flat(worth[0]) in told
        answers = re.findall(r"^(?:offering|sealed\[\w+\])  +(\d[\d ]*?) *$", shown, re.MULTILINE)
        assert re.findall(r"\? (\d+(?: \d+)?) (?=Which|worth)", told) == answers
        rests = re.findall(
            r"counted until the end of the \w+ against random players: .*?(?= the same again)", flat(shown)
        )
        assert len(rests) == 1 and rests == re.findall(r"counted until.*?(?= or:)", told)


def test_a_hint_is_taken_over_one_answer_at_a_time_or_all_at_once(play: Play) -> None:
    game = ("blotto", "--players", "you,random", "--seed", "1")
    one_by_one = play(*game, typed=["hint", "take", "take", "take"])
    at_once = play(*game, typed=["hint", "take all"])
    said = re.findall(r"go to field (\d)\? (\d+)\n", at_once)
    assert [field for field, _ in said] == list("123123") and said[:3] == said[3:]
    assert ending(one_by_one) == ending(at_once)
    assert ending(play(*game, typed=[number for _, number in said[:3]])) == ending(at_once)
    typed = ["take", "hint", "take some", "take", "undo", "take", "undo", "10", "take", "undo", "take all"]
    detours = play(*game, typed=typed)
    assert detours.count("there is no hint for this decision; type `hint` first") == 2
    assert "`take` takes over the hint, `take all` to the end of a secret choice" in detours
    assert ending(detours) == ending(at_once)


def test_undo_inside_a_secret_block(play: Play) -> None:
    arguments = ("blotto", "--players", "random,you", "--seed", "1")
    straight = play(*arguments, typed=["5", "3", "2"])
    detours = play(*arguments, typed=["9", "undo", "5", "1", "undo", "3", "2"])
    assert ending(detours) == ending(straight)
    assert "there is nothing to take back" in play(*arguments, typed=["undo"])


@pytest.mark.parametrize("after", [0, 1, 3, 4])
@pytest.mark.parametrize("leave", [["quit"], []])
def test_a_game_that_was_left_goes_on_to_the_same_end(play: Play, after: int, leave: list[str]) -> None:
    typed = ["5", "4", "3", "2", "1"]
    straight = play(*SHORT, typed=typed)
    left = play(*SHORT, typed=[*typed[:after], *leave])
    command = left.rstrip().splitlines()[-1].split()
    assert command[:2] == ["chocolatl", "play"] and "Saved: goofspiel.position.yaml." in left
    resumed = play(*command[2:], typed=typed[after:])
    assert ending(resumed) == ending(straight)


def test_in_the_middle_of_a_secret_block_too(play: Play) -> None:
    straight = play("blotto", "--players", "random,you,greedy", "--seed", "1", typed=["5", "3", "2"])
    play("blotto", "--players", "random,you,greedy", "--seed", "1", "--save", "a.yaml", typed=["5"])
    play("--from", "a.yaml", "--players", "random,you,greedy", "--save", "b.yaml", typed=["3"])
    assert ending(play("--from", "b.yaml", "--players", "random,you,greedy", typed=["2"])) == ending(straight)


def test_saving_goes_on_and_leaves_other_files_alone(play: Play) -> None:
    screen = play(*SHORT, typed=["5", "save here.yaml", "save no/such/folder.yaml", "save", "4", "3", "2", "1"])
    assert "saved: here.yaml" in screen and Path("here.yaml").is_file()
    assert "no/such/folder.yaml: cannot be written" in screen and "`save` needs the name of a file" in screen
    assert ending(play("--from", "here.yaml", "--players", "you,random", typed=["4", "3", "2", "1"])) == ending(screen)
    for number in ("", "2", "3"):
        assert f"Saved: goofspiel{number}.position.yaml" in play(*SHORT, typed=[])


def test_who_plays_when_nothing_is_said(play: Play) -> None:
    assert "p1 (you), p2 (greedy)\n" in play("goofspiel/short", typed=[])
    assert "p1 (you), p2 (greedy), p3 (greedy)\n" in play("goofspiel/short", "--players", "3", typed=[])
    assert "ann (you), p2 (random)\n" in play("goofspiel/short", "--players", "ann=you,random", typed=[])
    play("goofspiel/short", "--players", "ann=you,bob=random", "--save", "x.yaml", typed=[])
    assert "ann (random), bob (you)\n" in play("--from", "x.yaml", "--players", "random,you", typed=[])
    assert "ann (you), bob (greedy)\n" in play("--from", "x.yaml", typed=[])
    play("--from", "x.yaml", "--players", "you,random,random", typed=[], code=2)


def test_two_people_hand_over(play: Play) -> None:
    screen = play("kuhn_poker", "--players", "ann=you,bob=you", "--seed", "1", typed=["pass", "bet", "bet"])
    turns = re.findall(r"It is (\w+)'s turn\.|^(?:ann|bob): (Pass or bet)", screen, re.MULTILINE)
    asked = "Pass or bet"
    assert [name or prompt for name, prompt in turns] == ["ann", asked, "bob", asked, "ann", asked]
    assert re.search(r"\w+ wins\.", screen)


def test_a_position_without_random_numbers_goes_on_with_any(play: Play) -> None:
    play(*SHORT, "--save", "x.yaml", typed=["5"])
    text = Path("x.yaml").read_text(encoding="utf-8")
    Path("y.yaml").write_text(text[: text.index("random:")], encoding="utf-8")
    assert "Point cards won" in play("--from", "y.yaml", "--players", "you,random", typed=["4", "3", "2", "1"])
    Path("z.yaml").write_text(text[: text.index("random:")] + "random: {seed: x}\n", encoding="utf-8")
    play("--from", "z.yaml", "--players", "you,random", typed=[], code=2)


def test_rules_that_cannot_go_on_leave_the_position_before(play: Play, tmp_path: Path) -> None:
    folder = tmp_path / "goofspiel"
    shutil.copytree(rules_folder() / "goofspiel", folder)
    rules = folder / "goofspiel.rules"
    text = rules.read_text(encoding="utf-8").replace("let points = stake", "let points = stake / max(2 - round, 0)")
    rules.write_text(text, encoding="utf-8")
    screen = play("./goofspiel", "--players", "you,random", "--seed", "4", typed=["5", "6"], code=1)
    assert "Saved: goofspiel.position.yaml." in screen
    again = play("./goofspiel", "--from", "goofspiel.position.yaml", "--players", "you,random", typed=["7"], code=1)
    assert "round 2" in again


# ---------------------------------------------------------------- questions and answers

MARKET_DATA = """\
kind: game
format: 1
name: market
title: Market
about: A game with every kind of question.
players: {min: 2, max: 3}
parameters:
  most: {value: 2, min: 1, max: 3, about: How many coins one shows., source: made up}
components:
  coin: {kinds: {worth: 1..9}, about: One coin of each worth.}
"""

MARKET_RULES = """\
language 1
game market

enum stall = fish "Fish stall", fruit "Fruit stall", help "Help desk"

component coin (worth)

item visits "Visits"

table has
    purse   : set of coin hidden = every coin
    weather : set of 1..6

each player has
    score  : 0..99 = 0
    hand   : set of coin secret
    hoard  : set of coin secret
    shown  : set of coin
    happy  : yes/no = no
    friend : player or nobody = nobody

play
    for each p in player
        for each n in 1..3
            draw coin from purse into p.hand for p
    every player p secretly
        p chooses up to most from p.hand into p.shown as offer "Which coins do you show?"
        p chooses saving from p.hand "Which coin do you save?"
        move saving from p.hand to p.hoard
    roll 3 dice from 1..6
    weather becomes dice
    for each p in player
        do visit(p)

procedure visit(p : player)
    p chooses spot from stall "Where do you go?"
    p chooses p.happy from yes/no "Are you happy?"
    p may choose other from player where other is not p as companion "Who comes along?"
    p.friend becomes other
    p chooses steps from 1..20, target from stall where target is not spot as walk "Where to, and how far?"
    p gains steps score for visits "from the {spot} to the {target}"

winner p
    highest p.score
"""


@pytest.fixture
def market(tmp_path: Path) -> Path:
    folder = tmp_path / "market"
    folder.mkdir()
    (folder / "game.yaml").write_text(MARKET_DATA, encoding="utf-8")
    (folder / "market.rules").write_text(MARKET_RULES, encoding="utf-8")
    return folder


def test_every_kind_of_question(play: Play, market: Path) -> None:
    typed = [
        *("9 9", "1 4 6", "1, 6"),  # up to 2 of 1 4 6
        *("6", "4"),  # the coin 6 was shown
        *("nowhere", "f", "4", "help"),  # `f` is the beginning of two; `help` is an answer here, not a command
        *("maybe", "Yes"),
        *("p1", "nobody"),
        *("help 3", "20", "21 fish", "20 help", "20 fish"),
    ]
    screen = play("./market", "--players", "you,random", "--seed", "5", typed=typed)
    hints = [flat(hint) for hint in re.findall(r"is no answer here[^;>]*; ([^>]*)\n>", screen)]
    assert hints == [
        *["type up to 2 of these, such as `1 4`, or `none`: 1 4 6"] * 2,
        "only 4 is possible: type it, or just press Enter",
        *["type a number from 1 to 3"] * 3,
        "type a number from 1 to 2",
        "type a number from 1 to 2",
    ]
    assert re.findall(r"is no answer here: (.*)", screen) == [
        "STEPS cannot be help, it can be 1 to 20",
        "TARGET is missing, which can be fish fruit",
        "STEPS cannot be 21, it can be 1 to 20",
        "TARGET cannot be help, it can be fish fruit",
    ]
    assert "\n  type STEPS TARGET, for example `11 fish`\n    STEPS   1 to 20\n    TARGET  fish fruit\n" in screen
    assert "`9 9` is no answer here, 9 cannot be taken;" in screen
    assert "`1 4 6` is no answer here, that is 3;" in screen
    assert "   1  Fish stall\n   2  Fruit stall\n   3  Help desk\n" in screen
    assert "   1  p2\n   2  nobody\n" in screen
    assert "p1 +20 Visits (from the Help desk to the Fish stall)" in screen


def test_commands_with_a_slash_are_always_commands(play: Play, market: Path) -> None:
    screen = play("./market", "--players", "you,random", "--seed", "5", typed=["none", "4", "/help", "/hepl", "3"])
    assert "take back your last answer" in screen
    assert "there is no command `/hepl`; did you mean `help`?" in screen
    assert "Are you happy?" in screen


def typed_text(decision: Decision, answer: Answer) -> str:
    """What a person types for an answer."""
    encoded: Any = decision.encode(answer)
    if isinstance(decision.node, ir.ChooseSet):
        return " ".join(typed_value(value) for value in encoded) or "none"
    return " ".join(map(typed_value, encoded.values())) if isinstance(encoded, dict) else typed_value(encoded)


def typed_value(value: Any) -> str:
    """`1,0` for a cell, `1,0 north` for a pair."""
    if isinstance(value, list):
        return ("," if all(isinstance(part, int) for part in value) else " ").join(map(typed_value, value))
    return {None: "none", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def shipped() -> list[str]:
    return games_in(rules_folder())


@pytest.mark.parametrize("name", [*shipped(), "market"])
def test_whatever_is_legal_can_be_typed(name: str, market: Path, evidence: Evidence) -> None:
    """A person who types what the random player would choose plays the random player's game."""
    game = load(market if name == "market" else find_game(name), 3)
    for seed in evidence.cases(f"whatever is legal can be typed: {name}", full=50, slice=1):
        expected = play_game(game, [RandomPlayer()] * 3, seed).position
        assert typed_game(game, seed) == expected


def typed_game(game: Game, seed: int) -> Position:
    """The end of a game in which a person types what the random player would choose, and the others are random."""
    fingers = streams(seed, 0, 3)[1]

    def read(prompt: str) -> str:
        decision = next_question(game, session.course.position)
        assert isinstance(decision, Decision) and decision.player == 0
        return typed_text(decision, decision.answers.sample(fingers))

    start = GameProgress(game.initial(), tuple(random.state() for random in streams(seed, 0, 3)))
    console = make_console(io.StringIO(), width=100)
    session = Session(game, [None, RandomPlayer(), RandomPlayer()], start, console, read, save_nothing, [])
    session.run()
    return session.course.position


def save_nothing(course: GameProgress, path: Path) -> None:
    raise AssertionError("nobody has asked for this")


def test_nonsense_is_never_understood(market: Path) -> None:
    for name in (*shipped(), "market"):
        game = load(market if name == "market" else find_game(name), 3)
        for position, decision in decisions(game, seed=1):
            question = ask(decision)
            assert question.lines and position is not None
            for line in ("nonsense", "-1", "1000000", "9" * 5000, "½", "²", "1 2 3 4 5 6 7 8 9", "[bold]", "="):
                try:
                    answer = question.understand(line)
                except NotUnderstood:
                    continue
                assert decision.answers.contains(answer)


def decisions(game: Game, seed: int) -> list[tuple[Position, Decision]]:
    """Every decision of a random game, with its position."""
    found: list[tuple[Position, Decision]] = []
    randoms = streams(seed, 0, game.player_count)
    position = game.initial()
    while (question := next_question(game, position)) is not None:
        if isinstance(question, Decision):
            found.append((position, question))
            position = game.answer(position, question.player, question.answers.sample(randoms[question.player + 1]))
        else:
            position = game.resolve(position, question.outcomes.sample(randoms[0]))
    return found


# ---------------------------------------------------------------- secrets


def screen_of(game: Game, position: Position, viewer: int) -> str:
    console = make_console(io.StringIO(), width=100)
    console.print(board(game, position, viewer))
    file: Any = console.file
    return str(file.getvalue())


@pytest.mark.parametrize("name", [*shipped(), "market"])
def test_positions_that_a_player_cannot_tell_apart_look_the_same(name: str, market: Path, evidence: Evidence) -> None:
    game = load(market if name == "market" else find_game(name), 3)
    for seed in evidence.cases(f"what cannot be told apart looks the same: {name}", full=20, slice=1):
        random = Random(seed, 0, 99)
        for position, decision in decisions(game, seed)[:60]:
            other = game.sample_unknown(position, decision.player, random)
            assert screen_of(game, position, decision.player) == screen_of(game, other, decision.player)


def test_the_cards_of_others_are_not_on_the_screen_before_the_showdown(play: Play) -> None:
    """Two deals that differ in the other player's card alone look the same until the cards are compared."""
    screens = []
    game = load(find_game("kuhn_poker"), 2)
    for theirs in (1, 3):
        position = game.initial()
        for card in (2, theirs):
            chance = game.chance(position)
            assert chance is not None
            position = game.resolve(position, chance.decode(card))
        random = {"seed": 1, "game": 0, "streams": [list(stream.state()) for stream in streams(1, 0, 2)]}
        Path("position.yaml").write_text(dump_position(game, position, random), encoding="utf-8")
        screens.append(play("--from", "position.yaml", "--players", "you,random", typed=["bet"]))
    for screen in screens:
        assert "hand (secret)" in screen and "1 unseen" in screen
    assert screens[0].partition("showdown")[0] == screens[1].partition("showdown")[0]


def test_a_card_that_is_dealt_face_down_is_not_told(play: Play) -> None:
    screen = play("kuhn_poker", "--players", "random,you,random", "--seed", "2", typed=["pass"])
    assert re.search(r"deal for p1: \(unseen\)\n.*deal for p2: \d\n.*deal for p3: \(unseen\)\n", screen, re.DOTALL)


def told(game: Game, viewer: int | None, seed: int) -> list[str]:
    """A random game as a narrator tells it to a viewer."""
    narrator = Narrator(game, viewer)
    randoms = streams(seed, 0, game.player_count)
    log: list[Any] = []
    position = game.initial(log)
    lines = narrator.lines(narrator.logged(log))
    while (question := next_question(game, position)) is not None:
        before = position
        if isinstance(question, Decision):
            answer = question.answers.sample(randoms[question.player + 1])
            position = game.answer(position, question.player, answer)
            lines += narrator.lines(narrator.choice(before, question, answer, position))
        else:
            outcome = question.outcomes.sample(randoms[0])
            position = game.resolve(position, outcome)
            lines += narrator.lines(narrator.chance(before, question, outcome))
    return lines


def test_of_a_secret_block_only_that_is_told_which_can_be_seen(market: Path) -> None:
    game = load(market, 2)
    everything, mine = told(game, None, 5), told(game, 0, 5)
    assert any(re.fullmatch(r"p2: offer [\d -]+, saving \d", line) for line in everything)
    assert any(re.fullmatch(r"p2: offer [\d -]+, saving \(unseen\)", line) for line in mine)
    assert not any(line.startswith("p1: ") for line in mine), "one's own choices are no news"
    assert [line for line in everything if line.startswith("dice")] == [line for line in mine if line[:4] == "dice"]


def test_of_a_contest_among_secrets_only_the_first_is_told() -> None:
    game = load(find_game("kuhn_poker"), 3)
    for seed in range(20):
        lines = [line for line in told(game, 0, seed) if line.startswith("showdown")]
        assert len(lines) == 1 and re.fullmatch(r"showdown: p\d is first \(highest strength\)", lines[0])
        full = [line for line in told(game, None, seed) if line.startswith("showdown")]
        assert re.fullmatch(r"showdown: p\d \d( > p\d \d)* \(highest strength\)", full[0])
