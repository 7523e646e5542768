"""A model that no solver is named in: linear expressions, literals, constraints, propagation.

Builds on nothing else.
"""
