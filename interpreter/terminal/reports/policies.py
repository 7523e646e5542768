"""What is known of a policy, wherever figures of learned players are told: how much it can be exploited."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chocolatl.interpreter.formats.policy_file import Section
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.simulation.series import SeriesSetting

PARTS = 10_000
UNMEASURED = "how much it can be exploited was not measured; `chocolatl train --measure FILE` does that"


def percent(parts: int) -> str:
    return f"{100 * parts / PARTS:.1f} %"


def interval(share: list[int]) -> str:
    """Mean and ends of a share."""
    return f"{percent(share[0])} ({100 * share[1] / PARTS:.1f} to {100 * share[2] / PARTS:.1f})"


def exploited(section: Section, players: int) -> list[str]:
    """What best responses gain from a policy, in words."""
    strength: dict[str, int] = section.get("strength", {})
    if "nash_conv" in strength:
        ours, theirs = (strength.get(key, 0) / PARTS for key in ("nash_conv", "uniform"))
        return [f"best responses gain {ours:.4f} against the table; {theirs:.4f} against uniform play"]
    found: dict[str, Any] = section.get("exploitability", {})
    lines = []
    if "share" in found:
        others = ", ".join(percent(share) for share in found["responses"][1:])
        lines.append(
            f"the best of {len(found['responses'])} best responses wins {interval(found['share'])} among "
            f"{players - 1} of it (fair: {percent(PARTS // players)}; the others: {others})"
        )
        lines.append(
            f"the same recipe wins {interval(found['among_random'])} among random players and "
            f"{interval(found['among_self_play'])} among plain self-play"
            + ("" if found["counts"] else ": too little for its best responses to count")
        )
    else:
        lines.append(UNMEASURED)
    if found.get("curve"):
        points = ", ".join(f"{100 * share / PARTS:.0f} % after {updates}" for updates, share in found["curve"])
        lines.append(f"while it learned, exploiters won {points} updates")
    return lines


def followed(setting: SeriesSetting) -> Iterator[tuple[str, Section]]:
    """The policies that players of a series follow, by their type."""
    seen = set[str]()
    for name, player in zip(setting.plan.types, setting.players, strict=True):
        if isinstance(player, LearnedPlayer) and player.section is not None and name not in seen:
            seen.add(name)
            fits = player.section["rules"] == setting.game.files.rules_hash
            yield name, player.section if fits else {}  # what was measured with other rules says nothing here


def policy_lines(setting: SeriesSetting) -> list[str]:
    """What is told of them below a table of results."""
    return [
        f"{name}: {line}"
        for name, section in followed(setting)
        for line in exploited(section, setting.game.player_count)
    ]


def policies_as_json(setting: SeriesSetting) -> dict[str, Any]:
    return {
        name: {"strength": section.get("strength", {}), "exploitability": section.get("exploitability")}
        for name, section in followed(setting)
    }
