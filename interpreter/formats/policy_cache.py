"""Policies that were learned for rules which have no file of their own: variants, and rules that were edited (a cache).

They lie in the user's own folder, named by the rules and the number of players. A policy is data, and is checked like
any other file; one that is damaged is not there.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.policy_file import PolicyFile, Section, read_policy
from chocolatl.interpreter.formats.policy_weights import is_fitting
from chocolatl.interpreter.native.llvm.cache import folder
from chocolatl.interpreter.native.llvm.private import Unusable, own_folder, prune
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.source import UnreadableFile

ENTRIES = re.compile(r"[0-9a-f]{32}-[0-9]{1,2}\.yaml(\.training)?")
KEPT = 100
"""So many stay; they have some 50 kB each."""

ORIGIN = "from"
"""What of a recipe tells which weights it went on from."""


class NoCache(UnreadableFile):
    """There is no folder to keep a policy in. The message says why."""


def origin(section: Section) -> str:
    """What is known of the weights or the table that a policy goes on from."""
    held = [section.get(key) for key in ("features", "weights", "table")]
    return sha256(repr(held).encode()).hexdigest()[:16]


def cached_path(game: Game) -> Path:
    """Where the policy for the rules and players of a game is kept, in a folder that is there; what lies there and can
    be nobody's is taken away. `NoCache` if nothing can be kept."""
    place = folder() / "policies"
    path = place / f"{game.files.rules_hash[:32]}-{game.player_count}.yaml"
    try:
        with own_folder(place) as opened:
            prune(opened, ENTRIES, KEPT)
        if path.exists() and _read(path, game) is None:
            path.unlink()
    except (Unusable, OSError) as error:
        raise NoCache(f"no policy can be kept: {error}") from None
    return path


def _read(path: Path, game: Game) -> PolicyFile | None:
    """A file of policies for a game; None if it is damaged."""
    findings = Findings()
    try:
        policy = read_policy(path, findings)
    except UnreadableFile:
        return None
    if policy is not None:
        policy.check_game(game.files.name, findings)
    return None if findings.has_errors else policy


def cached_policy(game: Game, parent: Section | None) -> tuple[PolicyFile, Path] | None:
    """A policy that was kept for these rules and players: one that somebody asked for, or one that went on from the
    `parent` as it is now."""
    try:
        path = cached_path(game)
    except NoCache:
        return None
    policy = _read(path, game) if path.exists() else None
    if policy is None:
        return None
    section = policy.sections.get(game.player_count)
    if section is None or section["rules"] != game.files.rules_hash:
        return None
    begun = section["recipe"].get(ORIGIN)
    if begun is not None and parent is not None and begun != origin(parent):
        return None
    return (policy, path) if _is_whole(policy, section, game) else None


def _is_whole(policy: PolicyFile, section: Section, game: Game) -> bool:
    """Whether its weights are those that the rules have; another version of the program may derive others."""
    if "table" in section:
        return True
    from chocolatl.interpreter.policy.building import form_of

    return is_fitting(policy, form_of(game.ir), Findings())
