"""What a training has come to when it is interrupted, as a file to go on from (a checkpoint).

Whoever goes on from it comes to the very numbers of a training that was never interrupted. The file is a line of JSON
and a line with the numbers, as they lie in memory, in base 64; nothing in it is run, and damage is found by a checksum.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from msgspec import DecodeError, Struct, ValidationError, convert
from msgspec.json import decode, encode
from numpy.typing import NDArray

from chocolatl.interpreter.formats.files import write_text
from chocolatl.interpreter.source import UnreadableFile

KIND = "training"

LARGEST = 1 << 29
"""Bytes; a large form with all its pool has some thirty million."""

Arrays = list[NDArray[Any]]

TYPES: dict[str, np.dtype[Any]] = {"f": np.dtype("<f8"), "i": np.dtype("<i8"), "h": np.dtype("<i2")}
"""What arrays may be made of."""

Record = TypeVar("Record")


class Unfinished(Struct, frozen=True, eq=False):
    """A training up to its last whole update: of what it is, how it is done, what it was at, and its arrays."""

    game: str
    rules: str
    players: int
    form: str
    """A digest of all that has a number: another version of the program may have other features."""
    method: str
    recipe: dict[str, Any]
    at: dict[str, Any]
    arrays: Arrays


class UnfinishedHead(Struct, frozen=True, forbid_unknown_fields=True):
    """The line of JSON."""

    kind: str
    format: int
    game: str
    rules: str
    players: int
    form: str
    method: str
    recipe: dict[str, Any]
    at: dict[str, Any]
    shapes: list[tuple[str, list[int]]]
    sha256: str


class DamagedTraining(UnreadableFile):
    """A file that nothing can go on from. The message is a sentence for the user."""


def beside(policy: Path) -> Path:
    """Where an interrupted training lies, seen from the policy that it was to make."""
    return policy.with_name(f"{policy.name}.training")


def write_unfinished(path: Path, training: Unfinished) -> None:
    letters = [next(letter for letter, type_ in TYPES.items() if each.dtype == type_) for each in training.arrays]
    shapes = [(letter, list(each.shape)) for letter, each in zip(letters, training.arrays, strict=True)]
    body = b"".join(
        np.ascontiguousarray(each, TYPES[letter]).tobytes()
        for each, letter in zip(training.arrays, letters, strict=True)
    )
    head = UnfinishedHead(
        KIND, 1, training.game, training.rules, training.players, training.form, training.method, training.recipe,
        training.at, shapes, sha256(body).hexdigest(),
    )  # fmt: skip
    write_text(path, f"{encode(head).decode()}\n{b64encode(body).decode()}\n")


def read_unfinished(path: Path) -> Unfinished:
    """`DamagedTraining` if it is no such file, or not a whole one."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST)
        line, _, body = text.partition(b"\n")
        head = decode(line, type=UnfinishedHead)
        if head.kind != KIND or head.format != 1:
            raise ValueError("something else")
        arrays = _arrays(head, b64decode(body.strip(), validate=True))
    except FileNotFoundError:
        raise DamagedTraining(f"{path}: there is no interrupted training to go on with") from None
    except OSError as error:
        raise DamagedTraining(f"{path}: cannot be read ({error.strerror or error})") from None
    except (DecodeError, ValueError, RecursionError):
        raise DamagedTraining(f"{path}: this is no interrupted training, or a damaged one") from None
    return Unfinished(head.game, head.rules, head.players, head.form, head.method, head.recipe, head.at, arrays)


def _arrays(head: UnfinishedHead, body: bytes) -> Arrays:
    if sha256(body).hexdigest() != head.sha256:
        raise ValueError("other bytes than were written")
    found: Arrays = []
    start = 0
    for letter, shape in head.shapes:
        if letter not in TYPES or any(not 0 <= size <= len(body) for size in shape):
            raise ValueError("no shape of an array")
        end = start + prod(shape) * TYPES[letter].itemsize
        if end > len(body):
            raise ValueError("too few numbers")
        array = np.frombuffer(body[start:end], TYPES[letter]).reshape(shape).copy()
        if not np.isfinite(array).all():
            raise ValueError("no numbers")
        found.append(array)
        start = end
    if start != len(body):
        raise ValueError("too many numbers")
    return found


def as_record(values: dict[str, Any], kind: type[Record]) -> Record:
    """A part of the line of JSON as a record; `DamagedTraining` if it is none."""
    try:
        return convert(values, kind, strict=True)
    except ValidationError as error:
        raise DamagedTraining(f"this interrupted training is damaged ({error})") from None
