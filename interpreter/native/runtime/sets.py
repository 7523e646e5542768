"""Short sets of values, and the known bottom of a deck (small sorted arrays)."""

from __future__ import annotations

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
; 2 and more tell where, 0 that it did not.
define internal i64 @take_under(ptr %u, i64 %kind, i64 %count) nounwind {
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
  %where = add i64 %first, 2
  ret i64 %where
done:
  ret i64 0
}
"""
