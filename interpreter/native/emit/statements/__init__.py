"""Statements as LLVM text: changes, control flow, latches, invariants, what is counted (code generation by node).

Builds on `analysis`, `ir`, `lowered`, `native/emit`, `native/emit/values_and_rankings`, `native/layout`, `native/llvm`,
`native/runtime`, `program`, `statistics`, `translate`.
"""
