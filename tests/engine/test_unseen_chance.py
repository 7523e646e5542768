"""A chance event is seen like the sets it touches: by nobody else, in no view, no sentence, no sample and no answer.

Every chance statement is tried with every visibility of the sets it touches. Who may see it is a small table, the rule
of docs/language.md. Who may not is told the same, whatever came: the same view, the same conclusions, the same words,
the same answer of `greedy`, of a hint and of `solve`; and reckons with what could have come, by the odds.
"""

from __future__ import annotations

import io
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import pytest

from chocolatl import cli
from chocolatl.interpreter.formats.position import dump_position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.lowered.zones import copies
from chocolatl.interpreter.play.game import Answer, Chance, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.terminal.reports.hint import hint_lines
from chocolatl.interpreter.terminal.story import visibility
from chocolatl.interpreter.terminal.story.narrator import Narrator
from chocolatl.solver.advice import EXACT, MODEL, SolverQuestion, advise, question_of
from chocolatl.solver.player import SolverPlayer
from tests.checking.test_diagnostics import CORPUS, GAME, text_of, write
from tests.conftest import Evidence
from tests.engine.test_views import complaints
from tests.games import all_draws, answered, walk, write_game

# ---------------------------------------------------------------- every statement, every visibility

STATE = """
item hits "Hits"

table has
    deck   : set of card{deck} = every card
    pile   : set of card{zone_of_table}
    jar    : set of 1..3{zone_of_table}
    number : 1..3 = 1
    turn   : 0..1 = 0

each player has
    score  : 0..9
    hand   : set of card{zone}
    cup    : set of 1..3{zone}
    guess  : 1..3 = 1

play
    for each p in player where turn is 0
        turn becomes 1
        {statement}
    for each p in player
        p chooses p.guess from 1..3
    for each p in player
        if (some q in player has q is not p and (some d in q.cup has d is p.guess)) or (some d in jar has d is p.guess)
            p gains 1 score for hits
"""

SEEN_BY = {"": {0, 1}, " secret": {0}, " hidden": set[int]()}
"""Who sees a set of the first player: all, its owner, nobody."""


@dataclass(frozen=True)
class Case:
    """A chance statement, and the visibilities of what it touches: a deck that is drawn from, and a set."""

    statement: str
    zone: str = ""
    deck: str = " hidden"

    def __str__(self) -> str:
        return f"{self.statement}, {self.zone.strip() or 'open'} from {self.deck.strip() or 'open'}"

    @property
    def seen_by(self) -> set[int]:
        if "draw" in self.statement:
            return SEEN_BY[self.zone] | SEEN_BY[self.deck]
        return SEEN_BY[self.zone] if "p.cup" in self.statement or "jar" in self.statement else {0, 1}

    def load(self, folder: Path) -> Game:
        table = self.zone if self.zone != " secret" else ""
        rules = STATE.format(deck=self.deck, zone=self.zone, zone_of_table=table, statement=self.statement)
        return load(write_game(folder, rules), 2)


def cases() -> Iterator[Case]:
    faces = ("from 1..3", "from 1..3 odds {name} * {name}", "from 1..3 where {name} > 1")
    for zone, face, owner in product(SEEN_BY, faces, ("", " for p")):
        for number in (1, 2):
            yield Case(f"roll {number} p.cup {face.format(name='cup')}{owner}", zone)
        if zone != " secret":
            yield Case(f"roll 2 jar {face.format(name='jar')}{owner}", zone)
        if zone == "":
            yield Case(f"roll die {face.format(name='die')}{owner}", " hidden")
            yield Case(f"roll 2 dice {face.format(name='dice')}{owner}", " hidden")
            yield Case(f"roll number {face.format(name='number')}{owner}", " hidden")
    for zone, deck, owner in product(SEEN_BY, ("", " hidden"), ("", " for p")):
        yield Case(f"draw c from deck into p.hand{owner}", zone, deck)
        if zone != " secret":
            yield Case(f"draw c from deck into pile{owner}", zone, deck)


