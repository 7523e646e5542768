"""Rules in which the answer decides what every operation of the IR does. They have a model, and its best answer is that
of enumeration."""

from __future__ import annotations

HEAD = """\
item won "Won"

enum dish = soup, roast, cake
enum way = on, back

grid ring (n : 0..9) by way
    on   : ((n + 1) mod 10)
    back : ((n - 1) mod 10)

table has
    leader      : player
    here        : ring
    steps[0..9] : 0..99 = 4
    plate[0..9] : set of dish
    dice        : set of dish
    kept        : set of dish
    deck        : set of card = every card

each player has
    score : 0..9999 = 0
    bid   : 0..9 = 0
    own   : -999..999 = 0
    moves : 0..9 = 2
    wish  : dish or none
    best  : dish = soup
    hand  : set of card = every card
    pile  : set of card

value worth(d : dish, n : 0..99) = n if d is soup else 2 * n if d is roast else 7

ranking bidders of q in player
    highest q.bid

ranking seats of q in player where q.bid > 2, strict
    highest q.bid
    then q is leader

ranking cards of c in deck, strict
    highest c.value

"""

NUMBERS = """\
play
    for each p in player
        p chooses p.bid from 0..9
        let n = p.bid + 1
        p.own becomes n * p.bid - 3
        p gains n / 2 + n mod 3 + min(n, 4) + max(n, 7) + max(p.own, 0) score for won
        p gains (5 if p.bid is 3 or p.bid is not 7 and p.bid < 9 else 2) score for won
        p gains (1 if not (p.bid <= 4 and n >= 2) else 3) score for won
        if n > 4
            p gains toll[n] + steps[p.bid] score for won
        if some k in 1..n has k is p.own
            p gains 3 score for won
        if every k in n..9 has k > 5
            p gains 4 score for won
        p gains (number of k in 1..n where k mod 2 is 0) + (sum of k for k in [n, p.bid]) score for won
        p gains (highest k for k in [n, 5]) + (lowest k for k in [n, 5]) score for won
        here becomes ring(p.bid)
        p gains here.n + (neighbour of here at on).n score for won
        p.wish becomes soup
        if n > 6
            p.wish becomes roast
        p.best becomes p.wish
        p gains worth(p.best, n) score for won
        repeat until p.own > 40, at most 9 times
            p.own becomes p.own + 9
            stop when p.own is 33
        p gains max(p.own, 0) score for won
        p chooses more from 0..n where more is not p.bid
        steps[more] becomes n
        p gains (sum of steps[k] for k in 0..3) score for won
        do pay(p, n)

procedure pay(p : player, n : 0..99)
    p gains n score for won, at most 290
"""

THINGS = """\
play
    for each p in player
        p chooses c from p.hand where c.value > 1
        move c from p.hand to p.pile
        p gains c.value + size of p.hand + (1 if c in p.pile else 0) score for won
        p gains (sum of d.value for d in p.pile) score for won
        if c.value > 2
            roll rolled from 1..3
            p gains rolled score for won
            roll 2 dice from dish
            add roast to dice
        if roast in dice
            remove roast from dice
        for each d in dish where c.value > 3
            add d to kept
        kept becomes dice
        p gains 2 * (number of d in kept) score for won
        if c.value is 2
            clear kept
        p gains (number of d in kept) score for won
        p chooses up to c.value - 2 from p.hand into p.pile as more
        draw drawn from p.hand into p.pile
        p gains drawn.value score for won
        for each d in p.hand
            p gains d.value score for won
        if c.value is not 3
            move all p.pile to p.hand
        p gains size of plate[c.value] score for won
        p gains (sum of d.value for d in p.hand where d.value > 2) score for won
"""

ORDERS = """\
play
    every player p secretly
        p chooses p.bid from 0..9
        p.own becomes 2 * p.bid
    contest bidders as order
        first p
            p gains 5 score for won
        first p alone
            p gains rank of p in order score for won
        first p shared by n
            p gains n score for won
        last p
            p gains 1 score for won
    for each p in bidders
        stop when p.bid < 3
        p gains p.own score for won
    for each p in player
        p gains rank of p in seats score for won
        p gains (sum of q.bid for q in seats) score for won
    if some q in player has q.bid > 2
        (first of seats) gains 2 score for won
    in turn p from leader where p.moves > 0, at most 9 turns
        p loses 1 moves
        p gains p.own / 3 score for won
"""

RULES = {"numbers": NUMBERS, "things": THINGS, "orders": ORDERS}
CARDS = "[{value: 1}, {value: 2}, {value: 3, copies: 2}, {value: 4}]"
DATA = "tables:\n  toll: {value: [3, 1, 4, 1, 5, 9, 2, 6, 5, 3], about: By number.}\n"
