"""Boards of two locations, on which the exact value of every answer is known, and what answers lose beside the best."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from fractions import Fraction
from math import sqrt
from pathlib import Path

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import ENUMERATION, SAMPLING, SolverQuestion, advise
from chocolatl.solver.methods import best, nested
from chocolatl.solver.methods.exact import ExactSearch, exact
from chocolatl.solver.worth.outcome import OutcomeMeasure
from tests.solver.solving import dealt, grown

Boards = dict[tuple[str, str], Path]

LOCATIONS = ("temple", "plantation", "village", "pyramid", "drink", "court")
PAIRS = (("plantation", "drink"), ("pyramid", "drink"), ("temple", "plantation"))
CARDS = [0, 1, 2, 3, 4]
MOST = 3_000_000


def boards_in(folder: Path) -> Boards:
    """Chocolatl on two locations, in a folder that is to be made."""
    shutil.copytree(rules_folder() / "chocolatl", folder)
    found: Boards = {}
    for pair in PAIRS:
        dropped = ", ".join(location for location in LOCATIONS if location not in pair)
        found[pair] = folder / "variants" / f"{'_'.join(pair)}.yaml"
        found[pair].write_text(
            f"kind: variant\nformat: 1\nextends: chocolatl\ntitle: Two locations\nwhy: Few enough histories.\n"
            f"set:\n  cards.values: {CARDS}\ndrop:\n  location: [{dropped}]\n",
            encoding="utf-8",
        )
    return found


class Losses:
    """By how much answers fall short of the best exact value, summed over positions."""

    def __init__(self) -> None:
        self.positions = 0
        self.average = Fraction(0)
        """What an answer loses that is drawn at random."""
        self.lost: dict[str, Fraction] = {}

    def add(self, all_: ExactSearch, **chosen: AnswerSequence) -> None:
        worth = dict(all_.options)
        top = all_.options[0][1]
        self.positions += 1
        self.average += top - sum(worth.values(), Fraction(0)) / len(worth)
        for name, answers in chosen.items():
            self.lost[name] = self.lost.get(name, Fraction(0)) + top - worth[answers]

    def are_small(self, name: str, share: float) -> bool:
        """At most a share of what any answer loses, and a quarter of a point for bad luck, which evens out."""
        return float(self.lost[name]) <= share * float(self.average) + 0.25 * sqrt(self.positions)

    def __str__(self) -> str:
        means = {"any": self.average, **self.lost}
        told = ", ".join(f"{name} {float(total / self.positions):.3f}" for name, total in means.items())
        return f"points lost in {self.positions} positions: {told}"


def board(boards: Boards, seed: int, settings: Mapping[str, object]) -> Game:
    return load(boards[PAIRS[seed % len(PAIRS)]], 3, {**settings})


def compared(game: Game, seed: int, number: int, losses: Losses) -> None:
    """One position: the exact value of every answer, and what those lose that nested samples come to."""
    position = dealt(game, seed, number)
    assert position is not None
    all_ = exact(game, position, 0, OutcomeMeasure(game, 0), MOST)
    tree = best.solved(nested.formulate(game, 0, grown(game, position, 0, "random", 12, seed)), Deadline(60))
    found = advise(
        game, position, 0, SolverQuestion(scenarios=12, samples=60, seed=seed, engine=ENUMERATION, seconds=600)
    )
    losses.add(all_, tree=tree.answers, answer=found.answers)
    # Later answers by a few samples are worth no more than the best ones, and not much less.
    worth, fresh = float(dict(all_.options)[found.answers]), found.fresh
    assert fresh is not None
    assert worth - 4 * fresh.error - 1 <= fresh.mean <= worth + 4 * fresh.error


def sampled(game: Game, seed: int, losses: Losses) -> None:
    """One position: the exact value of every answer, and what that loses which sampling comes to."""
    position = dealt(game, seed, 2)
    assert position is not None
    all_ = exact(game, position, 0, OutcomeMeasure(game, 0), MOST)
    found = advise(game, position, 0, SolverQuestion(engine=SAMPLING, samples=200, seed=seed, seconds=600))
    losses.add(all_, sampled=found.answers)
