"""Paired games: numbers keyed by what they are for, the same ones in both back ends, and what a change leaves alone."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from chocolatl.interpreter.comparing.examples import paired_transcript
from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.formats.replaying import Replay
from chocolatl.interpreter.formats.transcript import header_line, read_lines
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.paired.kernel import PairedKernel
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import ChoiceEvent, PlayedEvent, play_game
from chocolatl.interpreter.play.pairing import (
    GAMMA,
    AskedNode,
    KeyedRandom,
    chosen_one,
    chosen_pieces,
    drawn_piece,
    game_key,
    keyed_sites,
    name_key,
    step,
)
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.conftest import Evidence
from tests.fuzzing.programs import generate
from tests.games import Table, tables, write_game

MASK = (1 << 64) - 1

# ---------------------------------------------------------------- the numbers


def mixed(z: int) -> int:
    """The output function of splitmix64, as its author writes it."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def test_keys_follow_the_published_steps() -> None:
    own = 7 + 3 * GAMMA
    assert game_key(7, 3) == mixed((own + GAMMA) & MASK)
    assert step(5, 9) == mixed((5 ^ 9) + GAMMA & MASK)
    assert name_key("chance deal") == int.from_bytes(sha256(b"chance deal").digest()[:8], "little")


def test_the_generator_of_an_event_is_that_of_the_contract_seeded_by_its_key() -> None:
    key = step(game_key(1), 2)
    words = mixed(key + GAMMA & MASK), mixed(key + 2 * GAMMA & MASK)
    state = [half for word in words for half in (word & 0xFFFFFFFF, word >> 32)]
    ours, contract = KeyedRandom(key), Random.from_state(state)
    assert [ours.below(1000) for _ in range(50)] == [contract.below(1000) for _ in range(50)]


def spread(found: list[int], expected: dict[int, float]) -> float:
    """The chi-squared statistic."""
    counts = Counter(found)
    assert counts.keys() <= expected.keys()
    return sum((counts[value] - len(found) * share) ** 2 / (len(found) * share) for value, share in expected.items())


def test_every_answer_and_every_copy_is_as_likely_as_any_other() -> None:
    keys = [step(game_key(11, game), 1) for game in range(20_000)]
    answers = [chosen_one(key, range(10), lambda answer: [answer]) for key in keys]
    assert spread(answers, {answer: 0.1 for answer in range(10)}) < 27.9  # of 9 degrees of freedom: one in a thousand
    drawn = [drawn_piece(key, {1: 1, 2: 4, 7: 5}, lambda kind: kind) for key in keys]
    assert spread(drawn, {1: 0.1, 2: 0.4, 7: 0.5}) < 13.8
    pairs = [chosen_pieces([key, step(key, 1)], {0: 2, 1: 1}, lambda kind: kind) for key in keys]
    assert spread([sum(pair) for pair in pairs], {0: 0.25, 1: 0.75}) < 10.8


def test_what_is_added_changes_a_draw_only_if_it_is_drawn() -> None:
    changed = 0
    for game in range(2000):
        key = step(game_key(5, game), 3)
        few = drawn_piece(key, {kind: 3 for kind in range(10)}, name_key_of)
        more = drawn_piece(key, {kind: 3 for kind in range(11)}, name_key_of)
        assert more in (few, 10)
        changed += more != few
    assert 110 < changed < 260  # one of eleven


def name_key_of(kind: int) -> int:
    return name_key(f"kind {kind}")


# ---------------------------------------------------------------- both back ends


def by_interpreter(game: Game, seed: int, index: int) -> object:
    events: list[PlayedEvent] = []
    players = [RandomPlayer()] * game.player_count
    try:
        played = play_game(game, players, seed, index, before=events.append, paired=True)
        result = game.result(played.position)
    except RuleError as error:
        return error.message, error.span
    return events, result.scores, result.winners, [list(p.values()) for p in result.breakdown], played.decisions


def by_kernel(kernel: PairedKernel, seed: int, index: int) -> object:
    played, row = kernel.rows(seed, index, 1), kernel.row
    if played.error is not None:
        return played.error.message, played.error.span
    words, players = played.rows[0].tolist(), row.players
    won = words[row.won : row.points]
    points = [words[row.points + seat * row.items : row.points + (seat + 1) * row.items] for seat in range(players)]
    winners = tuple(seat for seat in range(players) if won[seat])
    return kernel.events(seed, index), tuple(words[row.scores : row.won]), winners, points, words[row.decisions]


@pytest.mark.parametrize("table", tables(), ids=str)
def test_both_back_ends_play_the_same_paired_games(table: Table, evidence: Evidence) -> None:
    game = table.load()
    kernel = PairedKernel(game, QUICK)
    for seed in evidence.cases("paired games of shipped rules, interpreter and native code", full=40, slice=1):
        assert by_kernel(kernel, seed, 3) == by_interpreter(game, seed, 3)


def test_rules_made_at_random_go_the_same_way_in_paired_games(tmp_path: Path, evidence: Evidence) -> None:
    played = 0
    for seed in evidence.cases("paired games of random programs, interpreter and native code", full=2000, slice=25):
        program = generate(seed)
        try:
            game = load(program.write(tmp_path / str(seed)), program.players)
            kernel = PairedKernel(game, QUICK)
        except (Rejected, Refused):
            continue
        for index in range(2):
            assert by_kernel(kernel, seed, index) == by_interpreter(game, seed, index), seed
            played += 1
    assert played


