"""Mistakes made by operators on all shipped games (mutation operators): `python -m tests.checking.meaning.operators`.

Each operator makes one thing that is wrong in meaning whatever the game: by what it does, not by what `check` finds. Of
all places in a game at which it can, a few are chosen by a fixed seed, and written to `made/`, where they stay.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir.operations import ComparisonOperator, LogicOperator
from chocolatl.interpreter.source import Source, Span, read_source
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.parser import parse_rules
from chocolatl.interpreter.translate.names import nodes
from tests.checking.meaning.corpus import HERE, findings, read
from tests.conftest import ROOT

Made = tuple[int, str, list[str]]
"""The line at which lines are replaced, how many are (0: these come behind it), and what stands there instead."""
GAMES = ("chocolatl", "cacao", "quetzal", "goofspiel", "blotto", "kuhn_poker")
EACH = 4
"""So many of an operator in a game, at most."""
NEAR = 12
"""Lines between changes that are told together."""


class Rules:
    """The rules of a game: the text, the tree, and all nodes in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.source: Source = read_source(ROOT / "rules" / name / f"{name}.rules")
        rules = parse_rules(self.source, Findings())
        assert rules is not None
        self.rules = rules
        self.nodes = [node for _, _, node in nodes(rules)]
        self.strict = {d.name.text for d in rules.declarations if isinstance(d, t.Ranking) and d.strict}

    def text(self, node: t.Node) -> str:
        span = node.span
        assert span.line == span.end_line
        return self.source.line(span.line)[span.column - 1 : span.end_column - 1]

    def on_one_line(self, *found: t.Node) -> bool:
        return all(node.span.line == node.span.end_line for node in found)

    def instead(self, span: Span, new: str) -> tuple[int, int, list[str]]:
        """New words in the place of others, of one line."""
        line = self.source.line(span.line)
        return span.line, 1, [line[: span.column - 1] + f"«{new}»" + line[span.end_column - 1 :]]

    def behind(self, node: t.Node, *new: str) -> tuple[int, int, list[str]]:
        """Lines behind that of a statement, as far indented."""
        line = self.source.line(node.span.line)
        indent = " " * (len(line) - len(line.lstrip()))
        return node.span.end_line, 0, [indent + text for text in new]

    def all(self, kind: type) -> list[t.Node]:
        return sorted((n for n in self.nodes if isinstance(n, kind)), key=lambda n: (n.span.line, n.span.column))


Change = tuple[int, int, list[str]]
Operator = Callable[[Rules], Iterator[list[Change]]]


def below_nothing(rules: Rules) -> Iterator[list[Change]]:
    """A size is compared with what no size is."""
    instead: dict[object, str] = {ComparisonOperator.MORE: ">= 0", ComparisonOperator.EQUAL: "< 0"}
    for node in rules.all(t.Binary):
        if (
            isinstance(node, t.Binary) and rules.on_one_line(node) and isinstance(node.right, t.Number)
            and isinstance(node.left, t.SizeOf | t.RankOf) and node.right.value == 0
        ):  # fmt: skip
            new = instead.get(node.operator)
            if new is not None:
                yield [rules.instead(node.span, f"{rules.text(node.left)} {new}")]


def the_other_word(rules: Rules) -> Iterator[list[Change]]:
    """One thing is to be two, or not to be one of two."""
    wanted: dict[object, object] = {
        LogicOperator.OR: ComparisonOperator.EQUAL, LogicOperator.AND: ComparisonOperator.UNEQUAL,
    }  # fmt: skip
    for node in rules.all(t.Binary):
        match node:
            case t.Binary(left=t.Binary(operator=one) as a, right=t.Binary(operator=other) as b):
                if (
                    not rules.on_one_line(a.left, b.left)
                    or rules.text(a.left) != rules.text(b.left)
                    or one is not other
                ):
                    continue
                if wanted.get(node.operator) is one and rules.on_one_line(node):
                    new = "and" if node.operator is LogicOperator.OR else "or"
                    yield [rules.instead(node.span, f"{rules.text(a)} {new} {rules.text(b)}")]


