"""The symbolic run: rules carried out over linear expressions (symbolic execution).

Builds on `ir`, `lowered`, `program`, `solver/model`.
"""