@pytest.mark.parametrize("table", tables()[::9], ids=str)
def test_paired_games_reach_only_what_they_are_meant_to(table: Table) -> None:
    game = table.load()
    plain, checked = PairedKernel(game, QUICK), PairedKernel(game, QUICK, guarded=True)
    assert checked.rows(2, 0, 3).rows.tolist() == plain.rows(2, 0, 3).rows.tolist()


def test_so_do_those_of_rules_made_at_random(tmp_path: Path, evidence: Evidence) -> None:
    played = 0
    for seed in evidence.cases("paired games of random programs reach only what they are meant to", full=500, slice=6):
        program = generate(seed)
        try:
            game = load(program.write(tmp_path / str(seed)), program.players)
            checked = PairedKernel(game, QUICK, guarded=True)
        except (Rejected, Refused):
            continue
        played += len(checked.rows(seed, 0, 2).rows) + 1
    assert played


def test_only_the_game_decides_about_a_number_not_the_row_it_is_asked_in() -> None:
    kernel = PairedKernel(tables()[0].load(), QUICK)
    whole = kernel.rows(3, 0, 20).rows.tolist()
    assert kernel.rows(3, 12, 8).rows.tolist() == whole[12:]


# ---------------------------------------------------------------- what a change leaves alone

RULES = """
each player has
    score : 0..999
    hand  : set of card secret
    laid  : set of card

table has
    deck : set of card hidden = every card
    seen : set of card

item luck

play
    for each round in 1..2
        for each p in player
            for each n in 1..4
                draw dealt from deck into p.hand for p
        for each p in player
            p chooses 2 from p.hand into p.laid as kept
        EXTRA
        for each p in player
            p gains (sum of each.value for each in p.laid) score for luck
            roll bonus from 1..6 for p
            p gains bonus score for luck
"""


def choices(game: Game, seed: int) -> list[PlayedEvent]:
    events: list[PlayedEvent] = []
    play_game(game, [RandomPlayer()] * game.player_count, seed, before=events.append, paired=True)
    return events


def test_a_question_that_is_added_shifts_no_other_number(tmp_path: Path) -> None:
    asked = ("for each p in player", "p chooses wish from yes/no as more", "roll shock from 1..9")
    extra = "\n            ".join(asked)
    plain = load(write_game(tmp_path / "plain", RULES.replace("        EXTRA\n", ""), "{value: 1..30}"), 2)
    more = load(write_game(tmp_path / "more", RULES.replace("EXTRA", extra), "{value: 1..30}"), 2)
    for seed in range(20):
        known = [event for event in choices(more, seed) if event.name not in ("more", "shock")]
        assert known == choices(plain, seed)


def test_a_choice_may_be_called_otherwise(tmp_path: Path) -> None:
    rules = RULES.replace("        EXTRA\n", "")
    plain = load(write_game(tmp_path / "plain", rules, "{value: 1..30}"), 2)
    other = load(write_game(tmp_path / "other", rules.replace("as kept", "as held"), "{value: 1..30}"), 2)
    for seed in range(20):
        told = [
            ChoiceEvent(event.player, "kept", event.value)
            if isinstance(event, ChoiceEvent) and event.name == "held"
            else event
            for event in choices(other, seed)
        ]
        assert told == choices(plain, seed)


def test_most_of_a_deal_stays_when_a_card_is_added(tmp_path: Path) -> None:
    rules = RULES.replace("        EXTRA\n", "")
    games = [load(write_game(tmp_path / str(most), rules, f"{{value: 1..{most}}}"), 2) for most in (30, 31)]
    same = total = 0
    for seed in range(50):
        for one, other in zip(*(choices(game, seed) for game in games), strict=True):
            total += 1
            same += one == other
    assert same > 0.8 * total


def test_each_place_where_something_is_asked_has_a_key() -> None:
    for table in tables():
        game = table.load().ir
        asked = {id(s) for p in game.procedures.values() for s in statements(p.body) if isinstance(s, AskedNode)}
        assert asked <= keyed_sites(game).keys()


# ---------------------------------------------------------------- transcripts


def written(game: Game, path: Path, seed: int) -> list[str]:
    lines = paired_transcript(game, seed, 0)
    path.write_text("".join(lines))
    return lines


def replayed(game: Game, path: Path, check_seed: bool = True) -> list[str]:
    replay = Replay(lambda header: game, check_seed)
    replay.run(read_lines(path))
    return [problem.message for problem in replay.problems]


@pytest.mark.parametrize("table", tables()[::3], ids=str)
def test_a_transcript_says_that_it_is_paired_and_replays(table: Table, tmp_path: Path) -> None:
    game, path = table.load(), tmp_path / "game.jsonl"
    lines = written(game, path, 5)
    assert json.loads(lines[0])["pairing"] == 1
    assert replayed(game, path) == []
    # The contract's generator gives something else, if chance has a say.
    path.write_text("".join([header_line(game, 5), *lines[1:]]))
    if sum('"chance"' in line for line in lines) > 2:
        assert "the seed gives" in replayed(game, path)[0]
    assert replayed(game, path, check_seed=False) == []


@pytest.mark.parametrize("wrong", [0, 2, "1", True, None])
def test_another_pairing_is_refused(wrong: object, tmp_path: Path) -> None:
    game, path = tables()[0].load(), tmp_path / "game.jsonl"
    lines = written(game, path, 5)
    header = {**json.loads(lines[0]), "pairing": wrong}
    path.write_text(json.dumps(header) + "\n" + "".join(lines[1:]))
    assert "`pairing` is" in replayed(game, path)[0]
