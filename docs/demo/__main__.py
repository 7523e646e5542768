"""The demonstration: a game is played, explained and solved, from nothing but its rule files. `make demo` runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from chocolatl.interpreter.data.find import find_game
from chocolatl.interpreter.engine.state import TABLE, encode_state
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_on, streams
from chocolatl.interpreter.players.registry import make_player
from chocolatl.interpreter.terminal.board.board import results
from chocolatl.interpreter.terminal.output.console import NOTICE, make_console
from chocolatl.interpreter.terminal.output.words import spaced, titled
from chocolatl.interpreter.terminal.reports.best import show_advice
from chocolatl.interpreter.terminal.story.narrator import Narrator
from chocolatl.solver.advice import advise, question_of
from docs.demo.chronicle import Round, opening, play_rounds, round_table, scores_table
from docs.demo.excerpt import excerpt

GAME = "chocolatl"
PLAYERS = {"ada": "random", "ben": "random", "cleo": "random", "dan": "random"}
SEED = 350
ROUND = 3
"""The round that is told."""
SEEKER, SCENARIOS = "ada", 4

SHOWN = ("bid", "bidders", "resolve(drink)")
FIELDS = ("drink.highest", "drink.second", "drink.lowest", "track.cycle_from_1")


def main() -> None:
    console = make_console()
    game = load(find_game(GAME), tuple(PLAYERS))

    console.print()
    console.print(Rule(Text(f"{game.files.title}, from its rules", "bold"), style="dim"))
    console.print(Padding(game.files.about, (1, 2), expand=False))
    console.print(Text(f"  rules/{GAME}/{GAME}.rules, in part:", "dim"))
    console.print(Padding(excerpt(game, SHOWN, console.width), (1, 0), expand=False))
    console.print(Text(f"  rules/{GAME}/game.yaml, in part:", "dim"))
    for name in FIELDS:
        entry = game.files.tables.get(name) or game.files.parameters[name]
        console.print(Padding(Text(f"{name} = {value_words(entry.value)}"), (0, 0, 0, 7), expand=False))
    console.print()

    players = [make_player(type_) for type_ in PLAYERS.values()]
    rounds, end = play_rounds(game, players, streams(SEED, 0, game.player_count))
    before, told = (next(entry for entry in rounds if entry.number == number) for number in (ROUND - 1, ROUND))
    who = [f"{name} ({type_})" for name, type_ in PLAYERS.items()]
    console.print(Rule(Text(f"Round {ROUND} of a game", "bold"), style="dim"))
    console.print(Padding(Text("players  ", "dim").append(f"{', '.join(who)}; seed {SEED}", "not dim"), (1, 2, 0, 2)))
    console.print(Padding(Text("track    ", "dim").append(track(game, before.end, "this round")), (0, 2)))
    console.print(Padding(Text("chance   ", "dim").append("; ".join(chance(game, told)), "not dim"), (0, 2)))
    console.print(
        Padding("What everyone laid, the bid that it makes, who is first (*), and why:", (1, 2), expand=False)
    )
    console.print(round_table(game, told))
    console.print(Padding(Text("track    ", "dim").append(track(game, told.end, "the next round")), (1, 2, 0, 2)))
    console.print(Padding(Text("holders  ", "dim").append(holders(game, told.end), "not dim"), (0, 2, 1, 2)))

    console.print(Rule(Text("The end of the game", "bold"), style="dim"))
    console.print(Padding(scores_table(game, rounds), (1, 2, 0, 2), expand=False))
    console.print(Padding(results(game, game.result(end)), (1, 2, 0, 2), expand=False))

    console.print()
    console.print(Rule(Text("The best bids, proved", "bold"), style="dim"))
    asked = f"What should {SEEKER} lay in the first round, against {SCENARIOS} ways in which the others may play?"
    console.print(Padding(asked, (1, 2), expand=False))
    best_bids(game, console)

    console.print(Text("\n  Now you:", "bold"))
    for command, purpose in (
        (f"chocolatl play {GAME} --players you,random,random", "play it yourself"),
        (f"chocolatl simulate {GAME} --players 3 --games 100", "let others play"),
        (f"chocolatl deal {GAME} --players 3 --seed 1 --to-round 1 -o p.yaml", "a position of your own"),
        ("chocolatl solve p.yaml --player p1", "its best bids"),
        ("chocolatl check rules", "after you have changed a rule"),
    ):
        console.print(Text(f"    .venv/bin/{command}", "cyan").append(f"\n        {purpose}", "dim not cyan"))


def best_bids(game: Game, console: Console) -> None:
    """The best answer to the first bids of a game."""
    players = [make_player(type_) for type_ in PLAYERS.values()]
    start = play_on(game, game.initial(), players, streams(SEED, 0, game.player_count), until=first_bids(game))
    seat = game.players.index(SEEKER)
    question = question_of(game, scenarios=SCENARIOS, samples=100, seed=SEED, seconds=30, alternatives=0)
    show_advice(game, SEEKER, question.objective, advise(game, start.position, seat, question), console)


def first_bids(game: Game) -> Callable[[Position, int], bool]:
    return lambda position, decisions: game.round(position) == 1 and bool(game.pending(position))


def value_words(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def track(game: Game, position: Position, which: str) -> Text:
    """The discs on the score track from the foremost to the rearmost, and how the round that follows is laid."""
    scores = game.scores(position)
    discs = [f"{game.players[seat]} {scores[seat]}" for seat in reversed(order_of(game, position, "rear_to_front"))]
    colour = derived_text(game, position, "colour_of_round")
    manner = game.ir.procedures[f"bidding({colour})"].text
    text = Text(" > ".join(discs), "not dim")
    text.append(f"\n         space {max(scores)} is {colour}: {which} is laid {manner.lower()}", NOTICE)
    return text


def derived_text(game: Game, position: Position, name: str) -> str:
    """A value of the rules that has no parameters, at a position."""
    value = game.program.functions[f"value_{list(game.ir.values).index(name)}"](position.slots)
    return titled(game, game.ir.values[name].body.type, value)


def order_of(game: Game, position: Position, name: str) -> list[int]:
    """The elements of a ranking that has no parameters, at a position, best first."""
    elements, _, _ = game.program.functions[f"ranking_{game.program.rankings.index(name)}"](position.slots)
    return list(elements)


def holders(game: Game, position: Position) -> str:
    """Who holds what there is only one of."""
    table: Any = encode_state(game.program.layout, game.codec, position.slots)[TABLE]
    return ", ".join(f"{spaced(name)} {table[name]}" for name in ("figure", "old_man"))


def chance(game: Game, entry: Round) -> list[str]:
    """What chance brought at the start of a round."""
    return Narrator(game).lines(opening(entry))


if __name__ == "__main__":
    main()
