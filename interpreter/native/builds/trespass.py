"""What a checked build finds: accesses beyond what they are meant for, told in Python; and errors planted to see it
(sanitizer reports, fault injection).

`chocolatl.interpreter.native.builds.bounds_checks` puts the checks into the text. The functions that they call are
here. At the first access that is out of bounds native code is left at once, by a long jump over functions that have
nothing to clear up, and whoever called it hears of it. Any of the places that are checked can be told to be wrong by
some bytes: a load and a store go so far astray, a copy takes so much more.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from chocolatl.interpreter.native.builds.limits import checked
from chocolatl.interpreter.native.builds.module import Module
from chocolatl.interpreter.native.builds.results import NativeFunction
from chocolatl.interpreter.native.llvm.compile import LoadedCode, compiled
from chocolatl.interpreter.native.llvm.regions import KINDS, Access, MemoryAccess

RUNTIME = """
; Whether there is one, then the place, the kind, the address and how many bytes.
@guard_found = global [5 x i64] zeroinitializer
; The number of a place and one, by how many bytes it is wrong, how often it was come to, and after how many accesses
; the game is left: what is wrong and is not found may lead anywhere.
@guard_planted = global [4 x i64] zeroinitializer
; Where whoever called native code goes on when it is left.
@guard_return = internal global [1024 x i8] zeroinitializer, align 64

declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn

; A part of something, if it lies inside.
define internal ptr @guard_part(ptr %at, i64 %size, ptr %low, ptr %high) nounwind {
  %end = getelementptr i8, ptr %at, i64 %size
  %above = icmp uge ptr %at, %low
  %below = icmp ule ptr %end, %high
  %inside = and i1 %above, %below
  %found = select i1 %inside, ptr %at, ptr null
  ret ptr %found
}

; Returns only if so many bytes lie between two addresses.
define internal void @guard_inside(ptr %at, i64 %size, ptr %low, ptr %high, i64 %kind, i64 %place) nounwind {
  %a = ptrtoint ptr %at to i64
  %h = ptrtoint ptr %high to i64
  %some = icmp ne ptr %low, null
  %above = icmp uge ptr %at, %low
  %below = icmp ule ptr %at, %high
  %room = sub i64 %h, %a
  %fits = icmp ule i64 %size, %room
  %ordered = and i1 %above, %below
  %inside = and i1 %ordered, %fits
  %fine = and i1 %inside, %some
  br i1 %fine, label %done, label %leave
leave:
  store i64 1, ptr @guard_found
  store i64 %place, ptr getelementptr (i64, ptr @guard_found, i64 1)
  store i64 %kind, ptr getelementptr (i64, ptr @guard_found, i64 2)
  store i64 %a, ptr getelementptr (i64, ptr @guard_found, i64 3)
  store i64 %size, ptr getelementptr (i64, ptr @guard_found, i64 4)
  call void @longjmp(ptr @guard_return, i32 1)
  unreachable
done:
  ret void
}

; By how many bytes a place is wrong.
define internal i64 @guard_error(i64 %place) nounwind {
  %planted = load i64, ptr @guard_planted
  %some = icmp ne i64 %planted, 0
  br i1 %some, label %look, label %right
look:
  %before = load i64, ptr getelementptr (i64, ptr @guard_planted, i64 3)
  %left = sub i64 %before, 1
  store i64 %left, ptr getelementptr (i64, ptr @guard_planted, i64 3)
  %over = icmp eq i64 %left, 0
  br i1 %over, label %leave, label %on
leave:
  call void @longjmp(ptr @guard_return, i32 1)
  unreachable
on:
  %number = add i64 %place, 1
  %here = icmp eq i64 %planted, %number
  br i1 %here, label %wrong, label %right
wrong:
  %by = load i64, ptr getelementptr (i64, ptr @guard_planted, i64 1)
  %old = load i64, ptr getelementptr (i64, ptr @guard_planted, i64 2)
  %new = add i64 %old, 1
  store i64 %new, ptr getelementptr (i64, ptr @guard_planted, i64 2)
  ret i64 %by
right:
  ret i64 0
}

define internal ptr @guard_access(ptr %at, i64 %size, ptr %low, ptr %high, i64 %kind, i64 %place) nounwind {
  %by = call i64 @guard_error(i64 %place)
  %used = getelementptr i8, ptr %at, i64 %by
  call void @guard_inside(ptr %used, i64 %size, ptr %low, ptr %high, i64 %kind, i64 %place)
  ret ptr %used
}

define internal void @guard_bulk(ptr %at, i64 %size, ptr %low, ptr %high, i64 %kind, i64 %place) nounwind {
  %by = call i64 @guard_error(i64 %place)
  %used = add i64 %size, %by
  call void @guard_inside(ptr %at, i64 %used, ptr %low, ptr %high, i64 %kind, i64 %place)
  ret void
}
"""

PATIENCE = 1_000_000
"""So many accesses a game has in which an error is planted."""

FOUND, PLANTED = "guard_found", "guard_planted"


def entry(result: str, name: str, given: str) -> str:
    """A function that is called from outside: it returns as soon as an access is found to be out of bounds."""
    found, value, nothing = ("", "", "") if result == "void" else ("%found = ", " %found", " 0")
    return f"""
define {result} @{name}({given}) nounwind {{
  %stopped = call i32 @_setjmp(ptr @guard_return) returns_twice
  %begins = icmp eq i32 %stopped, 0
  br i1 %begins, label %go, label %stop
go:
  {found}call {result} @inside_{name}({given})
  ret {result}{value}
stop:
  ret {result}{nothing}
}}"""


def guarded_code(module: Module, level: int, *functions: str) -> tuple[LoadedCode, Guard]:
    """The functions of a checked build in memory, and what tells of what they find."""
    code = LoadedCode(compiled(checked(module.text), level), *functions, FOUND, PLANTED)
    return code, Guard(code, module.checks)


class Trespass(Exception):
    """An access beyond what it is meant for."""

    def __init__(self, kind: Access, check: MemoryAccess, address: int, size: int) -> None:
        super().__init__(f"{check.how.value} beyond {kind.value}, of {size} bytes, in @{check.function}: {check.line}")
        self.kind = kind
        self.check = check
        self.address = address
        self.size = size


class Guard:
    """What the code of a checked build has found."""

    def __init__(self, code: LoadedCode, checks: Sequence[MemoryAccess]) -> None:
        self.checks = checks
        self._found = (ctypes.c_int64 * 5).from_address(code.address(FOUND))
        self._planted = (ctypes.c_int64 * 4).from_address(code.address(PLANTED))

    def around(self, function: NativeFunction) -> NativeFunction:
        """The same function; it raises `Trespass` if an access was found that is out of bounds."""

        def called(*given: Any) -> Any:
            result = function(*given)
            count, place, kind, address, size = self._found
            if count:
                self._found[:] = [0] * 5
                raise Trespass(KINDS[kind], self.checks[place], address, size)
            return result

        return called

    @contextmanager
    def planted(self, place: int, by: int) -> Iterator[Callable[[], int]]:
        """Meanwhile a place is wrong by so many bytes; what is given tells how often it was come to."""
        self._planted[:] = [place + 1, by, 0, PATIENCE]
        try:
            yield lambda: self._planted[2]
        finally:
            self._planted[:] = [0] * 4
