"""The fourth stage: declarations with their names and types, for one game, variant and number of players."""
