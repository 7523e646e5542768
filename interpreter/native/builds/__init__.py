"""Whole modules and what plays them by the game contract: by the million, from any decision, or checked.

Builds on `analysis`, `ir`, `lowered`, `native/emit`, `native/emit/decisions`, `native/emit/statements`,
`native/emit/values_and_rankings`, `native/layout`, `native/llvm`, `native/runtime`, `native/vector`, `play`, `program`,
`statistics`.
"""
