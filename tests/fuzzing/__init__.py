"""Hostile files for `tests/checking/test_fuzz.py`: where they come from, and how they are tried (fuzzing)."""
