"""The `solver` player as it was at an old commit, measured against those of today.

    python -m benchmarks.former [--game GAME] [--players N] [--games N] [--one TYPE] [--others TYPE]
    python -m benchmarks.former --same DECISIONS

What later versions gain is told only by playing against what was there before. So the old commit is installed as it
was, with the packages it was tested with, into an environment of its own (once; it needs the history of the repository
and the package index), and plays in a process of its own: moves go over pipes, in the words of the rules. A type that
begins with `former:` is played there: `former:solver`, `former:solver:2`, `former:greedy`.

`--same` asks the old player and today's of the same name at the same decisions of random games, and counts how many
answers agree: all of them, as long as today's player was not changed.

    python -m benchmarks.former --players 4 --one learned:rules/chocolatl/policy.yaml

puts a learned player among the old ones: the rules of Chocolatl are those of then, and its policy fits them.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from math import sqrt
from pathlib import Path

from chocolatl.interpreter.formats.policy_file import FILE as POLICY
from chocolatl.interpreter.formats.valuation import FILE as VALUATION
from chocolatl.interpreter.lowered.codec import Json
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import ChanceEvent, PlayedEvent, Player, play_game
from chocolatl.interpreter.players.uniform import RandomPlayer
from chocolatl.solver.players import make_player

COMMIT = "2ea0486"
ROOT = Path(__file__).resolve().parent.parent
FORMER = "former:"
GAMES = {"chocolatl": 3, "cacao": 2, "quetzal": 3, "goofspiel": 2, "kuhn_poker": 2, "blotto": 2}
"""Where answers are compared: games with their numbers of players."""


class FormerPlayer:
    """A player in another process, which follows the game event by event: `observe` has to be told of all of them.
    `rules` are the games as it knows them."""

    def __init__(self, python: Path, rules: Path, type_name: str) -> None:
        self.rules = rules
        script = ROOT / "benchmarks" / "former_moves.py"
        self.process = subprocess.Popen(
            [python, "-I", script, type_name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def begin(self, game: Game) -> None:
        files = game.files
        variant = f"variants/{files.variant}.yaml" if files.variant else ""
        self.tell({"game": str(self.rules / files.folder.name / variant), "players": game.player_count})

    def observe(self, game: Game, event: PlayedEvent) -> None:
        if isinstance(event, ChanceEvent):
            self.tell({"chance": event.value})
        else:
            self.tell({"player": game.players.index(event.player), "answer": event.value})

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        self.tell({"ask": decision.player})
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"former player: it ended with exit code {self.process.wait()}; see above")
        return decision.decode(json.loads(line)["answer"])

    def tell(self, message: dict[str, Json]) -> None:
        assert self.process.stdin is not None
        try:
            print(json.dumps(message), file=self.process.stdin, flush=True)
        except BrokenPipeError:
            raise SystemExit(f"former player: it ended with exit code {self.process.wait()}; see above") from None

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


# ---------------------------------------------------------------- the old environment


def environment(commit: str) -> Path:
    """Python of an environment in which the commit is installed as it was; it is made if it is not there yet."""
    folder = _folder(commit)
    python = folder / "environment" / "bin" / "python"
    ready = folder / "ready"
    if not ready.exists():
        print(f"Installing {commit} into {folder.relative_to(ROOT)} (once)", file=sys.stderr)
        _unpack(commit, folder / "source")
        venv.create(folder / "environment", with_pip=True, clear=True)
        source = str(folder / "source")
        install = [str(python), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*install, "-c", f"{source}/constraints.txt", source], check=True)
        ready.touch()
    return python


def old_game(commit: str, name: str, players: int) -> Game:
    """A game by the rules of the old commit, so that both sides play the same one whatever has become of it since. Who
    plays today finds today's policy and valuation beside it."""
    game, _, variant = name.partition("/")
    folder = _folder(commit) / "today" / game
    shutil.copytree(old_rules(commit) / game, folder, dirs_exist_ok=True)
    for beside in (POLICY, VALUATION):
        (folder / beside).unlink(missing_ok=True)
        if (ROOT / "rules" / game / beside).exists():
            shutil.copy(ROOT / "rules" / game / beside, folder)
    return load(folder / "variants" / f"{variant}.yaml" if variant else folder, players)


def old_rules(commit: str) -> Path:
    """The games of the old commit."""
    return _folder(commit) / "source" / "rules"


def _folder(commit: str) -> Path:
    return ROOT / "build" / "former" / commit


