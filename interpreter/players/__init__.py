"""Players: who answers the decisions of a game, each type in a file of its own, found by name in `registry`.

Builds on `engine`, `formats`, `ir`, `lowered`, `native/builds`, `native/llvm`, `native/lookahead`, `play`, `policy`.
"""
