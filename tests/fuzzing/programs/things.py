"""Things of a random game: enums, grids, components, owners, parameters and tables, as declarations and as data."""

from __future__ import annotations

from typing import Any

from tests.fuzzing.programs.scope import (
    COMPONENT,
    CYCLIC,
    ENUM,
    GRID,
    OWNER,
    PAIR,
    PLAYER,
    TURNED,
    YES_NO,
    Attribute,
    Domain,
    Named,
    Type,
    World,
    numbers,
)
from tests.fuzzing.programs.tree import Line, line

EDGES = (0, 0, 1, 1, 2, 3, 5, 7, 9, 40, 127, 128, 255, 256, 300, 32_767, 65_536, 2**31 - 1, 2**31, 2**40, 2**62)
"""Numbers around which something changes: how many bytes they take, for one."""
MANY_COPIES = (64, 255, 256, 300)


def edge(world: World) -> int:
    chance = world.chance
    number = chance.pick(EDGES) if chance.percent(40) else chance.below(12)
    return -number if chance.percent(25) else number


def some_range(world: World) -> Type:
    low, high = sorted((edge(world), edge(world)))
    return numbers(low, high)


def enums(world: World) -> list[Line]:
    chance = world.chance
    found: list[Line] = []
    kinds = [ENUM] * chance.between(1, 2) + [CYCLIC] * (world.has("grid") or world.has("tile") or world.has("ring"))
    for kind in kinds:
        name = {ENUM: "suit", CYCLIC: "side"}[kind] + ("" if kind == CYCLIC else str(len(found) + 1))
        size = chance.pick((1, 2, 2, 3, 3, 4)) if kind == ENUM else chance.pick((2, 2, 3, 4, 4, 4, 6))
        members = tuple(f"{name}_{number}" for number in range(size))
        world.domains[name] = Domain(name, kind, size, members)
        texts = [f'{member} "The {member}"' if chance.percent(20) else member for member in members]
        found.append(line(f"{'cyclic ' * (kind == CYCLIC)}enum {name} = {', '.join(texts)}"))
    return found


def grid(world: World) -> list[Line]:
    """A board whose steps lead beside, around, nowhere or across."""
    if not world.has("grid"):
        return []
    chance = world.chance
    axes = ["x", "y"][: chance.pick((1, 2, 2))]
    lows = [chance.pick((0, 1, 1, -1)) for _ in axes]
    ranges = [(low, low + chance.pick((0, 1, 2, 2))) for low in lows]
    size = 1
    for low, high in ranges:
        size *= high - low + 1
    sides = world.domains["side"]
    rows = []
    for member in sides.members:
        steps = [_step(world, axis, low, high) for axis, (low, high) in zip(axes, ranges, strict=True)]
        rows.append(line(f"{member} : ({', '.join(steps)})"))
    members = tuple(f"cell({', '.join(str(number) for number in place)})" for place in _corners(ranges))
    parts = tuple((axis, numbers(low, high)) for axis, (low, high) in zip(axes, ranges, strict=True))
    world.domains["cell"] = Domain("cell", GRID, size, members, parts, sides="side")
    written = ", ".join(f"{axis} : {low}..{high}" for axis, (low, high) in zip(axes, ranges, strict=True))
    return [line(f"grid cell ({written}) by side", rows)]


def _step(world: World, axis: str, low: int, high: int) -> str:
    size = high - low + 1
    ring = f"({axis} - {low} + 1) mod {size} + {low}" if low >= 0 else f"(({axis} + {-low}) + 1) mod {size} - {-low}"
    return world.chance.pick((axis, f"{axis} + 1", f"{axis} - 1", f"{axis} + 1", f"{axis} - 1", ring))


