"""The form of a policy made for any rules, from their declarations alone (feature derivation)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import prod

from msgspec.structs import replace

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.interpreter.ir.sizes import most_of_set
from chocolatl.interpreter.ir.walk import fields_read
from chocolatl.interpreter.policy.answers import MOST_ELEMENTS, constant_terms, few_elements
from chocolatl.interpreter.policy.context import ContextWriter
from chocolatl.interpreter.policy.form import Feature, FeatureRole, PolicyForm, PolicyTable, SiteTables, Term
from chocolatl.interpreter.policy.integers import MOST_MULTIPLIERS, MOST_TERMS, MOST_VALUE
from chocolatl.interpreter.policy.quantities import (
    ConstantAttribute,
    Quantity,
    chosen,
    constant_attributes,
    element_name,
)
from chocolatl.interpreter.policy.sites import ChoiceSite, KnownToPlayer, choice_sites
from chocolatl.interpreter.policy.surroundings import Surroundings
from chocolatl.interpreter.policy.writing import FormulaWriter
from chocolatl.interpreter.program.types import NUMBER, PLAYER, TRUTH, Scalar

MOST_TABLES = 64
"""A choice with more values of its indices has one table for all of them."""

MOST_PIECES = 4
"""The pieces from this one on share a table."""

MOST_COMMON, MOST_OWN = 96, 48
"""So many features of the context are about the player, and so many more about a choice."""


def policy_form(game: ir.GameRules) -> PolicyForm:
    """The form of a game's policies."""
    return _FormBuilder(game).built()


def form_of(game: ir.GameRules) -> PolicyForm:
    """The same, made once for each game."""
    return _made_once(id(game), _HeldGame(game))


class _HeldGame:
    """A game whose id stands for it; held, so that no other one gets that id."""

    def __init__(self, game: ir.GameRules) -> None:
        self.game = game

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _HeldGame)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=16)
def _made_once(number: int, held: _HeldGame) -> PolicyForm:
    return policy_form(held.game)


