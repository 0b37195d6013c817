"""Where in documents answers were seen, in a few equal parts a document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from app.core.models import QaCalibration
from app.core.results import HEAT_BINS
from app.core.text import Document
from app.tasks.qa.spans import Candidate

# What is weaker than that leaves no trace.
LEAST_HEAT = 0.01
_COLD = (0.0,) * HEAT_BINS


def heat(
    documents: Sequence[Document], seen: Iterable[Candidate], says: float, calibration: QaCalibration
) -> tuple[tuple[float, ...], ...]:
    """How strongly each document's `HEAT_BINS` equal parts speak for an answer, 0 to 1.

    A part with the best candidate has `says`, the probability that the text answers; others have as much less as their
    best one is less likely than that by the calibration's answer temperature. Equally good places are equally strong.
    """
    candidates = list(seen)
    best = max((candidate.margin for candidate in candidates), default=0.0)
    parts: dict[int, list[float]] = {}
    for candidate in candidates:
        strength = says * math.exp((candidate.margin - best) / calibration.answer_temperature)
        if strength < LEAST_HEAT:
            continue
        length = len(documents[candidate.document].text)
        own = parts.setdefault(candidate.document, [0.0] * HEAT_BINS)
        first = candidate.span.start * HEAT_BINS // length
        for part in range(first, max(first, (candidate.span.end - 1) * HEAT_BINS // length) + 1):
            own[part] = max(own[part], strength)
    return tuple(tuple(parts[number]) if number in parts else _COLD for number in range(len(documents)))
