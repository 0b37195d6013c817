"""The curves of teaching: the loss over the steps, and F1 on held-out corrections."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from app.core.message import Message
from app.core.results import TrainingStep
from app.ui.kit.chart import Chart, Table, number, tick_label, ticks
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

LOSS, F1 = Message("Loss"), Message("F1 on held-out corrections")
# The height of each plot, in steps of the theme.
_HIGH = 19
# The weight of the earlier losses in an exponential moving average, so that single batches do not hide the trend.
_SMOOTH = 0.8


class Curves(Chart):
    """The smoothed loss above, F1 in per cent below, over the steps; the items are the reported steps."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Curves of teaching"))
        self._steps: list[TrainingStep] = []
        self._smooth: list[float] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def clear(self) -> None:
        """Forget all steps."""
        self._steps, self._smooth = [], []
        self.begin()

    @Slot(object)
    def add(self, step: TrainingStep) -> None:
        """Add a step; the last one again, once it was measured."""
        if self._steps and step.step < self._steps[-1].step:
            self.clear()  # the teaching was resumed from an earlier checkpoint
        if self._steps and step.step == self._steps[-1].step:
            self._steps[-1] = step
            self.update()
            return
        before = self._smooth[-1] if self._smooth else step.loss
        self._steps.append(step)
        self._smooth.append(_SMOOTH * before + (1 - _SMOOTH) * step.loss)
        self.setAccessibleDescription(self.about())
        self.update()

    @property
    def measured(self) -> list[TrainingStep]:
        """The steps after which F1 was measured."""
        return [step for step in self._steps if "f1" in step.dev]

    def count(self) -> int:
        return len(self._steps)

    def describe(self, index: int) -> str:
        step = self._steps[index]
        at, last, loss = step.step, step.steps, number(step.loss)
        if "f1" not in step.dev:
            return tr("Step {step:,} of {steps:,}: loss {loss}", step=at, steps=last, loss=loss)
        f1 = step.dev["f1"]
        return tr(
            "Step {step:,} of {steps:,}: loss {loss}, F1 {f1:.1f}%", step=at, steps=last, loss=loss, f1=f1
        )

    def about(self) -> str:
        if not self._steps:
            return super().about()
        return f"{self.describe(len(self._steps) - 1)}. {super().about()}"

    def table(self) -> Table:
        rows = tuple((step.step, step.loss, step.dev.get("f1", "")) for step in self._steps)
        return Table(("step", "loss", "f1"), rows)

    def place_at(self, point: QPointF) -> int:
        if not self._steps:
            return -1
        plot = self._plots(self.size())[0]
        apart = [abs(self._x(plot, step) - point.x()) for step in self._steps]
        nearest = min(apart)
        return apart.index(nearest) if nearest <= self.theme.step(4) else -1

    def sizeHint(self) -> QSize:
        step, line = self.theme.step, QFontMetrics(self.theme.font("small")).height()
        return QSize(step(70), 2 * (step(_HIGH) + line) + step(6.5) + line)

    def _plots(self, size: QSize) -> tuple[QRectF, QRectF]:
        """The rectangles of both plots, to the right of their labels and below their titles."""
        step, metrics = self.theme.step, QFontMetrics(self.theme.font("small"))
        left, line = metrics.horizontalAdvance(tr("{number}%", number=100)) + step(2), metrics.height()
        wide = max(1, size.width() - left - step(2))
        first = QRectF(left, line + step(1), wide, step(_HIGH))
        return first, first.translated(0, step(_HIGH) + line + step(4.5))

    def _x(self, plot: QRectF, step: TrainingStep) -> float:
        return plot.left() + plot.width() * min(1.0, step.step / max(1, step.steps))

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        upper, lower = self._plots(size)
        losses = self._smooth or [0.0]
        most = max(losses) * 1.1 or 1.0
        self._draw_plot(painter, upper, LOSS, [(tick_label(at), at / most) for at in ticks(0.0, most, 2)])
        line = [
            QPointF(self._x(upper, step), upper.bottom() - value / most * upper.height())
            for step, value in zip(self._steps, self._smooth, strict=True)
        ]
        painter.setPen(QPen(self.theme.colour("series"), self.theme.step(0.5)))
        painter.drawPolyline(QPolygonF(line))
        self._draw_plot(painter, lower, F1, [(tr("{number}%", number=at), at / 100) for at in (0, 50, 100)])
        found = [
            QPointF(self._x(lower, step), lower.bottom() - step.dev["f1"] / 100 * lower.height())
            for step in self.measured
        ]
        painter.setPen(QPen(self.theme.colour("accent"), self.theme.step(0.5)))
        painter.drawPolyline(QPolygonF(found))
        painter.setPen(QPen(self.theme.colour("panel"), 1.0))
        painter.setBrush(self.theme.colour("accent"))
        half = float(self.theme.step(1))
        for point in found:
            painter.drawEllipse(point, half, half)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        foot = QRectF(lower.left(), lower.bottom() + self.theme.step(1), lower.width(), 4 * half)
        if 0 <= self.current < len(self._steps) and not whole:
            x = self._x(upper, self._steps[self.current])
            painter.setPen(QPen(self.theme.colour("ink"), 1.0, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, upper.top()), QPointF(x, lower.bottom()))
            self.write(painter, foot, self.describe(self.current))
        elif self._steps:
            last = self._steps[-1]
            words = tr("Step {step:,} of {steps:,}", step=last.step, steps=last.steps)
            self.write(painter, foot, words, role="ink_quiet", side=Qt.AlignmentFlag.AlignRight)

    def _draw_plot(self, painter: QPainter, plot: QRectF, title: str, lines: list[tuple[str, float]]) -> None:
        """Draw a plot's title, and its grid lines with their labels; each is at a share (0 to 1) of the height."""
        step, high = self.theme.step, QFontMetrics(self.theme.font("small")).height()
        above = QRectF(plot.left(), plot.top() - high - step(0.5), plot.width(), high)
        self.write(painter, above, title, "small_strong")
        for label, share in lines:
            y = plot.bottom() - share * plot.height()
            painter.setPen(QPen(self.theme.colour("line"), 1.0))
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            rect = QRectF(0, y - high / 2, plot.left() - step(1.5), high)
            self.write(painter, rect, label, role="ink_quiet", side=Qt.AlignmentFlag.AlignRight)
