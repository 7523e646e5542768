"""One path after the other: which files belong to games, what each of them is, and all findings about them."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from chocolatl.interpreter.analysis.constant_conditions import report_settled
from chocolatl.interpreter.analysis.pipeline import Translator, WrongPlayerCount, check
from chocolatl.interpreter.analysis.unused import report_unused
from chocolatl.interpreter.checking.allow import ReviewedFile, without_allowed
from chocolatl.interpreter.checking.blame import blame_variant, report_idle
from chocolatl.interpreter.data.find import files_below
from chocolatl.interpreter.data.schema import kind_of
from chocolatl.interpreter.data.strict_yaml import load
from chocolatl.interpreter.diagnostics import Diagnostic, Edit, Findings, Fix, Rejected, Related, in_order, nearest
from chocolatl.interpreter.meaning.report import MeaningReview
from chocolatl.interpreter.source import Source, Span, UnreadableFile, each_file_once, read_source, whole_line
from chocolatl.interpreter.system.escaping import one_line
from chocolatl.interpreter.translate.names import Collector
from chocolatl.interpreter.translate.reuse import TranslationMemo

if TYPE_CHECKING:  # only who has scenarios needs to know how they are read
    from chocolatl.interpreter.formats.scenario import Games

KINDS = ("game", "variant", "scenario", "position", "valuation", "policy")
DATA = (".yaml", ".yml")
SAYS_KIND = re.compile(r"^kind:[ \t]+(\w+)[ \t]*$", re.MULTILINE)
"""How nearly all files say what they are, so that they need not be read to know it."""


class NothingToCheck(Exception):
    """A folder without any file of a game."""


class Checker:
    """Collects findings about one path after the other; what cannot be read is told at once."""

    def __init__(self, exclude: tuple[Path, ...] = ()) -> None:
        self.items: list[Diagnostic] = []
        self.exclude = tuple(path.resolve() for path in exclude)
        self.memory = TranslationMemo()
        self.translator = Translator(self.memory)
        self.collector = Collector()
        self.review = MeaningReview(self.collector)
        self.games: Games | None = None
        self.seen: set[str] = set()
        self.reviewed: list[ReviewedFile] = []
        self.counts: Counter[str] = Counter()
        self.unreadable = 0

    def check(self, path: Path) -> None:
        """One argument of the command: a file, a folder of a game, or a folder of folders."""
        with each_file_once():
            self._check(path)

    def _check(self, path: Path) -> None:
        if not path.is_dir():
            self.file(path)
            return
        before = self.unreadable
        is_game: dict[Path, bool] = {}
        found = [file for file in files_below(path, self.left_out) if _is_checked(file, is_game)]
        if not found and self.unreadable == before:
            raise NothingToCheck(f"{path}: this folder holds nothing to check")
        for file in found:
            if not any(file.resolve().is_relative_to(folder) for folder in self.exclude):
                self.file(file)

    def left_out(self, path: Path, error: UnreadableFile) -> None:
        """A file that is not looked at; what cannot be one of a game is nobody's business here."""
        if path.suffix in (".rules", *DATA):
            self.tell(error)

    def found(self) -> list[Diagnostic]:
        """All findings by place, without those that a comment allows."""
        return in_order(without_allowed(self.items, self.reviewed))

    def file(self, path: Path) -> None:
        try:
            self.by_kind(path)
        except UnreadableFile as error:
            self.tell(error)

    def tell(self, error: UnreadableFile) -> None:
        self.unreadable += 1
        print(one_line(f"chocolatl: {error}"), file=sys.stderr)

    def by_kind(self, path: Path) -> None:
        """Find out what a file is, and check it as that."""
        if path.suffix == ".rules" or path.name == "game.yaml":
            self.checked(path.parent, "game")
            return
        source = read_source(path)
        said = SAYS_KIND.findall(source.text)
        if len(said) == 1 and said[0] in KINDS:
            self.checked(path, said[0])
            return
        own = Findings()
        document = load(source, own)
        if document is None:
            self.items += own.items
            return
        kind = kind_of(document)
        if kind in KINDS:
            self.checked(path, kind)
            return
        message = f"`{kind}` is no kind of file" if kind is not None else "the file does not say what it is"
        hint = nearest(kind or "", KINDS) or f"begin with `kind:` and one of {', '.join(KINDS)}"
        span = document.span(("kind",)) if kind is not None else whole_line(document.source, 1)
        self.items.append(Diagnostic("E209", message, span, hint))

    def checked(self, path: Path, kind: str) -> None:
        """Check a file of a known kind, unless that was done already."""
        real = os.path.realpath(path)
        if real in self.seen:
            return
        self.seen.add(real)
        own = Findings()  # errors elsewhere must not keep anybody from looking for those in this file
        sources = [read_source(path)] if kind != "game" else []
        try:
            if kind == "scenario":
                from chocolatl.interpreter.formats.scenario import Games, load_scenario

                self.games = self.games or Games(self.translator)
                load_scenario(path, own, self.games)
            elif kind == "position":
                from chocolatl.interpreter.formats.position import load_position

                load_position(path, own)
            elif kind == "valuation":
                from chocolatl.interpreter.formats.valuation import check_valuation

                check_valuation(path, own)
            elif kind == "policy":
                from chocolatl.interpreter.checking.policies import check_policy

                check_policy(path, own, self.translator)
            else:
                sources = self.rules(path, sources, own)
        except Rejected as error:
            own.items += error.diagnostics
        except WrongPlayerCount as error:
            own.error("E604", str(error), _players(sources[0]))
        self.counts[kind] += 1
        self.reviewed += [ReviewedFile(source, not own.has_errors) for source in sources]
        self.items += [_as_given(diagnostic, path) for diagnostic in own.items]

    def rules(self, path: Path, sources: list[Source], own: Findings) -> list[Source]:
        """Check a game or variant; the files that are its own."""
        files = check(path, own, self.translator)
        variant = sources[0] if sources else None
        if variant is not None and own.has_errors:
            blame_variant(path, variant, own)
        if files is None or own.has_errors:
            return sources or _sources(path)
        folder = files.folder
        report_unused(files, variant, lambda: _variants(folder), own, self.collector)
        self.review.report(files, variant, lambda: _variants(folder), own)
        report_settled(files, self.memory.conditions, variant, own)
        if variant is not None:
            report_idle(variant, own)
        return sources or _sources(path)

    def summary(self) -> str:
        parts = [counted(self.counts[kind], kind) for kind in KINDS if self.counts[kind]]
        return f"checked {', '.join(parts) or 'nothing'}"


