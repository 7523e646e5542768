"""Commands in which faults are injected, with the files that they find and those that they write.

Together they come to every site of the program, but for those that `UNREACHED` gives a reason for.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.games import HALF_OPEN

SIMULATE = "simulate goofspiel/short --players 2 --games 20"
ORPHAN = ".t.jsonl.0123456789ab.chocolatl.tmp"

MATERIAL = {
    "short.yaml": "deal goofspiel/short --players 2 --seed 1 -o short.yaml",
    "bids.yaml": "deal blotto --players 2 --seed 1 -o bids.yaml",
    "half.yaml": "deal small --players 2 --seed 1 -o half.yaml",
    "short.jsonl": f"{SIMULATE} --games 1 --engine interpreter --transcripts short.jsonl",
    "kuhn.jsonl": "simulate kuhn_poker --players 2 --games 2 --seed 3 --engine interpreter --transcripts kuhn.jsonl",
}
"""Files that commands begin with, and how they are made."""

HEAD = "kind: game\nformat: 1\nname: {0}\ntitle: Game\nplayers: {{min: 2, max: 2}}\n"
WINNER = "\nwinner p\n    highest p.score\n"
SMALL = f"language 1\ngame small\n\ncomponent card (value)\n\n{HALF_OPEN}{WINNER}"
TINY = """\
language 1
game   tiny

item winnings

each player has
    score   : 0..9

play
    roll dice from 1..6
    for each p in player
        p gains 1 score for winnings
