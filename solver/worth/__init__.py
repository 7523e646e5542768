"""What an answer is worth: scenarios, objectives, contests, what one more would bring.

Builds on `formats`, `ir`, `lowered`, `play`, `players`, `program`, `solver/model`, `solver/symbolic`.
"""
