"""Which names a rule file declares and uses (definitions and uses): what is misspelt, and what is for nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from msgspec import Struct, field

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.ir.operations import Forgotten, written_types
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t

USES = {
    (t.Attribute, "name"), (t.Call, "name"), (t.Do, "name"), (t.Gains, "field"), (t.Parameter, "members"),
    (t.State, "owner"), (t.Secretly, "domain"), (t.Field, "every"), (t.Grid, "sides"), (t.Step, "side"),
    (t.Turned, "component"), (t.Modifier, "value"), (t.Reaction, "event"), (t.Announce, "name"),
}  # fmt: skip
"""Where a name stands for something that is declared elsewhere."""
LABELS = {(t.Choose, "name"), (t.FinalItem, "name"), (t.RuleFile, "game")}
"""Where a name is only for people."""
LOCAL = {
    (t.Aggregate, "variable"), (t.Pick, "name"), (t.Draw, "name"), (t.Let, "name"), (t.ForEach, "variable"),
    (t.InTurn, "variable"), (t.Secretly, "variable"), (t.Clause, "variable"), (t.Clause, "sharers"),
    (t.Contest, "name"), (t.Parameter, "name"), (t.Modifier, "names"), (t.Ranking, "variable"), (t.Reaction, "names"),
    (t.Window, "variable"), (t.FinalScoring, "variable"), (t.Winner, "variable"),
}  # fmt: skip
"""Where a name is new, and known in one declaration."""
TARGETS = {(t.Pick, "target"), (t.Roll, "target")}
"""Where a name on its own may be a new one, or a field that changes; but how many are chosen is a formula."""
GLOBAL = (
    t.Enumeration, t.Member, t.Component, t.ComponentAttribute, t.Item, t.Field, t.Value, t.Ranking, t.Procedure,
    t.Latch, t.Invariant, t.Grid, t.Axis, t.Holder, t.Modifier, t.Event, t.Reaction, t.Window,
)  # fmt: skip
"""What is known everywhere by its name."""


def _check() -> None:
    """That it is said of each name in the tree what it is; the error names this file."""
    said = USES | LABELS | LOCAL | {(kind, "name") for kind in GLOBAL}
    for kind in get_args(t.Tree):
        for part, written in written_types(kind).items():
            if "Name" in written and (kind, part) not in said:
                what = f"whether the {part} of {kind.__name__} declares a name or uses one"
                raise Forgotten(__name__, f"nobody says {what}")


_check()


class NameUses(Struct):
    """The names that a text declares, and those that it uses; `targets` are those that get a value by choice or chance,
    which are new ones or fields."""

    declared: dict[str, list[Span]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)

    def idle(self) -> list[str]:
        return [name for name, spans in self.declared.items() if len(spans) == 1 and name not in self.used]


class Collector:
    """Collects names; those of a declaration that many variants share, once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[t.Declaration, NameUses, NameUses]] = {}

    def collect(self, rules: t.RuleFile) -> tuple[NameUses, list[NameUses]]:
        """The names that are known everywhere, and those that are known in each declaration."""
        everywhere = NameUses()
        inside: list[NameUses] = []
        for declaration in rules.declarations:
            if id(declaration) not in self._known:
                self._known[id(declaration)] = (declaration, *_collected(declaration))
            _, outside, here = self._known[id(declaration)]
            inside.append(here)
            everywhere.used |= here.used
            everywhere.targets |= here.targets
            for name, spans in outside.declared.items():
                everywhere.declared.setdefault(name, []).extend(spans)
        return everywhere, inside


def _collected(declaration: t.Declaration) -> tuple[NameUses, NameUses]:
    """The names of a declaration that are known everywhere, and those that are known in it."""
    everywhere, here = NameUses(), NameUses()
    numbers: set[int] = set()
    for parent, part, node in nodes(declaration):
        match node:
            case t.Choose() if node.into is not None:
                numbers.update(id(pick.target) for pick in node.picks)
            case t.Name() if (parent, part) in USES:
                here.used.add(node.text)
            case t.Name() if (parent, part) not in LABELS:
                names = here if (parent, part) in LOCAL else everywhere
                names.declared.setdefault(node.text, []).append(node.span)
            case t.Reference() if (parent, part) in TARGETS and id(node) not in numbers:
                here.declared.setdefault(node.name, []).append(node.span)
                here.targets.add(node.name)
            case t.Reference():
                here.used.add(node.name)
            case t.Text():
                for gap in re.findall(r"\{([^{}]*)\}", node.text):
                    here.used.update(re.findall(r"[A-Za-z]\w*", gap))
    return everywhere, here


def names_in_data(files: GameFiles) -> Iterator[str]:
    """The names that the data of the game use: members, enums, attributes."""
    waiting: list[object] = [(p.value, p.options) for p in files.parameters.values()]
    waiting += [(table.index, table.type, table.value) for table in files.tables.values()]
    waiting += [(c.ranges, [(kind.attributes, kind.copies) for kind in c.kinds]) for c in files.components.values()]
    while waiting:
        data = waiting.pop()
        if isinstance(data, dict):
            waiting += [*data, *data.values()]
        elif isinstance(data, (list, tuple)):
            waiting += data
        elif isinstance(data, str):
            yield from re.findall(r"[A-Za-z]\w*", data)


def nodes(root: t.Tree) -> Iterator[tuple[type, str, t.Tree]]:
    """Every node below a node, with the class and the part of the one that it stands in."""
    waiting: list[tuple[type, str, object]] = [(type(root), "", root)]
    while waiting:
        parent, part, node = waiting.pop()
        if isinstance(node, tuple):
            waiting += [(parent, part, entry) for entry in node]
        elif isinstance(node, t.Node):
            found: Any = node  # the list of them is closed
            yield parent, part, found
            kind: Any = type(node)
            waiting += [(kind, name, getattr(node, name)) for name in _parts(kind)]


@cache
def _parts(kind: Any) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name != "span")
