"""The text of LLVM functions, written line by line (an IR builder): temporaries, blocks, variables on the stack.

A value is the text of an operand: a number, or a name such as `%t7`. All values are 64 bits wide, conditions one bit.
Variables are memory on the stack, which LLVM turns into registers; so no phi has to be worked out for a loop.
What an address is meant for stands beside the text, see `chocolatl.interpreter.native.llvm.regions`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from chocolatl.interpreter.native.llvm.regions import Access, Meant, Region

INTEGER = "i64"


ORDERINGS: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "slt": operator.lt,
    "sle": operator.le,
    "sgt": operator.gt,
    "sge": operator.ge,
}


def constant(operand: str) -> int | None:
    """The number that an operand is, if it is one."""
    return int(operand) if operand.lstrip("-").isdigit() else None


def size_of(type_: str) -> int:
    """How many bytes a type takes."""
    if type_.startswith(("<", "[")):
        count, _, element = type_[1:-1].partition(" x ")
        return int(count) * size_of(element)
    return 8 if type_ == "ptr" else -(-int(type_[1:]) // 8)


class Function:
    """One function under way. `current` is the block that is being written."""

    exact = False
    """Whether the first element of an array has an address of its own, as it may be meant for less than the array."""

    def __init__(
        self, name: str, parameters: list[tuple[str, str]], result: str = "void", how: str = "internal"
    ) -> None:
        listed = ", ".join(f"{type_} {parameter}" for type_, parameter in parameters)
        self.name = name
        self.header = f"define {how} {result} @{name}({listed})"
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.current = "start"
        self.closed = False
        self.count = 0
        self.meant: dict[str, Meant] = {}
        """What addresses are meant for, unless that is the same as what they are computed from."""

    def text(self) -> str:
        return "\n".join(
            [
                self.header + " nounwind align 64 {",
                "entry:",
                *self.entry,
                "  br label %start",
                "start:",
                *self.lines,
                "}",
            ]
        )

    # ------------------------------------------------------------ lines

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def do(self, line: str) -> None:
        if not self.closed:
            self.lines.append("  " + line)

    def beside(self, start: int, comment: str) -> None:
        """Say what the lines from a place on are for, beside the first of them."""
        if start < len(self.lines) and ";" not in self.lines[start]:
            self.lines[start] += f"  ; {comment}"

    def op(self, line: str) -> str:
        """A line with a result."""
        name = f"%t{self.fresh()}"
        self.do(f"{name} = {line}")
        return name

    def at_entry(self, line: str) -> str:
        """A result that is there from the beginning of the function on."""
        name = f"%e{self.fresh()}"
        self.entry.append(f"  {name} = {line}")
        return name

    def variable(self, type_: str = INTEGER, kind: Access = Access.VARIABLE) -> str:
        name = self.at_entry(f"alloca {type_}, align {16 if type_.startswith(('<', '[')) else 8}")
        return name if kind is Access.VARIABLE else self.mean(name, Region(kind, size_of(type_)))

    # ------------------------------------------------------------ blocks

    def block(self) -> str:
        return f"b{self.fresh()}"

    def begin(self, block: str) -> None:
        """Go on in a block; what came before runs into it."""
        self.goto(block)
        self.lines.append(f"{block}:")
        self.current, self.closed = block, False

    def goto(self, block: str) -> None:
        self.do(f"br label %{block}")
        self.closed = True

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        if condition in ("true", "false"):
            self.goto(then if condition == "true" else otherwise)
            return
        self.do(f"br i1 {condition}, label %{then}, label %{otherwise}")
        self.closed = True

    def leave(self, result: str = "void") -> None:
        self.do(f"ret {result}")
        self.closed = True

    # ------------------------------------------------------------ memory

    def load(self, pointer: str, type_: str = INTEGER, tag: str = "") -> str:
        """A value from memory, widened; zones are counted without a sign."""
        found = self.op(f"load {type_}, ptr {pointer}{tag}")
        return found if type_ == INTEGER else self.op(f"sext {type_} {found} to i64")

    def load_count(self, pointer: str, type_: str, tag: str = "") -> str:
        found = self.op(f"load {type_}, ptr {pointer}{tag}")
        return found if type_ == INTEGER else self.op(f"zext {type_} {found} to i64")

    def store(self, value: str, pointer: str, type_: str = INTEGER, tag: str = "") -> None:
        if type_ != INTEGER and constant(value) is None:
            value = self.op(f"trunc i64 {value} to {type_}")
        self.do(f"store {type_} {value}, ptr {pointer}{tag}")

    def mean(self, pointer: str, meant: Meant) -> str:
        """Say what an address is meant for."""
        self.meant[pointer] = meant
        return pointer

    def part(self, base: str, offset: int, meant: Region) -> str:
        """The address of what lies at a known place."""
        return self.mean(self.op(f"getelementptr i8, ptr {base}, i64 {offset}"), meant)

    def element(self, pointer: str, index: str, type_: str = INTEGER, meant: Meant | None = None) -> str:
        """The address of an element of an array; what it is meant for, if that is less than the array."""
        if index == "0" and (meant is None or not self.exact):
            return pointer
        found = self.op(f"getelementptr inbounds {type_}, ptr {pointer}, i64 {index}")
        return found if meant is None else self.mean(found, meant)

    # ------------------------------------------------------------ numbers

    def add(self, a: str, b: str) -> str:
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            return str(x + y)
        if x == 0 or y == 0:
            return b if x == 0 else a
        return self.op(f"add nsw i64 {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            return str(x - y)
        return a if y == 0 else self.op(f"sub nsw i64 {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        x, y = constant(a), constant(b)
        if x is not None and y is not None:
            return str(x * y)
        if x == 1 or y == 1:
            return b if x == 1 else a
        return self.op(f"mul nsw i64 {a}, {b}")

    def both(self, a: str, b: str) -> str:
        """The bits that both have."""
        return "0" if "0" in (a, b) else self.op(f"and i64 {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """The bits that at least one has."""
        if "0" in (a, b):
            return b if a == "0" else a
        return self.op(f"or i64 {a}, {b}")

    def differing(self, a: str, b: str) -> str:
        """The bits that only one has."""
        if "0" in (a, b):
            return b if a == "0" else a
        return self.op(f"xor i64 {a}, {b}")

    def compare(self, how: str, a: str, b: str, type_: str = INTEGER) -> str:
        x, y = constant(a), constant(b)
        if x is not None and y is not None and how in ORDERINGS:
            return "true" if ORDERINGS[how](x, y) else "false"
        return self.op(f"icmp {how} {type_} {a}, {b}")

    def widen(self, condition: str) -> str:
        """Yes and no as 1 and 0."""
        if condition in ("true", "false"):
            return "1" if condition == "true" else "0"
        return self.op(f"zext i1 {condition} to i64")

    def select(self, condition: str, a: str, b: str) -> str:
        if condition in ("true", "false"):
            return a if condition == "true" else b
        return a if a == b else self.op(f"select i1 {condition}, i64 {a}, i64 {b}")

    def minimum(self, a: str, b: str) -> str:
        return self.op(f"call i64 @llvm.smin.i64(i64 {a}, i64 {b})")

    def maximum(self, a: str, b: str) -> str:
        return self.op(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")

    def change(self, variable: str, by: str) -> str:
        """Add to a variable; its new value."""
        new = self.add(self.load(variable), by)
        self.store(new, variable)
        return new
