"""The other end of `benchmarks.former`: a player of an old version, which is asked for its moves by lines of JSON.

It runs in the environment of that version and knows its modules by their names of then, so that nothing of today's code
is imported here. The game is played along from event to event, in the words of the rules, which both versions share:

    {"game": "goofspiel", "players": 2}     a new game
    {"chance": 3}                           what chance brought
    {"player": 0, "answer": "k7"}           what somebody answered
    {"ask": 1}                              what does the player of this seat answer?   {"answer": "k9"}
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def main(type_name: str) -> None:
    find, library = import_module("interpreter.data.find"), import_module("interpreter.library")
    choosing = import_module("solver.players").make_player(type_name)
    random = import_module("interpreter.random").Random(0)
    game: Any = None
    position: Any = None
    for line in sys.stdin:
        said = json.loads(line)
        if "game" in said:
            game = library.load(find.find_game(said["game"]), players=said["players"])
            position = game.initial()
        elif "chance" in said:
            position = game.resolve(position, game.chance(position).decode(said["chance"]))
        elif "player" in said:
            seat = said["player"]
            position = game.answer(position, seat, game.decision(position, seat).decode(said["answer"]))
        else:
            decision = game.decision(position, said["ask"])
            answer = choosing.choose(game, position, decision, random)
            print(json.dumps({"answer": decision.encode(answer)}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