def told(game: Game, before: Position, chance: Chance, outcome: Answer, viewer: int) -> list[str]:
    narrator = Narrator(game, viewer)
    return narrator.lines(narrator.chance(before, chance, outcome))


def concluded(game: Game, position: Position, player: int) -> object:
    belief = game.program.knowledge.belief(position.slots, player)
    return [(group.cards, group.dice, group.zones) for group in belief.groups], belief.bottoms


def asked(game: Game, position: Position, player: int) -> Position:
    """The position at which a player chooses, everybody before having answered with 1."""
    while game.decision(position, player) is None:
        position = answered(game, position, 1)
    return position


@pytest.mark.parametrize("case", list(cases()), ids=str)
def test_who_sees_what_chance_brings(case: Case, tmp_path: Path) -> None:
    game = case.load(tmp_path)
    position = game.initial()
    chance = game.chance(position)
    assert chance is not None
    outcomes = [outcome for outcome, _ in chance.outcomes.odds()]
    assert len(outcomes) > 1
    for viewer in (visibility.ALL, 0, 1):
        sees = case.seen_by == {0, 1} if viewer == visibility.ALL else viewer in case.seen_by
        assert chance.seen_by(viewer) == sees
        lines = [told(game, position, chance, outcome, viewer) for outcome in outcomes]
        assert len(set(map(str, lines))) == (len(outcomes) if sees else 1)
    for player in range(2):
        ends = [asked(game, game.resolve(position, outcome), player) for outcome in outcomes]
        if player in case.seen_by:
            continue
        assert len({str(game.view(end, player)) for end in ends}) == 1
        assert all(concluded(game, end, player) == concluded(game, ends[0], player) for end in ends)
        assert len({str(greedy(game, end, player, 7)) for end in ends}) == 1
        for end in (ends[0], ends[-1]):
            assert possible(game, end, player) == by_odds(game, chance, ends)


def greedy(game: Game, position: Position, player: int, seed: int) -> Answer:
    decision = game.decision(position, player)
    assert decision is not None
    return GreedyPlayer().choose(game, position, decision, Random(seed))


def unseen_part(game: Game, position: Position) -> str:
    layout = game.program.layout
    return str([copies(position.slots[place.base + cell]) for place, cell in layout.zones])


def possible(game: Game, position: Position, player: int) -> dict[str, Fraction]:
    """What a player reckons with, and how likely it is: by the sampler for all its random numbers, and by the list of
    all worlds, which have to agree."""
    drawn: dict[str, Fraction] = {}
    for sample, bounds in all_draws(lambda source: game.sample_unknown(position, player, source)):
        key = unseen_part(game, sample)
        drawn[key] = drawn.get(key, Fraction(0)) + Fraction(1, prod(bounds))
    if not any(position.slots[slot] for f in game.program.layout.frames.values() for slot in f.lies.values()):
        listed: Counter[str] = Counter()
        for world, weight in game.worlds(position, player, 10**6):
            listed[unseen_part(game, world)] += weight
        assert drawn == {key: Fraction(weight, listed.total()) for key, weight in listed.items()}
    return drawn


def by_odds(game: Game, chance: Chance, ends: list[Position]) -> dict[str, Fraction]:
    """What was unseen after each outcome, by the odds of the outcomes."""
    total = chance.outcomes.total**chance.outcomes.times
    found: dict[str, Fraction] = {}
    for (_, odds), end in zip(chance.outcomes.odds(), ends, strict=True):
        key = unseen_part(game, end)
        found[key] = found.get(key, Fraction(0)) + Fraction(odds, total)
    return found


# ---------------------------------------------------------------- whole games, and commands

GUESS = """
item hits "Hits"

each player has
    score : 0..9
    die   : set of 1..6 secret
    bet   : 1..6 = 1

play
    for each p in player
        roll 1 p.die from 1..6 for p
    for each p in player
        p chooses p.bet from 1..6
    for each p in player
        if some q in player has q is not p and (some d in q.die has d is p.bet)
            p gains 1 score for hits
"""


