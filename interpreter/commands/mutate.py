"""`chocolatl mutate`: changes of the rules that no scenario notices."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from chocolatl.interpreter.commands.shared.errors import UsageError
from chocolatl.interpreter.commands.shared.numbers import jobs, positive
from chocolatl.interpreter.system.escaping import one_line

if TYPE_CHECKING:  # imported when the command runs: its help should not wait for the engine
    from chocolatl.interpreter.data.model import GameFiles
    from chocolatl.interpreter.testing.mutation import MutantVerdict

EPILOG = """\
Every line of the rules and every number of game.yaml is changed in small ways: a number, a comparison, an order, a
place, a tie-break or a statement that is left out. A change that `check` refuses or that makes a scenario fail is
killed. The others survive: they are listed, each with the beginning of a scenario that could notice it; give it a state
and events, and let `chocolatl test --update` write what comes.

Exit code: 0 enough are killed (--at-least, by default all); 1 not enough; 2 wrong usage, or rules that fail `check`.

examples:
  chocolatl mutate {game} --sample 20 --at-least 50
  chocolatl mutate {game} --sample 10 --seed 3 --at-least 50 --json
"""

FINE, NO = 0, 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.add_argument("game", metavar="GAME", help="a game: a folder or a name")
    parser.add_argument("--sample", metavar="N", type=positive, help="only so many mutants, chosen at random")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="the seed of the choice (default 0)")
    parser.add_argument("--jobs", metavar="J", type=jobs, default=1, help="how many processes (default 1)")
    parser.add_argument("--at-least", metavar="PERCENT", type=positive, default=100, help="how many must be killed")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(arguments: argparse.Namespace) -> int:
    from chocolatl.interpreter.data.find import find_game
    from chocolatl.interpreter.data.load import load_game
    from chocolatl.interpreter.diagnostics import Findings
    from chocolatl.interpreter.testing.mutation import SAME, mutate
    from chocolatl.interpreter.testing.suite import scenarios_in

    folder = find_game(arguments.game)
    if folder.is_file():
        raise UsageError(f"{arguments.game} is a variant; the scenarios are those of its game")
    findings = Findings()
    files = load_game(folder, findings)
    findings.reject_errors()
    assert files is not None
    if not any(True for _ in scenarios_in(folder)):
        raise UsageError(f"{arguments.game}: there is no scenario in this folder")
    verdicts = []
    for verdict in mutate(folder, arguments.sample, arguments.seed, arguments.jobs):
        if verdict.fate != SAME:
            verdicts.append(verdict)
            if not arguments.json and verdict.survived:
                _print_survivor(verdict, files)
    killed = sum(not verdict.survived for verdict in verdicts)
    share = 100 * killed / len(verdicts) if verdicts else 100.0
    if arguments.json:
        print(json.dumps(_as_json(verdicts, killed, share), indent=2))
    else:
        print(f"{killed} of {len(verdicts)} mutants killed ({share:.1f} %), {len(verdicts) - killed} survived")
    return FINE if share >= arguments.at_least else NO


def _print_survivor(verdict: MutantVerdict, files: GameFiles) -> None:
    from chocolatl.interpreter.testing.mutation import stub

    print(one_line(f"{verdict.mutant}, and no scenario noticed"))
    print("".join(f"    {line}\n" for line in stub(verdict.mutant, files.rules, files.name).split("\n")[2:-1]))
    sys.stdout.flush()


def _as_json(verdicts: list[MutantVerdict], killed: int, share: float) -> dict[str, Any]:
    return {
        "mutants": len(verdicts),
        "killed": killed,
        "share": round(share, 2),
        "survivors": [
            {
                "file": verdict.mutant.span.source.name,
                "line": verdict.mutant.line,
                "old": verdict.mutant.old,
                "new": verdict.mutant.new,
            }
            for verdict in verdicts
            if verdict.survived
        ],
    }
