"""Figures of pretraining and of names as tables on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from app.cli.terminal import one_line
from app.core.wording import count, duration
from app.flows.evaluate_names import NamesEvaluation, OneKind
from app.flows.evaluate_pretraining import PairFigures, PretrainingEvaluation, WordFigures


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
