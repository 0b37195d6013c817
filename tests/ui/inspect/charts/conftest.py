"""A theme for charts, and every chart with numbers in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.core.inspection import LookWithout, Subject
from app.core.reliability import TextKind, bins_of
from app.ui.inspect.charts.attention import AttentionGrid, AttentionHeads, AttentionLines
from app.ui.inspect.charts.score_change import ScoreChange
from app.ui.inspect.charts.span_matrix import SpanMatrix
from app.ui.inspect.charts.token_bars import TokenBars
from app.ui.inspect.charts.token_text import TokenText
from app.ui.inspect.charts.tokens import labels_of
from app.ui.inspect.charts.vector_strip import VectorStrip
from app.ui.kit.chart import Chart
from app.ui.kit.theme import Theme
from app.ui.models.reliability import ReliabilityChart
from tests.conftest import ROOT
from tests.helpers import insides

LONG = Subject(insides.ASKED.head, " ".join([insides.TEXT] * 12), insides.QUESTION, focus=insides.ANSWER)
Make = Callable[[str], Chart]
# Numbers of a long window take a while to make up, and are never changed.
attention = cache(partial(insides.attention, heads=3))
span_scores = cache(insides.span_scores)
KINDS = ("bars", "matrix", "strip", "text", "grid", "lines", "heads", "change", "reliability")


def chart_of(kind: str, theme: Theme, subject: Subject = insides.ASKED) -> Chart:
    text, pair = subject.text, subject.pair
    match kind:
        case "bars":
            bars = TokenBars(theme)
            bars.set_scores(span_scores(subject), text, pair)
            return bars
        case "matrix":
            matrix = SpanMatrix(theme)
            matrix.set_scores(span_scores(subject), text, pair)
            return matrix
        case "strip":
            strip = VectorStrip(theme, "First token and pooled output")
            found = insides.pooling(subject)
            strip.set_vectors((("First token", found.first), ("Pooled output", found.pooled)))
            return strip
        case "text":
            shaded = TokenText(theme, "What speaks for it")
            window = insides.window_of(subject)
            shaded.set_window(window, text, pair)
            shaded.set_values([insides.noise("value", at) for at in range(len(window.tokens))], "logits")
            return shaded
        case "grid":
            grid = AttentionGrid(theme)
            grid.set_attention(attention(subject), labels_of(attention(subject).window, text, pair))
            return grid
        case "lines":
            lines = AttentionLines(theme)
            lines.set_attention(attention(subject), labels_of(attention(subject).window, text, pair))
            return lines
        case "heads":
            heads = AttentionHeads(theme)
            heads.set_attention(attention(subject), labels_of(attention(subject).window, text, pair))
            return heads
        case "change":
            change = ScoreChange(theme)
            change.set_removals(insides.removals(LookWithout(subject)))
            return change
        case "reliability":
            reliability = ReliabilityChart(theme)
            outcomes = [(at / 300, at % 3 > 0) for at in range(300)]
            reliability.set_reliability(
                {kind: bins_of(outcomes[number:]) for number, kind in enumerate(TextKind)}
            )
            return reliability
    raise AssertionError(kind)


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(Path(ROOT / "resources"))
    theme.choose("light")
    yield theme
    theme.choose("light")


@pytest.fixture
def make(theme: Theme) -> Iterator[Make]:
    """Makes a shown chart of a kind, 900 pixels wide and as high as it asks."""
    made: list[Chart] = []

    def of(kind: str) -> Chart:
        chart = chart_of(kind, theme)
        chart.resize(900, 400)
        chart.show()
        chart.resize(900, chart.sizeHint().height())
        made.append(chart)
        return chart

    yield of
    for chart in made:
        chart.close()
