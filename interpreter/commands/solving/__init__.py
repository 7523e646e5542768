"""What `chocolatl solve` is made of: one question and its answer, many of them, an answer as JSON.

Builds on `checking`, `commands`, `commands/shared`, `data`, `formats`, `solver`, `solver/methods`, `solver/symbolic`,
`solver/worth`, `terminal/reports`.
"""
