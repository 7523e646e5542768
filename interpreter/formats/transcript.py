"""Transcripts (JSON Lines): a header line, a line for each event and a result line for every game.

Written from the events of `chocolatl.interpreter.play.match`; read line by line, so that a file may be larger than
memory. Reading judges the form of each line alone; `chocolatl.interpreter.formats.replaying` holds it against the
rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NoReturn

from chocolatl.interpreter.diagnostics import nearest
from chocolatl.interpreter.formats.events import short, shown
from chocolatl.interpreter.lowered.random import game_seed
from chocolatl.interpreter.play.game import Game, Result
from chocolatl.interpreter.play.match import ChanceEvent, PlayedEvent
from chocolatl.interpreter.play.pairing import PAIRING
from chocolatl.interpreter.source import UnreadableFile

FORMAT = 1
LONGEST_LINE = 1_000_000
DEEPEST = 20
MOST_PLAYERS = 99

FORMS: dict[str, dict[str, type]] = {
    "result": {"result": dict, "winners": list, "breakdown": dict},
    "chance": {"chance": str, "value": object},
    "choice": {"player": str, "choice": str, "value": object},
    "header": {"game": str, "variant": object, "players": list, "seed": int, "rules": str, "format": object},
}
"""The keys that each kind of line needs."""

OPTIONAL = {"chance": ("for",), "header": ("pairing",)}
"""Those that it may have. Any other key is an error: whoever does not know what it says cannot check the game."""

TELLING = {"result": "result", "chance": "chance", "choice": "choice", "player": "choice", "game": "header"}
"""A key that tells what kind of line it is; the first one that is there counts."""

TYPES: dict[type, str] = {str: "a text", list: "a list", dict: "an object", int: "a whole number"}

GAME_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
VARIANT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
PLAYER_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")

# ---------------------------------------------------------------- writing


def header_line(game: Game, seed: int, index: int = 0, paired: bool = False) -> str:
    """The first line of game number `index` of a series; the seed it names is the game's own."""
    content: dict[str, Any] = {
        "game": game.files.name,
        "variant": game.files.variant,
        "players": list(game.players),
        "seed": game_seed(seed, index),
        "rules": game.files.rules_hash,
        "format": FORMAT,
        **({"pairing": PAIRING} if paired else {}),
    }
    return json.dumps(content) + "\n"


def event_line(event: PlayedEvent) -> str:
    if not isinstance(event, ChanceEvent):
        return json.dumps({"player": event.player, "choice": event.name, "value": event.value}) + "\n"
    content = {"chance": event.name, "value": event.value}
    if event.owner is not None:
        content["for"] = event.owner
    return json.dumps(content) + "\n"


def result_line(game: Game, result: Result) -> str:
    return json.dumps(result_content(game, result)) + "\n"


def result_content(game: Game, result: Result) -> dict[str, Any]:
    return {
        "result": dict(zip(game.players, result.scores, strict=True)),
        "winners": [game.players[winner] for winner in result.winners],
        "breakdown": dict(zip(game.players, result.breakdown, strict=True)),
    }


# ---------------------------------------------------------------- reading


@dataclass(frozen=True)
class TranscriptLine:
    """One line of a file. `kind` is header, chance, choice or result; a line that is none has a `problem`."""

    number: int
    kind: str
    content: dict[str, Any]
    problem: str = ""


class _Malformed(Exception):
    """A line that has not the form of any line of a transcript."""


