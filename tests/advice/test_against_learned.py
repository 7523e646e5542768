"""Questions about learned players: what the solver reckons with is what they play, to the horizon and by their odds."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from chocolatl import cli
from chocolatl.interpreter.commands.play import hint_question
from chocolatl.interpreter.data.games import games_in, rules_folder
from chocolatl.interpreter.diagnostics import Findings
from chocolatl.interpreter.formats.policy_cache import cached_path
from chocolatl.interpreter.formats.policy_file import read_policy, write_section
from chocolatl.interpreter.formats.policy_weights import weights_section
from chocolatl.interpreter.formats.position import dump_position, load_position
from chocolatl.interpreter.lowered.random import Random
from chocolatl.interpreter.play.game import Game, Position
from chocolatl.interpreter.play.library import load
from chocolatl.interpreter.play.match import play_game
from chocolatl.interpreter.play.playout import WHOLE_GAME
from chocolatl.interpreter.players.learned import LearnedPlayer
from chocolatl.interpreter.system.deadline import Deadline
from chocolatl.interpreter.terminal.reports.hint import hint_lines
from chocolatl.interpreter.terminal.reports.worth import rests_on
from chocolatl.solver.advice import advise, question_of
from chocolatl.solver.asking import PositionQuestion
from chocolatl.solver.methods.best import fixed, formulate, solve
from chocolatl.solver.methods.continuations import LUCK, by_conduct
from chocolatl.solver.methods.foreseeing import foreseen
from chocolatl.solver.methods.response import AnswerOdds
from chocolatl.solver.methods.search import whole
from chocolatl.solver.symbolic.scenario import FixedScenario, LaterPolicy
from chocolatl.solver.weighing import NOT_REACHED, TOO_MANY
from chocolatl.solver.worth.beliefs import BeliefKind, HeldBeliefs
from chocolatl.solver.worth.opponents import LearnedConduct, conduct_of, opponents
from chocolatl.solver.worth.playout import to_horizon
from chocolatl.solver.worth.refusals import NoAnswer, NoScenario
from chocolatl.solver.worth.scenarios import scenarios
from tests.games import loaded, walk
from tests.policy.drawing import weights_at_random
from tests.solver.solving import dealt

GAMES = games_in(rules_folder())
TABLES = [("kuhn_poker", 2), ("goofspiel", 3), ("blotto", 2), ("chocolatl", 3)]


@pytest.mark.parametrize("name", GAMES)
def test_playing_on_is_a_match_of_learned_players(name: str) -> None:
    """With the same numbers: chance and each seat have their own."""
    game = loaded(rules_folder() / name, 3 if name in ("chocolatl", "quetzal") else 2)
    player = LearnedPlayer()
    conduct = conduct_of(game, player)
    assert conduct is not None
    for seed in range(2):
        scenario = FixedScenario(game.initial(), seed - LUCK, conduct=conduct)
        end = by_conduct(game, scenario, conduct, 0, (), WHOLE_GAME)
        assert end == play_game(game, [player] * game.player_count, seed).position


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_odds_of_answers_are_those_they_are_drawn_by(name: str, players: int) -> None:
    game = loaded(rules_folder() / name, players)
    player = opponents(game, "learned")
    assert isinstance(player, LearnedPlayer)
    random, draws = Random(5), 300
    asked = [(at, game.pending(at)[0]) for at in walk(game, 3) if game.pending(at)]
    for position, decision in [each for each in asked if each[1].answers.count() > 1][:4]:
        odds = list(player.odds(game, position, decision))
        assert sum(share for _, share in odds) == 1
        assert len({answer for answer, _ in odds}) == len(odds)
        assert all(decision.answers.contains(answer) for answer, _ in odds)
        seen = Counter(player.choose(game, position, decision, random) for _ in range(draws))
        assert set(seen) <= {answer for answer, share in odds if share}
        for likely, share in sorted(odds, key=lambda each: -each[1])[:3]:
            error = (float(share * (1 - share)) / draws) ** 0.5
            assert abs(seen[likely] / draws - share) <= 5 * error


# ---------------------------------------------------------------- whom it is about


def own_copy(tmp_path: Path, name: str, policy: bool = True) -> Path:
    """A shipped game in a folder of its own, with its policy or without."""
    left_out = () if policy else ("policy.yaml",)
    shutil.copytree(rules_folder() / name, tmp_path / name, ignore=shutil.ignore_patterns(*left_out))
    return tmp_path / name


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which no policies are kept."""
    monkeypatch.setenv("CHOCOLATL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "policies"


@pytest.mark.parametrize("name", GAMES)
def test_a_question_is_about_learned_players_where_there_is_a_policy(name: str) -> None:
    game = loaded(rules_folder() / name, 3 if name in ("chocolatl", "quetzal") else 2)
    question = question_of(game)
    assert (question.against, question.instead) == ("learned", None)
    asked = question_of(game, against="random")
    assert (asked.against, asked.instead) == ("random", None), "nobody has to be told what was asked for"


def test_without_a_policy_it_is_about_random_players_and_says_how_to_get_one(tmp_path: Path, cache: Path) -> None:
    bare = load(own_copy(tmp_path, "kuhn_poker", policy=False), 2)
    train = "`chocolatl train kuhn_poker --players {}` makes one"
    about = question_of(bare)
    assert about.against == "random"
    assert about.instead == f"against random players: there is no policy for 2 players of this game; {train.format(2)}"
    many = load(rules_folder() / "kuhn_poker", 4)
    four = question_of(many)
    policies, _ = trained_for(rules_folder() / "kuhn_poker")
    assert (four.against == "learned") == (4 in policies)
    with pytest.raises(NoScenario, match="there is no policy for `kuhn_poker` yet"):
        advise(bare, bare.initial(), 0, question_of(bare, against="learned"))
    assert not list(cache.glob("*.yaml")), "nothing is learned because of a question"


def trained_for(folder: Path) -> tuple[list[int], Path]:
    policy = read_policy(folder / "policy.yaml", Findings())
    assert policy is not None
    return sorted(policy.sections), folder


def test_a_policy_for_other_rules_does_not_count_until_one_was_learned_for_these(tmp_path: Path, cache: Path) -> None:
    folder = own_copy(tmp_path, "goofspiel")
    rules = folder / "goofspiel.rules"
    rules.write_text(rules.read_text(encoding="utf-8").replace("bid    : 0..cards = 0", "bid    : 0..cards + 1 = 0"))
    game = load(folder, 2)
    about = question_of(game)
    assert about.against == "random" and about.instead is not None
    assert "the policy beside the game is for other rules; `chocolatl train goofspiel --players 2`" in about.instead
    with pytest.raises(NoScenario, match=r"against learned: .*policy\.yaml is for other rules than these"):
        advise(game, game.initial(), 0, question_of(game, against="learned"))
    assert not list(cache.glob("*.yaml"))
    kept = cached_path(game)
    section = weights_section(weights_at_random(game, 1))
    write_section(kept, game, {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **section})
    assert question_of(game).against == "learned", "what was learned for these rules and kept counts"
    kept.unlink()
    own = f"learned:{folder / 'other.yaml'}"
    write_section(
        folder / "other.yaml", game, {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **section}
    )
    position = first_decision(game)
    found = advise(game, position, 0, question_of(game, against=own, samples=4))
    assert found.against == own and found.engine == "exact"


def test_a_policy_that_is_learned_meanwhile_is_read_anew(tmp_path: Path) -> None:
    folder = own_copy(tmp_path, "goofspiel")
    game = load(folder, 2)
    before = opponents(game, "learned")
    assert opponents(game, "learned") is before, "it is read once"
    section = weights_section(weights_at_random(game, 1))
    write_section(
        folder / "policy.yaml", game, {"rules": game.files.rules_hash, "recipe": {"method": "league"}, **section}
    )
    assert opponents(game, "learned") is not before


def first_decision(game: Game) -> Position:
    return next(at for at in walk(game, 1) if game.pending(at))


def test_the_screen_and_the_data_say_whom_it_is_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "p.yaml"
    for name, whom in (("goofspiel", "learned"), ("goofspiel/lowest_bid", "random")):
        assert cli.main(["deal", name, "--players", "2", "--seed", "1", "-o", str(place)]) == 0
        capsys.readouterr()
        assert cli.main(["solve", str(place), "--player", "p1"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert f"histories against {whom} players" in told
        why = "against random players: the policy beside the game is for other rules; `chocolatl train " + name
        assert (why in told) == (whom == "random")
        assert cli.main(["solve", str(place), "--player", "p1", "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["against"] == whom and (data["why_random"] is None) == (whom == "learned")


def test_a_hint_says_whom_it_is_about(tmp_path: Path) -> None:
    for folder, whom in ((rules_folder() / "goofspiel", "learned"), (own_copy(tmp_path, "goofspiel", False), "random")):
        game = load(folder, 2)
        position = first_decision(game)
        question = hint_question(game, work=0.01)
        lines = hint_lines(game, position, 0, question, advise(game, position, 0, question, contests=False))
        assert f"against {whom} players" in lines[1]
        assert any("`chocolatl train" in line for line in lines) == (whom == "random")


# ---------------------------------------------------------------- what it is worth


def test_what_a_model_foresees_is_played_so_and_what_is_told_is_played_by_the_policy() -> None:
    """Everything that others and the player decide after the block: huts, dice, who comes first."""
    game = loaded(rules_folder() / "chocolatl", 3)
    policy, seen = LaterPolicy(at_random=True), 0
    for number in (1, 3):
        position = dealt(game, 5, number)
        assert position is not None
        drawn = scenarios(game, position, 0, "learned", 4, 1)
        problem = formulate(game, 0, drawn, policy=policy)
        assert problem.is_foreseen and all(each.foreseen is None for each in drawn)
        best = solve(problem, Deadline(60))
        answers = [best.answers, *(whole(game, drawn[0].position, 0, Random(each)) for each in range(6))]
        for each in answers:
            claimed = fixed(problem, best, each, Deadline(60))  # the model's value, held against the interpreter's
            ends = [to_horizon(game, scenario, 0, each, policy=policy) for scenario in problem.scenarios]
            assert claimed.value == sum(problem.measure(position, end) for end in ends) / 4
            truly = [to_horizon(game, scenario, 0, each, policy=policy) for scenario in drawn]
            anew = problem.decided_anew(each, Deadline())
            assert anew == sum(problem.measure(position, end) for end in truly) / 4
            seen += anew != claimed.value
            assert claimed.value <= best.bound
    assert seen, "some answer leads elsewhere than what was foreseen"


def test_what_was_foreseen_for_a_policy_s_own_answers_is_what_it_decides() -> None:
    """The plays beforehand are played truly, so that an answer of theirs comes to the same either way."""
    game = loaded(rules_folder() / "chocolatl", 3)
    position = dealt(game, 0, 1)
    assert position is not None
    policy = LaterPolicy(at_random=True)
    for scenario in scenarios(game, position, 0, "learned", 4, 2):
        assert scenario.conduct is not None
        known = foreseen(game, scenario, 0, policy)
        given: list[object] = []
        play = _Noted(scenario.position, scenario.seed, conduct=scenario.conduct, given=given)
        end = to_horizon(game, play, 0, (), policy=policy)
        assert len(given) == 6
        assert to_horizon(game, known, 0, given, policy=policy) == end


@dataclass(frozen=True)
class _Noted(FixedScenario):
    """A scenario that takes down what the player answers to the block."""

    given: list[object] = field(default_factory=list)

    def answer(self, position: Position, decision: Any, where: str, own: bool = False) -> object:
        found = super().answer(position, decision, where, own)
        if own and position.slots is self.position.slots:
            self.given.append(found)
        return found


def test_the_headline_is_played_by_the_policy() -> None:
    game = loaded(rules_folder() / "chocolatl", 3)
    position = dealt(game, 0, 1)
    assert position is not None
    found = advise(game, position, 0, question_of(game, scenarios=2, samples=6))
    assert found.against == "learned" and found.is_foreseen and found.decided_anew is not None
    assert "as learned players do" in found.policy
    report = found.report
    assert report is not None and found.fresh == report.value
    for each in report.played:
        assert each.scenario.conduct is not None and each.scenario.foreseen is None
        end = to_horizon(game, each.scenario, 0, found.answers, policy=report.sampler.run.policy)
        assert each.worth == report.sampler.measure(position, end) / report.sampler.measure.unit


def test_a_later_decision_is_the_policy_s_draw_at_the_number_of_the_scenario() -> None:
    """In poker by hand: 8 of the table's 10,000 weights at a time, and so on."""
    game = loaded(rules_folder() / "kuhn_poker", 2)
    player = opponents(game, "learned")
    assert isinstance(player, LearnedPlayer)
    conduct = LearnedConduct(game, player)
    for position in [at for seed in range(8) for at in walk(game, seed) if game.pending(at)]:
        (decision,) = game.pending(position)
        odds = list(player.odds(game, position, decision))
        for seed in range(6):
            scenario = FixedScenario(position, seed, conduct=conduct)
            ticket, here = Fraction(scenario.number(decision.player, "here"), 1 << 32), Fraction(0)
            wanted = None
            for answer, share in odds:
                here += share
                if wanted is None and ticket < here:
                    wanted = answer
            assert scenario.answer(position, decision, "here") == wanted


# ---------------------------------------------------------------- all histories


def expected(game: Game, position: Position, player: int, plan: dict[str, object], odds: AnswerOdds) -> Fraction:
    """What a plan is worth to the end of the game, by its definition."""
    if game.is_over(position):
        return Fraction(game.result(position).scores[player])
    chance = game.chance(position)
    if chance is not None:
        total = chance.outcomes.total
        return sum(
            (
                Fraction(weight, total) * expected(game, game.resolve(position, value), player, plan, odds)
                for value, weight in chance.outcomes.weights.items()
            ),
            Fraction(0),
        )
    decision = game.pending(position)[0]
    if decision.player == player:
        return expected(game, game.answer(position, player, plan[known(game, position, player)]), player, plan, odds)
    return sum(
        (
            share * expected(game, game.answer(position, decision.player, answer), player, plan, odds)
            for answer, share in odds(position, decision)
        ),
        Fraction(0),
    )


def known(game: Game, position: Position, player: int) -> str:
    return str(game.view(position, player)["state"])


def own_views(game: Game, position: Position, player: int) -> dict[str, list[object]]:
    """All that the player may be asked from a position on, by what is seen then."""
    found: dict[str, list[object]] = {}
    todo = [position]
    while todo:
        here = todo.pop()
        if game.is_over(here):
            continue
        chance = game.chance(here)
        if chance is not None:
            todo += [game.resolve(here, value) for value in chance.outcomes.weights]
            continue
        decision = game.pending(here)[0]
        if decision.player == player:
            found[known(game, here, player)] = list(decision.answers)
        todo += [game.answer(here, decision.player, answer) for answer in decision.answers]
    return found


@pytest.mark.parametrize("player", [0, 1])
def test_all_histories_of_poker_against_a_policy_by_all_plans(player: int) -> None:
    """Every plan for what may be asked, played in every world, by the odds of the policy alone."""
    game = loaded(rules_folder() / "kuhn_poker", 2)
    conduct = conduct_of(game, opponents(game, "learned"))
    assert conduct is not None
    seen = set[str]()
    for position in [at for seed in range(60) for at in walk(game, seed) if game.decision(at, player)]:
        if known(game, position, player) in seen:
            continue
        seen.add(known(game, position, player))
        worlds = game.worlds(position, player, 10)
        total = sum(weight for _, weight in worlds)
        views: dict[str, list[object]] = {}
        for world, _ in worlds:
            views |= own_views(game, world, player)
        best: dict[object, Fraction] = {}
        for choices in product(*views.values()):
            plan = dict(zip(views, choices, strict=True))
            ends = [weight * expected(game, world, player, plan, conduct.odds) for world, weight in worlds]
            worth = sum(ends, Fraction(0)) / total
            first = plan[known(game, position, player)]
            best[first] = max(best.get(first, worth), worth)
        found = advise(game, position, player, question_of(game))
        before = game.scores(position)[player]
        assert found.engine == "exact" and found.against == "learned"
        values = {option.answers[0]: option.value.mean for option in found.options}
        assert values == {answer: pytest.approx(float(worth) - before) for answer, worth in best.items()}
    assert len(seen) == 6


def test_all_histories_of_a_secret_block_are_weighted_choice_by_choice() -> None:
    """Three fields in Blotto: the odds of a division are those of its choices, one after the other."""
    game = loaded(rules_folder() / "blotto", 2)
    conduct = conduct_of(game, opponents(game, "learned"))
    assert conduct is not None
    divisions: dict[tuple[object, ...], tuple[Position, Fraction]] = {(): (game.initial(), Fraction(1))}
    for _ in range(3):
        divisions = {
            (*given, answer): (game.answer(here, 1, answer), share * odds)
            for given, (here, share) in divisions.items()
            for answer, odds in conduct.odds(here, game.pending(here)[1])
        }
    assert sum(share for _, share in divisions.values()) == 1
    found = advise(game, game.initial(), 0, question_of(game, engine="exact"))
    worth = Fraction(0)
    for here, share in divisions.values():
        for answer in found.answers:
            here = game.answer(here, 0, answer)
        worth += share * game.result(here).scores[0]
    assert found.value == pytest.approx(float(worth))


# ---------------------------------------------------------------- what lies unseen


def bet_in_poker(card: int = 2) -> tuple[Game, Position]:
    """The second player has a card, and the first one has bet."""
    game = loaded(rules_folder() / "kuhn_poker", 2)
    position = game.initial()
    for value in (3 if card < 3 else 2, card):
        chance = game.chance(position)
        assert chance is not None
        position = game.resolve(position, chance.decode(value))
    (decision,) = game.pending(position)
    return game, game.answer(position, 0, decision.decode("bet"))


def first_card(game: Game, world: Position) -> int:
    """What the first player has."""
    state: Any = game.view(world, 0)["state"]
    found: int = state["player"]["p1"]["hand"][0]
    return found


def test_worlds_are_weighed_by_the_odds_of_what_was_seen() -> None:
    """By hand: the policy bets with the lowest card and with the highest one as its table says, and either was dealt
    as likely."""
    game, position = bet_in_poker()
    section = read_policy(rules_folder() / "kuhn_poker" / "policy.yaml", Findings())
    assert section is not None
    states = section.sections[2]["table"]["choices"]["action"]["states"]
    low, high = (
        int(re.search(r"bet (\d+)", states[f"p1; 2; [{card}]; ?1"])[1])  # type: ignore[index]
        for card in (1, 3)
    )
    asked = PositionQuestion(game, position, 1, question_of(game, beliefs=BeliefKind.POLICY))
    worlds = asked.beliefs.worlds
    assert worlds is not None
    shares = {first_card(game, world): share for world, share in worlds.shares}
    assert shares == {1: Fraction(low, low + high), 3: Fraction(high, low + high)}
    assert worlds.effective == pytest.approx((low + high) ** 2 / (low**2 + high**2))
    drawn = Counter(scenario.position for scenario in asked.sets.search(400))
    often = {first_card(game, world): count for world, count in drawn.items()}
    assert abs(often[3] / 400 - shares[3]) < 0.1
    plain, weighed = (advise(game, position, 1, question_of(game, beliefs=kind)) for kind in BeliefKind)
    call = {kind: next(o.value.mean for o in found.options if o.answers == (1,)) for kind, found in
            (("uniform", plain), ("policy", weighed))}  # fmt: skip
    # The pot of five, or nothing; and one coin to see it.
    assert call["uniform"] == pytest.approx(4 * 0.5 - 1)
    assert call["policy"] == pytest.approx(4 * low / (low + high) - 1)
    assert plain.beliefs == HeldBeliefs() and weighed.beliefs is not None and weighed.beliefs.worlds is not None


def test_a_position_from_a_file_is_weighed_alike(tmp_path: Path) -> None:
    game, position = bet_in_poker()
    path = tmp_path / "p.yaml"
    path.write_text(dump_position(game, position), encoding="utf-8")
    opened = load_position(path, Findings())
    assert opened is not None
    told = [
        PositionQuestion(g, p, 1, question_of(g, beliefs=BeliefKind.POLICY)).beliefs.worlds
        for g, p in ((game, position), (opened.game, opened.position))
    ]
    assert told[0] is not None and told[1] is not None
    assert [share for _, share in told[0].shares] == [share for _, share in told[1].shares]


def test_where_nothing_can_be_weighed_the_answer_says_so() -> None:
    long = loaded(rules_folder() / "chocolatl", 3)
    position = dealt(long, 0, 1)
    assert position is not None
    asked = PositionQuestion(long, position, 0, question_of(long, beliefs=BeliefKind.POLICY))
    assert asked.beliefs == HeldBeliefs(None, TOO_MANY)
    game, bet = bet_in_poker()
    slots = list(bet.slots)
    place = next(place for (_, name), place in game.program.layout.places.items() if name == "score")
    slots[place.base] -= 1  # nothing comes to that
    astray = advise(game, Position(slots), 1, question_of(game, beliefs=BeliefKind.POLICY))
    assert astray.beliefs == HeldBeliefs(None, NOT_REACHED)
    assert f"drawn evenly; {NOT_REACHED}" in "".join(rests_on(question_of(game), astray))
    with pytest.raises(NoAnswer, match="beliefs policy: worlds are weighed by a policy, as with `against learned`"):
        advise(game, bet, 1, question_of(game, against="random", beliefs=BeliefKind.POLICY))


def test_nothing_is_said_of_what_lies_unseen_where_nothing_does() -> None:
    game = loaded(rules_folder() / "goofspiel", 2)
    position = first_decision(game)
    assert advise(game, position, 0, question_of(game)).beliefs is None
