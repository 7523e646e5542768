"""Common mistakes and what to say about them: labelled examples of wrong text (errors by example).

Each example is run through the parser once. A text that fails in the same state of the parser at the same kind of token
gets the label of the example. Signs and words of other languages are told by their spelling. A new mistake is added
here, as a line with its label; the tests run every example.
"""

from __future__ import annotations

import re
from functools import cache

from lark import UnexpectedToken

from chocolatl.interpreter.syntax.grammar import grammar, vocabulary
from chocolatl.interpreter.syntax.words import DECLARATION

_LAST_WORD = re.compile(r"[A-Za-z_]+[ \t]*\Z")

SIGNS: tuple[tuple[str, str], ...] = (
    (r"==", "to compare, write `is`"),
    (r"!=|<>|≠", "to say that two things differ, write `is not`"),
    (r"≤", "write `<=`"),
    (r"≥", "write `>=`"),
    (r"\+=|\+\+", "write `p gains 1 coins`, or `x becomes x + 1`"),
    (r"-=|--", "write `p loses 1 coins`, or `x becomes x - 1`"),
    (r"[*/]=|:=", "to change something, write `becomes`"),
    (r"&&?", "write `and`"),
    (r"\|\|?", "write `or`"),
    (r"!", "write `not`"),
    (r"%", "for the rest of a division write `mod`"),
    (r":\s*$", "blocks need no colon: the next lines are indented"),
    (r"\.\.\.", "a range has two dots, as in `0..9`"),
    (r";", "a statement ends with its line"),
    (r"[“”„‟«»]", 'texts stand between straight quotation marks, "like this"'),
    (r"['‘’`]", 'texts stand between double quotation marks, "like this"'),
    (r"//|/\*", "a comment begins with `#`"),
    (r"[×·]", "write `*`"),
    (r"÷", "write `/`"),
    (r"[–—−]", "write `-`"),
    ("\u00a0", "this is a space that does not break lines; write an ordinary one"),
    (r"[^\x00-\x7f]", "names are made of the letters a to z, digits and `_`"),
)
"""How a sign begins where the parser stopped, and what to write."""

SURE_SIGNS: dict[str, str] = {
    "==": "is", "!=": "is not", "<>": "is not", "≠": "is not", "≤": "<=", "≥": ">=", "&": "and", "&&": "and", "|": "or",
    "||": "or", "%": "mod", ":": "", ";": "", "...": "..", "×": "*", "·": "*", "÷": "/", "–": "-", "—": "-", "−": "-",
    "\u00a0": " ", "“": '"', "”": '"', "„": '"', "‟": '"', "//": "#",
}  # fmt: skip
"""Signs for which there is one thing to write. A colon or semicolon goes where it ends a line."""

FIRST_WORDS: dict[str, str] = {
    "while": "write `repeat until ..., at most N times`",
    "loop": "write `repeat until ..., at most N times`",
    "until": "write `repeat until ..., at most N times`",
    "foreach": "write `for each`",
    "elif": "write `else if`",
    "elseif": "write `else if`",
    "elsif": "write `else if`",
    "otherwise": "write `else`",
    "unless": "write `if not`",
    "def": "a named piece of play is a `procedure`, a formula is a `value`",
    "function": "a named piece of play is a `procedure`, a formula is a `value`",
    "return": "a `value` is its formula; a `procedure` gives nothing back",
    "var": "write `let x = 3`, or declare a field below `table has`",
    "set": "to change something, write `x becomes 3`",
    "call": "write `do`",
    "delete": "write `remove x from S`",
    "insert": "write `add x to S`",
    "break": "write `stop when` and a condition",
    "choose": "say who chooses, as in `p chooses card from p.hand`",
    "chooses": "say who chooses, as in `p chooses card from p.hand`",
    "pass": "where nothing is to be done, write `nothing`",
    "parameter": "parameters stand in game.yaml",
    "players": "the number of players stands in game.yaml",
    "import": "a game is one rule file; a variant changes it",
}
"""What other languages begin a line with."""

SURE_WORDS = {
    "foreach": "for each", "elif": "else if", "elseif": "else if", "elsif": "else if", "otherwise": "else",
    "call": "do", "pass": "nothing",
}  # fmt: skip
"""First words for which there is one thing to write."""

