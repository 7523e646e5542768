"""What rules say and nobody can mean (linting): conditions without a choice, data that flow nowhere, secrets laid open.

All of it is seen in the text, for all values that the parameters may have and for every number of players.

Builds on `data`, `ir`, `program`, `syntax`, `translate`.
"""
