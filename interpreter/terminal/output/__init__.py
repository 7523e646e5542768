"""Where text for people goes: the console, tables, words for names and values.

Builds on `ir`, `lowered`, `play`, `program`, `syntax`.
"""
