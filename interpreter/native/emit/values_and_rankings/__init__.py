"""Expressions, zones, orders and rankings as LLVM text (code generation by node).

Builds on `ir`, `lowered`, `native/emit`, `native/layout`, `native/llvm`, `program`.
"""
