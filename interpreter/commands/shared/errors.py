"""What went wrong with a command, for its user (error mapping): from an exception to a message and an exit code.

`cli.py` tells it; a command that is asked for several things tells it of each, and goes on.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # errors are rare: what they are known by is imported when there is one
    from chocolatl.interpreter.diagnostics import Diagnostic

NO, WRONG_USAGE, OUR_BUG = 1, 2, 70


class UsageError(Exception):
    """Arguments that make no sense, alone or together. The message is one sentence for the user."""


class NoResult(Exception):
    """The answer is that there is none. The message is one sentence for the user."""


class Failure(NamedTuple):
    """A message in one sentence, and its exit code; of findings each has its place."""

    message: str
    code: int
    findings: tuple[Diagnostic, ...] = ()
    is_foreseen: bool = True


def failure_of(error: Exception) -> Failure:
    """What an exception means to the user. What we did not foresee is a bug, and says so."""
    from chocolatl.interpreter.diagnostics import Diagnostic, Rejected
    from chocolatl.interpreter.source import UnreadableFile

    if isinstance(error, (UsageError, UnreadableFile)):
        return Failure(str(error), WRONG_USAGE)
    if isinstance(error, NoResult):
        return Failure(str(error), NO)
    if isinstance(error, Rejected):
        return _of_findings(error.diagnostics, WRONG_USAGE)
    from chocolatl.interpreter.play.game import RuleError
    from chocolatl.interpreter.play.library import WrongPlayerCount
    from chocolatl.interpreter.players.programs import FailedProgram
    from chocolatl.interpreter.simulation.workers import TooManyThreads, WorkerEnded

    if isinstance(error, (WrongPlayerCount, FailedProgram)):
        return Failure(str(error), WRONG_USAGE)
    if isinstance(error, WorkerEnded):
        return Failure(f"{error}; try fewer --jobs", WRONG_USAGE)
    if isinstance(error, TooManyThreads):
        return Failure(f"the machine refuses: {error.strerror}; try fewer --jobs", WRONG_USAGE)
    if isinstance(error, RuleError):
        return _of_findings([Diagnostic("E801", error.message, error.span)], NO)
    if isinstance(error, OSError) and error.strerror:  # the machine refuses: a right is missing, a disk is full
        if error.filename is not None:
            return Failure(f"{str(error.filename)[:200]}: {error.strerror}", WRONG_USAGE)
        closed = error.errno == errno.EBADF  # see chocolatl.interpreter.system.streams
        message = "standard output is closed" if closed else f"the machine refuses: {error.strerror}"
        return Failure(message, WRONG_USAGE)
    if isinstance(error, MemoryError):
        return Failure("this needs more memory than there is", WRONG_USAGE)
    from chocolatl.interpreter.system.extras import missing_extra, why_not

    if isinstance(error, ImportError) and missing_extra(error):
        return Failure(f"this needs a package that is not there: {why_not(error)}", WRONG_USAGE)
    detail = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    message = f"this is a bug of ours, not a mistake of yours ({detail}); please report it"
    return Failure(message, OUR_BUG, is_foreseen=False)


def _of_findings(findings: list[Diagnostic], code: int) -> Failure:
    told = "; ".join(f"{found.span}: {found.code}: {found.message}" for found in findings)
    return Failure(told, code, tuple(findings))
