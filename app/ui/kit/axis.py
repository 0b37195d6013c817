"""The marks of a value axis."""

from __future__ import annotations

import math


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Round values from low to high, 1, 2 or 5 times a power of ten apart, at most `most` steps between them."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    rough = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [each * step for each in range(first, last + 1)]


def tick_label(value: float) -> str:
    """A mark in words, no longer than it must be, with a true minus sign."""
    said = f"{value:.6g}" if abs(value) >= 1e-3 or value == 0 else f"{value:.0e}"
    return said.replace("-", "−")
