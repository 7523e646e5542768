"""One program in all back ends (differential testing): whole games in every build, one game step by step, a decision in
the solver; and games of the interpreter itself without anything that is shortened for all of them.

The interpreter says what is right. Anything else than the same events, results, decisions, positions and failures is a
`Difference`; what is raised besides is a bug as well.
"""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.limits import Refused
from chocolatl.interpreter.native.builds.stepper import SteppedGame, Stepper
from chocolatl.interpreter.native.llvm.compile import FAST, QUICK
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import PlayedEvent, play_game, streams
from chocolatl.interpreter.play.playout import WHOLE_GAME, played_on
from chocolatl.interpreter.players.uniform import RandomPlayer
from tests.fuzzing.literally import literally
from tests.fuzzing.programs import Program
from tests.fuzzing.solved import best_answer
from tests.fuzzing.tallies import Tally, outcome, same, without_invariants

GAMES = 3
"""So many are played of each program in each build."""
LOOKED_AT = 3
"""At so many positions of a game it is asked what a player sees and may conclude."""


def compare(
    program: Program, seed: int, folder: Path, fast: bool = False, solved: bool = False, tally: Tally | None = None
) -> bool:
    """Whether the program passes `check`; if so, it goes the same way everywhere, or `Difference` is raised."""
    tally = tally if tally is not None else Tally()
    try:
        game = load(program.write(folder), program.players)
    except Rejected:
        tally.add("rejected")
        return False
    tally.add("programs")
    literally(game, seed, tally)
    try:
        whole_games(game, seed, QUICK, tally)
        step_by_step(game, seed, QUICK, tally)
        if fast:
            tally.add("optimised")
            whole_games(game, seed, FAST, tally)
            step_by_step(game, seed, FAST, tally)
    except Refused:  # for a reason on the closed list
        tally.add("refused")
    if solved:
        best_answer(game, seed, tally)
    return True


# ---------------------------------------------------------------- whole games


def whole_games(game: Game, seed: int, level: int, tally: Tally) -> None:
    """Closely checked, as it is and watched: to the same results, and to the same failures at the same lines."""
    inspected = bool(game.ir.invariants)
    builds = [
        Kernel(game, level, closely, inspected=inspected) for closely in ((True, False) if level == QUICK else (False,))
    ]
    for index in range(GAMES):
        expected = outcome(lambda index=index: by_interpreter(game, seed, index))  # type: ignore[misc]
        tally.add("games")
        tally.add("games that end", isinstance(expected, tuple) and len(expected) == 3)
        for kernel in builds:
            how = f"game {index} in the build {'closely' if kernel.closely else 'plain'} at level {level}"
            found = outcome(lambda kernel=kernel, index=index: by_kernel(kernel, seed, index))  # type: ignore[misc]
            same(how, found, expected)


def by_interpreter(game: Game, seed: int, index: int) -> object:
    events: list[PlayedEvent] = []
    # With a log, whose texts no other build has to tell: they must change nothing.
    played = play_game(game, [RandomPlayer()] * game.player_count, seed, index, log=[], before=events.append)
    return events, game.result(played.position), played.decisions


def by_kernel(kernel: Kernel, seed: int, index: int) -> object:
    played = kernel.play(seed, index)
    return kernel.events(seed, index), played.result, played.decisions


# ---------------------------------------------------------------- step by step


def step_by_step(given: Game, seed: int, level: int, tally: Tally) -> None:
    """A game that is left at every decision, and games that are played to their ends from the beginning."""
    game = without_invariants(given)
    stepper = Stepper(game, level)
    for index in range(GAMES):
        expected = outcome(lambda index=index: played_out(game, seed, index))  # type: ignore[misc]
        found = outcome(lambda index=index: by_stepper(stepper, seed, index))  # type: ignore[misc]
        same(f"position at the end of game {index}, stepwise at level {level}", found, expected)
    lockstep(game, stepper, seed, tally)


def played_out(game: Game, seed: int, index: int) -> object:
    return played_on(game, game.initial(), streams(seed, index, game.player_count), WHOLE_GAME)


def by_stepper(stepper: Stepper, seed: int, index: int) -> object:
    table = stepper.start(streams(seed, index, stepper.game.player_count))
    table.play_on()
    return table.position()


def lockstep(game: Game, stepper: Stepper, seed: int, tally: Tally) -> None:
    """One game in both back ends, compared at every decision and every chance, with answers at random."""
    choice = random.Random(seed)
    luck = streams(seed, 0, game.player_count)
    start = outcome(game.initial)
    table: SteppedGame | None = None

    def begin() -> object:
        nonlocal table
        table = stepper.start(luck)
        return table.position()

    same("the first position", outcome(begin), start)
    position, looked = start, 0
    while isinstance(position, Position) and table is not None:
        same("whether the game is over", table.is_over, game.is_over(position))
        if table.is_over:
            same("the result", outcome(table.result), outcome(partial(game.result, position)))
            return
        if looked < LOOKED_AT:
            looked += 1
            look(game, position, choice)
        tally.add("positions")
        if choice.randrange(4) == 0:
            table = stepper.load(position, luck)
        position = one_step(game, position, table, choice)


def one_step(game: Game, position: Position, table: SteppedGame, choice: random.Random) -> object:
    """Chance or a player speaks in both back ends; where that leads to, or how it fails."""
    chance = outcome(lambda: game.chance(position))
    if isinstance(chance, tuple):  # nothing that it can be
        same("chance", outcome(lambda: table.run().position()), chance)
        return chance
    same("whether chance speaks", table.is_chance, chance is not None)
    if chance is not None:
        found = chance.outcomes.sample(Random(choice.getrandbits(63)))  # type: ignore[attr-defined]
        expected = outcome(lambda: game.resolve(position, found))
        same(f"after the outcome {found}", outcome(lambda: table.resolve(found).position()), expected)
        return expected
    who = outcome(lambda: [(decision.player, decision.name) for decision in game.pending(position)])
    same("who is asked", outcome(lambda: [(question.player, question.name) for question in table.pending]), who)
    if isinstance(who, tuple):  # nobody, where a player is needed
        return who
    decision, question = choice.choice(list(zip(game.pending(position), table.pending, strict=True)))
    here = outcome(lambda: decision.answers)
    there = outcome(lambda: question.answers)
    if isinstance(here, tuple):
        same("the legal answers", there, here)
        return here
    count = here.count()  # type: ignore[attr-defined]
    same(f"how many answers there are for {decision.name}", there.count(), count)  # type: ignore[attr-defined]
    for number in {0, count - 1, choice.randrange(count)}:
        same(f"answer {number} of {decision.name}", there.nth(number), here.nth(number))  # type: ignore[attr-defined]
    answer = here.nth(choice.randrange(count))  # type: ignore[attr-defined]
    expected = outcome(lambda: game.answer(position, decision.player, answer))
    found = outcome(lambda: table.apply(decision.player, answer).position())
    same(f"after the answer {answer} to {decision.name}", found, expected)
    return expected


def look(game: Game, position: Position, choice: random.Random) -> None:
    """What a player sees and may conclude can be told."""
    player = choice.randrange(game.player_count)
    game.view(position, player)
    game.sample_unknown(position, player, Random(choice.getrandbits(63)))
    outcome(lambda: [decision.prompt for decision in game.pending(position)])
