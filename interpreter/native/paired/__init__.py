"""Paired games as native code: random numbers keyed by what each is for, and what came of each game in a row.

Builds on `ir`, `lowered`, `native/builds`, `native/emit`, `native/emit/decisions`, `native/emit/statements`,
`native/emit/values_and_rankings`, `native/layout`, `native/llvm`, `native/vector`, `play`, `program`.
"""
