"""Scenarios run: one or many, what they cover, which changes of the rules they notice.

Builds on `analysis`, `data`, `engine`, `formats`, `ir`, `lowered`, `play`, `simulation`, `syntax`, `translate`.
"""