"""

Files = tuple[tuple[str, str], ...]

STAGES: Files = (
    ("small/game.yaml", HEAD.format("small") + "components:\n  card: {kinds: {value: 1..4}}\n"),
    ("small/small.rules", SMALL),
)


def tiny(old: str = "", new: str = "", winners: str = "") -> Files:
    """A small game that is not in canonical layout, with scenarios about its winners, if they are named."""
    game = ("tiny/game.yaml", HEAD.format("tiny")), ("tiny/tiny.rules", TINY.replace(old, new) + WINNER)
    scenario = "kind: scenario\nformat: 1\nname: Dice\ngame: ../../tiny\nwhen:\n- {chance: dice, value: 3}\n"
    scenario += f"then:\n  winners: {winners}\n"
    return (*game, *((f"tiny/scenarios/{name}.yaml", scenario) for name in ("a", "b") if winners))


OLD = "old\n"
WRONG, RIGHT = "[p1]", "[p1, p2]"


@dataclass(frozen=True)
class Command:
    """What is typed, what is there before, and which files may be there afterwards: as before, or new and whole."""

    words: str
    files: tuple[tuple[str, str], ...] = ()
    material: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    sweeps: tuple[str, ...] = ()
    typed: str = ""
    closed: tuple[str, ...] = ()
    code: int = 0
    cold: bool = False
    """Whether native code has to be compiled."""
    quick: bool = False
    """Whether its faults are tried in every run of the tests."""

    @property
    def group(self) -> str:
        name = self.words.split()[0]
        return name if name in GROUPS else OTHERS


DEAL = "deal goofspiel --players 2 --seed 1"
GROUPS, OTHERS = ("simulate", "solve", "fmt", "play", "deal"), "others"
BOTH = (("t.jsonl", OLD), ("p.svg", OLD))

COMMANDS = (
    # ------------------------------------------------------------ simulate
    Command(f"{SIMULATE} --transcripts t.jsonl --plot p.svg --jobs 2 --json", BOTH, writes=("t.jsonl", "p.svg")),
    Command(f"{SIMULATE} --plot p.svg --jobs 2", (("p.svg", OLD),), writes=("p.svg",), cold=True),
    Command(
        f"{SIMULATE} --transcripts t.jsonl --plot p.svg --jobs 1 --engine interpreter",
        BOTH,
        writes=("t.jsonl", "p.svg"),
        quick=True,
    ),
    Command("simulate --from short.yaml --players 2 --games 5 --jobs 1", material=("short.yaml",)),
    Command(
        "simulate tiny --players 2 --games 5 --failed f.jsonl",
        tiny("gains 1 ", "gains 10 "),
        writes=("f.jsonl",),
        code=1,
    ),
    Command(f"{SIMULATE} --transcripts /dev/null --jobs 1"),
    Command("simulate blotto --players greedy,random --games 1 --jobs 1"),
    Command("simulate chocolatl --players greedy,random,random --games 1 --jobs 1"),
    # ------------------------------------------------------------ solve
    Command("solve short.yaml --player p1 --scenarios 4 --samples 4 --json", material=("short.yaml",)),
    Command(
        "solve bids.yaml --player p1 --scenarios 4 --samples 4 --explain --plot p.svg",
        (("p.svg", OLD),),
        material=("bids.yaml",),
        writes=("p.svg",),
        quick=True,
    ),
    Command("solve bids.yaml --player p1 --scenarios 4 --samples 4 --engine enumeration", material=("bids.yaml",)),
    Command("solve short.yaml --player p1 --engine sampling --samples 4", material=("short.yaml",)),
    Command("solve short.yaml --player p1 --scenarios 4 --samples 4 --compare bid=1", material=("short.yaml",)),
    Command(
        "solve half.yaml --player p1 --scenarios 8 --samples 4 --engine enumeration", STAGES, material=("half.yaml",)
    ),
    # ------------------------------------------------------------ fmt
    Command(
        "fmt tiny",
        (*tiny(), ("tiny/other.rules", TINY + WINNER)),
        writes=("tiny/tiny.rules", "tiny/other.rules"),
        quick=True,
    ),
    Command("fmt tiny --diff", tiny()),
    Command("fmt -", typed=TINY + WINNER),
    # ------------------------------------------------------------ play and deal
    Command(
        "play goofspiel/short --players you,random --seed 1 --save left.yaml",
        (("left.yaml", OLD), ("kept.yaml", OLD)),
        writes=("left.yaml", "kept.yaml"),
        typed="look\nhelp\nnonsense\n1\nundo\n1\nsave kept.yaml\n2\nquit\n",
    ),
    Command(
        "play goofspiel/short --players you,you --seed 1",
        writes=("goofspiel.position.yaml",),
        typed="1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n",
    ),
    Command(
        "play kuhn_poker --players you,random --seed 1",
        writes=("kuhn_poker.position.yaml",),
        typed="bet\nbet\n",
        quick=True,
    ),
    Command(
        "play kuhn_poker --players you,random --seed 1 --save left.yaml", writes=("left.yaml",), typed="hint\nquit\n"
    ),
    Command("play quetzal --players you,random --seed 1 --save left.yaml", writes=("left.yaml",)),
    Command(f"{DEAL} -o d.yaml", (("d.yaml", OLD),), writes=("d.yaml",), quick=True),
    Command(f"{DEAL} -o d.yaml --board", writes=("d.yaml",)),
    Command(DEAL),
    Command(f"{DEAL} -o d.yaml", ((ORPHAN, "left"),), writes=("d.yaml",), sweeps=(ORPHAN,), quick=True),
    Command(DEAL, closed=("stdin", "stdout", "stderr"), code=2),
    # ------------------------------------------------------------ the others
    Command("--help"),
    Command("--version"),
    Command("deal --help"),
    Command("check tiny --format json", tiny("gains", "gets"), code=1),
    Command("check tiny --format sarif", tiny("gains", "gets"), code=1),
    Command("check tiny --format github", tiny("gains", "gets"), code=1),
    Command("check tiny", tiny("gains", "gets"), code=1),
    Command("completion bash"),
    Command("explain"),
    Command("explain E101"),
    Command("dump goofspiel --stage tree"),
    Command("dump goofspiel --stage ir"),
    Command("dump goofspiel --stage assembly"),
    Command("dump short.yaml --stage position", material=("short.yaml",)),
    Command("replay kuhn.jsonl", material=("kuhn.jsonl",)),
    Command("replay kuhn.jsonl --json", material=("kuhn.jsonl",)),
    Command("replay kuhn.jsonl --tell --board", material=("kuhn.jsonl",)),
    Command("replay kuhn.jsonl --stop-after 1 --board", material=("kuhn.jsonl",)),
    Command("replay kuhn.jsonl --stop-after 3 --board", material=("kuhn.jsonl",)),
    Command("replay short.jsonl --stop-after 1 --board", material=("short.jsonl",)),
    Command(
        "test tiny --junit j.xml --coverage --coverage-page c.html --jobs 2",
        tiny(winners=WRONG),
        writes=("j.xml", "c.html"),
        code=1,
    ),
    Command("test tiny --json", tiny(winners=WRONG), code=1),
    Command("mutate tiny --json", tiny(winners=RIGHT), code=1),
    Command("train tiny --updates 2 -o p.yaml", tiny(), writes=("p.yaml",)),
    Command("train kuhn_poker --players 3 --updates 1 --jobs 2 -o p.yaml --json", writes=("p.yaml",)),
    Command("mutate tiny --jobs 2 --at-least 10", tiny(winners=RIGHT)),
)

SIGNAL, AFTERWARDS = "only after a signal: see test_process.py", "only after another failure"
TERMINAL = "only on a terminal"
UNREACHED = {
    "interpreter/testing/mutation.py <lambda>: shutil.rmtree": SIGNAL,
    "interpreter/system/atomic.py <lambda>: os.unlink": SIGNAL,
    "interpreter/system/atomic.py replacing: os.unlink": AFTERWARDS,
    "interpreter/simulation/workers.py _serve: pipe.send": AFTERWARDS,
    "interpreter/simulation/workers.py _serve: pipe.recv": AFTERWARDS,
    "interpreter/native/llvm/private.py <lambda>: os.unlink": SIGNAL,
    "interpreter/native/llvm/private.py put: os.unlink": AFTERWARDS,
    "interpreter/native/llvm/private.py prune: os.unlink": "only where there are more than a hundred files",
    "interpreter/native/builds/questions.py name: ctypes.c_int64 * max(1, len(self.node.in": (
        "only of a choice without an answer"
    ),
    "interpreter/syntax/tables.py module: FILE.write_text": "only when the parser's tables are made, by developers",
    "interpreter/native/llvm/cache.py _key: os.unlink": "only where somebody has cut or read the key",
    "interpreter/terminal/reports/findings.py print_findings: console.print": TERMINAL,
    "interpreter/commands/solve.py _progress: print": TERMINAL,
}
"""Sites that no command comes to, with the reason."""
