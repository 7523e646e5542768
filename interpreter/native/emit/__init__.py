"""From the IR to the text of LLVM functions (code generation): expressions, statements, questions, rankings.

Builds on `analysis`, `ir`, `lowered`, `native/layout`, `native/llvm`, `program`, `statistics`, `translate`.
"""
