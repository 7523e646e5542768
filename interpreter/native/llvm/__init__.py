"""The language of LLVM: text of functions, memory regions, the compiler and its cache.

Builds on `ir`.
"""
