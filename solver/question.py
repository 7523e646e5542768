"""What is asked of the solver: against whom, in how many scenarios, to what end, how long it may take, and by whom.

`question_of` makes it for everybody who asks: commands, hints, players and programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chocolatl.interpreter.formats.valuation import Valuation, valuation_of
from chocolatl.interpreter.play.game import Game
from chocolatl.solver.worth.beliefs import BeliefKind as BeliefKind
from chocolatl.solver.worth.horizons import HorizonKind as HorizonKind
from chocolatl.solver.worth.opponents import RANDOM as RANDOM
from chocolatl.solver.worth.opponents import is_learned, usual_opponents
from chocolatl.solver.worth.outcome import POINTS
from chocolatl.solver.worth.proposed_answers import ProposedAnswers

AUTO, MODEL, ENUMERATION, SAMPLING, EXACT = "auto", "model", "enumeration", "sampling", "exact"
ENGINES = (AUTO, MODEL, ENUMERATION, SAMPLING, EXACT)


@dataclass(frozen=True)
class SolverQuestion:
    """A question. `samples` are the scenarios in which candidates are compared, and those in which the chosen one is
    played; none of them is one of the search."""

    against: str = RANDOM
    instead: str | None = None
    """Why it is about random players, if nobody asked for these; a sentence that says how to get others."""
    beliefs: BeliefKind = BeliefKind.UNIFORM
    """How likely is what the player does not see."""
    scenarios: int | None = None
    """In how many scenarios is searched; None: in ever more, until the answer is stable or the time is up."""
    samples: int = 200
    seed: int = 0
    objective: str = POINTS
    valuation: Valuation = ()
    horizon: HorizonKind = HorizonKind.ROUND
    seconds: float = 60.0
    work: float | None = None
    """A budget for finding the answer, of which 1 is about a second. What it comes to depends on no clock, as long as
    the time is enough for it: whoever asks with the same budget gets the same answer."""
    engine: str = AUTO
    alternatives: int = 2
    idea: ProposedAnswers = ()
    """What the player thinks of answering, if it is to be compared."""
    fresh: str | None = None
    """A file of scenarios to choose by and to report, if they are not to be drawn or taken from what is given."""

    @property
    def has_odds(self) -> bool:
        """Whether it is known how likely the others answer what."""
        return self.against == RANDOM or is_learned(self.against)


def question_of(game: Game, **wishes: Any) -> SolverQuestion:
    """A question about a position of a game. What is not wished for is as it always is; so is the valuation, which is
    the table beside the game; and so are the others, who are learned players where there is a policy for them."""
    if "against" not in wishes:
        wishes["against"], wishes["instead"] = usual_opponents(game)
    if "valuation" not in wishes:
        wishes["valuation"] = valuation_of(game)
    return SolverQuestion(**wishes)
