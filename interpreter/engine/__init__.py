"""The interpreter: the lowered game as Python functions over a flat list of integers, and the machine to run them.

Builds on `analysis`, `ir`, `lowered`, `program`, `translate`.
"""
