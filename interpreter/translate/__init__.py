"""From the program to IR: every body of a rule file translated, with findings about what is wrong in it.

Builds on `data`, `ir`, `program`, `syntax`.
"""
