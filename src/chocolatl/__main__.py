"""The process of the command: `python -m chocolatl`, the script `chocolatl` and `python cli.py` all begin here."""

import os
import signal
import sys

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # An interruption during the imports that follow would be a traceback; nothing is at stake yet.
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))


def main() -> int:
    from chocolatl import cli

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
