"""A program as text: every declaration with its resolved type and value. `chocolatl dump --stage program` shows it."""

from __future__ import annotations

from chocolatl.interpreter.program.model import Field, Program
from chocolatl.interpreter.program.types import Multiset
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.system.escaping import one_line


def print_program(program: Program) -> str:
    lines = [f"{program.files.name} for {program.player_count} players"]
    for name, constant in program.constants.items():
        lines.append(f"parameter {name} : {constant.type} = {_shown(program.label(constant.type, constant.value))}")
    for name, table in program.tables.items():
        values = ", ".join(_shown(program.label(table.type, value)) for value in table.values)
        indices = ", ".join(str(index) for index in table.indices)
        lines.append(f"table {name}[{indices}] : {table.type} = {values}")
    for domain in program.domains.values():
        labels = ", ".join(str(label) for label in domain.labels) or f"{domain.size} combinations"
        lines.append(f"{'cyclic ' if domain.cyclic else ''}domain {domain.name} = {labels}")
        for name, attribute in domain.attributes.items():
            values = ", ".join(_shown(program.label(attribute.type, value)) for value in attribute.values)
            index = f"[{attribute.index}]" if attribute.index is not None else ""
            lines.append(f"    {name}{index} : {attribute.type} = {values}")
        if domain.copies:
            lines.append(f"    copies = {', '.join(map(str, domain.copies))}")
    lines += [f'item {name} "{text}"' for name, text in program.items.items()]
    lines += [_field(program, field) for field in program.fields.values()]
    for value in program.values.values():
        lines.append(f"value {value.name.text}{_parameters(value.parameters)}  # line {value.span.line}")
    for ranking in program.rankings.values():
        strict = ", strict" if ranking.strict else ""
        lines.append(
            f"ranking {ranking.name.text}{_parameters(ranking.parameters)}{strict}  # line {ranking.span.line}"
        )
    for name, clauses in program.procedures.items():
        for clause in clauses:
            lines.append(f"procedure {name}{_parameters(clause.parameters)}  # line {clause.span.line}")
    lines += [f"latch {name}" for name in program.latches]
    lines += [f"always {name}" for name in program.invariants]
    return "\n".join(map(one_line, lines)) + "\n"


def _field(program: Program, field: Field) -> str:
    indices = f"[{', '.join(str(index) for index in field.indices)}]" if field.indices else ""
    owner = f"each {field.owner}" if field.owner else "table"
    seen = "" if field.visibility == "open" else f" {field.visibility}"
    if isinstance(field.type, Multiset):
        start = f" = {sum(field.filled)} elements" if field.filled else ""
    else:
        start = f" = {_shown(program.label(field.type, field.initial))}"
    return f"{owner} has {field.name}{indices} : {field.type}{seen}{start}"


def _parameters(parameters: tuple[t.Parameter, ...]) -> str:
    return f"({', '.join(p.name.text for p in parameters)})" if parameters else ""


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else "none" if value is None else str(value)
