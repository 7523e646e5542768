"""How a command says that it was asked for something impossible; `cli.py` turns it into a line and exit code 2."""


class UsageError(Exception):
    """Arguments that make no sense, alone or together. The message is one sentence for the user."""
