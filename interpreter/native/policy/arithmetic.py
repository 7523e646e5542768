"""The integers of policies as LLVM functions, written once and by hand: slopes, logits, odds, draws (SIMD kernels).

What each of them reckons is told in `chocolatl.interpreter.policy.integers`, number by number.
"""

from __future__ import annotations

from chocolatl.interpreter.policy.integers import FRACTIONS, MOST_SHIFT, MOST_SLOPE

DOT_512 = """
declare <16 x i32> @llvm.x86.avx512.pmaddw.d.512(<32 x i16>, <32 x i16>)

define internal <16 x i32> @policy_products(<32 x i16> %a, <32 x i16> %b) nounwind alwaysinline {
  %r = call <16 x i32> @llvm.x86.avx512.pmaddw.d.512(<32 x i16> %a, <32 x i16> %b)
  ret <16 x i32> %r
}
"""

PARTS_512 = """
declare <32 x i16> @llvm.x86.avx512.vpermi2var.hi.512(<32 x i16>, <32 x i16>, <32 x i16>)

; Fractions lie between 32768 and 65536: less the former they are 64 words of 16 bits, which is two registers.
define internal <16 x i32> @policy_parts(<16 x i32> %index) nounwind alwaysinline {
  %words = bitcast <16 x i32> %index to <32 x i16>
  %found = call <32 x i16> @llvm.x86.avx512.vpermi2var.hi.512(<32 x i16> <FIRST>, <32 x i16> %words,
    <32 x i16> <SECOND>)
  %pairs = bitcast <32 x i16> %found to <16 x i32>
  %low = and <16 x i32> %pairs, splat (i32 65535)
  %parts = add <16 x i32> %low, splat (i32 32768)
  ret <16 x i32> %parts
}
"""

PARTS = """
declare <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x i32>)

define internal <16 x i32> @policy_parts(<16 x i32> %index) nounwind alwaysinline {
  %long = zext <16 x i32> %index to <16 x i64>
  %places = getelementptr i32, ptr @policy_fractions, <16 x i64> %long
  %parts = call <16 x i32> @llvm.masked.gather.v16i32.v16p0(<16 x ptr> %places, i32 4, <16 x i1> splat (i1 true),
    <16 x i32> zeroinitializer)
  ret <16 x i32> %parts
}
"""

EVEN = ", ".join(f"i32 {n}" for n in range(0, 32, 2))
ODD = ", ".join(f"i32 {n}" for n in range(1, 32, 2))

DOT = f"""
define internal <16 x i32> @policy_products(<32 x i16> %a, <32 x i16> %b) nounwind alwaysinline {{
  %a0 = shufflevector <32 x i16> %a, <32 x i16> poison, <16 x i32> <{EVEN}>
  %a1 = shufflevector <32 x i16> %a, <32 x i16> poison, <16 x i32> <{ODD}>
  %b0 = shufflevector <32 x i16> %b, <32 x i16> poison, <16 x i32> <{EVEN}>
  %b1 = shufflevector <32 x i16> %b, <32 x i16> poison, <16 x i32> <{ODD}>
  %a0w = sext <16 x i16> %a0 to <16 x i32>
  %a1w = sext <16 x i16> %a1 to <16 x i32>
  %b0w = sext <16 x i16> %b0 to <16 x i32>
  %b1w = sext <16 x i16> %b1 to <16 x i32>
  %m0 = mul <16 x i32> %a0w, %b0w
  %m1 = mul <16 x i32> %a1w, %b1w
  %r = add <16 x i32> %m0, %m1
  ret <16 x i32> %r
}}
"""

