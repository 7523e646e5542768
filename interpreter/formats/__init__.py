"""The files that people and programs exchange about a game: transcripts, scenarios, positions, valuations.

Builds on `analysis`, `data`, `engine`, `ir`, `lowered`, `native/llvm`, `play`, `policy`, `program`, `syntax`,
`translate`.
"""
