"""Types, global names and fields of the state: what is called how, what it can hold, who sees it, how it starts."""

from __future__ import annotations

from math import prod

from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.program import space
from chocolatl.interpreter.program.constants import dotted, evaluate
from chocolatl.interpreter.program.model import MANY, Field, Program
from chocolatl.interpreter.program.types import PLAYER, TRUTH, YES_NO, Multiset, Scalar, Type, missing, number
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.words import OPENERS, RESERVED

PREDEFINED = ("player", "player_count", "owner", "round", "table", "min", "max", "item", "final_scoring")
MAX_SHORT = 10_000
MAX_CELLS = 100_000
"""The largest number of values that one field may hold, over all its owners and indices."""
MAX_VALUES = 500_000
"""The largest number that all fields together may hold: a position is copied again and again."""


class FieldDeclarer:
    def __init__(self, program: Program, findings: Findings) -> None:
        self.program = program
        self.findings = findings
        self.values = 0
        """So many values the fields hold that were declared so far."""

    def claim(self, name: t.Name, what: str = "name") -> bool:
        """Take a global name; False with a finding when it is taken already."""
        first = self.program.places.get(name.text)
        if name.text in PREDEFINED or name.text in RESERVED:
            self.findings.error("E304", f"`{name.text}` has a meaning of its own and cannot be declared", name.span)
            return False
        if first is not None:
            self.findings.error(
                "E305", f"the {what} `{name.text}` is declared twice", name.span,
                related=(Related(first, "the first declaration"),),
            )  # fmt: skip
            return False
        if self.is_parameter(name):
            return False
        self.program.places[name.text] = name.span
        return True

    def is_parameter(self, name: t.Name) -> bool:
        """Report a name that the game's data have for something else."""
        files = self.program.files
        data = files.parameters.get(name.text) or files.tables.get(name.text)
        if data is not None:
            self.findings.error(
                "E305", f"`{name.text}` is a parameter of game.yaml already", name.span,
                "give one of them another name", (Related(data.span, "the parameter"),),
            )  # fmt: skip
        return data is not None

    def state(self, node: t.State) -> None:
        owner, owners = None, 1
        if node.owner is not None:
            domain = self.program.domains.get(node.owner.text)
            if domain is None:
                hint = nearest(node.owner.text, self.program.domains)
                if node.owner.text not in self.program.broken:
                    message = f"there is no `{node.owner.text}` that could have anything"
                    self.findings.error("E301", message, node.owner.span, hint)
                self.program.broken |= {field.name.text for field in node.fields}
                return
            owner, owners = domain.name, domain.size
        for field in node.fields:
            if not self.findings.is_full:
                self.field(owner, owners, field)
            if (owner, field.name.text) not in self.program.fields:
                self.program.broken.add(field.name.text)

    def field(self, owner: str | None, owners: int, node: t.Field) -> None:
        name = node.name.text
        earlier = self.program.fields.get((owner, name))
        if earlier is not None:
            self.findings.error(
                "E305", f"the field `{name}` is declared twice", node.name.span,
                related=(Related(earlier.span, "the first declaration"),),
            )  # fmt: skip
            return
        if owner is None and name in OPENERS:
            self.findings.error("E304", f"`{name}` has a meaning of its own and cannot be declared", node.name.span)
            return
        if owner is None and name not in self.program.latches and not self.claim(node.name):
            return
        indices = [self.type(index) for index in node.indices]
        type_ = self.type(node.type)
        scalars = tuple(i for i in indices if isinstance(i, Scalar) and not i.optional)
        if len(scalars) < len(indices):
            for index, written in zip(indices, node.indices, strict=True):
                if index is not None and index not in scalars:
                    message = "an index is a range, an enum, a component, a grid or `player`"
                    self.findings.error("E402", message, written.span)
            return
        if type_ is None or not isinstance(type_, (Scalar, Multiset)):
            return
        cells = owners * prod(index.size for index in scalars)
        if isinstance(type_, Multiset):
            cells *= type_.most or type_.element.size
        if cells > MAX_CELLS or cells == 0:
            long = isinstance(type_, Multiset) and not type_.short and not self.is_component(type_.element)
            hint = f"write how many it holds at most: `{type_} up to 9`" if long else ""
            message = f"`{name}` holds {cells:,} values; 1 to {MAX_CELLS:,} are possible"
            self.findings.error("E504", message, node.span, hint)
            return
        self.values += cells
        if self.values - cells <= MAX_VALUES < self.values:
            message = f"with `{name}`, the state holds {self.values:,} values; {MAX_VALUES:,} are possible"
            self.findings.error("E504", message, node.span)
        visibility = self.visibility(node, owner, type_)
        filled, initial = self.initial(node, type_)
        self.program.fields[owner, name] = Field(
            owner, name, owners, scalars, type_, visibility, filled, initial, node.name.span
        )

    def visibility(self, node: t.Field, owner: str | None, type_: Type) -> str:
        if node.visibility is None:
            return "open"
        word = node.visibility.word
        if not isinstance(type_, Multiset):
            self.findings.error(
                "E405", f"only a `set of ...` can be {word}", node.visibility.span,
                "what is chosen in a secret block stays unseen until the block ends; a card to hide lies in a set",
            )  # fmt: skip
            return "open"
        if type_.short:
            message = f"a set with `up to` is seen by all; only a set of components can be {word}"
            self.findings.error("E405", message, node.visibility.span)
            return "open"
        if word == "secret" and owner != PLAYER:
            self.findings.error(
                "E405", "`secret` means that its player sees it, and this belongs to no player",
                node.visibility.span, "write `hidden`: nobody sees it",
            )  # fmt: skip
        condition = node.visibility.condition
        if condition is not None and not evaluate(condition, self.program, self.findings, TRUTH):
            return "open"
        return word

    def initial(self, node: t.Field, type_: Scalar | Multiset) -> tuple[tuple[int, ...], int]:
        """What lies in the zone at the start, by kind, and the start value of a scalar."""
        if isinstance(type_, Multiset):
            if node.initial is not None:
                self.findings.error("E402", "a set starts empty or with `every ...`", node.initial.span)
            if node.every is not None and type_.short:
                self.findings.error("E402", f"a {type_} starts empty", node.every.span, "`add` puts values into it")
                return (), 0
            if node.every is not None and node.every.text != type_.element.family:
                named = type_.element.family in self.program.places
                hint = f"write `every {type_.element.family}`" if named else "`add` puts values into it"
                self.findings.error("E401", f"a {type_} cannot hold every {node.every.text}", node.every.span, hint)
                return (), 0
            filled = self.filled(node, type_.element) if node.every is not None else ()
            if node.every is not None and sum(filled) > MANY and not self.is_component(type_.element):
                message = f"`{node.name.text}` starts with {sum(filled):,} values; a set holds up to {MANY}"
                self.findings.error("E504", message, node.every.span)
            return filled, 0
        if node.every is not None:
            self.findings.error("E401", "only a `set of ...` can start with `every ...`", node.every.span)
        if node.initial is None:
            return (), type_.none if type_.optional else type_.low if type_.low > 0 or type_.high < 0 else 0
        if isinstance(node.initial, t.Literal) and node.initial.word in ("none", "nobody"):
            if not type_.optional:
                self.findings.error("E412", f"a {type_} cannot be {node.initial.word}", node.initial.span)
            return (), type_.none
        named = isinstance(node.initial, t.Reference) and node.initial.name not in self.program.constants
        if named and isinstance(node.initial, t.Reference) and type_.family in self.program.domains:
            domain = self.program.domains[type_.family]
            labels = domain.labels
            if node.initial.name in labels:
                return (), labels.index(node.initial.name)
            hint = nearest(node.initial.name, [str(x) for x in labels]) or (domain.written if domain.sides else "")
            message = f"there is no {type_.required} `{node.initial.name}`"
            self.findings.error("E301", message, node.initial.span, hint)
            return (), 0
        parameter = self.program.constants.get(dotted(node.initial) or "")
        if parameter is not None and type_.family in self.program.domains:
            labels = self.program.domains[type_.family].labels
            word = self.program.label(parameter.type, parameter.value)
            if isinstance(word, (int, str)) and word in labels:
                return (), labels.index(word)
            self.findings.error("E412", f"this parameter is {word}, which is no {type_}", node.initial.span)
            return (), 0
        if parameter is not None and parameter.type.optional and type_.optional:
            if parameter.value == parameter.type.none:
                return (), type_.none
        value = evaluate(node.initial, self.program, self.findings, type_.family)
        if value is not None and not type_.low <= value <= type_.high:
            self.findings.error("E503", f"the start value {value} is outside {type_}", node.initial.span)
        return (), value or 0

    def filled(self, node: t.Field, element: Scalar) -> tuple[int, ...]:
        """All components, or those that a table lists."""
        if node.listed is None:
            domain = self.program.domains.get(element.family)
            return domain.copies if domain is not None and domain.copies else (1,) * element.size
        name = dotted(node.listed)
        table = self.program.tables.get(name or "")
        if name in self.program.broken:
            return ()
        if table is None:
            hint = nearest(name or "", self.program.tables)
            self.findings.error("E301", f"there is no table `{name}`", node.listed.span, hint)
        elif table.type.family != element.family:
            hint = f"give the table `type: {element.family}`"
            self.findings.error("E401", f"`{name}` lists {table.type}, not {element}", node.listed.span, hint)
        else:
            return tuple(table.values.count(kind) for kind in range(element.low, element.high + 1))
        return ()

    def type(self, node: t.Expression) -> Type | None:
        """The type that is written here, or None after a finding."""
        match node:
            case t.YesNo():
                return YES_NO
            case t.Range():
                low = evaluate(node.low, self.program, self.findings)
                high = evaluate(node.high, self.program, self.findings)
                if low is None or high is None:
                    return None
                if low > high:
                    self.findings.error("E503", f"the range {low}..{high} is empty", node.span)
                    return None
                return number(low, high)
            case t.Reference():
                domain = self.program.domains.get(node.name)
                if domain is None:
                    if node.name in self.program.broken:
                        return None
                    if node.name not in self.program.places:
                        hint = nearest(node.name, self.program.domains)
                        self.findings.error("E301", f"there is no type `{node.name}`", node.span, hint)
                    else:
                        self.findings.error("E401", f"`{node.name}` is not a type", node.span)
                    return None
                return domain.type
            case t.SetOf():
                element = self.type(node.element)
                if isinstance(element, Multiset):
                    self.findings.error("E402", "a set holds single things, not sets", node.element.span)
                if not isinstance(element, Scalar):
                    return None
                return self.short_set(node, element) if node.most is not None else Multiset(element)
            case t.Pair():
                return self.pair(node)
            case t.Turned():
                return self.turned(node)
            case t.OrNone():
                base = self.type(node.base)
                if base is None:
                    return None
                if not isinstance(base, Scalar):
                    self.findings.error("E412", f"a {base} cannot be none, it can be empty", node.span)
                    return None
                word = missing(base.family)
                if node.word != word:
                    message = f"a missing {base.family} is `{word}`, not `{node.word}`"
                    self.findings.error("E412", message, node.span, f"write `or {word}`")
                return Scalar(base.family, base.low, base.high, optional=True)
        self.findings.error("E401", "this is not a type", node.span)
        return None

    def short_set(self, node: t.SetOf, element: Scalar) -> Multiset | None:
        """`set of cell up to 3`: values, of which it holds so many at most."""
        assert node.most is not None
        if self.is_component(element):
            message = f"a set of {element} holds pieces, and how many there are is known"
            self.findings.error("E402", message, node.most.span, "leave out `up to`")
            return None
        most = evaluate(node.most, self.program, self.findings)
        if most is not None and not 1 <= most <= MAX_SHORT:
            message = f"a set that holds up to {most:,} values is not possible; 1 to {MAX_SHORT:,} are"
            self.findings.error("E503", message, node.most.span)
            return None
        return Multiset(element, most) if most is not None else None

    def is_component(self, element: Scalar) -> bool:
        domain = self.program.domains.get(element.family)
        return domain is not None and bool(domain.copies)

    def pair(self, node: t.Pair) -> Scalar | None:
        unnamed = next((part for part in node.parts if not isinstance(part, t.Reference)), None)
        if unnamed is not None:
            message = "a pair is made of players, members, components or cells, each by its name"
            self.findings.error("E402", message, unnamed.span, "for example `(cell, side)`")
            return None
        parts = [self.type(part) for part in node.parts]
        scalars = [part for part in parts if isinstance(part, Scalar)]
        return space.pair(scalars, self.program, node.span, self.findings) if len(scalars) == len(parts) else None

    def turned(self, node: t.Turned) -> Scalar | None:
        name = node.component.text
        faces = space.turned(name, self.program)
        if faces is not None:
            return faces.type
        domain = self.program.domains.get(name)
        if domain is not None and domain.copies:
            message, hint = space.unturned(domain, self.program)
            self.findings.error("E402", message, node.component.span, hint)
        elif name not in self.program.broken:
            components = [d.name for d in self.program.domains.values() if d.turning is not None]
            hint = nearest(name, components)
            self.findings.error("E301", f"there is no component `{name}`", node.component.span, hint)
        return None


def resolve_type(node: t.Expression, program: Program, findings: Findings) -> Type | None:
    """The type written in a body, for example of a local."""
    return FieldDeclarer(program, findings).type(node)
