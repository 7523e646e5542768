"""The interpreter: the IR as Python functions over a flat list of integers, and the machine that runs them."""
