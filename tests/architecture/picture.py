"""The picture of docs/architecture.md, drawn from the imports (SVG): rooms, and the ways from one to the next.

An arrow leads from a room to one that imports it, unless it can be reached by way of others (transitive reduction of
the graph of imports). A room stands below all that it imports (layered drawing). Its column and the words in it are
given here; a room without them is a complaint, not a gap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.project.test_architecture import imported, module_name, stage_of

LEFT, MIDDLE, RIGHT = range(3)
ROOMS: dict[str, tuple[int, str]] = {
    "interpreter/diagnostics": (MIDDLE, "findings with their places"),
    "interpreter/ir/operations": (LEFT, "every operation, declared once"),
    "interpreter/syntax": (MIDDLE, "rule text to tree"),
    "interpreter/data": (MIDDLE, "YAML, schemas, variants"),
    "interpreter/program": (MIDDLE, "names and types"),
    "interpreter/ir": (MIDDLE, "the typed rules"),
    "interpreter/translate": (MIDDLE, "program to IR"),
    "interpreter/analysis": (MIDDLE, "secrecy, work, endings"),
    "interpreter/meaning": (RIGHT, "what nobody can mean"),
    "interpreter/lowered": (MIDDLE, "what back ends share"),
    "interpreter/engine": (MIDDLE, "the interpreter: IR to Python"),
    "interpreter/play": (MIDDLE, "the game contract, matches"),
    "interpreter/statistics": (LEFT, "counts, intervals"),
    "interpreter/policy": (MIDDLE, "a form for playing well"),
    "interpreter/native/llvm": (LEFT, "the language of LLVM"),
    "interpreter/native/layout": (LEFT, "slots to bytes"),
    "interpreter/native/runtime": (LEFT, "functions of every kernel"),
    "interpreter/native/emit": (LEFT, "IR to LLVM"),
    "interpreter/native/vector": (LEFT, "all players at once (SIMD)"),
    "interpreter/native/builds": (LEFT, "kernels that play"),
    "interpreter/native/lookahead": (LEFT, "decisions that look ahead"),
    "interpreter/native/policy": (LEFT, "policies at native speed"),
    "interpreter/native/paired": (LEFT, "the same luck for two rules"),
    "interpreter/players": (LEFT, "random, greedy"),
    "interpreter/formats": (MIDDLE, "positions, transcripts"),
    "interpreter/simulation": (LEFT, "many games, many jobs"),
    "interpreter/comparing": (LEFT, "what a change does"),
    "interpreter/learning": (LEFT, "playing well, by learning"),
    "interpreter/valuing": (LEFT, "what holdings are worth"),
    "interpreter/starting": (LEFT, "new games, new variants"),
    "interpreter/testing": (LEFT, "scenarios, mutation"),
    "interpreter/checking": (MIDDLE, "all that check finds"),
    "solver/model": (RIGHT, "sums, literals, constraints"),
    "solver/symbolic": (RIGHT, "rules run over variables"),
    "solver/backends": (RIGHT, "CP-SAT, tables of answers"),
    "solver/worth": (RIGHT, "what an answer is worth"),
    "solver/methods": (RIGHT, "ways to the best answer"),
    "solver": (RIGHT, "advice, explanation, player"),
    "interpreter/terminal": (MIDDLE, "boards, stories, reports"),
    "interpreter/commands": (MIDDLE, "one module a command"),
    "interpreter/interface": (RIGHT, "games as objects"),
    "cli": (MIDDLE, "arguments, exit codes"),
}
"""Each room with its column and a few words."""

JOINED = {
    "interpreter/source": "interpreter/diagnostics",
    "interpreter/ir/ranges": "interpreter/ir/operations",
    "interpreter/native": "interpreter/native/builds",
    "__main__": "cli",
}
"""Drawn as a part of another one."""

WHOLE = ("interpreter/lowered", "interpreter/statistics", "interpreter/native/emit", "interpreter/terminal")
"""Drawn with all that is in them."""

EVERYWHERE = ("interpreter/system",)
"""Imported by nearly all: not drawn."""

WIDTH, HEIGHT, GAP, ROW, LANE = 196, 40, 64, 62, 9
"""Of a room, of the gutter beside it, from one row to the next, from one line to the next in a gutter."""


def room_of(module: str) -> str | None:
    stage = stage_of(module)
    if stage is None:
        return None
    name = stage[1].removeprefix("chocolatl.").replace(".", "/")
    around = [room for room in WHOLE if f"{name}/".startswith(f"{room}/")]
    return None if name.startswith(EVERYWHERE) else JOINED.get(name, *around or [name])


def ways(files: dict[str, str]) -> dict[str, set[str]]:
    """Each room and those that it imports."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, text in files.items():
        own = room_of(module_name(path))
        if own is not None:
            others = {room_of(name) for _, name in imported(path, text)}
            found[own] |= {other for other in others if other is not None and other != own}
    return found