def _corners(ranges: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    return sorted({tuple(low for low, _ in ranges), tuple(high for _, high in ranges)})


def components(world: World, data: dict[str, Any]) -> list[Line]:
    chance = world.chance
    found: list[Line] = []
    kinds: dict[str, Any] = {}
    if world.has("card"):
        kinds["card"] = _cards(world)
        found.append(line("component card (value)"))
    if world.has("token"):
        suit = world.domains["suit1"]
        rows: list[dict[str, Any]] = []
        for number in range(chance.between(1, 4)):
            row = {"name": f"token_{number}", "hue": chance.pick(suit.members), "worth": chance.between(0, 9)}
            rows.append(row | {"shiny": chance.percent(50), "copies": chance.between(1, 3)})
        kinds["token"] = rows
        copies = sum(row["copies"] for row in rows)
        world.domains["token"] = Domain("token", COMPONENT, len(rows), copies=copies)
        types = {"hue": suit.type, "worth": numbers(0, 9), "shiny": YES_NO}
        world.attributes += [Attribute("token", name, type_) for name, type_ in types.items()]
        found.append(line(f"component token (hue : {suit.name}, worth : 0..9, shiny : yes/no)"))
    if world.has("tile"):
        sides = world.domains["side"]
        tiles: list[dict[str, Any]] = []
        for number in range(chance.between(1, 3)):
            ends = [chance.below(chance.pick((2, 4))) for _ in sides.members]
            tiles.append({"name": f"tile_{number}", "ends": ends, "copies": chance.between(1, 4)})
        kinds["tile"] = tiles
        copies = sum(row["copies"] for row in tiles)
        world.domains["tile"] = Domain("tile", COMPONENT, len(tiles), copies=copies)
        world.domains["turned tile"] = Domain("turned tile", TURNED, len(tiles) * sides.size)
        world.attributes.append(Attribute("tile", "ends", numbers(0, 3), "side"))
        found.append(line("component tile (ends[side] : 0..3)"))
    if kinds:
        data["components"] = {name: {"kinds": rows} for name, rows in kinds.items()}
    return found


def _cards(world: World) -> Any:
    """Mostly a few kinds of card; now and then more than fit into a word, or more copies than fit into a byte."""
    chance = world.chance
    if chance.percent(40):
        size = chance.pick((1, 2, 3, 4, 6, 9, 13) if chance.percent(82) else (63, 64, 65, 70))
        low = chance.pick((0, 1, 1, -2))
        world.domains["card"] = Domain("card", COMPONENT, size, copies=size)
        world.attributes.append(Attribute("card", "value", numbers(low, low + size - 1)))
        return {"value": f"{low}..{low + size - 1}"}
    rows: list[dict[str, int]] = []
    for value in chance.several(range(-2, 12), chance.between(1, 5)):
        copies = chance.pick(MANY_COPIES) if chance.percent(4) else chance.pick((1, 1, 2, 3, 4))
        rows.append({"value": value, "copies": copies})
    values = [row["value"] for row in rows]
    world.domains["card"] = Domain("card", COMPONENT, len(rows), copies=sum(row["copies"] for row in rows))
    world.attributes.append(Attribute("card", "value", numbers(min(values), max(values))))
    return rows


def people(world: World) -> list[Line]:
    """Players are a domain, and so are owners, who never decide."""
    world.domains[PLAYER] = Domain(PLAYER, PLAYER, world.players)
    if not world.has("owner"):
        return []
    holders = tuple(f"bank{number}" for number in range(world.chance.between(1, 2)))
    world.domains[OWNER] = Domain(OWNER, OWNER, world.players + len(holders), holders)
    return [line(f'owner {holder} "The bank"') for holder in holders]


def pairs(world: World) -> None:
    """Pairs of different domains; they need no declaration."""
    if not world.has("pair"):
        return
    usable = [d for d in world.kinds(ENUM, CYCLIC, GRID, PLAYER) if d.size <= 9]
    if len(usable) < 2:
        return
    parts = world.chance.several(usable, 3 if len(usable) > 2 and world.chance.percent(20) else 2)
    name = f"({', '.join(part.name for part in parts)})"
    size = 1
    for part in parts:
        size *= part.size
    world.domains[name] = Domain(name, PAIR, size, (), tuple((part.name, part.type) for part in parts))


# ---------------------------------------------------------------- data


def parameters(world: World, data: dict[str, Any]) -> None:
    chance = world.chance
    found: dict[str, Any] = {}
    for name in ["limit", "rules.bonus", "start"][: chance.below(4)]:
        low, high = sorted((chance.between(-3, 9), chance.between(-3, 300)))
        found[name] = {"value": chance.between(low, high), "min": low, "max": high}
        value = int(str(found[name]["value"]))
        world.constants.append((name, numbers(value, value)))
    if world.has("ruling"):
        found["strictly"] = {"value": chance.percent(50)}
        world.constants.append(("strictly", YES_NO))
        options = ("soft", "hard", "odd")[: chance.between(2, 3)]
        found["ruling"] = {"value": chance.pick(options), "options": list(options)}
        world.symbols.append(("ruling", options))
        cap = chance.pick((None, 9))
        found["cap"] = {"value": cap, "options": [None, 9]}
    if found:
        data["parameters"] = found


def tables(world: World, data: dict[str, Any]) -> None:
    """Tables of every kind of index, and of entries of several types."""
    if not world.has("table"):
        return
    chance = world.chance
    found: dict[str, Any] = {}
    found["row"] = {"value": [edge(world) for _ in range(chance.between(1, 4))]}
    world.tables.append(_table("row", found["row"]["value"], numbers(1, len(found["row"]["value"]))))
    indices = [d.type for d in world.kinds(ENUM, CYCLIC, PLAYER)] + [YES_NO, numbers(-1, 2), numbers(1, 1)]
    for number in range(chance.between(1, 2)):
        index = chance.several(indices, chance.pick((1, 1, 2)))
        sizes = [world.size(i) for i in index]
        entry = chance.pick(("number", "number", "truth", "member"))
        name, suit = f"sheet{number}", world.domains["suit1"]

        def made(entry: str = entry, suit: Domain = suit) -> Any:
            if entry == "truth":
                return chance.percent(50)
            return edge(world) if entry == "number" else chance.pick(suit.members)

        rows = [[made() for _ in range(sizes[-1])] for _ in range(sizes[0] if len(sizes) == 2 else 1)]
        written = [i.written for i in index]
        table: dict[str, Any] = {"index": written if len(written) > 1 else written[0]}
        table["value"] = rows if len(sizes) == 2 else rows[0]
        if entry != "number":
            table["type"] = "yes/no" if entry == "truth" else suit.name
        found[name] = table
        entries = [each for row in rows for each in row]
        type_ = numbers(min(entries), max(entries)) if entry == "number" else YES_NO if entry == "truth" else suit.type
        world.tables.append(Named(name, tuple(index), type_))
    if "card" in world.domains and world.chance.percent(50):
        labels = _labels(data["components"]["card"]["kinds"])
        found["dealt"] = {"type": "card", "value": [chance.pick(labels) for _ in range(chance.between(1, 5))]}
        world.lists.append(("dealt", "card"))
    data["tables"] = found


def _table(name: str, entries: list[int], index: Type) -> Named:
    return Named(name, (index,), numbers(min(entries), max(entries)))


def _labels(kinds: Any) -> list[int]:
    if isinstance(kinds, dict):
        low, high = kinds["value"].split("..")
        return list(range(int(low), int(high) + 1))
    return [row["value"] for row in kinds]
