"""What a run to the horizon has brought to a player, as an expression: points, lead or victory, and what is beyond."""

from __future__ import annotations

from chocolatl.interpreter.formats.valuation import PER_POINT, Valuation, rounds_left
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.solver.model.linear import SymbolicNumber, Truth
from chocolatl.solver.symbolic.formulas import Evaluator
from chocolatl.solver.symbolic.resume import ResumedRun
from chocolatl.solver.symbolic.scenario import FixedScenario
from chocolatl.solver.symbolic.state import number
from chocolatl.solver.worth import playout
from chocolatl.solver.worth.outcome import HALF_WIN, HALVES, MARGIN, POINTS
from chocolatl.solver.worth.refusals import NoAnswer, nobody_won


def gained(
    run: ResumedRun, game: Game, scenario: FixedScenario, player: int, objective: str, valuation: Valuation
) -> SymbolicNumber:
    """What a scenario adds to the value, by its weight, after a run to the horizon."""
    model = run.model
    gained = _objective(run, game, scenario.position, player, objective)
    if valuation:
        worth = _worth(run, game, player, valuation)
        gained = model.add(model.scaled(gained, PER_POINT // HALVES.get(objective, 1)), worth)
    return model.scaled(gained, scenario.weight)


def _objective(run: ResumedRun, game: Game, position: Position, player: int, objective: str) -> SymbolicNumber:
    base = game.program.layout.places[game.ir.score.key].base
    scores = [number(run.model, run.state.read(base + seat)) for seat in range(game.player_count)]
    if objective == POINTS:
        return run.model.shifted(scores[player], -playout.points(game, position, player))
    if objective == MARGIN:
        best: SymbolicNumber | None = None
        for seat, score in enumerate(scores):
            if seat != player:
                best = score if best is None else run.model.maximum(best, score)
        return run.model.add(scores[player], best if best is not None else 0, -1)
    if run.goes_on is not True:
        raise NoAnswer("whether the game ends in this round is open,", *nobody_won(objective))
    order = run.order(ir.Ranked(game.ir.winner, (), game.ir.rankings[game.ir.winner].span))
    first: Truth = next((here for who, here in run.at_place(order, 1) if who == player), False)
    won = run.model.number(first)
    return run.model.add(won, run.model.number(run.ranks.alone(order, 1, player))) if objective == HALF_WIN else won


# ---------------------------------------------------------------- valuation


def _worth(run: ResumedRun, game: Game, player: int, valuation: Valuation) -> SymbolicNumber:
    """What the position at the horizon is worth beyond it, in hundredths; if the game is over, no round is left."""
    left = rounds_left(game, not run.begun, run.begun)
    return run.model.chosen(run.goes_on, _sum(run, player, valuation, 0), _sum(run, player, valuation, left))


def _sum(run: Evaluator, player: int, valuation: Valuation, left: int) -> SymbolicNumber:
    total: SymbolicNumber = 0
    for item in valuation:
        if item.each(left):
            run.state.values[-item.player.number] = player
            total = run.model.add(total, run.number(item.what), item.each(left))
    return total
