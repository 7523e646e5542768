"""The files that people and programs exchange about a game: transcripts, scenarios, positions, valuations."""
