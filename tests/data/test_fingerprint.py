"""The hash of the rules: games with one hash are one program, whatever the number of players, but for places and texts.

Games that drop nothing have the hash that they have had since version 1 of the format: positions and transcripts carry
it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chocolatl.interpreter.analysis.pipeline import compile_game
from chocolatl.interpreter.data.fingerprint import canonical_json
from chocolatl.interpreter.data.model import GameFiles
from chocolatl.interpreter.diagnostics import Findings, Rejected
from chocolatl.interpreter.ir import nodes as ir
from chocolatl.interpreter.ir.equivalence import alike
from chocolatl.interpreter.play.library import load
from tests.conftest import Evidence
from tests.fuzzing.changes import Candidate, by_hand, candidate, confuse, drop, files_of, mutate, retell, shuffle
from tests.games import Table, paths, write_game

HASHES = {
    "blotto": "1afb0f8aea54150f82547f8ca4ec6d6675ebdff2b57559d5ee6c6fca24b8dfe2",
    "blotto/armistice": "9614c3ab69341cad945a40f45a0616342cffe64bcd9bd127f89880677da1e366",
    "blotto/skirmish": "ff0af97df40a8d58ada5c2e2a8ef50cbb73b235f4dc69a4443b34ead7db70218",
    "cacao": "3dbe7eebf2a7509a5bd404c14c98fed947b25bb7dbe67c07df03f8a466dbfc87",
    "cacao/board_game_arena": "8c0664a2ca6c33c3ab50b12ac9e4472a5a652ce03c14d040eb568bc52984869c",
    "cacao/early_overbuilding": "f4f34c608c8caad0ad8f8ff05bef79c3728220c8a632a922ef637011ddbf1047",
    "cacao/open_hands": "86cbd2a38d5dc374360287278d21baf53ca7feb771bcb0c335672e2d418b22e5",
    "chocolatl": "142f014a55c14c11b7bff4149e8d2115be598c11c9a97740280f39ec689be5bb",
    "chocolatl/always_gold": "332ee05f27cb9db056938a6d89d7fc2edac7c7be77f6aa6aa55065e7d3a96009",
    "chocolatl/always_green": "07120cd43ffb5d51262d09bc809397af42dbc06b17e58816d8aa7eaf01843a62",
    "chocolatl/always_red": "cb820dd2697cc824f5d05c3a222b0c5b4b82ab3b18ec8466f417a3030c96204c",
    "chocolatl/dutch": "8edc0171577bd2a02c1530c5ef3c4e5b0be636a404d8dfd669deb4e0439cfacb",
    "chocolatl/five_rounds": "cb72e346b0e612fef1c1817da2bcbe3a837b2f61c2acd17d12b2d3ffdb0eca7d",
    "chocolatl/french": "9b3e068c29f30cfd36baa376fcf1772fd4f2a489efadded0364fcc1d78ffa2c2",
    "chocolatl/three_row_pyramid": "0a8369bed4cf2eb00afe57c5347556c889574c16a2428afdbfdcc4bb1f79cc76",
    "goofspiel": "6e36d4568275df87323036c40bd7ab9ecb0dd5895a0ebfc7089e5c6406de0cd0",
    "goofspiel/carry": "538abea3b8da326dc4baa72b87872903a4e07ccc6214bcda60b48dad0b71b1c7",
    "goofspiel/lowest_bid": "f92b59dcbda361a0633e9e756dbfe2d19021d86c79da5dbed498afcb4217344b",
    "goofspiel/short": "89f03a6ba513e927b37c275a1b339e20b8793bc25820fe9bb40003e1763c544d",
    "kuhn_poker": "c2594f5d14c4c1f3d6f0b2c07237a5f2e3e91225a678ec1bf82ca2b0b0a2bf43",
    "kuhn_poker/dear": "973679c551924b4db1384596ea1f33eadc319c0156d1b1a1c2c7e29a2b139428",
    "kuhn_poker/misere": "47b341ed6fbab9eadc17cb3c26eb12cdfbd2f96d2f01fb7dae7ac86c67b3a279",
    "quetzal": "aef3832b9730c2c77da9b0889aafeef811f43e11ea5cd0c04c86cea4fec50765",
    "quetzal/italian_preview": "db88994b4750763ee5c16705c7dfca3ad044c0ec95b2976088ce52ca5deabd4c",
    "quetzal/short": "a0b576f5c02b32822cfd343dcebe1f03d6eeee881f9bfe3f4942edcfcdbee0be",
}
"""Of all shipped games and variants that drop nothing."""


def codes(files: GameFiles) -> list[ir.GameRules | None]:
    """The IR for each number of players."""
    return [compile_game(files, count, Findings()) for count in range(files.minimum, files.maximum + 1)]


def are_one(one: GameFiles, other: GameFiles) -> bool:
    """Whether two games are one program, but for places and texts."""
    pairs = zip(codes(one), codes(other), strict=True)
    return all(a is b is None or (a and b and alike(a, b, texts=False)) for a, b in pairs)


def test_games_that_drop_nothing_keep_their_hash() -> None:
    found, dropping = {}, []
    for game, variant in paths():
        files = files_of(Table(game, variant, 0).path)
        assert files is not None
        name = f"{game}/{variant}" if variant else game
        if files.dropped:
            dropping.append(name)
        else:
            found[name] = files.rules_hash
    assert found == HASHES and len(dropping) == 3


# ---------------------------------------------------------------- what is dropped

HARBOUR = """\
language 1
game harbour

