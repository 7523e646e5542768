"""What the IR tells without being run (static analysis), and the way from files to a sound IR.

Builds on `data`, `ir`, `program`, `syntax`, `translate`.
"""
