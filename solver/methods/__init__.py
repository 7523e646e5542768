"""Ways to the best answer: by a model, nested samples, sampling, search, every history.

Where others answer in secret, their part is played on the interpreter's machine. Builds on `engine`, `formats`, `ir`,
`lowered`, `native/builds`, `native/llvm`, `native/lookahead`, `native/policy`, `play`, `players`, `policy`, `program`,
`solver/backends`, `solver/model`, `solver/symbolic`, `solver/worth`.
"""
