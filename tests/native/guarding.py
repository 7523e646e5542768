"""What tests of checked builds share: games in all of them, and errors planted at the places that are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.builds.results import Buffer
from chocolatl.interpreter.native.builds.stepper import Resumed, Stepper
from chocolatl.interpreter.native.builds.trespass import Guard, Trespass
from chocolatl.interpreter.native.layout.memory import LOG
from chocolatl.interpreter.native.llvm.compile import QUICK
from chocolatl.interpreter.native.llvm.regions import Access, AccessKind, MemoryAccess
from chocolatl.interpreter.native.lookahead.decider import DECIDING, Decider
from chocolatl.interpreter.native.lookahead.requests import Halving, Lookahead
from chocolatl.interpreter.native.lookahead.seated_games import SeatedGames
from chocolatl.interpreter.native.paired.kernel import PairedKernel
from chocolatl.interpreter.play.game import Game, RuleError
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import streams
from chocolatl.interpreter.play.playout import Horizon
from chocolatl.interpreter.players.lookahead import candidates
from chocolatl.interpreter.players.plans import plan
from tests.conftest import scaled
from tests.fuzzing.comparing import by_interpreter, by_kernel, by_stepper, lockstep, played_out
from tests.fuzzing.tallies import Tally, outcome, same, without_invariants
from tests.games import tables, write_game

BUILDS: list[dict[str, Any]] = [{}, {"closely": True}, {"inspected": True}]
"""Of whole games; each is played watched, too."""

SEED = 5

FAILING = """
table has
    x : 0..3

each player has
    score : 0..9

play
    for each p in player
        p chooses n from 0..3
        x becomes n * n
