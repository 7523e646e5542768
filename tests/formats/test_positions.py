"""State is a value: a position is written to YAML at any moment, read back, edited by hand, and the game goes on.

What is wrong in a position file is one finding at its line, and never a traceback.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.diagnostics import Findings, Rejected
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.formats import position as position_format
from chocolatl.interpreter.formats.position import LoadedPosition, dump_position, load_position, position_data
from chocolatl.interpreter.formats.yaml_text import to_yaml
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position, RuleError
from chocolatl.interpreter.play.library import WrongPlayerCount, load
from chocolatl.interpreter.play.match import PlayedEvent, play_on, streams
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.source import UnreadableFile
from tests.conftest import ROOT, Evidence, scaled
from tests.games import legal_answers, loaded, many, successor, tables, walk

PATHS = list(dict.fromkeys((table.game, table.variant) for table in tables()))


@cache
def _load(path: Path, players: tuple[str, ...]) -> Game:
    return load(path, players)


@pytest.fixture(autouse=True)
def games_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position_format, "load", _load)


def read(folder: Path, text: str) -> tuple[LoadedPosition | None, Findings]:
    path = folder / "file.yaml"
    path.write_text(text, encoding="utf-8")
    findings = Findings()
    return load_position(path, findings), findings


def read_back(folder: Path, text: str) -> LoadedPosition:
    found, findings = read(folder, text)
    assert found is not None and not findings.items, [render(item) for item in findings.items]
    return found


def rest_of_game(game: Game, position: Position, seed: int) -> tuple[list[PlayedEvent], Position]:
    """All events from a position to the end, with the random numbers of a seed."""
    events: list[PlayedEvent] = []
    players = [RandomPlayer()] * game.player_count
    played = play_on(game, position, players, streams(seed, 0, game.player_count), lambda e, _: events.append(e))
    return events, played.position


# ---------------------------------------------------------------- there and back


@pytest.mark.parametrize(("name", "variant"), PATHS, ids=lambda value: value or "base")
def test_a_position_survives_yaml_and_the_game_goes_on(
    name: str, variant: str | None, tmp_path: Path, evidence: Evidence
) -> None:
    counts = [table for table in tables() if (table.game, table.variant) == (name, variant)]
    for seed in evidence.cases("a position survives YAML", full=many(counts[0]), slice=2):
        game = counts[seed % len(counts)].load()
        positions = list(walk(game, seed))
        for position in random.Random(seed).sample(positions, min(len(positions), scaled(full=10**6, slice=12))):
            text = dump_position(game, position, {"seed": seed})
            found = read_back(tmp_path, text)
            assert found.position == position and hash(found.position) == hash(position)
            assert found.random == {"seed": seed}
            assert dump_position(found.game, found.position, found.random) == text
            assert rest_of_game(found.game, found.position, seed) == rest_of_game(game, position, seed)


def test_a_position_goes_on_in_another_process(tmp_path: Path, evidence: Evidence) -> None:
    expected = {}
    for seed in evidence.cases("a position goes on in another process", full=20, slice=2):
        for name in games_in(rules_folder()):
            game = next(table for table in tables() if table.game == name).load()
            position = random.Random(seed).choice(list(walk(game, seed)))
            path = tmp_path / f"{name}-{seed}.yaml"
            path.write_text(dump_position(game, position), encoding="utf-8")
            events, last = rest_of_game(game, position, seed)
            expected[str(path)] = [seed, [repr(event) for event in events], repr(game.result(last))]
    program = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from chocolatl.interpreter.diagnostics import Findings\n"
        "from chocolatl.interpreter.formats.position import load_position\n"
        "from tests.formats.test_positions import rest_of_game\n"
        "found = {}\n"
        "for path, seed in json.loads(sys.argv[1]).items():\n"
        "    read = load_position(Path(path), Findings())\n"
        "    events, last = rest_of_game(read.game, read.position, seed)\n"
        "    found[path] = [seed, [repr(event) for event in events], repr(read.game.result(last))]\n"
        "print(json.dumps(found))\n"
    )
    seeds = json.dumps({path: content[0] for path, content in expected.items()})
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", program, seeds]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path)
    assert json.loads(done.stdout) == expected


@pytest.mark.parametrize("name", games_in(rules_folder()))
def test_what_players_remember_grows_as_if_nothing_had_been_written(name: str, tmp_path: Path) -> None:
    game = next(table for table in tables() if table.game == name).load()
    positions = list(walk(game, 4))
    for start in range(0, len(positions), max(1, len(positions) // 10)):
        one, other = positions[start], read_back(tmp_path, dump_position(game, positions[start])).position
        here, there = random.Random(start), random.Random(start)
        for _ in range(15):
            if game.is_over(one):
                break
            one, other = successor(game, one, here), successor(game, other, there)
            assert remembered(game, one) == remembered(game, other)


def remembered(game: Game, position: Position) -> dict[str, list[str]]:
    """What each player knows, in an order that does not depend on how it came about."""
    known: Any = position_data(game, position).get("knowledge", {})
    return {player: sorted(map(json.dumps, groups)) for player, groups in known.items()}


def test_players_of_other_names_survive_too(tmp_path: Path) -> None:
    names = ("Ana-Maria", "007", "null")
    game = loaded(rules_folder() / "kuhn_poker", 3).with_players(names)
    for position in walk(game, 1):
        found = read_back(tmp_path, dump_position(game, position))
        assert (found.game.players, found.position) == (names, position)


def test_a_position_is_not_changed_by_what_follows_it() -> None:
    for name in games_in(rules_folder()):
        game = next(table for table in tables() if table.game == name).load()
        pairs = [(position, copy.deepcopy(position)) for position in walk(game, 3)]
        for position, _ in pairs[:: max(1, len(pairs) // 20)]:
            rest_of_game(game, position, 5)
            for player in range(game.player_count):
                game.sample_unknown(position, player, Random(1))
                game.view(position, player)
        assert all(position == before and hash(position) == hash(before) for position, before in pairs)


# ---------------------------------------------------------------- without its place in the program


@pytest.mark.parametrize(("name", "variant"), PATHS, ids=lambda value: value or "base")
def test_without_a_place_it_is_found_or_asked_for(name: str, variant: str | None, tmp_path: Path) -> None:
    table = next(table for table in tables() if (table.game, table.variant) == (name, variant))
    game, found_again = table.load(), 0
    positions = [position for seed in range(3) for position in walk(game, seed)]
    for position in random.Random(1).sample(positions, min(len(positions), 40)):
        data = position_data(game, position)
        del data["at"]
        found, findings = read(tmp_path, to_yaml(data))
        if found is None:
            (finding,) = findings.items
            assert finding.code == "E602" and re.search(r"needs `at`|give `at`", finding.message), render(finding)
            assert finding.span.source.line(finding.span.line).lstrip().startswith(("pending:", "- {"))
            continue
        found_again += 1
        assert not findings.items
        assert rest_of_game(found.game, found.position, 1) == rest_of_game(game, position, 1)
    if name in ("goofspiel", "blotto"):
        assert found_again == min(len(positions), 40)


# ---------------------------------------------------------------- mistakes


@cache
def example(name: str, moment: str) -> str:
    """A written position of a small game: `sealed` in a secret block where one has answered, `open` outside of one."""
    game = loaded(rules_folder() / name, 3)
    for position in walk(game, 2):
        if moment == "chance" and game.chance(position) is not None:
            return dump_position(game, position)
        if not game.pending(position):
            continue
        if moment == "sealed" and position.sealed is not None and any(p.answers for p in position.sealed):
            return dump_position(game, position)
        if moment == "open" and position.sealed is None:
            return dump_position(game, position)
    raise AssertionError(f"{name} has no such moment")


MISTAKES = [
    # game, moment, what is replaced, by what, the line of the finding begins with, a part of the message
    ("goofspiel", "sealed", r"score: \d+", "scroe: 0", "scroe: 0", "did you mean `score`"),
    ("goofspiel", "sealed", r"score: \d+", "score: 9999", "score: 9999", "a number from 0 to 91"),
    ("goofspiel", "sealed", r"score: \d+", "score: ten", "score: ten", "'ten'"),
    ("goofspiel", "sealed", r"score: \d+", "score: true", "score: true", "True is not"),
    ("goofspiel", "sealed", r"hand: \[\d+, ", "hand: [", "state:", "the game has"),
    ("goofspiel", "sealed", r"hand: \[(\d+), ", r"hand: [\1, \1, ", "state:", "the game has"),
    ("goofspiel", "sealed", r"hand: \[\d+, ", "hand: [77, ", "hand: [77", "77"),
    ("goofspiel", "sealed", r"hand: .*", "hand: 3", "hand: 3", "not a list"),
    ("goofspiel", "sealed", r"\n    p3:", "\n    p4:", "p4:", "there is no player `p4`"),
    ("goofspiel", "sealed", r"answered: \{p1: \[.*?\]", "answered: {p9: []", "answered: {p9", "no player `p9`"),
    ("goofspiel", "sealed", r"(answered: .*)\[\d+\]", r"\1[21]", "answered:", "21"),
    ("goofspiel", "sealed", r"(answered: .*)\[(\d+)\]", r"\1[\2, \2]", "answered:", "nothing more to answer"),
    ("goofspiel", "sealed", r"\npending: .*", "\npending: []", "pending: []", "what is pending here is"),
    ("goofspiel", "sealed", r"choice: bid", "choice: bits", "pending:", "what is pending here is"),
    ("goofspiel", "sealed", r"procedure: play", "procedure: plya", "at:", "plya"),
    ("goofspiel", "sealed", r"step: \"1.2\"", 'step: "1.9"', "at:", "step 1.9"),
    ("goofspiel", "sealed", r"locals: \{", "locals: {rund: 1, ", "at:", "`rund`"),
    ("goofspiel", "sealed", r"locals: \{round: \d+", "locals: {round: 99", "at:", "99"),
    ("goofspiel", "sealed", r"players: \[p1, p2, p3\]", "players: [p1, p2, p2]", "players:", "twice"),
    ("kuhn_poker", "open", r"bettor: null", "bettor: p7", "table:", "'p7'"),
    ("kuhn_poker", "open", r"has_bet: false", "has_bet: 0", "p1:", "not true or false"),
    ("kuhn_poker", "open", r"deck: \[\d\]", "deck: []", "state:", "the game has"),
    ("kuhn_poker", "open", r"staked: \d+, ", "", "table:", "the field `staked` is missing"),
    ("kuhn_poker", "open", r"knowledge:", "answered: {p1: [1]}\nknowledge:", "answered:", "secretly"),
    ("kuhn_poker", "open", r"zones: \{deck: 1", "zones: {dekc: 1", "p1:", "`dekc`"),
    ("kuhn_poker", "chance", r"chance: deal", "chance: dale", "pending:", "chance deal"),
    (
        "blotto",
        "sealed",
        r"answered: \{p1: \[.*?\]",
        "answered: {p1: [9, 9]",
        "answered:",
        "no legal answer for `troops[2]`",
    ),
    ("blotto", "sealed", r"troops: \{1: 0, ", "troops: {7: 0, ", "p1:", "`troops` has no entry `7`"),
    ("blotto", "sealed", r"troops: \{1: 0, ", "troops: {", "p1:", "the entry `1` is missing"),
    ("blotto", "sealed", r"breakdown: \{field_won: 0\}", "breakdown: {}", "p1:", "`field_won` is missing"),
]


@pytest.mark.parametrize(("name", "moment", "old", "new", "line", "message"), MISTAKES)
def test_a_mistake_is_one_finding_at_its_line(
    name: str, moment: str, old: str, new: str, line: str, message: str, tmp_path: Path
) -> None:
    text = example(name, moment)
    edited = re.sub(old, new, text, count=1)
    assert edited != text
    found, findings = read(tmp_path, edited)
    assert found is None
    (finding,) = findings.items
    shown = render(finding)
    assert message in finding.message or message in finding.hint, shown
    assert finding.span.source.line(finding.span.line).strip().startswith(line), shown


# ---------------------------------------------------------------- anything at all

VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, -1, 2, 3, 99, 2**40, "", "p1", "p9", "bid", "play", "1.1", [], {}, [1], [1, 1], ["p1"],
     {"a": 1}]
)  # fmt: skip


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of plain data."""
    if path:
        yield path
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from places(value, (*path, key))


