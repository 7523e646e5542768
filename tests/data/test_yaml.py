"""Strict YAML: what is read, what is refused and where, and that hostile files cost nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chocolatl.interpreter.data import strict_yaml
from chocolatl.interpreter.data.strict_yaml import Document, load
from chocolatl.interpreter.diagnostics import Diagnostic, Findings
from chocolatl.interpreter.diagnostics.text import render
from chocolatl.interpreter.source import Span, make_source
from tests.work import soon

Summary = tuple[str, int, int]


def read(text: str) -> tuple[Document | None, list[Diagnostic]]:
    findings = Findings()
    return load(make_source("file.yaml", text), findings), findings.items


def value_of(text: str) -> Any:
    document, found = read(text)
    assert document is not None, [render(d) for d in found]
    return document.value


def mistakes(text: str) -> list[Summary]:
    """Code, line and column of each finding."""
    document, found = read(text)
    assert (document is None) == bool(found)
    return [(d.code, d.span.line, d.span.column) for d in found]


def stretch(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True), ("false", False), ("null", None), ("~", None), ("", None),
        ("0", 0), ("-7", -7), ("+7", 7), ("9223372036854775807", 2**63 - 1), ("-9223372036854775808", -(2**63)),
        ("yes", "yes"), ("no", "no"), ("on", "on"), ("off", "off"), ("Yes", "Yes"), ("y", "y"),
        ("12:30", "12:30"), ("2010-01-01", "2010-01-01"), ("1_000", "1_000"), ("1..cards", "1..cards"),
        ("1..3", "1..3"), ("<<", "<<"), ("=", "="), ('"true"', "true"), ("'12'", "12"), ('"1.5"', "1.5"), ("é", "é"),
    ],
)  # fmt: skip
def test_a_word_means_what_the_core_of_yaml_1_2_says(word: str, value: object) -> None:
    found = value_of(f"key: {word}\n")["key"]
    assert found == value
    assert type(found) is type(value)


def test_keys_are_texts_or_numbers() -> None:
    assert value_of("a: 1\n2: b\n-3: c\n'4': d\n") == {"a": 1, 2: "b", -3: "c", "4": "d"}


def test_lists_maps_and_blocks() -> None:
    text = "list: [1, [2, {a: 3}]]\nblock:\n  - x\n  - y: 1\n    z: 2\ntext: |\n  one\n    two\nfolded: >-\n  a\n  b\n"
    assert value_of(text) == {
        "list": [1, [2, {"a": 3}]],
        "block": ["x", {"y": 1, "z": 2}],
        "text": "one\n  two\n",
        "folded": "a b",
    }


def test_an_explicit_start_and_end_are_fine() -> None:
    assert value_of("---\na: 1\n...\n") == {"a": 1}


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    document, _ = read("\ufeffa: 1\r\nb:\r\n  c: |\r\n    x\r\n    y\r\n")
    assert document is not None
    assert document.value == {"a": 1, "b": {"c": "x\ny\n"}}
    assert stretch(document.span(("a",))) == (1, 4, 1, 5)
    assert stretch(document.key_span(("b", "c"))) == (3, 3, 3, 4)
    assert mistakes("\ufeffa: 1\r\nb: 2\r\na: 3\r\n") == [("E202", 3, 1)]


# ---------------------------------------------------------------- places


PLACES = """\
name: here
map: {one: 1, two: [10, 20]}
block:
  - first
  - inner: second

  - third
text: |
  line
  last

empty:
3: number
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("name",), (1, 7, 1, 11)),
        (("map",), (2, 6, 2, 29)),
        (("map", "two"), (2, 20, 2, 28)),
        (("map", "two", 1), (2, 25, 2, 27)),
        (("block",), (4, 3, 7, 10)),
        (("block", 0), (4, 5, 4, 10)),
        (("block", 1), (5, 5, 5, 18)),
        (("block", 1, "inner"), (5, 12, 5, 18)),
        (("text",), (8, 7, 10, 7)),
        (("empty",), (12, 1, 12, 6)),
        ((3,), (13, 4, 13, 10)),
        (("3",), (13, 4, 13, 10)),
        ((), (1, 1, 13, 10)),
        (("map", "three"), (2, 6, 2, 29)),
    ],
)
def test_every_value_knows_its_place(path: tuple[str | int, ...], place: tuple[int, int, int, int]) -> None:
    document, _ = read(PLACES)
    assert document is not None
    assert stretch(document.span(path)) == place


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("name",), (1, 1, 1, 5)),
        (("map", "two"), (2, 15, 2, 18)),
        (("block", 1, "inner"), (5, 5, 5, 10)),
        (("block", 0), (4, 5, 4, 10)),
        ((3,), (13, 1, 13, 2)),
    ],
)
def test_every_key_knows_its_place(path: tuple[str | int, ...], place: tuple[int, int, int, int]) -> None:
    document, _ = read(PLACES)
    assert document is not None
    assert stretch(document.key_span(path)) == place


