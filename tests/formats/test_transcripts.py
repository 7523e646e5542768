"""Transcripts: what is written is read, what is legal is accepted, and the first line that is not is named."""

from __future__ import annotations

import json
import random as python_random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chocolatl import cli
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats import transcript
from chocolatl.interpreter.formats.events import RefusedEvent, apply_event
from chocolatl.interpreter.formats.files import UnwritableFile, write_text, writing
from chocolatl.interpreter.formats.position import load_position
from chocolatl.interpreter.formats.replaying import Replay, TranscriptProblem
from chocolatl.interpreter.formats.transcript import event_line, header_line, read_lines, result_line
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import PlayedEvent, play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.interpreter.source import UnreadableFile
from tests.conftest import Evidence
from tests.games import paths, tables
from tests.play.test_players import SHIPPED, write_sample

Content = dict[str, Any]
ALL = (*SHIPPED, "sample")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Game]:
    found = {name: load(find_game(name), 3) for name in SHIPPED}
    found["sample"] = load(write_sample(tmp_path_factory.mktemp("root")), 3)
    return found


def written(game: Game, seed: int, index: int = 0) -> list[Content]:
    """The lines of one random game."""
    lines = [header_line(game, seed, index)]

    def record(event: PlayedEvent, position: Position) -> None:
        lines.append(event_line(event))

    played = play_game(game, [RandomPlayer()] * game.player_count, seed, index, record)
    lines.append(result_line(game, game.result(played.position)))
    return [json.loads(line) for line in lines]


