"""Data that flow nowhere (dead stores, dead code): fields, answers, events, members and keys that decide nothing.

A name counts as read wherever it is read by that name, so that a doubt is never reported. What only a variant of the
game reads counts, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.meaning.kinds import SOMEBODY, LocalName, LocalScope
from chocolatl.interpreter.meaning.reading import Reader
from chocolatl.interpreter.meaning.uses import DeclarationUses, reads_in, uses_of
from chocolatl.interpreter.meaning.world import World
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import names_in_data, nodes

ONLY_WRITTEN, UNREAD, NOTHING, TWICE = "W009", "W010", "W012", "W013"
UNHEARD, IDLE, SHADOWED = "W014", "W015", "W016"


class DataFlow:
    """What all declarations of a game read and write; found for each of them once."""

    def __init__(self, world: World, known: dict[int, tuple[t.Declaration, DeclarationUses]]) -> None:
        self.world = world
        self.uses: list[tuple[t.Declaration, DeclarationUses]] = []
        for declaration in world.files.rules.declarations:
            entry = known.get(id(declaration))
            if entry is None:
                entry = known[id(declaration)] = declaration, uses_of(declaration)
            self.uses.append(entry)
        self.read = set[str]().union(*[each.read for _, each in self.uses])
        self.domains = set[str]().union(*[each.domains for _, each in self.uses])
        self.announced = {s.name.text: s for _, each in self.uses for s in each.announced}


def report_data_flow(
    flow: DataFlow, own: Iterable[t.Declaration], meant: Callable[[], set[str]], findings: Findings
) -> None:
    """Report what flows nowhere in some declarations; `meant` are the words of the variants of the game."""
    mine = {id(declaration) for declaration in own}
    reader = Reader(flow.world)
    for declaration, uses in flow.uses:
        if id(declaration) not in mine:
            continue
        match declaration:
            case t.State():
                _fields(declaration, flow, meant, findings)
            case t.Event():
                _event(declaration, flow, meant, findings)
            case t.Enumeration():
                _members(declaration, flow, meant, findings)
            case t.Ranking() | t.Winner():
                _keys(declaration, reader, findings)
            case t.Modifier():
                if reader.form(declaration.amount, {}) == (0, ()):
                    findings.warning(NOTHING, "this changes nothing", declaration.amount.span, "leave it out")
            case _:
                pass
        _answers(declaration, uses, flow, findings)
        _shadows(declaration, flow, findings)


def _fields(state: t.State, flow: DataFlow, meant: Callable[[], set[str]], findings: Findings) -> None:
    """Fields that only get values. Where pieces lie that are out of the game, nobody need look."""
    for each in state.fields:
        name = each.name.text
        if name in flow.read or isinstance(each.type, t.SetOf):
            continue
        written = next((uses.written[name] for _, uses in flow.uses if name in uses.written), None)
        if written is not None and name not in meant():
            message = f"`{name}` gets values, and nothing ever looks at them"
            findings.warning(
                ONLY_WRITTEN, message, each.name.span, "leave it out, or use it",
                (Related(written, "here it gets one"),),
            )  # fmt: skip


def _event(event: t.Event, flow: DataFlow, meant: Callable[[], set[str]], findings: Findings) -> None:
    name = event.name.text
    heard = [r for r in flow.world.reactions if r.event.text == name]
    announced = flow.announced.get(name)
    if bool(heard) == (announced is not None) or name in meant():
        return
    if announced is not None:
        message, other = f"nothing reacts to `{name}`", Related(announced.name.span, "it is announced here")
        hint = f"leave it out, or write `reaction NAME to {name}`"
    else:
        message, other = f"`{name}` is never announced", Related(heard[0].event.span, "so that this never happens")
        hint = f"leave it out, or write `announce {name}`"
    findings.warning(UNHEARD, message, event.name.span, hint, (other,))


def _members(enum: t.Enumeration, flow: DataFlow, meant: Callable[[], set[str]], findings: Findings) -> None:
    """Members that nothing names, of an enum that is used only by its members."""
    name = enum.name.text
    if enum.cyclic or name in flow.domains or any(owner == name for owner, _ in flow.world.fields):
        return
    unnamed = [m for m in enum.members if m.name.text not in flow.read and m.name.text not in flow.domains]
    if not unnamed or len(unnamed) == len(enum.members):
        return
    in_data = {*names_in_data(flow.world.files), *meant()}
    if name in {each for table in flow.world.files.tables.values() for each in table.index or ()}:
        return
    for member in unnamed:
        if member.name.text not in in_data:
            message = f"nothing is ever `{member.name.text}`: nobody names it"
            findings.warning(IDLE, message, member.name.span, "leave it out, or name it somewhere")


def _keys(ranking: t.Ranking | t.Winner, reader: Reader, findings: Findings) -> None:
    """Keys that stand there before: whoever is equal by the one is equal by the other."""
    scope: LocalScope = {}
    if isinstance(ranking, t.Ranking):
        scope = reader.parameters(ranking.parameters, ranking)
        kind = reader.element(ranking.domain, scope)
    else:
        kind = SOMEBODY
    scope = {**scope, ranking.variable.text: LocalName("ranked", kind)}
    seen: dict[object, t.Key] = {}
    for key in ranking.keys:
        term = reader.term(key.expression, scope)
        before = seen.setdefault(term, key)
        if before is key:
            continue
        if before.when is None or (key.when is not None and reader.term(before.when, {}) == reader.term(key.when, {})):
            message = "this decides nothing: whoever comes here is equal by it"
            findings.warning(
                TWICE, message, key.expression.span, "leave it out, or compare by something else",
                (Related(before.expression.span, "it has been compared already"),),
            )  # fmt: skip


def _answers(declaration: t.Declaration, uses: DeclarationUses, flow: DataFlow, findings: Findings) -> None:
    """Answers to a question after which nobody looks at them."""
    for choice in uses.chosen:
        if choice.into is not None:
            continue
        named = [pick.target for pick in choice.picks]
        names = {n.name for n in named if isinstance(n, t.Reference) and (None, n.name) not in flow.world.fields}
        if len(names) < len(named):
            continue
        inside = {id(node) for _, _, node in nodes(choice)}
        if not any(_reads(node, names) for _, _, node in nodes(declaration) if id(node) not in inside):
            target = choice.picks[0].target
            message = f"nobody looks at the answer: `{', '.join(sorted(names))}` is never used"
            findings.warning(UNREAD, message, target.span, "let something follow from it, or do not ask")


def _reads(node: t.Tree, names: set[str]) -> bool:
    match node:
        case t.Becomes():
            return not names.isdisjoint(reads_in(node.value))
        case t.Reference():
            return node.name in names
        case t.Text():
            return not names.isdisjoint(reads_in(node))
    return False


# ---------------------------------------------------------------- names

LOCAL = {
    (t.Aggregate, "variable"), (t.Draw, "name"), (t.Let, "name"), (t.ForEach, "variable"), (t.InTurn, "variable"),
    (t.Secretly, "variable"), (t.Clause, "variable"), (t.Clause, "sharers"), (t.Contest, "name"),
    (t.Parameter, "name"), (t.Modifier, "names"), (t.Ranking, "variable"), (t.Reaction, "names"),
    (t.Window, "variable"), (t.FinalScoring, "variable"), (t.Winner, "variable"), (t.Pick, "name"),
}  # fmt: skip
"""Where a name is new."""


def _shadows(declaration: t.Declaration, flow: DataFlow, findings: Findings) -> None:
    """Local names that hide what the same word means everywhere else."""
    world = flow.world
    for parent, part, node in nodes(declaration):
        if not isinstance(node, t.Name) or (parent, part) not in LOCAL or node.text == "round":
            continue
        name = node.text
        if (None, name) in world.fields:
            what, place = "field", world.fields[None, name].name.span
        elif name in world.values:
            what, place = "value", world.values[name].name.span
        elif name in world.latches:
            what, place = "latch", world.latches[name].name.span
        elif name in world.files.parameters:
            what, place = "parameter", world.files.parameters[name].span
        else:
            continue
        message = f"`{name}` hides the {what} of that name"
        findings.warning(SHADOWED, message, node.span, "choose another name", (Related(place, f"the {what}"),))
