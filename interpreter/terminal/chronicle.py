"""A whole game on one page: a row for each round with what chance brought, who chose what, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table
from rich.text import Text

from interpreter.engine.compile import Log
from interpreter.game import Decision, Game, Position
from interpreter.match import Player, next_question
from interpreter.random import Random
from interpreter.terminal.console import GOOD, NOTICE
from interpreter.terminal.narrator import Chose, Contested, Event, Happened, Narrator, Scored
from interpreter.terminal.words import enumerated


@dataclass(frozen=True)
class Round:
    """What happened in a round (0 is before the first), and the scores after it."""

    number: int
    events: tuple[Event, ...]
    scores: tuple[int, ...]


def play_rounds(game: Game, players: Sequence[Player], randoms: Sequence[Random]) -> tuple[list[Round], Position]:
    """Play a game; its rounds as one who sees everything would tell them, and the position at the end."""
    narrator = Narrator(game)
    told: list[Round] = []

    def note(number: int, events: list[Event], position: Position) -> None:
        if told and told[-1].number == number:
            events = [*told.pop().events, *events]
        told.append(Round(number, tuple(events), game.scores(position)))

    log: Log = []
    position = game.initial(log)
    if log:
        note(0, narrator.logged(log), position)
    while (question := next_question(game, position)) is not None:
        log = []
        number = game.round(position)
        before = position
        if isinstance(question, Decision):
            player = question.player
            answer = players[player].choose(game, position, question, randoms[player + 1])
            position = game.answer(position, player, answer, log)
            events = narrator.choice(before, question, answer, position, log)
        else:
            outcome = question.outcomes.sample(randoms[0])
            position = game.resolve(position, outcome, log)
            events = narrator.chance(before, question, outcome, log)
        note(number, events, position)
    return told, position


def rounds_table(game: Game, rounds: Sequence[Round]) -> Table:
    """Columns: the round, what chance decides, what each player chose, what came of it, the scores after it."""
    narrator = Narrator(game)
    chances = list(dict.fromkeys(e.name for r in rounds for e in r.events if isinstance(e, Happened)))
    choices = {e.name for r in rounds for e in r.events if isinstance(e, Chose)}
    table = Table(box=box.ROUNDED, show_lines=False, header_style="bold", border_style="dim", pad_edge=True)
    if game.has_rounds:
        table.add_column("round", justify="right", style="dim")
    for name in chances:
        table.add_column(name, justify="right", style="bold")
    of_what = f"\n{next(iter(choices))}" if len(choices) == 1 else ""
    for name in game.players:
        table.add_column(f"{name}{of_what}", justify="right" if of_what else "left")
    table.add_column("what came of it")
    widths = [max(len(name), 3) for name in game.players]
    heads = [f"{name:>{width}}" for name, width in zip(game.players, widths, strict=True)]
    table.add_column("scores\n" + " ".join(heads), no_wrap=True)
    for entry in rounds:
        row: list[Text | str] = [str(entry.number)] if game.has_rounds else []
        row += [_values(entry, name, narrator) for name in chances]
        row += [_choices(entry, player, bool(of_what), narrator) for player in range(game.player_count)]
        row.append(_outcome(entry, narrator))
        row.append(Text(" ".join(f"{score:>{width}}" for score, width in zip(entry.scores, widths, strict=True))))
        table.add_row(*row)
    return table


def _values(entry: Round, name: str, narrator: Narrator) -> Text:
    found = [e for e in entry.events if isinstance(e, Happened) and e.name == name]
    shown = [f"{narrator.name(e.owner)} {e.value}" if e.owner is not None else str(e.value) for e in found]
    return Text("\n".join(shown))


def _choices(entry: Round, player: int, alone: bool, narrator: Narrator) -> Text:
    """A player's choices; in bold where the round brought points."""
    found = [e for e in entry.events if isinstance(e, Chose) and e.player == player]
    gained = any(isinstance(e, Scored) and e.player == player and e.points > 0 for e in entry.events)
    words = [str(e.value) if alone else narrator.choice_text(e) for e in found]
    return Text("\n".join(words), f"bold {GOOD}" if gained else "")


def _outcome(entry: Round, narrator: Narrator) -> Text:
    """Each contest with its order; then what decided, by which line of the rules, and the points."""
    lines = Text()
    reason: str | None = None
    for event in entry.events:
        if isinstance(event, Contested):
            if reason is not None:
                lines.append(f"{reason}: no points\n", NOTICE)
            lines.append(f"{narrator.order(event)}\n")
            reason = _reason(event)
        elif isinstance(event, Scored):
            what = narrator.sentence(event) if len(narrator.titles) > 1 or event.text else narrator.points(event)
            lines.append(f"{reason}: {what}\n" if reason else f"{what}\n", GOOD if event.points > 0 else "")
            reason = None
    if reason is not None:
        lines.append(f"{reason}: no points\n", NOTICE)
    lines.rstrip()
    return lines


def _reason(event: Contested) -> str:
    """Where the rules say what it means to be first, what told the first from the others, and how many they are."""
    if not event.places:
        return "nobody is ranked"
    equal = f"{enumerated(event.tied)} equal, " if event.tied else ""
    sharing = "alone" if event.first == 1 else f"shared by {event.first}"
    line = f"line {event.line}, " if event.line is not None else ""
    return f"{line}{equal}{event.key} {sharing}"
