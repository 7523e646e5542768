"""Where text for people goes: the console, tables, words for names and values."""
