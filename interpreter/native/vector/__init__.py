"""Passes that do for all players at once what the rules say of one after the other (vectorisation, SIMD).

Builds on `ir`, `lowered`, `native/emit`, `native/emit/decisions`, `native/emit/statements`,
`native/emit/values_and_rankings`, `native/layout`, `native/llvm`, `program`.
"""