def _unpack(commit: str, folder: Path) -> None:
    """The files of a commit, out of the history."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if packed.returncode:
        raise SystemExit(f"error: {commit} is not in the history of this checkout; fetch all of it first")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(folder, filter="data")


@contextmanager
def seated(python: Path, rules: Path, types: list[str]) -> Iterator[list[Player]]:
    """Players of these types, the old ones each in a process of its own."""
    players = [
        FormerPlayer(python, rules, name.removeprefix(FORMER)) if name.startswith(FORMER) else make_player(name)
        for name in types
    ]
    try:
        yield players
    finally:
        for player in players:
            if isinstance(player, FormerPlayer):
                player.close()


def played(game: Game, players: list[Player], seed: int, index: int) -> Position:
    """The end of a game in which old players are told of all that happens."""
    former = [player for player in players if isinstance(player, FormerPlayer)]
    for player in former:
        player.begin(game)

    def observe(event: PlayedEvent, position: Position) -> None:
        for player in former:
            player.observe(game, event)

    return play_game(game, players, seed, index, observe).position


# ---------------------------------------------------------------- what is measured


def share(game: Game, python: Path, rules: Path, one: str, others: str, games: int, seed: int) -> tuple[float, float]:
    """The share of victory of one player among others, each seat in turn, with its standard error."""
    shares: list[float] = []
    for index in range(games):
        seat = index % game.player_count
        types = [one if number == seat else others for number in range(game.player_count)]
        with seated(python, rules, types) as players:
            winners = game.result(played(game, players, seed, index)).winners
        shares.append((seat in winners) / len(winners))
        so_far = f"{index + 1} of {games} games: {sum(shares) / len(shares):.3f}"
        print(f"\r{so_far}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    mean = sum(shares) / games
    return mean, sqrt(sum((value - mean) ** 2 for value in shares) / max(1, games - 1) / games)


class Both:
    """A random player that asks an old player and today's at some decisions, and counts how often they agree."""

    def __init__(self, former: FormerPlayer, today: Player, decisions: int, every: int = 3) -> None:
        self.former, self.today, self.decisions, self.every = former, today, decisions, every
        self.seen = self.asked = self.equal = 0

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        if decision.answers.count() > 1:
            self.seen += 1
            if self.seen % self.every == 0 and self.asked < self.decisions:
                self.asked += 1
                answers = [player.choose(game, position, decision, Random(0)) for player in (self.former, self.today)]
                self.equal += answers[0] == answers[1]
        return RandomPlayer().choose(game, position, decision, random)


def same(game: Game, python: Path, rules: Path, type_name: str, decisions: int) -> Both:
    """Decisions of random games, some of each, at which both players are asked."""
    former = FormerPlayer(python, rules, type_name)
    both = Both(former, make_player(type_name), decisions)
    try:
        for index in count():
            former.begin(game)
            play_game(game, [both] * game.player_count, 1, index, lambda event, _: former.observe(game, event))
            if both.asked >= decisions:
                break
    finally:
        former.close()
    return both


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--commit", default=COMMIT, help="the old version (default: %(default)s)")
    parser.add_argument("--game", default="chocolatl", help="default: %(default)s")
    parser.add_argument("--players", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--games", type=int, default=40, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=2024, help="default: %(default)s")
    parser.add_argument("--one", default="solver", help="type of one player (default: %(default)s)")
    parser.add_argument("--others", default=FORMER + "solver", help="type of the others (default: %(default)s)")
    parser.add_argument(
        "--same", type=int, metavar="DECISIONS", help="compare answers at so many decisions, over all games"
    )
    given = parser.parse_args()
    python, rules = environment(given.commit), old_rules(given.commit)
    if given.same:
        wrong = 0
        for number, (name, players) in enumerate(GAMES.items()):
            part = given.same * (number + 1) // len(GAMES) - given.same * number // len(GAMES)
            both = same(old_game(given.commit, name, players), python, rules, "solver", part)
            print(f"{name}, {players} players: {both.equal} of {both.asked} answers are the same")
            wrong += both.asked - both.equal
        sys.exit(1 if wrong else 0)
    game = old_game(given.commit, given.game, given.players)
    mean, error = share(game, python, rules, given.one, given.others, given.games, given.seed)
    print(
        f"{given.game}, {given.players} players: {given.one} alone among {given.others} wins {mean:.3f} ± {error:.3f} "
        f"(fair: {1 / given.players:.3f}; {given.games} games, seed {given.seed}, each seat in turn)"
    )


if __name__ == "__main__":
    main()
