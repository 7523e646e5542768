"""The commands: one module each, with `configure` for its arguments and `run` for its work and exit code."""
