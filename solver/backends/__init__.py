"""Who finds the best answer of a model: CP-SAT, or a table of all answers.

Builds on `native/llvm`, `solver/model`, `solver/symbolic`.
"""
