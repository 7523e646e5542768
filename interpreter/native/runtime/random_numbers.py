"""Random numbers as `chocolatl.interpreter.lowered.random` has them, and the n-th bit of a word (xoshiro128++, bit
select)."""

from __future__ import annotations

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
  call void @start_stream(ptr %r, i64 %start)
  ret void
}

define internal void @start_stream(ptr %r, i64 %start) nounwind alwaysinline {
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
