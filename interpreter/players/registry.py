"""Types of players by name, and the `--players` of a command.

3                        three random players
random,greedy            types by seat; the players are called p1, p2, ...
red=greedy,blue=random   names with types
solver:3                 a type with a budget, for those that have one
learned:FILE             a policy file; without FILE, the one beside the game
python:MODULE:FUNCTION   a function of one's own, where a command runs it; never from a file
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.match import Player
from chocolatl.interpreter.players.greedy import GreedyPlayer
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.players.programs import PROGRAM
from chocolatl.interpreter.players.uniform import RandomPlayer

TYPES: dict[str, Callable[[], Player]] = {"random": RandomPlayer, "greedy": GreedyPlayer, "learned": LearnedPlayer}
"""A new type of player is one more line here."""

BUDGETED = ("solver",)
"""Types that later stages provide and that may be given a budget."""

BUDGET = re.compile(r"[0-9]{1,4}(\.[0-9]{1,3})?")

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
MOST_PLAYERS = 99


class WrongPlayers(Exception):
    """Players that make no sense: an unknown type, a bad or repeated name. The message is a sentence for the user."""


LEARNED = "learned"
OWN_PROGRAM = re.compile(rf"{PROGRAM}:[A-Za-z_][\w.]*:[A-Za-z_]\w*")
FROM_FILE = f"{LEARNED}:"


def make_player(type_name: str) -> Player:
    """A player of a type."""
    if type_name.startswith(FROM_FILE):
        return LearnedPlayer(Path(type_name.removeprefix(FROM_FILE)))
    if type_name not in TYPES:
        raise WrongPlayers(unknown_type(type_name, list(TYPES)))
    return TYPES[type_name]()


def take_seats(players: Sequence[Player], game: Game, accept_stale: bool = False) -> list[str]:
    """Get players ready for a game, as far as they have to; what the user should know about them."""
    notes: dict[str, None] = {}
    for player in players:
        if isinstance(player, LearnedPlayer):
            player.seated(game, accept_stale)
            notes |= dict.fromkeys(player.notes)
    return list(notes)


def unknown_type(type_name: str, known: Sequence[str]) -> str:
    hint = nearest(type_name, known)
    message = f"there is no type of player `{type_name}` (they are: {', '.join(known)})"
    return f"{message}; {hint}" if hint else message


def parse_players(text: str, also: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Name and type of each player by seat. `also` are types that the command itself provides, such as a person."""
    known = [*TYPES, *also]
    if re.fullmatch(r"\s*[0-9]+\s*", text):
        digits = text.strip()
        if len(digits) > 2 or not 1 <= int(digits) <= MOST_PLAYERS:
            raise WrongPlayers(f"expected from 1 to {MOST_PLAYERS} players; found {digits[:20]}")
        return [(default_name(seat), "random") for seat in range(int(digits))]
    players: list[tuple[str, str]] = []
    for seat, part in enumerate(text.split(",")):
        before, from_file, path = part.partition(FROM_FILE)  # a path may hold anything but a comma
        name, equals, type_name = (piece.strip() for piece in (before if from_file else part).rpartition("="))
        if from_file and not type_name:
            type_name = FROM_FILE + path.strip()
        if not equals:
            name = default_name(seat)
        if not type_name and not equals:
            raise WrongPlayers(f"the type of player {seat + 1} is missing in `{text}`")
        _check_type(type_name, known)
        players.append((checked_name(name, [taken for taken, _ in players]), type_name))
    if len(players) > MOST_PLAYERS:
        raise WrongPlayers(f"expected from 1 to {MOST_PLAYERS} players; found {len(players)}")
    return players


def _check_type(type_name: str, known: Sequence[str]) -> None:
    word, colon, budget = type_name.partition(":")
    if word not in known:
        raise WrongPlayers(unknown_type(word, known))
    if word == PROGRAM:
        if not OWN_PROGRAM.fullmatch(type_name):
            raise WrongPlayers(f"a program is named `{PROGRAM}:module:function`; found `{type_name[:60]}`")
        return
    if word == LEARNED:
        if colon and not budget:
            raise WrongPlayers(f"a policy file is missing behind `{type_name}`")
        return
    if colon and word not in BUDGETED:
        raise WrongPlayers(f"a player of the type `{word}` has no budget; found `{type_name}`")
    if colon and (not BUDGET.fullmatch(budget) or not float(budget)):
        raise WrongPlayers(f"a budget is a number above 0, such as `{word}:3`; found `{type_name[:40]}`")


def default_name(seat: int) -> str:
    """What a player without a name is called; seats count from 0, these names from 1."""
    return f"p{seat + 1}"


def checked_name(name: str, taken: Sequence[str]) -> str:
    if not NAME.fullmatch(name):
        raise WrongPlayers(f"`{name}` is not a name: expected letters, digits, `_` and `-`, a letter or digit first")
    if name in taken:
        raise WrongPlayers(f"two players are called `{name}`")
    return name
