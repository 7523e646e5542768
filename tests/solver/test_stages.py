"""Decisions after which the player decides again, knowing more by then: nested samples, and all histories.

The judge is `exact`, which plays every history. It is itself held against hand-made values, against the best response
over whole games, and against worlds drawn at random.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import comb

import pytest

from chocolatl.interpreter.data.games import rules_folder
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position, TooManyWorlds
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.players.lookahead import AnswerSequence
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.solver.advice import EXACT, MODEL, SAMPLING, SolverQuestion, advise
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.going_on import sampled_rules
from chocolatl.solver.methods import best, nested
from chocolatl.solver.methods.deciding_again import deciding_again
from chocolatl.solver.methods.exact import exact
from chocolatl.solver.methods.nested import Twig, formulate
from chocolatl.solver.methods.response import HistorySearch, best_response
from chocolatl.solver.methods.sampling import Sampler
from chocolatl.solver.methods.search import whole
from chocolatl.solver.symbolic.scenario import FixedScenario, LaterPolicy
from chocolatl.solver.symbolic.unmodelled import Unsupported
from chocolatl.solver.worth.outcome import MARGIN, POINTS, WIN, OutcomeMeasure
from chocolatl.solver.worth.playout import later_blocks, to_horizon
from chocolatl.solver.worth.refusals import NoAnswer
from chocolatl.solver.worth.scenarios import scenarios, source
from tests.conftest import Evidence
from tests.games import HALF_OPEN, loaded, successor, walk, write_game
from tests.shipped.specifications import CHOCOLATL
from tests.solver.solving import dealt, grown, ticking

GREEN = {"track.colour_of_0": "green", "track.cycle_from_1": ["green"]}
GOLD = {"track.colour_of_0": "gold", "track.cycle_from_1": ["gold"]}
TINY_GOLD = GOLD | {"cards.bid_size": 1, "cards.values": [0, 2, 3, 5]}
"""One by one with single cards: on three locations, three cards and an offering each."""


@pytest.fixture(scope="module")
def half_open(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """Two players, two places, two cards for each: one is laid, all are turned up, the other is laid."""
    return load(write_game(tmp_path_factory.mktemp("rules"), HALF_OPEN, cards="{value: 1..4}"), 2)


def at_stage(game: Game, seed: int, stage: int) -> Position:
    """The first round of a random game, when all decide in secret for the given time."""
    position = dealt(game, seed)
    assert position is not None
    choice, seen = random.Random(seed), 1
    while seen < stage:
        after = successor(game, position, choice)
        seen += after.sealed is not None and after.slots is not position.slots
        position = after
    return position


# ---------------------------------------------------------------- all worlds


def chance_of_so_far_off(times: int, draws: int, share: float) -> float:
    """The smaller tail of the binomial distribution: what is rare is not told by deviations."""
    each = [comb(draws, number) * share**number * (1 - share) ** (draws - number) for number in range(draws + 1)]
    return min(sum(each[: times + 1]), sum(each[times:]))


def test_a_wrong_share_is_far_off() -> None:
    assert chance_of_so_far_off(150, 300, 1 / 3) < 1e-8 < chance_of_so_far_off(10, 300, 1 / 169)
    assert chance_of_so_far_off(0, 300, 1 / 10) < 1e-8 and chance_of_so_far_off(300, 300, 1.0) == 1


@pytest.mark.parametrize("name", ["goofspiel", "kuhn_poker", "chocolatl"])
def test_all_worlds_are_those_that_are_drawn(name: str, seed: int) -> None:
    """Every world that is drawn is in the list, and about as often as its weight says."""
    game = loaded(rules_folder() / name, 3)
    positions = [p for p in walk(game, seed) if game.pending(p)][:40:8]
    for position in positions:
        player = game.pending(position)[0].player
        listed = Counter[Position]()
        for world, weight in game.worlds(position, player, 10_000):
            listed[world] += weight
        drawn = Counter(game.sample_unknown(position, player, Random(seed, n)) for n in range(300))
        assert set(drawn) <= set(listed)
        for known, weight in listed.items():
            assert chance_of_so_far_off(drawn[known], 300, weight / listed.total()) > 1e-8


def test_too_many_worlds_are_not_listed() -> None:
    game = CHOCOLATL.load(5)
    position = dealt(game, 1)
    assert position is not None
    with pytest.raises(TooManyWorlds):
        game.worlds(position, 0, 100)


# ---------------------------------------------------------------- all histories


@pytest.mark.parametrize("players", [2, 3])
def test_all_histories_come_to_the_best_response_over_a_whole_game(players: int) -> None:
    """Kuhn poker, the first seat: the mean over all hands that chance may deal."""
    game = loaded(rules_folder() / "kuhn_poker", players)
    starts = _starts(game, game.initial())
    values = [exact(game, p, 0, OutcomeMeasure(game, 0)).options[0][1] + game.scores(p)[0] for p in starts]
    assert sum(values) / len(values) == best_response(game, 0).value


def _starts(game: Game, position: Position) -> list[Position]:
    """Where somebody decides first, whatever chance brings."""
    chance = game.chance(position)
    if chance is None:
        return [position]
    return [p for outcome, _ in chance.outcomes.odds() for p in _starts(game, game.resolve(position, outcome))]


def test_too_many_histories_are_refused() -> None:
    game = CHOCOLATL.load(3, "three_locations", GREEN)
    with pytest.raises(NoAnswer, match=r"engine exact: there are about 10\^9 histories, and 200,000 at most"):
        advise(game, dealt(game, 1), 0, SolverQuestion(engine=EXACT))  # type: ignore[arg-type]


# ---------------------------------------------------------------- nested samples


@pytest.fixture(scope="module")
def complete(half_open: Game) -> nested.SampleTree:
    """All that the other may answer at first, and then: a branch for each, and a twig for each, all equally likely."""
    branches: dict[object, dict[object, FixedScenario]] = {}
    for seed in range(600):
        (given,) = scenarios(half_open, half_open.initial(), 0, "random", 1, seed % 100)
        first = given.position.sealed[1].answers  # type: ignore[index]
        twig = Twig(given.position, seed)
        then = str(half_open.view(to_horizon(half_open, twig, 0, ()), 1)["state"])
        branches.setdefault(first, {}).setdefault(then, twig)
    tree = [list(twigs.values()) for twigs in branches.values()]
    assert len(tree) == 12 and all(len(twigs) == 2 for twigs in tree)
    return tree


@pytest.mark.parametrize("objective", [POINTS, MARGIN])
def test_a_complete_tree_has_the_value_of_all_histories(
    half_open: Game, complete: nested.SampleTree, objective: str
) -> None:
    found = best.solve(formulate(half_open, 0, complete, objective), Deadline(60))
    all_ = exact(half_open, half_open.initial(), 0, OutcomeMeasure(half_open, 0, objective))
    assert found.status == "optimal"
    assert Fraction(found.value).limit_denominator(1000) == all_.options[0][1]
    assert dict(all_.options)[found.answers] == all_.options[0][1]


def test_later_answers_differ_by_branch_alone(half_open: Game, complete: nested.SampleTree) -> None:
    """The twigs of a branch share what is answered, since nothing tells them apart then."""
    problem = formulate(half_open, 0, complete)
    later = problem.later(best.solved(problem, Deadline(60)).answers)
    assert later[::2] == later[1::2] and len(set(later)) > 1


def test_to_decide_again_is_worth_more_than_to_decide_at_once(half_open: Game, complete: nested.SampleTree) -> None:
    options = exact(half_open, half_open.initial(), 0, OutcomeMeasure(half_open, 0)).options

    def at_once(first: AnswerSequence, swapped: bool) -> Fraction:
        """What it is worth to lay the other two cards, or the other way round, whatever is seen."""

        def second(position: Position) -> list[object]:
            cards = list(half_open.decision(position, 0).answers)  # type: ignore[union-attr]
            return cards[::-1] if swapped else cards

        twigs = [twig for branch in complete for twig in branch]
        ends = [to_horizon(half_open, twig, 0, first, later=second) for twig in twigs]
        return Fraction(sum(half_open.scores(end)[0] for end in ends), len(ends))

    for first, value in options:
        assert value >= max(at_once(first, False), at_once(first, True))
    assert options[0][1] > max(at_once(first, swapped) for first, _ in options for swapped in (False, True))


def test_the_twigs_of_a_branch_look_the_same_until_the_player_decides_again() -> None:
    game = CHOCOLATL.load(3, "three_locations", GREEN)
    position = dealt(game, 4)
    assert position is not None
    for twigs in grown(game, position, 0, "random", 3, 7):
        seen, ends = set(), set()
        for twig in twigs:
            views: list[str] = []

            def note(reached: Position, views: list[str] = views) -> tuple[()]:
                views.append(str(game.view(reached, 0)))
                return ()

            end = to_horizon(game, twig, 0, (), later=note)
            seen.add(views[0])
            ends.add(str(game.view(end, 1)["state"]))
        assert len(seen) == 1 and len(ends) > 1


def test_first_cards_are_chosen_for_second_cards_that_react(half_open: Game) -> None:
    """The answers to a dozen branches beat the average one by all histories; fresh scenarios tell their worth."""
    start = half_open.initial()
    worth = dict(exact(half_open, start, 0, OutcomeMeasure(half_open, 0)).options)
    regrets = []
    for seed in range(4):
        found = best.solved(formulate(half_open, 0, grown(half_open, start, 0, "random", 12, seed)), Deadline(60))
        regrets.append(max(worth.values()) - worth[found.answers])
    assert sum(regrets) / len(regrets) < max(worth.values()) - sum(worth.values()) / len(worth)
    run = deciding_again(half_open, 0, "random", POINTS, ())
    fresh = Sampler(half_open, source(half_open, start, 0, "random", 9), run, OutcomeMeasure(half_open, 0))
    option = fresh.ranked([found.answers], 60)[0].value
    assert abs(option.mean - float(worth[found.answers])) < 4 * option.error + 0.3


def test_a_half_open_round_is_answered_with_nested_samples() -> None:
    game = CHOCOLATL.load(3, "three_locations", GREEN)
    position = dealt(game, 1)
    assert position is not None
    found = advise(game, position, 0, SolverQuestion(scenarios=4, samples=4, alternatives=0))
    policy = nested.POLICY.format("places_first: the first seat; else the first legal answer")
    assert (found.engine, found.policy, found.scenarios) == ("enumeration", policy, 4 * nested.TWIGS)
    assert [name for name, _ in found.choices] == ["first_card[temple]", "first_card[pyramid]", "first_card[drink]"]
    assert found.fresh is not None and found.fresh.samples == 4 and found.contests[0].name.startswith("bidders")
    assert all(c.lowest_bid <= c.bid <= c.highest_bid for c in found.contests)
    assert any(c.lowest_bid < c.highest_bid for c in found.contests), "second cards differ by branch, and so do bids"
    # Second cards that react are worth more than those that any policy lays down in advance.
    blind = best.solve(
        best.formulate(game, 0, [t for ts in grown(game, position, 0, "random", 4, 0) for t in ts]), Deadline(60)
    )
    assert found.value is not None and found.value >= blind.value


# ---------------------------------------------------------------- first answers, one by one


def test_looking_at_all_first_answers_finds_what_a_search_proves(seed: int) -> None:
    game = CHOCOLATL.load(3, "three_locations", GREEN)
    position = dealt(game, seed)
    assert position is not None
    problem = formulate(game, 0, grown(game, position, 0, "random", 3, seed))
    tried, searched = best.solved(problem, Deadline(60)), best.solved(problem, Deadline(60), engine=best.ENGINE)
    assert (tried.engine, searched.engine) == (best.ENUMERATION, best.ENGINE)
    assert tried.status == searched.status == "optimal" and tried.value == searched.value
    assert problem.branches is not None and len(problem.branches.tried) == 6 * 5 * 4
    other = problem.promising(5)[-1]
    worse = best.instead(problem, tried, other, Deadline(60))
    assert (worse.answers, worse.bound) == (other, tried.bound) and worse.value <= tried.value
    assert worse.status == ("optimal" if worse.value == tried.value else "feasible")
    assert tried.answers in [alternative.answers for alternative in worse.alternatives]


def test_many_first_answers_are_searched_and_bounded() -> None:
    """What is found is better than what is drawn, and a bound for the rest comes from a relaxation."""
    game = CHOCOLATL.load(3, None, GREEN)
    position = dealt(game, 1)
    assert position is not None
    problem = formulate(game, 0, grown(game, position, 0, "random", 2, 0))
    found = best.solved(problem, Deadline(4))
    assert found.engine == nested.SEARCH and found.status == "feasible" and found.bound >= found.value
    assert problem.branches is not None
    drawn = problem.branches.add([whole(game, position, 0, Random(n)) for n in range(40)], Deadline())
    assert found.value * problem.weight * problem.unit >= drawn.total


def test_fewer_branches_and_samples_if_the_time_is_short() -> None:
    game = CHOCOLATL.load(3, "three_locations", GREEN)
    position = dealt(game, 1)
    assert position is not None
    tree = grown(game, position, 0, "random", 4, 7)
    with pytest.raises(best.NotModelled):
        formulate(game, 0, tree, deadline=Deadline(0.0))
    assert len(formulate(game, 0, tree, deadline=Deadline(60.0)).scenarios) == 4 * nested.TWIGS
    found = advise(game, position, 0, SolverQuestion(scenarios=2, samples=100_000, seconds=1.5))
    assert found.asked == 100_000 and (found.fresh is None or 2 <= found.fresh.samples < found.asked)
    assert any(each.startswith("fresh scenarios: ") for each in found.left_out)


def test_a_branch_that_was_begun_and_not_done_leaves_no_trace() -> None:
    """The clock ticks each time somebody looks at it, and there is time for two branches and most of a third."""
    game = CHOCOLATL.load(3, "three_locations", GREEN)
    position = dealt(game, 1)
    assert position is not None
    tree = grown(game, position, 0, "random", 3, 7)

    def made(branches: int, last: int = 10**9) -> tuple[nested.Nested, int]:
        limit, clock = ticking(last)
        return formulate(game, 0, tree[:branches], deadline=limit), next(clock) - 2

    two, whole = made(2)[0], made(3)[1]
    found = made(3, whole - 1)[0]
    assert found.scenarios == two.scenarios and len(found.parts) == len(found.plans) == 2 * nested.TWIGS
    assert found.model.constraints == two.model.constraints
    assert best.solved(found, Deadline(60)).value == best.solved(two, Deadline(60)).value


# ---------------------------------------------------------------- one by one


def test_one_by_one_the_answer_says_how_it_was_found() -> None:
    """Where few stages remain all histories are played; before that, sampling goes on at random."""
    game = CHOCOLATL.load(3, "three_locations", GOLD)
    question = SolverQuestion(samples=4, seconds=1)
    early = advise(game, at_stage(game, 2, 1), 0, question)
    assert early.engine == "sampling" and early.why is not None
    assert "the player decides 2 times more before the horizon, knowing more by then" in early.why
    small = CHOCOLATL.load(3, "three_locations", TINY_GOLD)
    late = advise(small, at_stage(small, 2, 2), 0, SolverQuestion(samples=4))
    assert late.fresh is not None
    assert (late.engine, late.status, late.fresh.error, late.bound) == ("exact", "optimal", 0.0, late.value)
    with pytest.raises(Unsupported, match="the player decides 2 times more"):
        advise(game, at_stage(game, 2, 1), 0, SolverQuestion(engine=MODEL))


def test_sampled_values_are_those_of_the_later_rules(evidence: Evidence) -> None:
    """On three locations with single cards, where every history can be played: a sampled value is that of an answer
    after which the player keeps to the rules of thumb that are named, and so at most that of the best later answers. An
    answer loses little beside the best one."""
    lost = spread = 0.0
    game = CHOCOLATL.load(3, "three_locations", TINY_GOLD)
    for seed in evidence.cases("one by one: sampled values against all histories", full=40, slice=1):
        position = dealt(game, seed)
        assert position is not None
        assert len(later_blocks(game, FixedScenario(position, 1), 0)) == 2
        question = SolverQuestion(engine=SAMPLING, samples=200, seed=seed)
        sampled = advise(game, position, 0, question)
        rules, in_time = sampled_rules(PositionQuestion(game, position, 0, question), Deadline())
        assert in_time and str(rules) == sampled.policy
        best = {o.answers: o.value.mean for o in advise(game, position, 0, SolverQuestion(engine=EXACT)).options}
        assert len(sampled.options) == len(best) == 3
        for option in sampled.options:
            value = float(answered_by_rules(game, position, option.answers, rules.policy))
            assert abs(option.value.mean - value) <= 5 * option.value.error
            assert value <= best[option.answers] + 1e-9
        lost += max(best.values()) - best[sampled.answers]
        spread += max(best.values()) - min(best.values())
    assert lost <= 0.1 * spread + 0.25, f"{lost} of {spread}"


def answered_by_rules(game: Game, position: Position, answers: AnswerSequence, policy: LaterPolicy) -> Fraction:
    """What answers of the first player are worth on the mean of all that can happen until the round is over, if that
    player goes on by a policy, and everybody else at random."""
    measure = OutcomeMeasure(game, 0)
    start, value, worlds = game.round(position), Fraction(0), game.worlds(position, 0, 10_000)

    def is_end(reached: Position) -> bool:
        return game.is_over(reached) or game.round(reached) != start

    search = HistorySearch(game, 0, lambda _: 0, is_end, 1_000_000, drawn=True)
    for world, weight in worlds:
        after = world
        for answer in answers:
            after = game.answer(after, 0, answer)
        todo = [(after, Fraction(weight))]
        while todo:
            reached, share = todo.pop()
            while not is_end(reached) and (own := game.decision(reached, 0)) is not None:
                if not policy.decides(own.node, own.answers):
                    break
                reached = game.answer(reached, 0, policy.answer(own.node, own.answers))
            if is_end(reached):
                value += share * Fraction(measure(position, reached), measure.unit)
            else:
                todo += [(following, share * chance) for following, chance, *_ in search.futures(reached)]
    return value / sum(weight for _, weight in worlds)


def test_an_idea_is_compared_exactly() -> None:
    game = CHOCOLATL.load(3, "three_locations", TINY_GOLD)
    position = at_stage(game, 5, 2)
    found = advise(game, position, 0, SolverQuestion(engine=EXACT))
    worst = found.options[-1]
    compared = advise(game, position, 0, SolverQuestion(engine=EXACT, idea=worst.choices)).compared
    assert found.value is not None
    assert compared == worst and compared.behind.mean == pytest.approx(found.value - worst.value.mean)


def test_winning_is_exact_only_where_the_game_ends() -> None:
    game = CHOCOLATL.load(3, "three_locations", TINY_GOLD)
    with pytest.raises(NoAnswer, match="has no meaning yet"):
        advise(game, dealt(game, 5), 0, SolverQuestion(engine=EXACT, objective=WIN))  # type: ignore[arg-type]
    with pytest.raises(NoAnswer, match="against random"):
        advise(game, dealt(game, 5), 0, SolverQuestion(engine=EXACT, against="greedy"))  # type: ignore[arg-type]
