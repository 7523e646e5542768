"""How strong learned players are: their share of victories among random players, among `greedy`, and against players
who were trained from nothing to beat them (exploitability).

One player of a type sits among others, in each seat equally often; a victory shared by k counts 1/k; beside each share
stands its 95 % interval (Wilson). In a variant that nothing was learned for, weights go on from those of its game by 30
updates, as `learned` does; with `--accept-stale` they are followed as far as they fit. One seed of a best response says
little, since some get stuck; the highest of four counts, and the others stand beside it. A best response counts only if
its recipe is strong: so the same recipe is tried against random players and plain self-play in the same run. Native
games of learned players are counted by the second, beside those of random ones.
`make bench-learned`.
"""

from __future__ import annotations

import argparse
import os
from fractions import Fraction
from pathlib import Path

from rich.table import Table

from benchmarks.timing import conditions, measure
from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.formats.policy_file import load_sections
from chocolatl.interpreter.formats.policy_weights import section_weights
from chocolatl.interpreter.learning import catching_up
from chocolatl.interpreter.learning.best_responses import ResponseMeasure, ResponseRecipe
from chocolatl.interpreter.learning.lessons import PARTS, Lesson, learn
from chocolatl.interpreter.learning.policy_training import Tracer
from chocolatl.interpreter.learning.strength import share_among_random
from chocolatl.interpreter.learning.tracing import tracer_of
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.native.builds.kernel import Kernel
from chocolatl.interpreter.native.policy.player import PolicyKernel
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.players.deciding import PolicyDecider, PolicyReader
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.policy.building import policy_form
from chocolatl.interpreter.policy.weights import PolicyWeights
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, wilson
from chocolatl.interpreter.terminal.output.console import make_console

MANY, SEED = 10_000, 20_261


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
    is_stale = section["rules"] != game.files.rules_hash
    if is_stale and not arguments.accept_stale:
        learned = learn(Lesson(game, catching_up.SEED, catching_up.UPDATES, None, jobs, section), lambda news: None)
        section, seconds, is_stale = learned.section, learned.seconds, False
    weights, trace = section_weights(form, section, lenient=is_stale), tracer_of(game, form)
    row = [f"{name} {players}", f"{section['recipe']['updates']} in {seconds:.0f} s"]
    row.append(shown(share_among_random(trace, weights, players, SEED, MANY)))
    row.append(shown(share_among_greedy(game, weights, arguments.games)))
    row.append(speed(game, weights))
    if not arguments.responses:
        return row
    return [*row, *exploited(weights, players, ResponseRecipe(arguments.responses), trace, jobs)]


def exploited(weights: PolicyWeights, players: int, recipe: ResponseRecipe, trace: Tracer, jobs: int) -> list[str]:
    """The shares of best responses, the highest first; and what their recipe wins where it has to win."""
    found = ResponseMeasure(weights, players, recipe, trace, jobs, lambda news: None).section()

    def told(name: str) -> str:
        mean, low, high = (each / PARTS for each in found[name])
        return f"{mean:.3f} ({low:.3f} to {high:.3f})"

    others = " ".join(f"{share / PARTS:.2f}" for share in found["responses"][1:])
    return [f"{told('share')} {others}", told("among_random"), told("among_self_play")]


def speed(game: Game, weights: PolicyWeights) -> str:
    """How many games a second one core plays if everybody follows the weights; and how many times as many at random."""
    kernel, series = PolicyKernel(game, weights.form), Kernel(game)
    seats = [weights] * game.player_count
    found = measure(
        {
            "learned": lambda games: (kernel.series(seats, SEED, 0, games), None)[1],
            "random": lambda games: (series.series(SEED, 0, games), None)[1],
        },
        1.0,
    )
    return f"{found['learned']:,.0f} ({found['random'] / found['learned']:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0] if __doc__ else None)
    parser.add_argument("games_and_players", nargs="*", default=["chocolatl 3", "chocolatl 4", "chocolatl 5"])
    parser.add_argument("--policy", type=Path, help="a policy file, instead of training")
    parser.add_argument("--accept-stale", action="store_true", help="in a variant, follow the file as far as it fits")
    parser.add_argument("--minutes", type=float, default=2.0, help="how long to train (default 2)")
    parser.add_argument("--updates", type=int, help="how much to train instead")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=400, help="games among greedy (default 400)")
    parser.add_argument("--responses", type=int, default=150, help="updates of best responses; 0: none (default 150)")
    arguments = parser.parse_args()
    titles = ["game", "updates", "among random", "among greedy", "games a second (random: times as many)"]
    if arguments.responses:
        titles += ["best responses to it", "to random", "to self-play"]
    table = Table(*titles)
    for each in arguments.games_and_players:
        name, _, players = each.partition(" ")
        table.add_row(*measured(name, int(players), arguments))
    console = make_console()
    console.print(table)
    console.print(conditions("one run"))


if __name__ == "__main__":
    main()