def save(path: Path, lines: list[Content]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def replayed(game: Game, path: Path, **options: Any) -> list[TranscriptProblem]:
    """What is wrong with a file, by the rules of one game."""
    replay = Replay(lambda header: game.with_players(tuple(header["players"])), **options)
    replay.run(read_lines(path))
    return replay.problems


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize("name", ALL)
def test_every_line_follows_the_contract(games: dict[str, Game], name: str, seed: int) -> None:
    lines = written(games[name], seed)
    assert [found for line in lines for found in problems(line, "transcript")] == []
    assert list(lines[0]) == ["game", "variant", "players", "seed", "rules", "format"]
    assert list(lines[-1]) == ["result", "winners", "breakdown"]
    for line in lines[1:-1]:
        assert list(line) in (["chance", "value"], ["chance", "value", "for"], ["player", "choice", "value"])


def test_a_transcript_to_the_letter() -> None:
    game = load(find_game("kuhn_poker/dear"), ("red", "blue"))
    lines = written(game, 7)
    assert json.dumps(lines[0]).startswith(
        '{"game": "kuhn_poker", "variant": "dear", "players": ["red", "blue"], "seed": 7, "rules": "'
    )
    assert [json.dumps(line) for line in lines[1:-1]] == [
        '{"chance": "deal", "value": 3, "for": "red"}',
        '{"chance": "deal", "value": 2, "for": "blue"}',
        '{"player": "red", "choice": "action", "value": "bet"}',
        '{"player": "blue", "choice": "action", "value": "pass"}',
    ]
    assert json.dumps(lines[-1]).startswith(
        '{"result": {"red": 1, "blue": -1}, "winners": ["red"], "breakdown": {"red": '
    )
    assert lines[-1]["breakdown"] == {
        "red": {"ante": -1, "pot": 4, "bet": -2},
        "blue": {"ante": -1, "pot": 0, "bet": 0},
    }


@pytest.mark.parametrize("name", ALL)
def test_the_seed_of_a_game_is_its_own(games: dict[str, Game], name: str, seed: int) -> None:
    game = games[name]
    fifth = written(game, seed, 5)
    assert fifth == written(game, fifth[0]["seed"], 0)


# ---------------------------------------------------------------- legal games


@pytest.mark.parametrize("name", ALL)
def test_random_games_replay(games: dict[str, Game], name: str, tmp_path: Path, evidence: Evidence) -> None:
    game = games[name]
    for seed in evidence.cases(f"random games replay: {name}", full=300, slice=15):
        path = save(tmp_path / "game.jsonl", [*written(game, seed), *written(game, seed, 1)])
        assert replayed(game, path, check_seed=True) == []


@pytest.mark.parametrize(("name", "variant"), paths(), ids=lambda value: value or "base")
def test_so_do_those_of_every_shipped_game(name: str, variant: str | None, tmp_path: Path, evidence: Evidence) -> None:
    counts = [table for table in tables() if (table.game, table.variant) == (name, variant)]
    for seed in evidence.cases("random games of shipped games replay", full=100, slice=2):
        game = counts[seed % len(counts)].load()
        assert replayed(game, save(tmp_path / "game.jsonl", written(game, seed)), check_seed=True) == []


def interleaved(game: Game, lines: list[Content], random: python_random.Random) -> list[Content]:
    """The lines in another order: inside of secret blocks any player may answer next."""
    rest, result, position = list(lines[1:-1]), [lines[0]], game.initial()
    while rest:
        names = [game.players[decision.player] for decision in game.pending(position)]
        number = 0
        if names:
            player = random.choice(names)
            number = next(i for i, line in enumerate(rest) if line.get("player") == player)
        line = rest.pop(number)
        result.append(line)
        position = apply_event(game, position, line)
    return [*result, lines[-1]]


@pytest.mark.parametrize("name", ALL)
def test_any_order_between_players_in_a_secret_block_is_accepted(
    games: dict[str, Game], name: str, tmp_path: Path, evidence: Evidence
) -> None:
    game, changed = games[name], 0
    for seed in evidence.cases(f"any order between players: {name}", full=300, slice=15):
        lines = written(game, seed)
        other = interleaved(game, lines, python_random.Random(seed))
        changed += other != lines
        assert sorted(map(json.dumps, other)) == sorted(map(json.dumps, lines))
        assert replayed(game, save(tmp_path / "game.jsonl", other), check_seed=True) == []
    assert changed or name == "kuhn_poker"


def test_the_order_of_one_player_in_a_secret_block_is_fixed(games: dict[str, Game], tmp_path: Path) -> None:
    lines = written(games["blotto"], 3)
    lines[2], lines[3] = lines[3], lines[2]
    (problem,) = replayed(games["blotto"], save(tmp_path / "game.jsonl", lines))
    assert problem.line == 3
    assert problem.message.startswith("p1 does not choose `troops[3]` now; pending is p1 `troops[2]`, p2 `troops[1]`,")


def test_winners_in_any_order_and_other_line_ends_are_read(tmp_path: Path) -> None:
    game = load(find_game("blotto"), 4, {"fields": 1})
    lines = next(lines for seed in range(100) if len((lines := written(game, seed))[-1]["winners"]) > 1)
    lines[-1]["winners"].reverse()
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(json.dumps(line, indent=None) for line in lines).encode())
    assert replayed(game, path) == []


@pytest.mark.parametrize("kind", ["header", "chance", "choice", "result"])
def test_a_key_that_is_not_known_is_refused_in_every_line(kind: str, games: dict[str, Game], tmp_path: Path) -> None:
    """What is written and not understood was not checked: a misspelt key does not pass, and a line is of one kind."""
    lines = written(games["kuhn_poker"], 3)
    place = next(number for number, line in enumerate(lines) if ("game" if kind == "header" else kind) in line)
    more: dict[str, tuple[Content, str]] = {
        "header": ({"sede": 3}, "`sede` is no key of a header line; did you mean `seed`?"),
        "chance": ({"player": "p1"}, "`player` is no key of a chance line; known are `chance`, `value`, `for`"),
        "choice": ({"vlaue": "bet"}, "`vlaue` is no key of a choice line; did you mean `value`?"),
        "result": ({"winner": "p1"}, "`winner` is no key of a result line; did you mean `winners`?"),
    }
    lines[place] |= more[kind][0]
    assert problems(lines[place], "transcript")
    (problem, *_) = replayed(games["kuhn_poker"], save(tmp_path / "game.jsonl", lines))
    assert (problem.line, problem.message) == (place + 1, more[kind][1])
    assert cli.main(["replay", str(tmp_path / "game.jsonl")]) == 1