"""


class Checked:
    """A game in checked builds: all of them for the evidence, else one of whole games and the stepwise one."""

    def __init__(self, game: Game, seed: int, level: int = QUICK) -> None:
        self.game, self.plain = game, without_invariants(game)
        builds = BUILDS if scaled(full=1, slice=0) else [BUILDS[seed % len(BUILDS)]]
        self.kernels = [Kernel(game, level, guarded=True, **options) for options in builds]
        self.stepper = Stepper(self.plain, level, guarded=True)

    def play(self, seed: int, index: int) -> None:
        """A game in each; they go as the interpreter has them go."""
        expected = outcome(partial(by_interpreter, self.game, seed, index))
        for kernel in self.kernels:
            found = outcome(partial(by_kernel, kernel, seed, index))
            if kernel.closely or kernel.inspected or not self.game.ir.invariants:
                same(f"game {index}", found, expected)
            if not isinstance(expected, tuple) or len(expected) == 3:
                kernel.series(seed, index, 2)
        found = outcome(partial(by_stepper, self.stepper, seed, index))
        same(f"the end of game {index}", found, outcome(partial(played_out, self.plain, seed, index)))

    def step(self, seed: int) -> None:
        """A game that is left at every decision."""
        lockstep(self.plain, self.stepper, seed, Tally())


# ---------------------------------------------------------------- planted errors


@dataclass(frozen=True)
class Work:
    """Something that native code does, in a checked build; where its state lies, and how many bytes that has."""

    guard: Guard
    do: Callable[[], object]
    block: tuple[int, int] = (0, 0)


def works(folder: Path) -> Iterator[Work]:
    """What reaches every kind of memory."""
    for name in ("goofspiel-2", "chocolatl-3", "cacao-2", "quetzal-2"):
        game = next(table for table in tables() if str(table) == name).load()
        kernel = Kernel(game, QUICK, guarded=True, inspected=True)
        yield Work(kernel.guard, partial(whole, kernel), (kernel.state.address, kernel.size))
        if name in ("goofspiel-2", "quetzal-2"):
            watched = Kernel(game, QUICK, guarded=True, watched=True)
            yield Work(watched.guard, partial(noted, watched))
            stepper = Stepper(game, QUICK, guarded=True, inspected=True)
            yield Work(stepper.guard, partial(stepwise, stepper))
    game = next(table for table in tables() if str(table) == "kuhn_poker-3").load()
    deciding = Stepper(game, QUICK, guarded=True, more=DECIDING)
    yield Work(deciding.guard, partial(decided, Decider(deciding)))
    looking = Lookahead(2, Halving(1, 2), Horizon(2, 4))
    for name in ("kuhn_poker-2", "chocolatl-3"):
        game = next(table for table in tables() if str(table) == name).load()
        seated = SeatedGames(game, [looking] * game.player_count, QUICK, guarded=True)
        yield Work(seated.stepper.guard, partial(seated.series, SEED, 0, 1))
    for name in ("goofspiel-2", "cacao-2"):
        game = next(table for table in tables() if str(table) == name).load()
        paired = PairedKernel(game, QUICK, guarded=True)
        yield Work(paired.kernel.guard, partial(paired.rows, SEED, 0, 2))
    failing = Kernel(load(write_game(folder, FAILING), 2), QUICK, guarded=True, watched=True)
    yield Work(failing.guard, partial(failed, failing))


def whole(kernel: Kernel) -> None:
    """A game, and two in a series."""
    kernel.play(SEED, 0)
    kernel.result()
    kernel.series(SEED, 0, 2)


def noted(kernel: Kernel) -> None:
    """A game in which the log is as long as its events."""
    room = 1 << 16
    for _ in range(2):
        log, event, control = Buffer(8 * room), Buffer(8 * kernel.module.longest), Buffer(24)
        control.set_word(0, log.address)
        control.set_word(8, log.address + 8 * room)
        control.set_word(16, event.address)
        kernel.state.set_word(LOG, control.address)
        kernel._run(SEED, 0)
        room = max(1, min((control.word(0, signed=False) - log.address) // 8, room))


def stepwise(stepper: Stepper) -> None:
    """Some decisions answered from outside, the rest at random; then a series from the beginning."""
    game = stepper.game
    table = stepper.start(streams(SEED, 0, game.player_count)).run()
    for _ in range(8):
        for question in table.pending[:1]:
            assert question.name
            table.apply(question.player, question.answers.nth(0)).run()
    table.copy().play_on()
    table.result()
    Resumed(stepper, game.initial()).series(SEED, 0, 1)


def decided(decider: Decider) -> None:
    """The first decision, of a player that looks ahead."""
    game = decider.stepper.game
    position = game.initial()
    while (chance := game.chance(position)) is not None:
        position = game.resolve(position, chance.outcomes.sample(Random(SEED)))
    decision = game.pending(position)[0]
    planned = plan(game.program.knowledge, position.slots, decision.player)
    assert planned is not None
    options = candidates(decision, 4, Random(SEED))
    decider.best(position, decision, options, planned, Halving(1, 4), Horizon(2, 8), Random(SEED))


def failed(kernel: Kernel) -> None:
    """Games of which some fail."""
    for index in range(5):
        outcome(partial(kernel.play, SEED, index))


@dataclass
class Planted:
    """What came of errors: by kind of memory and what is done to it, those that were come to and those found."""

    reached: set[tuple[Access, AccessKind]] = field(default_factory=set)
    found: set[tuple[Access, AccessKind]] = field(default_factory=set)
    in_block: set[Access] = field(default_factory=set)
    """Kinds of which one was found that lies inside of the block that the whole state is."""
    known: set[tuple[str, str]] = field(default_factory=set)
    """Lines of functions that others call with memory of several kinds, in which one was found."""

    def plant(self, work: Work) -> None:
        """Errors at each place of a kind of which none was found."""
        for place, check in enumerate(work.guard.checks):
            if (check.kind, check.how) in self.found or (check.function, check.line) in self.known:
                continue
            for by in (check.step, -check.step) if check.size else (1,):
                self.plant_one(work, place, check, by)

    def plant_one(self, work: Work, place: int, check: MemoryAccess, by: int) -> None:
        with work.guard.planted(place, by) as times:
            try:
                work.do()
            except Trespass as trespass:
                if trespass.check is check:  # else it has led to another one
                    self.note(trespass, work)
            except (RuleError, ValueError, IndexError, AssertionError, RecursionError):
                pass  # it was not found, and has led anywhere
            if times() and check.kind is not None:
                self.reached.add((check.kind, check.how))

    def note(self, trespass: Trespass, work: Work) -> None:
        check = trespass.check
        assert check.kind in (None, trespass.kind)
        self.found.add((trespass.kind, check.how))
        if check.kind is None:
            self.known.add((check.function, check.line))
        start, size = work.block
        if start <= trespass.address and trespass.address + trespass.size <= start + size:
            self.in_block.add(trespass.kind)
