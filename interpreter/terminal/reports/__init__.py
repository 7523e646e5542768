"""What came of long work, as tables, drawings and lists.

Builds on `analysis`, `comparing`, `formats`, `ir`, `learning`, `lowered`, `play`, `players`, `simulation`, `solver`,
`solver/methods`, `solver/worth`, `statistics`, `syntax`, `terminal/board`, `terminal/output`, `valuing`.
"""
