"""What a decision may depend on, whatever it is about: quantities of the table, of the player, and of the player
against the others (context features).

    table    numbers, yes or no, one yes or no for each member of a small enum, "is me" where it holds a player
    player   the same of oneself, and less the highest of the others; of sets size, sums and highest
    things   of the few things that have fields (places of a board): what lies there, and how many are mine
    values   what the rule file calls by a name of its own, of the table and of a player
    places   one's own place by score, and in each ranking of players

What others have is looked at where it is open, or how many it is: The form looks at every
formula with the analysis of secrecy.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.failing import Failures
from chocolatl.interpreter.ir.operations import AggregateKind, ComparisonOperator, LogicOperator
from chocolatl.interpreter.ir.walk import inside
from chocolatl.interpreter.lowered.fold import Folder
from chocolatl.interpreter.policy.quantities import (
    CELLS,
    FEW,
    PEOPLE,
    AmongPlayers,
    Quantity,
    QuantityFinder,
    element_name,
)
from chocolatl.interpreter.policy.writing import FormulaWriter
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.program.types import NUMBER, PLAYER, TRUTH, YES_NO, Multiset, Scalar

FewCells = Iterator[tuple[str, tuple[ir.Expression, ...]]]


class SafeExtremes(Failures):
    """What can fail; the extreme of something that is never empty cannot."""

    def of_itself(self, part: ir.Evaluated) -> bool:
        if isinstance(part, ir.Aggregate) and isinstance(part.domain, ir.Whole) and part.where is None:
            return part.domain.start is not None or not part.domain.type.size
        return super().of_itself(part)


class ContextWriter:
    """`me` is the local that holds the player who decides."""

    def __init__(self, writer: FormulaWriter, me: ir.Local) -> None:
        self.writer, self.game = writer, writer.game
        self.me = writer.read(me)
        self.finder = QuantityFinder(writer, self.me)
        self.folder = Folder(self.game)
        self.failures = SafeExtremes(self.game.domains, self.game.values)
        self.alone = self.game.player_count == 1

    def quantities(self) -> Iterator[Quantity]:
        yield Quantity("1", self.writer.constant(1), rank=-1)
        for field in self.game.fields:
            if field.name == "breakdown" and field.owner == PLAYER:
                continue
            if field.owner is None:
                yield from self._of_table(field)
            elif field.owner == PLAYER:
                yield from self._of_player(field)
            else:
                for quantity in self._of_things(field):
                    yield replace(quantity, rank=quantity.rank + 1)
        yield from self.of_values(())
        yield from self.places(())

    # ------------------------------------------------------------ fields

    def _cells(self, field: Field, most: int) -> FewCells:
        """The cells of a field for one owner, if they are few: how they are called, and the indices."""
        count = 1
        for index in field.indices:
            count *= index.size
        if count > most:
            return
        for numbers in product(*(range(index.low, index.high + 1) for index in field.indices)):
            labels = [element_name(self.game, i, n) for i, n in zip(field.indices, numbers, strict=True)]
            written = tuple(
                self.writer.constant(n, Scalar(i.family, n, n)) for i, n in zip(field.indices, numbers, strict=True)
            )
            yield (f"{field.name}[{', '.join(labels)}]" if labels else field.name), written

    def _of_table(self, field: Field) -> Iterator[Quantity]:
        for name, indices in self._cells(field, FEW):
            if isinstance(field.type, Multiset):
                zone = self.writer.zone(field, None, indices)
                yield from self.finder.of_set(name, zone, field, field.visibility == "open")
            else:
                held = self.writer.load(field, None, indices)
                yield from self.finder.of_element(name, held, deep=held.type.family not in PEOPLE)

    def _of_player(self, field: Field) -> Iterator[Quantity]:
        if isinstance(field.type, Multiset) and field.indices:
            yield from self._of_all_sets(field)
            return
        for name, indices in self._cells(field, FEW):
            yield from self.of_own(field, name, indices)

    def of_own(self, field: Field, name: str, indices: tuple[ir.Expression, ...]) -> Iterator[Quantity]:
        """Of a field of players: what oneself has, and that less the highest of the others."""
        other = self.writer.local("other", self.writer.player_type)
        theirs = {quantity.name: quantity for quantity in self._of_owner(field, name, indices, self.writer.read(other))}
        for quantity in self._of_owner(field, name, indices, self.me, own=True):
            yield Quantity(f"my {quantity.name}", quantity.formula, quantity.numeric, rank=quantity.rank - 1)
            if not self.alone and quantity.name in theirs:
                yield self.against(quantity, theirs[quantity.name].formula, other)

    def against(self, own: Quantity, theirs: ir.Expression, other: ir.Local) -> Quantity:
        """What oneself has, less the highest of the others; of yes or no, how many of the others have it."""
        kind = AggregateKind.HIGHEST if own.numeric else AggregateKind.SUM
        among = None if self._reads_me(theirs) else AmongPlayers((own.formula,), kind)
        if not own.numeric:
            return Quantity(f"others' {own.name}", self._over_others(kind, theirs, other), among=among, rank=own.rank)
        formula = self.writer.difference(own.formula, self._over_others(kind, theirs, other))
        return Quantity(f"my {own.name} - highest other", formula, among=among, rank=own.rank)

    def _reads_me(self, formula: ir.Expression) -> bool:
        """Whether what others have is told with regard to the player who decides, such as whether it is him."""
        return any(isinstance(part, ir.Read) and part.local == self.me.local for part in inside(formula))

    def _over_others(self, kind: AggregateKind, formula: ir.Expression, other: ir.Local) -> ir.Expression:
        write = self.writer
        where = write.compared(ComparisonOperator.UNEQUAL, write.read(other), self.me)
        return write.over(kind, other, ir.Whole(write.player_type, None), formula, where)

    def _of_owner(
        self, field: Field, name: str, indices: tuple[ir.Expression, ...], owner: ir.Expression, own: bool = False
    ) -> Iterator[Quantity]:
        if isinstance(field.type, Multiset):
            seen = field.visibility == "open" or (own and field.visibility == "secret")
            yield from self.finder.of_set(name, self.writer.zone(field, owner, indices), field, seen)
        elif own or field.type.family not in PEOPLE:
            yield from self.finder.of_element(name, self.writer.load(field, owner, indices), deep=False)

    def _of_all_sets(self, field: Field) -> Iterator[Quantity]:
        """Of sets by index: what lies in all of them together, oneself and against the others."""
        cells = list(self._cells(field, CELLS))
        if not cells:
            return

        def together(owner: ir.Expression, own: bool) -> dict[str, Quantity]:
            found: dict[str, Quantity] = {}
            for _, indices in cells:
                for quantity in self._of_owner(field, f"{field.name}[all]", indices, owner, own):
                    known = found.get(quantity.name)
                    if quantity.name.startswith("highest"):
                        continue
                    formula = quantity.formula
                    if known is not None:
                        formula = self.writer.sum(known.formula, formula)
                    found[quantity.name] = Quantity(quantity.name, formula, rank=quantity.rank)
            return found

        other = self.writer.local("other", self.writer.player_type)
        theirs = together(self.writer.read(other), False)
        for name, quantity in together(self.me, True).items():
            yield Quantity(f"my {name}", quantity.formula, rank=quantity.rank - 1)
            if not self.alone and name in theirs:
                yield self.against(quantity, theirs[name].formula, other)

    def _of_things(self, field: Field) -> Iterator[Quantity]:
        """Of things that have fields, such as places of a board: of a few, what each has; and how many are mine."""
        assert field.owner is not None
        domain = self.game.domains[field.owner]
        if domain.size > CELLS:
            return
        mine: list[ir.Expression] = []
        for number in range(domain.size):
            owner = self.writer.constant(number, Scalar(field.owner, number, number))
            label = element_name(self.game, domain.type, number)
            for name, indices in self._cells(field, FEW):
                called = f"{label}.{name}"
                if isinstance(field.type, Multiset):
                    zone = self.writer.zone(field, owner, indices)
                    yield from self.finder.of_set(called, zone, field, field.visibility == "open")
                    continue
                held = self.writer.load(field, owner, indices)
                if held.type.family in PEOPLE:
                    mine.append(self.writer.number_of(self.finder.is_me(held)))
                if not field.indices:
                    yield from self.finder.of_element(called, held, deep=False)
        if mine:
            total = mine[0]
            for each in mine[1:]:
                total = self.writer.sum(total, each)
            yield Quantity(f"my {field.owner}.{field.name}", total, rank=0)

    # ------------------------------------------------------------ declared values and rankings

    def of_values(self, known: tuple[tuple[str, ir.Expression], ...]) -> Iterator[Quantity]:
        """Values of the rule file whose parameters are known things, each used, and at most one player.

        Without known things, values of the table and of a player; what can fail is left out."""
        for name, value in self.game.values.items():
            if not isinstance(value.body.type, Scalar) or self.failures.value_fails(name):
                continue
            for arguments, players in self.filled(value.parameters, known):
                yield from self._of_value(name, value, arguments, players, known)

    def filled(
        self, parameters: tuple[ir.Local, ...], known: tuple[tuple[str, ir.Expression], ...]
    ) -> Iterator[tuple[tuple[ir.Expression | None, ...], int]]:
        """Known things for parameters, None for a player; every known thing that is given is used."""
        ways: list[list[ir.Expression | None]] = []
        for parameter in parameters:
            assert isinstance(parameter.type, Scalar)
            fitting: list[ir.Expression | None] = [e for _, e in known if meant_for(parameter.type, e.type)]
            if parameter.type.family == PLAYER and not parameter.type.optional:
                fitting.append(None)
            ways.append(fitting)
        for arguments in product(*ways):
            used = {id(each) for each in arguments if each is not None}
            players = sum(each is None for each in arguments)
            if players <= 1 and (used if known else True) and len(used) == len(arguments) - players:
                yield arguments, players

    def _of_value(
        self, name: str, value: ir.Value, arguments: tuple[ir.Expression | None, ...], players: int,
        known: tuple[tuple[str, ir.Expression], ...],
    ) -> Iterator[Quantity]:  # fmt: skip
        names = {id(e): text for text, e in known}
        shown = ", ".join("me" if each is None else names[id(each)] for each in arguments)
        called = f"{name}({shown})" if arguments else name

        def of(player: ir.Expression) -> ir.Expression:
            given = tuple(player if each is None else each for each in arguments)
            return ir.CallValue(self.writer.span, value.body.type, name, given)

        mine = of(self.me)
        if mine.type.family == TRUTH:
            yield Quantity(called, self.writer.number_of(mine), False, rank=0)
            return
        for quantity in self.finder.of_element(called, mine, deep=False):
            yield quantity
            if players and quantity.numeric and not self.alone and mine.type.family == NUMBER:
                other = self.writer.local("other", self.writer.player_type)
                yield self.against(quantity, of(self.writer.read(other)), other)

    def places(self, known: tuple[tuple[str, ir.Expression], ...]) -> Iterator[Quantity]:
        """One's own place in each ranking of players whose parameters are known things; ties share a place."""
        if self.alone:
            return
        for name, ranking in self.game.rankings.items():
            domain = ranking.domain
            if not isinstance(domain, ir.Whole) or domain.type.family != PLAYER:
                continue
            if not ranking.keys or self.failures.can_fail(*[key.expression for key in ranking.keys]):
                continue
            for arguments, players in self.filled(ranking.parameters, known):
                if players or len(arguments) != len(ranking.parameters):
                    continue
                names = {id(e): text for text, e in known}
                shown = f"({', '.join(names[id(each)] for each in arguments if each is not None)})" if arguments else ""
                bound = {p.number: a for p, a in zip(ranking.parameters, arguments, strict=True) if a is not None}
                yield self._place(f"my place in {name}{shown}", ranking, bound)

    def _place(self, called: str, ranking: ir.Ranking, bound: dict[int, ir.Expression]) -> Quantity:
        """1, and one more for each who comes before."""

        def key_of(key: ir.Key, player: ir.Expression) -> ir.Expression:
            return self.folder.fold(key.expression, {**bound, ranking.local.number: player})

        def before(other: ir.Expression) -> ir.Expression:
            result: ir.Expression | None = None
            for key in reversed(ranking.keys):
                sign = ComparisonOperator.MORE if key.descending else ComparisonOperator.LESS
                theirs, mine = (self.writer.as_number(key_of(key, player)) for player in (other, self.me))
                better = self.writer.compared(sign, theirs, mine)
                if result is not None:
                    same = self.writer.equal(theirs, mine)
                    rest = ir.Logic(self.writer.span, YES_NO, LogicOperator.AND, same, result)
                    better = ir.Logic(self.writer.span, YES_NO, LogicOperator.OR, better, rest)
                result = better
            assert result is not None
            return result

        place = self.writer.sum(self.writer.constant(1), self.writer.number_where(self.writer.player_type, before))
        mine = tuple(self.writer.as_number(key_of(key, self.me)) for key in ranking.keys)
        descending = tuple(key.descending for key in ranking.keys)
        return Quantity(called, place, among=AmongPlayers(mine, descending=descending), rank=0)


def meant_for(parameter: Scalar, type_: Scalar) -> bool:
    """Whether something may be meant by a parameter: it is of its type; numbers are, if they have the same bounds."""
    return parameter.holds(type_) and (parameter.family != NUMBER or parameter == type_)