# ---------------------------------------------------------------- illegal events


def illegal_forms(game: Game, position: Position, line: Content) -> Iterator[Content]:
    """An event changed in one respect so that it cannot happen here; whether it can is asked of the contract."""
    others: list[object] = [
        -1,
        0,
        1,
        2,
        3,
        5,
        9,
        13,
        10**9,
        True,
        False,
        None,
        1.0,
        "",
        "bet",
        "pass",
        "harbour",
        [],
        {},
    ]
    others += [[1], [9], [1, 2], [6, 6], [1, 1, 1], {"a": "harbour", "b": 2}, {"a": "market"}, {"a": "market", "b": 1}]
    chance = game.chance(position)
    if chance is not None:
        question: Any = chance
        legal: Callable[[object], bool] = chance.outcomes.contains
    else:
        question = next(d for d in game.pending(position) if game.players[d.player] == line["player"])
        legal = question.answers.contains
    for value in others:
        try:
            possible = legal(question.decode(value))
        except Exception:
            possible = False
        if not possible:
            yield {**line, "value": value}
    if "chance" in line:
        yield {**line, "chance": "luck"}
        yield {"player": "p1", "choice": line["chance"], "value": line["value"]}
        yield {**line, "for": "p9"}
        if "for" in line:
            yield {key: value for key, value in line.items() if key != "for"}
            yield {**line, "for": "p2" if line["for"] == "p1" else "p1"}
        else:
            yield {**line, "for": "p1"}
    else:
        yield {**line, "choice": line["choice"] + "s"}
        yield {**line, "choice": "luck"}
        yield {**line, "player": "p9"}
        yield {"chance": line["choice"], "value": line["value"]}
        names = {game.players[decision.player] for decision in game.pending(position)}
        yield from ({**line, "player": player} for player in game.players if player not in names)


@pytest.mark.parametrize("name", ALL)
def test_any_event_changed_to_an_illegal_one_is_refused_with_its_line(
    games: dict[str, Game], name: str, tmp_path: Path, evidence: Evidence
) -> None:
    game, path = games[name], tmp_path / "game.jsonl"
    forms = 0
    for seed in evidence.cases(f"illegal events are refused: {name}", full=20, slice=1):
        lines, position = written(game, seed), game.initial()
        for number in range(1, len(lines) - 1):
            for form in illegal_forms(game, position, lines[number]):
                found = replayed(game, save(path, [*lines[:number], form, *lines[number + 1 :]]))
                assert [problem.line for problem in found] == [number + 1], form
                assert len(found[0].message) > 20
                forms += 1
            position = apply_event(game, position, lines[number])
    assert forms > 100


@pytest.mark.parametrize("name", ALL)
def test_an_event_left_out_or_repeated_is_noticed(games: dict[str, Game], name: str, tmp_path: Path, seed: int) -> None:
    game, path, lines = games[name], tmp_path / "game.jsonl", written(games[name], seed)
    for number in range(1, len(lines) - 1):
        (left_out,) = replayed(game, save(path, [*lines[:number], *lines[number + 1 :]]))
        assert left_out.line >= number + 1
        (repeated,) = replayed(game, save(path, [*lines[: number + 1], *lines[number:]]))
        assert repeated.line >= number + 2


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_result_is_refused(games: dict[str, Game], name: str, tmp_path: Path, seed: int) -> None:
    game, path, lines = games[name], tmp_path / "game.jsonl", written(games[name], seed)
    right = lines[-1]
    items = next(iter(right["breakdown"].values()))
    wrong: list[Content] = [
        {"result": {**right["result"], "p1": right["result"]["p1"] + 1}},
        {"result": {"p1": right["result"]["p1"]}},
        {"result": {**right["result"], "p9": 0}},
        {"result": {**right["result"], "p1": str(right["result"]["p1"])}},
        {"winners": []},
        {"winners": [*right["winners"], "p9"]},
        {"winners": right["winners"] * 2},
        {"winners": [{}]},
        {"breakdown": {}},
        *({"breakdown": {**right["breakdown"], "p1": {**items, item: 99}}} for item in items),
        {"breakdown": {**right["breakdown"], "p1": []}},
    ]
    for change in wrong:
        (problem,) = replayed(game, save(path, [*lines[:-1], {**right, **change}]))
        assert problem.line == len(lines)
        assert next(iter(change)) in problem.message


