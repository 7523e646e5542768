"""Functions that every kernel has: random numbers as `chocolatl.interpreter.lowered.random` has them, sorting, short
sets, decks."""

from __future__ import annotations

from chocolatl.interpreter.native.layout.memory import REPORT, Streams, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Meant, OffsetRegion, Region

INTRINSICS = """
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctlz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""

RANDOM = """
define internal i64 @below(ptr %r, i64 %n) nounwind alwaysinline {
  %r1 = getelementptr i8, ptr %r, i64 STEP
  %r2 = getelementptr i8, ptr %r1, i64 STEP
  %r3 = getelementptr i8, ptr %r2, i64 STEP
  %s0 = load i32, ptr %r, !tbaa !2
  %s1 = load i32, ptr %r1, !tbaa !2
  %s2 = load i32, ptr %r2, !tbaa !2
  %s3 = load i32, ptr %r3, !tbaa !2
  %x = add i32 %s0, %s3
  %y = call i32 @llvm.fshl.i32(i32 %x, i32 %x, i32 7)
  %z = add i32 %y, %s0
  %a2 = xor i32 %s2, %s0
  %a3 = xor i32 %s3, %s1
  %n0 = xor i32 %s0, %a3
  %n1 = xor i32 %s1, %a2
  %up = shl i32 %s1, 9
  %n2 = xor i32 %a2, %up
  %n3 = call i32 @llvm.fshl.i32(i32 %a3, i32 %a3, i32 11)
  store i32 %n0, ptr %r, !tbaa !2
  store i32 %n1, ptr %r1, !tbaa !2
  store i32 %n2, ptr %r2, !tbaa !2
  store i32 %n3, ptr %r3, !tbaa !2
  %wide = zext i32 %z to i64
  %m = mul i64 %wide, %n
  %result = lshr i64 %m, 32
  ret i64 %result
}

define internal i64 @mix(i64 %z) nounwind alwaysinline {
  %a = lshr i64 %z, 30
  %b = xor i64 %z, %a
  %c = mul i64 %b, u0xBF58476D1CE4E5B9
  %d = lshr i64 %c, 27
  %e = xor i64 %c, %d
  %f = mul i64 %e, u0x94D049BB133111EB
  %g = lshr i64 %f, 31
  %h = xor i64 %f, %g
  ret i64 %h
}

define internal void @seed(ptr %r, i64 %seed, i64 %game, i64 %stream) nounwind alwaysinline {
  %step = mul i64 %game, u0x9E3779B97F4A7C15
  %own = add i64 %seed, %step
  %first = add i64 %own, u0x9E3779B97F4A7C15
  %mixed = call i64 @mix(i64 %first)
  %start = xor i64 %mixed, %stream
  %a = add i64 %start, u0x9E3779B97F4A7C15
  %b = add i64 %a, u0x9E3779B97F4A7C15
  %w0 = call i64 @mix(i64 %a)
  %w1 = call i64 @mix(i64 %b)
  %s0 = trunc i64 %w0 to i32
  %s2 = trunc i64 %w1 to i32
  %high0 = lshr i64 %w0, 32
  %high1 = lshr i64 %w1, 32
  %s1 = trunc i64 %high0 to i32
  %s3 = trunc i64 %high1 to i32
  %r1 = getelementptr i8, ptr %r, i64 STEP
  %r2 = getelementptr i8, ptr %r1, i64 STEP
  %r3 = getelementptr i8, ptr %r2, i64 STEP
  store i32 %s0, ptr %r, !tbaa !2
  store i32 %s1, ptr %r1, !tbaa !2
  store i32 %s2, ptr %r2, !tbaa !2
  store i32 %s3, ptr %r3, !tbaa !2
  ret void
}
"""

# The n-th set bit of a word, as a word and as a number; where the processor has an instruction for it, that is used.
NTH_SET = """
define internal i64 @nth_set(i64 %word, i64 %n) nounwind {
entry:
  br label %head
head:
  %left = phi i64 [%word, %entry], [%next, %body]
  %i = phi i64 [%n, %entry], [%less, %body]
  %done = icmp eq i64 %i, 0
  br i1 %done, label %found, label %body
body:
  %minus = sub i64 %left, 1
  %next = and i64 %left, %minus
  %less = sub i64 %i, 1
  br label %head
found:
  %negative = sub i64 0, %left
  %bit = and i64 %left, %negative
  ret i64 %bit
}
"""

NTH_SET_X86 = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)

define internal i64 @nth_set(i64 %word, i64 %n) nounwind alwaysinline {
  %one = shl i64 1, %n
  %bit = call i64 @llvm.x86.bmi.pdep.64(i64 %one, i64 %word)
  ret i64 %bit
}
"""

