"""The base of all charts: a current item moved by mouse and keys, its description, its numbers, and its picture."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from app.core.tables import csv_lines
from app.ui.kit.parts import as_tip, draw_line
from app.ui.kit.spoken import announce
from app.ui.kit.theme import Theme
from app.ui.kit.translation import format_number, localised, tr

_LEAP = 10  # items that Shift, Ctrl and the page keys move by
Cell = str | int | float


def ticks(low: float, high: float, most: int = 4) -> list[float]:
    """Round values from `low` to `high`, 1, 2 or 5 times a power of ten apart, at most `most` steps between them."""
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return [low] if math.isfinite(low) else []
    rough = (high - low) / max(1, most)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [each * step for each in range(first, last + 1)]


def tick_label(value: float) -> str:
    """The label of a tick, as short as possible, with a true minus sign."""
    return format_number(float(value), ".6g" if abs(value) >= 1e-3 or value == 0 else ".0e").replace("-", "−")


@dataclass(frozen=True, slots=True)
class Table:
    """The names of columns, and rows with a cell for each; numbers stay numbers."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()

    def csv(self, delimiter: str = ",") -> str:
        """The table as CSV with a heading, numbers to nine digits: enough to distinguish any two float32 values."""
        lines = [self.columns, *(tuple(plain(cell) for cell in row) for row in self.rows)]
        return csv_lines(lines, delimiter)


def plain(cell: Cell) -> str:
    """The text of a cell in a file."""
    return f"{cell:.9g}" if isinstance(cell, float) else str(cell)


def shown(cell: Cell) -> str:
    """The text of a cell on the screen."""
    return number(cell) if isinstance(cell, float) else str(cell)


def number(value: float) -> str:
    """A number to three or four digits with a true minus sign: "6.31", "−0.052", "6.0e−8", "0"."""
    size = abs(value)
    if value == 0:
        return "0"
    if size >= 1e6 or size < 1e-3:
        form = ".1e"
    elif size >= 100:
        form = ".0f"
    else:
        form = ".2f" if size >= 0.0995 else ".3f" if size >= 0.00995 else ".4f"
    text = format_number(float(value), form).replace("e-0", "e-").replace("e+0", "e")
    return text.replace("-", "−")


def signed(value: float) -> str:
    """A number with its sign, also if that is a plus: "+0.31"."""
    text = number(value)
    return f"+{text}" if value > 0 else text


def summed(one: float, other: float) -> str:
    """Two numbers and their sum: "6.31 − 2.10 = 4.21"."""
    sign = "−" if other < 0 else "+"
    return f"{number(one)} {sign} {number(abs(other))} = {number(one + other)}"


class Figures(QWidget):
    """A widget that shows numbers. `renewed` is sent when they have changed; `title` names them."""

    ROLE = QAccessible.Role.Chart

    renewed = Signal()

    title: str

    def table(self) -> Table:
        """All numbers of the widget."""
        raise NotImplementedError

    def csv(self) -> str:
        """All numbers of the widget as CSV with a heading."""
        return self.table().csv()

    def picture_size(self) -> QSize:
        """The size of the whole picture in screen pixels."""
        return self.size()

    def paint_picture(self, painter: QPainter) -> None:
        """Draw the picture that is saved."""
        self.render(painter, QPoint(0, 0))