def test_true_is_not_1(tmp_path: Path) -> None:
    game = load(find_game("kuhn_poker"), 2)
    lines = written(game, 7)
    assert lines[-1]["result"] == {"p1": 1, "p2": -1}
    lines[-1]["result"]["p1"] = True
    (problem,) = replayed(game, save(tmp_path / "game.jsonl", lines))
    assert problem.message == "result.p1 is true in the file, but 1 by the rules"


@pytest.mark.parametrize("name", ["goofspiel", "kuhn_poker", "sample"])
def test_chance_that_the_seed_does_not_give_is_refused_only_when_asked(
    games: dict[str, Game], name: str, tmp_path: Path, seed: int
) -> None:
    game, path, lines = games[name], tmp_path / "game.jsonl", written(games[name], seed)
    position, tried = game.initial(), 0
    for number in range(1, len(lines) - 1):
        chance = game.chance(position)
        if chance is not None:
            for outcome, _ in chance.outcomes.odds():
                value = chance.encode(outcome)
                if value != lines[number]["value"]:
                    save(path, [*lines[:number], {**lines[number], "value": value}, *lines[number + 1 :]])
                    assert replayed(game, path, check_seed=True)[0].line == number + 1
                    assert all(problem.line > number + 1 for problem in replayed(game, path))
                    tried += 1
        position = apply_event(game, position, lines[number])
    assert tried


def test_a_message_says_what_was_found_and_what_is_legal() -> None:
    game = load(find_game("kuhn_poker"), 2)
    position = game.initial()
    early = "p1 does not choose `action` now; pending is chance `deal`"
    other = "p2 does not choose `action` now; pending is p1 `action`"
    misspelt = "p1 does not choose `acton` now; pending is p1 `action`; did you mean `action`?"
    unknown = '`action` cannot be "bett"; legal: "pass", "bet"; did you mean `bet`?'
    story: list[tuple[Content, str]] = [
        ({"chance": "dael", "value": 1}, "chance does not decide `dael` now; pending is chance `deal`"),
        ({"chance": "deal", "value": 7}, "chance `deal` cannot be 7; possible: 1, 2, 3"),
        ({"player": "p1", "choice": "action", "value": "bet"}, early),
        ({"chance": "deal", "value": 2}, ""),
        ({"chance": "deal", "value": 2}, "chance `deal` cannot be 2 now; possible: 1, 3"),
        ({"chance": "deal", "value": 3, "for": "p1"}, 'chance `deal` is not for "p1"; it belongs to p2'),
        ({"chance": "deal", "value": 3, "for": "p2"}, ""),
        ({"player": "p2", "choice": "action", "value": "bet"}, other),
        ({"player": "p1", "choice": "acton", "value": "bet"}, misspelt),
        ({"player": "p1", "choice": "action", "value": "bett"}, unknown),
    ]
    for event, message in story:
        if not message:
            position = apply_event(game, position, event)
            continue
        with pytest.raises(RefusedEvent) as refused:
            apply_event(game, position, event)
        assert str(refused.value) == message


# ---------------------------------------------------------------- damaged files


@pytest.mark.parametrize("name", ALL)
def test_a_file_cut_off_anywhere_is_refused(games: dict[str, Game], name: str, tmp_path: Path, seed: int) -> None:
    game, path = games[name], tmp_path / "game.jsonl"
    text = save(path, written(game, seed)).read_text()
    assert replayed(game, path) == []
    for length in range(0, len(text) - 1, 23):
        path.write_text(text[:length])
        (problem,) = replayed(game, path)
        assert problem.line == max(text[:length].rstrip("\n").count("\n") + 1, 1)
    for lines in range(1, text.count("\n")):
        path.write_text("".join(text.splitlines(keepends=True)[:lines]))
        (problem,) = replayed(game, path)
        assert problem.line == lines
        assert "the file ends in the middle of a game" in problem.message
        assert "pending is" in problem.message or "the result line is missing" in problem.message


