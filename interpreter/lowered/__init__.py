"""What back ends share (the lowered form): the game cut into steps, each thing in its slot, values as numbers.

Each module is used by two back ends at least. Builds on `ir`, `program`.
"""
