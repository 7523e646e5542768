"""A program to IR (lowering): bodies are translated, clauses become one procedure, final scoring a part of play."""

from __future__ import annotations

from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import ComparisonOperator, LogicOperator
from chocolatl.interpreter.program.model import Domain, Field, Program
from chocolatl.interpreter.program.types import PLAYER, YES_NO, Scalar, number
from chocolatl.interpreter.source import Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.context import UNKNOWN, Context, Scope
from chocolatl.interpreter.translate.dependencies import check_calls, ordered_values
from chocolatl.interpreter.translate.events import queue_events, translate_events
from chocolatl.interpreter.translate.expressions import ExpressionTranslator
from chocolatl.interpreter.translate.reuse import TranslationMemo
from chocolatl.interpreter.translate.secret_blocks import check_sealed
from chocolatl.interpreter.translate.statements import StatementTranslator
from chocolatl.interpreter.translate.windows import open_windows, translate_windows

PLAY = "play"
FINAL = "final_scoring"
WINNER = "winner"
ITEM = "item"
BREAKDOWN = "breakdown"


def lower(program: Program, findings: Findings, memory: TranslationMemo | None = None) -> ir.GameRules | None:
    """The IR of a program, or None when it has errors. With a memory, what it shares with earlier ones is theirs."""
    context = Context(program, findings)
    context.find_facts()
    if memory is not None and not findings.items:
        context.watch(memory)
        known: ir.GameRules | None = memory.version.game
        if known is not None:
            return known
    for name in ordered_values(context):
        if findings.is_full:
            break
        if name in program.values:
            ExpressionTranslator(context, {}).value(name, program.values[name].name.span)
        else:
            ExpressionTranslator(context, {}).ranking(name, program.rankings[name].name.span)
    procedures = _procedures(context)
    latches = []
    for latch in program.latches.values():
        latches.append(context.memoised(_latch, latch, context))
    invariants = [context.memoised(_invariant, node, context) for node in program.invariants.values()]
    if program.winner is not None:
        context.rankings[WINNER] = context.memoised(_winner, program.winner, context)
    check_calls(context, procedures)
    if program.files.rules.lost:
        return None  # of declarations that could not be read nothing can be carried out
    if not findings.has_errors:
        procedures = open_windows(context, queue_events(context, procedures))
    if findings.has_errors:
        from chocolatl.interpreter.translate.spelling import blame_declarations

        blame_declarations(program.files, findings)
        return None
    procedures = _sealed(context, procedures)
    if memory is not None:
        memory.locals = context.count
    if findings.has_errors or context.score is None:
        return None
    domains = dict(program.domains)
    domains[ITEM] = Domain(ITEM, tuple(context.items))
    game = ir.GameRules(
        name=program.files.name,
        player_count=program.player_count,
        domains=domains,
        options=dict(sorted(program.options.items())),  # whatever the order in the data
        fields=(*program.fields.values(), *_breakdown(context.score, domains[ITEM])),
        items=tuple(context.items),
        values={name: context.translated_value(name) for name in program.values},
        rankings={name: context.translated_ranking(name) for name in (*program.rankings, WINNER)},
        procedures=procedures,
        latches=tuple(latches),
        main=PLAY,
        winner=WINNER,
        score=context.score,
        totals={name: context.total(name) for name, domain in domains.items() if domain.copies},
        invariants=tuple(invariants),
        settled=context.settled,
    )
    if context.memory is not None:
        context.memory.version.game = game
    return game


def _latch(node: t.Latch, context: Context) -> ir.Latch:
    condition = ExpressionTranslator(context, {}).truth(node.condition)
    name = node.name.text
    return ir.Latch(context.program.fields[None, name], condition, node.text.text if node.text else name)


def _invariant(node: t.Invariant, context: Context) -> ir.Invariant:
    condition = ExpressionTranslator(context, {}).truth(node.condition)
    return ir.Invariant(node.name.text, condition, node.text.text if node.text else "", node.name.span)


def _winner(node: t.Winner, context: Context) -> ir.Ranking | None:
    players = t.Reference(node.span, PLAYER)
    return ExpressionTranslator(context, {}).ranked(
        WINNER, (), node.variable, players, None, False, node.keys, node.span
    )


def _sealed(context: Context, procedures: dict[str, ir.Procedure]) -> dict[str, ir.Procedure]:
    """The procedures, the secret blocks in them checked."""
    known = context.growing("procedures", procedures)
    return {
        name: context.memoised(check_sealed, p, known, context.findings) if ir.Secretly in p.kinds else p
        for name, p in procedures.items()
    }


def _breakdown(score: Field, item: Domain) -> tuple[Field, ...]:
    """The points of each player by item. It is state like any other, so that a position keeps it. An item may pay and
    take many times what a score can hold, within 63 bits, so that what is added to it cannot come round to it again."""
    if not item.labels:
        return ()
    assert isinstance(score.type, Scalar)
    reach = min(10_000 * max(abs(score.type.low), abs(score.type.high), 1), 2**62)
    return (Field(PLAYER, BREAKDOWN, score.owners, (item.type,), number(-reach, reach), "open", (), 0, score.span),)


def _procedures(context: Context) -> dict[str, ir.Procedure]:
    result: dict[str, ir.Procedure] = {}
    for name, clauses in context.program.procedures.items():
        if clauses[0].parameters and clauses[0].parameters[0].members:
            _by_member(name, clauses, context, result)
        else:
            result[name] = context.memoised(_procedure, clauses[0], context)
    translate_events(context, result)
    translate_windows(context, result)
    play = context.program.play
    if play is not None:
        body = context.memoised(_play, play, context)
        final = context.memoised(_final, context.program.final, context)
        if final:
            span = final[0].span
            result[FINAL] = ir.Procedure(FINAL, (), final, "", span)
            body = (*body, ir.Call(span, str(len(play.body) + 1), FINAL, ()))
        result[PLAY] = ir.Procedure(PLAY, (), body, "", play.span)
    return result