NAMES: dict[str, str] = {
    "true": "write `yes`",
    "false": "write `no`",
    "null": "write `none`, or `nobody` for a player",
    "nil": "write `none`, or `nobody` for a player",
    "equals": "write `is`",
    "isnt": "write `is not`",
    "players": "write `player_count` for their number, `player` for all of them",
    "current_player": "name a player where the turn begins, as in `for each p in player`",
}
"""What other languages call things that have another name here."""

MISPLACED: dict[str, str] = {
    "then": "what is done stands in the next lines, indented",
    "do": "what is done stands in the next lines, indented",
    "at": "put a comma before `at most`",
    "strict": "put a comma before `strict`",
    "until": "a loop is left early by `stop when` in its block",
}
"""Words of the language that stand where they do not belong, and why they may do so."""

EXAMPLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "to change something, write `becomes`; for a new name write `let`",
        ("  coins = 3", "  p.coins = 3", "  p.bid[1] = 3"),
    ),
    (
        "to compare, write `is`",
        (
            "  if coins = 3", "  if p.coins = 3", "  stop when p.bid[1] = 3",
            "  x becomes 1 if a = b else 2", "  if (a = b)", "  if a and b = c",
            "latch l when a = b", "  do a(b = c)", "  p chooses x from y where a = b",
        ),
    ),
    (
        "compare two at a time, as in `a < b and b < c`",
        ("  if a < b < c", "  if a is b is c", "  if a is b < c", "  if a < b is c"),
    ),
    (
        "put it into brackets, as in `1 + (sum of c.value for c in p.hand)`",
        (
            "  x becomes 1 + sum of a for a in b", "  x becomes 1 + number of a in b",
            "  x becomes 1 + highest a for a in b", "  if 1 < number of a in b",
            "  if 1 is sum of a for a in b", "  if a and number of a in b > 1",
            "  p gains number of a in b coins", "  p gains sum of a for a in b coins",
            "  if not number of a in b", "  x becomes 2 * sum of a for a in b",
        ),
    ),
    (
        "close the bracket around it, as in `(number of q in player where q.bid is p.bid) is 1`",
        ("  if number of a in b > 1", "  if sum of a for a in b > 1"),
    ),
    (
        "`number of` needs a name for each, as in `number of p in player`; what lies in a set is counted by `size of`",
        ("  x becomes number of p.hand", "  x becomes number of hand\n", "value v = number of hand"),
    ),
    (
        "say of what, as in `sum of c.value for c in p.hand`",
        ("  x becomes sum of p.hand", "value v = sum of a", "value v = highest a.b"),
    ),
    (
        "in a formula the condition comes second, as in `3 if p.rich else 1`",
        ("  x becomes if a then b else c", "value v = if a then b else c", "  let x = if a then b"),
    ),
    ("a formula with `if` needs its `else`", ("  x becomes 1 if a", "value v = 1 if a", "value v = 1 if a is b")),
    (
        "what is done stands in the next lines, indented",
        (
            "  if a then x becomes 1", "  if a x becomes 1", "  if a\n    nothing\n  else x",
            "  for each p in player do x", "play do x", "procedure a do x",
        ),
    ),
    (
        "a field reads: name, colon, what it can hold, start value, as in `coins : 0..9 = 3`",
        (
            "table has\n    coins = 3", "table has\n    coins", "table has\n    coins 0..9",
            "table has\n    coins : = 3", "table has\n    coins : 3", "table has\n    coins : 3 = 3",
            "table has\n    secret hand : a",
        ),
    ),
    (
        "say what it is, as in `(p : player)`",
        ("procedure a(p)", "procedure a(p, q)", "procedure a(p : b, q)", "procedure a(player p)", "value v(p) = 1"),
    ),
    (
        "without parameters there are no brackets",
        ("procedure a()", "value v() = 1", "ranking r() of p in player", "  do a()", "value v = a()"),
    ),
    (
        "say what is printed on it, as in `component card (value)`",
        ("component card", "component card value", "component card = value", "component card ()"),
    ),
    ("members have commas between them", ("enum a = b c", 'enum a = b "B" c "C"')),
    ("list the members, as in `enum suit = clubs, hearts`", ("enum a", "enum a b", "enum a : b", "enum a =")),
    (
        "name each one, as in `for each p in player`",
        ("  for each player", "  for each player p", "  for each p of player"),
    ),
    (
        "name the player, as in `every player p secretly`",
        ("  every player secretly", "  every player\n    nothing", "  every player p"),
    ),
    (
        "first how many, then of what, as in `p gains 3 coins`",
        ("  p gains coins", "  p gains coins 3", "  p gains 3", "  p gains"),
    ),
    ("put a comma before `at most`", ("  p gains 2 coins at most 5", "  repeat until a at most 5 times")),
    ("put a comma before `strict`", ("ranking r of p in player strict", "ranking r of p in q where a strict")),
    (
        "a loop says when it ends and a limit, as in `repeat until x is 3, at most 9 times`",
        (
            "  repeat 3 times", "  repeat\n    nothing", "  repeat until a", "  repeat a",
            "  repeat until a, 5 times", "  repeat until a, at most 5",
        ),
    ),
    (
        "turns need a limit, as in `in turn p from leader where p.coins > 0, at most 99 turns`",
        (
            "  in turn p", "  in turn p from a", "  in turn p from a where b",
            "  in turn p from a, at most 9",
        ),
    ),
    ("say what it ranks, as in `ranking bidders of p in player`", ("ranking r", "ranking r(a : b)", "ranking r of p")),
    (
        "every key but the first begins with `then`",
        ("winner p\n    highest a\n    lowest b", "winner p\n    highest a\n    b", "winner p\n    highest a\n    p.b"),
    ),
    ("the first key has no `then`", ("winner p\n    then highest a",)),
    (
        "say from where and into what, as in `draw card from deck into p.hand`",
        ("  draw a", "  draw a from b", "  draw a from b to c", "  draw a into b"),
    ),
    (
        "say from where and to where, as in `move card from p.hand to discard`",
        (
            "  move a", "  move a to b", "  move a from b", "  move a from b into c",
            "  move all a", "  move all a into b",
        ),
    ),
    ("say into what, as in `reveal p.sealed into p.bid`", ("  reveal a", "  reveal a to b")),
    (
        "say from what, as in `p chooses card from p.hand`",
        ("  p chooses card", "  p chooses", "  p chooses card in p.hand"),
    ),
    (
        "say from what, as in `roll die from 1..6`",
        ("  roll die", "  roll", "  roll 3 dice", "  roll 3"),
    ),
    ("a condition follows, as in `stop when passes is 3`", ("  stop", "  stop if a")),
    ("a condition follows, as in `latch over when passes is 3`", ("latch l", "latch l if a", "latch l = a")),
    ("say which place, as in `first p`", ("  contest r\n    p gains 1 coins",)),
    ("say of which ranking, as in `first of bidders`", ("  x becomes first r", "  move first r from a to b")),
    (
        "write `every player p secretly` and put what is chosen into that block",
        ("  p secretly chooses x from y",),
    ),
    (
        "a grid reads: name, coordinates with their ranges, sides, as in `grid cell (x : 1..8, y : 1..8) by side`",
        (
            "grid c", "grid c = x : 1..8", "grid c (x 1..8) by s", "grid c (8, 8) by s", "grid c by s",
            "grid c (x : 1..8)", "grid c (x : 1..8) with s", "grid c (x : 1..8) by a, b",
        ),
    ),
    (
        "a step reads: side, colon, the cell that lies there, as in `left : (x - 1, y)`",
        (
            "grid c (x : 1..8) by s\n    up : x", "grid c (x : 1..8) by s\n    up (x)",
            "grid c (x : 1..8) by s\n    up = (x)", "grid c (x : 1..8) by s\n    up x",
            "grid c (x : 1..8) by s\n    neighbour at up : (x)",
        ),
    ),
    (
        "members in a circle are declared as in `cyclic enum side = up, right, down, left`",
        ("cyclic a = b, c", "enum cyclic a = b", "cyclic enum a (b, c)", "cyclic enum a"),
    ),
    (
        "a pair is made of players, members, components or cells, as in `(cell, side)`",
        ("table has\n    a : (b, 1..3)", "table has\n    a : (b, set of c)"),
    ),
    (
        "how many it holds at most comes last, as in `set of cell up to 9`",
        (
            "table has\n    a : set of b, up to 3", "table has\n    a : set of b at most 3",
            "table has\n    a : set of b, at most 3", "table has\n    a : set of up to 3 b",
            "table has\n    a : up to 3 b", "table has\n    a : set of b or none up to 3",
        ),
    ),
    (
        "the word `turned` comes first and a name follows, as in `turned tile`",
        ("table has\n    a : turned (b)", "table has\n    a : b turned"),
    ),
    (
        "an attribute for each side reads `roads[side] : 0..3`",
        ("component a (b[c] 0..3)", "component a (b(c) : 0..3)"),
    ),
    (
        "a neighbour is named by a cell and a side, as in `neighbour of here at s`",
        (
            "  x becomes neighbour of a", "  x becomes neighbour of a to b", "  x becomes neighbour of a b",
            "  x becomes neighbour of a, b",
        ),
    ),
    (
        "put the first one into brackets, as in `(opposite of s) turned by 1`",
        ("  x becomes opposite of a turned by 1",),
    ),
    ("write by how much, as in `tile turned by 1`", ("  x becomes a turned 1", "  x becomes turned a by 1")),
    (
        "say to what set, one value at a time, as in `add here to sites`",
        ("  add a", "  add a into b", "  add a in b", "  add a, b to c", "  add all a to b"),
    ),
    (
        "say from what set, one value at a time, as in `remove here from sites`; `clear sites` takes all",
        ("  remove a", "  remove a to b", "  remove a, b from c", "  remove all a"),
    ),
    ("name one set, as in `clear sites`", ("  clear", "  clear all a", "  clear a, b")),
    (
        "a pair has one name; its parts are read by theirs, as in `edge.cell` and `edge.side`",
        ("  for each (a, b) in c", "  let (a, b) = c"),
    ),
)  # fmt: skip
"""What to say, and texts that should be told so. What begins with a space stands in `play`."""


