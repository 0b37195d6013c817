"""What the picture of a model is drawn with: arrows, captions, texts under one another."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from app.ui.inspect.charts.flow_figure import Arrow, Figure, Words
from app.ui.kit.theme import Theme


class Bricks:
    """A figure that grows downwards from `y`; `left` is where it begins, `wide` how wide it is, in pixels."""

    def __init__(self, theme: Theme, width: float) -> None:
        self._theme = theme
        self._left = float(theme.step(2))
        self._wide = width - 2 * self._left
        self._y = float(theme.step(2))
        self.figure = Figure()

    def _down(self, x: float, label: str, *, used: bool, wide: float = 0.0) -> None:
        """An arrow straight down from here, with what flows written across it."""
        step = self._theme.step
        text = self._bounds(label, "small", wide or self._wide) if label else QRectF()
        high = step(7) + text.height() if label else step(6)
        self.figure.arrows.append(
            Arrow((QPointF(x, self._y + step(0.5)), QPointF(x, self._y + high - step(0.5))), used)
        )
        if not label:
            self._y += high
            return
        place = QRectF(0, 0, text.width() + step(2), text.height() + step(0.5))
        place.moveCenter(QPointF(x, self._y + high / 2 - step(0.75)))
        self.figure.texts.append(Words(place, label, "small", "ink" if used else "ink_quiet", centred=True))
        self._y += high

    def _caption(self, text: str, term: str) -> None:
        metrics = self._metrics("small_strong")
        wide = metrics.horizontalAdvance(text)
        high = metrics.height()
        self.figure.texts.append(
            Words(QRectF(self._left, self._y, wide + 2, high), text, "small_strong", "ink")
        )
        place = QRectF(self._left + wide + self._theme.step(2), self._y, self._wide / 2, high)
        self.figure.texts.append(Words(place, term, "small", "ink_quiet"))
        self._y += high + self._theme.step(1.5)

    def _stack(
        self, says: list[tuple[str, str, str]], left: float, wide: float, top: float, *, right: bool = False,
        centred: bool = False,
    ) -> tuple[tuple[Words, ...], float]:  # fmt: skip
        """Texts under one another, wrapped; and where they end."""
        placed = []
        for use, role, text in says:
            if text:
                high = self._bounds(text, use, wide).height()
                placed.append(Words(QRectF(left, top, wide, high), text, use, role, right, centred))
                top += high + self._theme.step(0.25)
        return tuple(placed), top

    def _bounds(self, text: str, use: str, wide: float) -> QRectF:
        flags = int(Qt.TextFlag.TextWordWrap)
        return self._metrics(use).boundingRect(QRectF(0, 0, wide, 1e5), flags, text)

    def _metrics(self, use: str) -> QFontMetricsF:
        return QFontMetricsF(self._theme.font(use))
