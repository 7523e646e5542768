"""Every load and store checked against what it is meant for (bounds checking by pointer provenance, as in SoftBound).

The text of a module is rewritten. With each pointer go the first address and the end of what it may be used for, and
its kind: those of a variable or a table are its own; what is computed from a pointer inherits its bounds, or has
narrower ones where the emitter has said what it is meant for (`chocolatl.interpreter.native.llvm.regions`); functions
are given those of their pointers behind their own parameters. So an index that leads from the zone of a player into
that of the next one is found, although both lie in one block.

    %t1 = getelementptr i8, ptr %s, i64 96
    %t2 = getelementptr [8 x i8], ptr %t1, i64 %v3          %t2.low = call ptr @guard_part(ptr %t2, i64 8, ...)
    %t3 = load i64, ptr %t2                                 %t3 = load i64, ptr what @guard_access(ptr %t2, ...) gives

An address that is out of bounds is not used: the code is left, and whoever called it is told
(`chocolatl.interpreter.native.builds.trespass`). What is exactly a variable is checked here and now.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from chocolatl.interpreter.native.builds.trespass import RUNTIME, entry
from chocolatl.interpreter.native.llvm.regions import (
    KINDS,
    Access,
    AccessKind,
    Meant,
    MemoryAccess,
    OffsetRegion,
    Region,
)
from chocolatl.interpreter.native.llvm.text import size_of

TYPE = r"(<[^>]*>|\[[^\]]*\]|\w+)"
POINTER = r"([%@][\w.]+)"
HEADER = re.compile(r"define (internal)?([^@]*)@(\w+)\((.*?)\)(.*)")
GLOBAL = re.compile(rf"@(\w+) = internal constant {TYPE}")
VARIABLE = re.compile(rf"  {POINTER} = alloca {TYPE}")
ADDRESS = re.compile(rf"  {POINTER} = getelementptr (.+?), ptr {POINTER}, i64 (\S+)")
NUMBER = re.compile(rf"  {POINTER} = inttoptr i64 (\S+) to ptr")
LOAD = re.compile(rf"(  {POINTER} = load (?:volatile )?{TYPE}, ptr ){POINTER}(.*)")
STORE = re.compile(rf"(  store (?:volatile )?{TYPE} .*, ptr ){POINTER}(.*)")
COPY = re.compile(rf"  call void @llvm\.mem(?:cpy|move)\S*\(ptr .*?{POINTER}, ptr .*?{POINTER}, i64 (\S+),")
FILL = re.compile(rf"  call void @llvm\.memset\S*\(ptr {POINTER}, i8 0, i64 (\S+),")
CALL = re.compile(r"(  (?:%[\w.]+ = )?call [^@]*@(\w+)\()(.*?)(\).*)")


@dataclass(frozen=True)
class Bounds:
    """Operands: the first address, the end, and the number of the kind."""

    low: str
    high: str
    kind: str


def guarded(text: str, meanings: Mapping[str, Mapping[str, Meant]]) -> tuple[str, list[MemoryAccess]]:
    """The same module with checks, and the places that are checked. `meanings` are those of each function."""
    # What is promised of functions and addresses need not hold where something is wrong.
    text = re.sub(r"\s+memory\([^)]*\)", "", text).replace("getelementptr inbounds ", "getelementptr ")
    text = text.replace("noalias ", "")
    entries = [found.groups() for found in HEADER.finditer(text) if not found[1]]
    for _, _, name, _, _ in entries:
        text = text.replace(f"@{name}(", f"@inside_{name}(")
    rewriting = _Rewriting(text, {f"inside_{name}": meanings[name] for _, _, name, _, _ in entries} | {**meanings})
    lines = [line for old in text.splitlines() for line in rewriting.lines(old)]
    lines += [entry(result.strip(), name, given) for _, result, name, given, _ in entries]
    return "\n".join([*lines, RUNTIME]), rewriting.checks


class _Rewriting:
    """A module under way, line by line."""

    def __init__(self, text: str, meanings: Mapping[str, Mapping[str, Meant]]) -> None:
        self.meanings = meanings
        self.checks: list[MemoryAccess] = []
        self.pointers = {found[3]: _pointers(found[4]) for found in HEADER.finditer(text) if found[1]}
        """Of each function that is called only from here, which parameters are pointers."""
        self.shared: dict[str, Bounds] = {}
        for found in GLOBAL.finditer(text):
            name, size = f"@{found[1]}", size_of(found[2])
            kind = Access.BODY if name == "@initial" else Access.TABLE
            self.shared[name] = Bounds(name, f"getelementptr (i8, ptr {name}, i64 {size})", _number(kind))
        self.function = ""
        self.bounds: dict[str, Bounds] = {}
        self.exactly: dict[str, int] = {}
        """Of variables, how many bytes they have."""
        self.waiting: list[str] = []
        """Lines for the beginning of a function, which goes before its first instruction."""
        self.text = ""

    def lines(self, line: str) -> list[str]:
        """A line, and what goes before and after it."""
        self.text = line
        if line.startswith("define "):
            return [self.header(line)]
        if not line.startswith("  "):
            return [line]
        before, self.waiting = self.waiting, []
        return [*before, *self.instruction(line)]

    def instruction(self, line: str) -> list[str]:
        if found := VARIABLE.match(line):
            return [line, *self.variable(found[1], found[2])]
        if found := ADDRESS.match(line):
            return [line, *self.address(found[1], found[3])]
        if found := NUMBER.match(line):
            return [line, *self.opened(found[1], self.region(found[1]))]
        if found := LOAD.match(line):
            checked, lines = self.access(found[4], found[3], AccessKind.LOAD)
            more = self.opened(found[2], self.region(found[2])) if found[2] in self.meant else []
            return [*lines, f"{found[1]}{checked}{found[5]}", *more]
        if found := STORE.match(line):
            checked, lines = self.access(found[3], found[2], AccessKind.STORE)
            return [*lines, f"{found[1]}{checked}{found[4]}"]
        if found := COPY.match(line):
            return [
                self.bulk(found[1], found[3], AccessKind.COPY_TO),
                self.bulk(found[2], found[3], AccessKind.COPY_FROM),
                line,
            ]
        if found := FILL.match(line):
            return [self.bulk(found[1], found[2], AccessKind.FILL), line]
        if (found := CALL.match(line)) and found[2] in self.pointers:
            given = [self.given(found[3].split(", ")[position]) for position in self.pointers[found[2]]]
            return [f"{found[1]}{', '.join([found[3], *given])}{found[4]}"]
        assert not re.search(r"\b(load|store|alloca|getelementptr|inttoptr|llvm\.mem\w+)\b", line), line
        return [line]

    # ------------------------------------------------------------ functions

    def header(self, line: str) -> str:
        found = HEADER.match(line)
        assert found is not None
        self.function = name = found[3]
        self.meant = self.meanings.get(name, {})
        self.bounds, self.exactly, self.waiting = dict(self.shared), {}, []
        more = []
        for position in _pointers(found[4]):
            pointer = found[4].split(", ")[position].split()[-1]
            if name not in self.pointers:  # called from outside, where nobody knows of bounds
                self.waiting += self.opened(pointer, self.region(pointer))
                continue
            more += [f"ptr {pointer}.first", f"ptr {pointer}.end", f"i64 {pointer}.kind"]
            self.bounds[pointer] = Bounds(f"{pointer}.first", f"{pointer}.end", f"{pointer}.kind")
            if pointer in self.meant:
                self.waiting += self.narrowed(pointer, pointer, self.region(pointer))
        given = ", ".join([found[4], *more]) if found[4] else ""
        return f"define internal {found[2]}@{name}({given}){found[5]}"

    def given(self, argument: str) -> str:
        """The bounds of an argument."""
        bounds = self.of(argument.split()[-1])
        return f"ptr {bounds.low}, ptr {bounds.high}, i64 {bounds.kind}"

    # ------------------------------------------------------------ pointers

    def region(self, pointer: str) -> Region:
        found = self.meant.get(pointer)
        assert isinstance(found, Region), f"nobody says what {pointer} in @{self.function} is meant for: {self.text}"
        return found

    def of(self, pointer: str) -> Bounds:
        assert pointer in self.bounds, f"nobody says what {pointer} in @{self.function} is meant for: {self.text}"
        return self.bounds[pointer]

    def variable(self, name: str, type_: str) -> list[str]:
        kind = self.region(name).kind if type_.startswith("[") or name in self.meant else Access.VARIABLE
        self.exactly[name] = size = size_of(type_)
        # What nobody has written is the same always, so that an error has the same consequences.
        empty = f"  call void @llvm.memset.p0.i64(ptr {name}, i8 0, i64 {size}, i1 false)"
        return [empty, *self.opened(name, Region(kind, size))]

    def opened(self, name: str, region: Region) -> list[str]:
        """A pointer that is computed from no other."""
        self.bounds[name] = Bounds(name, region.end or f"{name}.high", _number(region.kind))
        if region.end:
            return []
        if not region.times:
            return [f"  {name}.high = getelementptr i8, ptr {name}, i64 {region.size}"]
        return [
            f"  {name}.times = call i64 @llvm.smax.i64(i64 {region.times}, i64 1)",
            f"  {name}.high = getelementptr [{region.size} x i8], ptr {name}, i64 {name}.times",
        ]

    def address(self, name: str, base: str) -> list[str]:
        meant, bounds = self.meant.get(name), self.of(base)
        match meant:
            case None:
                self.bounds[name] = bounds
                return []
            case OffsetRegion():
                self.bounds[name] = Bounds(f"{name}.low", f"{name}.high", bounds.kind)
                return [
                    f"  {name}.low = getelementptr i8, ptr {bounds.low}, i64 {meant.by}",
                    f"  {name}.high = getelementptr i8, ptr {bounds.high}, i64 {meant.by}",
                ]
            case Region():
                return self.narrowed(name, base, meant)

    def narrowed(self, name: str, base: str, region: Region) -> list[str]:
        """A part of what the base is meant for; nothing, if it is not inside."""
        bounds, at, lines = self.of(base), name, []
        if region.offset is not None:
            at = f"{name}.at"
            lines = [f"  {at} = getelementptr i8, ptr {base}, i64 {region.offset}"]
        self.bounds[name] = Bounds(f"{name}.low", f"{name}.high", _number(region.kind))
        whole = f"ptr {bounds.low}, ptr {bounds.high}"
        return [
            *lines,
            f"  {name}.low = call ptr @guard_part(ptr {at}, i64 {region.size}, {whole})",
            f"  {name}.high = getelementptr i8, ptr {name}.low, i64 {region.size}",
        ]

    # ------------------------------------------------------------ accesses

    def access(self, pointer: str, type_: str, how: AccessKind) -> tuple[str, list[str]]:
        """The pointer to use instead, and the lines that give it."""
        size = size_of(type_)
        if size <= self.exactly.get(pointer, 0):
            return pointer, []
        name = f"%guard{len(self.checks)}"
        step = size_of(type_[1:-1].partition(" x ")[2]) if type_.startswith("<") else size
        return name, [f"  {name} = call ptr @guard_access({self.check(pointer, str(size), how, size, step)})"]

    def bulk(self, pointer: str, size: str, how: AccessKind) -> str:
        """A check of as many bytes as are copied or filled."""
        return f"  call void @guard_bulk({self.check(pointer, size, how, 0, 1)})"

    def check(self, pointer: str, bytes_: str, how: AccessKind, size: int, step: int) -> str:
        """What a check is given."""
        bounds, number = self.of(pointer), len(self.checks)
        kind = KINDS[int(bounds.kind)] if bounds.kind.isdigit() else None
        self.checks.append(MemoryAccess(self.function, self.text.strip(), how, size, step, kind))
        return f"ptr {pointer}, i64 {bytes_}, ptr {bounds.low}, ptr {bounds.high}, i64 {bounds.kind}, i64 {number}"


def _pointers(parameters: str) -> list[int]:
    """The positions of parameters that are pointers."""
    return [number for number, each in enumerate(parameters.split(", ")) if each.startswith("ptr ")]


def _number(kind: Access) -> str:
    return str(KINDS.index(kind))