DEEP = "[" * 100_000
HEADER = {"game": "g", "variant": None, "players": ["p1"], "seed": 1, "rules": "0", "format": 1}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "this is not JSON"),
        ("nonsense", "this is not JSON"),
        ("[1]", "a JSON object is needed, found [1]"),
        ('"text"', "a JSON object is needed"),
        ("{}", "no header, no event and no result"),
        ('{"round": 1}', "no header, no event and no result"),
        ('{"chance": "deal"}', "`value` is missing"),
        ('{"player": "p1", "value": 1}', "`choice` is missing"),
        ('{"choice": "bid", "value": 1}', "`player` is missing"),
        ('{"player": 1, "choice": "bid", "value": 1}', "`player` needs a text, found 1"),
        ('{"result": {}, "winners": []}', "`breakdown` is missing"),
        ('{"result": [], "winners": [], "breakdown": {}}', "`result` needs an object, found []"),
        ('{"chance": "deal", "value": 1, "value": 2}', "a key stands twice"),
        ('{"chance": "deal", "value": NaN}', "NaN is not a value"),
        ('{"chance": "deal", "value": -Infinity}', "-Infinity is not a value"),
        ('{"chance": "deal", "value": ' + "9" * 10_000 + "}", "a number in this line is too long"),
        ('{"chance": "deal", "value": ' + DEEP, "nested too deep"),
        ('{"chance": "deal", "value": ' + "[" * 50 + "]" * 50 + "}", "nested more than 20 levels deep"),
        ('{"chance": "deal", "value": "' + "x" * 1_000_000 + '"}', "the line has more than 1,000,000 bytes"),
        ('{"chance": "' + "x" * 10_000 + '", "value": 1}', "chance does not decide `xxx"),
        ('{"chance": "deal", "value": "' + "x" * 10_000 + '"}', "chance `deal` cannot be"),
        (json.dumps({**HEADER, "format": 2}), "`format` is 2; this version reads format 1"),
        (json.dumps({**HEADER, "format": True}), "`format` is true"),
        (json.dumps({**HEADER, "game": "../secret"}), '`game` is "../secret", which is not the name of a game'),
        (json.dumps({**HEADER, "variant": "../../x"}), "which is not the name of a variant"),
        (json.dumps({**HEADER, "variant": 5}), "which is not the name of a variant"),
        (json.dumps({**HEADER, "players": []}), "expected from 1 to 99 players; found 0"),
        (json.dumps({**HEADER, "players": ["p1"] * 100_000}), "found 100,000"),
        (json.dumps({**HEADER, "players": ["p1", "p1"]}), "two players are called `p1`"),
        (json.dumps({**HEADER, "players": ["a b"]}), '"a b" is not the name of a player'),
        (json.dumps({**HEADER, "seed": "1"}), '`seed` needs a whole number, found "1"'),
        (json.dumps({**HEADER, "seed": True}), "`seed` needs a whole number, found true"),
        (json.dumps({key: value for key, value in HEADER.items() if key != "rules"}), "`rules` is missing"),
    ],
)
def test_a_malformed_line_is_one_message_with_its_number(line: str, message: str, tmp_path: Path) -> None:
    game = load(find_game("kuhn_poker"), 2)
    lines = [json.dumps(content) for content in written(game, 7)]
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join([lines[0], line, *lines[2:]]) + "\n")
    (problem,) = replayed(game, path)
    assert problem.line == 2
    assert message in problem.message and len(problem.message) < 600


