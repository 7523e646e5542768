"""A sum over a model, compiled (vectorised): worked out for a table of answers, some thousands of rows at a time."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from chocolatl.interpreter.native.llvm import compile as native
from chocolatl.interpreter.system.deadline import Deadline, TimeIsUp
from chocolatl.solver.backends.answer_table import Column, DecisionOption, weighed
from chocolatl.solver.backends.straight_line import LANES, Form, StraightLineCode
from chocolatl.solver.model.constraints import Constraint
from chocolatl.solver.model.definitions import NoTable
from chocolatl.solver.model.model import Model

CHUNK = LANES << 12
"""So many rows are worked out at once, so that they stay close to the processor."""

LINES = 3000
"""So long a piece of code is about: it stays close to the processor, too, and is compiled quickly."""

COMPILING = 1e-4
"""About how many seconds a line takes to be compiled."""

SIZES: tuple[tuple[str, type[np.signedinteger[Any]]], ...] = (("i16", np.int16), ("i32", np.int32), ("i64", np.int64))


class Compiled:
    def __init__(self, model: Model, owner: Mapping[int, int], options: Sequence[Sequence[DecisionOption]]) -> None:
        self.model = model
        self.owner = owner
        """The decision that a variable of the answer belongs to."""
        self.options = options
        self.forms: dict[Form, int] = {}
        self.weights: dict[Form, npt.NDArray[np.int64]] = {}
        """What a form is for each option of its decision."""
        self.codes: list[StraightLineCode] = []
        self.is_compiled = False
        self.reach = 0
        """The sum lies at most so far from 0."""

    # ------------------------------------------------------------ what is added

    def add(self, terms: Iterable[tuple[int, int]]) -> None:
        """A sum of variables."""
        for variable, factor in terms:
            self.code().add(variable, factor)
            self.reach += abs(factor) * max(1, *map(abs, self.model.bounds[variable]))

    def add_broken(self, constraints: Iterable[Constraint]) -> None:
        """How many constraints do not hold."""
        for constraint in constraints:
            self.code().add_if_broken(constraint)
            self.reach += 1

    def code(self) -> StraightLineCode:
        """The piece of code at hand, or a new one if it is long."""
        if not self.codes or len(self.codes[-1].lines) > LINES:
            self.codes.append(StraightLineCode(self.model, self.owner, self.forms, self.span))
        return self.codes[-1]

    def span(self, form: Form) -> tuple[int, int]:
        if form not in self.weights:
            number, terms = form
            self.weights[form] = weighed(self.options[number], [terms])[:, 0]
        return int(self.weights[form].min(initial=0)), int(self.weights[form].max(initial=0))

    def seconds(self) -> float:
        """About how long it takes to compile."""
        return COMPILING * sum(len(code.lines) for code in self.codes)

    # ------------------------------------------------------------ running it

    def compile(self, deadline: Deadline) -> None:
        """Compile all pieces; `TimeIsUp` if that takes too long. Nobody can stop a compiler, so that a piece is only
        begun if there is likely to be time for it."""
        if self.is_compiled:
            return
        widest = max((code.widest for code in self.codes), default=1)
        lane, self.lane = size(widest)
        total, self.total = size(max(self.reach, widest))
        self.loaded = []
        for code in self.codes:
            if COMPILING * len(code.lines) > deadline.left:
                raise TimeIsUp
            text = code.text(len(self.forms), lane, total)
            self.loaded.append(native.LoadedCode(native.compiled(text, native.FAST), "evaluate"))
        types = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64
        self.functions = [ctypes.CFUNCTYPE(None, *types)(code.address("evaluate")) for code in self.loaded]
        self.is_compiled = True
        self.looked_up = [(number, self.weights[number, terms].astype(self.lane)) for number, terms in self.forms]

    def totals(self, columns: Sequence[Column]) -> npt.NDArray[Any]:
        """The sum for each row; `columns` tell which option of each decision it has."""
        rows = len(columns[0])
        padded = -(-rows // LANES) * LANES
        read = np.zeros((len(self.forms), padded), self.lane)
        for (number, weights), target in zip(self.looked_up, read, strict=True):
            np.take(weights, columns[number], out=target[:rows])
        pointers = (ctypes.c_void_p * len(read))(*(column.ctypes.data for column in read))
        totals = np.zeros(padded, self.total)
        for function in self.functions:
            function(ctypes.addressof(pointers), totals.ctypes.data, padded)
        return totals[:rows]


def size(widest: int) -> tuple[str, type[np.signedinteger[Any]]]:
    """The shortest kind of number that holds so much, with or without a sign."""
    for name, type_ in SIZES:
        if widest < np.iinfo(type_).max:
            return name, type_
    raise NoTable("its numbers are too long")
