"""What people see in a terminal: boards, stories, questions, findings. Made from the contract, for any game."""
