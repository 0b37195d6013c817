"""Reliability of a reader's probabilities: how often it is right at each level of probability, by kind of text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from app.core.message import Message

BINS = 10
# The quantile of the standard normal distribution for a 95% interval.
_Z = 1.959964


class TextKind(StrEnum):
    """A kind of text that a reader is asked about; its calibration may differ between kinds."""

    PARAGRAPHS = "paragraphs"
    LONG_DOCUMENTS = "long documents"
    TABLES = "tables"


def text_kind(windows: int, *, is_table: bool) -> TextKind:
    """Return the kind of a text that is read in this number of windows."""
    if is_table:
        return TextKind.TABLES
    return TextKind.LONG_DOCUMENTS if windows > 1 else TextKind.PARAGRAPHS


_TITLES = {
    TextKind.PARAGRAPHS: Message("Paragraphs"),
    TextKind.LONG_DOCUMENTS: Message("Long documents"),
    TextKind.TABLES: Message("Tables"),
}


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The questions whose best span has a probability in one tenth of the scale.

    `said` is the mean of these probabilities, `right` the share of such spans that are right; both are 0 to 1, and 0
    without questions.
    """

    questions: int
    said: float
    right: float


# The ten bins, in ascending order of probability.
Bins = tuple[ReliabilityBin, ...]
Reliability = dict[TextKind, Bins]


def bins_of(outcomes: Iterable[tuple[float, bool]]) -> Bins:
    """Sort outcomes, a probability and whether it came true, into ten bins of equal width."""
    questions, probabilities, right = [0] * BINS, [0.0] * BINS, [0] * BINS
    for probability, true in outcomes:
        at = min(BINS - 1, int(probability * BINS))
        questions[at] += 1
        probabilities[at] += probability
        right[at] += true
    return tuple(
        ReliabilityBin(number, of_probability / max(1, number), of_right / max(1, number))
        for number, of_probability, of_right in zip(questions, probabilities, right, strict=True)
    )


def reliability_of(outcomes: Iterable[tuple[TextKind, float, bool]]) -> Reliability:
    """Sort outcomes, a kind of text, a probability and whether it came true, into bins by kind, to four decimals."""
    by_kind: dict[TextKind, list[tuple[float, bool]]] = {}
    for kind, probability, true in outcomes:
        by_kind.setdefault(kind, []).append((probability, true))
    return {
        kind: tuple(
            replace(each, said=round(each.said, 4), right=round(each.right, 4)) for each in bins_of(found)
        )
        for kind, found in by_kind.items()
    }


def question_count(bins: Bins) -> int:
    """Count the questions in the bins."""
    return sum(each.questions for each in bins)


def expected_calibration_error(bins: Bins) -> float:
    """Return the mean gap, 0 to 1, between the stated probability and the share that is right.

    Guo et al. 2017, equation 3. Raises ZeroDivisionError if there is no question.
    """
    return sum(each.questions * abs(each.said - each.right) for each in bins) / question_count(bins)


def error_by_chance(bins: Bins) -> float:
    """Return the `expected_calibration_error` that a perfectly calibrated reader would show on as many questions.

    A share of n questions deviates from its probability p by about sqrt(2 p (1 - p) / (pi n)) on average.
    """
    deviations = (math.sqrt(2 * each.questions * each.said * (1 - each.said) / math.pi) for each in bins)
    return sum(deviations) / question_count(bins)


def calibration_error(outcomes: Iterable[tuple[float, bool]]) -> float:
    """Return `expected_calibration_error` of outcomes: a probability, and whether it came true."""
    return expected_calibration_error(bins_of(outcomes))


def interval(right: int, total: int) -> tuple[float, float]:
    """Return the 95% interval, within 0 to 1, of the share `right` of `total`, at least one (Wilson 1927)."""
    share, square = right / total, _Z * _Z / total
    middle = (share + square / 2) / (1 + square)
    half = _Z / (1 + square) * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, middle - half), min(1.0, middle + half)


def calibration_error_in_words(kind: TextKind, bins: Bins) -> str:
    """Say `expected_calibration_error` in words: "Paragraphs: off by 3 points on average (600 questions)"."""
    points = round(100 * expected_calibration_error(bins))
    values = {
        "kind": _TITLES[kind],
        "n": points,
        "questions": Message("{n:,} question", "{n:,} questions", n=question_count(bins)),
    }
    if not points:
        return Message("{kind}: off by less than 1 point on average ({questions})", **values)
    return Message(
        "{kind}: off by {n} point on average ({questions})",
        "{kind}: off by {n} points on average ({questions})",
        **values,
    )
