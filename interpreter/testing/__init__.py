"""Scenarios run: one or many, what they cover, which changes of the rules they notice."""
