"""Results of scenarios in the XML form that build servers read: one suite for each folder, one case for each file."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import PurePath
from xml.etree import ElementTree

from chocolatl.interpreter.system.escaping import visible
from chocolatl.interpreter.testing.suite import Outcome

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML cannot hold at all."""


def as_junit(outcomes: list[Outcome]) -> str:
    failed = sum(not outcome.ok for outcome in outcomes)
    root = ElementTree.Element("testsuites", tests=str(len(outcomes)), failures=str(failed))
    for folder, group in groupby(outcomes, key=lambda outcome: str(PurePath(outcome.file).parent)):
        cases = list(group)
        bad = sum(not outcome.ok for outcome in cases)
        suite = ElementTree.SubElement(root, "testsuite", name=_plain(folder), tests=str(len(cases)), failures=str(bad))
        for outcome in cases:
            names = {"name": _plain(outcome.name), "classname": _plain(PurePath(outcome.file).stem)}
            case = ElementTree.SubElement(suite, "testcase", names, file=_plain(outcome.file))
            if not outcome.ok:
                text = _plain(outcome.difference)
                ElementTree.SubElement(case, "failure", message=text.split("\n", 1)[0]).text = text
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _plain(text: str) -> str:
    return FORBIDDEN.sub("?", visible(text))
