"""`chocolatl fmt`: rules in canonical layout, and nothing else about them changed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.project_paths import project_config, project_paths, without_excluded
from chocolatl.interpreter.system.escaping import UNSEEN, one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for it
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.source import Source

EPILOG = """\
PATH is a rule file, a variant, or a folder with such files in it; `-` is standard input, and the result is printed. Of
a variant, the declarations below `replace` are formatted. Comments and the author's line breaks stay. Without --check
and --diff the files are written, those that change.

Without PATH it is what `paths` of `[tool.chocolatl]` in pyproject.toml names, or else this folder, but for what
`exclude` names.

Exit code: 0 fine; 1 with --check, a file that is not in canonical layout; 2 a file that is missing, binary or not
UTF-8, or rules that cannot be parsed.

examples:
  chocolatl fmt rules --check
  chocolatl fmt rules/{game} --diff
  cat rules/{game}/{game}.rules | chocolatl fmt -
"""

STANDARD_INPUT = Path("-")
FINE, DIFFERENT, WRONG = 0, 1, 2


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=Path,
        help="what to format; `-` is standard input; by default what is set",
    )
    parser.add_argument("--check", action="store_true", help="write nothing, and tell which files would change")
    parser.add_argument("--diff", action="store_true", help="write nothing, and show what would change")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.diagnostics import Findings, in_order
    from chocolatl.interpreter.formats.files import write_text
    from chocolatl.interpreter.source import UnreadableFile
    from chocolatl.interpreter.terminal.reports.findings import print_findings

    findings = Findings()
    changed = sound = unreadable = 0
    for path in _meant(arguments.paths):
        try:
            before, source = _read(path)
        except UnreadableFile as error:
            unreadable += 1
            print(one_line(f"chocolatl: {error}"), file=sys.stderr)
            continue
        after = _formatted(path, source, findings)
        if path == STANDARD_INPUT and after is not None and not (arguments.check or arguments.diff):
            _check_printable(after)
        if after is None:
            continue
        sound += 1
        changed += before != after
        if arguments.diff:
            _show_difference(path, before, after)
        elif path == STANDARD_INPUT:
            sys.stdout.write("" if arguments.check else after)
        elif before != after:
            print(one_line(str(path)))
            if not arguments.check:
                write_text(path, after)
    sys.stdout.flush()
    print_findings(in_order(findings.items), sys.stderr)
    if arguments.paths != [STANDARD_INPUT]:
        verb = "would change" if arguments.check or arguments.diff else "changed"
        print(f"{sound} {'file' if sound == 1 else 'files'} looked at, {changed} {verb}", file=sys.stderr)
    if unreadable or findings.has_errors:
        return WRONG
    return DIFFERENT if arguments.check and changed else FINE


def _read(path: Path) -> tuple[str, Source]:
    """A text as it is, line ends included, and as the stages see it."""
    from chocolatl.interpreter.source import decoded, make_source, read_bytes

    if path == STANDARD_INPUT:
        text = decoded("standard input", getattr(sys.stdin, "buffer", sys.stdin).read())
        return text, make_source("standard input", text)
    text = decoded(str(path), read_bytes(path))
    return text, make_source(str(path), text)


def _check_printable(text: str) -> None:
    """What is printed is meant to be kept, so that it has to come out as it is, and not as a screen shows it."""
    for number, line in enumerate(text.split("\n"), start=1):
        found = UNSEEN.search(line)
        if found is not None:
            what = f"line {number} of the result holds the character U+{ord(found[0]):04X}"
            raise UsageError(f"standard input: {what}, which is never printed as it is; format the file by its name")


def _formatted(path: Path, source: Source, findings: Findings) -> str | None:
    """The text in canonical layout, or None after a finding."""
    if path.suffix in (".yaml", ".yml"):
        from chocolatl.interpreter.data.variant_layout import formatted_variant

        return formatted_variant(source, findings)
    from chocolatl.interpreter.syntax.formatter import formatted
    from chocolatl.interpreter.syntax.parser import parse_rules

    before = len(findings.items)
    parse_rules(source, findings)
    return formatted(source.text) if len(findings.items) == before else None


def _meant(given: Sequence[Path]) -> Iterable[Path]:
    """The files that arguments mean, each once."""
    if given:
        return dict.fromkeys(file for path in given for file in _files(path))
    config = project_config()
    return without_excluded(dict.fromkeys(file for path in project_paths(config) for file in _files(path)), config)


def _files(path: Path) -> Iterator[Path]:
    """The files that an argument means: itself, or the rule files and variants of a folder."""
    from chocolatl.interpreter.data.find import files_below

    if not path.is_dir():
        yield path
        return
    found = False
    for file in files_below(path):
        if file.suffix == ".rules" or (file.suffix in (".yaml", ".yml") and file.parent.name == "variants"):
            found = True
            yield file
    if not found:
        raise UsageError(f"{path}: this folder holds no rules")


def _show_difference(path: Path, before: str, after: str) -> None:
    import difflib

    name = "standard input" if path == STANDARD_INPUT else one_line(path.as_posix())
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for line in difflib.unified_diff(old, new, f"{name} (as it is)", f"{name} (canonical)"):
        sys.stdout.write(line if line.endswith("\n") else line + "\n\\ no line end\n")
