"""What happened, in sentences: events, contests, chronicles.

Builds on `engine`, `formats`, `ir`, `lowered`, `play`, `program`, `syntax`, `terminal/output`.
"""
