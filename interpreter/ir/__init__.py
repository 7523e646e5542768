"""The intermediate representation: typed, structured rules with every parameter folded in. All back ends read it.

Builds on `program`.
"""
