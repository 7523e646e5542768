"""A game folder or a variant file to `GameFiles`: the whole game that its files make, with every finding about them.

Files that cannot be read at all raise `UnreadableFile`; whatever is wrong inside them is collected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from chocolatl.interpreter.data.declarations import drop_members, replace_declarations
from chocolatl.interpreter.data.find import GamesRoot, find_game, root_of
from chocolatl.interpreter.data.game_data import Data, read_data
from chocolatl.interpreter.data.games import games_in, rules_folder, variants_in
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.data.schema import check
from chocolatl.interpreter.data.settings import apply_settings
from chocolatl.interpreter.data.strict_yaml import Document, load
from chocolatl.interpreter.data.yaml_places import YamlNode
from chocolatl.interpreter.diagnostics import Findings, Related, nearest
from chocolatl.interpreter.source import Source, Span, UnreadableFile, read_source
from chocolatl.interpreter.syntax import tree
from chocolatl.interpreter.syntax.parser import parse_rules

__all__ = ["find_game", "games_in", "load_document", "load_game", "rules_folder", "variants_in"]

MAX_CHAIN = 10
"""How many variants may extend one another."""


def load_document(path: Path, kind: str, findings: Findings) -> Document | None:
    """A YAML file that follows the schema of its kind, or None after a finding about it."""
    return read_document(read_source(path), kind, findings)


def read_document(source: Source, kind: str, findings: Findings) -> Document | None:
    """The same for a text that is at hand."""
    known: Document | None = _flawless.get((source, kind))
    if known is not None:
        return known
    own = Findings()
    document = load(source, own)
    if document is not None and not check(document, kind, own):
        document = None
    if not own.items:
        _remember((source, kind), document)
    findings.items += own.items
    return document


_flawless: dict[Hashable, Any] = {}
"""What was made of texts without any finding: a hundred scenarios of a game need not read it a hundred times."""


def _remember(key: Hashable, made: Any) -> None:
    if len(_flawless) >= 256:
        _flawless.clear()
    _flawless[key] = made


def _parse(source: Source, findings: Findings) -> tree.RuleFile | None:
    known: tree.RuleFile | None = _flawless.get((source, "rules"))
    if known is not None:
        return known
    own = Findings()
    rules = parse_rules(source, own)
    if not own.items:
        _remember((source, "rules"), rules)
    findings.items += own.items
    return rules


def load_game(
    path: Path,
    findings: Findings,
    settings: dict[str, Any] | None = None,
    settings_document: Document | None = None,
) -> GameFiles | None:
    """The game of a folder or variant file, or None after an error about it.

    `settings` are the `set` of a scenario. With `settings_document` they are the `set` of that document, and what is
    wrong with them is reported there."""
    own = Findings()
    try:
        game = _load(path, own, settings, settings_document)
    finally:
        findings.items += own.items
    return None if own.has_errors else game


def with_settings(files: GameFiles, document: Document, findings: Findings) -> GameFiles | None:
    """A game in which nothing is wrong, as the `set` of a scenario changes it, or None after an error about that."""
    own = Findings()
    data = Data(files.minimum, files.maximum, dict(files.parameters), dict(files.tables), dict(files.components))
    # A scenario pins what it depends on, so a value that changes nothing has its sense there.
    apply_settings(data, document.value["set"], document, own, warn=False)
    findings.items += own.items
    if own.has_errors:
        return None
    return replace(files, parameters=data.parameters, tables=data.tables, components=data.components)


def load_partly(path: Path) -> GameFiles | None:
    """A game in whose rules some declarations could not be read, and nothing else is wrong, without these."""
    if not path.is_dir():
        return None
    findings = Findings()
    base = _read_base(path, root_of(path), findings)
    if base is None or base.rules.lost is None or any(not d.code.startswith("E1") for d in findings.items):
        return None
    return _game(path, base, [], base.data, base.rules)


class _Base(Struct):
    """A game as its folder gives it, before any variant. Without `rules_are_whole` parts of them could not be read."""

    folder: Path
    document: Document
    data: Data
    rules: tree.RuleFile
    rules_source: Source
    rules_are_whole: bool


def _load(
    path: Path, findings: Findings, settings: dict[str, Any] | None, settings_document: Document | None
) -> GameFiles | None:
    if path.is_file() and (path.name == "game.yaml" or path.suffix == ".rules"):
        path = path.parent
    root = root_of(path)
    chain: list[Document] = []
    folder: Path | None = path
    if not path.is_dir():
        folder = _follow(path, root, chain, findings)
    base = _read_base(folder, root if root.contains(folder) else root_of(folder), findings) if folder else None
    if base is None:
        return None
    key = ("game", path, base.folder, *(document.source for document in chain), base.document.source, base.rules_source)
    known: GameFiles | None = _flawless.get(key)
    if settings_document is not None and settings is None:
        settings = settings_document.value.get("set")
    if known is not None and not settings:
        return known
    data, rules = base.data.copy(), base.rules
    for document in reversed(chain):
        if base.rules_are_whole:
            rules = drop_members(rules, data, document, findings)
            rules = replace_declarations(rules, document, findings)
        apply_settings(data, document.value.get("set", {}), document, findings)
    if settings:
        # A scenario pins what it depends on, so a value that changes nothing has its sense there.
        apply_settings(data, settings, settings_document or _without_places(settings), findings, warn=False)
    if findings.has_errors:
        return None
    files = _game(path, base, chain, data, rules)
    if not settings and not findings.items:
        _remember(key, files)
    return files


def _game(path: Path, base: _Base, chain: list[Document], data: Data, rules: tree.RuleFile) -> GameFiles:
    """The whole game that a folder and a chain of variants, from last to first, make."""
    title, about = base.document.value["title"], base.document.value.get("about", "")
    dropped: dict[str, tuple[str, ...]] = {}
    enums = {
        d.name.text: {m.name.text for m in d.members} for d in rules.declarations if isinstance(d, tree.Enumeration)
    }
    for document in reversed(chain):
        title, about = document.value["title"], document.value.get("why", about)
        for enum, members in document.value.get("drop", {}).items():
            # What a later replacement brings back is not left out.
            members = [member for member in members if member not in enums.get(enum, ())]
            if members:
                dropped[enum] = (*dropped.get(enum, ()), *members)
    return GameFiles(
        path=path,
        folder=base.folder,
        name=base.document.value["name"],
        variant=path.stem if chain else None,
        title=re.sub(r"[ \t\n]+", " ", title.strip(" \t\n")),  # it may be written on several lines, and is one
        about=about,
        minimum=data.minimum,
        maximum=data.maximum,
        parameters=data.parameters,
        tables=data.tables,
        components=data.components,
        rules=rules,
        rules_source=base.rules_source,
        dropped=dropped,
    )


def _without_places(settings: dict[str, Any]) -> Document:
    """A stand-in for settings that come from no file: all of them stand on one line."""
    source = Source("set", json.dumps(settings, default=str))
    return Document(source, {"set": settings}, YamlNode(Span(source, 1, 1, 1, len(source.text) + 1), 1))


# ---------------------------------------------------------------- variants


def _follow(path: Path, root: GamesRoot, chain: list[Document], findings: Findings) -> Path | None:
    """Collects a variant and those that it extends, from last to first; the folder of the game that they vary."""
    seen: dict[Path, Document] = {}
    while True:
        root.require(path)
        document = load_document(path, "variant", findings)
        if document is None:
            return None
        chain.append(document)
        seen[path.resolve()] = document
        target = _extended(document, root, findings)
        if target is None or target.is_dir():
            return target
        span = document.span(("extends",))
        if target.resolve() in seen:
            other = seen[target.resolve()].span(("extends",))
            related = (Related(other, "which in turn extends this"),) if other != span else ()
            findings.error("E905", "this variant extends itself in the end", span, "", related)
            return None
        if len(chain) == MAX_CHAIN:
            findings.error("E905", f"more than {MAX_CHAIN} variants extend one another", span)
            return None
        path = target
        if not root.contains(path):  # a shipped one
            root = root_of(path)


def extended(path: Path, document: Document) -> Path | None:
    """The game or variant that the variant of a file extends, if there is one."""
    return _extended(document, root_of(path), Findings())


def _extended(document: Document, root: GamesRoot, findings: Findings) -> Path | None:
    """The folder or variant file that `extends` names: inside the root, or else a shipped one."""
    name, place = str(document.value["extends"]), ("extends",)
    game, _, variant = name.partition("/")
    shown = [root.shown, rules_folder()]
    folder = next((each / game for each in shown if (each / game / "game.yaml").is_file()), root.shown / game)
    target = folder / "variants" / f"{variant}.yaml" if variant else folder
    if not any(each.contains(target) for each in (root, GamesRoot(rules_folder().resolve(), rules_folder()))):
        findings.error("E905", f"`{name}` leads out of the folder {root.shown}", document.span(place))
    elif not (folder / "game.yaml").is_file():
        hint = nearest(game, [known for each in shown for known in games_in(each)])
        message = f"there is no game `{game}` in the folder {root.shown}, and no shipped one"
        findings.error("E905", message, document.span(place), hint)
    elif not target.exists():
        hint = nearest(variant, variants_in(folder))
        findings.error("E905", f"the game `{game}` has no variant `{variant}`", document.span(place), hint)
    else:
        return target
    return None


# ---------------------------------------------------------------- the game itself


def _read_base(folder: Path, root: GamesRoot, findings: Findings) -> _Base | None:
    root.require(folder / "game.yaml")
    document = load_document(folder / "game.yaml", "game", findings)
    name = folder.resolve().name
    called = document.value["name"] if document else name
    path = _rules_path(folder, name, called)
    root.require(path)
    source = read_source(path)
    key = ("base", folder, document.source if document else None, source)
    known: _Base | None = _flawless.get(key)
    if known is not None:
        return known
    before = len(findings.items)
    own = Findings()
    rules = _parse(source, own)
    findings.items += own.items
    if document is None or rules is None:
        return None
    span = document.span(("name",))
    if called != name:
        findings.error("E210", f"the game is called `{called}`, its folder `{name}`", span, "give both the same name")
    if rules.game.text != called:
        related = (Related(span, "the game's name"),)
        message = f"these are the rules of `{rules.game.text}`, the game is called `{called}`"
        findings.error("E210", message, rules.game.span, "give both the same name", related)
    base = _Base(folder, document, read_data(document, findings), rules, source, not own.has_errors)
    if len(findings.items) == before:
        _remember(key, base)
    return base


def _rules_path(folder: Path, name: str, called: str) -> Path:
    """The rule file has the name of its folder. Where folder and game.yaml disagree, the one that is there is read."""
    for candidate in (name, called):
        if (folder / f"{candidate}.rules").exists():
            return folder / f"{candidate}.rules"
    others = sorted(path.name for path in folder.glob("*.rules"))
    if others:
        raise UnreadableFile(f"{folder / name}.rules: there is no such file; rename {others[0]} so")
    return folder / f"{name}.rules"