def edited(data: Any, path: tuple[Any, ...], action: str, value: Any) -> None:
    """Change plain data at one place."""
    for key in path[:-1]:
        data = data[key]
    key = path[-1]
    if action == "delete":
        del data[key]
    elif action == "rename" and isinstance(data, dict):
        data[str(value)] = data.pop(key)
    elif action == "repeat" and isinstance(data[key], list):
        data[key] = data[key] * 2
    elif action == "shift" and isinstance(data[key], int):
        data[key] += 1
    else:
        data[key] = value


def survives(folder: Path, text: str) -> None:
    """A file is refused with a finding, or else its position can be used like any other."""
    try:
        found, findings = read(folder, text)
    except (Rejected, WrongPlayerCount, UnreadableFile):
        return
    if found is None:
        assert findings.has_errors
        return
    game, position = found.game, found.position
    try:
        for player in range(game.player_count):
            game.view(position, player)
            legal_answers(game, position, player)
            sample = game.sample_unknown(position, player, Random(1))
            assert game.view(sample, player) == game.view(position, player)
        again = read_back(folder, dump_position(game, position))
        assert again.position == position
        rest_of_game(game, position, 1)
        game.result(position)
    except RuleError:
        pass  # a state that the rules never bring about may lead them to something impossible


MOMENTS = [("goofspiel", "sealed"), ("goofspiel", "chance"), ("kuhn_poker", "open"), ("kuhn_poker", "chance"),
           ("blotto", "sealed"), ("chocolatl", "sealed"), ("chocolatl", "open"), ("chocolatl", "chance"),
           ("cacao", "open"), ("cacao", "chance"), ("quetzal", "open"), ("quetzal", "chance")]  # fmt: skip
