"""All that is found wrong in the meaning of a game or a variant, in one call (the driver of this room)."""

from __future__ import annotations

import re
from collections.abc import Callable

from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.meaning.conditions import report_conditions
from chocolatl.interpreter.meaning.data_flow import DataFlow, report_data_flow
from chocolatl.interpreter.meaning.secrets import report_laid_open
from chocolatl.interpreter.meaning.uses import DeclarationUses
from chocolatl.interpreter.meaning.variants import report_variant
from chocolatl.interpreter.meaning.world import World
from chocolatl.interpreter.source import Source
from chocolatl.interpreter.syntax import tree as t
from chocolatl.interpreter.translate.names import Collector

WORD = re.compile(r"[A-Za-z]\w*")


class MeaningReview:
    """Reviews of games and their variants, which share most of their declarations."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self.uses: dict[int, tuple[t.Declaration, DeclarationUses]] = {}

    def report(self, files: GameFiles, source: Source | None, variants: Callable[[], str], findings: Findings) -> None:
        """Report what a game without errors cannot mean; with a `source`, only what stands in that file, a variant."""
        own: list[t.Declaration] = list(files.rules.declarations)
        if source is not None:
            report_variant(files, source, findings, self.collector)
            own = [d for d in own if d.span.source.name == source.name]
        if not own:
            return
        world = World(files, self.collector)
        report_conditions(world, own, findings)
        report_laid_open(world, own, findings)
        flow = DataFlow(world, self.uses)
        report_data_flow(flow, own, lambda: set(WORD.findall(variants())), findings)
