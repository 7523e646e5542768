"""What `chocolatl train` does with a policy that is there: it measures how much it can be exploited (`--measure`), and
tells what it likes to do (`--explain`)."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.shared.errors import UsageError

if TYPE_CHECKING:  # imported when the command runs
    from chocolatl.interpreter.formats.policy_file import Section
    from chocolatl.interpreter.learning.leanings import Leaning
    from chocolatl.interpreter.play.game import Game


def measure(arguments: argparse.Namespace) -> int:
    """Measure each section that has weights, and write down what was found."""
    from chocolatl.interpreter.formats.policy_file import write_section
    from chocolatl.interpreter.formats.policy_weights import WrongPolicy, section_weights
    from chocolatl.interpreter.learning.best_responses import ResponseMeasure, recipe_for
    from chocolatl.interpreter.learning.tracing import tracer_of
    from chocolatl.interpreter.policy.building import form_of
    from chocolatl.interpreter.terminal.output.console import show_lines
    from chocolatl.interpreter.terminal.reports.learning import learning_shown
    from chocolatl.interpreter.terminal.reports.policies import exploited

    path, told = arguments.measure, []
    for game, section in _sections(path, arguments):
        if "weights" in section:
            form = form_of(game.ir)
            try:
                weights = section_weights(form, section)
            except WrongPolicy as error:
                raise UsageError(f"--measure: {path}: {error}") from None
            recipe = recipe_for(section)
            if arguments.updates is not None:
                recipe = replace(recipe, updates=arguments.updates)
            jobs = arguments.jobs or os.cpu_count() or 1
            with learning_shown() as progress:
                found = ResponseMeasure(
                    weights, game.player_count, recipe, tracer_of(game, form), jobs, progress
                ).section()
            section["exploitability"] = {**section.get("exploitability", {}), **found}
            write_section(path, game, section)
        told.append(_measured(game, section))
        if not arguments.json:
            lines = (f"  {line}" for line in exploited(section, game.player_count))
            show_lines([f"{game.files.name}, {_players(game)}:", *lines])
    if arguments.json:
        print(json.dumps({"policies": told}, indent=2))
    return 0


def _measured(game: Game, section: Section) -> dict[str, Any]:
    return {
        "game": game.files.name, "players": game.player_count, "strength": section.get("strength", {}),
        "exploitability": section.get("exploitability"),
    }  # fmt: skip


def _players(game: Game) -> str:
    return f"{game.player_count} player{'s' if game.player_count > 1 else ''}"


def _sections(path: Path, arguments: argparse.Namespace) -> list[tuple[Game, Section]]:
    """The sections of a file that are asked for, each with its game, for whose rules it was learned."""
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.formats.policy_file import load_sections, read_policy
    from chocolatl.interpreter.play.library import load

    findings = Findings()
    policy = read_policy(path, findings)
    findings.reject_errors()
    assert policy is not None
    where = arguments.game
    if where is None:
        where = str(path.parent) if (path.parent / "game.yaml").exists() else policy.document.value["game"]
    asked = sorted(policy.sections) if arguments.players is None else [arguments.players]
    found = []
    for count in asked:
        game = load(find_game(where), count)
        sections = load_sections(path, game)
        if count not in sections:
            there = ", ".join(map(str, sorted(sections)))
            raise UsageError(f"{path}: this policy is for {there} players, not for {count}")
        if sections[count]["rules"] != game.files.rules_hash:
            raise UsageError(
                f"{path}: the policy for {count} players was learned for other rules than those of `{where}`"
            )
        found.append((game, sections[count]))
    return found


def explain(arguments: argparse.Namespace) -> int:
    """What each section likes to do, in words, and as a picture if one is asked for."""
    from contextlib import ExitStack

    from chocolatl.interpreter.formats.files import writing
    from chocolatl.interpreter.terminal.output.console import show_lines
    from chocolatl.interpreter.terminal.reports.leanings import as_json, drawn, table_words, words
    from chocolatl.interpreter.terminal.reports.policies import exploited

    path = arguments.explain
    sections = _sections(path, arguments)
    if arguments.plot is not None and len(sections) > 1:
        raise UsageError("--plot draws one policy: say for how many players with --players")
    told = []
    with ExitStack() as stack:
        plot = stack.enter_context(writing(arguments.plot)) if arguments.plot is not None else None
        for game, section in sections:
            leanings = _leanings(path, game, section, arguments.seed or 0)
            told.append({**_measured(game, section), "leanings": as_json(leanings)})
            title = f"{game.files.title}, {_players(game)}: what the policy likes to do"
            if plot is not None:
                plot.write(drawn(title, leanings, game.has_rounds))
            if not arguments.json:
                known = exploited(section, game.player_count)
                exact = [*table_words(section["table"]), ""] if "table" in section else []
                show_lines([title, *known, "", *words(leanings, game.has_rounds), "", *exact])
    if arguments.json:
        print(json.dumps({"policies": told}, indent=2))
    return 0


def _leanings(path: Path, game: Game, section: Section, seed: int) -> list[Leaning]:
    from chocolatl.interpreter.formats.policy_weights import WrongPolicy, section_weights
    from chocolatl.interpreter.learning import leanings
    from chocolatl.interpreter.learning.tracing import tracer_of
    from chocolatl.interpreter.players.tabular import TabularPolicy, WrongTable
    from chocolatl.interpreter.policy.building import form_of

    try:
        if "table" in section:
            table = TabularPolicy.read(game, section["table"])
            return leanings.leanings_of_table(game, table, seed, leanings.OF_TABLES)
        form = form_of(game.ir)
        weights = section_weights(form, section)
        return leanings.leanings_of_weights(game, weights, tracer_of(game, form), seed, leanings.GAMES)
    except (WrongPolicy, WrongTable) as error:
        raise UsageError(f"{path}: {error}") from None
