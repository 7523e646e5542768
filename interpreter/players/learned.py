"""The `learned` player: follows a policy file, the one beside the game (`learned`) or another one (`learned:FILE`).

Where the rules are other ones than those of the file beside the game, as in a variant, it follows what was learned for
them and kept. What it cannot follow is told before the first game: no file, none for this number of players, one for
another game or, unless that is accepted, one for other rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.policy_cache import cached_policy
from chocolatl.interpreter.formats.policy_file import FILE, PolicyFile, Section, read_policy, trainings
from chocolatl.interpreter.formats.policy_weights import fitting_weights
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Answer, Decision, Game, Position
from chocolatl.interpreter.source import UnreadableFile

if TYPE_CHECKING:  # numpy takes time to load, and only those who play wait for it
    from fractions import Fraction

    from chocolatl.interpreter.policy.weights import PolicyWeights


class FollowedPolicy(Protocol):
    """A policy that was read for a game: it answers, and says how likely each answer was."""

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer: ...

    def odds(self, position: Position, decision: Decision) -> Iterator[tuple[Answer, Fraction]]: ...


class UnfitPolicy(UnreadableFile):
    """A policy that cannot be followed in a game. The message is a sentence for the user."""


class StalePolicy(UnfitPolicy):
    """The policy beside a game is for other rules, and nothing was learned for these yet."""

    def __init__(self, game: Game, section: Section, path: Path) -> None:
        super().__init__(
            f"{path}: this policy was learned for other rules than those of {called(game)}; `--accept-stale` follows it"
            " all the same"
        )
        self.game, self.section, self.path = game, section, path


class LearnedPlayer:
    """`path` is a policy file; None is the one beside the game."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.accept_stale = False
        self.notes: list[str] = []
        """What the user should know about the policy."""
        self.training = 0
        """Which training it follows, if the game was learned several times."""
        self.section: Section | None = None
        """What it follows."""
        self.trainings: list[Section] = []
        """All that it could follow."""
        self._game: Game | None = None
        self._player: FollowedPolicy | None = None

    def seated(self, game: Game, accept_stale: bool = False) -> None:
        """Get ready for a game; `UnfitPolicy` or `Rejected` if it cannot be played by this policy."""
        self.accept_stale = accept_stale
        self._player, self._game = self._ready(game), game

    def choose(self, game: Game, position: Position, decision: Decision, random: Random) -> Answer:
        return self._followed(game).choose(game, position, decision, random)

    def odds(self, game: Game, position: Position, decision: Decision) -> Iterator[tuple[Answer, Fraction]]:
        """Every answer that may be chosen, and how likely it is."""
        return self._followed(game).odds(position, decision)

    def _followed(self, game: Game) -> FollowedPolicy:
        if self._player is None or self._game is None or self._game.ir is not game.ir:
            self.seated(game, self.accept_stale)
        assert self._player is not None
        return self._player

    # ------------------------------------------------------------ files

    def _ready(self, game: Game) -> FollowedPolicy:
        policy, path = self._file(game)
        self.trainings = trainings(policy.sections[game.player_count])
        self.section = section = self.trainings[self.training]
        stale = section["rules"] != game.files.rules_hash
        if stale:
            self.notes.append(f"{path}: this policy was learned for other rules, and is followed as far as it fits")
        if "table" in section:
            from chocolatl.interpreter.players.tabular import TabularPolicy, WrongTable

            try:
                return TabularPolicy.read(game, section["table"])
            except WrongTable as error:
                raise UnfitPolicy(f"{path}: {error}") from None
        from chocolatl.interpreter.players.deciding import PolicyPlayer

        return PolicyPlayer(game, self._weights(game, policy, stale))

    def _file(self, game: Game) -> tuple[PolicyFile, Path]:
        """A file that has a policy for these players; one for other rules only if that is accepted."""
        if self.path is not None:
            policy, section = _for_players(self.path, game)
            if section["rules"] != game.files.rules_hash and not self.accept_stale:
                raise UnfitPolicy(
                    f"{self.path}: this policy was learned for other rules; `--accept-stale` follows it all the same,"
                    f" and `chocolatl train` learns it again"
                )
            return policy, self.path
        path = game.files.folder / FILE
        try:
            beside, section = _for_players(path, game)
        except UnfitPolicy:
            if (kept := cached_policy(game, None)) is None:
                raise
            return self._kept(kept, game)
        if section["rules"] == game.files.rules_hash:
            return beside, path
        if (kept := cached_policy(game, section)) is not None:
            return self._kept(kept, game)
        if not self.accept_stale:
            raise StalePolicy(game, section, path)
        return beside, path

    def _kept(self, kept: tuple[PolicyFile, Path], game: Game) -> tuple[PolicyFile, Path]:
        self.notes.append(f"{kept[1]}: `learned` follows what was learned for {called(game)} and kept there")
        return kept

    def _weights(self, game: Game, policy: PolicyFile, lenient: bool) -> PolicyWeights:
        from chocolatl.interpreter.policy.building import form_of

        findings = Findings()
        weights = fitting_weights(policy, form_of(game.ir), findings, lenient, self.training)
        findings.reject_errors()
        assert weights is not None
        return weights

    def weights(self, game: Game) -> PolicyWeights | None:
        """What native code is handed; None where it is a table."""
        from chocolatl.interpreter.players.deciding import PolicyPlayer

        if self._player is None:
            self.seated(game, self.accept_stale)
        return self._player.weights if isinstance(self._player, PolicyPlayer) else None


def called(game: Game) -> str:
    """A game as its policy is asked for."""
    files = game.files
    return f"`{files.name}`" if files.variant is None else f"`{files.name}/{files.variant}`"


def how_to_train(game: Game) -> str:
    """How somebody gets a policy for a game with so many players."""
    return f"`chocolatl train {called(game).strip('`')} --players {game.player_count}` makes one"


def _for_players(path: Path, game: Game) -> tuple[PolicyFile, Section]:
    """A file for a game, with its section for as many players."""
    train = how_to_train(game)
    if not path.exists():
        raise UnfitPolicy(f"there is no policy for `{game.files.name}` yet: {path} is missing; {train}")
    findings = Findings()
    policy = read_policy(path, findings)
    findings.reject_errors()
    assert policy is not None
    policy.check_game(game.files.name, findings)
    findings.reject_errors()
    if game.player_count not in policy.sections:
        there = ", ".join(map(str, sorted(policy.sections)))
        raise UnfitPolicy(f"{path}: this policy is for {there} players, not for {game.player_count}; {train}")
    return policy, policy.sections[game.player_count]
