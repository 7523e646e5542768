"""How much of the language and of the native code generator random programs go through, counted program by program.

    python -m tests.fuzzing.coverage FIRST COUNT

prints both tables, and a few seeds that have all of it. **Kinds of IR** are the classes of
`chocolatl.interpreter.ir.nodes`, and the operations that are declared. **Native passes** are the functions of the
modules by which the text of native code is made: `chocolatl.interpreter.native.builds.module`, what plays for players
that look ahead, and all that they import of their package. A pass counts for a program if it, at least once, wrote code
or found that something applies (returned something): to be asked and decline does not count. That is observed from
outside (`sys.setprofile`), so that a new function is on the list as soon as it is written, and nothing has to be
registered.
"""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, partial
from inspect import getmembers, isclass, isfunction
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from msgspec import Struct
from msgspec.structs import astuple

from chocolatl.interpreter.diagnostics import Rejected
from chocolatl.interpreter.ir import nodes
from chocolatl.interpreter.native.builds.module import stepwise, whole_games
from chocolatl.interpreter.native.llvm.text import Function
from chocolatl.interpreter.native.lookahead.comparing import rows_texts
from chocolatl.interpreter.native.lookahead.desk import Unseatable
from chocolatl.interpreter.native.lookahead.noting import NOTING
from chocolatl.interpreter.native.lookahead.seated import seated_texts
from chocolatl.interpreter.play.game import Game
from chocolatl.interpreter.play.library import load
from tests.conftest import ROOT
from tests.fuzzing.programs import generate
from tests.operations.operations import named, operations

ABSTRACT = (nodes.TypedNode, nodes.PlacedNode)
Counted = dict[str, int]
FEATURES = ("", "+avx512vpopcntdq,+avx512vl")
"""Processors for which the code differs; it is only written here, not run."""

# ---------------------------------------------------------------- kinds of IR


@cache
def ir_kinds() -> frozenset[str]:
    """Every kind of node, and every operation that is declared."""
    found = operations()
    for name, kind in getmembers(nodes, isclass):
        if kind.__module__ != nodes.__name__ or kind in ABSTRACT or not issubclass(kind, Struct):
            continue
        found.add(name)
    return frozenset(found)


def ir_of(game: Game) -> set[str]:
    """The kinds that a game has."""
    found: set[str] = set()
    waiting: list[Any] = [game.ir]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (tuple, list)):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
        elif type(node).__module__ == nodes.__name__:
            found |= {type(node).__name__, named(node) or type(node).__name__}
            waiting += astuple(node)
    return found


# ---------------------------------------------------------------- native passes

PACKAGE = "chocolatl.interpreter.native"


def _file(module: str) -> Path:
    return ROOT / f"{module.removeprefix('chocolatl.').replace('.', '/')}.py"


@cache
def emitters() -> tuple[str, ...]:
    """The modules that the text of native code is made by."""
    found: list[str] = []
    waiting = [f"{PACKAGE}.builds.module", f"{PACKAGE}.lookahead.comparing", f"{PACKAGE}.lookahead.seated"]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.append(name)
        tree = ast.parse(_file(name).read_text(encoding="utf-8"))
        imports = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        waiting += [module for module in imports if module.startswith(f"{PACKAGE}.") and _file(module).is_file()]
    return tuple(sorted(found))


OUTSIDE = frozenset(
    [
        "layout.contents.SlotsInMemory.all", "layout.contents._content", "layout.contents._from_planes",
        "layout.contents.read", "layout.contents.write",
        "emit.statements.occurrences.counted_bytes", "layout.memory.Memory.run_of",
        "builds.module.Module.failure", "lookahead.planning.belief_bytes",  # while a game runs
        "lookahead.desk.check_seatable",  # it says what cannot be done
        "emit.passes.Pass.function",  # when modules are loaded
        "layout.zone_capacity.ZoneCapacities._family",  # for pieces in a local, which there are none of yet
        "runtime.support.meanings",  # for the build that checks every access
        "builds.secret_copies.look_around",  # for builds in which a policy is followed
        "llvm.text.Function.beside", "llvm.text.Function.do",  # a comment; what all code is written through
    ]
)  # fmt: skip
"""What stands in these modules and has no part in making code, or only writes it down."""


@cache
def passes() -> dict[CodeType, str]:
    """Every function of these modules that does something, by its code."""
    found: dict[CodeType, str] = {}
    for name in emitters():
        module = importlib.import_module(name)
        for owner in (module, *(each for _, each in getmembers(module, isclass) if each.__module__ == name)):
            for code in _codes(owner, name):
                called = f"{name.removeprefix(f'{PACKAGE}.')}.{code.co_qualname}"
                if called not in OUTSIDE and code.co_firstlineno not in _empty(name):
                    found[code] = called
    return found