REST = """
declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)
declare i32 @llvm.vector.reduce.smax.v16i32(<16 x i32>)
declare <16 x i32> @llvm.smax.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i32> @llvm.umin.v16i32(<16 x i32>, <16 x i32>)
declare <16 x i64> @llvm.smax.v16i64(<16 x i64>, <16 x i64>)
declare <16 x i64> @llvm.smin.v16i64(<16 x i64>, <16 x i64>)
declare <8 x i64> @llvm.smax.v8i64(<8 x i64>, <8 x i64>)
declare <8 x i64> @llvm.smin.v8i64(<8 x i64>, <8 x i64>)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)

@policy_fractions = internal constant [64 x i32] [FRACTIONS], align 64

; A value of a feature, by its offset and its scale.
define internal i64 @policy_scaled(i64 %value, ptr %offsets, ptr %scales) nounwind alwaysinline {
  %o = load i32, ptr %offsets
  %s = load i32, ptr %scales
  %offset = sext i32 %o to i64
  %scale = sext i32 %s to i64
  %less = sub i64 %value, %offset
  %times = mul i64 %less, %scale
  %small = ashr i64 %times, 16
  %low = call i64 @llvm.smax.i64(i64 %small, i64 -512)
  %high = call i64 @llvm.smin.i64(i64 %low, i64 512)
  ret i64 %high
}

; The same of many values.
define internal void @policy_scale(ptr %values, ptr %offsets, ptr %scales, ptr %target, i64 %chunks) nounwind noinline {
entry:
  br label %chunk
chunk:
  %c = phi i64 [0, %entry], [%c1, %chunk]
  %vp = getelementptr <8 x i32>, ptr %values, i64 %c
  %op = getelementptr <8 x i32>, ptr %offsets, i64 %c
  %sp = getelementptr <8 x i32>, ptr %scales, i64 %c
  %tp = getelementptr <8 x i16>, ptr %target, i64 %c
  %v = load <8 x i32>, ptr %vp, align 32
  %o = load <8 x i32>, ptr %op, align 32
  %s = load <8 x i32>, ptr %sp, align 32
  %less = sub <8 x i32> %v, %o
  %wide = sext <8 x i32> %less to <8 x i64>
  %scale = sext <8 x i32> %s to <8 x i64>
  %times = mul <8 x i64> %wide, %scale
  %small = ashr <8 x i64> %times, splat (i64 16)
  %low = call <8 x i64> @llvm.smax.v8i64(<8 x i64> %small, <8 x i64> splat (i64 -512))
  %high = call <8 x i64> @llvm.smin.v8i64(<8 x i64> %low, <8 x i64> splat (i64 512))
  %short = trunc <8 x i64> %high to <8 x i16>
  store <8 x i16> %short, ptr %tp, align 2
  %c1 = add i64 %c, 1
  %more = icmp slt i64 %c1, %chunks
  br i1 %more, label %chunk, label %done
done:
  ret void
}

; The logit of an answer by the values of its features; what they are scaled, and the squares of that, is kept.
define internal i64 @policy_weigh(ptr %values, ptr %offsets, ptr %scales, ptr %linear, ptr %squares, ptr %kept,
    i64 %chunks) nounwind noinline {
entry:
  br label %chunk
chunk:
  %c = phi i64 [0, %entry], [%c1, %chunk]
  %sum = phi <16 x i32> [zeroinitializer, %entry], [%sum2, %chunk]
  %vp = getelementptr <16 x i32>, ptr %values, i64 %c
  %op = getelementptr <16 x i32>, ptr %offsets, i64 %c
  %sp = getelementptr <16 x i32>, ptr %scales, i64 %c
  %v = load <16 x i32>, ptr %vp, align 64
  %o = load <16 x i32>, ptr %op, align 4
  %s = load <16 x i32>, ptr %sp, align 4
  %less = sub <16 x i32> %v, %o
  %wide = sext <16 x i32> %less to <16 x i64>
  %scale = sext <16 x i32> %s to <16 x i64>
  %times = mul <16 x i64> %wide, %scale
  %small = ashr <16 x i64> %times, splat (i64 16)
  %low = call <16 x i64> @llvm.smax.v16i64(<16 x i64> %small, <16 x i64> splat (i64 -512))
  %high = call <16 x i64> @llvm.smin.v16i64(<16 x i64> %low, <16 x i64> splat (i64 512))
  %x = trunc <16 x i64> %high to <16 x i32>
  %product = mul <16 x i32> %x, %x
  %units = lshr <16 x i32> %product, splat (i32 6)
  %square = call <16 x i32> @llvm.umin.v16i32(<16 x i32> %units, <16 x i32> splat (i32 512))
  %xp = getelementptr <16 x i32>, ptr %kept, i64 %c
  %c4 = add i64 %c, 4
  %qp = getelementptr <16 x i32>, ptr %kept, i64 %c4
  store <16 x i32> %x, ptr %xp, align 64
  store <16 x i32> %square, ptr %qp, align 64
  %lp = getelementptr <16 x i32>, ptr %linear, i64 %c
  %tp = getelementptr <16 x i32>, ptr %squares, i64 %c
  %l = load <16 x i32>, ptr %lp, align 64
  %t = load <16 x i32>, ptr %tp, align 64
  %first = mul <16 x i32> %x, %l
  %second = mul <16 x i32> %square, %t
  %sum1 = add <16 x i32> %sum, %first
  %sum2 = add <16 x i32> %sum1, %second
  %c1 = add i64 %c, 1
  %more = icmp slt i64 %c1, %chunks
  br i1 %more, label %chunk, label %done
done:
  %all = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %sum2)
  %logit = sext i32 %all to i64
  ret i64 %logit
}

; How much each term of an answer counts, in a context and with multipliers.
define internal void @policy_slopes(ptr %weights, ptr %context, ptr %multipliers, ptr %slopes, i64 %terms, i64 %count,
    i64 %chunks) nounwind noinline {
entry:
  br label %term
term:
  %b = phi i64 [0, %entry], [%b1, %store]
  %row = phi ptr [%weights, %entry], [%row2, %store]
  br label %multiplier
multiplier:
  %m = phi i64 [0, %term], [%m1, %next]
  %total = phi i64 [0, %term], [%total2, %next]
  %row1 = phi ptr [%row, %term], [%row2, %next]
  %yp = getelementptr i16, ptr %multipliers, i64 %m
  %y = load i16, ptr %yp
  %counts = icmp ne i16 %y, 0
  br i1 %counts, label %chunk, label %next
chunk:
  %c = phi i64 [0, %multiplier], [%c1, %chunk]
  %sum = phi <16 x i32> [zeroinitializer, %multiplier], [%sum1, %chunk]
  %wp = getelementptr <32 x i16>, ptr %row1, i64 %c
  %xp = getelementptr <32 x i16>, ptr %context, i64 %c
  %w = load <32 x i16>, ptr %wp, align 64
  %x = load <32 x i16>, ptr %xp, align 64
  %products = call <16 x i32> @policy_products(<32 x i16> %w, <32 x i16> %x)
  %sum1 = add <16 x i32> %sum, %products
  %c1 = add i64 %c, 1
  %more = icmp slt i64 %c1, %chunks
  br i1 %more, label %chunk, label %summed
summed:
  %dot = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %sum1)
  %wide = sext i32 %dot to i64
  %yw = sext i16 %y to i64
  %part = mul i64 %yw, %wide
  %total1 = add i64 %total, %part
  br label %next
next:
  %total2 = phi i64 [%total, %multiplier], [%total1, %summed]
  %row2 = getelementptr <32 x i16>, ptr %row1, i64 %chunks
  %m1 = add i64 %m, 1
  %another = icmp slt i64 %m1, %count
  br i1 %another, label %multiplier, label %store
store:
  %small = ashr i64 %total2, 10
  %low = call i64 @llvm.smax.i64(i64 %small, i64 -SLOPE)
  %high = call i64 @llvm.smin.i64(i64 %low, i64 SLOPE)
  %short = trunc i64 %high to i32
  %sp = getelementptr i32, ptr %slopes, i64 %b
  store i32 %short, ptr %sp
  %b1 = add i64 %b, 1
  %on = icmp slt i64 %b1, %terms
  br i1 %on, label %term, label %done
done:
  ret void
}

; The logits of elements whose terms are known beforehand, in steps of 16.
define internal void @policy_logits(ptr %own, ptr %constants, ptr %slopes, ptr %logits, i64 %terms, i64 %chunks)
    nounwind noinline {
entry:
  br label %chunk
chunk:
  %c = phi i64 [0, %entry], [%c1, %stored]
  %kp = getelementptr <16 x i32>, ptr %own, i64 %c
  %k = load <16 x i32>, ptr %kp, align 64
  br label %term
term:
  %b = phi i64 [0, %chunk], [%b1, %term]
  %sum = phi <16 x i32> [%k, %chunk], [%sum1, %term]
  %row = mul i64 %b, %chunks
  %at = add i64 %row, %c
  %pp = getelementptr <16 x i16>, ptr %constants, i64 %at
  %p = load <16 x i16>, ptr %pp, align 32
  %pw = sext <16 x i16> %p to <16 x i32>
  %sp = getelementptr i32, ptr %slopes, i64 %b
  %s = load i32, ptr %sp
  %s0 = insertelement <16 x i32> poison, i32 %s, i64 0
  %sv = shufflevector <16 x i32> %s0, <16 x i32> poison, <16 x i32> zeroinitializer
  %times = mul <16 x i32> %pw, %sv
  %sum1 = add <16 x i32> %sum, %times
  %b1 = add i64 %b, 1
  %more = icmp slt i64 %b1, %terms
  br i1 %more, label %term, label %stored
stored:
  %lp = getelementptr <16 x i32>, ptr %logits, i64 %c
  store <16 x i32> %sum1, ptr %lp, align 64
  %c1 = add i64 %c, 1
  %on = icmp slt i64 %c1, %chunks
  br i1 %on, label %chunk, label %done
done:
  ret void
}

; One of the elements that are legal, by its logit; the logits become odds. What was drawn is told in two words.
define internal i64 @policy_pick(ptr %logits, i64 %legal, i64 %chunks, ptr %stream, ptr %told) nounwind noinline {
entry:
  br label %scan
scan:
  %c = phi i64 [0, %entry], [%c1, %scan]
  %left = phi i64 [%legal, %entry], [%left1, %scan]
  %best = phi <16 x i32> [splat (i32 -2147483648), %entry], [%best1, %scan]
  %lp = getelementptr <16 x i32>, ptr %logits, i64 %c
  %l = load <16 x i32>, ptr %lp, align 64
  %bits = trunc i64 %left to i16
  %mask = bitcast i16 %bits to <16 x i1>
  %those = select <16 x i1> %mask, <16 x i32> %l, <16 x i32> splat (i32 -2147483648)
  %best1 = call <16 x i32> @llvm.smax.v16i32(<16 x i32> %best, <16 x i32> %those)
  %left1 = lshr i64 %left, 16
  %c1 = add i64 %c, 1
  %more = icmp slt i64 %c1, %chunks
  br i1 %more, label %scan, label %found
found:
  %most = call i32 @llvm.vector.reduce.smax.v16i32(<16 x i32> %best1)
  %b0 = insertelement <16 x i32> poison, i32 %most, i64 0
  %mv = shufflevector <16 x i32> %b0, <16 x i32> poison, <16 x i32> zeroinitializer
  br label %weigh
weigh:
  %d = phi i64 [0, %found], [%d1, %weigh]
  %rest = phi i64 [%legal, %found], [%rest1, %weigh]
  %sum = phi <16 x i32> [zeroinitializer, %found], [%sum1, %weigh]
  %wp = getelementptr <16 x i32>, ptr %logits, i64 %d
  %v = load <16 x i32>, ptr %wp, align 64
  %there = trunc i64 %rest to i16
  %on = bitcast i16 %there to <16 x i1>
  %less = sub <16 x i32> %mv, %v
  %fine = lshr <16 x i32> %less, splat (i32 10)
  %index = and <16 x i32> %fine, splat (i32 63)
  %looked = call <16 x i32> @policy_parts(<16 x i32> %index)
  %parts = select <16 x i1> %on, <16 x i32> %looked, <16 x i32> zeroinitializer
  %octaves = lshr <16 x i32> %less, splat (i32 16)
  %shift = call <16 x i32> @llvm.umin.v16i32(<16 x i32> %octaves, <16 x i32> splat (i32 SHIFT))
  %weights = lshr <16 x i32> %parts, %shift
  store <16 x i32> %weights, ptr %wp, align 64
  %sum1 = add <16 x i32> %sum, %weights
  %rest1 = lshr i64 %rest, 16
  %d1 = add i64 %d, 1
  %again = icmp slt i64 %d1, %chunks
  br i1 %again, label %weigh, label %draw
draw:
  %all = call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> %sum1)
  %total = zext i32 %all to i64
  %ticket = call i64 @below(ptr %stream, i64 %total)
  %t32 = trunc i64 %ticket to i32
  %t0 = insertelement <16 x i32> poison, i32 %t32, i64 0
  %tv = shufflevector <16 x i32> %t0, <16 x i32> poison, <16 x i32> zeroinitializer
  br label %seek
seek:
  %k = phi i64 [0, %draw], [%k1, %seek]
  %past = phi <16 x i32> [zeroinitializer, %draw], [%past1, %seek]
  %e = phi i64 [0, %draw], [%e1, %seek]
  %sp = getelementptr <16 x i32>, ptr %logits, i64 %k
  %s0 = load <16 x i32>, ptr %sp, align 64
SUMS
  %upto = add <16 x i32> %s4, %past
  %past1 = shufflevector <16 x i32> %upto, <16 x i32> poison, <16 x i32> <LAST>
  %under = icmp ule <16 x i32> %upto, %tv
  %bits1 = bitcast <16 x i1> %under to i16
  %bits64 = zext i16 %bits1 to i64
  %these = call i64 @llvm.ctpop.i64(i64 %bits64)
  %e1 = add i64 %e, %these
  %k1 = add i64 %k, 1
  %further = icmp slt i64 %k1, %chunks
  br i1 %further, label %seek, label %done
done:
  %ep = getelementptr i32, ptr %logits, i64 %e1
  %w = load i32, ptr %ep
  %ww = zext i32 %w to i64
  store i64 %ww, ptr %told
  %second = getelementptr i8, ptr %told, i64 8
  store i64 %total, ptr %second
  ret i64 %e1
}

; The same of a list of so many answers, all of them legal.
define internal i64 @policy_pick_listed(ptr %logits, i64 %count, ptr %stream, ptr %told) nounwind noinline {
entry:
  %last = sub i64 %count, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %last, i1 false)
  %length = sub i64 64, %zeros
  %over = sub i64 %length, 16
  %bits = call i64 @llvm.smax.i64(i64 %over, i64 0)
  %bits32 = trunc i64 %bits to i32
  br label %scan
scan:
  %c = phi i64 [0, %entry], [%c1, %scan]
  %best = phi i32 [-2147483648, %entry], [%best1, %scan]
  %lp = getelementptr i32, ptr %logits, i64 %c
  %l = load i32, ptr %lp
  %best1 = call i32 @llvm.smax.i32(i32 %best, i32 %l)
  %c1 = add i64 %c, 1
  %more = icmp slt i64 %c1, %count
  br i1 %more, label %scan, label %weigh
weigh:
  %d = phi i64 [0, %scan], [%d1, %weigh]
  %sum = phi i64 [0, %scan], [%sum1, %weigh]
  %wp = getelementptr i32, ptr %logits, i64 %d
  %v = load i32, ptr %wp
  %less = sub i32 %best1, %v
  %fine = lshr i32 %less, 10
  %index = and i32 %fine, 63
  %long = zext i32 %index to i64
  %place = getelementptr i32, ptr @policy_fractions, i64 %long
  %part = load i32, ptr %place
  %octaves = lshr i32 %less, 16
  %shift = call i32 @llvm.umin.i32(i32 %octaves, i32 SHIFT)
  %weight0 = lshr i32 %part, %shift
  %weight = lshr i32 %weight0, %bits32
  store i32 %weight, ptr %wp
  %wide = zext i32 %weight to i64
  %sum1 = add i64 %sum, %wide
  %d1 = add i64 %d, 1
  %again = icmp slt i64 %d1, %count
  br i1 %again, label %weigh, label %draw
draw:
  %ticket = call i64 @below(ptr %stream, i64 %sum1)
  br label %seek
seek:
  %e = phi i64 [0, %draw], [%e1, %seek]
  %t = phi i64 [%ticket, %draw], [%t1, %seek]
  %ep = getelementptr i32, ptr %logits, i64 %e
  %w = load i32, ptr %ep
  %ww = zext i32 %w to i64
  %t1 = sub i64 %t, %ww
  %e1 = add i64 %e, 1
  %before = icmp sge i64 %t1, 0
  br i1 %before, label %seek, label %done
done:
  store i64 %ww, ptr %told
  %second = getelementptr i8, ptr %told, i64 8
  store i64 %sum1, ptr %second
  ret i64 %e
}
"""


