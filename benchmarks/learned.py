"""How strong learned players are: their share of victories among random players, among `greedy`, and against players
who were trained from nothing to beat them (exploitability).

One player of a type sits among others, in each seat equally often; a victory shared by k counts 1/k; beside each share
stands its 95 % interval (Wilson). One seed of a best response says little, since some get stuck; the highest of four
counts, and the others stand beside it. A best response counts only if its recipe is strong: so the same recipe is tried
against random players in the same run.
`make bench-learned`.
"""

from __future__ import annotations

import argparse
import os
from fractions import Fraction
from pathlib import Path

from rich.table import Table

from benchmarks.timing import conditions
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.formats.policy_file import load_sections
from chocolatl.interpreter.formats.policy_weights import section_weights
from chocolatl.interpreter.learning.lessons import Lesson, learn
from chocolatl.interpreter.learning.policy_training import PolicyTraining, Recipe, Tracer
from chocolatl.interpreter.learning.recipes import exploiter_updates
from chocolatl.interpreter.learning.strength import share_among, share_among_random
from chocolatl.interpreter.learning.tracing import tracer_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.players.deciding import PolicyDecider, PolicyReader
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.policy.building import policy_form
from chocolatl.interpreter.policy.weights import PolicyWeights, uniform_weights
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, wilson
from chocolatl.interpreter.terminal.output.console import make_console

MANY, SEED = 10_000, 20_261
RESPONSES = 4


class Following(Player):
    """Follows weights."""

    def __init__(self, game: Game, weights: PolicyWeights) -> None:
        self.decider = PolicyDecider(PolicyReader(game, weights.form), weights)

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        return self.decider.choose(position, decision, random)


def share_among_greedy(game: Game, weights: PolicyWeights, games: int) -> ConfidenceInterval:
    """By the interpreter, in which native code decides for `greedy`."""
    won, learned, greedy = Fraction(0), Following(game, weights), GreedyPlayer()
    for number in range(games):
        seat = number % game.player_count
        players = [learned if other == seat else greedy for other in range(game.player_count)]
        winners = game.result(play_game(game, players, SEED, number).position).winners
        won += Fraction(1, len(winners)) if seat in winners else 0
    return wilson(won, games)


def shown(share: ConfidenceInterval) -> str:
    return f"{share.mean:.3f} ({share.low:.3f} to {share.high:.3f})"


def measured(name: str, players: int, arguments: argparse.Namespace) -> list[str]:
    game = load(find_game(name), players)
    jobs = os.cpu_count() or 1
    if arguments.policy is not None:
        section, seconds = load_sections(arguments.policy, game)[players], 0.0
    else:
        learned = learn(
            Lesson(game, arguments.seed, arguments.updates, arguments.minutes * 60, jobs), lambda news: None
        )
        section, seconds = learned.section, learned.seconds
    form = policy_form(game.ir)
    weights, trace = section_weights(form, section), tracer_of(game, form)
    row = [f"{name} {players}", f"{section['recipe']['updates']} in {seconds:.0f} s"]
    row.append(shown(share_among_random(trace, weights, players, SEED, MANY)))
    row.append(shown(share_among_greedy(game, weights, arguments.games)))
    return [*row, *exploited(weights, players, arguments.responses, trace, jobs)]


def best_response(policy: PolicyWeights, players: int, recipe: Recipe, trace: Tracer, jobs: int) -> PolicyWeights:
    """Somebody who was trained from nothing against a policy; the seed of the recipe tells one from another."""
    training = PolicyTraining(policy.form, policy.scales, players, recipe, trace, jobs)
    try:
        return training.exploiter(policy)
    finally:
        training.threads.close()


def exploited(weights: PolicyWeights, players: int, updates: int, trace: Tracer, jobs: int) -> list[str]:
    """The shares of best responses, the highest first; and that of the same recipe against random players."""
    shares = []
    for seed in range(RESPONSES):
        found = best_response(weights, players, Recipe(1, SEED + seed, exploiter_updates=updates), trace, jobs)
        shares.append(share_among(trace, found, weights, players, SEED, MANY))
    shares.sort(key=lambda share: -(share.mean or 0))
    plain = uniform_weights(weights.form, weights.scales)
    easy = best_response(plain, players, Recipe(1, SEED, exploiter_updates=updates), trace, jobs)
    others = " ".join(f"{share.mean:.2f}" for share in shares[1:])
    return [f"{shown(shares[0])} {others}", shown(share_among(trace, easy, plain, players, SEED, MANY))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0] if __doc__ else None)
    parser.add_argument("games_and_players", nargs="*", default=["chocolatl 3", "chocolatl 4", "chocolatl 5"])
    parser.add_argument("--policy", type=Path, help="a policy file, instead of training")
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to train (default 2)")
    parser.add_argument("--updates", type=int, help="how much to train instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=400, help="games among greedy (default 400)")
    parser.add_argument("--responses", type=int, default=exploiter_updates(10_000), help="updates of best responses")
    arguments = parser.parse_args()
    table = Table("game", "updates", "among random", "among greedy", "best responses to it", "the same to random")
    for each in arguments.games_and_players:
        name, _, players = each.partition(" ")
        table.add_row(*measured(name, int(players), arguments))
    console = make_console()
    console.print(table)
    console.print(conditions("one run"))


if __name__ == "__main__":
    main()
