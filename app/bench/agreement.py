"""How far answers agree with those of float32, and with the reference's."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from statistics import mean

from app.bench.reference_client import ReferenceAnswer
from app.bench.results import BenchRow
from app.core.errors import SpanlightError
from app.core.models import Head
from app.core.report import Report
from app.core.requests import TextsToClassify
from app.core.results import Classifications, Reading
from app.flows.workspace import Workspace
from app.training.examples import QaExample
from app.training.metrics import f1

_NONE = ("",)  # the right answer if the text has none


def agreement_with_float32(
    readings: Sequence[Reading], exact: Sequence[Reading], examples: Sequence[QaExample]
) -> list[BenchRow]:
    """Compare readings with those of transformers' own class in float32, question by question."""
    pairs = list(zip(readings, exact, strict=True))
    same = mean(float(_best(one) == _best(other)) for one, other in pairs)
    apart = max(abs(one.no_answer_probability - other.no_answer_probability) for one, other in pairs)
    scores = [
        mean(_f1(one, example) for one, example in zip(each, examples, strict=True))
        for each in (readings, exact)
    ]
    return [
        BenchRow("best spans that are float32's", 100 * same, "%", more_is_better=True),
        BenchRow("F1", 100 * scores[0], "%", more_is_better=True),
        BenchRow("F1 in float32", 100 * scores[1], "%", more_is_better=True),
        BenchRow("largest difference of a probability", 100 * apart, "%"),
    ]


def span_agreement_with_float32(reading: Reading, exact: Reading) -> BenchRow:
    """Compare the spans of a reading with those of transformers' own class in float32, rank by rank."""
    pairs = zip_longest((one.span for one in reading.answers), (one.span for one in exact.answers))
    same = [float(one == other) for one, other in pairs]
    what = f"the {len(same)} best spans of a long document that are float32's"
    return BenchRow(what, 100 * mean(same) if same else 100.0, "%", more_is_better=True)


def class_agreement_with_float32(
    workspace: Workspace, texts: Sequence[str], device: str, report: Report
) -> list[BenchRow]:
    """Compare the classifier's probabilities with those of transformers' own class in float32.

    Returns no rows if no classifier is installed.
    """
    try:
        choice = workspace.choose(Head.CLASSIFICATION, "", device, report, use=False)
    except SpanlightError:
        return []
    request = TextsToClassify(tuple(texts))
    found: Classifications = workspace.engine.run(request, choice, report)
    exact: Classifications = workspace.engine.run_opened(request, choice, report)
    apart = max(
        abs(one.probability - other.probability)
        for mine, right in zip(found.items, exact.items, strict=True)
        for one, other in zip(mine.scores, right.scores, strict=True)
    )
    return [BenchRow(f"largest difference of a class's probability, {len(texts)} texts", 100 * apart, "%")]


def agreement_with_reference(
    readings: Sequence[Reading], answers: Sequence[Sequence[ReferenceAnswer]]
) -> list[BenchRow]:
    """Compare the best spans with those of the reference."""
    pairs = [
        (_best(reading), (found[0].start, found[0].end) if found else None)
        for reading, found in zip(readings, answers, strict=True)
    ]
    same = mean(float(one == other) for one, other in pairs)
    both = [
        bool(one and other and max(one[0], other[0]) < min(one[1], other[1])) or one == other
        for one, other in pairs
    ]
    return [
        BenchRow("best spans that are the reference's", 100 * same, "%", more_is_better=True),
        BenchRow(
            "best spans that share words with it", 100 * mean(map(float, both)), "%", more_is_better=True
        ),
    ]


def _best(reading: Reading) -> tuple[int, int] | None:
    return (reading.answers[0].span.start, reading.answers[0].span.end) if reading.answers else None


def _f1(reading: Reading, example: QaExample) -> float:
    given = reading.best.text if reading.best else ""
    return f1(given, [text for text, _ in example.answers] or _NONE)