def _prefix_sums() -> str:
    """Lines that add to each of 16 numbers all that come before it, in four steps."""
    lines = []
    for number, step in enumerate((1, 2, 4, 8)):
        places = ", ".join(f"i32 {place - step if place >= step else 16}" for place in range(16))
        lines.append(
            f"  %m{number} = shufflevector <16 x i32> %s{number}, <16 x i32> zeroinitializer, <16 x i32> <{places}>"
        )
        lines.append(f"  %s{number + 1} = add <16 x i32> %s{number}, %m{number}")
    return "\n".join(lines)


def arithmetic(features: str) -> tuple[str, set[str]]:
    """All of it, for a processor with these features; and what it declares, which others may declare as well."""
    wide = "+avx512bw" in features.split(",")
    fractions = ", ".join(f"i32 {each}" for each in FRACTIONS)
    rest = REST.replace("FRACTIONS", fractions).replace("SLOPE", str(MOST_SLOPE)).replace("SHIFT", str(MOST_SHIFT))
    rest = rest.replace("SUMS", _prefix_sums()).replace("LAST", ", ".join(["i32 15"] * 16))
    halves = [
        ", ".join(f"i16 {each - 32768 if each < 65536 else -32768}" for each in part)
        for part in (FRACTIONS[:32], FRACTIONS[32:])
    ]
    parts = PARTS_512.replace("FIRST", halves[0]).replace("SECOND", halves[1]) if wide else PARTS
    lines = ((DOT_512 if wide else DOT) + parts + rest).split("\n")
    declared = {line for line in lines if line.startswith("declare ")}
    return "\n".join(line for line in lines if line not in declared), declared
