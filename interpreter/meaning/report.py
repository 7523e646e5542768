"""All that is found wrong in the meaning of a game or a variant, in one call (the driver of this room)."""

from __future__ import annotations

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.meaning.conditions import report_conditions
from chocolatl.interpreter.meaning.world import World
from chocolatl.interpreter.source import Source
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import Collector


def report_meaning(files: GameFiles, source: Source | None, findings: Findings, collector: Collector) -> None:
    """Report what a game without errors cannot mean; with a `source`, only what stands in that file, a variant."""
    own: list[t.Declaration] = list(files.rules.declarations)
    if source is not None:
        own = [d for d in own if d.span.source.name == source.name]
    if not own:
        return
    world = World(files, collector)
    report_conditions(world, own, findings)
