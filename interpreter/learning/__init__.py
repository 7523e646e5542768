"""Learning to play (reinforcement learning): tables for small games by regrets, policies of weights by playing.

Builds on `formats`, `ir`, `lowered`, `native/builds`, `native/policy`, `play`, `players`, `policy`, `program`,
`statistics`.
"""
