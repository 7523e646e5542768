"""The native kernel: the typed IR as machine code, for games by the million.

It says what the interpreter says, event by event; what is here consumes the IR and nothing of a game's text.
"""