def twice_the_same_part(rules: Rules) -> Iterator[list[Change]]:
    """The first part of a condition stands there again instead of the second."""
    for node in rules.all(t.Binary):
        if isinstance(node, t.Binary) and isinstance(node.operator, LogicOperator) and rules.on_one_line(node):
            if not isinstance(node.left, t.Binary) or not isinstance(node.left.operator, LogicOperator):
                yield [rules.instead(node.right.span, rules.text(node.left))]


def against_itself(rules: Rules) -> Iterator[list[Change]]:
    """The second part of `and` denies the first."""
    for node in rules.all(t.Binary):
        if isinstance(node, t.Binary) and node.operator is LogicOperator.AND and rules.on_one_line(node):
            if isinstance(node.left, t.Binary) and not isinstance(node.left.operator, LogicOperator):
                yield [rules.instead(node.right.span, f"not ({rules.text(node.left)})")]


def repeated_branch(rules: Rules) -> Iterator[list[Change]]:
    """`else if` asks again what was asked before."""
    for node in rules.all(t.If):
        if isinstance(node, t.If):
            (first, _), *others = node.branches
            for condition, _ in others:
                if rules.on_one_line(first, condition):
                    yield [rules.instead(condition.span, rules.text(first))]
    for node in rules.all(t.Conditional):
        if isinstance(node, t.Conditional) and isinstance(node.otherwise, t.Conditional):
            again = node.otherwise.condition
            if rules.on_one_line(node.condition, again):
                yield [rules.instead(again.span, rules.text(node.condition))]


def asked_again(rules: Rules) -> Iterator[list[Change]]:
    """The first thing behind `if` is to ask the same."""
    for node in rules.all(t.If):
        if isinstance(node, t.If):
            condition, block = node.branches[0]
            first = block[0]
            if rules.on_one_line(condition, first) and isinstance(first, t.Gains | t.Becomes | t.Move | t.Do):
                line = rules.source.line(first.span.line)
                indent = " " * (len(line) - len(line.lstrip()))
                asked = f"{indent}if «{rules.text(condition)}»"
                yield [(first.span.line, 1, [asked, f"    {line}"])]


def beside_itself(rules: Rules) -> Iterator[list[Change]]:
    """Something is compared with itself."""
    plain = t.Reference | t.Attribute | t.Indexed | t.Call
    for node in rules.all(t.Binary):
        if isinstance(node, t.Binary) and isinstance(node.operator, ComparisonOperator) and rules.on_one_line(node):
            if isinstance(node.left, plain) and isinstance(node.right, plain | t.Number):
                yield [
                    rules.instead(
                        node.span,
                        re.sub(r"\s+", " ", f"{rules.text(node.left)} {node.operator.word} {rules.text(node.left)}"),
                    )
                ]


def impossible_place(rules: Rules) -> Iterator[list[Change]]:
    """Places that are shared where nobody shares any; a place beyond the number of players."""
    for node in rules.all(t.Contest):
        if not isinstance(node, t.Contest):
            continue
        ranking = node.ranking.name if isinstance(node.ranking, t.Reference) else node.ranking.name.text  # type: ignore[union-attr]
        for clause in node.clauses:
            line = rules.source.line(clause.span.line)
            start = len(line) - len(line.lstrip())
            head = line[start:].split("#")[0].rstrip()
            if ranking in rules.strict and clause.sharers is None:
                yield [(clause.span.line, 1, [line[:start] + f"«{head} shared by sharers»"])]
            elif rules.name in ("cacao", "goofspiel", "blotto", "kuhn_poker") and clause.place > 0:
                yield [(clause.span.line, 1, [line[:start] + "«fifth " + head.split(" ", 1)[1] + "»"])]


