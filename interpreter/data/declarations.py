"""`replace` and `drop` of a variant (overriding by name): changes to the declarations of a rule file.

A declaration is known by its name, a clause for some members of an enum by its name with them: `resolve(quay)`,
`resolve(quay or inn)`.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import astuple, replace

from chocolatl.interpreter.data.game_data import Data
from chocolatl.interpreter.data.model import ComponentData, TableData
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Diagnostic, Edit, Findings, Fix, Related, nearest
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.syntax.parser import parse_declaration
from chocolatl.interpreter.syntax.printer import print_declaration


def declaration_key(declaration: t.Declaration) -> str | None:
    """The name under which `replace` finds a declaration. State fields have none: they cannot be replaced."""
    match declaration:
        case t.State():
            return None
        case t.Play():
            return "play"
        case t.Winner():
            return "winner"
        case t.FinalScoring():
            return "final scoring"
    name = declaration.name.text
    parameters = declaration.parameters if isinstance(declaration, Called) else ()
    patterns = [" or ".join(m.text for m in p.members) for p in parameters if p.members]
    return f"{name}({', '.join(patterns)})" if patterns else name


Called = t.Value | t.Ranking | t.Procedure | t.Event
"""What has parameters."""


# ---------------------------------------------------------------- replace


def replace_declarations(rules: t.RuleFile, document: Document, findings: Findings) -> t.RuleFile:
    """The rules with the declarations of a variant in place of those of the same name."""
    if not document.value.get("replace"):
        return rules  # who keeps what was made of them finds it again
    declarations = list(rules.declarations)
    places = {declaration_key(d): number for number, d in reversed(list(enumerate(declarations)))}
    for written in document.value["replace"]:
        path = ("replace", written)
        key = _normal(str(written))
        number = places.get(key)
        if number is None:
            _report_unknown(key, rules, document.key_span(path), findings)
            continue
        new = parse_replacement(document, written, findings)
        if new is None:
            continue
        own = declaration_key(new)
        if own != key:
            declared = f"`{own}`" if own else "fields"
            related = (Related(document.key_span(path), "named here"),)
            message = f"this declares {declared}, but it takes the place of `{key}`"
            findings.error("E904", message, _name_span(new), "give both the same name", related)
        elif print_declaration(new) == print_declaration(declarations[number]):
            findings.warning("W902", f"`{key}` reads like this already", document.key_span(path), "leave it out")
        else:
            declarations[number] = new
    return replace(rules, declarations=tuple(declarations))


def _normal(key: str) -> str:
    key = re.sub(r"\s+", " ", key.strip())
    return re.sub(r" ?([(),]) ?", lambda found: found[1] + (" " if found[1] == "," else ""), key)


def _report_unknown(key: str, rules: t.RuleFile, span: Span, findings: Findings) -> None:
    owned = {f.name.text for d in rules.declarations if isinstance(d, t.State) for f in d.fields}
    if key in owned:
        findings.error("E902", f"`{key}` is a field; fields cannot be replaced", span)
        return
    known = [name for name in map(declaration_key, rules.declarations) if name]
    clauses = [name for name in known if name.startswith(key + "(")]
    hint = f"it is declared member by member: {', '.join(clauses)}" if clauses else nearest(key, known)
    findings.error("E902", f"there is no declaration `{key}` to replace", span, hint)


def _name_span(declaration: t.Declaration) -> Span:
    name = getattr(declaration, "name", None)
    if isinstance(name, t.Name):
        return name.span
    span = declaration.span
    return Span(span.source, span.line, span.column, span.line, span.column + 1)


def parse_replacement(document: Document, written: str | int, findings: Findings) -> t.Declaration | None:
    """The declaration in a block of a YAML file, with the places that it has in that file."""
    text: str = document.value["replace"][written]
    if not text.strip():
        findings.error("E904", "there is no declaration here", document.key_span(("replace", written)))
        return None
    first = document.text_line(("replace", written))
    lines = text.split("\n")
    opening = next((number for number, line in enumerate(lines) if line.strip()), 0)
    indentation = max(document.source.line(first + opening).find(lines[opening].rstrip()), 0)
    own = Findings()
    node = parse_declaration(Source(document.source.name, "\n" * (first - 1) + text), own)
    findings.items += [_moved(diagnostic, document.source, indentation) for diagnostic in own.items]
    return None if node is None or own.items else _moved(node, document.source, indentation)


def _moved(part: Any, source: Source, columns: int) -> Any:
    """A tree or a finding with all its places in `source`, some columns to the right."""
    if isinstance(part, Span):
        if part.source is source:
            return part
        return Span(source, part.line, part.column + columns, part.end_line, part.end_column + columns)
    if isinstance(part, tuple):
        return tuple(_moved(inner, source, columns) for inner in part)
    if isinstance(part, t.Node | Diagnostic | Related | Fix | Edit):
        return type(part)(*[_moved(inner, source, columns) for inner in astuple(part)])
    return part


# ---------------------------------------------------------------- drop


def drop_members(rules: t.RuleFile, data: Data, document: Document, findings: Findings) -> t.RuleFile:
    """The rules without some members of enums, without the clauses and the steps of grids for them; their entries leave
    the tables and the kinds of components too."""
    for name, members in document.value.get("drop", {}).items():
        enums = {d.name.text: d for d in rules.declarations if isinstance(d, t.Enumeration)}
        if name not in enums:
            hint = nearest(str(name), enums)
            findings.error("E903", f"there is no enum `{name}`", document.key_span(("drop", name)), hint)
            continue
        known = [member.name.text for member in enums[name].members]
        for number, member in enumerate(members):
            if member not in known:
                span = document.span(("drop", name, number))
                related = (Related(enums[name].name.span, f"`{name}` is declared here"),)
                message = f"the enum `{name}` has no member `{member}`"
                findings.error("E903", message, span, nearest(member, known), related)
        if set(known) <= set(members):
            findings.error("E903", f"nothing is left of the enum `{name}`", document.key_span(("drop", name)))
            continue
        rules = _without(rules, enums[name], set(members))
        for table in list(data.tables.values()):
            data.tables[table.name] = _table_without(table, name, known, set(members))
        for declaration in rules.declarations:
            if isinstance(declaration, t.Component) and declaration.name.text in data.components:
                component = data.components[declaration.name.text]
                data.components[component.name] = _kinds_without(component, declaration, name, known, set(members))
    return rules


def _without(rules: t.RuleFile, enum: t.Enumeration, dropped: set[str]) -> t.RuleFile:
    left = tuple(member for member in enum.members if member.name.text not in dropped)
    kept = [k for k in (_clause_without(d, dropped) for d in rules.declarations) if k is not None]
    declarations = (replace(enum, members=left) if d is enum else _grid_without(d, enum, dropped) for d in kept)
    return replace(rules, declarations=tuple(declarations))


def _grid_without(declaration: t.Declaration, enum: t.Enumeration, dropped: set[str]) -> t.Declaration:
    """A grid whose sides are those members without the steps for them; other declarations as they are."""
    if not isinstance(declaration, t.Grid) or declaration.sides.text != enum.name.text:
        return declaration
    return replace(declaration, steps=tuple(step for step in declaration.steps if step.side.text not in dropped))


def _clause_without(declaration: t.Declaration, dropped: set[str]) -> t.Declaration | None:
    """A clause for the members that are left, None when none is; other declarations as they are."""
    if not isinstance(declaration, Called):
        return declaration
    parameters = []
    for parameter in declaration.parameters:
        left = tuple(member for member in parameter.members if member.text not in dropped)
        if parameter.members and not left:
            return None
        parameters.append(replace(parameter, members=left))
    if tuple(parameters) == declaration.parameters:
        return declaration
    return replace(declaration, parameters=tuple(parameters))


def _table_without(table: TableData, enum: str, members: list[str], dropped: set[str]) -> TableData:
    value = table.value
    for depth, index in enumerate(table.index or ()):
        if index.strip() == enum:
            value = _entries_without(value, depth, members, dropped)
    return replace(table, value=value)


def _kinds_without(
    component: ComponentData, declaration: t.Component, enum: str, members: list[str], dropped: set[str]
) -> ComponentData:
    """A component whose attributes with that index have lost the entries of dropped members."""
    indexed = {
        attribute.name.text
        for attribute in declaration.attributes
        if any(isinstance(index, t.Reference) and index.name == enum for index in attribute.indices)
    }
    kinds = []
    for kind in component.kinds:
        shorter = {n: _entries_without(kind.attributes[n], 0, members, dropped) for n in indexed & {*kind.attributes}}
        kinds.append(replace(kind, attributes={**kind.attributes, **shorter}))
    return replace(component, kinds=tuple(kinds))


def _entries_without(value: Any, depth: int, members: list[str], dropped: set[str]) -> Any:
    """A value without the entries of dropped members at one depth; in a list they go by position."""
    if isinstance(value, dict):
        if depth:
            return {key: _entries_without(entry, depth - 1, members, dropped) for key, entry in value.items()}
        return {key: entry for key, entry in value.items() if key not in dropped}
    if isinstance(value, list):
        if depth:
            return [_entries_without(entry, depth - 1, members, dropped) for entry in value]
        return [entry for entry, member in zip(value, members, strict=False) if member not in dropped]
    return value
