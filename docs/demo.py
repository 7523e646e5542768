"""The demonstration: a game is dealt, played and explained, from nothing but its rule files. `make demo` runs it."""

from __future__ import annotations

from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from interpreter.data.find import find_game
from interpreter.game import load
from interpreter.match import streams
from interpreter.players.registry import make_player
from interpreter.terminal.board import results
from interpreter.terminal.chronicle import play_rounds, rounds_table
from interpreter.terminal.console import make_console
from interpreter.terminal.excerpt import excerpt

GAME = "goofspiel"
PLAYERS = {"ada": "random", "ben": "greedy", "cleo": "random"}
CARDS = 7
SEED = 7
SHOWN = ("bidders", "award")
SHOWN_IF_WIDE = ("play",)
WIDE = 96


def main() -> None:
    console = make_console()
    game = load(find_game(GAME), tuple(PLAYERS), {"cards": CARDS})
    source = f"rules/{GAME}/{GAME}.rules"

    console.print()
    console.print(Rule(Text(f"{game.files.title}, from its rules", "bold"), style="dim"))
    console.print(Padding(game.files.about, (1, 2), expand=False))
    console.print(Text(f"  {source}, in part:", "dim"))
    shown = SHOWN + SHOWN_IF_WIDE if console.width >= WIDE else SHOWN
    console.print(Padding(excerpt(game, shown, console.width), (1, 0), expand=False))

    values = [f"{name} = {p.value}" for name, p in game.files.parameters.items()]
    console.print(Text(f"  rules/{GAME}/game.yaml: ", "dim").append(", ".join(values), "not dim"))
    who = [f"{name} ({type_})" for name, type_ in PLAYERS.items()]
    console.print(Text("  players: ", "dim").append(f"{', '.join(who)}; seed {SEED}", "not dim"))
    console.print()

    players = [make_player(type_) for type_ in PLAYERS.values()]
    rounds, end = play_rounds(game, players, streams(SEED, 0, game.player_count))
    console.print(rounds_table(game, rounds))
    console.print()
    console.print(Padding(results(game, game.result(end)), (0, 2), expand=False))

    console.print(Text("\n  Now you:", "bold"))
    for command, purpose in (
        (f"chocolatl play {GAME} --players you,greedy,random", "play it yourself"),
        (f"chocolatl simulate {GAME} --players greedy,random --games 100 --seed 1", "let others play"),
        ("chocolatl check rules", "after you have changed a rule"),
    ):
        console.print(Text(f"    .venv/bin/{command}", "cyan").append(f"\n        {purpose}", "dim not cyan"))


if __name__ == "__main__":
    main()
