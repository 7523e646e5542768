"""Translations that are remembered: what `check` makes of many variants at once is what each of them gives alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chocolatl.interpreter.analysis.pipeline import Translator
from chocolatl.interpreter.data.load import load_game
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.ir.printer import print_ir
from chocolatl.interpreter.translate.reuse import TranslationMemo
from tests.conftest import ROOT

LOCAL = re.compile(r"\b([A-Za-z]\w*)\.(\d+)\b")


def printed(path: Path, players: int, translator: Translator, settings: dict[str, object] | None = None) -> str:
    """The IR of a game, its locals numbered from 1 in the order of the text."""
    findings = Findings()
    files = load_game(path, findings, settings)
    assert files is not None
    code = translator.game(files, players, findings)
    assert code is not None and not findings.items
    numbers: dict[str, int] = {}
    return LOCAL.sub(lambda local: f"{local[1]}.{numbers.setdefault(local[2], len(numbers) + 1)}", print_ir(code))


@pytest.mark.parametrize("name", ["goofspiel", "kuhn_poker", "chocolatl", "quetzal"])
def test_what_is_remembered_is_what_would_be_made(name: str) -> None:
    folder = ROOT / "rules" / name
    remembering = Translator(TranslationMemo())
    for path in (folder, *sorted((folder / "variants").glob("*.yaml")), folder):
        for players in (3, 4):
            assert printed(path, players, remembering) == printed(path, players, Translator())


def test_a_setting_changes_what_depends_on_it() -> None:
    folder, remembering = ROOT / "rules" / "goofspiel", Translator(TranslationMemo())
    texts = [
        printed(folder, 2, remembering, {"cards": cards, "tie": tie}) for cards in (4, 5) for tie in ("carry", "split")
    ]
    assert len(set(texts)) == 4
    assert texts[0] == printed(folder, 2, Translator(), {"cards": 4, "tie": "carry"})
