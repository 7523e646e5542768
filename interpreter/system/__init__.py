"""What every stage may ask of the machine: files that appear whole or come with the program, signals, standard streams,
child processes.

Builds on nothing else.
"""
