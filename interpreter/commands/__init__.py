"""The commands: one module each, with `configure` for its arguments and `run` for its work and exit code.

What they share lies in `shared`. Here options have their names; what is asked knows none. Builds on `checking`,
`commands/shared`, `commands/solving`, `comparing`, `data`, `formats`, `ir`, `learning`, `lowered`, `native/builds`,
`native/llvm`, `play`, `players`, `policy`, `program`, `simulation`, `solver`, `solver/methods`, `solver/symbolic`,
`solver/worth`, `starting`, `syntax`, `terminal/asking`, `terminal/board`, `terminal/output`, `terminal/reports`,
`terminal/story`, `testing`, `valuing`.
"""
