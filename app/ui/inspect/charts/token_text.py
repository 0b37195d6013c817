"""A window's running text, each token shaded by a number, the current one outlined."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPen, QResizeEvent

from app.core.inside import InputWindow, Part
from app.ui.inspect.charts.scale import ink_on, mixed
from app.ui.inspect.charts.text_flow import TextFlow
from app.ui.inspect.charts.tokens import labels_of, part_names, share_name
from app.ui.kit.chart import Chart, Table, signed
from app.ui.kit.theme import Theme

_CORNER = 3.0
# A stronger shade would be too strong for either ink.
_STRONGEST = 0.92


class TokenText(Chart):
    """Running text: amber where a token's number is above zero, blue where it is below, stronger for more.

    A chosen span is underlined, others are dotted; special tokens are spelled as in the vocabulary.
    """

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme, title)
        self._window = InputWindow(())
        self._labels: tuple[str, ...] = ()
        self._values: tuple[float, ...] = ()
        self._largest = 0.0
        self._unit = ""
        self._span: tuple[int, int] | None = None
        self._others: tuple[tuple[int, int], ...] = ()
        self._marked: tuple[int, int] | None = None
        self._flow = TextFlow(InputWindow(()), "", "")

    def set_window(self, window: InputWindow, text: str, pair: str = "") -> None:
        """Show a window of the text, with its question or other passage; without numbers."""
        self._window = window
        self._labels = labels_of(window, text, pair)
        self._values, self._span, self._others, self._marked = (), None, (), None
        self._flow = TextFlow(window, text, pair)
        self._lay_out()
        self.begin()

    def set_values(self, values: Sequence[float] | None, unit: str = "") -> None:
        """Shade the tokens by a number each, in a unit; None removes the shades.

        Raises ValueError if there are not as many numbers as tokens.
        """
        if values is not None and len(values) != len(self._labels):
            raise ValueError(f"{len(values)} numbers for {len(self._labels)} tokens")
        self._values, self._unit = tuple(values or ()), unit
        self._largest = max(map(abs, self._values), default=0.0)
        self._lay_out()
        if self._current >= 0:
            self.setAccessibleDescription(self.describe(self._current))
        self.update()

    @Slot(object, object)
    def set_spans(self, chosen: tuple[int, int] | None, others: Sequence[tuple[int, int]] = ()) -> None:
        """Highlight a span (its first and last token), and dot others."""
        self._span, self._others = chosen, tuple(others)
        self.update()

    @Slot(int, int)
    def mark_span(self, first: int, last: int) -> None:
        """Outline a span that is hovered elsewhere; a first token below 0 for none."""
        marked = (first, last) if first >= 0 else None
        if marked != self._marked:
            self._marked = marked
            self.update()

    def count(self) -> int:
        return len(self._labels)

    def describe(self, index: int) -> str:
        name = share_name(self._window, index, self._labels[index])
        return f"{name}: {signed(self._values[index])} {self._unit}".strip() if self._values else name

    def table(self) -> Table:
        columns = ("token", "piece", "id", "part", *((self._unit or "value",) if self._values else ()))
        values = [(value,) for value in self._values] if self._values else [()] * self.count()
        known, names = zip(self._window.tokens, values, strict=True), part_names(self._window)
        return Table(
            columns,
            tuple(
                (at + 1, token.piece, token.id, names[token.part], *value)
                for at, (token, value) in enumerate(known)
            ),
        )

    def place_at(self, point: QPointF) -> int:
        edge = self._edge()
        return self._flow.token_at(point - QPointF(edge, edge))

    def stepped(self, key: int, leap: bool) -> int | None:
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self._current >= 0:
            return self._flow.nearest_on_line(self._current, 1 if key == Qt.Key.Key_Down else -1)
        return super().stepped(key, leap)

    def sizeHint(self) -> QSize:
        return QSize(self.theme.step(160), self.heightForWidth(max(self.width(), self.theme.step(40))))

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width == self.width() and self._flow.height:
            return round(self._flow.height + 2 * self._edge())
        flow = TextFlow(*self._flow.source)
        flow.lay_out(self.theme, width - 2 * self._edge())
        return round(flow.height + 2 * self._edge())

    def minimumSizeHint(self) -> QSize:
        return QSize(self.theme.step(40), self.sizeHint().height())

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        edge = self._edge()
        painter.save()
        painter.translate(edge, edge)
        theme, flow = self.theme, self._flow
        self._draw_shades(painter)
        if not self._values:
            # Without shades the spans have backgrounds of their own.
            for other in self._others:
                self._draw_span(painter, other, "other_ground")
            if self._span is not None:
                self._draw_span(painter, self._span, "answer_ground")
        flow.draw(painter, theme)
        for span in self._others:
            self._underline(painter, span, _dotted(theme.colour("other_line")))
        if self._span is not None:
            self._underline(painter, self._span, QPen(theme.colour("answer_line"), 2.0))
        if self._marked is not None and not whole:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("ink_quiet"), 1.0))
            for place in flow.span_rects(*self._marked):
                painter.drawRoundedRect(place.adjusted(-2, -1, 2, 1), _CORNER, _CORNER)
        if self._current >= 0 and not whole:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.colour("ink"), 1.5))
            for place in flow.rects(self._current):
                painter.drawRoundedRect(place.adjusted(-1, 0, 1, 0), _CORNER, _CORNER)
        painter.restore()

    def shade(self, index: int) -> QColor | None:
        """The background of a token by its number; None if the number is too small for a visible one."""
        if not self._values or not self._largest:
            return None
        share = self._values[index] / self._largest
        if abs(share) < 0.02:
            return None
        end = self.theme.colour("scale_high" if share > 0 else "scale_low")
        return mixed(self.theme.colour("panel"), end, min(_STRONGEST, 0.06 + 0.86 * abs(share) ** 0.8))

    def _draw_shades(self, painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for index in range(self.count()):
            shade = self.shade(index)
            if shade is not None:
                painter.setBrush(shade)
                for place in self._flow.rects(index):
                    painter.drawRoundedRect(place, _CORNER, _CORNER)

    def _inks(self) -> dict[int, QColor]:
        """The inks of the tokens whose shade the usual one cannot be read on, or that have a quiet one without."""
        shades = {index: self.shade(index) for index in range(self.count())}
        inks = {index: ink_on(self.theme, shade) for index, shade in shades.items() if shade is not None}
        usual, special = self.theme.colour("ink"), Part.SPECIAL
        tokens = self._window.tokens
        return {at: ink for at, ink in inks.items() if ink != usual or tokens[at].part is special}

    def _draw_span(self, painter: QPainter, span: tuple[int, int], role: str) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.colour(role))
        for place in self._flow.span_rects(*span):
            painter.drawRect(place)

    def _underline(self, painter: QPainter, span: tuple[int, int], pen: QPen) -> None:
        painter.setPen(pen)
        for place in self._flow.span_rects(*span):
            y = place.bottom() + pen.widthF() / 2
            painter.drawLine(QPointF(place.left(), y), QPointF(place.right(), y))

    def _edge(self) -> float:
        return float(self.theme.step(2))

    def _lay_out(self) -> None:
        self._flow.lay_out(self.theme, max(1.0, self.width() - 2 * self._edge()), self._inks())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()
            self.updateGeometry()

    @Slot()
    def restyle(self) -> None:
        self._lay_out()
        super().restyle()

    def token_rect(self, index: int) -> QRectF:
        """Where a token is drawn, in the widget's pixels; for what must be scrolled into view."""
        edge = self._edge()
        places = self._flow.rects(index)
        return places[0].translated(edge, edge) if places else QRectF()


def _dotted(colour: QColor) -> QPen:
    pen = QPen(colour, 1.5)
    pen.setDashPattern([1.0, 1.6])
    return pen
