"""Many games of one seed, dealt out to processes, and counted."""