def _players(source: Source) -> Span:
    document = load(source, Findings())
    return document.span(("players",)) if document is not None else whole_line(source, 1)


def _sources(folder: Path) -> list[Source]:
    """The files of a game that are not files of their own kind."""
    rules = folder / f"{folder.resolve().name}.rules"
    return [read_source(path) for path in (folder / "game.yaml", rules) if path.is_file()]


def _variants(folder: Path) -> str:
    """All that the variants of a game say."""
    return "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in folder.glob("variants/*.yaml"))


def _as_given(diagnostic: Diagnostic, path: Path) -> Diagnostic:
    """With places in the words of the user: a game that was found by way of another file has a path of its own."""
    if path.is_absolute():
        return diagnostic
    nearby = list(path.resolve().parents)[:3]

    def given(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(given, part))
        if isinstance(part, (Related, Edit)):
            return replace(part, span=given(part.span))
        if isinstance(part, Fix):
            return replace(part, edits=given(part.edits))
        if not isinstance(part, Span):
            return part
        name = Path(part.source.name)
        if not name.is_absolute() or not any(name.is_relative_to(folder) for folder in nearby):
            return part
        return replace(part, source=replace(part.source, name=os.path.relpath(name)))

    d = diagnostic
    return replace(d, span=given(d.span), related=given(d.related), fix=given(d.fix))


def _is_checked(path: Path, is_game: dict[Path, bool]) -> bool:
    """Whether a file belongs to a game. Outside of a game's folder a data file may be anybody's.

    `is_game` are the folders that were asked about."""
    if path.suffix not in DATA:
        return path.suffix == ".rules"
    folder = path.parent
    if folder not in is_game:  # it is one, or lies in one
        is_game[folder] = any((near / "game.yaml").is_file() for near in (folder, folder.absolute().parent))
    return is_game[folder] or _says_kind(path)


def _says_kind(path: Path) -> bool:
    """Whether a file begins as ours do."""
    try:
        with open(path, "rb") as file:
            return any(line.startswith(b"kind:") for line in file.read(1000).splitlines())
    except OSError:
        return True


def counted(number: int, word: str) -> str:
    plural = f"{word[:-1]}ies" if word.endswith("cy") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"
