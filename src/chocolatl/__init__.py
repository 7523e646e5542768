"""Board-game rules as text. All of the program is imported below this one name.

What programs may rely on is `load` and what it leads to (docs/python.md); it is imported when it is asked for.

Where the distribution is installed its parts lie in this folder. In a checkout they lie at the top, where people look
for them, and are found there (`__path__`).
"""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chocolatl.interpreter.interface.comparisons import compare as compare
    from chocolatl.interpreter.interface.errors import ChocolatlError as ChocolatlError
    from chocolatl.interpreter.interface.games import BoardGame as BoardGame
    from chocolatl.interpreter.interface.games import load as load
    from chocolatl.interpreter.interface.positions import TablePosition as TablePosition
    from chocolatl.interpreter.interface.transcripts import replay as replay

_here = os.path.dirname(__file__)
if not os.path.isdir(os.path.join(_here, "interpreter")):
    __path__.append(os.path.dirname(os.path.dirname(_here)))


_PUBLIC = {
    "BoardGame": "games",
    "ChocolatlError": "errors",
    "TablePosition": "positions",
    "compare": "comparisons",
    "load": "games",
    "replay": "transcripts",
}
"""What programs may rely on, and where it is."""


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module `chocolatl` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module(f"chocolatl.interpreter.interface.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
