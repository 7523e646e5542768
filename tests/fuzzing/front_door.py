"""The program at its front door, tried on hostile files: small games in a folder, of which one file at a time is bad.

Commands run in this process, since starting one costs a hundred times as much as reading a small file. Nothing but an
answer or a diagnostic may come out: exit code 0, 1 or 2, the last two with a message. A rule file that passes `check`
is played, and comes to its end or to an error that names its line.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from chocolatl import cli
from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.formats.position import dump_position
from chocolatl.interpreter.play.game import RuleError
from chocolatl.interpreter.play.library import load
from tests.checking.test_diagnostics import GAME, files, text_of, write
from tests.games import successor, walk
from tests.project.test_docs import blocks, reference_game

SMALL = ("blotto", "goofspiel", "kuhn_poker")
STAGES = ("tree", "program", "ir", "python")
STEPS = 60
"""So many decisions and chance events of an accepted game are tried; most are over by then."""
SECONDS = 20
"""Of the processor, for one input: a hundred times what the slowest one takes. It is a net, not a measure."""


class TooLong(BaseException):
    """An input that keeps the program busy."""


@dataclass(frozen=True)
class Target:
    """A file that can be bad, with what a stranger could make somebody run on it; `{}` is the file."""

    kind: str
    path: Path
    text: str
    commands: tuple[tuple[str, ...], ...]
    game: Path


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def trouble(self) -> str:
        """Why this must not happen; nothing if it may."""
        if self.code not in (0, 1, 2):
            return f"exit code {self.code}: {self.err[-3000:]}"
        if self.code and not (self.out + self.err).strip():
            return f"exit code {self.code} without a word"
        return "a traceback" if "Traceback (most recent" in self.err else ""


def run(words: tuple[str, ...], typed: bytes = b"") -> Ran:
    """One command in this process."""
    out, err = io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8", errors="replace")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(words)
    except TooLong:
        code = -1
        err.write(f"more than {SECONDS} seconds")
    finally:
        sys.stdin = stdin
    return Ran(words, code, out.getvalue(), err.getvalue())


class FrontDoor:
    """The folder with its targets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.targets: list[Target] = []
        for name in SMALL:
            self.add(Path(shutil.copytree(rules_folder() / name, folder / "shipped" / name)))
        for path in files("good"):
            write(folder / path.stem / GAME, text_of(path))
            self.add(folder / path.stem / GAME)
        (folder / "reference").mkdir()
        self.add(reference_game(folder / "reference")[0])
        for block in blocks("docs/formats.md", "rules", "yaml"):
            path = folder / "formats" / block.words
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        for game in sorted(path.parent for path in (folder / "formats").glob("*/game.yaml")):
            self.add(game)

    def of(self, *kinds: str) -> list[Target]:
        return [target for target in self.targets if target.kind in kinds]

    def add(self, game: Path) -> None:
        """All files of a game, positions and transcripts of it made anew."""
        loaded = load(game, load_minimum(game))
        for number, position in enumerate(walk(loaded, 1)):
            if number % 7 == 2 and number < 20:
                (game / f"position{number}.yaml").write_text(dump_position(loaded, position), encoding="utf-8")
        players = str(loaded.player_count)
        transcript = game / "games.jsonl"
        made = run(
            ("simulate", str(game), "--players", players, "--games", "2", "--seed", "1", "--jobs", "1",
             "--engine", "interpreter", "--transcripts", str(transcript))
        )  # fmt: skip
        assert made.code == 0, made.err
        rest = ("--game", str(game))
        self.file("transcript", transcript, game, (
            ("replay", "{}", *rest), ("replay", "{}", *rest, "--tell", "--board", "--any-rules"),
            ("replay", "{}", *rest, "--check-seed", "--json"), ("replay", "{}", *rest, "--stop-after", "3"),
            ("replay", "{}"),
        ))  # fmt: skip
        folder = str(game)
        self.file("rules", game / f"{game.name}.rules", game, (
            *[("check", "{}", "--format", form) for form in ("text", "json", "sarif", "github")] * 3,
            ("check", "{}", "--fix"), ("fmt", "{}", "--diff"), ("fmt", "{}", "--check"), ("fmt", "-"),
            *[("dump", folder, "--stage", stage) for stage in STAGES],
            ("deal", folder, "--players", players, "--seed", "1"),
        ))  # fmt: skip
        self.file("game", game / "game.yaml", game, (
            *[("check", "{}", "--format", form) for form in ("text", "json")] * 3,
            ("dump", folder, "--stage", "program"), ("deal", folder, "--players", players, "--seed", "1"),
        ))  # fmt: skip
        for path in sorted(game.glob("variants/*.yaml")):
            self.file("variant", path, path, (
                ("check", "{}"), ("fmt", "{}", "--diff"), ("dump", "{}", "--stage", "ir"),
            ))  # fmt: skip
        for path in sorted(game.glob("scenarios/*.yaml")):
            self.file("scenario", path, game, (
                ("check", "{}"), ("test", "{}"), ("test", "{}", "--coverage", "--json"), ("test", "{}", "--update"),
            ))  # fmt: skip
        for path in sorted(game.glob("position*.yaml")):
            types = ",".join(["random"] * loaded.player_count)
            self.file("position", path, game, (
                *[("check", "{}"), ("dump", "{}", "--stage", "position")] * 6,
                *[("simulate", "--from", "{}", "--players", types, "--games", "1", "--jobs", "1")] * 3,
                ("solve", "{}", "--player", "p1", "--samples", "2", "--scenarios", "1", "--engine", "sampling"),
                ("play", "--from", "{}", "--players", types.replace("random", "you"), "--save", str(game / "left")),
            ))  # fmt: skip

    def file(self, kind: str, path: Path, game: Path, commands: tuple[tuple[str, ...], ...]) -> None:
        self.targets.append(Target(kind, path, path.read_text(encoding="utf-8"), commands, game))

    def troubles(self, target: Target, content: bytes, choice: Random) -> Iterator[str]:
        """What must not happen and does when a file is bad; the file is as before afterwards."""
        target.path.write_bytes(content)
        words = tuple(str(target.path) if word == "{}" else word for word in choice.choice(target.commands))
        try:
            with guarded():
                ran = run(words, content if "-" in words or words[0] == "play" else b"")
                if ran.trouble:
                    yield f"{' '.join(words)}: {ran.trouble}"
                if ran.code == 0 and words[0] in ("check", "deal") and target.kind in ("rules", "game", "variant"):
                    yield from self.played(target.game, choice)
        except TooLong:
            yield f"{' '.join(words)}: more than {SECONDS} seconds"
        finally:
            target.path.write_text(target.text, encoding="utf-8")

    def codes(self, target: Target, content: bytes) -> set[str]:
        """The codes of what `check` finds in a file; of one without findings, nothing said."""
        target.path.write_bytes(content)
        try:
            ran = run(("check", str(target.path), "--format", "json"))
        finally:
            target.path.write_text(target.text, encoding="utf-8")
        return {finding["code"] for finding in json.loads(ran.out)["findings"]} or {""}

    def played(self, path: Path, choice: Random) -> Iterator[str]:
        """A random game of rules that pass `check`."""
        try:
            game = load(path, load_minimum(path))
            position = game.initial()
            for _ in range(STEPS):
                if game.is_over(position):
                    game.result(position)
                    return
                position = successor(game, position, choice)
        except RuleError as error:
            if not 1 <= error.span.line <= error.span.source.text.count("\n") + 1:
                yield f"a rule error without a line: {error}"
        except Exception as error:
            yield f"{path} passes `check` and cannot be played: {described(error)}"


def described(error: BaseException) -> str:
    """An exception with the innermost places that it came from."""
    import traceback

    return "".join(traceback.format_exception(error)[-4:])


def load_minimum(path: Path) -> int:
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings

    files = load_game(path, Findings())
    assert files is not None
    return files.minimum


def plain(target: Target) -> Any:
    """What a YAML file holds."""
    return yaml.safe_load(target.text)


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Not more than some seconds of the processor."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
