"""What is counted in games, and means and shares with their intervals."""