NTH_BIT = """
define internal i64 @nth_bit(i64 %word, i64 %n) nounwind alwaysinline {
  %set = call i64 @nth_set(i64 %word, i64 %n)
  %bit = call i64 @llvm.cttz.i64(i64 %set, i1 false)
  ret i64 %bit
}
"""

# Failures and events lie in memory of their own, which no other code looks at. That is why it is given as a number, and
# why these functions are said to touch nothing that the compiler knows of, which must not look into them (`optnone`):
# what a game holds may stay in registers meanwhile. Where it can be asked for, whoever reports saves the registers that
# it uses, so that the many places that may have to do so keep nothing for it.
REPORTS = """
define internal SAVING void @report(i64 %at, i64 %site, i64 %value) nounwind cold noinline optnone
    memory(inaccessiblemem: readwrite) {
  %words = inttoptr i64 %at to ptr
  %old = load i64, ptr %words
  %first = icmp eq i64 %old, 0
  br i1 %first, label %note, label %done
note:
  %number = add i64 %site, 1
  store i64 %number, ptr %words
  %what = getelementptr i64, ptr %words, i64 1
  store i64 %value, ptr %what
  br label %done
done:
  ret void
}

define internal void @fail(ptr %s, i64 %site, i64 %value) nounwind alwaysinline {
  %at = getelementptr i8, ptr %s, i64 REPORT
  %words = load i64, ptr %at, !tbaa !4
  call SAVING void @report(i64 %words, i64 %site, i64 %value)
  ret void
}

; It is looked at anew each time, since the compiler does not know what changes it.
define internal i1 @has_failed(i64 %at) nounwind alwaysinline {
  %words = inttoptr i64 %at to ptr
  %site = load volatile i64, ptr %words
  %failed = icmp ne i64 %site, 0
  ret i1 %failed
}

; An event is noted if there is room; that there was none shows by the place where the next one would have gone.
define internal void @note(i64 %at, ptr %event, i64 %count) nounwind cold noinline optnone
    memory(argmem: read, inaccessiblemem: readwrite) {
  %words = inttoptr i64 %at to ptr
  %log = load ptr, ptr %words
  %past = getelementptr i64, ptr %log, i64 %count
  store ptr %past, ptr %words
  %limit = getelementptr i64, ptr %words, i64 1
  %end = load ptr, ptr %limit
  %fits = icmp ule ptr %past, %end
  br i1 %fits, label %write, label %done
write:
  %bytes = mul i64 %count, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %log, ptr %event, i64 %bytes, i1 false)
  br label %done
done:
  ret void
}
""".replace("REPORT", str(REPORT))

