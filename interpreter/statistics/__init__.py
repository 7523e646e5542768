"""What is counted in games, and means and shares with their intervals.

Builds on `analysis`, `ir`, `lowered`, `program`, `translate`.
"""
