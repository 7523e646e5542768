"""How much weights can be exploited (approximate best responses): what somebody wins who learned nothing but to beat
them.

Learning may fail to find what is there, so several learn, each from a seed of its own, and the best of them counts. It
says something only if the way they learn is strong: the same recipe, at most as many again of whom the best counts, has
to beat random players and a policy that was learned by plain self-play, in the same run. All shares are of fresh games,
each seat as often.
"""

from __future__ import annotations

from dataclasses import dataclass

from chocolatl.interpreter.formats.policy_file import Section
from chocolatl.interpreter.learning.lessons import PARTS, LearningNews, Told, parts
from chocolatl.interpreter.learning.policy_training import PolicyTraining, Recipe, Tracer, TrainingNews
from chocolatl.interpreter.learning.recipes import MOST_GAMES, rate
from chocolatl.interpreter.learning.strength import share_among
from chocolatl.interpreter.policy.weights import PolicyWeights, uniform_weights
from chocolatl.interpreter.statistics.estimates import ConfidenceInterval

SEED = 20_261
APART = 1_000
"""So far from the seeds by which they learn lie those of the games in which they are measured."""

LEAST_AMONG_RANDOM, LEAST_AMONG_SELF_PLAY = 0.98, 0.90
"""What a recipe has to win, at the lower ends of the intervals, for its best responses to count."""

STEP = 10
"""So far apart are the seeds of those who are tried there one after the other."""

ENTROPY = 0.01, 0.001
"""What it is worth to best responses, and in plain self-play, to be hard to predict."""


@dataclass(frozen=True)
class ResponseRecipe:
    """How best responses learn: so many of them, each by so many updates of so many games."""

    updates: int
    responses: int = 4
    games: int = 1_000
    seed: int = SEED
    fresh: int = 10_000
    """They are measured in so many games."""

    def training(self, number: int) -> Recipe:
        return Recipe(
            self.updates, self.seed + number, self.games, rate(self.games), ENTROPY, ENTROPY, exploiters=0,
            snapshots=0, exploiter_updates=self.updates,
        )  # fmt: skip


LEAST_GAMES = 150_000
"""Best responses learn from so many games at least."""


def recipe_for(section: Section) -> ResponseRecipe:
    """Best responses learn at least as long as the policy itself did, by batches of the same size."""
    learned = section["recipe"]
    games = int(learned.get("games", MOST_GAMES))
    return ResponseRecipe(max(-(-LEAST_GAMES // games), int(learned.get("updates", 0))), games=games)


class ResponseMeasure:
    """One measurement."""

    def __init__(
        self, weights: PolicyWeights, players: int, recipe: ResponseRecipe, trace: Tracer, jobs: int, told: Told
    ) -> None:
        self.weights, self.players, self.recipe = weights, players, recipe
        self.trace, self.jobs, self.told = trace, jobs, told

    def section(self) -> Section:
        """All that is recorded of it."""
        recipe, plain = self.recipe, uniform_weights(self.weights.form, self.weights.scales)
        shares = [
            self.response(self.weights, number, f"best response {number + 1} of {recipe.responses}")
            for number in range(recipe.responses)
        ]
        among_random = self.tried(plain, recipe.responses, LEAST_AMONG_RANDOM, "random players")
        among_self_play = self.tried(self.self_play(), recipe.responses + 1, LEAST_AMONG_SELF_PLAY, "plain self-play")
        shares.sort(key=lambda share: -(share.mean or 0))
        training = recipe.training(0)
        return {
            "recipe": {
                "responses": recipe.responses, "updates": recipe.updates, "games": recipe.games, "seed": recipe.seed,
                "fresh": recipe.fresh, "rate": parts(training.rate), "entropy": parts(training.entropy),
            },
            "share": in_parts(shares[0]), "responses": [in_parts(share)[0] for share in shares],
            "among_random": in_parts(among_random), "among_self_play": in_parts(among_self_play),
            "counts": does_count(among_random, among_self_play),
        }  # fmt: skip

    def tried(self, fixed: PolicyWeights, first: int, enough: float, whom: str) -> ConfidenceInterval:
        """What the recipe wins where it has to win. It is the best of several who learn, here as well: they are tried
        until one of them wins enough, since any of them may get stuck."""
        found: list[ConfidenceInterval] = []
        for number in range(self.recipe.responses):
            called = f"the same against {whom}" + (f", try {number + 1}" if number else "")
            found.append(self.response(fixed, first + number * STEP, called))
            if (found[-1].low or 0) >= enough:
                break
        return max(found, key=lambda share: share.mean or 0)

    def response(self, fixed: PolicyWeights, number: int, called: str) -> ConfidenceInterval:
        """What somebody wins among copies of a policy who learned from nothing to beat it."""
        training = self.training(number, called)
        try:
            found = training.exploiter(fixed)
        finally:
            training.threads.close()
        return share_among(self.trace, found, fixed, self.players, self.recipe.seed + number + APART, self.recipe.fresh)

    def self_play(self) -> PolicyWeights:
        """What comes of playing against oneself alone."""
        training = self.training(self.recipe.responses + 2, "plain self-play")
        learned = training.run()
        if learned.interrupted:
            raise KeyboardInterrupt
        return learned.weights

    def training(self, number: int, called: str) -> PolicyTraining:
        def report(news: TrainingNews) -> None:
            text = f"{called}, update {news.update} of {news.of}: wins {news.share:.1%}"
            self.told(LearningNews(text, news.share))

        return PolicyTraining(
            self.weights.form, self.weights.scales, self.players, self.recipe.training(number), self.trace, self.jobs,
            report,
        )  # fmt: skip


def does_count(among_random: ConfidenceInterval, among_self_play: ConfidenceInterval) -> bool:
    """Whether a recipe is strong enough for its best responses to say something."""
    assert among_random.low is not None and among_self_play.low is not None
    return among_random.low >= LEAST_AMONG_RANDOM and among_self_play.low >= LEAST_AMONG_SELF_PLAY


def in_parts(share: ConfidenceInterval) -> list[int]:
    """Mean, lower and upper end in ten-thousandths."""
    assert share.mean is not None and share.low is not None and share.high is not None
    return [round(each * PARTS) for each in (share.mean, share.low, share.high)]
