"""`chocolatl check`: every finding of a run once, sorted by place, as text with carets and as JSON."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.checking.checker import Checker
from chocolatl.interpreter.data.schema import problems
from chocolatl.interpreter.diagnostics import Diagnostic, Related
from chocolatl.interpreter.source import Span, make_source
from chocolatl.interpreter.terminal.reports.findings import print_findings
from tests.conftest import ROOT


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the small classics, in the folder that the command is run in."""
    monkeypatch.chdir(tmp_path)
    for name in ("blotto", "goofspiel", "kuhn_poker"):
        shutil.copytree(ROOT / "rules" / name, tmp_path / "rules" / name)
    return Path("rules")


def change(path: Path, old: str, new: str) -> int:
    """Replace a text that is there; the number of its line."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


def check(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    capsys.readouterr()
    code = cli.main(["check", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def check_json(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, Any]]:
    code, out, _ = check(capsys, *arguments, "--format", "json")
    result: dict[str, Any] = json.loads(out)
    assert problems(result, "findings") == []
    return code, result


def many_mistakes(rules: Path) -> list[tuple[str, int, str]]:
    """Mistakes in several files: file, line and a word of the message."""
    found = []
    for name, old, new, word in (
        ("blotto/blotto.rules", "highest p.troops[f]", "highest p.troop[f]", "troop"),
        ("blotto/blotto.rules", "for field_won", "for field_one", "field_one"),
        ("goofspiel/scenarios/lowest_bid.yaml", "player: A", "player: Z", "Z"),
        ("goofspiel/variants/carry.yaml", "tie: carry", "tie: cary", "cary"),
        ("kuhn_poker/game.yaml", "value: 1\n", "value: 21\n", "21"),
    ):
        file = rules / name
        found.append((str(file), change(file, old, new), word))
    return found


def test_the_shipped_games_have_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    rules = ROOT / "rules"
    code, out, err = check(capsys, rules)
    assert (code, out) == (0, "")
    games = len(list(rules.glob("*/game.yaml")))
    variants = len(list(rules.glob("*/variants/*.yaml")))
    scenarios = len(list(rules.glob("*/scenarios/*.yaml")))
    policies = len(list(rules.glob("*/policy.yaml")))
    counted = f"{games} games, {variants} variants, {scenarios} scenarios, 3 valuations, {policies} policies"
    assert err == f"checked {counted}: no findings\n"


def test_no_findings_are_json_too(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    nothing = {"findings": [], "summary": {"errors": 0, "warnings": 0}}
    assert check_json(capsys, rules) == (0, nothing)


def test_many_mistakes_are_found_in_one_run_each_once_and_in_order(
    capsys: pytest.CaptureFixture[str], rules: Path
) -> None:
    expected = many_mistakes(rules)
    code, result = check_json(capsys, rules)
    assert code == 1
    places = [(f["file"], f["line"], f["column"]) for f in result["findings"]]
    assert places == sorted(set(places)), "sorted by place, relative as they were given, none twice"
    assert {(file, line) for file, line, _ in places} >= {(file, line) for file, line, _ in expected}
    for file, line, word in expected:
        messages = [f["message"] for f in result["findings"] if (f["file"], f["line"]) == (file, line)]
        assert any(word in message for message in messages)
    assert result["summary"] == {"errors": len(places), "warnings": 0}


def test_text_shows_the_line_with_carets_and_help(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    file = rules / "goofspiel/variants/carry.yaml"
    line = change(file, "tie: carry", "tie: cary")
    code, out, err = check(capsys, file)
    assert code == 1
    head, shown, carets, *rest = out.splitlines()
    assert head.startswith(f"{file}:{line}:8: error E206: ")
    assert shown == f"  {line} |   tie: cary"
    assert carets == "    |        ^^^^"
    assert rest[-1] == "  help: did you mean `carry`?"
    assert "rules/goofspiel/game.yaml:" in rest[0], "where the parameter is declared"
    assert err == "checked 1 variant: 1 error\n"


def test_a_game_is_named_by_any_of_its_files(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    line = change(rules / "blotto/blotto.rules", "highest p.troops[f]", "highest p.troop[f]")
    for name in ("blotto", "blotto/game.yaml", "blotto/blotto.rules", "blotto/scenarios/two_of_three.yaml"):
        code, result = check_json(capsys, rules / name)
        assert code == 1
        assert {f["file"] for f in result["findings"]} == {"rules/blotto/blotto.rules"}, name
        assert result["findings"][0]["line"] == line


def test_a_path_that_was_absolute_stays_so(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    change(rules / "blotto/blotto.rules", "highest p.troops[f]", "highest p.troop[f]")
    _, result = check_json(capsys, rules.absolute())
    assert {f["file"] for f in result["findings"]} == {str(rules.absolute() / "blotto/blotto.rules")}


def test_the_same_file_twice_is_checked_once(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    _, _, err = check(capsys, rules / "blotto/game.yaml", rules / "blotto/blotto.rules", "./rules/blotto/game.yaml")
    assert err == "checked 1 game: no findings\n"


def test_warnings_fail_only_on_demand(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    file = rules / "goofspiel/variants/carry.yaml"
    change(file, "tie: carry", "tie: discard")
    code, out, err = check(capsys, file)
    assert code == 0 and "warning W901" in out and err.endswith(": 1 warning\n")
    assert check(capsys, file, "--fail-on", "warning")[0] == 1
    assert check_json(capsys, file)[1]["summary"] == {"errors": 0, "warnings": 1}


def test_what_cannot_be_read_does_not_hide_other_findings(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    many_mistakes(rules)
    (rules / "goofspiel/scenarios/tie_discard.yaml").write_bytes(b"\0\1\2")
    code, out, err = check(capsys, rules, "nowhere.yaml")
    assert code == 2
    assert "chocolatl: rules/goofspiel/scenarios/tie_discard.yaml: this is a binary file, text is needed\n" in err
    assert "chocolatl: nowhere.yaml: there is no such file\n" in err
    assert "rules/blotto/blotto.rules:" in out


def test_a_file_that_does_not_say_what_it_is(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    file = rules / "goofspiel/variants/notes.yaml"
    file.write_text("title: Notes\n", encoding="utf-8")
    code, out, _ = check(capsys, rules / "goofspiel")
    assert code == 1
    assert f"{file}:1:1: error E209: the file does not say what it is" in out
    file.write_text("kind: varriant\nformat: 1\n", encoding="utf-8")
    code, out, _ = check(capsys, file)
    assert code == 1
    assert f"{file}:1:7: error E209: `varriant` is no kind of file" in out and "did you mean `variant`?" in out


def test_files_of_others_are_left_alone(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    Path("docker.yaml").write_text("services: {}\n", encoding="utf-8")
    Path("notes").mkdir()
    Path("notes/list.yml").write_text("- one\n- two\n", encoding="utf-8")
    Path("notes/position.yaml").write_text("kind: position\n", encoding="utf-8")
    code, out, _ = check(capsys, ".")
    assert code == 1
    assert "docker.yaml" not in out and "list.yml" not in out and "notes/position.yaml:" in out
    Path("notes/position.yaml").unlink()
    code, _, err = check(capsys, "notes")
    assert code == 2 and err == "chocolatl: notes: this folder holds nothing to check\n"


def test_positions_are_checked(capsys: pytest.CaptureFixture[str], rules: Path) -> None:
    file = Path("position.yaml")
    assert cli.main(["deal", "goofspiel", "--players", "2", "--seed", "1", "-o", str(file)]) == 0
    assert check(capsys, file)[0] == 0
    line = change(file, "offer: [", "offer: [99, ")
    code, result = check_json(capsys, file)
    assert code == 1
    assert [(f["file"], f["line"]) for f in result["findings"]] == [("position.yaml", line)]
    assert "99" in result["findings"][0]["message"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_and_change_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.text import Text

    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    source = make_source("a/b.rules", "value [bold]x[/bold] = 1\n")
    span = Span(source, 1, 7, 1, 13)
    finding = Diagnostic("E301", "there is no [bold]", span, "write [it] out", (Related(span, "here"),))
    plain, coloured = io.StringIO(), Terminal()
    print_findings([finding, finding], plain)
    print_findings([finding, finding], coloured)
    assert "\x1b[" not in plain.getvalue() and "\x1b[" in coloured.getvalue()
    assert Text.from_ansi(coloured.getvalue()).plain.rstrip() == plain.getvalue().rstrip()
    monkeypatch.setenv("NO_COLOR", "1")
    colourless = Terminal()
    print_findings([finding], colourless)
    assert "\x1b[3" not in colourless.getvalue()


def test_a_syntax_error_keeps_nobody_from_finding_what_is_wrong_elsewhere(rules: Path) -> None:
    file = rules / "goofspiel" / "goofspiel.rules"
    change(file, "value stake", "valeu stake")
    change(file, "highest p.score", "highest p.scroe")
    checker = Checker()
    checker.check(rules / "goofspiel" / "game.yaml")
    assert [(d.code, d.message) for d in checker.found()] == [
        ("E108", "`valeu` does not fit here"),
        ("E301", "a player has no `scroe`"),
    ]
