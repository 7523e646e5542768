"""The IR as text (a pretty printer), one statement a line with its path and its line in the rule file.

Locals carry their numbers (`p.3`), ranges stand behind what can leave them, and what a loop or choice runs through is
spelled out. `chocolatl dump --stage ir` shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.operations import SetChange
from chocolatl.interpreter.program.types import NUMBER, TRUTH


def print_ir(game: ir.GameRules) -> str:
    lines = [f"game {game.name} for {game.player_count} players"]
    for value in game.values.values():
        lines.append(f"value {value.name}({_locals(value.parameters)}) : {value.body.type} = {show(value.body)}")
    for ranking in game.rankings.values():
        strict = ", strict" if ranking.strict else ""
        head = f"ranking {ranking.name}({_locals(ranking.parameters)}) of {_local(ranking.local)}"
        lines.append(f"{head} in {_elements(ranking.domain)}{_where(ranking.where)}{strict}")
        for key in ranking.keys:
            lines.append(f"    {'descending' if key.descending else 'ascending'} {show(key.expression)}")
    for latch in game.latches:
        lines.append(f"latch {latch.field.name} when {show(latch.condition)}")
    for invariant in game.invariants:
        lines.append(f"always {invariant.name} : {show(invariant.condition)}")
    for procedure in game.procedures.values():
        lines.append(f"procedure {procedure.name}({_locals(procedure.parameters)})")
        lines += ["    " + line for line in _block(procedure.body)]
    return "\n".join(lines) + "\n"


def _block(block: ir.Block) -> Iterator[str]:
    for statement in block:
        head, inner = _statement(statement)
        yield f"{head}  # {statement.path}, line {statement.span.line}"
        for title, body in inner:
            if title:
                yield title
            yield from ("    " + line for line in _block(body))


def _statement(s: ir.Statement) -> tuple[str, list[tuple[str, ir.Block]]]:
    """The line of a statement, and the blocks inside it with what stands above each."""
    match s:
        case ir.SetLocal():
            return f"{_local(s.local)} := {show(s.value)}", []
        case ir.Store():
            return f"{show(s.target)} := {show(s.value)}", []
        case ir.CopyZone():
            return f"{_zone(s.target)} := {_zone(s.source)}", []
        case ir.ChangeSet():
            return f"{s.how}{_after(' ', s.element)} {_preposition(s.how)} {_zone(s.zone)}", []
        case ir.Award():
            limits = _after(", at least ", s.least) + _after(", at most ", s.most)
            item = str(s.names[0]) if len(s.names) == 1 else f"{list(s.names)}[{show(s.item)}]"
            return f"award {show(s.target)} by {show(s.amount)} for item {item}{limits}", []
        case ir.MoveElement():
            how = "under" if s.under else "to"
            return f"move {show(s.element)} from {_zone(s.source)} {how} {_zone(s.target)}", []
        case ir.MoveAll():
            return f"move all {_zone(s.source)} to {_zone(s.target)}", []
        case ir.If():
            rest = [("else", s.otherwise)] if s.otherwise else []
            return f"if {show(s.condition)}", [("", s.then), *rest]
        case ir.ForEach():
            way = " backwards" if s.backwards else ""
            head = f"for {_local(s.local)} in {_elements(s.domain)}{way}{_where(s.where)}"
            return head, [("", s.body)]
        case ir.InTurn():
            head = f"in turn {_local(s.local)} from {show(s.start)}{_where(s.where)}, at most {s.limit} turns"
            return head, [("", s.body)]
        case ir.Repeat():
            return f"repeat until {show(s.until)}, at most {s.limit} times", [("", s.body)]
        case ir.Stop():
            return f"stop when {show(s.condition)}", []
        case ir.Call():
            return f"call {s.procedure}({', '.join(map(show, s.arguments))})", []
        case ir.Secretly():
            writes = ", ".join(field.name for field in s.writes)
            return f"secretly {_local(s.local)}, joining {writes or 'nothing'}", [("", s.body)]
        case ir.Choose():
            picks = ", ".join(f"{_local(p.local)} in {_elements(p.domain)}" for p in s.picks)
            stores = "".join(f" -> {show(p.field)}" for p in s.picks if p.field is not None)
            word = "may choose" if s.optional else "choose"
            return f"{word} {s.name} by {show(s.player)}: {picks}{_where(s.where)}{stores}", []
        case ir.ChooseSet():
            count = f"{show(s.least)}..{show(s.most)}"
            zones = f"{_zone(s.source)} to {_zone(s.target)}"
            return f"choose {s.name} by {show(s.player)}: {count} from {zones}{_where(s.where)}", []
        case ir.Roll():
            count = f"{show(s.count)} of " if s.count is not None else ""
            odds = _after(" odds ", s.odds)
            return f"roll {_local(s.local)} from {count}{_elements(s.domain)}{_where(s.where)}{odds}", []
        case ir.Draw():
            return f"draw {_local(s.local)} from {_zone(s.source)} to {_zone(s.target)}", []
        case ir.Contest():
            clauses = [(_clause(clause), clause.body) for clause in s.clauses]
            return f"contest {_order(s.ranking)} as {_local(s.order)}", clauses
        case _:
            assert_never(s)


def _preposition(how: SetChange) -> str:
    match how:
        case SetChange.ADD:
            return "to"
        case SetChange.REMOVE:
            return "from"
        case SetChange.CLEAR:
            return "all"
        case _:
            assert_never(how)


def _clause(clause: ir.Clause) -> str:
    sharing = f" {clause.sharing}" if clause.sharing else ""
    sharers = f" by {_local(clause.sharers)}" if clause.sharers is not None else ""
    return f"place {clause.place} {_local(clause.local)}{sharing}{sharers}"


def show(e: ir.Expression) -> str:
    match e:
        case ir.Constant():
            return {0: "no", 1: "yes"}[e.value] if e.type.family == TRUTH else str(e.value)
        case ir.Read():
            return _local(e.local)
        case ir.Load():
            return _cell(e.field.name, e.owner, e.indices)
        case ir.Lookup():
            values = ", ".join(map(str, e.values[:6])) + (", ..." if len(e.values) > 6 else "")
            return f"({values})[{', '.join(map(show, e.indices))}]"
        case ir.Joined():
            return f"<{', '.join(map(show, e.parts))}>"
        case ir.Part():
            return f"part {e.position + 1} of {show(e.whole)}"
        case ir.Arithmetic() | ir.Comparison() | ir.Logic():
            return f"({show(e.left)} {e.operator} {show(e.right)})"
        case ir.Not():
            return f"not {show(e.operand)}"
        case ir.Conditional():
            return f"({show(e.then)} if {show(e.condition)} else {show(e.otherwise)})"
        case ir.Required():
            return f"required {show(e.operand)}"
        case ir.Narrowed():
            return f"{'count' if e.type.family == NUMBER else 'player'} {show(e.operand)}"
        case ir.Aggregate():
            body = f" {show(e.body)}" if e.body is not None else ""
            return f"({e.kind}{body} for {_local(e.local)} in {_elements(e.domain)}{_where(e.where)})"
        case ir.ZoneSize():
            return f"size of {_zone(e.zone)}"
        case ir.ZoneCount():
            return f"copies of {show(e.element)} in {_zone(e.zone)}"
        case ir.CallValue():
            return f"{e.name}({', '.join(map(show, e.arguments))})"
        case ir.PlaceOf():
            return f"place {e.place} of {_order(e.order)}"
        case ir.RankOf():
            return f"rank of {show(e.element)} in {_order(e.order)}"
        case _:
            assert_never(e)


def _local(local: ir.Local) -> str:
    return f"{local.name}.{local.number}"


def _locals(locals_: tuple[ir.Local, ...]) -> str:
    return ", ".join(f"{_local(local)} : {local.type}" for local in locals_)


def _cell(name: str, owner: ir.Expression | None, indices: tuple[ir.Expression, ...]) -> str:
    whose = f"{show(owner)}'s " if owner is not None else ""
    return f"{whose}{name}" + (f"[{', '.join(map(show, indices))}]" if indices else "")


def _zone(zone: ir.Zone) -> str:
    if isinstance(zone, ir.LocalZone):
        return _local(zone.local)
    return _cell(zone.field.name, zone.owner, zone.indices)


def _order(order: ir.OrderSource) -> str:
    if isinstance(order, ir.HeldOrder):
        return _local(order.local)
    return f"{order.name}({', '.join(map(show, order.arguments))})"


def _elements(domain: ir.Elements) -> str:
    match domain:
        case ir.Numbers():
            return f"{show(domain.low)}..{show(domain.high)}"
        case ir.Whole():
            return f"{domain.type}{_after(' from ', domain.start)}"
        case ir.ZoneElements():
            return _zone(domain.zone)
        case ir.Listing():
            return f"[{', '.join(map(show, domain.items))}]"
        case ir.OrderElements():
            return _order(domain.order)
        case _:
            assert_never(domain)


def _where(condition: ir.Expression | None) -> str:
    return _after(" where ", condition)


def _after(words: str, e: ir.Expression | None) -> str:
    return f"{words}{show(e)}" if e is not None else ""
