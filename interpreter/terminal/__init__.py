"""What people see in a terminal: boards, stories, questions, findings."""
