"""Files from strangers: whatever is in them, nothing but an answer or a diagnostic comes out.

200,000 inputs at full count: junk, texts shaped by the grammar, and sound files of every kind with something changed
in them, each given to a command that a user could run on it (`fuzzing/front_door.py`). A case that fails names its
seed and shows the input. What is large or deep by design is in `test_limits.py` and `test_hostile.py`.
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chocolatl.interpreter.data.games import games_in, rules_folder
from tests.conftest import Evidence, scaled
from tests.fuzzing.derivation import derived
from tests.fuzzing.front_door import SMALL, FrontDoor, Target, plain
from tests.fuzzing.mutation import WORD, changed_data, mutated

CLAIM = "a hostile file gets a diagnostic: {}"
MOST = 5
"""So many different troubles of a test are shown."""


def examples(full: int) -> settings:
    """How often Hypothesis tries; what it has found is kept nowhere, since a seed repeats it."""
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(max_examples=scaled(full, slice=60), suppress_health_check=checks, database=None)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FrontDoor]:
    """The small games in a folder of their own, which is the current one: a command may write where it stands."""
    folder = tmp_path_factory.mktemp("games")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("CHOCOLATL_DEBUG", "1")
        yield FrontDoor(folder)


class Troubles:
    """What went wrong, each kind once."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def add(self, trouble: str, seed: int, target: Target, content: bytes) -> None:
        kind = trouble.strip().rsplit("\n", 2)[0][-200:]
        self.found.setdefault(kind, f"seed {seed}, {target.path.name}: {trouble}\n{content[:3000]!r}")

    def report(self) -> None:
        assert not self.found, "\n\n".join([f"{len(self.found)} kinds of trouble", *list(self.found.values())[:MOST]])


def changed(target: Target, door: FrontDoor, choice: random.Random) -> bytes:
    """A sound file with something changed in it."""
    if target.kind not in ("rules", "transcript") and choice.random() < 0.6:
        return changed_data(plain(target), choice)
    others = tuple(other.text for other in door.of(target.kind))
    return mutated(target.text, others, choice, rules=target.kind == "rules")


KINDS = {"rules": 20, "game": 20, "variant": 30, "scenario": 24, "position": 25, "transcript": 40}
"""Thousands of inputs of each kind at full count: fewer where one takes longer."""
PARTS = 10


@pytest.mark.parametrize("part", range(scaled(full=PARTS, slice=1)))
@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_with_something_changed(kind: str, part: int, door: FrontDoor, evidence: Evidence) -> None:
    troubles = Troubles()
    for seed in evidence.cases(CLAIM.format(kind), full=KINDS[kind] * 1000 // PARTS, slice=60):
        choice = random.Random(f"{kind} {part} {seed}")
        target = choice.choice(door.of(kind))
        content = changed(target, door, choice)
        for trouble in door.troubles(target, content, choice):
            troubles.add(trouble, seed, target, content)
    troubles.report()


def test_a_large_game_with_something_changed(tmp_path: Path, door: FrontDoor, evidence: Evidence) -> None:
    """The rules and data of the shipped games that are no small ones, as they lie in a folder of their own."""
    large = [name for name in games_in(rules_folder()) if name not in SMALL]
    targets = []
    for name in large:
        place = tmp_path / name
        place.mkdir()
        for file in (f"{name}.rules", "game.yaml"):
            shutil.copy(rules_folder() / name / file, place)
            kind = "rules" if file.endswith("rules") else "game"
            text = (place / file).read_text(encoding="utf-8")
            targets.append(Target(kind, place / file, text, (("check", "{}"),), place))
    troubles = Troubles()
    for seed in evidence.cases(CLAIM.format("large games"), full=500, slice=4):
        choice = random.Random(seed)
        target = choice.choice(targets)
        others = tuple(other.text for other in targets if other.kind == target.kind)
        content = mutated(target.text, others, choice, rules=target.kind == "rules")
        for trouble in door.troubles(target, content, choice):
            troubles.add(trouble, seed, target, content)
    troubles.report()


@examples(30_500)
@given(data=st.data())
def test_junk(data: st.DataObject, door: FrontDoor, evidence: Evidence) -> None:
    evidence.count(CLAIM.format("junk"))
    target = data.draw(st.sampled_from(door.targets))
    junk = data.draw(st.one_of(st.binary(max_size=300), st.text(max_size=300), st.text("{}[]:,-&*!|>'\"#%@ \n\tab1")))
    content = junk if isinstance(junk, bytes) else junk.encode("utf-8", "surrogatepass")
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(target.text)))
        content = target.text[:at].encode() + content + target.text[at:].encode()
    assert not list(door.troubles(target, content, random.Random(len(content))))


@examples(10_000)
@given(data=st.data())
def test_text_shaped_by_the_grammar(data: st.DataObject, door: FrontDoor, evidence: Evidence) -> None:
    """A whole rule file; or declarations that take the place of some of a real one, or stand below it."""
    evidence.count(CLAIM.format("texts of the grammar"))
    target = data.draw(st.sampled_from(door.of("rules")))
    names = tuple(sorted({word for word in WORD.findall(target.text) if word[0].isalpha()}))
    if data.draw(st.integers(0, 5)) == 0:
        text = data.draw(derived("start", names))
    else:
        parts = target.text.split("\n\n")
        at = data.draw(st.integers(1, len(parts)))
        parts[at : at + data.draw(st.integers(0, 1))] = data.draw(st.lists(derived("declaration", names), max_size=2))
        text = "\n\n".join(parts)
    assert not list(door.troubles(target, text.encode(), random.Random(len(text))))


def test_the_inputs_reach_every_stage(door: FrontDoor) -> None:
    """Some are not read, some not parsed, some are refused for their names, types or data, and some can be played."""
    codes: Counter[str] = Counter()
    for seed in range(150):
        choice = random.Random(seed)
        target = choice.choice(door.of("rules", "game", "variant", "scenario", "position"))
        codes.update(door.codes(target, changed(target, door, choice)))
    assert {"", "E1", "E2", "E3", "E4"} <= {code[:2] for code in codes}, codes


def test_a_case_is_the_same_whatever_came_before(door: FrontDoor) -> None:
    """What stands in the place of a node may be changed itself, but only in this one case."""
    target = door.of("scenario")[0]
    first = [changed_data(plain(target), random.Random(seed)) for seed in range(300)]
    assert [changed_data(plain(target), random.Random(seed)) for seed in range(300)] == first