def to_itself(rules: Rules) -> Iterator[list[Change]]:
    """Something becomes what it is."""
    for node in rules.all(t.Becomes):
        if isinstance(node, t.Becomes) and rules.on_one_line(node):
            target = rules.text(node.target)
            yield [rules.instead(node.span, f"{target} becomes {target}")]


def gains_nothing(rules: Rules) -> Iterator[list[Change]]:
    """A gain of 0."""
    for node in rules.all(t.Gains):
        if isinstance(node, t.Gains) and rules.on_one_line(node.amount):
            yield [rules.instead(node.amount.span, "0")]


def same_key(rules: Rules) -> Iterator[list[Change]]:
    """A ranking breaks ties by the key that they come from."""
    for node in rules.all(t.Ranking | t.Winner):  # type: ignore[arg-type]
        if isinstance(node, t.Ranking | t.Winner) and all(rules.on_one_line(k.expression) for k in node.keys):
            words = [rules.source.line(key.span.line).split("#")[0].strip().removeprefix("then ") for key in node.keys]
            last = node.keys[-1]
            line = rules.source.line(last.span.line)
            indent = line[: len(line) - len(line.lstrip())]
            if len(words) > 1:
                yield [(last.span.line, 1, [f"{indent}then «{words[0]}»"])]
            else:
                yield [(last.span.line, 0, [f"{indent}then «{words[0]}»"])]


def unread_answer(rules: Rules) -> Iterator[list[Change]]:
    """A question whose answer nobody looks at."""
    for node in rules.all(t.Choose):
        if isinstance(node, t.Choose) and rules.on_one_line(node.player):
            yield [rules.behind(node, f'{rules.text(node.player)} chooses «extra_wish» from 1..3 "What else?"')]


def unread_field(rules: Rules) -> Iterator[list[Change]]:
    """A field that is counted up and never looked at."""
    for node in rules.all(t.Gains):
        state = next(
            d for d in rules.rules.declarations if isinstance(d, t.State) and d.owner and d.owner.text == "player"
        )
        if isinstance(node, t.Gains) and isinstance(node.subject, t.Reference):
            declared = rules.behind(state.fields[0], "«tally» : 0..999 = 0")
            yield [declared, rules.behind(node, f"{node.subject.name} gains 1 tally, at most 999")]


def unheard_event(rules: Rules) -> Iterator[list[Change]]:
    """An event is announced that nobody reacts to."""
    play = next(d for d in rules.rules.declarations if isinstance(d, t.Play))
    for node in rules.all(t.Gains):
        if isinstance(node, t.Gains) and isinstance(node.subject, t.Reference):
            declared = (play.span.line - 1, 0, ["event «windfall»(who : player)", ""])
            yield [declared, rules.behind(node, f"announce windfall({node.subject.name})")]


def unannounced(rules: Rules) -> Iterator[list[Change]]:
    """A reaction to what is never announced."""
    play = next(d for d in rules.rules.declarations if isinstance(d, t.Play))
    state = next(d for d in rules.rules.declarations if isinstance(d, t.State) and d.owner and d.owner.text == "player")
    winner = next(d for d in rules.rules.declarations if isinstance(d, t.Winner))
    reaction = [
        "event «theft»(who : player)",
        "",
        'reaction fine "A fine" to «theft»(who)',
        "    who.thefts becomes who.thefts + 1",
        "",
    ]
    key = rules.behind(winner.keys[-1], "then lowest " + winner.variable.text + ".thefts")
    yield [rules.behind(state.fields[0], "thefts : 0..9 = 0"), (play.span.line - 1, 0, reaction), key]


