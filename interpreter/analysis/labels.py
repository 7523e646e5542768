"""Labels for the analysis of secrecy (a lattice of taints): what a value was read from, and who may see that."""

from __future__ import annotations

from msgspec import Struct

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.source import Span

SOMEBODY = ("somebody",)
"""A player that is not known here."""

Who = tuple[object, ...]
"""A player, as far as the analysis can tell: the same one wherever it is equal, unless it is SOMEBODY."""


class Secret(Struct, frozen=True):
    """Something read from a zone that is not open. `who` may see it; nobody may see what is hidden."""

    zone: Field
    who: Who | None
    span: Span

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self.zone == other.zone and self.who == other.who

    def __hash__(self) -> int:
        return hash((self.zone, self.who))


SecrecyLabel = frozenset[Secret]
OPEN: SecrecyLabel = frozenset()


class SecrecyState(Struct):
    """What is known of locals at a place of the program: their secrets, and which players they are."""

    secrets: dict[int, SecrecyLabel]
    players: dict[int, Who]

    def copy(self) -> SecrecyState:
        return SecrecyState(dict(self.secrets), dict(self.players))

    def set(self, local: ir.Local, label: SecrecyLabel, who: Who) -> None:
        """A local gets another value. That of one without secrets is not noted."""
        self.players[local.number] = who
        if label:
            self.secrets[local.number] = label
        else:
            self.secrets.pop(local.number, None)

    def add(self, number: int, label: SecrecyLabel) -> None:
        """A local may hold more secrets."""
        if label:
            self.secrets[number] = self.secrets.get(number, OPEN) | label

    def join(self, other: SecrecyState) -> None:
        for number, label in other.secrets.items():
            self.add(number, label)
        for number, who in other.players.items():
            if self.players.setdefault(number, who) != who:
                self.players[number] = SOMEBODY

    def forget(self, who: Who) -> None:
        """Somebody else goes by this from now on: what was only for him is for somebody unknown."""
        for number, label in self.secrets.items():
            self.secrets[number] = forgotten(label, who)
        for number, known in self.players.items():
            if known == who:
                self.players[number] = SOMEBODY


def forgotten(label: SecrecyLabel, who: Who) -> SecrecyLabel:
    if all(secret.who != who for secret in label):
        return label
    return frozenset(Secret(s.zone, SOMEBODY if s.who == who else s.who, s.span) for s in label)