def test_the_words_of_a_block_begin_on_the_line_below() -> None:
    document, _ = read(PLACES)
    assert document is not None
    assert document.text_line(("text",)) == 9
    assert document.text_line(("name",)) == 1


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # E201: not YAML
        ("", [("E201", 1, 1)]),
        ("# nothing\n", [("E201", 1, 1)]),
        ("a: b: c\n", [("E201", 1, 5)]),
        ("a: 'text\nb: 1\n", [("E201", 1, 4)]),
        ("a: 1\nb: {c: 1\n", [("E201", 2, 8)]),
        ("a: [1, 2\nb: 3\n", [("E201", 2, 2)]),
        ("a:\n\tb: 1\n", [("E201", 2, 1)]),
        ("a: 1\nword\nb: 2\n", [("E201", 2, 1)]),
        ("a:\n  - 1\n b: 2\n", [("E201", 3, 2)]),
        ("a: @x\n", [("E201", 1, 4)]),
        ("a: `x`\n", [("E201", 1, 4)]),
        ("a: \"\\q\"\n", [("E201", 1, 5)]),
        ("a: |x\n  y\n", [("E201", 1, 5)]),
        ("a: 1\n- b\n", [("E201", 2, 1)]),
        # E202: a key twice
        ("a: 1\nb: 2\na: 3\n", [("E202", 3, 1)]),
        ("m: {x: 1, x: 1, x: 2}\n", [("E202", 1, 11), ("E202", 1, 17)]),
        ("1: a\n'1': b\n", [("E202", 2, 1)]),
        ("'1': a\n1: b\n", [("E202", 2, 1)]),
        ("a: {b: {c: 1,\n  c: 2}}\n", [("E202", 2, 3)]),
        # E203: YAML, but not allowed
        ("a: &x 1\nb: *x\n", [("E203", 1, 4)]),
        ("a: *x\n", [("E203", 1, 4)]),
        ("&x a: 1\n", [("E203", 1, 1)]),
        ("a: !!int 1\nb: !mine {}\n", [("E203", 1, 4), ("E203", 2, 4)]),
        ("a: ! x\n", [("E203", 1, 4)]),
        ("a: 1\n---\nb: 2\n", [("E203", 2, 1)]),
        ("%YAML 1.1\n---\na: 1\n", [("E203", 1, 1)]),
        ("%TAG ! tag:x,2000:\n---\na: 1\n", [("E203", 1, 1)]),
        ("a: 1.5\nb: 1e3\nc: .5\nd: 1.\n", [("E203", n, 4) for n in (1, 2, 3, 4)]),
        ("a: .inf\nb: -.inf\nc: .nan\n", [("E203", n, 4) for n in (1, 2, 3)]),
        ("a: 010\nb: 0x1F\nc: 0o17\n", [("E203", n, 4) for n in (1, 2, 3)]),
        ("a: True\nb: FALSE\nc: Null\n", [("E203", n, 4) for n in (1, 2, 3)]),
        ("a: 9223372036854775808\nb: -9223372036854775809\n", [("E203", 1, 4), ("E203", 2, 4)]),
        ("a: " + "9" * 5000 + "\n", [("E203", 1, 4)]),
        ("true: 1\n", [("E203", 1, 1)]),
        ("a: {null: 1}\n", [("E203", 1, 5)]),
        ("1.5: x\n", [("E203", 1, 1)]),
        ("? [a]\n: b\n", [("E203", 1, 3)]),
        ("{{a: 1}: b}\n", [("E203", 1, 2)]),
        ("a: 1\nb: x\u2028y\n", [("E203", 2, 5)]),
        ("a: x\x07\n", [("E203", 1, 5)]),
        ("a: \ud800\n", [("E203", 1, 4)]),
    ],
)  # fmt: skip
def test_what_is_refused_and_where(text: str, found: list[Summary]) -> None:
    assert mistakes(text) == found


def test_a_key_that_stands_twice_cites_the_first() -> None:
    _, (finding,) = read("a: 1\nb: 2\na: 3\n")
    assert render(finding) == (
        "file.yaml:3:1: error E202: the key `a` stands twice in this map\n"
        "  3 | a: 3\n    | ^\n"
        "  file.yaml:1:1: the first one\n"
        "  1 | a: 1\n    | ^"
    )


