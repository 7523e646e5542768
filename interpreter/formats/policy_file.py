"""Policy files: how to play a game, a section for each number of players, checked against the rules it is for.

A section is plain data. It holds features with their scales and tables of weights by name, or a table for a small game.
Whether the names are those of the rules, `chocolatl.interpreter.formats.policy_weights` tells.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from chocolatl.interpreter.data.load import load_document
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.files import write_text
from chocolatl.interpreter.formats.yaml_text import to_yaml
from chocolatl.interpreter.lowered.codec import Json

if TYPE_CHECKING:  # who only looks at a file does not wait for the engine
    from chocolatl.interpreter.play.game import Game

FILE = "policy.yaml"
WRONG = "E205"

Section = dict[str, Any]


AGAIN = "again"
"""Where a section has what was learned by other seeds, by seed."""


def trainings(section: Section) -> list[Section]:
    """A section, and the same for each time that it was learned again: sections of their own."""
    return [section, *({"rules": section["rules"], **other} for other in section.get(AGAIN, {}).values())]


def with_training(section: Section, training: Section) -> Section:
    """A section with one more training, which takes the place of an earlier one by the same seed."""
    added = {key: value for key, value in training.items() if key != "rules"}
    return {**section, AGAIN: {**section.get(AGAIN, {}), str(training["recipe"]["seed"]): added}}


class PolicyFile(Struct, frozen=True, eq=False):
    """A file with its sections by number of players."""

    document: Document
    sections: dict[int, Section]

    def path(self, players: int, *rest: str | int, training: int = 0) -> tuple[str | int, ...]:
        """The path of a part of what a training has left, where the key of a section may be a number or a text."""
        held = self.document.value["players"]
        key: str | int = players if players in held else str(players)
        if not training:
            return "players", key, *rest
        return "players", key, AGAIN, list(held[key][AGAIN])[training - 1], *rest

    def check_game(self, name: str, findings: Findings) -> None:
        """Whether it is for the game of this name."""
        of = self.document.value["game"]
        if of != name:
            message = f"this is a policy for `{of}`, not for `{name}`"
            findings.error(WRONG, message, self.document.span(("game",)))


def read_policy(path: Path, findings: Findings) -> PolicyFile | None:
    """A file whose shape is right, or None after a finding."""
    own = Findings()
    document = load_document(path, "policy", own)
    sections: dict[int, Section] = {}
    for key, section in document.value["players"].items() if document is not None else ():
        number, place = str(key), ("players", key)
        assert document is not None
        if not (number.isascii() and number.isdigit() and 1 <= int(number[:3]) <= 99):
            own.error(WRONG, f"`{number[:40]}` is no number of players", document.key_span(place))
            continue
        if ("table" in section) == ("weights" in section) or ("features" in section) != ("weights" in section):
            own.error(WRONG, "a section has a `table`, or else `features` and `weights`", document.key_span(place))
        if AGAIN in section and "table" in section:
            own.error(WRONG, "a table is not learned again: no seed decides it", document.key_span((*place, AGAIN)))
        sections[int(number)] = _named(section)
    findings.items += own.items
    return PolicyFile(document, sections) if document is not None and not own.has_errors else None


def read_sections(path: Path, game: str | None, findings: Findings) -> dict[int, Section] | None:
    """The sections of a file, for a game if one is named, by number of players; None after a finding."""
    own = Findings()
    policy = read_policy(path, own)
    if policy is not None and game is not None:
        policy.check_game(game, own)
    findings.items += own.items
    return policy.sections if policy is not None and not own.has_errors else None


def load_sections(path: Path, game: Game) -> dict[int, Section]:
    """The sections of a file for a game; none if there is no file. `Rejected` if it is wrong."""
    findings = Findings()
    sections = read_sections(path, game.files.name, findings) if path.exists() else {}
    findings.reject_errors()
    assert sections is not None
    return sections


def write_section(path: Path, game: Game, section: Section) -> None:
    """Write the section for the players of a game; those for other numbers stay. `Rejected` if the file that is there
    is none."""
    sections = {**load_sections(path, game), game.player_count: section}
    ordered: dict[str, Json] = {str(number): sections[number] for number in sorted(sections)}
    write_text(path, to_yaml({"kind": "policy", "format": 1, "game": game.files.name, "players": ordered}))


def _named(part: Any) -> Any:
    """The same with texts for keys: names may look like numbers."""
    return {str(name): _named(value) for name, value in part.items()} if isinstance(part, dict) else part
