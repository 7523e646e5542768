"""What an answer is worth: scenarios, objectives, contests, what one more would bring."""
