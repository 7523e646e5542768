"""How strong the `solver` player is: alone among learned and greedy players, in each seat equally often.

    python -m benchmarks.player ["GAME N" ...] [--games N] [--one TYPE] [--others TYPE ...]

Every figure is a share of victory with the interval that holds 95 % of what may be behind it; a shared victory counts
1/k, a fair share is one by the number of players. Beside it stands how long a decision took, in seconds of this
processor: the budget of the player is counted in decisions of random games. `make bench-player`.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from time import process_time

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import Player, play_game
from chocolatl.interpreter.players.registry import take_seats
from chocolatl.interpreter.statistics.estimates import wilson
from chocolatl.solver.players import SOLVER, make_player

GAMES = ("chocolatl 3", "chocolatl 4", "chocolatl 5", "quetzal 3", "cacao 3", "goofspiel 3")
OTHERS = ("learned", "greedy")


class TimedPlayer:
    """A player, and how long it takes where there is a choice."""

    def __init__(self, player: Player) -> None:
        self.player, self.seconds, self.decisions = player, 0.0, 0

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        begin = process_time()
        answer = self.player.choose(game, position, decision, random)
        if decision.answers.count() > 1:
            self.seconds += process_time() - begin
            self.decisions += 1
        return answer


def share(game: Game, one: TimedPlayer, others: str, games: int, seed: int) -> list[Fraction]:
    """What one player wins of each game."""
    rest = [make_player(others) for _ in game.players]
    take_seats(rest, game)
    shares: list[Fraction] = []
    for index in range(games):
        seat = index % game.player_count
        seats: list[Player] = [one if number == seat else rest[number] for number in range(game.player_count)]
        winners = game.result(play_game(game, seats, seed, index).position).winners
        shares.append(Fraction(seat in winners, len(winners)))
        print(
            f"\r{index + 1} of {games} games: {float(sum(shares) / len(shares)):.3f}",
            end="",
            file=sys.stderr,
            flush=True,
        )
    print(file=sys.stderr)
    return shares


def told(shares: list[Fraction]) -> str:
    found = wilson(sum(shares), len(shares))
    return f"{found.mean:.3f} ({found.low:.3f} to {found.high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="GAME N", help=f"default: {', '.join(GAMES)}")
    parser.add_argument("--games", type=int, default=400, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--one", default=SOLVER, help="type of the one (default: %(default)s)")
    parser.add_argument("--others", action="append", help=f"type of the others (default: {', '.join(OTHERS)})")
    given = parser.parse_args()
    print(f"{given.one} alone among others, {given.games} games, seed {given.seed}, each seat in turn")
    for table in given.tables or GAMES:
        name, players = table.split()
        game = load(find_game(name), int(players))
        for others in given.others or OTHERS:
            one = TimedPlayer(make_player(given.one))
            shares = share(game, one, others, given.games, given.seed)
            each = 1000 * one.seconds / max(1, one.decisions)
            fair = f"fair: {1 / game.player_count:.3f}"
            print(f"{table}, among {others}: {told(shares)}; {fair}; {each:.0f} ms a decision", flush=True)


if __name__ == "__main__":
    main()