@given(st.binary(max_size=300))
def test_junk_is_refused_whatever_it_is(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    game = load_once()
    path = tmp_path_factory.getbasetemp() / "junk.jsonl"
    path.write_bytes(data)
    try:
        assert len(replayed(game, path)) >= 1
    except UnreadableFile as error:
        assert str(path) in str(error)


def load_once(found: list[Game] = []) -> Game:  # noqa: B006
    """One game for all examples of a property."""
    if not found:
        found.append(load(find_game("kuhn_poker"), 2))
    return found[0]


def test_after_a_mistake_the_next_game_is_checked(games: dict[str, Game], tmp_path: Path) -> None:
    game = games["kuhn_poker"]
    first, second, third = written(game, 1), written(game, 2), written(game, 3)
    first[2]["value"] = third[3]["value"] = 99
    found = replayed(game, save(tmp_path / "game.jsonl", first + second[:-1] + third))
    start = len(first) + len(second)
    assert [problem.line for problem in found] == [3, start, start + 3]
    assert found[1].message == "a new game begins before the last one has ended; the result line is missing"


def test_events_before_a_header_and_after_a_result(games: dict[str, Game], tmp_path: Path) -> None:
    game, lines = games["kuhn_poker"], written(games["kuhn_poker"], 1)
    path = tmp_path / "game.jsonl"
    assert replayed(game, save(path, lines[1:])) == [TranscriptProblem(1, "a game begins with a header line")]
    found = replayed(game, save(path, [*lines, lines[-1]]))
    assert found == [TranscriptProblem(len(lines) + 1, "a game begins with a header line")]
    (problem,) = replayed(game, save(path, [*lines[:-2], lines[-1]]))
    assert problem.line == len(lines) - 1 and "the result comes before the end; pending is" in problem.message


def test_a_file_larger_than_any_buffer_is_read_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "LONGEST_LINE", 300)
    path = tmp_path / "game.jsonl"
    path.write_bytes(b'{"chance": "a", "value": 1}\n' * 1000 + b"x" * 100_000 + b'\n{"chance": "b", "value": 1}')
    lines = list(read_lines(path))
    assert len(lines) == 1002
    assert lines[1000].problem == "the line has more than 300 bytes"
    assert lines[1001].content["chance"] == "b" and lines[1001].number == 1002


# ---------------------------------------------------------------- the command


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_replay_finds_the_game_that_the_header_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        *written(load(find_game("goofspiel"), 2), 1),
        *written(load(find_game("goofspiel/short"), ("red", "blue", "green")), 1),
        *written(load(find_game("kuhn_poker"), 4), 1),
    ]
    path = save(tmp_path / "games.jsonl", lines)
    said = f"3 games with {len(lines) - 6} events: all of it is legal\n"
    assert run(capsys, "replay", path, "--check-seed") == (0, said, "")
    code, out, _ = run(capsys, "replay", path, "--json")
    assert code == 0
    expected = {"file": str(path), "ok": True, "games": 3, "events": len(lines) - 6, "problems": []}
    assert json.loads(out) == expected


def test_an_illegal_event_is_exit_code_1_with_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = written(load(find_game("kuhn_poker"), 2), 1)
    lines[2]["value"] = lines[1]["value"]
    path = save(tmp_path / "games.jsonl", lines)
    code, out, err = run(capsys, "replay", path)
    assert (code, out) == (1, "") and err.startswith(f"{path}:3: error: chance `deal` cannot be ")
    code, out, _ = run(capsys, "replay", path, "--json")
    assert code == 1 and json.loads(out)["problems"][0]["line"] == 3


def test_other_rules_are_refused_unless_they_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = written(load(find_game("kuhn_poker"), 2), 1)
    lines[0]["rules"] = "0" * 64
    path = save(tmp_path / "games.jsonl", lines * 3)
    code, _, err = run(capsys, "replay", path)
    assert code == 1 and err.startswith(f"{path}:1: error: this game was played by other rules (000000000000...) than")
    assert err.count("\n") == 1  # once for the file
    assert run(capsys, "replay", path, "--any-rules")[0] == 0


