"""Policies at native speed: features, odds and draws as LLVM text, weights as data, traces of what was drawn.

Builds on `ir`, `lowered`, `native/builds`, `native/emit`, `native/emit/decisions`, `native/emit/statements`,
`native/emit/values_and_rankings`, `native/layout`, `native/llvm`, `native/vector`, `play`, `policy`, `program`,
`statistics`.
"""
