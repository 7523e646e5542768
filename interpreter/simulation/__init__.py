"""Many games of one seed, dealt out to processes, and counted.

Builds on `formats`, `lowered`, `native/builds`, `native/llvm`, `native/lookahead`, `native/policy`, `play`,
`players`, `policy`, `statistics`.
"""
