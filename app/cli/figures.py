"""Figures of pretraining, of names and of questions on whole documents as tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from app.cli.terminal import one_line
from app.core.wording import count, duration
from app.flows.measure.evaluate_asked import AskedEvaluation, AskedFigures
from app.flows.measure.evaluate_names import NamesEvaluation, OneKind
from app.flows.measure.evaluate_pretraining import PairFigures, PretrainingEvaluation, WordFigures


def print_pretraining(found: PretrainingEvaluation) -> None:
    """Print what was measured of masked words and next sentences, over all and by source."""
    print(f"{found.model}: {count(found.texts, 'text')} in {duration(found.seconds)}")
    rows = [("all", found.words, found.pairs)]
    if len(found.words_by_source) > 1:
        rows += [(s, own, found.pairs_by_source.get(s)) for s, own in found.words_by_source.items()]
    _table(
        ("masked", "top 1", "top 5", "loss", "pairs", "next", "ordered"),
        [(name, [*_words(words), *_pairs(pairs)]) for name, words, pairs in rows],
    )


def print_names(found: NamesEvaluation) -> None:
    """Print precision, recall and F1 of names, over all, by kind and by source."""
    print(f"{found.model}: {count(found.texts, 'text')} in {duration(found.seconds)}")
    sources = found.by_source if len(found.by_source) > 1 else {}
    rows = [("all", found.overall), *found.by_kind.items(), *sources.items()]
    _table(("names", "found", "precision", "recall", "F1"), [(name, _names(own)) for name, own in rows])


def print_asked(found: AskedEvaluation) -> None:
    """Print what was measured of questions on whole documents or tables, over all, by kind and by file or source."""
    asked = count(found.overall.questions, "question")
    asked = asked if found.complete else f"{found.overall.questions:,} of {count(found.total, 'question')}"
    read = f"{count(found.windows, 'window')} in {duration(found.seconds)}"
    print(f"{found.model}, on {found.device}: {asked}, {read}")
    if found.moved:
        print(f"Of {count(found.moved, 'question')} the places were found anew, as other words stand there.")
    if found.lost:
        print(f"Of {count(found.lost, 'question')} no acceptable answer stands in the text.")
    print(f"Calibration error of the best span's probability: {found.calibration_error:.2f}")
    rows = [("all", found.overall), *(row for figures in found.by.values() for row in figures.items())]
    cells = zip(*(_asked(figures) for _, figures in rows), strict=True)
    columns = ("questions", "right", "in place", "F1", "refused", "forced")
    told = [(name, own) for name, own in zip(columns, cells, strict=True) if set(own) != {"-"}]
    lines = zip(*(own for _, own in told), strict=True)
    _table([name for name, _ in told], [(name, own) for (name, _), own in zip(rows, lines, strict=True)])


def _table(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> None:
    width = max(len(one_line(name)) for name, _ in rows)
    print(" " * width, *(f"{column:>9}" for column in columns))
    for name, cells in rows:
        print(f"{one_line(name):<{width}}", *(f"{cell:>9}" for cell in cells))


def _words(figures: WordFigures) -> list[str]:
    return [f"{figures.words:,}", f"{figures.top1:.4f}", f"{figures.top5:.4f}", f"{figures.loss:.4f}"]


def _pairs(figures: PairFigures | None) -> list[str]:
    if figures is None:
        return ["-"] * 3
    return [f"{figures.pairs:,}", f"{figures.accuracy:.4f}", f"{figures.ordered:.4f}"]


def _names(figures: OneKind) -> list[str]:
    shares = (figures.precision, figures.recall, figures.f1)
    return [f"{figures.names:,}", f"{figures.found:,}", *(f"{share:.4f}" for share in shares)]


def _asked(figures: AskedFigures) -> list[str]:
    shares = (figures.right, figures.placed, figures.f1, figures.refused, figures.forced)
    return [f"{figures.questions:,}", *("-" if share is None else f"{share:.1f}" for share in shares)]