item luck
item work

enum site = quay, inn{mill}

table has
    here : site = quay
    mill : site = quay

each player has
    score : 0..9

play
    if here is mill
        for each p in player
            p gains 5 score for luck
    for each p in player
        p chooses x from 1..2
        p gains x score for work

winner p
    highest p.score
"""
DATA = "kind: game\nformat: 1\nname: harbour\ntitle: Harbour\nplayers: {min: 2, max: 3}\n"
DROPPING = "kind: variant\nformat: 1\nextends: harbour\ntitle: Small\nwhy: It is small.\ndrop: {site: [mill]}\n"


def harbour(root: Path, mill: str, **variants: str) -> Path:
    folder = root / "harbour"
    (folder / "variants").mkdir(parents=True)
    (folder / "harbour.rules").write_text(HARBOUR.format(mill=mill), encoding="utf-8")
    (folder / "game.yaml").write_text(DATA, encoding="utf-8")
    for name, text in variants.items():
        (folder / "variants" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_a_dropped_member_is_not_a_field_of_that_name(tmp_path: Path) -> None:
    """Nothing is a mill where the mill was dropped; where there never was one, `mill` is the field."""
    dropping = load(harbour(tmp_path / "one", ", mill", small=DROPPING) / "variants" / "small.yaml", 2)
    other = load(harbour(tmp_path / "two", ""), 2)
    assert not alike(dropping.ir, other.ir, texts=False)
    assert dropping.files.rules_hash != other.files.rules_hash


def test_the_hash_sees_what_is_dropped_and_not_in_which_order(tmp_path: Path) -> None:
    both = DROPPING.replace("[mill]", "[inn, mill]")
    folder = harbour(
        tmp_path,
        ", mill",
        first=DROPPING,
        both=both,
        other=both.replace("inn, mill", "mill, inn"),
        later=DROPPING.replace("harbour\n", "harbour/first\n").replace("mill", "inn"),
    )
    hashes = []
    for name in ("first", "both", "other", "later"):
        files = files_of(folder / "variants" / f"{name}.yaml")
        assert files is not None and files.dropped
        hashes.append(files.rules_hash)
    assert hashes[0] != hashes[1] == hashes[2] == hashes[3]


def test_what_a_later_variant_brings_back_is_not_dropped(tmp_path: Path) -> None:
    back = "kind: variant\nformat: 1\nextends: harbour/small\ntitle: Whole\nwhy: It is back.\nreplace:\n"
    back += "  site: enum site = quay, inn, mill\n"
    folder = harbour(tmp_path, ", mill", small=DROPPING, whole=back)
    whole, again = files_of(folder), files_of(folder / "variants" / "whole.yaml")
    assert whole is not None and again is not None
    assert not again.dropped and again.rules_hash == whole.rules_hash and are_one(whole, again)


# ---------------------------------------------------------------- data


def test_a_number_as_a_key_is_no_text(tmp_path: Path) -> None:
    """A card may be called 1 by its only attribute, and another one by its name."""
    cards = '[{value: 1}, {value: 2, name: "1"}]'
    rules = "item luck\n\neach player has\n    score : 0..9\n\nplay\n    for each p in player\n"
    rules += "        for each c in card\n            p gains worth[c] score for luck\n"
    variant = 'kind: variant\nformat: 1\nextends: small\ntitle: Two\nwhy: Two.\nset: {worth: {"1": 7}}\n'
    found = []
    for number in (5, 6):
        folder = write_game(
            tmp_path / str(number), rules, cards, f"tables: {{worth: {{index: card, value: {{1: {number}}}}}}}"
        )
        (folder / "two.yaml").write_text(variant, encoding="utf-8")
        found.append(load(folder / "two.yaml", 2))
    assert not alike(found[0].ir, found[1].ir, texts=False)
    assert found[0].files.rules_hash != found[1].files.rules_hash
    keys: tuple[Any, ...] = (1, "1", '"1"', -1, "-1", "01", "x", '"x"', "\\")
    assert len({canonical_json({key: 0}) for key in keys}) == len(keys)
    assert canonical_json({1: {"quay": [True, 1, None]}}) == '{"1":{"quay":[true,1,null]}}'


@pytest.mark.parametrize("entries", ["{1: true, 2: 5}", "{2: 5, 1: true}", "[true, 5]", "[5, null, false]"])
def test_a_table_holds_numbers_or_truths(tmp_path: Path, entries: str) -> None:
    """What comes first in a map is no part of the hash, and decides nothing."""
    rules = "each player has\n    score : 0..9\n\nplay\n    nothing"
    with pytest.raises(Rejected, match="table `worth` mixes numbers with `true` or `false`"):
        load(write_game(tmp_path, rules, more=f"tables: {{worth: {{value: {entries}}}}}\n"), 2)


def test_the_order_of_parameters_is_no_part_of_the_program(tmp_path: Path) -> None:
    rules = "each player has\n    score : 0..9\n\nplay\n    nothing"
    parameters = ["tie: {value: carry, options: [carry, discard]}", "end: {value: soon, options: [late, soon]}"]
    one, other = (
        load(write_game(tmp_path / str(n), rules, more=f"parameters: {{{', '.join(listed)}}}\n"), 2)
        for n, listed in enumerate((parameters, parameters[::-1]))
    )
    assert one.files.rules_hash == other.files.rules_hash and alike(one.ir, other.ir)


# ---------------------------------------------------------------- any change


CHANGES: tuple[Callable[[Candidate, random.Random], None], ...] = (mutate, retell, shuffle, confuse, drop)


def test_games_with_one_hash_are_one_program(tmp_path: Path, evidence: Evidence) -> None:
    compared = 0
    for seed in evidence.cases("games with one hash are one program", full=10_000, slice=40):
        choice = random.Random(seed)
        game = candidate(tmp_path, choice)
        change = CHANGES[seed % len(CHANGES)]
        if change is drop:
            drop(game, choice)
            first, second = game.files(), by_hand(game)
        else:
            first = game.files()
            change(game, choice)
            second = game.files()
        shutil.rmtree(game.folder)
        if first is not None and second is not None and first.rules_hash == second.rules_hash:
            compared += 1
            assert are_one(first, second), f"{change.__name__} of {game.path}"
    assert compared > 0
    evidence.count("of which had one hash and were compared", compared)
