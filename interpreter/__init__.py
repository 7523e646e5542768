"""Board-game rules as text: from source to a running game, stage by stage."""

VERSION = "0.1.0"
