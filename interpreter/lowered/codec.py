"""Between the integers of the engine and the names that people read in files (encoding and decoding)."""

from __future__ import annotations

from typing import Any

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.lowered.zones import bag, copies
from chocolatl.interpreter.program.model import Domain
from chocolatl.interpreter.program.types import NUMBER, OWNER, PLAYER, TRUTH, Multiset, Scalar, missing

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


class NotAValue(Exception):
    """Something in a file that is no value of the type it should have. The message says what is expected."""


class Codec:
    def __init__(self, game: ir.GameRules, players: tuple[str, ...]) -> None:
        self.game = game
        self.labels: dict[str, tuple[int | str, ...]] = {name: d.labels for name, d in game.domains.items()}
        self.labels[PLAYER] = players
        if OWNER in self.labels:
            self.labels[OWNER] = (*players, *self.labels[OWNER][len(players) :])
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
            domain = self.game.domains[type_.family]
            if domain.parts:
                parts = zip(domain.parts, domain.split(value), strict=True)
                return [self.encode(part, position) for (_, part), position in parts]
            return self.labels[type_.family][value]
        return self.game.options[type_.family][value]

    def text(self, type_: Scalar, value: int) -> str:
        """A value as a word for people and for keys of maps: a cell is `1,0`, a pair `1,0 north`."""
        encoded = self.encode(type_, value)
        if encoded is None:
            return missing(type_.family)
        if not isinstance(encoded, list):
            return {True: "yes", False: "no"}[encoded] if isinstance(encoded, bool) else str(encoded)
        domain = self.game.domains[type_.family]
        parts = zip(domain.parts, domain.split(value), strict=True)
        return ("," if domain.sides else " ").join(self.text(part, position) for (_, part), position in parts)

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
        domain = self.game.domains.get(type_.family)
        if domain is not None and domain.parts:
            return self.decode_parts(domain, type_, value)
        known = self.positions.get(type_.family, {})
        if isinstance(value, (int, str)) and not isinstance(value, bool) and value in known:
            return known[value]
        hint = nearest(str(value), [str(label) for label in known])
        raise NotAValue(f"{value!r} is not {self.expected(type_)}" + (f"; {hint}" if hint else ""))

    def decode_parts(self, domain: Domain, type_: Scalar, value: object) -> int:
        """A cell or a pair, written as the list of its parts."""
        if not isinstance(value, list) or len(value) != len(domain.parts):
            raise NotAValue(f"{value!r} is not {self.expected(type_)}")
        return domain.join([self.decode(part, item) for (_, part), item in zip(domain.parts, value, strict=True)])

    def expected(self, type_: Scalar) -> str:
        domain = self.game.domains.get(type_.family)
        if domain is not None and domain.parts:
            return f"a {type_.family}, written [{', '.join(name for name, _ in domain.parts)}]"
        if type_.family == NUMBER:
            return f"a number from {type_.low} to {type_.high}"
        names = [str(label) for label in self.labels.get(type_.family, ())]
        listed = ", ".join(names) if len(names) <= 12 else ", ".join(names[:10]) + ", ..."
        return f"a {type_.family} ({listed})"

    def choice_name(self, node: ir.Choose | ir.ChooseSet, values: tuple[int, ...]) -> str:
        """The name of a choice in the rules, with the values of its index: `sealed[quay]`."""
        if not values:
            return node.name
        labels = [self.text(e.type, value) for e, value in zip(node.indices, values, strict=True)]
        return f"{node.name}[{', '.join(labels)}]"

    def encode_answer(self, node: ir.Choose | ir.ChooseSet, answer: Any) -> Json:
        """An answer as a person writes it."""
        if isinstance(node, ir.ChooseSet):
            element = element_of(node.source)
            return [self.encode(element, value) for value in answer]
        if len(node.picks) == 1:
            return self.encode(_scalar(node.picks[0].local), answer)
        if node.optional and answer == no_answer(node):
            return None
        picks = zip(node.picks, answer, strict=True)
        return {pick.local.name: self.encode(_scalar(pick.local), value) for pick, value in picks}

    def encode_outcome(self, node: ir.Roll | ir.Draw, outcome: Any) -> Json:
        """The same for what chance decided."""
        type_ = node.local.type
        if isinstance(type_, Multiset):
            return [self.encode(type_.element, value) for value in outcome]
        return self.encode(_scalar(node.local), outcome)

    def decode_answer(self, node: ir.Choose | ir.ChooseSet, value: object) -> Any:
        """What a person wrote as an answer. It need not be legal; `NotAValue` says that it is none at all."""
        if isinstance(node, ir.ChooseSet):
            return self._several(element_of(node.source), value)
        types = [_scalar(pick.local) for pick in node.picks]
        if len(types) == 1:
            return self.decode(types[0], value)
        if value is None and node.optional:
            return no_answer(node)
        names = [pick.local.name for pick in node.picks]
        if not isinstance(value, dict) or set(value) != set(names):
            raise NotAValue(f"{value!r} is not a map of {', '.join(names)}")
        return tuple(self.decode(type_, value[name]) for type_, name in zip(types, names, strict=True))

    def decode_outcome(self, node: ir.Roll | ir.Draw, value: object) -> Any:
        """The same for what chance decided."""
        type_ = node.local.type
        if isinstance(node, ir.Roll) and node.count is not None:
            return self._several(type_.element if isinstance(type_, Multiset) else _scalar(node.local), value)
        return self.decode(_scalar(node.local), value)

    def _several(self, element: Scalar, value: object) -> tuple[int, ...]:
        if not isinstance(value, list):
            raise NotAValue(f"{value!r} is not a list")
        return tuple(sorted(self.decode(element, item) for item in value))

    def encode_set(self, type_: Multiset, content: Any) -> Json:
        """What lies in a set, from the content of its slot."""
        element = type_.element
        if type_.short:
            return [self.encode(element, value) for value in content]
        result: list[Json] = []
        for kind, count in copies(content):
            result += [self.encode(element, element.low + kind)] * count
        return result

    def decode_set(self, type_: Multiset, value: object) -> Any:
        """The content of a slot, from what a person wrote."""
        if not isinstance(value, list):
            raise NotAValue(f"{value!r} is not a list")
        # Of pieces there are as many as there are.
        if type_.element.family not in self.game.totals and len(value) > most_of_set(type_, self.game):
            raise NotAValue(f"a {type_} cannot hold {len(value)}")
        elements = [self.decode(type_.element, item) for item in value]
        return tuple(sorted(elements)) if type_.short else bag(element - type_.element.low for element in elements)


def no_answer(node: ir.Choose) -> Any:
    """The answer that leaves an optional choice out."""
    nones = tuple(_scalar(pick.local).none for pick in node.picks)
    return nones[0] if len(nones) == 1 else nones


def element_of(zone: ir.Zone) -> Scalar:
    """The type of what lies in a zone."""
    type_ = zone.field.type if isinstance(zone, ir.FieldZone) else zone.local.type
    assert isinstance(type_, Multiset)
    return type_.element


def _scalar(local: ir.Local) -> Scalar:
    assert isinstance(local.type, Scalar)
    return local.type
