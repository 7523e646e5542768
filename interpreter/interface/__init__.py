"""The Python interface (facade): games, positions, answers and series as objects, with the command line's defaults.

Builds on `checking`, `commands`, `commands/shared`, `commands/solving`, `comparing`, `data`, `formats`, `learning`,
`lowered`, `native/builds`, `play`, `players`, `simulation`, `solver`, `solver/methods`, `solver/symbolic`,
`solver/worth`, `terminal/reports`, `testing`.
"""
