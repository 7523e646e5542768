"""Vectors (SIMD): a word for each player, and what is done to all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chocolatl.interpreter.native.llvm.text import Function, constant


class Lanes:
    """A word for each player: operations as `Function` has them on single ones. "0" stands for nothing anywhere."""

    def __init__(self, f: Function, count: int, unit: str) -> None:
        self.f = f
        self.count = count
        self.unit = unit
        self.type = f"<{count} x {unit}>"

    def op(self, how: str, a: str, b: str) -> str:
        return self.f.op(f"{how} {self.type} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return "0" if "0" in (a, b) else self.op("and", a, b)

    def either(self, a: str, b: str) -> str:
        if "0" in (a, b):
            return b if a == "0" else a
        return self.op("or", a, b)

    def differing(self, a: str, b: str) -> str:
        if "0" in (a, b):
            return b if a == "0" else a
        return self.op("xor", a, b)

    def load(self, pointer: str, tag: str) -> str:
        return self.f.op(f"load {self.type}, ptr {pointer}, align {self.alignment}{tag}")

    def store(self, value: str, pointer: str, tag: str) -> None:
        value = "zeroinitializer" if value == "0" else value
        self.f.do(f"store {self.type} {value}, ptr {pointer}, align {self.alignment}{tag}")

    def widened(self, unit: str, pointer: str, tag: str) -> str:
        """A row of numbers of fewer bits."""
        row = Lanes(self.f, self.count, unit)
        found = row.load(pointer, tag)
        return found if unit == self.unit else self.f.op(f"sext {row.type} {found} to {self.type}")

    def resized(self, value: str, other: Lanes) -> str:
        """Words of a zone as numbers of other lanes."""
        if self.unit == other.unit:
            return value
        how = "zext" if self.alignment < other.alignment else "trunc"
        return self.f.op(f"{how} {self.type} {value} to {other.type}")

    @property
    def truth(self) -> str:
        """The type of a condition for each player."""
        return f"<{self.count} x i1>"

    def select(self, by: str, condition: str, a: str, b: str) -> str:
        return self.f.op(f"select {by} {condition}, {self.type} {a}, {self.type} {b}")

    def any(self, held: str) -> str:
        """Whether a condition holds for anybody."""
        word = f"i{self.count}"
        return self.f.op(f"icmp ne {word} {self.f.op(f'bitcast {self.truth} {held} to {word}')}, 0")

    @property
    def alignment(self) -> int:
        return int(self.unit[1:]) // 8

    def vector(self, numbers: Iterable[int]) -> str:
        return f"<{', '.join(f'{self.unit} {number}' for number in numbers)}>"

    def splat(self, number: int) -> str:
        return self.vector([number] * self.count)

    def spread(self, word: str) -> str:
        """A word of 64 bits in all lanes."""
        number = constant(word)
        if number is not None:
            return self.splat(number)
        if self.unit != "i64":
            word = self.f.op(f"trunc i64 {word} to {self.unit}")
        one = self.f.op(f"insertelement {self.type} poison, {self.unit} {word}, i64 0")
        return self.f.op(f"shufflevector {self.type} {one}, {self.type} poison, <{self.count} x i32> zeroinitializer")

    def turned(self, value: str, steps: int) -> str:
        """What those have who sit so many places on."""
        others = ", ".join(f"i32 {(seat + steps) % self.count}" for seat in range(self.count))
        return self.f.op(f"shufflevector {self.type} {value}, {self.type} poison, <{self.count} x i32> <{others}>")

    def moved(self, value: str, steps: int) -> str:
        """What those have who come so many places before, or after if that is negative; nothing if there is nobody."""
        others = (seat - steps for seat in range(self.count))
        chosen = ", ".join(f"i32 {other if 0 <= other < self.count else self.count}" for other in others)
        return self.f.op(
            f"shufflevector {self.type} {value}, {self.type} zeroinitializer, <{self.count} x i32> <{chosen}>"
        )

    def split(self, value: str) -> list[str]:
        """The words one by one, 64 bits wide."""
        if value == "0":
            return ["0"] * self.count
        return [self.word(value, number) for number in range(self.count)]

    def word(self, value: str, number: int) -> str:
        """One of the words, 64 bits wide."""
        found = self.f.op(f"extractelement {self.type} {value}, i64 {number}")
        return found if self.unit == "i64" else self.f.op(f"zext {self.unit} {found} to i64")

    def gathered(self, words: Sequence[str]) -> str:
        """Words of 64 bits as one vector."""
        if all(word == "0" for word in words):
            return "0"
        found = "poison"
        for number, word in enumerate(words):
            if self.unit != "i64":
                word = self.f.op(f"trunc i64 {word} to {self.unit}")
            found = self.f.op(f"insertelement {self.type} {found}, {self.unit} {word}, i64 {number}")
        return found
