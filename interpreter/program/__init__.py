"""Declarations with names and types (name resolution), for one game, variant and number of players.

Builds on `data`, `ir`, `syntax`.
"""
