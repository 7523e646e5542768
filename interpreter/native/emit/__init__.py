"""From the IR to the text of LLVM functions (code generation): the context that all of it shares, and passes.

Builds on `analysis`, `ir`, `lowered`, `native/layout`, `native/llvm`, `program`, `statistics`.
"""