def beyond(room: str, imports: dict[str, set[str]]) -> set[str]:
    """All that a room reaches."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        for other in imports[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def arrows(imports: dict[str, set[str]]) -> list[tuple[str, str]]:
    """From the imported room to the one that imports it, without those that others imply."""
    return [
        (other, room)
        for room in ROOMS
        for other in ROOMS
        if other in imports[room] and not any(other in beyond(each, imports) for each in imports[room])
    ]


def rows(imports: dict[str, set[str]]) -> dict[str, int]:
    """How far down each room stands: below all that it imports, near those that import it, alone in its place."""
    found: dict[str, int] = {}
    while len(found) < len(ROOMS):
        for room in [each for each in ROOMS if each not in found and imports[each] <= set(found)]:
            row = max([found[other] + 1 for other in imports[room]], default=0)
            while any(found[other] == row and ROOMS[other][0] == ROOMS[room][0] for other in found):
                row += 1
            found[room] = row
    for room in reversed(ROOMS):
        users = [found[other] for other in ROOMS if room in imports[other]]
        taken = [found[other] for other in ROOMS if ROOMS[other][0] == ROOMS[room][0] and other != room]
        found[room] = max(
            [row for row in range(found[room], min(users, default=0)) if row not in taken] or [found[room]]
        )
    return found


STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; text-anchor: middle; }
  .words { font-size: 11px; fill: #59636e; }
  rect { fill: #f6f8fa; stroke: #818b98; }
  .way { fill: none; stroke: #818b98; stroke-width: 1.3; stroke-linejoin: round; }
  marker path { fill: #818b98; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .words { fill: #a2abb5; }
    rect { fill: #212830; stroke: #656c76; }
    .way { stroke: #7d8590; }
    marker path { fill: #7d8590; }
  }
"""


class Drawing:
    """Rooms in a grid, lines between them in lanes of the gutters beside the columns."""

    def __init__(self, imports: dict[str, set[str]]) -> None:
        unknown = {other for some in [imports, *imports.values()] for other in some} - set(ROOMS)
        assert not unknown, f"the picture has no place for {sorted(unknown)}: see ROOMS"
        self.imports = imports
        self.row = rows(imports)
        self.lanes: dict[int, list[tuple[int, int, int]]] = defaultdict(list)

    def corner(self, room: str) -> tuple[int, int]:
        return GAP + ROOMS[room][0] * (WIDTH + GAP), 8 + self.row[room] * ROW

    def lane(self, gutter: int, top: int, bottom: int) -> int:
        """The place of a line down a gutter where no other one is."""
        number = 0
        while any(lane == number and top <= last and first <= bottom for lane, first, last in self.lanes[gutter]):
            number += 1
        self.lanes[gutter].append((number, top, bottom))
        return gutter * (WIDTH + GAP) + GAP - 14 - number * LANE

    def is_clear(self, start: str, end: str) -> bool:
        """Whether there is nothing between two rooms of a column."""
        column, between = ROOMS[start][0], range(self.row[start] + 1, self.row[end])
        return ROOMS[end][0] == column and not any(
            ROOMS[room][0] == column and row in between for room, row in self.row.items()
        )

    def line(self, start: str, end: str) -> str:
        """Straight down, or by way of gutters, beside the rooms between them."""
        (x, y), (u, v) = self.corner(start), self.corner(end)
        if self.is_clear(start, end):
            return f"M{x + WIDTH // 2} {y + HEIGHT} V{v}"
        first, last, leave, arrive = ROOMS[start][0], ROOMS[end][0], y + HEIGHT - 12, v + 12
        side, front = (x + WIDTH, u) if first < last else (x, u if first == last else u + WIDTH)
        near = first + 1 if first < last else first
        if abs(first - last) < 2:
            return f"M{side} {leave} H{self.lane(near, leave, arrive)} V{arrive} H{front}"
        far, across = last if first < last else last + 1, v - (ROW - HEIGHT) // 2
        way = f"M{side} {leave} H{self.lane(near, leave, across)} V{across}"
        return f"{way} H{self.lane(far, across, arrive)} V{arrive} H{front}"

    def parts(self) -> Iterator[str]:
        width, height = GAP + 3 * (WIDTH + GAP), 8 + max(self.row.values()) * ROW + HEIGHT + 8
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        yield f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        yield f"<title>The rooms of the program, and which imports which</title><style>{STYLE}</style>"
        yield (
            '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>'
        )
        for start, end in arrows(self.imports):
            yield f'<path class="way" d="{self.line(start, end)}" marker-end="url(#tip)"/>'
        for room, (_, words) in ROOMS.items():
            x, y = self.corner(room)
            yield f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>'
            yield f'<text x="{x + WIDTH // 2}" y="{y + 17}">{room.removeprefix("interpreter/")}</text>'
            yield f'<text class="words" x="{x + WIDTH // 2}" y="{y + 32}">{words}</text>'
        yield "</svg>"


def picture(imports: dict[str, set[str]]) -> str:
    return "\n".join([*Drawing(imports).parts(), ""])
