"""A joint choice at the keyboard: how its parts are typed, what each can be, and which part of a line is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.play.game import Answer, Decision
from chocolatl.interpreter.program.model import Domain
from chocolatl.interpreter.program.types import NUMBER, Scalar
from chocolatl.interpreter.terminal.asking.typed import first, words_of
from chocolatl.interpreter.terminal.output.words import part_types, spaced

LISTED = 20
"""So many values of a part are listed at most, unless a person asks for help."""


class WrongPart(Exception):
    """A typed line of which a part is wrong; the message says which, and what it can be."""


class Joint:
    """The parts of a choice, with the legal answers."""

    def __init__(self, decision: Decision) -> None:
        assert isinstance(decision.node, ir.Choose)
        self.decision = decision
        self.game = decision.game
        self.picks = decision.node.picks
        self.types = part_types(decision)
        self.names = [spaced(pick.local.name).upper().replace(" ", "-") for pick in self.picks]
        legal: Any = decision.answers
        none = decision.none if decision.node.optional else None
        self.legal: list[tuple[int, ...]] = [answer for answer in legal if answer != none]

    @property
    def hint(self) -> str:
        return f"type {' '.join(self.names)}"

    @property
    def example(self) -> str:
        """Something that could be typed; from the middle, where it shows more than zeros."""
        if not self.legal:
            return ""
        answer = self.legal[len(self.legal) // 2]
        return " ".join(self.game.show(type_, value) for type_, value in zip(self.types, answer, strict=True))

    def understand(self, line: str) -> Answer:
        """The legal answer that a line means, or `WrongPart`. What follows from the parts before need not be typed."""
        words = words_of(line)
        legal = self.legal
        for part, (name, type_) in enumerate(zip(self.names, self.types, strict=True)):
            can_be = f"can be {self.values(part, legal, LISTED)}"
            if not words and part and len(legal) == 1:
                break
            if not words:
                raise WrongPart(f"{name} is missing, which {can_be}")
            value, used = first(self.game, type_, words)
            known = value is not None and type_.low <= value <= type_.high
            shown = self.game.show(type_, value) if value is not None and known else " ".join(words[:used])
            words = words[used:]
            fitting = [answer for answer in legal if answer[part] == value]
            if not fitting:
                with_ = " with what stands before it" if any(a[part] == value for a in self.legal) else ""
                raise WrongPart(f"{name} cannot be {shown}{with_}, it {can_be}")
            legal = fitting
        if words:
            raise WrongPart(f"`{' '.join(words)}` is too much")
        return legal[0]

    # ------------------------------------------------------------ what can be typed

    def lines(self, most: int) -> list[str]:
        """The values of each part, at most so many; of a piece that is laid turned, how it then looks."""
        turning = self.turning()
        pieces = [] if turning is None else [a[0] for a in self.turned(*turning)]
        width = max(map(len, [*self.names, *pieces]))
        lines: list[str] = []
        for part, name in enumerate(self.names):
            if turning is not None and part == turning[0]:
                lines += _aligned(self.turned(*turning), width)
            elif turning is None or part != turning[1]:
                lines.append(f"  {name:<{width}}  {self.values(part, self.legal, most)}")
        return lines

    def values(self, part: int, legal: Sequence[tuple[int, ...]], most: int) -> str:
        """`0 to 3`, `1 2 5`, `1,0  2,0`."""
        type_ = self.types[part]
        values = sorted({answer[part] for answer in legal})
        if type_.family == NUMBER and len(values) > 2 and values == list(range(values[0], values[-1] + 1)):
            return f"{values[0]} to {values[-1]}"
        words = [self.game.show(type_, value) for value in values[:most]]
        more = f" ... ({len(values)} in all; `help` lists them)" if len(values) > most else ""
        return ("  " if any(" " in word or "," in word for word in words) else " ").join(words) + more

    # ------------------------------------------------------------ pieces that are laid turned

    def turning(self) -> tuple[int, int] | None:
        """The part that is a piece, and the part that says how it is turned."""
        for turn, pick in enumerate(self.picks):
            if not isinstance(pick.domain, ir.Numbers):
                continue
            read = [node.local for node in inside(pick.domain.high) if isinstance(node, ir.Read)]
            for piece in range(turn):
                domain = self.game.ir.domains.get(self.types[piece].family)
                if domain is not None and domain.turning is not None and self.picks[piece].local in read:
                    return piece, turn
        return None

    def turned(self, piece: int, turn: int) -> list[list[str]]:
        """The rows of a table: each piece with what it looks like after each turn, in the order of its sides."""
        domain = self.game.ir.domains[self.types[piece].family]
        assert domain.turning is not None
        pairs = sorted({(answer[piece], answer[turn]) for answer in self.legal})
        turns = sorted({number for _, number in pairs})
        rows = [[self.names[piece], *(f"{self.names[turn]} {n}" if n == turns[0] else str(n) for n in turns)]]
        for kind in dict.fromkeys(kind for kind, _ in pairs):
            faces = [self.face(domain, kind, n) if (kind, n) in pairs else "" for n in turns]
            rows.append([self.game.show(self.types[piece], kind), *faces])
        sides = self.game.ir.domains[domain.turning.ring.family].labels
        rows[0].append(f"({'-'.join(map(str, sides))})")
        return [[*row, ""] if row is not rows[0] else row for row in rows]

    def face(self, domain: Domain, kind: int, turn: int) -> str:
        """What stands at the sides of a turned piece."""
        assert domain.turning is not None
        ring: Scalar = domain.turning.ring
        words: list[str] = []
        for attribute in domain.attributes.values():
            if attribute.index == ring:
                values = attribute.values[kind * ring.size : (kind + 1) * ring.size]
                shown = [self.game.show(attribute.type, values[(side - turn) % ring.size]) for side in range(ring.size)]
                words.append("-".join(shown))
        return "/".join(words)


def _aligned(rows: list[list[str]], width: int) -> list[str]:
    """Rows of a table as lines; `width` is that of the first column."""
    widths = [width, *(max(map(len, column)) for column in list(zip(*rows, strict=True))[1:])]
    return ["  " + "  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
