"""Looking ahead as native code: worlds dealt, answers tried, the best one found; whole games of players who do so.

Builds on `ir`, `lowered`, `native/builds`, `native/emit`, `native/emit/decisions`, `native/emit/statements`,
`native/emit/values_and_rankings`, `native/layout`, `native/llvm`, `native/policy`, `play`, `policy`, `program`.
"""
