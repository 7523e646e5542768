"""Decisions and chance as LLVM text: what is drawn at random, and storing it (sampling).

Builds on `ir`, `lowered`, `native/emit`, `native/emit/statements`, `native/emit/values_and_rankings`, `native/layout`,
`native/llvm`, `program`.
"""