def test_an_open_bracket_is_cited() -> None:
    _, (finding,) = read("a: [1, 2\nb: 3\n")
    assert finding.message == "`,` or `]` is missing here"
    assert [(r.span.line, r.span.column) for r in finding.related] == [(1, 4)]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: *x\n", "write the value out"),
        ("a: True\n", 'write `true`, or `"True"` for a text'),
        ("a: 010\n", 'for a text write `"010"`'),
        ("a:\n\tb: 1\n", "use spaces"),
        ("a: b: c\n", 'put a text that contains ": " between quotation marks; check the indentation'),
        ("a: 'x\n", "close it with the quotation mark that opens it"),
    ],
)
def test_a_finding_says_what_to_do(text: str, hint: str) -> None:
    _, (finding,) = read(text)
    assert finding.hint == hint


# ---------------------------------------------------------------- hostile files


def bomb() -> str:
    """Nine levels of ten aliases: a billion values for who follows them."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (bomb(), "E203", 1),
        ("a: &a [*a]\n", "E203", 1),
        ("a: " + "[" * 100_000, "E203", 1),
        ("a: " + "{a: " * 100_000, "E203", 1),
        ("- " * 100_000 + "x\n", "E203", 1),
        ("\n".join(" " * n + "a:" for n in range(3_000)), "E203", 41),
        ("[" + "1," * 1_000_000 + "1]", "E203", 1),
        ("a: '" + "x" * 1_000_000, "E201", 1),
    ],
    ids=["alias bomb", "loop", "lists", "maps", "dashes", "blocks", "many values", "no end"],
)
def test_a_hostile_file_gives_one_finding_at_once(text: str, code: str, line: int) -> None:
    with soon():
        ((found_code, found_line, _),) = mistakes(text)
    assert (found_code, found_line) == (code, line)


def test_forty_levels_are_read() -> None:
    depth = strict_yaml.MAX_DEPTH
    assert mistakes("[" * depth + "]" * depth) == []
    assert mistakes("[" * (depth + 1) + "]" * (depth + 1)) == [("E203", 1, depth + 1)]


def test_a_file_full_of_mistakes_is_not_listed_to_its_end() -> None:
    assert len(mistakes("\n".join(f"k{n}: 1.5" for n in range(1000)))) == strict_yaml.MAX_FINDINGS


# ---------------------------------------------------------------- properties

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="ascii"), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=4),
    max_leaves=15,
)


@given(PLAIN)
def test_json_is_read_as_it_is(value: Any) -> None:
    assert value_of(json.dumps(value, indent=1) + "\n") == value


FRAGMENTS = st.sampled_from(
    ["a", "b: ", "- ", "\n", "\n  ", "\n    ", "[", "]", "{", "}", ", ", ": ", "'", '"', "|", "\n\n", "#", " ", "1",
     "1.5", "&x ", "*x", "!t ", "---\n", "? ", "é", "\t", "\\", "true", ">-\n  ", "%", "...", "key: ", "x y", "-"]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=25).map("".join))
def test_any_text_is_read_or_refused_with_a_place_in_it(text: str) -> None:
    document, found = read(text)
    assert (document is None) == bool(found)
    lines = make_source("", text).text.split("\n")
    for finding in found:
        assert 1 <= finding.span.line <= len(lines)
        assert 1 <= finding.span.column <= len(lines[finding.span.line - 1]) + 1
        render(finding)


@given(st.lists(FRAGMENTS, max_size=25).map("".join))
def test_both_parsers_read_the_same_values_at_the_same_places(text: str) -> None:
    """libyaml is used for its speed alone: where both accept a text, values and places are equal."""
    results = []
    before = strict_yaml.Loader
    try:
        for loader in (yaml.CSafeLoader, yaml.SafeLoader):
            strict_yaml.Loader = loader
            document = read(text)[0]
            results.append((document.value, document.root) if document is not None else None)
    finally:
        strict_yaml.Loader = before
    fast, slow = results
    if fast is not None and slow is not None:
        assert fast == slow


WHOLE = [
    "a: 1\n",
    "[]\n",
    "{}\n",
    "x\n",
    "1: a\n",
    "'1': a\n",
    "'1': a\n1: b\n",
    "a: {b: [c, {d: e}]}\nf: |\n  g\n",
    "--- a\n",
]


@given(st.lists(FRAGMENTS, max_size=25).map("".join) | st.sampled_from(WHOLE) | PLAIN.map(json.dumps))
def test_all_that_is_read_has_a_place(text: str) -> None:
    """Places are found after the values, from the same events: one for each value and each key, in the same order."""
    document, _ = read(text)
    if document is None:
        return
    waiting = [(document.value, document.root)]
    while waiting:
        value, place = waiting.pop()
        inner = value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}
        assert list(place.children) == list(inner)
        assert all((child.key_span is not None) == isinstance(value, dict) for child in place.children.values())
        waiting += zip(inner.values(), place.children.values(), strict=True)


def test_places_are_found_when_somebody_asks() -> None:
    document, _ = read("a: {b: 1}\n")
    assert document is not None and "root" not in document.__dict__
    assert document.span(("a", "b")).column == 8 and "root" in document.__dict__
