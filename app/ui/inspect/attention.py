"""Attention weights between tokens, in any layer and attention head."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QLabel

from app.core.inside import Attention, InputWindow
from app.core.inside import Part as TokenPart
from app.core.inspection import LookAtAttention
from app.core.text import Span
from app.ui.inspect.bars import bar_of
from app.ui.inspect.charts.attention_grid import AttentionGrid
from app.ui.inspect.charts.attention_heads import AttentionHeads
from app.ui.inspect.charts.attention_lines import AttentionLines
from app.ui.inspect.part import Part
from app.ui.inspect.section import Section
from app.ui.kit.chart import link
from app.ui.kit.segments import Segments

_LINES, _GRID = "lines", "grid"


class AttentionPart(Part):
    """Choices of layer and head; the weights as lines from the current token, or all of them as a grid."""

    def __init__(self, section: Section) -> None:
        theme = section.theme
        super().__init__(
            theme, "Where each token looks", "attention, softmax(QKᵀ / √d)",
            "In every layer each head shares one whole out over all tokens: what a token takes up comes from where it"
            " looks. Looking somewhere is not yet a reason: much of it goes to special tokens such as [SEP],"
            " which means nowhere in particular.",
        )  # fmt: skip
        self._section = section
        self._found: Attention | None = None
        self._query = section.query(self._show)
        self._layer, self._head = QComboBox(), QComboBox()
        self._layer.setAccessibleName("Layer")
        self._head.setAccessibleName("Attention head")
        self._layer.activated.connect(self._request)
        self._head.activated.connect(self._choose_head)
        self._way = Segments(theme, "How it is drawn", ((_LINES, "Lines"), (_GRID, "Grid")))
        self._way.select(_LINES)
        self._way.chosen.connect(self._draw_so)
        self.tools(QLabel("Layer"), self._layer, QLabel("Head"), self._head, self._way)
        self._heads = AttentionHeads(theme)
        self._lines = AttentionLines(theme)
        self._grid = AttentionGrid(theme)
        link(self._lines, self._grid)
        self._heads.head_chosen.connect(self._head_chosen)
        self._bars = {_LINES: bar_of(section, self._lines), _GRID: bar_of(section, self._grid)}
        self.add(self._heads, self._lines, self._grid, *self._bars.values())
        self._draw_so()

    def begin(self) -> None:
        """Clear the content, and query the chosen layer, the first one at the start."""
        self._found = None
        self.hide_content()
        self._request()

    @Slot()
    def _request(self) -> None:
        layer = max(0, self._layer.currentIndex())
        self._query.start(LookAtAttention(self._section.visit.subject, layer), "Looking at the attention")

    @Slot(object)
    def _show(self, found: Attention) -> None:
        self._found = found
        self._fill(self._layer, found.layers, found.layer)
        self._fill(self._head, found.heads, min(max(0, self._head.currentIndex()), found.heads - 1))
        subject = self._section.visit.subject
        for chart in (self._heads, self._lines, self._grid):
            chart.set_attention(found, subject.text, subject.pair)
        self._choose_head()
        start = _start(found.window, subject.focus)
        for chart in (self._lines, self._grid):
            chart.set_current(start)
        self.show_content()

    @staticmethod
    def _fill(box: QComboBox, count: int, current: int) -> None:
        if box.count() != count:
            box.clear()
            box.addItems([f"{number} of {count}" for number in range(1, count + 1)])
        box.setCurrentIndex(current)

    @Slot(int)
    def _head_chosen(self, head: int) -> None:
        self._head.setCurrentIndex(head)
        self._choose_head()

    @Slot()
    def _choose_head(self) -> None:
        if self._found is not None:
            head = max(0, self._head.currentIndex())
            for chart in (self._heads, self._lines, self._grid):
                chart.set_head(head)

    @Slot()
    def _draw_so(self) -> None:
        way = self._way.selected()
        self._lines.setVisible(way == _LINES)
        self._grid.setVisible(way == _GRID)
        for key, bar in self._bars.items():
            bar.setVisible(key == way)


def _start(window: InputWindow, focus: Span | None) -> int:
    """The token shown first: of the answer, the blank or the name, else the text's first one."""
    spans = [(at, token.span) for at, token in enumerate(window.tokens) if token.part is TokenPart.TEXT]
    return next(
        (at for at, span in spans if focus and span and span.overlaps(focus)), spans[0][0] if spans else 0
    )
