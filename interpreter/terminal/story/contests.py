"""Contests as people tell them: who came before whom, and which key of the ranking decided.

Made from the entry that a contest leaves in the log, and from the ranking and the contest in the IR.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.engine.runtime import RankedElements
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import Sharing
from chocolatl.interpreter.ir.walk import statements
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.program.types import NUMBER, PLAYER, Scalar
from chocolatl.interpreter.terminal.output.words import spaced, titled
from chocolatl.interpreter.terminal.story import visibility
from chocolatl.interpreter.terminal.story.events import Contested, Tie


def contested(
    game: Game, viewer: int | None, number: int, ranked: RankedElements, text: int, values: tuple[int, ...]
) -> Contested:
    """A contest by a ranking, as a viewer may know it."""
    elements, ranks, keys = ranked
    ranking = game.ir.rankings[game.program.rankings[number]]
    title = _title(game, ranking, values)
    places: dict[int, list[int]] = {}
    for element, rank in zip(elements, ranks, strict=True):
        places.setdefault(rank, []).append(element)
    groups = tuple(tuple(group) for group in places.values())
    if not groups:
        return Contested(title, (), label=text)
    first = ranking.keys[0]
    words = _words(game, ranking, first, elements[0])
    line = _clause(game, text, len(groups[0]))
    if viewer is not None and not all(visibility.is_public(game, key.expression) for key in ranking.keys):
        return Contested(title, groups[:1], words, line=line, label=text)  # how others compare says what they hide
    sign = -1 if first.descending else 1
    shown = {e: game.show(first.expression.type, sign * own[0]) for e, own in zip(elements, keys, strict=True)}
    ties = []
    for better, worse in zip(range(len(elements)), range(1, len(elements)), strict=False):
        if keys[better][0] == keys[worse][0] and ranks[better] != ranks[worse]:
            pairs = enumerate(zip(keys[better], keys[worse], strict=True))
            decisive = ranking.keys[next(i for i, (mine, theirs) in pairs if mine != theirs)]
            reason = _words(game, ranking, decisive, elements[better])
            ties.append(Tie(elements[better], elements[worse], reason))
    return Contested(title, groups, words, shown, tuple(ties), line, text)


def _title(game: Game, ranking: ir.Ranking, values: tuple[int, ...]) -> str:
    """What is contested: the member of an enum that the ranking is about, or else its name with its arguments."""
    words = [spaced(ranking.name)]
    for parameter, value in zip(ranking.parameters, values, strict=False):
        assert isinstance(parameter.type, Scalar)
        shown = titled(game, parameter.type, value)
        if parameter.type.family not in (NUMBER, PLAYER):
            return shown
        words.append(f"{spaced(parameter.name)} {shown}" if parameter.type.family == NUMBER else shown)
    return ", ".join(words)


def _words(game: Game, ranking: ir.Ranking, key: ir.Key, better: int) -> str:
    """`highest p.bid` and `highest bid(p, here)` are `highest bid` to someone who does not read rules; a condition is
    told of whoever it favours."""
    variable = re.escape(ranking.local.name)
    if not key.text.startswith(("highest ", "lowest ")):
        assert isinstance(ranking.local.type, Scalar)
        name = titled(game, ranking.local.type, better)
        return re.sub(rf"\b{variable}\b", lambda _: name, spaced(key.text))
    return spaced(re.sub(rf"\b{variable}\.|\({variable}(, [^()]*)?\)|\[\w+\]", "", key.text))


def _clause(game: Game, text: int, sharers: int) -> int | None:
    """The line of the clause of a contest that the first place comes under."""
    for contest in _contests(game, text):
        for clause in contest.clauses:
            if clause.place == 1 and _is_for(clause.sharing, sharers):
                return clause.span.line
    return None


def _is_for(sharing: Sharing, sharers: int) -> bool:
    """Whether a clause is for so many who have its place."""
    match sharing:
        case Sharing.ANYBODY:
            return True
        case Sharing.ALONE:
            return sharers == 1
        case Sharing.SHARED:
            return sharers > 1
        case _:
            assert_never(sharing)


def _contests(game: Game, text: int) -> Iterator[ir.Contest]:
    """The contest with a label of this number."""
    label = game.program.texts[text]
    for procedure in game.ir.procedures.values():
        for statement in procedure.statements:
            if isinstance(statement, ir.Contest) and statement.label is label:
                yield statement


def labels_by_choice(game: Game) -> dict[int, int]:
    """For each choice that is asked for inside a contest, by the identity of its node, the number of the label.

    Procedures that a contest calls belong to it, unless they are called by several."""
    found: dict[int, set[int]] = {}
    for number, text in enumerate(game.program.texts):
        if text is None:
            continue
        for contest in _contests(game, number):
            for clause in contest.clauses:
                for statement in _reached(game, clause.body, set()):
                    if isinstance(statement, ir.Choice):
                        found.setdefault(id(statement), set()).add(number)
    return {choice: numbers.pop() for choice, numbers in found.items() if len(numbers) == 1}


def _reached(game: Game, block: ir.Block, seen: set[str]) -> Iterator[ir.Statement]:
    for statement in statements(block):
        yield statement
        if isinstance(statement, ir.Call) and statement.procedure not in seen:
            seen.add(statement.procedure)
            yield from _reached(game, game.ir.procedures[statement.procedure].body, seen)