def test_the_rules_to_check_against_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dear = load(find_game("kuhn_poker/dear"), 2)
    path = save(tmp_path / "games.jsonl", written(dear, 7))
    assert run(capsys, "replay", path, "--game", "kuhn_poker/dear")[0] == 0
    code, _, err = run(capsys, "replay", path, "--game", "kuhn_poker")
    assert code == 1 and "played by other rules" in err
    code, _, err = run(capsys, "replay", path, "--game", "kuhn_poker", "--any-rules")
    assert code == 1 and err.startswith(f"{path}:6: error: breakdown.p1.") and " by the rules\n" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "kuhn_pocker"}, "did you mean `kuhn_poker`?; --game names the rules"),
        ({"variant": "deer"}, "has no variant `deer`"),
        ({"players": ["p1"]}, "kuhn_poker is for 2 to 4 players, not 1"),
    ],
)
def test_a_header_that_names_no_game(
    change: Content, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = written(load(find_game("kuhn_poker"), 2), 1)
    path = save(tmp_path / "games.jsonl", [{**lines[0], **change}, *lines[1:]])
    code, _, err = run(capsys, "replay", path)
    assert code == 1 and err.startswith(f"{path}:1: ") and message in err


@pytest.mark.parametrize("name", ALL)
def test_stop_after_writes_the_position_after_so_many_events(
    games: dict[str, Game], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)  # a position that is printed tells where its game lies, seen from there
    game = games[name]
    first, second = written(game, seed, 0), written(game, seed, 1)
    path, output = save(tmp_path / "games.jsonl", first + second), tmp_path / "position.yaml"
    position = game.initial()
    for number in range(0, len(second) - 1):
        if number:
            position = apply_event(game, position, second[number])
        if number % 4 == 0:
            arguments = ["replay", path, "--game", game.files.folder, "--stop-after", number, "--number", 2]
            assert run(capsys, *arguments, "-o", output) == (0, "", f"{output} written\n")
            findings = Findings()
            loaded = load_position(output, findings, game.files.folder)
            assert loaded is not None and not findings.items
            assert loaded.position == position
            assert run(capsys, *arguments) == (0, output.read_text(), "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--stop-after", "999"], 1, "game number 1 has fewer than 999 events"),
        (["--stop-after", "1", "--number", "3"], 1, "there is no game number 3; the file has 1 game"),
        (["--stop-after", "-1"], 2, "expected --stop-after 0 or more"),
        (["--stop-after", "1", "--json"], 2, "does not go with --json"),
        (["-o", "x.yaml"], 2, "-o is for the position of --stop-after"),
        (["--number", "2"], 2, "--number is for the position of --stop-after"),
        (["--game", "kuhn_pocker"], 2, "did you mean `kuhn_poker`?"),
        (["--stop-after", "1", "-o", "no/such/folder/x.yaml"], 2, "cannot be written"),
    ],
)
def test_usage(
    arguments: list[str], code: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(tmp_path / "games.jsonl", written(load(find_game("kuhn_poker"), 2), 1))
    found, _, err = run(capsys, "replay", path, *arguments)
    assert found == code and message in err and err.count("\n") == 1


def test_files_that_cannot_be_read_are_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary, latin, empty = tmp_path / "binary", tmp_path / "latin", tmp_path / "empty"
    binary.write_bytes(bytes(range(256)) * 40_000)
    latin.write_bytes(b'{"game": "g\xe9"}\n')
    empty.write_bytes(b"")
    for path, code, message in [
        (binary, 2, "this is a binary file, a transcript is needed"),
        (latin, 2, f"{latin}:1: the file is not UTF-8 text"),
        (tmp_path, 2, "this is a folder, a file is needed"),
        (tmp_path / "missing", 2, "there is no such file"),
        (empty, 1, "there is no game in this file"),
    ]:
        found, out, err = run(capsys, "replay", path)
        assert (found, out) == (code, "") and message in err and err.count("\n") == 1


# ---------------------------------------------------------------- files that are written whole


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    with pytest.raises(RuntimeError), writing(path) as file:
        file.write("half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    write_text(path, "whole\n")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with pytest.raises(RuntimeError), writing(link) as file:
        raise RuntimeError
    assert path.read_text() == "whole\n"
    write_text(link, "new\n")
    assert link.is_symlink() and path.read_text() == "new\n" and path.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [path, link]
    write_text(Path("/dev/null"), "gone")
    with pytest.raises(UnwritableFile, match="this is a folder"):
        write_text(tmp_path, "x")
    with pytest.raises(UnwritableFile, match="there is no folder"):
        write_text(tmp_path / "no" / "file", "x")
