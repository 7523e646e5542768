"""Dice that a player does not see: what is known of them when they are shown, laid aside, mixed and thrown again.

Shares are exact: the sampler is run through all random numbers that it can be given.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from math import prod
from pathlib import Path

import pytest

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.position import dump_position, load_position
from chocolatl.interpreter.lowered.zones import copies
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from tests.engine.test_unseen_chance import after, concluded, possible
from tests.games import all_draws, answered, write_game

DICE = """
each player has
    score  : 0..99
    cup    : set of 1..3 secret
    box    : set of 1..3 secret
    shown  : set of 1..3
    pause  : 0..1

play
    for each p in player
"""
THROW = "        roll {number} p.cup from 1..3{odds} for p\n"
BOX = "        move all p.cup to p.box\n"
LAY = "        p chooses 1 from p.cup into p.box\n"
SHOW = "        p chooses 1 from p.box into p.shown as show\n"
PAUSE = "    for each p in player\n        p chooses p.pause from 0..1\n"

FAIR, LOADED = {1: 1, 2: 1, 3: 1}, {1: 1, 2: 3, 3: 5}


def thrown(number: int, odds: str = "") -> str:
    return THROW.format(number=number, odds=f" odds {odds}" if odds else "")


def dice_game(folder: Path, steps: str) -> Game:
    return load(write_game(folder, DICE + steps + PAUSE), 2)


def boxes(game: Game, position: Position, player: int) -> dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction]:
    """What the other player holds for possible to lie in the cup and the box of a player."""
    layout = game.program.layout
    found: dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction] = {}
    for sample, bounds in all_draws(lambda source: game.sample_unknown(position, 1 - player, source)):
        cup, box = (sample.slots[layout.places["player", name].base + player] for name in ("cup", "box"))
        key = tuple(_values(cup)), tuple(_values(box))
        found[key] = found.get(key, Fraction(0)) + Fraction(1, prod(bounds))
    possible(game, position, 1 - player)  # the list of all worlds says the same
    return found


def _values(zone: int) -> list[int]:
    return [kind + 1 for kind, number in copies(zone) for _ in range(number)]


def share(die: dict[int, int], value: int) -> Fraction:
    return Fraction(die[value], sum(die.values()))


def test_of_equal_dice_those_that_are_left_are_as_before(tmp_path: Path) -> None:
    game = dice_game(tmp_path, thrown(2) + BOX + SHOW)
    found = boxes(game, after(game, [2, 3], [3], [1, 1], [1]), 0)
    assert found == {((), (value,)): Fraction(1, 3) for value in FAIR}


def test_of_several_dice_the_one_that_was_shown_is_any_that_could_be_it(tmp_path: Path) -> None:
    """A fair die and a loaded one lie in a box, and one of them is shown. Each is told apart here, as pieces are."""
    game = dice_game(tmp_path, thrown(1) + BOX + thrown(1, "2 * cup - 1") + BOX + SHOW)
    left: dict[int, Fraction] = {}
    for value in FAIR:
        left[value] = share(FAIR, 3) * share(LOADED, value) + share(LOADED, 3) * share(FAIR, value)
    found = boxes(game, after(game, [2], [3], [3], [1], [1], [1]), 0)
    assert found == {((), (value,)): part / sum(left.values()) for value, part in left.items()}


def test_a_die_that_was_laid_aside_stays_when_the_others_are_thrown_again(tmp_path: Path) -> None:
    game = dice_game(tmp_path, thrown(2) + LAY + thrown(1, "cup"))
    found = boxes(game, after(game, [2, 3], [3], [1], [2, 2], [2], [3]), 0)
    assert found == {((cup,), (box,)): Fraction(cup, 6) * Fraction(1, 3) for cup in FAIR for box in FAIR}


def test_what_is_shown_is_known_and_what_is_copied_too(tmp_path: Path) -> None:
    game = dice_game(tmp_path, thrown(2) + "        p.shown becomes p.cup\n")
    assert boxes(game, after(game, [2, 3], [1, 1]), 0) == {((2, 3), ()): Fraction(1)}
    game = dice_game(tmp_path, thrown(2) + "        reveal p.cup into p.shown\n        move all p.shown to p.box\n")
    assert boxes(game, after(game, [2, 3], [1, 1]), 0) == {((), (2, 3)): Fraction(1)}


def test_a_value_that_was_chosen_unseen_is_unknown_until_it_is_shown(tmp_path: Path) -> None:
    """The rules hold the chosen value while the others are asked: they must not reckon with what it really is."""
    choice = "        p chooses die from p.cup\n        for each q in player where q is not p\n"
    choice += "            q chooses q.pause from 0..1\n        move die from p.cup to p.shown\n"
    game = dice_game(tmp_path, thrown(2) + choice)
    positions = [after(game, [2, 3], value) for value in (2, 3)]
    for position in positions:
        shown: Counter[str] = Counter()
        for sample, _ in all_draws(partial(game.sample_unknown, position, 1)):
            end = answered(game, sample, 0)
            shown[str(game.view(end, 1)["state"]["player"]["p1"]["shown"])] += 1  # type: ignore[index, call-overload]
        assert set(shown) == {"[1]", "[2]", "[3]"} and len(set(shown.values())) == 1


@pytest.mark.parametrize(
    ("steps", "values"),
    [
        (thrown(2) + BOX + SHOW, ([2, 3], [3], [1, 1], [1])),
        (thrown(1) + BOX + thrown(1, "cup") + BOX + SHOW, ([2], [3], [3], [1], [1], [1])),
        (thrown(2) + LAY + thrown(1, "cup"), ([2, 3], [3], [1], [2, 2], [2], [3])),
        (
            thrown(2) + LAY + thrown(1, "cup") + LAY + thrown(1),
            ([2, 3], [3], [1], [1], [1], [2, 2], [2], [3], [3], [1]),
        ),
    ],
)
def test_what_is_known_of_dice_survives_a_position_file(steps: str, values: tuple[object, ...], tmp_path: Path) -> None:
    game = dice_game(tmp_path, steps)
    position = after(game, *values)
    path = tmp_path / "position.yaml"
    path.write_text(dump_position(game, position), encoding="utf-8")
    findings = Findings()
    read = load_position(path, findings, tmp_path / "small")
    assert read is not None, findings.items
    for player in range(2):
        assert concluded(read.game, read.position, player) == concluded(game, position, player)


def test_without_knowledge_a_value_may_be_any(tmp_path: Path) -> None:
    """A position that does not say what players know says nothing about dice either, but how many there are."""
    game = dice_game(tmp_path, thrown(1))
    path = tmp_path / "position.yaml"
    written = dump_position(game, after(game, [2], [2]))
    path.write_text("\n".join(line for line in written.split("\n") if "rolled" not in line and "knowledge" not in line))
    read = load_position(path, Findings(), tmp_path / "small")
    assert read is not None
    assert boxes(read.game, read.position, 0) == {((value,), ()): Fraction(1, 3) for value in FAIR}


WRONG = {
    "{rolled: [{faces: [1, 4]}], zones: {p2.cup: 1}}": "4",
    "{rolled: [{faces: [1, 2], odds: [1]}], zones: {p2.cup: 1}}": "a die has faces, and as many odds",
    "{rolled: [{faces: [1, 2, 3]}], zones: {p2.cup: 2}}": "the group has 1 cards, and its zones hold another number",
    "{rolled: [{faces: [1, 3]}], zones: {p2.cup: 1}}": "this does not fit the state",
    "{zones: {p2.cup: 1}}": "a group needs `cards` or `rolled`, and `zones`",
}


@pytest.mark.parametrize("group", WRONG)
def test_a_file_that_says_impossible_things_about_dice_is_refused(group: str, tmp_path: Path) -> None:
    game = dice_game(tmp_path, thrown(1))
    written = dump_position(game, after(game, [2], [2]))
    path = tmp_path / "position.yaml"
    head, _, rest = written.partition("knowledge:\n")
    lines = rest.split("\n")
    path.write_text("\n".join([f"{head}knowledge:", f"  p1: [{group}]", *lines[1:]]))
    findings = Findings()
    assert load_position(path, findings, tmp_path / "small") is None
    assert WRONG[group] in findings.items[0].message
