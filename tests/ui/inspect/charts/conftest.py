"""A theme for charts, and every chart with numbers in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

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
# Numbers of a long window take a while to make up, and are never changed.
attention = cache(partial(insides.attention, heads=3))
span_scores = cache(insides.span_scores)
KINDS = (
    TokenBars, SpanMatrix, VectorStrip, TokenText, AttentionGrid, AttentionLines, AttentionHeads, ScoreChange,
    ReliabilityChart,
)  # fmt: skip
ChartT = TypeVar("ChartT", bound=Chart)


def chart_of(kind: type[ChartT], theme: Theme, subject: Subject = insides.ASKED) -> ChartT:
    """A chart of a kind with the subject's numbers."""
    texts = (subject.text, subject.pair)
    titled: Any = kind
    made: Any = titled(theme, "A title") if kind in (VectorStrip, TokenText) else titled(theme)
    match made:
        case TokenBars() | SpanMatrix():
            made.set_scores(span_scores(subject), *texts)
        case VectorStrip():
            found = insides.pooling(subject)
            made.set_vectors((("First token", found.first), ("Pooled output", found.pooled)))
        case TokenText():
            window = insides.window_of(subject)
            made.set_window(window, *texts)
            made.set_values([insides.noise("value", at) for at in range(len(window.tokens))], "logits")
        case AttentionGrid() | AttentionLines() | AttentionHeads():
            made.set_attention(attention(subject), labels_of(attention(subject).window, *texts))
        case ScoreChange():
            made.set_removals(insides.removals(LookWithout(subject)))
        case ReliabilityChart():
            outcomes = [(at / 300, at % 3 > 0) for at in range(300)]
            made.set_reliability({kind: bins_of(outcomes[number:]) for number, kind in enumerate(TextKind)})
    return made


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme(Path(ROOT / "resources"))
    theme.choose("light")
    yield theme
    theme.choose("light")


class Make(Protocol):
    def __call__(self, kind: type[ChartT]) -> ChartT: ...


@pytest.fixture
def make(theme: Theme) -> Iterator[Make]:
    """Makes a shown chart of a kind, 900 pixels wide and as high as it asks."""
    made: list[Chart] = []

    def of(kind: type[ChartT]) -> ChartT:
        chart = chart_of(kind, theme)
        chart.resize(900, 400)
        chart.show()
        chart.resize(900, chart.sizeHint().height())
        made.append(chart)
        return chart

    yield of
    for chart in made:
        chart.close()