def sign_advice(text: str, column: int) -> tuple[str, int] | None:
    """What to write in place of a sign, and how many characters it has; None for one that nothing is known about."""
    for pattern, advice in SIGNS:
        found = re.compile(pattern).match(text, column)
        if found is not None:
            return advice, max(1, len(found[0].rstrip()))
    return None


def sign_replacement(text: str, column: int, width: int) -> str | None:
    """What to write for a sign, with the spaces that keep it from its neighbours; None if that is not certain."""
    sign, before, after = text[column : column + width], text[:column], text[column + width :]
    word = SURE_SIGNS.get(sign)
    if word is None or (sign in ":;" and after.strip()):
        return None
    left = " " if word[:1].isalpha() and before[-1:].strip() else ""
    right = " " if word[-1:].isalpha() and after[:1].strip() else ""
    return left + word + right


def word_advice(word: str) -> str:
    """What to write for a word that other languages use as a name."""
    return NAMES.get(word.lower(), "")


def labelled_advice(error: UnexpectedToken, text: str) -> str:
    """The label of the example that fails like this error of a text, or nothing."""
    states, kind, before, word = signature(error, text)
    for near in (states, states[-1:]):
        for words in ((before, word), ("", word), (before, ""), ("", "")):
            label = _labels().get((near, kind, *words))
            if label:
                return label
    return MISPLACED.get(word) or NAMES.get(str(error.token).lower(), "")