@cache
def _empty(module: str) -> frozenset[int]:
    """The first lines of functions that hold nothing but a text: others of their name take their place."""
    tree = ast.parse(_file(module).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    held = [f for f in functions if all(isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) for s in f.body)]
    return frozenset(min([f.lineno, *(d.lineno for d in f.decorator_list)]) for f in held)


def _codes(owner: Any, module: str) -> Iterator[CodeType]:
    for member in vars(owner).values():
        function = getattr(member, "__wrapped__", member)
        function = getattr(function, "func", getattr(function, "fget", function))
        if isfunction(function) and function.__module__ == module and not function.__name__.startswith("__"):
            yield function.__code__


WRITES = (Function.do.__code__, Function.op.__code__, Function.at_entry.__code__)
"""Through these every line of code goes."""


class Watch:
    """Which passes did something while it is on."""

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.lines = 0
        self.open: list[tuple[CodeType, int]] = []
        # By identity: a code object is hashed by all that it holds, each time.
        self.names = {id(code): name for code, name in passes().items()}
        self.writes = {id(code) for code in WRITES}

    def __enter__(self) -> Watch:
        sys.setprofile(self.note)
        return self

    def __exit__(self, *given: object) -> None:
        sys.setprofile(None)

    def note(self, frame: FrameType, event: str, value: Any) -> None:
        code = frame.f_code
        known = id(code) in self.names
        if event == "call":
            if known:
                self.open.append((code, self.lines))
            if id(code) in self.writes:
                self.lines += 1
        elif event == "return" and known:
            while self.open:
                last, before = self.open.pop()
                if last is code:
                    if self.lines > before or (value is not None and value is not False and _is_something(value)):
                        self.found.add(self.names[id(code)])
                    break


def _is_something(value: object) -> bool:
    return not isinstance(value, (tuple, list)) or len(value) > 0


def passes_of(game: Game) -> set[str]:
    """The passes that the native code of a game goes through, in every build."""
    passes()
    with Watch() as watch:
        for features in FEATURES:
            whole_games(game.ir, features)
        whole_games(game.ir, "", closely=True)
        whole_games(game.ir, "", watched=True)
        whole_games(game.ir, "", inspected=True)
        stepwise(game.program, "", more=partial(rows_texts, counted=()))
        stepwise(game.program, "", inspected=True)
        with suppress(Unseatable):
            stepwise(game.program, "", inspected=True, more=seated_texts, build=NOTING)
    return watch.found


# ---------------------------------------------------------------- counts


def both(
    seeds: Iterable[int], each: Callable[[int, set[str]], None] = lambda seed, found: None
) -> tuple[Counted, Counted]:
    """In how many programs each kind and each pass occurs; those that never do are counted, too."""
    kinds = dict.fromkeys(sorted(ir_kinds()), 0)
    found_passes = dict.fromkeys(sorted(passes().values()), 0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            program = generate(seed)
            try:
                game = load(program.write(Path(folder)), program.players)
            except Rejected:
                continue
            found = ir_of(game), passes_of(game)
            for counts, names in zip((kinds, found_passes), found, strict=True):
                for name in names:
                    counts[name] = counts.get(name, 0) + 1
            each(seed, found[0] | found[1])
    return kinds, found_passes


def cover(found: dict[int, set[str]]) -> list[int]:
    """A few seeds that have between them all that there is (greedy set cover)."""
    left, chosen = set().union(*found.values()), []
    while left:
        best = max(found, key=lambda seed: len(found[seed] & left))
        chosen.append(best)
        left -= found[best]
    return sorted(chosen)


def table(counts: Counted) -> str:
    """The rarest first."""
    return "\n".join(f"{count:8} {name}" for name, count in sorted(counts.items(), key=lambda each: (each[1], each[0])))


def apart(seeds: Iterable[int]) -> tuple[Counted, Counted]:
    """The same in a process of its own, where nobody else looks at what is called."""
    given = [sys.executable, "-m", "tests.fuzzing.coverage", "--json", *map(str, seeds)]
    done = subprocess.run(given, cwd=ROOT, capture_output=True, text=True, check=True)
    kinds, found_passes = json.loads(done.stdout)
    return kinds, found_passes


def main(arguments: list[str]) -> None:
    if arguments[0] == "--json":
        print(json.dumps(both(map(int, arguments[1:]))))
        return
    first, count = map(int, arguments)
    found: dict[int, set[str]] = {}
    kinds, found_passes = both(range(first, first + count), found.__setitem__)
    print(f"kinds of IR in {count} programs\n{table(kinds)}")
    print(f"\nnative passes in {count} programs\n{table(found_passes)}")
    print(f"\nall of them are in the programs of {cover(found)}")


if __name__ == "__main__":
    main(sys.argv[1:])
