"""The YAML side of a game, its variants and scenarios, read strictly and checked by schema.

Builds on `syntax`.
"""
