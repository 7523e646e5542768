"""Everything that can be found wrong with the files of games, in one run, and what is done about it.

Builds on `analysis`, `data`, `formats`, `meaning`, `policy`, `syntax`, `translate`.
"""
