"""One draw among answers whose terms are known beforehand, from weights and context to the answer, without a loop
(a fused kernel, unrolled by shape).

Nothing is written down between slopes, logits and odds: to wait for memory takes longer than the arithmetic. The sums
of all rows of weights are taken together, halving the lanes of two vectors at a time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chocolatl.interpreter.native.policy.layout import ELEMENTS, LANES, TableLayout
from chocolatl.interpreter.policy.integers import MOST_SHIFT, MOST_SLOPE, SLOPE_BITS

MOST_ROWS = 16
"""Of more rows of weights than a vector has lanes, slopes are found in a loop."""

VECTOR = "<16 x i32>"
LEAST = -(1 << 31)


@dataclass(frozen=True)
class DrawShape:
    """How large the parts of a table are, in vectors: those of features and of elements."""

    terms: int
    multipliers: int
    features: int
    elements: int

    @classmethod
    def of(cls, layout: TableLayout) -> DrawShape | None:
        """None where answers are drawn step by step."""
        found = cls(layout.terms, layout.multipliers, layout.features // LANES, layout.elements // ELEMENTS)
        return found if layout.constant and found.terms * found.step <= MOST_ROWS else None

    @property
    def step(self) -> int:
        """The rows of a term are as many as its multipliers, rounded up to a power of two."""
        return 1 << (self.multipliers - 1).bit_length()

    @property
    def name(self) -> str:
        return f"policy_draw_{self.terms}_{self.multipliers}_{self.features}_{self.elements}"

    def text(self) -> str:
        return _Draw(self).text()


def draw_texts(tables: Iterable[TableLayout]) -> list[str]:
    """The functions that some tables want, one for each shape."""
    shapes = dict.fromkeys(map(DrawShape.of, tables))
    return [shape.text() for shape in shapes if shape is not None]


class _Draw:
    """The lines of one function."""

    def __init__(self, shape: DrawShape) -> None:
        self.shape = shape
        self.lines: list[str] = []
        self.count = 0

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def load(self, type_: str, pointer: str, place: int, align: int) -> str:
        address = self.op(f"getelementptr {type_}, ptr {pointer}, i64 {place}")
        return self.op(f"load {type_}, ptr {address}, align {align}")

    def text(self) -> str:
        slopes = self.slopes()
        logits = [self.logits(chunk, slopes) for chunk in range(self.shape.elements)]
        self.draw(*self.odds(logits))
        given = (
            "ptr %weights, ptr %context, ptr %multipliers, ptr %own, ptr %constants, i64 %legal, ptr %stream,"
            " ptr %odds, ptr %told"
        )
        head = f"define internal i64 @{self.shape.name}({given}) nounwind noinline {{"
        return "\n".join([head, *self.lines, "}"])

    # ------------------------------------------------------------ slopes

    def slopes(self) -> list[str]:
        """How much each term counts, in every lane."""
        shape, step = self.shape, self.shape.step
        context = [self.load("<32 x i16>", "%context", chunk, 64) for chunk in range(shape.features)]
        rows = ["zeroinitializer"] * (shape.terms * step)
        for term in range(shape.terms):
            for number in range(shape.multipliers):
                rows[term * step + number] = self.row(context, term * shape.multipliers + number)
        dots, lanes = self.together(rows)
        width = f"<{lanes} x i64>"
        y = [self.multiplier(number) for number in range(shape.multipliers)]
        times = "zeroinitializer"
        for row in range(len(rows)):
            if row % step < len(y):
                times = self.op(f"insertelement {width} {times}, i64 {y[row % step]}, i64 {row}")
        total = self.op(f"mul {width} {self.op(f'sext <{lanes} x i32> {dots} to {width}')}, {times}")
        turn = step
        while turn > 1:
            turn //= 2
            places = [lane ^ turn for lane in range(lanes)]
            total = self.op(f"add {width} {total}, {self.shuffled(total, 'poison', places, width)}")
        small = self.op(f"ashr {width} {total}, splat (i64 {SLOPE_BITS})")
        for kind, bound in (("smax", -MOST_SLOPE), ("smin", MOST_SLOPE)):
            small = self.op(f"call {width} @llvm.{kind}.v{lanes}i64({width} {small}, {width} splat (i64 {bound}))")
        short = self.op(f"trunc {width} {small} to <{lanes} x i32>")
        return [self.shuffled(short, "poison", [term * step] * 16, f"<{lanes} x i32>") for term in range(shape.terms)]

    def multiplier(self, number: int) -> str:
        return self.op(f"sext i16 {self.load('i16', '%multipliers', number, 2)} to i64")

    def row(self, context: list[str], number: int) -> str:
        """The products of a row of weights with the context, in 16 sums."""
        found = ""
        for chunk, x in enumerate(context):
            weights = self.load("<32 x i16>", "%weights", number * len(context) + chunk, 64)
            products = self.op(f"call {VECTOR} @policy_products(<32 x i16> {weights}, <32 x i16> {x})")
            found = self.op(f"add {VECTOR} {found}, {products}") if found else products
        return found

    def together(self, rows: list[str]) -> tuple[str, int]:
        """The sums of all lanes of each of some vectors as the lanes of one, in their order; and how many lanes it has.

        Two vectors make one of both, in which each has half as many lanes: its first half plus its second one."""
        count, span = 1 << (len(rows) - 1).bit_length(), 16
        parts = [*rows, *["zeroinitializer"] * (count - len(rows))]
        while len(parts) > 1:
            span //= 2
            parts = [self.folded(parts[at], parts[at + 1], span) for at in range(0, len(parts), 2)]
        found = self.turned("add", parts[0], span)
        lanes = max(8, count)
        return self.shuffled(found, "poison", [row * 16 // count % 16 for row in range(lanes)]), lanes

    def turned(self, operation: str, found: str, span: int = 16) -> str:
        """The sum, or the like, of all lanes of each part of so many, in each of these lanes."""
        while span > 1:
            span //= 2
            other = self.shuffled(found, "poison", [lane ^ span for lane in range(16)])
            if operation == "add":
                found = self.op(f"add {VECTOR} {found}, {other}")
            else:
                found = self.op(f"call {VECTOR} @llvm.{operation}.v16i32({VECTOR} {found}, {VECTOR} {other})")
        return found

    def folded(self, first: str, second: str, span: int) -> str:
        low = [lane for lane in range(32) if not lane & span]
        halves = [self.shuffled(first, second, [lane + half for lane in low]) for half in (0, span)]
        return self.op(f"add {VECTOR} {halves[0]}, {halves[1]}")

    def shuffled(self, first: str, second: str, places: list[int], type_: str = VECTOR) -> str:
        listed = ", ".join(f"i32 {place}" for place in places)
        return self.op(f"shufflevector {type_} {first}, {type_} {second}, <{len(places)} x i32> <{listed}>")

    # ------------------------------------------------------------ odds

    def logits(self, chunk: int, slopes: list[str]) -> str:
        """Of 16 elements."""
        found = self.load(VECTOR, "%own", chunk, 64)
        for term, slope in enumerate(slopes):
            short = self.load("<16 x i16>", "%constants", term * self.shape.elements + chunk, 32)
            wide = self.op(f"sext <16 x i16> {short} to {VECTOR}")
            found = self.op(f"add {VECTOR} {found}, {self.op(f'mul {VECTOR} {wide}, {slope}')}")
        return found

    def odds(self, logits: list[str]) -> tuple[list[str], list[str], str]:
        """Odds by 16 elements, the sums of all up to each of them, and the sum of all in every lane."""
        legal = [self.legal(chunk) for chunk in range(len(logits))]
        best = ""
        for mask, each in zip(legal, logits, strict=True):
            those = self.op(f"select <16 x i1> {mask}, {VECTOR} {each}, {VECTOR} splat (i32 {LEAST})")
            best = self.op(f"call {VECTOR} @llvm.smax.v16i32({VECTOR} {best}, {VECTOR} {those})") if best else those
        most = self.turned("smax", best)
        odds = [self.weighed(most, each, mask) for mask, each in zip(legal, logits, strict=True)]
        upto = [self.prefix(each) for each in odds]
        for chunk in range(1, len(upto)):
            before = self.shuffled(upto[chunk - 1], "poison", [15] * 16)
            upto[chunk] = self.op(f"add {VECTOR} {upto[chunk]}, {before}")
        total = odds[0]
        for each in odds[1:]:
            total = self.op(f"add {VECTOR} {total}, {each}")
        return odds, upto, self.turned("add", total)

    def legal(self, chunk: int) -> str:
        word = self.op(f"lshr i64 %legal, {16 * chunk}")
        return self.op(f"bitcast i16 {self.op(f'trunc i64 {word} to i16')} to <16 x i1>")

    def weighed(self, most: str, logits: str, legal: str) -> str:
        less = self.op(f"sub {VECTOR} {most}, {logits}")
        index = self.op(f"and {VECTOR} {self.op(f'lshr {VECTOR} {less}, splat (i32 10)')}, splat (i32 63)")
        looked = self.op(f"call {VECTOR} @policy_parts({VECTOR} {index})")
        parts = self.op(f"select <16 x i1> {legal}, {VECTOR} {looked}, {VECTOR} zeroinitializer")
        octaves = self.op(f"lshr {VECTOR} {less}, splat (i32 16)")
        shift = self.op(f"call {VECTOR} @llvm.umin.v16i32({VECTOR} {octaves}, {VECTOR} splat (i32 {MOST_SHIFT}))")
        return self.op(f"lshr {VECTOR} {parts}, {shift}")

    def prefix(self, odds: str) -> str:
        """To each of 16 numbers all that come before it are added."""
        for step in (1, 2, 4, 8):
            places = [place - step if place >= step else 16 for place in range(16)]
            odds = self.op(f"add {VECTOR} {odds}, {self.shuffled(odds, 'zeroinitializer', places)}")
        return odds

    def draw(self, odds: list[str], upto: list[str], total: str) -> None:
        """The product of the contract's random number and the sum of odds is found in lanes, where that is already."""
        number = self.op("call i64 @below(ptr %stream, i64 4294967296)")
        one = self.op(f"insertelement <8 x i64> poison, i64 {number}, i64 0")
        numbers = self.shuffled(one, "poison", [0] * 8, "<8 x i64>")
        pairs = self.op(f"bitcast {VECTOR} {total} to <8 x i64>")
        sums = self.op(f"and <8 x i64> {pairs}, splat (i64 4294967295)")
        tickets = self.op(f"lshr <8 x i64> {self.op(f'mul nuw <8 x i64> {sums}, {numbers}')}, splat (i64 32)")
        words, place = self.op(f"bitcast <8 x i64> {tickets} to {VECTOR}"), "0"
        everywhere = self.shuffled(words, "poison", [lane & -2 for lane in range(16)])
        for chunk, each in enumerate(odds):
            pointer = self.op(f"getelementptr {VECTOR}, ptr %odds, i64 {chunk}")
            self.lines.append(f"  store {VECTOR} {each}, ptr {pointer}, align 64")
        for each in upto:
            under = self.op(f"icmp ule {VECTOR} {each}, {everywhere}")
            bits = self.op(f"zext i16 {self.op(f'bitcast <16 x i1> {under} to i16')} to i64")
            place = self.op(f"add i64 {place}, {self.op(f'call i64 @llvm.ctpop.i64(i64 {bits})')}")
        taken = self.op(f"load i32, ptr {self.op(f'getelementptr i32, ptr %odds, i64 {place}')}")
        self.lines.append(f"  store i64 {self.op(f'zext i32 {taken} to i64')}, ptr %told")
        sum_ = self.op(f"zext i32 {self.op(f'extractelement {VECTOR} {total}, i64 0')} to i64")
        self.lines.append(f"  store i64 {sum_}, ptr {self.op('getelementptr i8, ptr %told, i64 8')}")
        self.lines.append(f"  ret i64 {place}")
