"""Whole modules and what plays them by the game contract: by the million, from any decision, or checked.

Builds on `analysis`, `ir`, `lowered`, `native/emit`, `native/layout`, `native/llvm`, `play`, `program`, `statistics`.
"""
