"""How far probabilities lie from how often they come true."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.reliability import bins_of, off_by


def calibration_error(outcomes: Iterable[tuple[float, bool]]) -> float:
    """Expected calibration error, 0 to 1, of probabilities and whether each came true; ten bins of equal width.

    Guo et al. 2017, equation 3. Raises ZeroDivisionError where there is no outcome.
    """
    return off_by(bins_of(outcomes))
