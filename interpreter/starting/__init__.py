"""Where people start (scaffolding): what of a game can be set, a variant that lists it, a small game of one's own.

Builds on `data`.
"""