def shadowed(rules: Rules) -> Iterator[list[Change]]:
    """A local name takes the place of a field of the table, or of a value, that it hides."""
    fields = {
        f.name.text for d in rules.rules.declarations if isinstance(d, t.State) and d.owner is None for f in d.fields
    }
    values = {d.name.text for d in rules.rules.declarations if isinstance(d, t.Value) and not d.parameters}
    known = sorted(fields | values)
    for node in rules.all(t.Let):
        if not isinstance(node, t.Let) or not rules.on_one_line(node):
            continue
        for name in known[:: max(1, len(known) // 2)]:
            changes = _renamed(rules, node, name)
            if changes:
                yield changes


def _renamed(rules: Rules, node: t.Let, name: str) -> list[Change]:
    """The declaration around a local name with that name changed; nothing if the new one is used there already."""
    for declaration in rules.rules.declarations:
        if not declaration.span.line <= node.span.line <= declaration.span.end_line:
            continue
        lines = rules.source.lines[declaration.span.line - 1 : declaration.span.end_line]
        if any(re.search(rf"\b{name}\b", line.split("#")[0]) for line in lines):
            return []
        changes: list[Change] = []
        for number, line in enumerate(lines, start=declaration.span.line):
            mark = f"«{name}»" if number == node.span.line else name
            new = re.sub(rf"(?<!\.)\b{node.name.text}\b(?!\()", mark, line)
            if new != line:
                changes.append((number, 1, [new]))
        return changes
    return []


def idle_member(rules: Rules) -> Iterator[list[Change]]:
    """A member that nothing ever is."""
    for node in rules.all(t.Enumeration):
        if isinstance(node, t.Enumeration):
            used_whole = any(
                isinstance(n, t.Reference) and n.name == node.name.text and not isinstance(n, t.Name)
                for n in rules.nodes
            )
            if not used_whole or node.name.text in ("effect", "prize", "bonus", "colour"):
                last = node.members[-1]
                line = rules.source.line(last.span.end_line)
                new = line[: last.span.end_column - 1] + ", «forgotten»" + line[last.span.end_column - 1 :]
                yield [(last.span.end_line, 1, [new])]


def asked_for_nothing(rules: Rules) -> Iterator[list[Change]]:
    """A choice becomes optional, and what follows uses the answer as before."""
    for node in rules.all(t.Choose):
        if isinstance(node, t.Choose) and not node.optional and node.into is None and len(node.picks) == 1:
            target = node.picks[0].target
            below = rules.source.lines[node.span.end_line : node.span.end_line + 2]
            if isinstance(target, t.Reference) and " chooses " in rules.source.line(node.span.line):
                for number, line in enumerate(below, start=node.span.end_line + 1):
                    used = re.search(rf"\b{target.name}\b", line)
                    if used and ("move " in line or f"{target.name}." in line) and "choose" not in line:
                        first = rules.source.line(node.span.line).replace(" chooses ", " may choose ")
                        marked = re.sub(rf"\b{target.name}\b", f"«{target.name}»", line, count=1)
                        yield [(node.span.line, 1, [first]), (number, 1, [marked])]
                        break


def laid_open(rules: Rules) -> Iterator[list[Change]]:
    """What lies in a secret zone is told by an open field: by its value, and by whether it is set."""
    zones = [
        (d.owner.text, f.name.text) for d in rules.rules.declarations if isinstance(d, t.State) and d.owner
        for f in d.fields if f.visibility is not None and f.visibility.condition is None and not f.indices
    ]  # fmt: skip
    table = next((d for d in rules.rules.declarations if isinstance(d, t.State) and d.owner is None), None)
    players = next(
        d for d in rules.rules.declarations if isinstance(d, t.State) and d.owner and d.owner.text == "player"
    )
    play = next(d for d in rules.rules.declarations if isinstance(d, t.Play))
    for owner, zone in zones:
        attribute = _attribute(rules, players, zone)
        if owner != "player" or table is None or attribute is None:
            continue
        declared = rules.behind(players.fields[0], "luck : 0..999 = 0")
        for lines in (
            ("for each q in player", f"    q.luck becomes «sum of x.{attribute} for x in q.{zone}»"),
            ("for each q in player", f"    if «some x in q.{zone} has x.{attribute} > 2»", "        q.luck becomes 1"),
            ("for each q in player", f"    for each x in q.{zone}", f"        q.luck becomes «x.{attribute}»"),
        ):
            yield [declared, rules.behind(play.body[0], *lines)]


def _attribute(rules: Rules, players: t.State, zone: str) -> str | None:
    """A number that is printed on what lies in a zone."""
    types = [f.type for f in players.fields if f.name.text == zone]
    elements = [e.element.name for e in types if isinstance(e, t.SetOf) and isinstance(e.element, t.Reference)]
    for d in rules.rules.declarations:
        if isinstance(d, t.Component) and d.name.text in elements:
            for a in d.attributes:
                if not a.indices and (a.type is None or isinstance(a.type, t.Range)):
                    return a.name.text
    return None


OPERATORS: dict[str, Operator] = {
    "never_by_range": below_nothing, "and_for_or": the_other_word, "same_part_twice": twice_the_same_part,
    "against_itself": against_itself, "repeated_branch": repeated_branch, "asked_again": asked_again,
    "beside_itself": beside_itself, "impossible_place": impossible_place, "to_itself": to_itself,
    "gains_nothing": gains_nothing, "same_key": same_key, "unread_answer": unread_answer,
    "unread_field": unread_field, "unheard_event": unheard_event, "unannounced": unannounced, "shadowed": shadowed,
    "idle_member": idle_member, "optional_answer": asked_for_nothing, "laid_open": laid_open,
}  # fmt: skip


def entry(rules: Rules, changes: list[Change]) -> str:
    """An entry of a file: each change with as much around it as makes it unique."""
    lines = rules.source.lines
    text = [f"@ {rules.name}/{rules.name}.rules"]
    for number, count, new in _joined(rules, sorted(changes)):
        start, end = number - 1, number - 1 + count if count else number
        added = new if count else [*lines[number - 1 : number], *new]
        before: list[str] = []
        while rules.source.text.count("\n".join(lines[start - len(before) : end])) > 1:
            before.insert(0, lines[start - len(before) - 1])
        text += [f"- {line}" for line in (*before, *lines[start:end])]
        text += [f"+ {line}" for line in (*before, *added)]
    return "\n".join(text)


def _joined(rules: Rules, changes: list[Change]) -> list[Change]:
    """Changes near to one another as one, so that none stands in what another one has around it."""
    joined: list[Change] = []
    for number, count, new in changes:
        if joined and number - sum(joined[-1][:2]) < NEAR:
            first, over, before = joined[-1]
            between = rules.source.lines[first + over - 1 : number - 1 if count else number]
            joined[-1] = first, number + count - first if count else number + 1 - first, [*before, *between, *new]
        else:
            joined.append((number, count, new))
    return joined


def is_only_in_meaning(name: str, text: str, below: Path) -> bool:
    """Whether the rules still make a game: what they cannot be used for is another kind of mistake."""
    (made,) = read(name, text)
    return not any(d.severity == "error" for d in findings(made, below)[0])


def main() -> None:
    found = [Rules(name) for name in GAMES]
    with tempfile.TemporaryDirectory() as below:
        for name, operator in OPERATORS.items():
            write_made(name, operator, found, Path(below))


def write_made(name: str, operator: Operator, found: list[Rules], below: Path) -> None:
    parts = [f"# Made by `{operator.__name__}`: {(operator.__doc__ or '').strip()}"]
    for rules in found:
        every = [entry(rules, changes) for changes in operator(rules)]
        every = [text for text in every if is_only_in_meaning(name, text, below)]
        chosen = random.Random(name + rules.name).sample(range(len(every)), min(EACH, len(every)))
        parts += [every[index] for index in sorted(chosen)]
    (HERE / "made" / f"{name}.txt").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    Path(HERE / "made").mkdir(exist_ok=True)
    main()