def read_lines(path: Path) -> Iterator[TranscriptLine]:
    """The lines of a file that are not empty. `UnreadableFile` when it is missing, binary or not UTF-8."""
    try:
        with open(path, "rb") as file:
            for number, data in _raw_lines(file):
                line = _line(path, number, data)
                if line is not None:
                    yield line
    except IsADirectoryError:
        raise UnreadableFile(f"{path}: this is a folder, a file is needed") from None
    except FileNotFoundError:
        raise UnreadableFile(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UnreadableFile(f"{path}: cannot be read ({reason})") from None


def _raw_lines(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Each line, of one that is too long just the first part."""
    number = 0
    while data := file.readline(LONGEST_LINE + 1):
        number += 1
        yield number, data
        rest = data
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_LINE + 1)


def _line(path: Path, number: int, data: bytes) -> TranscriptLine | None:
    if b"\0" in data:
        raise UnreadableFile(f"{path}: this is a binary file, a transcript is needed")
    if len(data) > LONGEST_LINE:
        return TranscriptLine(number, "", {}, f"the line has more than {LONGEST_LINE:,} bytes")
    try:
        text = data.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError:
        raise UnreadableFile(f"{path}:{number}: the file is not UTF-8 text") from None
    if not text:
        return None
    try:
        content = _parse(text)
        return TranscriptLine(number, _kind(content), content)
    except _Malformed as error:
        cut = "" if data.endswith(b"\n") else "; the file ends in the middle of this line"
        return TranscriptLine(number, "", {}, f"{error}{cut}")


def _parse(text: str) -> dict[str, Any]:
    try:
        content = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _Malformed(f"this is not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise _Malformed("this is nested too deep") from None
    except ValueError:
        raise _Malformed("a number in this line is too long") from None
    if text.count("[") + text.count("{") > DEEPEST and _depth(content) > DEEPEST:
        raise _Malformed(f"this is nested more than {DEEPEST} levels deep")
    if not isinstance(content, dict):
        raise _Malformed(f"a JSON object is needed, found {short(shown(content))}")
    return content


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Malformed("a key stands twice in this line")
    return result


def _constant(name: str) -> NoReturn:
    raise _Malformed(f"{name} is not a value")


def _depth(content: object) -> int:
    """How deep lists and objects are nested, found without recursion."""
    depth, level = 0, [content]
    while level := [inner for outer in level for inner in _parts(outer)]:
        depth += 1
    return depth


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _kind(content: dict[str, Any]) -> str:
    """Which kind of line it is, its keys being there and of the right form."""
    kind = next((kind for key, kind in TELLING.items() if key in content), None)
    if kind is None:
        raise _Malformed("this is no line of a transcript: no header, no event and no result")
    known = (*FORMS[kind], *OPTIONAL.get(kind, ()))
    for key in content:
        if key not in known:
            hint = nearest(key, known) or f"known are {', '.join(f'`{each}`' for each in known)}"
            raise _Malformed(f"`{short(key)}` is no key of a {kind} line; {hint}")
    for key, type_ in FORMS[kind].items():
        if key not in content:
            raise _Malformed(f"`{key}` is missing")
        value = content[key]
        if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
            raise _Malformed(f"`{key}` needs {TYPES[type_]}, found {short(shown(value))}")
    if kind == "header":
        _check_header(content)
    return kind


def _check_header(content: dict[str, Any]) -> None:
    version, variant, players = content["format"], content["variant"], content["players"]
    if type(version) is not int or version != FORMAT:
        raise _Malformed(f"`format` is {short(shown(version))}; this version reads format {FORMAT}")
    if not GAME_NAME.fullmatch(content["game"]):
        raise _Malformed(f"`game` is {short(shown(content['game']))}, which is not the name of a game")
    pairing = content.get("pairing", PAIRING)
    if type(pairing) is not int or pairing != PAIRING:
        raise _Malformed(f"`pairing` is {short(shown(pairing))}; this version knows pairing {PAIRING}")
    if variant is not None and not (isinstance(variant, str) and VARIANT_NAME.fullmatch(variant)):
        raise _Malformed(f"`variant` is {short(shown(variant))}, which is not the name of a variant")
    if not 1 <= len(players) <= MOST_PLAYERS:
        raise _Malformed(f"expected from 1 to {MOST_PLAYERS} players; found {len(players):,}")
    for player in players:
        if not isinstance(player, str) or not PLAYER_NAME.fullmatch(player):
            raise _Malformed(f"{short(shown(player))} is not the name of a player")
        if players.count(player) > 1:
            raise _Malformed(f"two players are called `{short(player)}`")
