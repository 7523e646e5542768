"""The names and values in the events and expectations of a scenario, held against what the game declares.

A name or value that the game can never have is a mistake of the file, and is found without running it. That matters
most for `illegal`, where a misspelt name would otherwise make the expectation come true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from chocolatl.interpreter.data.model import DataPath
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.lowered.codec import Codec, NotAValue
from chocolatl.interpreter.program.types import PLAYER

CHOICE = re.compile(r"([^\[\]]+?)\s*(?:\[(.*)\])?")
MOST_LABELS = 1000


class Questions:
    """The choices and chance events of a game by their names."""

    def __init__(self, game: ir.GameRules) -> None:
        self.choices: dict[str, list[ir.Choice]] = {}
        self.chances: dict[str, list[ir.ChanceNode]] = {}
        for procedure in game.procedures.values():
            for statement in procedure.statements:
                if isinstance(statement, ir.Choice):
                    self.choices.setdefault(statement.name, []).append(statement)
                elif isinstance(statement, ir.ChanceNode):
                    self.chances.setdefault(statement.local.name, []).append(statement)


class ScenarioNames:
    """What can be named in a game, and the reports about what cannot."""

    def __init__(self, codec: Codec, questions: Questions, document: Document, findings: Findings) -> None:
        self.codec = codec
        self.choices, self.chances = questions.choices, questions.chances
        self.document = document
        self.findings = findings

    def event(self, event: Mapping[str, Any], place: DataPath, must_fit: bool = True) -> None:
        """An event of `when`, or an answer of `legal` or `illegal`; the latter need not fit its choice."""
        questions: Iterable[ir.Choice | ir.ChanceNode]
        if "chance" in event:
            questions = self.chance(event["chance"], (*place, "chance"))
            self.player(event.get("for"), (*place, "for"))
        else:
            self.player(event["player"], (*place, "player"))
            questions = self.choice(event["choice"], (*place, "choice"))
        self.value(questions, event["value"], (*place, "value"), must_fit)

    def answers(self, then: Mapping[str, Any]) -> None:
        """What `then` says beside the state."""
        for number, pending in enumerate(then.get("pending", [])):
            place: DataPath = ("then", "pending", number)
            if "chance" in pending:
                self.chance(pending["chance"], (*place, "chance"))
            else:
                self.player(pending["player"], (*place, "player"))
                self.choice(pending["choice"], (*place, "choice"))
        for name in then.get("view", {}):
            self.player(name, ("then", "view", name))
        for part in ("legal", "illegal"):
            for number, answer in enumerate(then.get(part, [])):
                self.event(answer, ("then", part, number), must_fit=part == "legal")
        for part in ("result", "breakdown"):
            for player in then.get(part, {}):
                self.player(str(player), ("then", part, player), on_key=True)
        for player, items in then.get("breakdown", {}).items():
            for item in items:
                self.known(str(item), self.codec.game.items, "item", ("then", "breakdown", player, item), on_key=True)
        for number, player in enumerate(then.get("winners", [])):
            self.player(player, ("then", "winners", number))

    # ------------------------------------------------------------ single names

    def known(self, name: str, names: Iterable[str], what: str, place: DataPath, on_key: bool = False) -> bool:
        known = list(names)
        if name in known:
            return True
        span = self.document.key_span(place) if on_key else self.document.span(place)
        listed = f"they are: {', '.join(known[:12])}" if known else ""
        self.findings.error("E704", f"there is no {what} `{name}`", span, nearest(name, known) or listed)
        return False

    def player(self, name: str | None, place: DataPath, on_key: bool = False) -> None:
        if name is not None:
            self.known(name, map(str, self.codec.labels[PLAYER]), "player", place, on_key)

    def chance(self, name: str, place: DataPath) -> list[ir.ChanceNode]:
        return self.chances[name] if self.known(name, self.chances, "chance event", place) else []

    def choice(self, name: str, place: DataPath) -> list[ir.Choice]:
        """The choices that a name with its index can mean."""
        parts = CHOICE.fullmatch(name)
        base, index = (parts[1], parts[2]) if parts else (name, None)
        if not self.known(base, self.choices, "choice", place):
            return []
        labels = index.split(", ") if index is not None else []
        fitting = [choice for choice in self.choices[base] if len(choice.indices) == len(labels)]
        if not fitting:
            wanted = len(self.choices[base][0].indices)
            message = f"`{base}` has {wanted or 'no'} {'index' if wanted < 2 else 'indices'}, found {len(labels)}"
            self.findings.error("E704", message, self.document.span(place))
            return []
        for number, label in enumerate(labels):
            known = [shown for choice in fitting for shown in self.labels(choice.indices[number])]
            if known and not self.known(label, dict.fromkeys(known), f"`{base}` with the index", place):
                return []
        return fitting

    def labels(self, index: ir.Expression) -> list[str]:
        """What an index can be called; nothing for one that can be very much."""
        low, high = index.type.bounds
        return [self.codec.text(index.type, v) for v in range(low, high + 1)] if high - low < MOST_LABELS else []

    def decode(self, question: ir.Choice | ir.ChanceNode, value: object) -> None:
        """Read a value; `NotAValue` says that it is none."""
        if isinstance(question, ir.Choice):
            self.codec.decode_answer(question, value)
        else:
            self.codec.decode_outcome(question, value)

    def value(
        self, questions: Iterable[ir.Choice | ir.ChanceNode], value: object, place: DataPath, must_fit: bool
    ) -> None:
        """A value must be one of what the name can stand for. What must not fit may be any number."""
        problem = ""
        for question in questions:
            try:
                self.decode(question, value)
                return
            except NotAValue as error:
                problem = str(error)
        if problem and (must_fit or not _numbers(value)):
            message, hint = parted(problem)
            self.findings.error("E705", message, self.document.span(place), hint)


def parted(message: str) -> tuple[str, str]:
    """A message of the engine and the hint at its end."""
    message, found, hint = message.partition("; did you")
    return message, f"did you{hint}" if found else ""


def _numbers(value: object) -> bool:
    """Whether a value is made of numbers alone, which may be out of range on purpose."""
    if isinstance(value, (list, dict)):
        return all(_numbers(part) for part in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and not isinstance(value, bool)