def after(game: Game, *values: object) -> Position:
    position = game.initial()
    for value in values:
        position = answered(game, position, value)
    return position


@pytest.mark.parametrize("name", ["unseen_rolls", "chance", "no_leaks"])
def test_positions_that_differ_by_what_was_rolled_look_the_same(name: str, tmp_path: Path, evidence: Evidence) -> None:
    write(tmp_path / GAME, text_of(CORPUS / "good" / f"{name}.rules"))
    game = load(tmp_path / GAME, 3)
    for seed in evidence.cases("unseen rolls look the same", full=20, slice=1):
        for position in walk(game, seed):
            for player in range(3):
                assert complaints(game, position, player, random.Random(seed)) == []


def test_play_tells_a_secret_roll_to_its_owner_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_game(tmp_path, GUESS).parent)
    for players, mine, other in (("you,greedy", "p1", "p2"), ("greedy,you", "p2", "p1")):
        monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
        assert cli.main(["play", "./small", "--players", players, "--seed", "3"]) == 0
        screen = capsys.readouterr().out
        assert f"  die for {other}: (unseen)\n" in screen
        assert f"  die for {mine}: (unseen)\n" not in screen and f"  die for {mine}: " in screen


def test_nobody_who_reckons_knows_a_secret_roll(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six positions that differ by the other's die: one screen, one answer of each player, one of each engine."""
    monkeypatch.chdir(tmp_path)
    game = load(write_game(tmp_path, GUESS), 2)
    answers: dict[str, set[str]] = {}
    for other in range(1, 7):
        position = after(game, [4], [other])
        (decision,) = game.pending(position)
        path = tmp_path / "position.yaml"
        path.write_text(dump_position(game, position), encoding="utf-8")
        found = {f"greedy {seed}": str(greedy(game, position, 0, seed)) for seed in range(4)}
        asked = question_of(game, work=0.05, samples=20)
        found["player"] = str(SolverPlayer(0.05).choose(game, position, decision, Random(0)))
        found["hint"] = str(hint_lines(game, position, 0, asked, advise(game, position, 0, asked)))
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        assert cli.main(["play", "--from", str(path), "--players", "you,greedy", "--seed", "3"]) == 0
        found["screen"] = capsys.readouterr().out.partition("Saved: ")[0]
        for engine in ("auto", "model", "exact", "sampling"):
            arguments = ["--player", "p1", "--engine", engine, "--scenarios", "12", "--samples", "20", "--json"]
            assert cli.main(["solve", str(path), *arguments]) == 0
            advice = json.loads(capsys.readouterr().out)
            if engine == "exact":
                assert advice["value"] == pytest.approx(1 / 6)
            found[engine] = str({key: advice[key] for key in advice if key != "seconds"})
        for name, answer in found.items():
            answers.setdefault(name, set()).add(answer)
    assert {name: len(different) for name, different in answers.items()} == dict.fromkeys(answers, 1)


TWICE = """
item hits "Hits"

table has
    bag : set of 1..4{visibility}

each player has
    score : 0..20
    first : 0..1
    guess : 0..4

play
    every player p secretly
        p chooses p.first from 0..1
    roll 1 bag from 1..4
    every player p secretly
        p chooses p.guess from 1..4
    for each p in player
        if some d in bag has d is p.guess
            p gains 10 score for hits
"""


@pytest.mark.parametrize(("visibility", "value"), [("", 10), (" hidden", 2.5)])
def test_who_decides_again_knows_a_roll_that_is_seen_and_no_other(
    visibility: str, value: float, tmp_path: Path
) -> None:
    game = load(write_game(tmp_path, TWICE.format(visibility=visibility)), 2)
    position = game.initial()
    assert advise(game, position, 0, SolverQuestion(engine=EXACT)).value == value
    planned = advise(game, position, 0, SolverQuestion(engine=MODEL, scenarios=6))
    assert (planned.value == 10) == (value == 10)
