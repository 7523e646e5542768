"""Functions that every kernel has, as one text for a processor (a runtime library)."""

from __future__ import annotations

from chocolatl.interpreter.native.layout.memory import REPORT, Streams, head_word
from chocolatl.interpreter.native.llvm.regions import Access, Meant, OffsetRegion, Region
from chocolatl.interpreter.native.runtime.random_numbers import NTH_BIT, NTH_SET, NTH_SET_X86, RANDOM
from chocolatl.interpreter.native.runtime.reports import REPORTED, REPORTS
from chocolatl.interpreter.native.runtime.sets import DECKS, SHORT_SETS
from chocolatl.interpreter.native.runtime.sorting import SORTING

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


def meanings(streams: Streams) -> dict[str, dict[str, Meant]]:
    """What the addresses in these functions are meant for, unless it is what they are given."""
    words: dict[str, Meant] = (
        {f"%r{number}": OffsetRegion(streams.step) for number in (1, 2, 3)} if streams.rows else {}
    )
    return {
        "below": words,
        "start_stream": words,
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
