"""Players: who answers the decisions of a game, each type in a file of its own, found by name in `registry`."""
