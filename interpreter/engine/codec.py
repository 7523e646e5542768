"""Between the integers of the engine and the names that people read in files: players, members, components, lists."""

from __future__ import annotations

from collections.abc import Sequence

from interpreter.diagnostics import nearest
from interpreter.ir import nodes as ir
from interpreter.program.types import NUMBER, PLAYER, TRUTH, Multiset, Scalar

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


class NotAValue(Exception):
    """Something in a file that is no value of the type it should have. The message says what is expected."""


class Codec:
    def __init__(self, game: ir.Game, players: tuple[str, ...]) -> None:
        self.game = game
        self.labels: dict[str, tuple[int | str, ...]] = {name: d.labels for name, d in game.domains.items()}
        self.labels[PLAYER] = players
        self.positions = {name: {label: i for i, label in enumerate(labels)} for name, labels in self.labels.items()}

    def encode(self, type_: Scalar, value: int) -> Json:
        """An integer of the engine as a person writes it."""
        if type_.optional and value == type_.none:
            return None
        if type_.family == NUMBER:
            return value
        if type_.family == TRUTH:
            return bool(value)
        if type_.family in self.labels:
            return self.labels[type_.family][value]
        return self.game.options[type_.family][value]

    def decode(self, type_: Scalar, value: object) -> int:
        """What a person wrote as an integer of the engine, or `NotAValue`."""
        if value is None:
            if type_.optional:
                return type_.none
            raise NotAValue(f"null is not {self.expected(type_)}")
        if type_.family == TRUTH:
            if isinstance(value, bool):
                return int(value)
            raise NotAValue(f"{value!r} is not true or false")
        if type_.family == NUMBER:
            if isinstance(value, int) and not isinstance(value, bool) and type_.low <= value <= type_.high:
                return value
            raise NotAValue(f"{value!r} is not {self.expected(type_)}")
        known = self.positions.get(type_.family, {})
        if isinstance(value, (int, str)) and not isinstance(value, bool) and value in known:
            return known[value]
        hint = nearest(str(value), [str(label) for label in known])
        raise NotAValue(f"{value!r} is not {self.expected(type_)}" + (f"; {hint}" if hint else ""))

    def expected(self, type_: Scalar) -> str:
        if type_.family == NUMBER:
            return f"a number from {type_.low} to {type_.high}"
        names = [str(label) for label in self.labels.get(type_.family, ())]
        listed = ", ".join(names) if len(names) <= 12 else ", ".join(names[:10]) + ", ..."
        return f"a {type_.family} ({listed})"

    def encode_set(self, type_: Multiset, counts: Sequence[int]) -> Json:
        element = type_.element
        result: list[Json] = []
        for kind, count in enumerate(counts):
            result += [self.encode(element, element.low + kind)] * count
        return result

    def decode_set(self, type_: Multiset, value: object) -> list[int]:
        if not isinstance(value, list):
            raise NotAValue(f"{value!r} is not a list")
        counts = [0] * type_.element.size
        for item in value:
            counts[self.decode(type_.element, item) - type_.element.low] += 1
        return counts
