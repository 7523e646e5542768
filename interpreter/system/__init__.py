"""What every stage may ask of the machine: files that appear whole, signals, standard streams, child processes.

Builds on nothing else.
"""
