"""Rules that nobody would write, made at random: each is a game that passes `check`, or nearly always does.

They say nothing about any game. What they are for is that two back ends must come to the same, whatever the rules say:
numbers of all sizes and signs, formulas in one another, sets that run full and empty, rankings, latches, secret blocks.
"""

from __future__ import annotations

import random

EDGES = [0, 1, -1, 2, 3, 7, 127, 128, -128, 255, 256, 32_767, -32_769, 65_536, 2**31 - 1, -(2**31) - 1, 10**9, 2**40]
"""Numbers around which something changes: how many bytes they take, for one."""
CARDS = "[{value: 1, copies: 3}, {value: 2}, {value: 3, copies: 2}, {value: 4, copies: 9}]"


def literal(number: int) -> str:
    return str(number) if number >= 0 else f"(0 - {-number})"


class Program:
    """The text of one game. Names stand for what they hold: x0 is a number of the table, k0 a local one."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.made = 0
        self.locals: list[str] = []
        self.ranges = {f"x{n}": self.range() for n in range(5)}
        self.player = "p"

    # ------------------------------------------------------------ numbers

    def some(self) -> int:
        return self.random.choice([self.random.choice(EDGES), self.random.randint(-20, 20)])

    def range(self) -> tuple[int, int]:
        low, high = sorted((self.some(), self.some()))
        return low, high

    def new(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def within(self, number: str, low: int, high: int) -> str:
        """A number brought into a range; now and then it is left as it is, and may fail."""
        if self.random.random() < 0.02:
            return number
        return f"min(max({number}, {literal(low)}), {literal(high)})"

    def atom(self) -> str:
        owner = f"{self.player}."
        plain = [*self.ranges, *self.locals, f"{owner}own", f"{owner}score", f"size of {owner}hand", "size of deck"]
        plain += [f"rank of {self.player} in rich", f"tab[({self.random.choice(list(self.ranges))}) mod 4]"]
        return self.random.choice([*plain, literal(self.some()), literal(self.some())])

    def number(self, depth: int) -> str:
        choose = self.random.choice
        if depth == 0 or self.random.random() < 0.2:
            return self.atom()
        match self.random.randrange(8):
            case 0 | 1:
                return f"({self.number(depth - 1)} {choose('+-*')} {self.number(depth - 1)})"
            case 2 | 3:
                divisor = choose([literal(choose([1, 2, 3, 7, 8, 1000, -1, -5])), f"max({self.number(depth - 1)}, 1)"])
                return f"({self.number(depth - 1)} {choose(['/', 'mod'])} {divisor})"
            case 4:
                return f"{choose(['min', 'max'])}({self.number(depth - 1)}, {self.number(depth - 1)})"
            case 5:
                return f"({self.number(depth - 1)} if {self.condition(depth - 1)} else {self.number(depth - 1)})"
            case 6:
                return f"({choose(['sum of c.value for c', 'number of c'])} in {self.zone()} where {self.of_card()})"
        name = self.new("k")
        self.locals.append(name)
        body, where = self.number(depth - 1), self.condition(depth - 1)
        self.locals.remove(name)
        if self.random.random() < 0.3:
            return f"({choose(['highest', 'lowest'])} {body} for {name} in [1, 5, -2, 5])"
        return f"(sum of {body} for {name} in {self.domain()} where {where})"

    def condition(self, depth: int) -> str:
        choose = self.random.choice
        if depth > 0 and self.random.random() < 0.4:
            return choose(
                [
                    f"({self.condition(depth - 1)} {choose(['and', 'or'])} {self.condition(depth - 1)})",
                    f"(not ({self.condition(depth - 1)}))",
                    f"({self.number(depth - 1)} mod 7) in bag",
                    f"({choose(['some', 'every'])} c in {self.zone()} has {self.of_card()})",
                    choose(["wide", "rich_one"]),
                ]
            )
        signs = ["<", "<=", ">", ">=", "is", "is not"]
        return f"{self.number(max(depth - 1, 0))} {choose(signs)} {self.number(max(depth - 1, 0))}"

    def zone(self) -> str:
        return self.random.choice(["deck", f"{self.player}.hand", f"{self.player}.pile"])

    def of_card(self) -> str:
        return self.random.choice(["c.value > 2", "c.value mod 2 is 1", f"c.value <= {self.atom()}", "c in deck"])

    def domain(self) -> str:
        return self.random.choice(["1..3", "-2..2", "[1, 5, 5, 9]", "bag", "0..min(max(x0, 0), 5)"])

    # ------------------------------------------------------------ statements

    def block(self, depth: int, margin: int) -> list[str]:
        return [line for _ in range(self.random.randint(1, 4)) for line in self.statement(depth, margin)]

    def statement(self, depth: int, margin: int) -> list[str]:
        space, p, choose = "    " * margin, self.player, self.random.choice
        kinds = ["number", "own", "entry", "roll", "take", "draw", "add", "award", "ask", "clear", "all"]
        kinds += ["if", "for", "contest", "several"] * (depth > 0)
        match choose(kinds):
            case "number":
                name = choose(list(self.ranges))
                return [f"{space}{name} becomes {self.within(self.number(3), *self.ranges[name])}"]
            case "own":
                return [f"{space}{p}.own becomes {self.within(self.number(2), -9, 9)}"]
            case "entry":
                return [f"{space}tab[({self.number(1)}) mod 4] becomes {self.within(self.number(2), -300, 300)}"]
            case "roll":
                name = self.new("d")
                faces = choose(["1..6", "-3..3", "[2, 2, 9]", f"1..6 odds {name}"])
                return [f"{space}roll {name} from {faces}", f"{space}{p}.own becomes min(max({name}, -9), 9)"]
            case "take":
                name = self.new("c")
                where = self.of_card().replace("c.", f"{name}.").replace("c in", f"{name} in")
                moved = f"{space}    move {name} from deck to {p}.{choose(['hand', 'pile'])}"
                return [f"{space}{p} may choose {name} from deck where {where}", f"{space}if {name} is not none", moved]
            case "draw":
                drawn = f"{space}    draw {self.new('c')} from deck into {p}.{choose(['hand', 'pile'])}"
                return [f"{space}if size of deck > 0", drawn]
            case "add":
                return [f"{space}if size of bag < 5", f"{space}    add ({self.number(1)}) mod 7 to bag"]
            case "award":
                limit = choose(["", "", ", at least -50", ", at most 500"])
                return [f"{space}{p} gains {self.within(self.number(2), -40, 40)} score for {choose('ab')}{limit}"]
            case "ask":
                name = self.new("n")
                return [f"{space}{p} chooses {name} from -1..3 where {name} is not ({self.number(1)}) mod 5"]
            case "clear":
                return [f"{space}if not ({self.condition(1)})", f"{space}    clear bag"]
            case "all":
                return [f"{space}if {self.condition(1)}", f"{space}    move all {p}.{choose(['hand', 'pile'])} to deck"]
            case "if":
                lines = [f"{space}if {self.condition(2)}", *self.block(depth - 1, margin + 1)]
                return lines + ([f"{space}else", *self.block(depth - 1, margin + 1)] if choose([0, 1]) else [])
            case "for":
                name = self.new("i")
                self.locals.append(name)
                backwards = choose(["", " backwards"])
                lines = [f"{space}for each {name} in {self.domain()}{backwards}", *self.block(depth - 1, margin + 1)]
                self.locals.remove(name)
                return lines
            case "contest":
                self.player, place = self.new("p"), choose(["first", "second", "last"])
                sharing = choose(["", " alone", f" shared by {self.new('n')}"])
                lines = [f"{space}contest rich", f"{space}    {place} {self.player}{sharing}"]
                lines += self.block(depth - 1, margin + 2)
                self.player = p
                return lines
        several = f"{space}{p} chooses {choose(['up to 3', '0..2', 'up to 9'])} c from deck where {self.of_card()}"
        return [f"{several} into {p}.pile as {self.new('s')}"]

    # ------------------------------------------------------------ the whole

    def secret(self) -> list[str]:
        """What all do at once, each to what is their own."""
        card, number = self.new("c"), self.new("n")
        return [
            "    every player p secretly",
            f"        p chooses {number} from -3..3 where {number} is not p.own",
            f"        p.own becomes {number}",
            f"        p may choose {card} from p.hand",
            f"        if {card} is not none",
            f"            move {card} from p.hand to p.pile",
            f"        p chooses up to 2 from p.pile into p.hand as {self.new('s')}",
        ]

    def text(self) -> str:
        """The rules without header and winner."""
        numbers = "\n".join(f"    {name} : {low}..{high} = {low}" for name, (low, high) in self.ranges.items())
        play: list[str] = []
        for _ in range(2):
            play += ["    for each p in player", *self.block(3, 2)]
            play += self.secret() if self.random.random() < 0.5 else []
        play += ["    for each p in player", *self.block(3, 2)]
        key = self.random.choice(["p.own", "p.score", "size of p.hand", "p.own * x1", "sum of c.value for c in p.pile"])
        return f"""
table has
    deck : set of card = every card
    bag  : set of -9..9 up to 6
    tab[0..3] : -300..300
{numbers}

each player has
    score : -99999..99999
    own   : -9..9
    hand  : set of card
    pile  : set of card

item a
item b

value rich_one = some p in player has p.score > 40 and p.own > 0

ranking rich of p in player
    highest {key}
    then lowest p.own mod 3

latch wide when some p in player has p.own > 6

play
{chr(10).join(play)}
"""
