"""`chocolatl explain`: the page of a diagnostic."""

from __future__ import annotations

import argparse

from chocolatl.interpreter.commands.shared.errors import UsageError

EPILOG = """\
CODE is what `chocolatl check` prints behind "error" or "warning". Without a code, all of them are listed.

Exit code: 0; 2 a code that there is not.

examples:
  chocolatl explain E301
  chocolatl explain
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("code", metavar="CODE", nargs="?", help="the code to explain")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.diagnostics import nearest
    from chocolatl.interpreter.diagnostics.pages import codes, page

    if arguments.code is None:
        print(_overview())
        return 0
    code = arguments.code.upper()
    if code not in codes():
        hint = nearest(code, codes()) or "`chocolatl explain` lists all codes"
        raise UsageError(f"there is no code `{arguments.code}`; {hint}")
    print(page(code).text, end="")
    return 0


def _overview() -> str:
    from chocolatl.interpreter.diagnostics.pages import FAMILIES, codes, page

    lines: list[str] = []
    for digit, family in FAMILIES.items():
        lines += ["", family] if lines else [family]
        lines += [f"  {code}  {page(code).title}" for code in codes() if code[1] == digit]
    return "\n".join(lines)
