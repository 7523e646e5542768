"""A training as numbers, and back: all that decides what it does next (serialisation of its state).

What is taken is copied, so that an update which is interrupted leaves no trace in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct, to_builtins
from numpy.typing import NDArray

from chocolatl.interpreter.learning.optimizer import Optimizer
from chocolatl.interpreter.learning.unfinished import Arrays, DamagedTraining, as_record
from chocolatl.interpreter.policy.form import PolicyForm
from chocolatl.interpreter.policy.integers import MOST_WEIGHT
from chocolatl.interpreter.policy.weights import PolicyWeights, Scales, uniform_weights

if TYPE_CHECKING:
    from chocolatl.interpreter.learning.policy_training import Learner, PolicyTraining


class OptimizerAt(Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of an optimizer that are no arrays."""

    steps: int
    first: float
    second: float
    averaged: int


class LearnerAt(Struct, frozen=True, forbid_unknown_fields=True):
    """The same of somebody who learns."""

    lately: list[float]
    weights: OptimizerAt
    critic: OptimizerAt


class TrainingAt(Struct, frozen=True, forbid_unknown_fields=True):
    """The same of a training."""

    done: int
    played: int
    random: list[int]
    learner: LearnerAt
    rival: LearnerAt | None
    snapshots: int
    exploiters: int


class TrainingState(Struct, frozen=True, eq=False):
    """All of it."""

    at: TrainingAt
    arrays: Arrays

    def builtins(self) -> dict[str, Any]:
        found: dict[str, Any] = to_builtins(self.at)
        return found


def form_digest(form: PolicyForm) -> str:
    """What tells forms apart in which a number would mean something else."""
    tables = [(t.name, t.features, t.multipliers, t.bases, t.elements) for t in form.tables]
    return sha256(repr(([feature.name for feature in form.features], tables)).encode()).hexdigest()[:16]


def state_of(training: PolicyTraining) -> TrainingState:
    """A training between two updates."""
    rival, league = training.rival, training.league
    arrays: Arrays = [training.scales.offsets, training.scales.scales]
    for learner in (training.learner, *([rival] if rival is not None else [])):
        for optimizer in (learner.optimizer, learner.critic):
            arrays += [each.copy() for part in _parts(optimizer) for each in part]
    for member in (*league.snapshots, *league.exploiters):
        arrays += [each.astype(np.int16) for each in (*member.kinds, *member.terms)]
    at = TrainingAt(
        training.done, training.played, list(training.random.state()), _learner(training.learner),
        _learner(rival) if rival is not None else None, len(league.snapshots), len(league.exploiters),
    )  # fmt: skip
    return TrainingState(at, arrays)


def restore(training: PolicyTraining, state: TrainingState) -> None:
    """Make a training what it was; `DamagedTraining` if what is given has another shape."""
    at, arrays = state.at, iter(state.arrays)
    next(arrays), next(arrays)
    _fill(training.learner, at.learner, arrays)
    training.rival = None
    if at.rival is not None:
        training.rival = type(training.learner).fresh(training.form, training.scales)
        _fill(training.rival, at.rival, arrays)
    training.league.snapshots = [_member(training, arrays) for _ in range(at.snapshots)]
    training.league.exploiters = [_member(training, arrays) for _ in range(at.exploiters)]
    if next(arrays, None) is not None or not 0 <= at.done <= training.recipe.updates:
        raise DamagedTraining("this interrupted training does not fit its own recipe")
    try:
        training.random.go_on_from(at.random)
    except ValueError:
        raise DamagedTraining("this interrupted training has no random numbers") from None
    training.done, training.played = at.done, at.played


def state_from(at: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> TrainingState:
    """What a file holds."""
    return TrainingState(as_record(at, TrainingAt), list(arrays))


def scales_from(form: PolicyForm, state: TrainingState) -> Scales:
    """The scales that a training began with."""
    features = len(form.features)
    if [each.shape for each in state.arrays[:2]] != [(features,)] * 2:
        raise DamagedTraining("this interrupted training is for other features")
    return Scales(state.arrays[0].astype(np.int64), state.arrays[1].astype(np.int64))


def _parts(optimizer: Optimizer) -> Iterator[list[NDArray[np.float64]]]:
    yield from (optimizer.values, optimizer.means, optimizer.squares, optimizer.kept)


def _learner(learner: Learner) -> LearnerAt:
    return LearnerAt(list(learner.lately), _numbers(learner.optimizer), _numbers(learner.critic))


def _fill(learner: Learner, at: LearnerAt, arrays: Iterator[NDArray[Any]]) -> None:
    """Make somebody who learns what it was."""
    for optimizer, numbers in ((learner.optimizer, at.weights), (learner.critic, at.critic)):
        for part in _parts(optimizer):
            part[:] = [_like(each, arrays) for each in part]
        optimizer.steps, optimizer.averaged = numbers.steps, numbers.averaged
        optimizer.first, optimizer.second = numbers.first, numbers.second
    learner.lately = list(at.lately)


def _numbers(optimizer: Optimizer) -> OptimizerAt:
    return OptimizerAt(optimizer.steps, optimizer.first, optimizer.second, optimizer.averaged)


def _like(old: NDArray[Any], arrays: Iterator[NDArray[Any]]) -> NDArray[Any]:
    """The next array, which takes the place of another one; optimizers change theirs where they lie."""
    found = next(arrays, None)
    if found is None or found.shape != old.shape:
        raise DamagedTraining("this interrupted training is for other weights")
    return found.astype(old.dtype)


def _member(training: PolicyTraining, arrays: Iterator[NDArray[Any]]) -> PolicyWeights:
    plain = uniform_weights(training.form, training.scales)
    kinds, terms = ([_like(each, arrays) for each in part] for part in (plain.kinds, plain.terms))
    for each in (*kinds, *terms):
        if each.size and abs(each).max() > MOST_WEIGHT:
            raise DamagedTraining("this interrupted training has weights beyond their bounds")
    return PolicyWeights(training.form, training.scales, tuple(kinds), tuple(terms))
