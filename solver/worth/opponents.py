"""Whom a player reckons with (opponent model): players of a type, known by its name, and how they go on in a scenario.

Who follows a policy does so to the horizon: the numbers of a scenario are mapped by the odds of its answers. A policy
is read once for a game. Where nobody says whom to reckon with, it is the policy of the game, if there is one for its
rules and its number of players; else players who answer at random. Nothing is learned because of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.formats.policy_file import FILE
from chocolatl.interpreter.lowered.lowered_game import LoweredGame
from chocolatl.interpreter.lowered.position import Answer, Position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Decision, Game
from chocolatl.interpreter.play.match import Player
from chocolatl.interpreter.players.learned import LearnedPlayer, StalePolicy, UnfitPolicy, how_to_train
from chocolatl.interpreter.players.registry import FROM_FILE, LEARNED, TYPES, make_player
from chocolatl.interpreter.source import UnreadableFile
from chocolatl.solver.symbolic.scenario import NumberStream
from chocolatl.solver.worth.refusals import NoScenario, QuestionPart, QuestionSetting

if TYPE_CHECKING:
    from fractions import Fraction

RANDOM = "random"


def is_type(against: str) -> bool:
    """Whether a type of players is meant, and neither a file of scenarios nor what is known."""
    return against in TYPES or against.startswith(FROM_FILE)


def is_learned(against: str) -> bool:
    """Whether they follow a policy, so that it is known how likely they answer what."""
    return against == LEARNED or against.startswith(FROM_FILE)


def opponents(game: Game, against: str) -> Player:
    """Players of a type, ready for a game; `NoScenario` where there is no policy that they could follow."""
    if not is_learned(against):
        return make_player(against)
    try:
        return followed(game, against)
    except StalePolicy as error:
        told = f": {error.path} is for other rules than these; {how_to_train(game)}"
        raise NoScenario(QuestionSetting(QuestionPart.AGAINST, against), told) from None
    except UnfitPolicy as error:
        raise NoScenario(QuestionSetting(QuestionPart.AGAINST, against), f": {error}") from None


def followed(game: Game, against: str) -> LearnedPlayer:
    """Who follows a policy: the one of the game, or that of a file. `UnfitPolicy` where there is none."""
    player = make_player(against)
    assert isinstance(player, LearnedPlayer)
    read, stamp = policies(game.program), _stamp(player.path or game.files.folder / FILE)
    known = read.known.get(against)
    if known is None or known[0] != stamp:
        player.seated(game)
        read.known[against] = known = stamp, player
    return known[1]


@dataclass
class ReadPolicies:
    """The policies that were read for a game, by the type of player, each with the time of its file."""

    known: dict[str, tuple[object, LearnedPlayer]] = field(default_factory=dict)


@lru_cache(maxsize=16)
def policies(program: LoweredGame) -> ReadPolicies:
    """The same in one process."""
    return ReadPolicies()


def _stamp(path: Path) -> object:
    try:
        told = path.stat()
    except OSError:
        return None
    return str(path), told.st_mtime_ns, told.st_size


# ---------------------------------------------------------------- without a word about it


def usual_opponents(game: Game) -> tuple[str, str | None]:
    """Whom a question is about that does not say it; and why not learned players, where it is not."""
    try:
        followed(game, LEARNED)
    except StalePolicy:
        why = "the policy beside the game is for other rules"
    except UnfitPolicy:
        why = f"there is no policy for {game.player_count} players of this game"
    except (UnreadableFile, Rejected):
        why = "the policy beside the game cannot be read"
    else:
        return LEARNED, None
    return RANDOM, f"against random players: {why}; {how_to_train(game)}"


# ---------------------------------------------------------------- in a scenario


@dataclass(frozen=True)
class LearnedConduct:
    """How all go on in a scenario who follow a policy."""

    game: Game
    player: LearnedPlayer

    def answer(self, position: Position, decision: Any, numbers: NumberStream) -> Answer:
        """Each draw of the policy takes the next number of the question."""
        return self.player.choose(self.game, position, decision, cast(Random, numbers))

    def odds(self, position: Position, decision: Decision) -> Iterator[tuple[Answer, Fraction]]:
        """What somebody may answer, and how likely that is; what never happens is left out."""
        return ((answer, share) for answer, share in self.player.odds(self.game, position, decision) if share)


def conduct_of(game: Game, players: Player) -> LearnedConduct | None:
    """How players go on; None for those who do it at random."""
    return LearnedConduct(game, players) if isinstance(players, LearnedPlayer) else None
