"""Learning to play (reinforcement learning): tables for small games by regrets, policies of weights by playing.

Builds on `formats`, `lowered`, `native/builds`, `native/policy`, `play`, `players`, `policy`, `statistics`.
"""
