"""Secrecy, proved (information-flow analysis, taint analysis): no decision depends on what its player may not know.

No text tells it either. Every decision has a player who is asked, answers that are legal, a name and a text, and it is
reached or not. An analysis of the flow of values through the whole game shows what each of these depends on. It runs no
rule and looks at every way through all of them: what it does not report cannot happen, though it may report what cannot
happen either. What everybody hears, the reason for points and what a contest is about, depends on nothing secret;
neither does what can be rolled unseen, since others reckon with it.

A value carries its secrets: the zones that it was read from, each with the player who may see it. A local keeps those
of what it is set to, and of the conditions under which it is set. A field of the state is as open as it is declared, so
that storing a value there is telling it. How many components lie in a zone is known to all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from chocolatl.interpreter.analysis.labels import OPEN, SOMEBODY, SecrecyLabel, SecrecyState, Secret, Who, forgotten
from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import AggregateKind
from chocolatl.interpreter.ir.survey import PROCEDURE, BodyDeclaration, Surveys
from chocolatl.interpreter.ir.walk import parts
from chocolatl.interpreter.program.model import Field
from chocolatl.interpreter.source import Span


def check_secrecy(game: ir.GameRules, findings: Findings, surveys: Surveys) -> None:
    """Report every decision that depends on what its player may not know."""
    if all(each.visibility == "open" for each in game.fields):
        return
    flow = InformationFlow(game, findings, surveys)
    flow.enter(game.main, SecrecyState({}, {}), OPEN)
    if not flow.reported:
        surveys.proven |= flow.known


class InformationFlow:
    """Procedures are followed into, at each call: none of them reaches itself."""

    def __init__(self, game: ir.GameRules, findings: Findings, surveys: Surveys) -> None:
        self.game = game
        self.findings = findings
        self.surveys = surveys
        self.reaches = surveys.reaches(game)
        self.procedure = game.main
        self.stops: list[SecrecyLabel] = []
        self.reported: set[tuple[Span, Field]] = set()
        self.known: set[object] = set()
        self.bound: list[set[Who]] = []
        """The players that got a name in each of the loops that are at work."""
        self._plain: dict[int, bool] = {}

    # ------------------------------------------------------------ expressions

    def label(self, node: ir.Evaluated | None, state: SecrecyState) -> SecrecyLabel:
        """The secrets that something evaluated here depends on."""
        if node is None or (not state.secrets and self.plain(node)):
            return OPEN
        match node:
            case ir.Constant():
                return OPEN
            case ir.Read():
                return state.secrets.get(node.local.number, OPEN)
            case ir.ZoneSize():
                return self.size(node.zone, state)
            case ir.FieldZone() | ir.LocalZone():
                return self.size(node, state) | self.content(node, state)
            case ir.HeldOrder():
                return state.secrets.get(node.local.number, OPEN)
            case ir.CallValue():
                value = self.game.values[node.name]
                inner = self.called(value, node.arguments, state)
                return self.returned(self.label(value.body, inner), value)
            case ir.Ranked():
                ranking = self.game.rankings[node.name]
                inner = self.called(ranking, node.arguments, state)
                keys = (key.expression for key in ranking.keys)
                label = self.over(ranking.local, ranking.domain, inner, ranking.where, *keys)
                return self.returned(label, ranking)
            case ir.Aggregate():
                alone = node.where is None and node.body is None and node.kind is AggregateKind.NUMBER
                if alone and isinstance(node.domain, ir.ZoneElements):
                    return self.size(node.domain.zone, state)
                return self.over(node.local, node.domain, state.copy(), node.where, node.body)
            case ir.Load() | ir.Lookup() | ir.Joined() | ir.Part() | ir.Required() | ir.Narrowed() | ir.ZoneCount():
                return self.union(parts(node), state)
            case ir.Arithmetic() | ir.Comparison() | ir.Logic() | ir.Not() | ir.Conditional():
                return self.union(parts(node), state)
            case ir.PlaceOf() | ir.RankOf() | ir.OrderElements() | ir.ZoneElements() | ir.Listing() | ir.Prompt():
                return self.union(parts(node), state)
            case ir.Numbers() | ir.Whole():
                return self.union(parts(node), state)
            case _:
                assert_never(node)

    def plain(self, node: ir.Evaluated) -> bool:
        """Whether nothing is read for it that is not open, locals aside."""
        known = self._plain.get(id(node))
        if known is None:
            pries, calls = self.surveys.looks(node)
            known = self._plain[id(node)] = not pries and self.reaches.prying.isdisjoint(calls)
        return known

    def union(self, nodes: Iterable[ir.Evaluated | None], state: SecrecyState) -> SecrecyLabel:
        found = OPEN
        for node in nodes:
            found |= self.label(node, state)
        return found

    def over(
        self, local: ir.Local, domain: ir.Elements | ir.Zone, state: SecrecyState, *formulas: ir.Expression | None
    ) -> SecrecyLabel:
        """Formulas over the elements of a domain."""
        label = self.label(domain, state)
        who: Who = ("each", local.number)
        state.forget(who)
        state.set(local, label, who)
        found = label | self.union(formulas, state)
        return forgotten(found, who)

    def size(self, zone: ir.Zone, state: SecrecyState) -> SecrecyLabel:
        """How much lies in it. Of a field all know that, so it depends on nothing but which one it is."""
        if isinstance(zone, ir.LocalZone):
            return self.content(zone, state)
        return self.union((zone.owner, *zone.indices), state)

    def content(self, zone: ir.Zone, state: SecrecyState) -> SecrecyLabel:
        """What lies in it."""
        if isinstance(zone, ir.LocalZone):
            return state.secrets.get(zone.local.number, OPEN)
        if zone.field.visibility == "open":
            return OPEN
        who = self.who(zone.owner, state) if zone.field.visibility == "secret" else None
        return frozenset([Secret(zone.field, who, zone.span)])

    def who(self, player: ir.Expression | None, state: SecrecyState) -> Who:
        while isinstance(player, (ir.Required, ir.Narrowed)):
            player = player.operand
        match player:
            case ir.Read():
                return state.players.get(player.local.number, SOMEBODY)
            case ir.Constant():
                return "seat", player.value
        return SOMEBODY  # of all else nobody can tell who it is

    def called(
        self, callee: BodyDeclaration, arguments: tuple[ir.Expression, ...], state: SecrecyState
    ) -> SecrecyState:
        """What a declaration knows that is called: its parameters."""
        inner = SecrecyState({}, {})
        for parameter, argument in zip(callee.parameters, arguments, strict=True):
            who = self.who(argument, state)
            label = self.label(argument, state)
            inner.set(parameter, label, who if who != SOMEBODY else _named(parameter, callee))
        return inner

    def returned(self, label: SecrecyLabel, callee: BodyDeclaration) -> SecrecyLabel:
        """The secrets of what was called; outside, nobody goes by the names of its parameters."""
        for parameter in callee.parameters:
            label = forgotten(label, _named(parameter, callee))
        return label

    # ------------------------------------------------------------ statements

    def block(self, block: ir.Block, state: SecrecyState, under: SecrecyLabel) -> None:
        """Follow a block. `under` is what it depends on that the block is reached."""
        for statement in block:
            self.statement(statement, state, under)

    def bind(self, local: ir.Local, label: SecrecyLabel, state: SecrecyState, who: Who | None = None) -> None:
        """A local gets a value. One that gets several stands for no certain player: what was read while it was another
        one may have decided that this place is reached."""
        who = who or (SOMEBODY if self.sets(local) > 1 else ("local", self.procedure, local.number))
        for names in self.bound:
            names.add(who)
        state.forget(who)
        state.set(local, label, who)

    def statement(self, s: ir.Statement, state: SecrecyState, under: SecrecyLabel) -> None:
        match s:
            case ir.Store():
                return  # what is stored in the state is as open as that is
            case ir.Award():
                label = self.label(s.text, state)
                self.report(s.span, "what is said about these points tells", label)
            case ir.SetLocal():
                label, who = self.label(s.value, state) | under, self.who(s.value, state)
                self.bind(s.local, label, state)
                if who != SOMEBODY:
                    state.players[s.local.number] = who
            case ir.CopyZone(target=ir.LocalZone() as target):
                self.bind(target.local, self.label(s.source, state) | under, state)
            case ir.CopyZone():
                return  # as with what is stored
            case ir.ChangeSet():
                self.changed((s.zone,), self.label(s.element, state) | under, state)
            case ir.MoveElement():
                self.changed((s.source, s.target), self.union((s.element, s.source), state) | under, state)
            case ir.MoveAll():
                self.changed((s.source, s.target), self.label(s.source, state) | under, state)
            case ir.If():
                reach = under | self.label(s.condition, state)
                other = state.copy()
                self.block(s.then, state, reach)
                self.block(s.otherwise, other, reach)
                state.join(other)
            case ir.ForEach():
                label = self.label(s.domain, state)
                often = self.size(s.domain.zone, state) if isinstance(s.domain, ir.ZoneElements) else label
                self.loop(s.body, state, under | often, (s.local, label), s.where)
            case ir.InTurn():
                self.loop(s.body, state, under | self.label(s.start, state), (s.local, OPEN), s.where, lasting=True)
            case ir.Repeat():
                self.loop(s.body, state, under, None, s.until, lasting=True)
            case ir.Stop():
                self.stops[-1] |= under | self.label(s.condition, state)
            case ir.Call():
                self.call(s, state, under)
            case ir.Secretly():
                inner = state.copy()
                self.bind(s.local, OPEN, inner, ("secretly", s.local.number))
                self.block(s.body, inner, under)
            case ir.Choose():
                self.choose(s, state, under)
            case ir.ChooseSet():
                self.choose_set(s, state, under)
            case ir.Roll():
                faces = self.over(s.element, s.domain, state.copy(), s.where, s.odds)
                if isinstance(s.target, ir.FieldZone) and s.target.field.visibility != "open":
                    words = f"what can be rolled into `{s.target.field.name}` depends on"
                    self.report(s.span, words, faces)
                self.bind(s.local, faces | self.label(s.count, state) | under, state)
            case ir.Draw():
                lies = s.target if isinstance(s.target, ir.FieldZone) else s.source
                self.bind(s.local, self.content(lies, state) | under, state)
                self.changed((s.source, s.target), self.union((s.source, s.target), state) | under, state)
            case ir.Contest():
                self.report(s.span, "the name of this contest tells", self.label(s.label, state))
                label = self.label(s.ranking, state)
                self.bind(s.order, label | under, state)
                for clause in s.clauses:
                    if clause.sharers is not None:
                        self.bind(clause.sharers, label | under, state)
                    self.again(clause.body, state, under | label, (clause.local, label), None)
            case _:
                assert_never(s)

    def changed(self, zones: Iterable[ir.Zone], label: SecrecyLabel, state: SecrecyState) -> None:
        """Something came or went. What a field holds is as open as it is declared; a local keeps the secrets."""
        for zone in zones:
            if isinstance(zone, ir.LocalZone):
                state.add(zone.local.number, label)

    def loop(
        self,
        body: ir.Block,
        state: SecrecyState,
        under: SecrecyLabel,
        local: tuple[ir.Local, SecrecyLabel] | None,
        asked: ir.Expression | None,
        lasting: bool = False,
    ) -> None:
        """A loop that `stop when` may leave."""
        self.stops.append(OPEN)
        self.again(body, state, under, local, asked, lasting)
        self.stops.pop()

    def again(
        self,
        body: ir.Block,
        state: SecrecyState,
        under: SecrecyLabel,
        local: tuple[ir.Local, SecrecyLabel] | None,
        asked: ir.Expression | None,
        lasting: bool = False,
    ) -> None:
        """A body again and again, until once more brings nothing new. With `lasting`, how a condition came out decides
        about all that follows, and not only about this one time."""
        before: object = None
        while before != (state, self.stops[-1:]):
            before = state.copy(), self.stops[-1:]
            once = state.copy()
            self.bound.append(set())
            if local is not None:
                self.bind(local[0], local[1] | under, once)
            condition = self.label(asked, once)
            if lasting:
                self.stops[-1] |= condition
            self.block(body, once, under | condition | (self.stops[-1] if self.stops else OPEN))
            state.join(once)
            # Next time others go by the names that were given in the body.
            for who in self.bound.pop():
                state.forget(who)
                self.stops = [forgotten(label, who) for label in self.stops]

    def call(self, s: ir.Call, state: SecrecyState, under: SecrecyLabel) -> None:
        callee = PROCEDURE + s.procedure
        if callee in self.reaches.choosing:
            inner = self.called(self.game.procedures[s.procedure], s.arguments, state)
            if under or inner.secrets or callee in self.reaches.prying:
                self.enter(s.procedure, inner, under)

    def enter(self, name: str, state: SecrecyState, under: SecrecyLabel) -> None:
        """Follow a procedure, unless that was done: what it knows is its parameters, so that it does the same again."""
        reach = self.reaches.deciding[PROCEDURE + name]
        key = reach, under, tuple(state.secrets.items()), tuple(state.players.items())
        if key in self.known or key in self.surveys.proven:
            return
        self.known.add(key)
        outer = self.procedure, self.stops, self.bound
        self.procedure, self.stops, self.bound = name, [], []
        self.block(self.game.procedures[name].body, state, under)
        self.procedure, self.stops, self.bound = outer

    def sets(self, local: ir.Local) -> int:
        """How many statements set a local: where it is one, the local is one player from there on."""
        return self.surveys.of(self.game.procedures[self.procedure]).sets[local.number]

    # ------------------------------------------------------------ decisions

    def choose(self, s: ir.Choose, state: SecrecyState, under: SecrecyLabel) -> None:
        who = self.who(s.player, state)
        asked = under | self.label(s.player, state) | self.union(s.indices, state) | self.label(s.text, state)
        inner = state.copy()
        among = OPEN
        for pick in s.picks:
            label = self.label(pick.domain, inner)
            self.bind(pick.local, label, inner)
            among |= label
        legal = among | self.label(s.where, inner)
        self.report(s.span, f"the choice `{s.name}` depends on", asked | legal, who)
        # All hear an answer among open things; of one among secret things no part is heard.
        for pick in s.picks:
            self.bind(pick.local, (legal if among else OPEN) | under, state)

    def choose_set(self, s: ir.ChooseSet, state: SecrecyState, under: SecrecyLabel) -> None:
        who = self.who(s.player, state)
        asked = under | self.union((s.player, *s.indices, s.text, s.least, s.most), state)
        asked |= self.over(s.element, s.source, state.copy(), s.where)
        self.report(s.span, f"the choice `{s.name}` depends on", asked, who)
        self.changed((s.source, s.target), asked, state)

    def report(self, span: Span, words: str, label: SecrecyLabel, who: Who | None = None) -> None:
        """Report what depends on secrets of others than the one who is to know it; without such a one all are."""
        for secret in sorted(label, key=lambda each: (each.span.line, each.span.column)):
            if secret.who is not None and secret.who == who != SOMEBODY:
                continue
            if (span, secret.zone) in self.reported:
                continue
            self.reported.add((span, secret.zone))
            word = "hidden" if secret.who is None else "secret"
            own, whom = ", or", "not everybody may"
            if who is not None:
                own, whom = ", on what belongs to the player who chooses, or", "its player may not"
            self.findings.error(
                "E414", f"{words} `{secret.zone.name}`, which {whom} know", span,
                f"let it depend on what is open{own} on how many there are",
                (
                    Related(secret.span, f"`{secret.zone.name}` is read here"),
                    Related(secret.zone.span, f"and it is {word}"),
                ),
            )  # fmt: skip


def _named(parameter: ir.Local, callee: BodyDeclaration) -> Who:
    """What a player goes by inside a declaration. A copy in which no window opens has the same locals."""
    return "parameter", callee.name, parameter.number