class _FormBuilder:
    def __init__(self, game: ir.GameRules) -> None:
        self.game = game
        self.writer = FormulaWriter(game)
        self.me = self.writer.local("me", self.writer.player_type)
        self.context = ContextWriter(self.writer, self.me)
        self.surroundings = Surroundings(self.context.finder)
        self.visible = KnownToPlayer(game, self.me)
        self.features: list[Feature] = []
        self.tables: list[PolicyTable] = []

    def built(self) -> PolicyForm:
        common = self._made(self._fit(self.context.quantities()), (self.me,), "", FeatureRole.CONTEXT, MOST_COMMON)
        self.common = tuple(each.number for each in common)
        sites = [self._site(site) for site in choice_sites(self.game)]
        by_node = {id(each.site.node): each for each in sites}
        return PolicyForm(
            self.game, self.me, tuple(self.features), range(len(common)), tuple(sites), tuple(self.tables), by_node
        )

    # ------------------------------------------------------------ features

    def _fit(self, found: Iterable[Quantity]) -> Iterator[Quantity]:
        """What may be known and is not always the same. Of two with one name the first is kept."""
        seen: set[str] = set()
        for quantity in found:
            low, high = quantity.formula.type.bounds
            constant = low == high and quantity.name != "1"
            if quantity.name in seen or constant or not -MOST_VALUE <= low <= high <= MOST_VALUE:
                continue
            if self.visible(quantity.formula):
                seen.add(quantity.name)
                yield quantity

    def _made(
        self, found: Iterable[Quantity], parameters: tuple[ir.Local, ...], group: str, role: FeatureRole, most: int
    ) -> list[Feature]:
        made: list[Feature] = []
        for quantity in chosen(list(found), most):
            number = len(self.features)
            made.append(Feature(number, group, role, quantity.name, quantity.formula, parameters, quantity.among))
            self.features.append(made[-1])
        return made

    # ------------------------------------------------------------ sites

    def _site(self, site: ChoiceSite) -> SiteTables:
        node = site.node
        indices = tuple(index.type for index in node.indices)
        if prod(index.size for index in indices) > MOST_TABLES or any(index.optional for index in indices):
            indices = ()
        parameters = (self.me, *site.scope)
        label = self._label(site)
        own = self._made(
            self._fit(self._of_scope(site, bool(indices))),
            parameters,
            label,
            FeatureRole.CONTEXT,
            MOST_OWN,
        )
        multiplying: list[Feature] = []
        laying: tuple[tuple[int, ...], ...] = ()
        sizes, pieces = -1, 1
        if isinstance(node, ir.ChooseSet):
            laid = list(self._laid(node))[: MOST_MULTIPLIERS - 1]
            multiplying = self._made([quantity for quantity, _ in laid], parameters, label, FeatureRole.LAID, len(laid))
            laying = tuple(values for _, values in laid)
            low, high = node.least.type.low, node.most.type.high
            most = min(high, most_of_set(ir.set_type(node.source), self.game))
            pieces = max(1, min(most, MOST_PIECES))
            is_fixed = isinstance(node.least, ir.Constant) and isinstance(node.most, ir.Constant) and low == high
            if not is_fixed:
                sizes = len(self.tables)
                self._size_table(site, own, label, low, most)
        terms, elements, constants = self._terms(site, label)
        result = SiteTables(site, tuple(own), tuple(multiplying), laying, pieces, indices, sizes, len(self.tables))
        for index in product(*(range(bound.low, bound.high + 1) for bound in indices)):
            labels = [element_name(self.game, i, n) for i, n in zip(indices, index, strict=True)]
            called = f"{label}[{', '.join(labels)}]" if labels else label
            for piece in range(pieces):
                name = f"{called} {piece + 1}" if pieces > 1 else called
                features = (*self.common, *(each.number for each in own))
                multipliers = ("1", *(each.called for each in multiplying))
                self.tables.append(
                    PolicyTable(
                        len(self.tables), name, label, site, index, piece, features, multipliers, tuple(multiplying),
                        terms, elements, constants,
                    )
                )  # fmt: skip
        return result

    def _label(self, site: ChoiceSite) -> str:
        """The name of a choice; a number tells apart those of one name."""
        same = [each.site.name for each in self._sites_before(site)]
        return f"{site.name}#{same.count(site.name) + 1}" if site.name in same else site.name

    def _sites_before(self, site: ChoiceSite) -> list[PolicyTable]:
        seen: dict[int, PolicyTable] = {}
        for table in self.tables:
            if table.site.number < site.number:
                seen.setdefault(table.site.number, table)
        return list(seen.values())

    def _of_scope(self, site: ChoiceSite, indexed: bool) -> Iterator[Quantity]:
        """What is about the things at hand: locals in scope, fields with such an index, values and rankings of them."""
        node = site.node
        at_index = {each.local.number for each in node.indices if isinstance(each, ir.Read)} if indexed else set()
        chooser = node.player.local.number if isinstance(node.player, ir.Read) else -1
        known: list[tuple[str, ir.Expression]] = []
        for local in site.scope:
            assert isinstance(local.type, Scalar)
            if local.number == chooser:
                continue
            read = self.writer.read(local)
            if not local.type.optional and local.type.family not in (TRUTH,):
                known.append((local.name, read))
            if local.number not in at_index:
                for quantity in self.context.finder.of_element(local.name, read):
                    yield from self._undisturbed(site, quantity)
        for field_ in self.game.fields:
            if field_.owner == PLAYER and len(field_.indices) == 1 and field_.name != "breakdown":
                for name, e in known:
                    if e.type.family != NUMBER and field_.indices[0].holds(e.type):
                        for quantity in self.context.of_own(field_, f"{field_.name}[{name}]", (e,)):
                            yield from self._undisturbed(site, quantity)
        if known:
            for name, e in known:
                for quantity in self.context.of_values(((name, e),)):
                    yield from self._undisturbed(site, quantity)
                for quantity in self.context.places(((name, e),)):
                    yield from self._undisturbed(site, quantity)
        if site.kept:
            yield from self._now(site)

    def _undisturbed(self, site: ChoiceSite, quantity: Quantity) -> Iterator[Quantity]:
        """In a secret block, what nobody changes in it."""
        if not fields_read(quantity.formula, self.game) & site.kept:
            yield quantity

    def _now(self, site: ChoiceSite) -> Iterator[Quantity]:
        """In a secret block, what the player has now of what is changed in it."""
        for field_ in self.game.fields:
            if field_.key in site.kept and field_.owner == PLAYER and not field_.indices:
                for quantity in self.context.of_own(field_, field_.name, ()):
                    if quantity.name.startswith("my ") and not quantity.name.endswith("highest other"):
                        yield Quantity(f"{quantity.name} now", quantity.formula, quantity.numeric)

    def _laid(self, node: ir.ChooseSet) -> Iterator[tuple[Quantity, tuple[int, ...]]]:
        """What lies already where pieces are laid, and what each kind adds; it is the chooser's own or open to all."""
        target = node.target
        if not isinstance(target, ir.FieldZone) or not isinstance(node.source, ir.FieldZone):
            return
        if isinstance(target.owner, ir.Read) and isinstance(node.player, ir.Read):
            if target.owner.local.number == node.player.local.number:
                target = replace(target, owner=self.writer.read(self.me))
        type_ = ir.set_type(target)
        if type_.short or type_ != ir.set_type(node.source):
            return
        for attribute in _counted(constant_attributes(self.game, ir.set_type(node.source).element)):
            body = self.context.finder.formula_of(attribute, type_.element)
            name = f"sum of {attribute.name} laid" if attribute.name else "sum laid"
            quantity = Quantity(name, self.writer.over_set(AggregateKind.SUM, target, body))
            if next(self._fit([quantity]), None) is not None and not self.context.failures.can_fail(target):
                yield quantity, attribute.values

    # ------------------------------------------------------------ answers

    def _size_table(self, site: ChoiceSite, own: list[Feature], label: str, low: int, high: int) -> None:
        local = self.writer.local("size", Scalar(NUMBER, low, high))
        (feature,) = self._made(
            [Quantity("how many", self.writer.read(local))], (local,), f"{label}, how many", FeatureRole.ANSWER, 1
        )
        terms = (Term("how many", feature), Term("how many squared", feature, True))
        elements = tuple(range(low, high + 1)) if high - low < MOST_ELEMENTS else None
        constants = tuple((each, each) for each in elements) if elements is not None else None
        features = (*self.common, *(each.number for each in own))
        self.tables.append(
            PolicyTable(
                len(self.tables),
                f"{label}, how many",
                label,
                site,
                (),
                0,
                features,
                ("1",),
                (),
                terms,
                elements,
                constants,
            )
        )

    def _terms(
        self, site: ChoiceSite, label: str
    ) -> tuple[tuple[Term, ...], tuple[int, ...] | None, tuple[tuple[int, ...], ...] | None]:
        """The terms of an answer, its elements if they are few, and what the features of the terms are for each."""
        node = site.node
        locals_ = (node.element,) if isinstance(node, ir.ChooseSet) else tuple(pick.local for pick in node.picks)
        parameters = (self.me, *site.scope, *locals_)
        quantities: list[Quantity] = []
        for local in locals_:
            name = local.name if len(locals_) > 1 else "it"
            quantities += self.context.finder.of_element(name, self.writer.read(local))
        for local in locals_:
            known = ((local.name, self.writer.read(local)),)
            quantities += self.context.of_values(known)
        picks = tuple((local.name, self.writer.read(local)) for local in locals_)
        if len(locals_) > 1:
            quantities += [replace(each, rank=0) for each in self.context.of_values(picks)]
        quantities += self.surroundings.of_answer(picks)
        fitting = [q for q in self._fit(quantities) if not fields_read(q.formula, self.game) & site.kept]
        if not fitting:  # nothing tells the answers apart
            fitting = [Quantity("1", self.writer.constant(1), False)]
        terms: list[Term] = []
        for quantity in chosen(fitting, MOST_TERMS, _terms_of):
            (feature,) = self._made([quantity], parameters, label, FeatureRole.ANSWER, 1)
            terms.append(Term(quantity.name, feature))
            if _terms_of(quantity) > 1:
                terms.append(Term(f"{quantity.name} squared", feature, True))
        if len(locals_) > 1:
            return tuple(terms), None, None
        elements = few_elements(node, locals_[0])
        constants = constant_terms(terms, locals_[0], elements) if elements is not None else None
        return tuple(terms), elements, constants


def _terms_of(quantity: Quantity) -> int:
    """How many terms a quantity of an answer gives: with one of degree goes its square."""
    return 2 if quantity.numeric and quantity.squared else 1


def _counted(attributes: Sequence[ConstantAttribute]) -> list[ConstantAttribute]:
    """What is counted of pieces that are laid: numbers; where they have none, the members of attributes, each attribute
    that there is room for as a whole."""
    found = [each for each in attributes if each.numeric]
    for name in [] if found else dict.fromkeys(each.of for each in attributes if each.of):
        members = [each for each in attributes if each.of == name]
        if len(found) + len(members) < MOST_MULTIPLIERS:
            found += members
    return found
