"""The answer of `chocolatl solve` as JSON data (serialisation): what schemas/solve_results.schema.json describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the solver is imported when it is asked
    from chocolatl.solver.answer import Advice
    from chocolatl.solver.methods.best import Best
    from chocolatl.solver.methods.completing import CompletedIdea
    from chocolatl.solver.question import SolverQuestion
    from chocolatl.solver.report import ValuedAnswer
    from chocolatl.solver.worth.beliefs import HeldBeliefs


def content(player: str, question: SolverQuestion, advice: Advice) -> dict[str, Any]:
    """The answer as JSON data."""
    return {
        "player": player,
        "choices": _choices(advice.choices),
        "objective": question.objective,
        "horizon": question.horizon.value,
        "work": question.work,
        "against": advice.against,
        "why_random": question.instead,
        "beliefs": _beliefs(advice.beliefs) if advice.beliefs is not None else None,
        "value": advice.value,
        "foreseen": advice.is_foreseen,
        "decided_anew": advice.decided_anew,
        "bound": advice.bound,
        "gap": advice.gap,
        "status": advice.status,
        "proof": advice.proof,
        "engine": advice.engine,
        "policy": advice.policy,
        "later_rules": [{"choice": choice, "rule": rule} for choice, rule in advice.rules],
        "scenarios": advice.scenarios,
        "modelled": advice.model.modelled if advice.model is not None else None,
        "seconds": round(advice.seconds, 3),
        "repeat": {"scenarios": advice.branches, "seed": advice.seed},
        "fresh": vars(advice.fresh) | {"asked": advice.asked} if advice.fresh is not None else None,
        "why_not_fresh": advice.why_not_fresh,
        "parts": vars(advice.parts) | {"total": advice.parts.total} if advice.parts is not None else None,
        "proved": _proved(advice.proved) if advice.proved is not None else None,
        "options": [_option(option) | {"alike": option.alike} for option in advice.options],
        "by_contest": [vars(contest) for contest in advice.contests],
        "alternatives": [
            {"choices": _choices(choices), "value": value, "status": status}
            for choices, value, status in advice.alternatives
        ],
        "left_out": list(advice.left_out),
        "why_no_model": advice.why,
        "compared": _idea(advice.compared, advice.idea) if advice.compared and advice.idea else None,
    }


def _beliefs(held: HeldBeliefs) -> dict[str, Any]:
    worlds = held.worlds
    return {
        "kind": held.kind.value,
        "worlds": None if worlds is None else len(worlds.shares),
        "effective": None if worlds is None else worlds.effective,
        "why_uniform": held.why_not,
    }


def _idea(compared: ValuedAnswer, idea: CompletedIdea) -> dict[str, Any]:
    return {**_option(compared), "given": list(idea.given), "rest": idea.status}


def _proved(best: Best) -> dict[str, Any]:
    return {"choices": _choices(best.choices), "value": best.value, "bound": best.bound, "status": best.status}


def _option(option: ValuedAnswer) -> dict[str, Any]:
    return {"choices": _choices(option.choices), **vars(option.value), "behind": vars(option.behind)}


def _choices(choices: tuple[tuple[str, object], ...]) -> list[dict[str, Any]]:
    return [{"choice": name, "value": value} for name, value in choices]