class Chart(Figures):
    """A painted chart of items counted from 0 (tokens, dimensions, heads, sentences), one of them current.

    `hovered` carries the item that the person moved to by mouse or key, `chosen` the one clicked, or chosen with Enter;
    `set_current` sends neither. A subclass implements `count`, `describe`, `table`, `place_at`, `draw` and the size
    hint.
    """

    hovered = Signal(int)
    chosen = Signal(int)

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__()
        self.theme = theme
        self.title = localised(title)
        self._current = -1
        self.setAccessibleName(self.title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        theme.changed.connect(self.restyle)

    @property
    def current(self) -> int:
        """The index of the current item; -1 for none."""
        return self._current

    def set_current(self, index: int) -> None:
        """Make an item the current one (-1 for none); an index out of range is ignored."""
        if index != self._current and -1 <= index < self.count():
            self._current = index
            self.setAccessibleDescription(self.describe(index) if index >= 0 else self.about())
            self.current_moved()
            self.update()

    def begin(self) -> None:
        """Clear the current item and send `renewed`; called by a subclass when its numbers have changed."""
        self._current = -1
        self.setAccessibleDescription(self.about())
        self.updateGeometry()
        self.update()
        self.renewed.emit()

    # What a chart describes

    def count(self) -> int:
        """The number of items."""
        raise NotImplementedError

    def describe(self, index: int) -> str:
        """An item and its numbers in words, for the tool tip and screen readers."""
        raise NotImplementedError

    def about(self) -> str:
        """The text for screen readers while no item is current."""
        return tr("Arrow keys walk through the numbers.") if self.count() else tr("Nothing to show yet.")

    def place_at(self, point: QPointF) -> int:
        """The index of the item at a point of the widget; -1 for none."""
        raise NotImplementedError

    def draw(self, painter: QPainter, size: QSize, whole: bool) -> None:
        """Draw the chart into `size`; `whole` for a saved picture: with all scrolled parts, without a current item."""
        raise NotImplementedError

    # What a chart draws with

    def write(
        self,
        painter: QPainter,
        rect: QRectF,
        text: str,
        use: str = "small",
        role: str = "ink",
        side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        """Write one line in a font and a colour of the theme, vertically centred, elided where it does not fit."""
        draw_line(painter, self.theme, rect, text, use, role, side | Qt.AlignmentFlag.AlignVCenter)

    def write_upwards(
        self, painter: QPainter, foot: QPointF, room: float, text: str, role: str, side: Qt.AlignmentFlag
    ) -> None:
        """Write one small line upwards from `foot`, the middle of its lower end, in `room` pixels."""
        painter.save()
        painter.translate(foot)
        painter.rotate(-90)
        high = painter.fontMetrics().height()
        self.write(painter, QRectF(0, -high, room, 2 * high), text, "small", role, side)
        painter.restore()

    def write_current(self, painter: QPainter, rect: QRectF, invitation: str) -> None:
        """Write the description of the current item, or an invitation to choose one."""
        if self._current >= 0:
            self.write(painter, rect, self.describe(self._current))
        else:
            self.write(painter, rect, invitation, role="ink_quiet")

    def outline(
        self, painter: QPainter, rect: QRectF, role: str, width: float = 1.0, radius: float = 0.0
    ) -> None:
        """Draw the outline of a rectangle in a colour of the theme."""
        painter.setPen(QPen(self.theme.colour(role), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect, radius, radius)

    def current_moved(self) -> None:
        """Bring the current item into view; for charts that scroll."""

    def stepped(self, key: int, leap: bool) -> int | None:
        """The index of the item that a key moves to from the current one; None for other keys."""
        last, far = self.count() - 1, _LEAP if leap else 1
        steps = {
            Qt.Key.Key_Left: -far,
            Qt.Key.Key_Right: far,
            Qt.Key.Key_PageUp: -_LEAP,
            Qt.Key.Key_PageDown: _LEAP,
        }
        if key == Qt.Key.Key_Home:
            return 0
        if key == Qt.Key.Key_End:
            return last
        step = steps.get(Qt.Key(key))
        if step is None:
            return None
        return 0 if self._current < 0 else min(last, max(0, self._current + step))

    # Its picture

    def paint_picture(self, painter: QPainter) -> None:
        """Draw the full chart, with all scrolled parts, on its background."""
        size = self.picture_size()
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), self.theme.colour("panel"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter, size, True)

    # Qt's overrides

    def minimumSizeHint(self) -> QSize:
        """The drawn height, and a small width."""
        return QSize(self.theme.step(40), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(painter, self.size(), False)
        if self.hasFocus():
            self.outline(
                painter,
                QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5),
                "focus",
                radius=self.theme.step(1),
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.table().csv("\t"))
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._current >= 0:
            self.chosen.emit(self._current)
            return
        leap = bool(
            event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier)
        )
        index = self.stepped(event.key(), leap) if self.count() else None
        if index is None:
            super().keyPressEvent(event)
            return
        self.go(index)
        announce(self, self.describe(index))

    def go(self, index: int) -> None:
        """Make an item current, and send `hovered`."""
        self.set_current(index)
        self.hovered.emit(index)

    def go_to_point(self, point: QPointF) -> bool:
        """Make the item at a point current; returns whether there is one."""
        index = self.place_at(point)
        if index >= 0 and index != self._current:
            self.go(index)
        return index >= 0

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.go_to_point(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.go_to_point(event.position()):
            self.chosen.emit(self._current)
            return
        super().mousePressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            index = self.place_at(QPointF(event.pos()))
            if index >= 0:
                QToolTip.showText(event.globalPos(), as_tip(self.describe(index)), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    @Slot()
    def restyle(self) -> None:
        """Take the theme's colours and sizes again."""
        self.updateGeometry()
        self.update()


def link(*charts: Chart) -> None:
    """Link charts of the same items, so that they have the same current item."""
    for chart in charts:
        for other in charts:
            if other is not chart:
                chart.hovered.connect(other.set_current)
