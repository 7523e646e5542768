"""Whole modules and what drives them: games by the million, games from any decision, checked builds."""
