"""A whole game made at random: what it is made of, in an order in which everything can be used after it is declared.

Each game has some features of the language and not the others (swarm testing): so it is small, and every feature meets
every other one sooner or later.
"""

from __future__ import annotations

from typing import Any

from tests.fuzzing.programs import (
    changes,
    control,
    decisions,
    declarations,
    elements,
    fields,
    idioms,
    numbers,
    things,
    truths,
)
from tests.fuzzing.programs.blocks import block, statement
from tests.fuzzing.programs.chance import Chance
from tests.fuzzing.programs.formulas import Number, number, within
from tests.fuzzing.programs.scope import PLAYER, Name, Scope, Type, World
from tests.fuzzing.programs.scope import numbers as numbers_of
from tests.fuzzing.programs.spices import spiced
from tests.fuzzing.programs.tree import Line, Program, line

MAKERS = (changes, control, decisions, elements, idioms, numbers, truths)
"""Who registers: they are loaded for what they add to the tables of makers."""

FEATURES = {
    "card": 75, "token": 30, "tile": 25, "grid": 30, "ring": 20, "owner": 20, "pair": 30, "ruling": 30, "table": 40,
    "dice": 40, "short": 35, "secret": 50, "event": 30, "window": 20, "modifier": 30, "latch": 40, "always": 15,
    "procedure": 55, "rounds": 40, "final": 40, "deal": 30, "idle": 20,
}  # fmt: skip
"""How many in a hundred games have each."""


def generate(seed: int) -> Program:
    """The program of a seed."""
    chance = Chance(seed)
    features = frozenset(name for name, share in FEATURES.items() if chance.percent(share))
    world = World(chance, chance.pick((2, 2, 2, 3, 3, 4, 5)), features)
    data: dict[str, Any] = {}
    declared = spiced(seed, data, _declarations(world, data))
    return Program(world.players, data, tuple(declared))


def _declarations(world: World, data: dict[str, Any]) -> list[Line]:
    found = [*things.people(world), *things.enums(world), *things.grid(world), *things.components(world, data)]
    things.pairs(world)
    things.parameters(world, data)
    things.tables(world, data)
    world.items += ["item1", "item2"]
    found += [line('item item1 "The first item"'), line("item item2")]
    found += fields.state(world)
    world.rounds = world.has("rounds")
    found += declarations.rankings(world)
    found += idioms.rankings(world)
    found += idioms.values(world)
    found += declarations.values(world)
    found += declarations.latches(world)
    found += declarations.invariants(world)
    found += declarations.windows(world)
    found += declarations.events(world)
    found += [*declarations.procedures(world), *idioms.procedures(world)]
    return [*found, _play(world), *_final(world), _winner(world)]


def _play(world: World) -> Line:
    """Everybody gets a seat and some turns; then anything."""
    chance = world.chance
    seats = [
        line("p.seat becomes n"),
        line(f"p.budget becomes {chance.between(0, 2)}"),
        line("n becomes min(n + 1, 5)"),
    ]
    begin = [line("let n : 0..5 = 0"), line("for each p in player", seats)]
    world.room = chance.pick((8, 12, 12, 16, 24))
    body: list[Line] = []
    while world.room > 0:
        body += control.everybody(world, Scope(), 3).lines if chance.percent(50) else block(world, Scope(), 3, 1)
    if world.has("rounds"):
        body = [line(f"for each round in 1..{chance.between(1, 3)}", body)]
        world.room = 2
        body += statement(world, Scope(), 1).lines
    return line("play", begin, body)


def _final(world: World) -> list[Line]:
    if not world.has("final"):
        return []
    who = Name("p", Type(PLAYER))
    rows = []
    for name in ("last_item", "item1")[: world.chance.between(1, 2)]:
        points = within(world, number(world, Scope((who,), sees=None), 2), numbers_of(0, 3), sure=98)
        text = ' "At the end"' if world.chance.percent(30) else ""
        rows.append(line(f"{name}{text} : {points}"))
    return [line("final scoring of p", rows)]


def _winner(world: World) -> Line:
    scope = Scope((Name("p", Type(PLAYER)),), sees=None)
    keys = [line("highest p.score")]
    if world.chance.percent(50):
        key = Number(number(world, scope, 1).text, 0, 0).bracketed
        keys.append(line(f"then {world.chance.pick(('highest', 'lowest'))} {key}"))
    return line("winner p", keys)
