"""Coverage as a page to look at: the text of the rules, each line marked by what scenarios have run of it.

The page is one file without scripts or links, so that a build can keep it and a mail can carry it.
"""

from __future__ import annotations

from html import escape

from chocolatl.interpreter.engine.watch import BRANCH
from chocolatl.interpreter.source import Source
from chocolatl.interpreter.system.escaping import visible
from chocolatl.interpreter.testing.coverage import Coverage, described

TITLE = "What the scenarios have run"
STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222 }
h2 { font-size: 1.1em; margin-top: 2em }
table { border-collapse: collapse; font: 13px/1.5 ui-monospace, monospace; width: 100% }
td { padding: 0 .6em; vertical-align: top }
td:first-child { text-align: right; color: #888; width: 3em; user-select: none }
td:last-child { font: 12px/1.6 system-ui, sans-serif; color: #8a1c1c; width: 22em }
pre { margin: 0 }
tr.ran td:nth-child(2) { background: #eaf6ea }
tr.part td:nth-child(2) { background: #fdf3d6 }
tr.missed td:nth-child(2) { background: #fbe0e0 }
"""

LEGEND = (
    '<table><tr class="ran"><td></td><td>was run</td></tr><tr class="part"><td></td><td>was run, one way only</td></tr>'
    '<tr class="missed"><td></td><td>no scenario ran it</td></tr></table>'
)


def as_page(coverage: Coverage) -> str:
    files = "".join(_file(source, missed, ran) for source, missed, ran in _described(coverage))
    head = f'<meta charset="utf-8">\n<title>{TITLE}</title>\n<style>\n{STYLE}</style>\n'
    body = f"<h1>{TITLE}</h1>\n{_shares(coverage)}{LEGEND}\n{files}"
    return visible(f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{head}</head>\n<body>\n{body}</body>\n</html>\n')


def _shares(coverage: Coverage) -> str:
    parts = coverage.parts()
    rows = []
    for what, branches in (("declarations, choices and chance events", False), ("branches", True)):
        runs = [count for part, count in parts if (part.kind == BRANCH) == branches]
        rows.append(f"<p>{sum(map(bool, runs))} of {len(runs)} {what}</p>\n")
    return "".join(rows)


def _described(coverage: Coverage) -> list[tuple[Source, dict[int, list[str]], set[int]]]:
    return [
        (source, {line: [described(part) for part in parts] for line, parts in missed.items()}, ran)
        for source, missed, ran in coverage.sources()
    ]


def _file(source: Source, missed: dict[int, list[str]], ran: set[int]) -> str:
    rows = []
    for number, text in enumerate(source.text.split("\n"), start=1):
        kind = "part" if number in missed and number in ran else "missed" if number in missed else ""
        kind = kind or ("ran" if number in ran else "")
        notes = "<br>".join(escape(note) for note in dict.fromkeys(missed.get(number, [])))
        row = f'<tr id="{escape(source.name)}:{number}" class="{kind}">'
        rows.append(f"{row}<td>{number}</td><td><pre>{escape(text)}</pre></td><td>{notes}</td></tr>\n")
    return f"<h2>{escape(source.name)}</h2>\n<table>\n{''.join(rows)}</table>\n"