Signature = tuple[tuple[int, ...], str, str, str]


def signature(error: UnexpectedToken, text: str) -> Signature:
    """How a text fails: the state of the parser, the kind of token, the words of the language before it and in it.

    The words tell apart what the parser does not: where `highest` is not expected it is a name like any other."""
    end = error.token.start_pos or 0
    found = _LAST_WORD.search(text, max(0, end - 60), end)
    before, word = found[0].strip() if found else "", str(error.token)
    known = vocabulary()
    states = tuple(int(state) for state in error.state.state_stack[-2:])
    return states, error.token.type, before if before in known else "", word if word in known else ""


@cache
def _labels() -> dict[Signature, str]:
    found: dict[Signature, str] = {}
    for advice, examples in EXAMPLES:
        for example in examples:
            try:
                grammar().parse(whole(example), start=DECLARATION)
            except UnexpectedToken as error:
                own = signature(error, whole(example))
                found.setdefault(own, advice)
                if own[1] not in ("NAME", "INT", "TEXT"):
                    # What may follow depends on the last state alone, except for what never follows anything.
                    found.setdefault((own[0][-1:], *own[1:]), advice)
    return found


def whole(example: str) -> str:
    """An example as the declaration that it stands for."""
    return f"play\n{example}\n" if example.startswith(" ") else f"{example}\n"
