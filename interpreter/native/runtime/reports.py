"""Failures and events, told to whoever runs a game (error reporting out of line)."""

from __future__ import annotations

from chocolatl.interpreter.native.layout.memory import REPORT
from chocolatl.interpreter.native.llvm.regions import Access, Region

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


REPORTED = Region(Access.REPORT, 8)
"""The place of a failure, of which the head says where it is told; what it is about follows."""
