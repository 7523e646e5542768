"""Results as rows: plain dictionaries, always; as a table of pandas or Polars, where one of these is installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any

from chocolatl.interpreter.interface.errors import ChocolatlError

Row = dict[str, Any]


class Rowed(ABC):
    """Something that has rows."""

    @property
    @abstractmethod
    def rows(self) -> list[Row]:
        """Each a dictionary with the same keys."""

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`."""
        return _library("pandas").DataFrame(self.rows)

    def to_polars(self) -> Any:
        """A `polars.DataFrame`."""
        return _library("polars").DataFrame(self.rows)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise ChocolatlError(f"{name} is not installed; `.rows` has the same as dictionaries") from None
