"""The native kernel: the typed IR as machine code, for games by the million.

It says what the interpreter says, event by event, from the same lowered form. Nothing here builds on `engine`,
`syntax`, `data`.
"""
