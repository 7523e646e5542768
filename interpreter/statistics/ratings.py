"""How strong players are who met one another, as one number each (Bradley-Terry and Plackett-Luce, logistic regression
by Newton's method).

If each player has a strength, and wins in proportion to it among those at the table, then one player among n - 1 of
another kind wins with odds of strength / ((n - 1) * strength of the others). A rating is 400 times the logarithm to the
base 10 of a strength (Elo): 400 more mean ten times the odds. The first player has the rating 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from chocolatl.interpreter.statistics.estimates import ConfidenceInterval, Z

ELO = 400 / log(10)
STEPS = 100
PRIOR = 1.0
"""Each encounter counts for so many more games, won at the fair share, so that who never loses has a rating as well."""


@dataclass(frozen=True)
class Encounter:
    """One player sat among others of another kind, in so many games, and won so many."""

    one: int
    others: int
    players: int
    games: float
    won: float


def ratings(count: int, encounters: Sequence[Encounter]) -> list[ConfidenceInterval]:
    """The rating of each player, with its 95 % interval beside the first one, who has none. Everybody must have met
    the first one, if only through others."""
    free = count - 1
    strengths = [0.0] * count
    for _ in range(STEPS):
        slope, information = _derivatives(strengths, encounters)
        step = _solved(information, slope)
        for number in range(free):
            strengths[number + 1] += max(-2.0, min(2.0, step[number]))
        if max(map(abs, step), default=0.0) < 1e-10:
            break
    _, information = _derivatives(strengths, encounters)
    found = [ConfidenceInterval(0.0, 0.0, 0.0)]
    for number in range(free):
        unit = [1.0 if other == number else 0.0 for other in range(free)]
        half = Z * sqrt(_solved(information, unit)[number])
        mean = strengths[number + 1]
        found.append(ConfidenceInterval(*(ELO * each for each in (mean, mean - half, mean + half))))
    return found


def _derivatives(strengths: Sequence[float], encounters: Sequence[Encounter]) -> tuple[list[float], list[list[float]]]:
    """The slope of the log-likelihood by the strengths of all but the first player, and Fisher's information."""
    free = len(strengths) - 1
    slope, information = [0.0] * free, [[0.0] * free for _ in range(free)]
    for each in encounters:
        odds = strengths[each.one] - strengths[each.others] - log(each.players - 1)
        chance = 1 / (1 + exp(-odds))
        games = each.games + PRIOR
        left = each.won + PRIOR / each.players - games * chance
        weight = games * chance * (1 - chance)
        for mine, sign in ((each.one, 1.0), (each.others, -1.0)):
            if mine:
                slope[mine - 1] += sign * left
                information[mine - 1][mine - 1] += weight
        if each.one and each.others:
            information[each.one - 1][each.others - 1] -= weight
            information[each.others - 1][each.one - 1] -= weight
    return slope, information


def _solved(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of a system of linear equations (Gaussian elimination; the matrix is positive definite)."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for pivot, row in enumerate(rows):
        for other in rows[pivot + 1 :]:
            factor = other[pivot] / row[pivot]
            for column in range(pivot, len(other)):
                other[column] -= factor * row[column]
    found = [0.0] * len(rows)
    for number in reversed(range(len(rows))):
        known = sum(rows[number][column] * found[column] for column in range(number + 1, len(rows)))
        found[number] = (rows[number][-1] - known) / rows[number][number]
    return found
