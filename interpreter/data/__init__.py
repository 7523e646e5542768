"""The third stage: the YAML side of a game, its variants and scenarios, read strictly and checked by schema."""
