"""Positions drawn: grids, tables of fields, boards.

Builds on `engine`, `ir`, `play`, `program`, `terminal/output`, `terminal/story`, `translate`.
"""
