"""What commands share: wrong usage, arguments that are numbers, the options of a question, how far long work is,
and what is done about a policy for other rules.

Builds on `checking`, `data`, `formats`, `learning`, `play`, `players`, `simulation`, `solver`, `solver/worth`,
`terminal/output`, `terminal/reports`.
"""
