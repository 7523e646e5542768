"""Best bids with proof: from the IR of a game and a position to a model, its solution and an explanation.

The stage comes after the interpreter. It reads the IR (`docs/ir.md`), where things lie in a position, and nothing of a
game's text.
"""
