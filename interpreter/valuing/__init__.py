"""What holdings are worth, estimated from games (fitting a linear evaluation function).

Builds on `formats`, `ir`, `play`, `program`, `simulation`, `statistics`.
"""
