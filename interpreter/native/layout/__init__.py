"""Where everything lies in the memory of native code.

Builds on `ir`, `lowered`, `native/llvm`, `program`.
"""
