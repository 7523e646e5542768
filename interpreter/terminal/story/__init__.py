"""What happened, in sentences: events, contests, chronicles."""
