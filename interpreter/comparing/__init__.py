"""What a change of rules does: what differs in the rules, and by paired games what differs in play (A/B testing).

Builds on `data`, `formats`, `native/paired`, `play`, `players`, `simulation`, `statistics`, `syntax`.
"""
