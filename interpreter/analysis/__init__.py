"""What the IR tells without being run: secrecy, work, endings, bounds; and the way from files to a sound IR."""
