"""Decisions as questions at the keyboard.

Builds on `ir`, `lowered`, `play`, `program`, `terminal/board`, `terminal/output`, `terminal/story`.
"""
