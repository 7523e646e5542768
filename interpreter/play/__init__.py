"""The game contract, and one game from its first event to its last.

Builds on `analysis`, `data`, `engine`, `ir`, `lowered`, `program`.
"""
