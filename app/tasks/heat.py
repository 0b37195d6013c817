"""Where in documents answers were seen, in a few equal parts a document."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.models import QaCalibration
from app.core.results import HEAT_BINS
from app.core.text import Document
from app.tasks.scores import answer_probabilities
from app.tasks.spans import Candidate

# What is less likely than that leaves no trace.
LEAST_HEAT = 0.01
_COLD = (0.0,) * HEAT_BINS


class Heat:
    """The largest margin of an answer that was seen in each part of each document."""

    def __init__(self, documents: Sequence[Document], calibration: QaCalibration) -> None:
        self._calibration = calibration
        self._lengths = [len(document.text) for document in documents]
        self._margins: dict[int, np.ndarray] = {}
        odds = np.log(LEAST_HEAT / (1 - LEAST_HEAT))
        self.least_margin = float(calibration.offset + calibration.temperature * odds)
        """A margin below which a span leaves no trace, however few windows there are."""

    def add(self, seen: Candidate) -> bool:
        """Takes in the best span of a window; whether the picture has changed."""
        if seen.margin < self.least_margin:
            return False
        margins = self._margins.setdefault(seen.document, np.full(HEAT_BINS, -np.inf))
        length = self._lengths[seen.document]
        first = seen.span.start * HEAT_BINS // length
        last = max(first, (seen.span.end - 1) * HEAT_BINS // length)
        part = margins[first : last + 1]
        if (part >= seen.margin).all():
            return False
        np.maximum(part, seen.margin, out=part)
        return True

    def values(self, windows: int) -> tuple[tuple[float, ...], ...]:
        """For each document the highest probability of an answer in each of its parts, where so many windows stand."""
        return tuple(
            _COLD
            if (margins := self._margins.get(number)) is None
            else tuple(answer_probabilities(self._calibration, margins, windows).tolist())
            for number in range(len(self._lengths))
        )