SORTING = """
define internal void @sort(ptr %a, i64 %n) nounwind {
entry:
  br label %outer
outer:
  %i = phi i64 [1, %entry], [%i1, %placed]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %take, label %done
take:
  %pi = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %pi
  br label %inner
inner:
  %j = phi i64 [%i, %take], [%j1, %shift]
  %high = icmp sgt i64 %j, 0
  br i1 %high, label %look, label %placed
look:
  %j1 = sub i64 %j, 1
  %pj1 = getelementptr i64, ptr %a, i64 %j1
  %y = load i64, ptr %pj1
  %wrong = icmp sgt i64 %y, %x
  br i1 %wrong, label %shift, label %placed
shift:
  %pj = getelementptr i64, ptr %a, i64 %j
  store i64 %y, ptr %pj
  br label %inner
placed:
  %at = phi i64 [%j, %inner], [%j, %look]
  %pat = getelementptr i64, ptr %a, i64 %at
  store i64 %x, ptr %pat
  %i1 = add i64 %i, 1
  br label %outer
done:
  ret void
}

define internal void @reverse(ptr %a, i64 %n) nounwind {
entry:
  %end = sub i64 %n, 1
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %body]
  %j = phi i64 [%end, %entry], [%j1, %body]
  %more = icmp slt i64 %i, %j
  br i1 %more, label %body, label %done
body:
  %pi = getelementptr i64, ptr %a, i64 %i
  %pj = getelementptr i64, ptr %a, i64 %j
  %x = load i64, ptr %pi
  %y = load i64, ptr %pj
  store i64 %y, ptr %pi
  store i64 %x, ptr %pj
  %i1 = add i64 %i, 1
  %j1 = sub i64 %j, 1
  br label %head
done:
  ret void
}

; Rows of several words, compared word by word: -1, 0 or 1.
define internal i64 @compare_rows(ptr %a, ptr %b, i64 %width) nounwind {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %same]
  %more = icmp slt i64 %i, %width
  br i1 %more, label %look, label %equal
look:
  %pa = getelementptr i64, ptr %a, i64 %i
  %pb = getelementptr i64, ptr %b, i64 %i
  %x = load i64, ptr %pa
  %y = load i64, ptr %pb
  %i1 = add i64 %i, 1
  %differ = icmp ne i64 %x, %y
  br i1 %differ, label %decided, label %same
same:
  br label %head
decided:
  %less = icmp slt i64 %x, %y
  %sign = select i1 %less, i64 -1, i64 1
  ret i64 %sign
equal:
  ret i64 0
}

define internal void @sort_rows(ptr %a, i64 %n, i64 %width) nounwind {
entry:
  br label %outer
outer:
  %i = phi i64 [1, %entry], [%i1, %placed]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %inner, label %done
inner:
  %j = phi i64 [%i, %outer], [%j1, %swapped]
  %high = icmp sgt i64 %j, 0
  br i1 %high, label %look, label %placed
look:
  %j1 = sub i64 %j, 1
  %oj = mul i64 %j, %width
  %oj1 = mul i64 %j1, %width
  %pj = getelementptr i64, ptr %a, i64 %oj
  %pj1 = getelementptr i64, ptr %a, i64 %oj1
  %sign = call i64 @compare_rows(ptr %pj1, ptr %pj, i64 %width)
  %wrong = icmp sgt i64 %sign, 0
  br i1 %wrong, label %swap, label %placed
swap:
  %k = phi i64 [0, %look], [%k1, %swap1]
  %rest = icmp slt i64 %k, %width
  br i1 %rest, label %swap1, label %swapped
swap1:
  %pa = getelementptr i64, ptr %pj, i64 %k
  %pb = getelementptr i64, ptr %pj1, i64 %k
  %x = load i64, ptr %pa
  %y = load i64, ptr %pb
  store i64 %y, ptr %pa
  store i64 %x, ptr %pb
  %k1 = add i64 %k, 1
  br label %swap
swapped:
  br label %inner
placed:
  %i1 = add i64 %i, 1
  br label %outer
done:
  ret void
}

; Who has a place in an order with shared places: the first position, and how many.
define internal i64 @at_place(ptr %places, i64 %n, i64 %place, ptr %first) nounwind {
entry:
  store i64 0, ptr %first
  %last = icmp eq i64 %place, -1
  %some = icmp sgt i64 %n, 0
  %wanted = and i1 %last, %some
  br i1 %wanted, label %lowest, label %search
lowest:
  %n1 = sub i64 %n, 1
  %pn = getelementptr i64, ptr %places, i64 %n1
  %found = load i64, ptr %pn
  br label %search
search:
  %p = phi i64 [%place, %entry], [%found, %lowest]
  br label %head
head:
  %i = phi i64 [0, %search], [%i1, %next]
  %count = phi i64 [0, %search], [%count1, %next]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %look, label %done
look:
  %pi = getelementptr i64, ptr %places, i64 %i
  %x = load i64, ptr %pi
  %same = icmp eq i64 %x, %p
  br i1 %same, label %match, label %next
match:
  %start = icmp eq i64 %count, 0
  br i1 %start, label %note, label %next
note:
  store i64 %i, ptr %first
  br label %next
next:
  %one = zext i1 %same to i64
  %count1 = add i64 %count, %one
  %i1 = add i64 %i, 1
  br label %head
done:
  ret i64 %count
}

; The position of a value in a list, or -1.
define internal i64 @find(ptr %a, i64 %n, i64 %value) nounwind {
entry:
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %next]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %look, label %absent
look:
  %pi = getelementptr i64, ptr %a, i64 %i
  %x = load i64, ptr %pi
  %same = icmp eq i64 %x, %value
  br i1 %same, label %found, label %next
next:
  %i1 = add i64 %i, 1
  br label %head
found:
  ret i64 %i
absent:
  ret i64 -1
}
"""

