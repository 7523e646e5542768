"""Policies: how to play any game well, as a log-linear form over what its rules declare (features, integer softmax).

Builds on `analysis`, `ir`, `lowered`, `program`.
"""
