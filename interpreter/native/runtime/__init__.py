"""LLVM functions that every kernel has, written once and by hand (a runtime library).

Builds on `native/layout`, `native/llvm`.
"""
