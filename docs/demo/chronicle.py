"""Rounds of a game on a page: at each contest what everyone had laid, the order, why it is so, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile

from rich import box

from chocolatl.interpreter.lowered.lowered_game import Log
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Decision, Game, Position
from chocolatl.interpreter.play.match import Player, next_question
from chocolatl.interpreter.terminal.output.console import GOOD, NOTICE, VisibleText
from chocolatl.interpreter.terminal.output.tables import FoldingTable
from chocolatl.interpreter.terminal.story.events import Chose, Contested, Happened, Revealed, Scored, StoryEvent
from chocolatl.interpreter.terminal.story.narrator import Narrator


@dataclass(frozen=True)
class Round:
    """What happened in a round (0 is before the first), and the position after it."""

    number: int
    events: tuple[StoryEvent, ...]
    end: Position


def play_rounds(game: Game, players: Sequence[Player], randoms: Sequence[Random]) -> tuple[list[Round], Position]:
    """Play a game; its rounds as one who sees everything would tell them, and the position at the end."""
    narrator = Narrator(game)
    told: list[Round] = []

    def note(number: int, events: list[StoryEvent], position: Position) -> None:
        if told and told[-1].number == number:
            events = [*told.pop().events, *events]
        told.append(Round(number, tuple(events), position))

    log: Log = []
    position = game.initial(log)
    if log:
        note(0, narrator.logged(log), position)
    while (question := next_question(game, position)) is not None:
        number, before = game.round(position), position
        if isinstance(question, Decision):
            player = question.player
            answer = players[player].choose(game, position, question, randoms[player + 1])
            position = game.answer(position, player, answer)
            events = narrator.choice(before, question, answer, position)
        else:
            outcome = question.outcomes.sample(randoms[0])
            position = game.resolve(position, outcome)
            events = narrator.chance(before, question, outcome)
        note(number, events, position)
    return told, position


@dataclass
class Scene:
    """A contest with all that led to it and came of it; the events after the last contest have none."""

    before: list[StoryEvent] = field(default_factory=list)
    contest: Contested | None = None
    after: list[StoryEvent] = field(default_factory=list)
    laid: dict[int, list[str]] = field(default_factory=dict)
    """What each player has laid for it, in the order in which it was turned up."""


def scenes(events: Sequence[StoryEvent]) -> list[Scene]:
    """Events by contest. Points belong to the contest before them, choices where the rules ask for them."""
    found = [Scene()]
    for event in events:
        current = found[-1]
        follows = isinstance(event, Scored) and not current.before
        follows = follows or (isinstance(event, Chose) and event.contest is not None)
        if isinstance(event, Contested):
            current.contest = event
            found.append(Scene())
        elif follows and len(found) > 1:
            found[-2].after.append(event)
        else:
            current.before.append(event)
    _sort_in(found)
    return found if found[-1].before else found[:-1]


def _sort_in(found: list[Scene]) -> None:
    """Put what was laid for a contest in its place, whenever it was turned up; the choices to lay it are left out."""
    by_title = {scene.contest.title: scene for scene in found if scene.contest is not None}
    for scene in found:
        for event in list(scene.before):
            if isinstance(event, Revealed) and event.at in by_title:
                by_title[event.at].laid.setdefault(event.player, []).extend(event.elements)
                scene.before.remove(event)
    for scene in found:
        scene.before = [e for e in scene.before if not isinstance(e, Chose) or e.at not in by_title]


def opening(entry: Round) -> list[StoryEvent]:
    """What chance brought before anybody did anything in a round."""
    return list(takewhile(lambda event: isinstance(event, Happened), entry.events))


def round_table(game: Game, entry: Round) -> FoldingTable:
    """A row for each contest: what and where, what each player laid and has by it, the order, its reasons, the points.

    What belongs to no contest stands with the next one; what chance brought at first (`opening`) is left out."""
    narrator = Narrator(game)
    table = FoldingTable(box=box.ROUNDED, show_lines=True, header_style="bold", border_style="dim")
    table.add_column("contest")
    for name in game.players:
        table.add_column(name, justify="right")
    table.add_column("what came of it")
    for scene in scenes(entry.events[len(opening(entry)) :]):
        lines = VisibleText("\n".join(narrator.lines([e for e in scene.before if not _is_pass(e)])))
        contest = scene.contest
        if contest is None:
            table.add_row("", *[""] * game.player_count, lines)
            continue
        outcome = VisibleText("\n").join([part for part in (lines, _outcome(scene, contest, narrator)) if part.plain])
        where = VisibleText(contest.title)
        if contest.line is not None:
            where.append(f"\nline {contest.line}", "dim")
        table.add_row(where, *[_laid(scene, contest, seat) for seat in range(game.player_count)], outcome)
    return table


def _is_pass(event: StoryEvent) -> bool:
    """Not to do something is seldom worth a line."""
    return isinstance(event, Chose) and event.value == "no"


def _laid(scene: Scene, contest: Contested, seat: int) -> VisibleText:
    """What a player laid, and below it the value that counts; the first are marked."""
    is_first = bool(contest.places) and seat in contest.places[0]
    text = VisibleText(" ".join(scene.laid.get(seat, [])))
    if seat in contest.values:
        text.append("\n" if text.plain else "")
        text.append(contest.values[seat], f"bold {GOOD}" if is_first else "bold")
        text.append(" *" if is_first else "  ", GOOD)
    return text


def _outcome(scene: Scene, contest: Contested, narrator: Narrator) -> VisibleText:
    lines = VisibleText()
    names = [" = ".join(narrator.name(player) for player in place) for place in contest.places]
    lines.append(" > ".join(names) if contest.values else narrator.order(contest))
    for tie in narrator.ties(contest):
        lines.append(f"\n{tie}", NOTICE)
    for is_points, group in groupby(scene.after, lambda event: isinstance(event, Scored)):
        if is_points:
            scored = [_points(event, contest, narrator) for event in group if isinstance(event, Scored)]
            lines.append(f"\n{', '.join(scored)}", GOOD)
        else:
            lines.append("".join(f"\n{line}" for line in narrator.lines(list(group))))
    return lines


def _points(event: Scored, contest: Contested, narrator: Narrator) -> str:
    """Points, and what they are for unless the row says so."""
    reason = event.text or (event.item if event.item != contest.title else "")
    return f"{narrator.points(event)} ({reason})" if reason else narrator.points(event)


def scores_table(game: Game, rounds: Sequence[Round]) -> FoldingTable:
    """The scores after each round, a row for each player; the last one is the end of the game."""
    table = FoldingTable(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim", show_edge=False)
    table.add_column("after round")
    shown = [entry for entry in rounds if entry.number]
    for entry in shown:
        table.add_column("end" if game.is_over(entry.end) else str(entry.number), justify="right")
    for seat, name in enumerate(game.players):
        table.add_row(name, *[str(game.scores(entry.end)[seat]) for entry in shown])
    return table
