"""What a variant says for nothing: it undoes what it comes from, or sets what nothing in it reads."""

from __future__ import annotations

from pathlib import Path

from chocolatl.interpreter.data.declarations import declaration_key
from chocolatl.interpreter.data.load import extended, load_game, read_document
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.data.strict_yaml import Document
from chocolatl.interpreter.diagnostics import Findings, Related
from chocolatl.interpreter.source import Source, Span
from chocolatl.interpreter.syntax.printer import print_declaration
from chocolatl.interpreter.translate.names import Collector, names_in_data

UNDONE, UNREAD = "W905", "W906"


def report_variant(files: GameFiles, source: Source, findings: Findings, collector: Collector) -> None:
    """Report what a variant without errors says for nothing."""
    document = read_document(source, "variant", Findings())
    if document is None:
        return
    if document.value.get("replace"):  # else the rules read what those of the game read
        _unread(files, source, document, findings, collector)
    parent = extended(files.path, document)
    if parent is not None and parent.is_file():
        _undone(files, parent, source, document, findings)


def _unread(files: GameFiles, source: Source, document: Document, findings: Findings, collector: Collector) -> None:
    """Parameters and tables that are set, and that no rule of the variant reads."""
    places = _set_here(files, source, document)
    if not places:
        return
    everywhere, _ = collector.collect(files.rules)
    used = everywhere.used.union(names_in_data(files))
    for name, span in places.items():
        parameter = files.parameters.get(name)
        told = parameter is not None and parameter.options is not None and len(parameter.options) == 1
        if not told and not used.issuperset(name.split(".")):
            message = f"nothing in this variant reads `{name}`"
            findings.warning(UNREAD, message, span, "leave it out, or let a rule ask for it")


def _set_here(files: GameFiles, source: Source, document: Document) -> dict[str, Span]:
    """What the file sets, by its full name, with the key."""
    found: dict[str, Span] = {}
    waiting = [("", document.value.get("set") or {}, ("set",))]
    while waiting:
        front, settings, path = waiting.pop()
        for key, value in settings.items():
            name, inner = f"{front}{key}", (*path, key)
            if name in files.parameters or name in files.tables:
                found[name] = document.key_span(inner)
            elif isinstance(value, dict):
                waiting.append((f"{name}.", value, inner))  # type: ignore[arg-type]
    return found


def _undone(files: GameFiles, parent: Path, source: Source, document: Document, findings: Findings) -> None:
    """What is again as it was before the variant that this one extends."""
    middle, base = load_game(parent, Findings()), load_game(files.folder, Findings())
    if middle is None or base is None:
        return
    for name, span in _set_here(files, source, document).items():
        now, between, first = [_value(each, name) for each in (files, middle, base)]
        if now == first != between:
            _report(name, span, f"`{name}`", middle, document, findings)
    first_rules = {declaration_key(d): d for d in base.rules.declarations}
    middle_rules = {declaration_key(d): d for d in middle.rules.declarations}
    for d in files.rules.declarations:
        key = declaration_key(d)
        if d.span.source.name != source.name or key is None or key not in first_rules or key not in middle_rules:
            continue
        text, between_text = print_declaration(d), print_declaration(middle_rules[key])
        if text == print_declaration(first_rules[key]) != between_text:
            written = next((w for w in document.value.get("replace", {}) if str(w).split() == key.split()), None)
            span = document.key_span(("replace", written)) if written is not None else d.span
            _report(key, span, f"`{key}`", middle, document, findings)


def _value(files: GameFiles, name: str) -> object:
    return files.parameters[name].value if name in files.parameters else files.tables[name].value


def _report(name: str, span: Span, what: str, middle: GameFiles, document: Document, findings: Findings) -> None:
    message = f"{what} is again as it is in the game, before {document.value['extends']} changed it"
    extends = Related(document.span(("extends",)), "leave that variant out, if it is not meant")
    findings.warning(UNDONE, message, span, "leave it out, or extend the game itself", (extends,))
