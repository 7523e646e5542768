"""What is wrong with a policy file: by itself, and beside a game by its rules (validation)."""

from __future__ import annotations

import shlex
from pathlib import Path

from chocolatl.interpreter.analysis.pipeline import Translator
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.policy_file import WRONG, PolicyFile, read_policy
from chocolatl.interpreter.formats.policy_weights import is_fitting
from chocolatl.interpreter.policy.building import policy_form

STALE = "W904"


def check_policy(path: Path, findings: Findings, translator: Translator) -> None:
    """Of sections for other rules only that is told."""
    own = Findings()
    policy, folder = read_policy(path, own), path.resolve().parent
    if policy is not None and (folder / "game.yaml").exists():
        policy.check_game(folder.name, own)
        files = load_game(path.parent, own) if not own.has_errors else None
        if files is not None:
            _check_sections(policy, path, files, own, translator)
    findings.items += own.items


def _check_sections(
    policy: PolicyFile, path: Path, files: GameFiles, findings: Findings, translator: Translator
) -> None:
    for players, section in policy.sections.items():
        if not files.minimum <= players <= files.maximum:
            message = f"`{files.name}` is for {files.minimum} to {files.maximum} players"
            findings.error(WRONG, message, policy.document.key_span(policy.path(players)))
            continue
        code = translator.game(files, players, findings)
        if code is None:
            continue  # rules that are wrong make every policy stale
        if section["rules"] != files.rules_hash:
            again = shlex.join(
                ["chocolatl", "train", str(path.parent), "--players", str(players), "--output", str(path)]
            )
            findings.warning(
                STALE, f"the policy for {players} players was learned for other rules",
                policy.document.span(policy.path(players, "rules")), f"learn it again: `{again}`",
            )  # fmt: skip
        elif "weights" in section:
            is_fitting(policy, policy_form(code), findings)