ACTIONS = st.sampled_from(["delete", "rename", "repeat", "shift", "set", "set"])


@given(st.data(), st.sampled_from(MOMENTS))
def test_an_edited_position_is_refused_or_can_be_played(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, moment: tuple[str, str]
) -> None:
    content = yaml.safe_load(example(*moment))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(content))))
        edited(content, path, data.draw(ACTIONS), copy.deepcopy(data.draw(VALUES)))
        if not content:
            return
    survives(tmp_path_factory.getbasetemp(), yaml.safe_dump(content, sort_keys=False))


@given(st.sampled_from(MOMENTS), st.floats(0, 1), st.integers(0, 6), st.text("01p: {}[],-\n#ab\"'", max_size=6))
def test_a_scrawled_position_is_refused_or_can_be_played(
    tmp_path_factory: pytest.TempPathFactory, moment: tuple[str, str], where: float, length: int, text: str
) -> None:
    before = example(*moment)
    start = int(where * len(before))
    survives(tmp_path_factory.getbasetemp(), before[:start] + text + before[start + length :])


def test_all_mistakes_in_a_state_are_found_at_once(tmp_path: Path) -> None:
    text = example("goofspiel", "sealed")
    text = re.sub(r"score: \d+", "scroe: 0", text, count=1)
    text = re.sub(r"score: \d+", "score: ten", text, count=1)
    text = text.replace("\n    p3:", "\n    p4:")
    findings = read(tmp_path, text)[1].items
    assert {d.code for d in findings} == {"E601"}
    assert [word for d in findings for word in ("p4", "scroe", "ten") if word in d.message] == ["p4", "scroe", "ten"]
