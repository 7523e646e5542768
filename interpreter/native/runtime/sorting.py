"""Sorting numbers and rows of keys, and looking for somebody in an order (insertion sort, linear search)."""

from __future__ import annotations

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
