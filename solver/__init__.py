"""Best bids with proof: from the IR of a game and a position to a model, its solution and an explanation.

The stage comes after the interpreter and reads only the IR (`docs/ir.md`) and positions.
"""