def _play(node: t.Play, context: Context) -> ir.Block:
    return StatementTranslator(context, {}).block(node.body)


def _procedure(node: t.Procedure, context: Context) -> ir.Procedure:
    locals_, scope = context.parameters(node.parameters)
    body = StatementTranslator(context, scope).block(node.body)
    return ir.Procedure(node.name.text, locals_, body, node.text.text if node.text else "", node.name.span)


def _by_member(name: str, clauses: list[t.Procedure], context: Context, result: dict[str, ir.Procedure]) -> None:
    """`procedure resolve(here = quay)`, `(here = inn)`: a procedure for each, and one that selects."""
    domain = context.selected(clauses)
    if domain is None:
        members = [m for c in clauses for m in c.parameters[0].members]
        known = max(
            (d for d in context.program.domains.values() if d.is_enum),
            key=lambda d: sum(m.text in d.labels for m in members), default=None,
        )  # fmt: skip
        labels = [str(label) for label in known.labels] if known else []
        for member in members:
            if member.text not in labels:
                hint = nearest(member.text, labels)
                context.error("E301", f"there is no enum with the member `{member.text}`", member.span, hint)
        return
    given: set[str] = set()
    first: ir.Procedure | None = None
    before = len(context.findings.items)
    for clause in clauses:
        given |= {m.text for m in clause.parameters[0].members}
        own = context.memoised(_clause, clause, domain.name, context)
        first = first or own
        if [p.type for p in first.parameters[1:]] != [p.type for p in own.parameters[1:]]:
            related = (Related(clauses[0].name.span, "the first one"),)
            message = f"every `{name}` takes the same parameters"
            context.findings.error("E307", message, clause.name.span, "", related)
            continue
        result[own.name] = own
    missing = [str(label) for label in domain.labels if label not in given]
    if missing and name not in context.program.broken:
        context.error(
            "E309", f"`{name}` is missing for {', '.join(missing)}", clauses[0].name.span,
            f"add `procedure {name}({clauses[0].parameters[0].name.text} = {missing[0]})`",
        )  # fmt: skip
    if len(context.findings.items) == before:
        result[name] = context.memoised(_selector, clauses, domain.name, context)


def _selector(clauses: list[t.Procedure], domain_name: str, context: Context) -> ir.Procedure:
    """The procedure that selects the clause of a member."""
    domain = context.program.domains[domain_name]
    name, parameters = clauses[0].name, clauses[0].parameters
    selector = context.local(parameters[0].name.text, domain.type)
    rest = context.parameters(parameters[1:])[0]
    body: list[ir.Statement] = []
    for position, clause in enumerate(clauses, start=1):
        span = clause.name.span
        read = ir.Read(span, domain.type, selector)
        arguments = [read, *(ir.Read(span, p.type if isinstance(p.type, Scalar) else UNKNOWN, p) for p in rest)]
        test: ir.Expression | None = None
        for place in _places(clause, domain):
            member = ir.Constant(span, domain.type, place)
            same = ir.Comparison(span, YES_NO, ComparisonOperator.EQUAL, read, member)
            test = same if test is None else ir.Logic(span, YES_NO, LogicOperator.OR, test, same)
        assert test is not None
        call = ir.Call(span, f"{position}.1", _clause_name(clause), tuple(arguments))
        body.append(ir.If(span, str(position), test, (call,), ()))
    return ir.Procedure(name.text, (selector, *rest), tuple(body), "", name.span)


def _clause(clause: t.Procedure, domain_name: str, context: Context) -> ir.Procedure:
    """A clause as a procedure of its own, whose first parameter is the member."""
    selecting, *rest = clause.parameters
    domain = context.program.domains[domain_name]
    places = _places(clause, domain)
    others, scope = context.parameters(tuple(rest))
    here = context.local(selecting.name.text, Scalar(domain.name, min(places), max(places)))
    body = StatementTranslator(context, {selecting.name.text: here, **scope}).block(clause.body)
    text = clause.text.text if clause.text else ""
    return ir.Procedure(_clause_name(clause), (here, *others), body, text, clause.name.span)


def _clause_name(clause: t.Procedure) -> str:
    return f"{clause.name.text}({', '.join(member.text for member in clause.parameters[0].members)})"


def _places(clause: t.Procedure, domain: Domain) -> list[int]:
    """The members that a clause is about, by their places."""
    return [domain.labels.index(member.text) for member in clause.parameters[0].members]


def _final(final: t.FinalScoring | None, context: Context) -> ir.Block:
    """Final scoring, item by item, each for all players by seat."""
    score = context.score
    if final is None or score is None:
        return ()
    players = context.program.domains[PLAYER].type
    result: list[ir.Statement] = []
    for position, item in enumerate(final.items, start=1):
        local = context.local(final.variable.text, players)
        scope: Scope = {final.variable.text: local}
        inner = StatementTranslator(context, scope, str(position))
        amount = inner.number(item.expression)
        span: Span = item.span
        assert isinstance(score.type, Scalar)
        load = ir.Load(span, score.type, score, ir.Read(span, players, local), ())
        award = ir.Award(
            span, f"{position}.1", load, amount, None, None, ir.Constant(span, number(0, 0), 0),
            (context.item(item.name.text),), None,
        )  # fmt: skip
        result.append(ir.ForEach(span, str(position), local, ir.Whole(players, None), False, None, (award,), None))
    return tuple(result)
