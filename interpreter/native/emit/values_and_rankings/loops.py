"""Loops that the code itself needs: over numbers, the bits of a word, a list (counted loops and bit scans)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from chocolatl.interpreter.native.emit.context import EmitContext


@dataclass(frozen=True)
class ElementLoop:
    """A loop under way: the element at hand, how many copies there are of it, where the next one and the end are."""

    value: str
    copies: str
    next: str
    done: str


@contextmanager
def counting(context: EmitContext, first: str, last: str) -> Iterator[ElementLoop]:
    """A loop over numbers; what stands inside is its body."""
    f = context.f
    counter, head, body, following, done = f.variable(), f.block(), f.block(), f.block(), f.block()
    f.store(first, counter)
    f.begin(head)
    now = f.load(counter)
    f.branch(f.compare("sle", now, last), body, done)
    f.begin(body)
    yield ElementLoop(now, "1", following, done)
    f.begin(following)
    f.change(counter, "1")
    f.goto(head)
    f.begin(done)


@contextmanager
def each_bit(context: EmitContext, word: str) -> Iterator[ElementLoop]:
    """A loop over the bits of a word."""
    f = context.f
    left, head, body, done = f.variable(), f.block(), f.block(), f.block()
    f.store(word, left)
    f.begin(head)
    now = f.load(left)
    f.branch(f.compare("ne", now, "0"), body, done)
    f.begin(body)
    f.store(f.op(f"and i64 {now}, {f.op(f'sub i64 {now}, 1')}"), left)
    yield ElementLoop(f.op(f"call i64 @llvm.cttz.i64(i64 {now}, i1 true)"), "1", head, done)
    f.goto(head)
    f.begin(done)


@contextmanager
def each_listed(context: EmitContext, array: str, count: str, distinct: bool) -> Iterator[ElementLoop]:
    """A loop over an array; of equal neighbours only the first one, if they have to be distinct."""
    f = context.f
    with counting(context, "0", f.sub(count, "1")) as loop:
        value = f.load(f.element(array, loop.value))
        if distinct:
            before, first, new = f.op(f"add i64 {loop.value}, -1"), f.block(), f.block()
            f.branch(f.compare("eq", loop.value, "0"), new, first)
            f.begin(first)
            f.branch(f.compare("eq", f.load(f.element(array, before)), value), loop.next, new)
            f.begin(new)
        yield ElementLoop(value, "1", loop.next, loop.done)
