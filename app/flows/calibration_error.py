"""How far probabilities lie from how often they come true."""

from __future__ import annotations

from collections.abc import Iterable

_BINS = 10


def calibration_error(outcomes: Iterable[tuple[float, bool]]) -> float:
    """Expected calibration error, 0 to 1, of probabilities and whether each came true; ten bins of equal width.

    Guo et al. 2017, equation 3. Raises ZeroDivisionError where there is no outcome.
    """
    gaps = [0.0] * _BINS
    count = 0
    for probability, true in outcomes:
        gaps[min(_BINS - 1, int(probability * _BINS))] += probability - true
        count += 1
    return sum(map(abs, gaps)) / count