SHORT_SETS = """
define internal i64 @short_count(ptr %z, i64 %value) nounwind {
entry:
  %n = load i64, ptr %z
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %look]
  %count = phi i64 [0, %entry], [%count1, %look]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %look, label %done
look:
  %i1 = add i64 %i, 1
  %pi = getelementptr i64, ptr %z, i64 %i1
  %x = load i64, ptr %pi
  %same = icmp eq i64 %x, %value
  %one = zext i1 %same to i64
  %count1 = add i64 %count, %one
  br label %head
done:
  ret i64 %count
}

; There is room: whoever calls has seen to it.
define internal void @short_add(ptr %z, i64 %value) nounwind {
entry:
  %n = load i64, ptr %z
  br label %head
head:
  %i = phi i64 [%n, %entry], [%i1, %shift]
  %high = icmp sgt i64 %i, 0
  br i1 %high, label %look, label %place
look:
  %pi = getelementptr i64, ptr %z, i64 %i
  %x = load i64, ptr %pi
  %wrong = icmp sgt i64 %x, %value
  br i1 %wrong, label %shift, label %place
shift:
  %up = add i64 %i, 1
  %pup = getelementptr i64, ptr %z, i64 %up
  store i64 %x, ptr %pup
  %i1 = sub i64 %i, 1
  br label %head
place:
  %at = add i64 %i, 1
  %pat = getelementptr i64, ptr %z, i64 %at
  store i64 %value, ptr %pat
  %n1 = add i64 %n, 1
  store i64 %n1, ptr %z
  ret void
}

; Whether the value was there to be removed.
define internal i1 @short_remove(ptr %z, i64 %value) nounwind {
entry:
  %n = load i64, ptr %z
  %values = getelementptr i64, ptr %z, i64 1
  %at = call i64 @find(ptr %values, i64 %n, i64 %value)
  %absent = icmp slt i64 %at, 0
  br i1 %absent, label %no, label %yes
yes:
  %place = getelementptr i64, ptr %values, i64 %at
  %next = getelementptr i64, ptr %place, i64 1
  %n1 = sub i64 %n, 1
  %rest = sub i64 %n1, %at
  %bytes = mul i64 %rest, 8
  call void @llvm.memmove.p0.p0.i64(ptr %place, ptr %next, i64 %bytes, i1 false)
  %end = getelementptr i64, ptr %values, i64 %n1
  store i64 0, ptr %end
  store i64 %n1, ptr %z
  ret i1 true
no:
  ret i1 false
}
"""

# The known bottom of a deck: how many, then which, words of 32 bits.
DECKS = """
define internal void @put_under(ptr %u, i64 %kind) nounwind {
  %n = load i32, ptr %u
  %n1 = add i32 %n, 1
  store i32 %n1, ptr %u
  %i = zext i32 %n1 to i64
  %p = getelementptr i32, ptr %u, i64 %i
  %k = trunc i64 %kind to i32
  store i32 %k, ptr %p
  ret void
}

; After a card left a deck that still holds `count` of its kind: its known bottom shrinks if that held the last copies.
define internal void @take_under(ptr %u, i64 %kind, i64 %count) nounwind {
entry:
  %n32 = load i32, ptr %u
  %n = zext i32 %n32 to i64
  %k = trunc i64 %kind to i32
  br label %head
head:
  %i = phi i64 [0, %entry], [%i1, %next]
  %known = phi i64 [0, %entry], [%known1, %next]
  %first = phi i64 [-1, %entry], [%first1, %next]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %next, label %decide
next:
  %i1 = add i64 %i, 1
  %pi = getelementptr i32, ptr %u, i64 %i1
  %x = load i32, ptr %pi
  %same = icmp eq i32 %x, %k
  %one = zext i1 %same to i64
  %known1 = add i64 %known, %one
  %none = icmp slt i64 %first, 0
  %new = and i1 %same, %none
  %first1 = select i1 %new, i64 %i, i64 %first
  br label %head
decide:
  %less = icmp sgt i64 %known, %count
  br i1 %less, label %shrink, label %done
shrink:
  %at = add i64 %first, 1
  %place = getelementptr i32, ptr %u, i64 %at
  %after = getelementptr i32, ptr %place, i64 1
  %rest0 = sub i64 %n, %at
  %bytes = mul i64 %rest0, 4
  call void @llvm.memmove.p0.p0.i64(ptr %place, ptr %after, i64 %bytes, i1 false)
  %end = getelementptr i32, ptr %u, i64 %n
  store i32 0, ptr %end
  %n1 = sub i32 %n32, 1
  store i32 %n1, ptr %u
  br label %done
done:
  ret void
}
"""


REPORTED = Region(Access.REPORT, 8)
"""The place of a failure, of which the head says where it is told; what it is about follows."""


def meanings(streams: Streams) -> dict[str, dict[str, Meant]]:
    """What the addresses in these functions are meant for, unless it is what they are given."""
    words: dict[str, Meant] = (
        {f"%r{number}": OffsetRegion(streams.step) for number in (1, 2, 3)} if streams.rows else {}
    )
    return {
        "below": words,
        "seed": words,
        "report": {"%words": REPORTED, "%what": OffsetRegion(8)},
        "has_failed": {"%words": REPORTED},
        "fail": {"%at": head_word(REPORT)},
        "note": {
            "%words": Region(Access.LOG_PLACE, 8),
            "%limit": OffsetRegion(8),
            "%log": Region(Access.LOG, 0, end="%end"),
        },
    }


def support(features: str, step: int) -> str:
    """All of it, for a processor with these features, and streams of random numbers whose words lie so far apart."""
    has = features.split(",")
    nth_set = NTH_SET_X86 if "+bmi2" in has else NTH_SET
    reports = REPORTS.replace("SAVING", "preserve_allcc" if "+64bit" in has else "ccc")
    return "\n".join(
        (INTRINSICS, RANDOM.replace("STEP", str(step)), nth_set, NTH_BIT, reports, SORTING, SHORT_SETS, DECKS)
    )
