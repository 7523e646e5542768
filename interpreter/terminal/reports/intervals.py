"""Estimates with their intervals: as JSON, and as people read them."""

from __future__ import annotations

from chocolatl.interpreter.statistics.estimates import ConfidenceInterval


def as_json(interval: ConfidenceInterval) -> dict[str, float | None]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def near(interval: ConfidenceInterval) -> str:
    """`15.28 ±0.05`; one game alone has no interval."""
    assert interval.mean is not None
    return f"{interval.mean:.2f}" + (f" ±{interval.high - interval.mean:.2f}" if interval.high is not None else "")


def shown(interval: ConfidenceInterval, factor: int = 1, unit: str = "") -> str:
    """`52.1 % (50.2 to 54.0)`; one game alone has no interval."""
    assert interval.mean is not None
    mean = f"{interval.mean * factor:.1f}{unit}"
    if interval.low is None or interval.high is None:
        return mean
    return f"{mean} ({interval.low * factor:.1f} to {interval.high * factor:.1f})"


def share(interval: ConfidenceInterval) -> str:
    """The same in hundredths."""
    return shown(interval, 100, " %")
