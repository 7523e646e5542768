"""Best bids with proof: from the IR of a game and a position to a model, its solution and an explanation.

Nothing here builds on `syntax`, `data`. Builds on `formats`, `ir`, `lowered`, `play`, `players`, `policy`,
`solver/backends`, `solver/methods`, `solver/symbolic`, `solver/worth`.
"""
