"""What happened, in sentences: events and contests.

Builds on `engine`, `formats`, `ir`, `lowered`, `play`, `program`, `terminal/output`.
"""
