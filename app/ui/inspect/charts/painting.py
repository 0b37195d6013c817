"""What the charts of the page share: colour scales, images of cells, scrolling columns, and rows."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt, Slot
from PySide6.QtGui import QColor, QImage, QLinearGradient, QMouseEvent, QPainter, QResizeEvent, QWheelEvent

from app.ui.kit.chart import Chart
from app.ui.kit.theme import Theme

_LEVELS = 256
_MIN_CONTRAST = 4.5


def blended(one: QColor, other: QColor, share: float) -> QColor:
    """The colour `share` of the way (0 to 1) from one to the other, in sRGB."""
    share = min(1.0, max(0.0, share))
    rest = 1 - share
    return QColor.fromRgbF(
        one.redF() * rest + other.redF() * share,
        one.greenF() * rest + other.greenF() * share,
        one.blueF() * rest + other.blueF() * share,
        one.alphaF() * rest + other.alphaF() * share,
    )


def diverging(theme: Theme, share: float) -> QColor:
    """The colour of a share from -1 (blue) over 0 (background) to 1 (amber); safe for colour blindness."""
    end = theme.colour("scale_high" if share > 0 else "scale_low")
    return blended(theme.colour("scale_mid"), end, abs(share))


def rising(theme: Theme, share: float) -> QColor:
    """The colour of a share from 0 (background) to 1 (amber)."""
    return blended(theme.colour("scale_mid"), theme.colour("scale_high"), share)


def rising_table(theme: Theme) -> list[int]:
    """256 colours for an image of one byte a cell: 0 is the panel (no cell), 1 to 255 go from background to amber."""
    steps = [rising(theme, step / (_LEVELS - 2)).rgba() for step in range(_LEVELS - 1)]
    return [theme.colour("panel").rgba(), *steps]


def ink_on(theme: Theme, ground: QColor) -> QColor:
    """The theme's ink if it is readable on a background (4.5 to 1, WCAG 2.1), else black or white.

    One of black and white always reaches 4.5.
    """
    ink = theme.colour("ink")
    if contrast(ink, ground) >= _MIN_CONTRAST:
        return ink
    inks = (QColor(Qt.GlobalColor.black), QColor(Qt.GlobalColor.white))
    return max(inks, key=lambda each: contrast(each, ground))


def contrast(one: QColor, other: QColor) -> float:
    """The contrast of two colours, 1 to 21 (WCAG 2.1)."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    parts = (colour.redF(), colour.greenF(), colour.blueF())
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def pooled(cells: bytes, side: int, most: int) -> tuple[bytes, int]:
    """A square of cells max-pooled to at most `most` cells a side, and its new side.

    A thin line stays visible, which a mean would wash out.
    """
    factor = -(-side // max(1, most))
    if factor <= 1:
        return cells, side
    small = bytearray()
    for top in range(0, side, factor):
        rows = [cells[row * side : (row + 1) * side] for row in range(top, min(side, top + factor))]
        line = bytes(map(max, *rows)) if len(rows) > 1 else rows[0]
        columns = [line[at::factor] for at in range(factor)]
        longest = len(columns[0])
        small += bytes(map(max, *(column.ljust(longest, b"\0") for column in columns)))
    return bytes(small), -(-side // factor)


def image_of(cells: bytes, side: int, theme: Theme) -> QImage:
    """A square of levels as an indexed image, a pixel for each cell, in the colours of `rising_table`."""
    # Rows of an image of one byte per pixel may begin at any byte if their length is given.
    image = QImage(cells, side, side, side, QImage.Format.Format_Indexed8).copy()
    image.setColorTable(rising_table(theme))
    return image


def draw_scale(painter: QPainter, bar: QRectF, low: float, colour: Callable[[float], QColor]) -> None:
    """Fill a bar with the colours of a scale from `low` to 1."""
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for part in range(17):
        gradient.setColorAt(part / 16, colour(low + (1 - low) * part / 16))
    painter.fillRect(bar, gradient)


class Columns:
    """Columns of equal width in a viewport of `width`, scrolled by `offset`; all lengths are in pixels."""

    def __init__(self) -> None:
        self.count = 0
        self.column_width = 1.0
        self.width = 1.0
        self.offset = 0.0

    def fit(self, count: int, width: float, least: float, most: float) -> None:
        """Lay out `count` columns in a viewport of `width`; each is between `least` and `most` wide."""
        share = self.offset / self.length if self.length else 0.0
        self.count, self.width = count, max(1.0, width)
        self.column_width = min(most, max(least, self.width / max(1, count)))
        self.scroll_to(share * self.length)

    @property
    def length(self) -> float:
        """The width of all columns together."""
        return self.count * self.column_width

    @property
    def scrolls(self) -> bool:
        """Whether the columns do not all fit into the viewport."""
        return self.length > self.width + 0.5

    def scroll_to(self, offset: float) -> None:
        """Scroll to an offset, as far as there are columns."""
        self.offset = min(max(0.0, self.length - self.width), max(0.0, offset))

    def show(self, index: int, margin: int = 2) -> None:
        """Scroll as little as it takes to show a column and `margin` neighbours on both sides."""
        first, last = (index - margin) * self.column_width, (index + 1 + margin) * self.column_width
        if first < self.offset:
            self.scroll_to(first)
        elif last > self.offset + self.width:
            self.scroll_to(last - self.width)

    def centre(self, index: float) -> None:
        """Scroll a column to the middle."""
        self.scroll_to((index + 0.5) * self.column_width - self.width / 2)

    def left(self, index: float) -> float:
        """The left edge of a column, from the left of the viewport."""
        return index * self.column_width - self.offset

    def at(self, x: float) -> int:
        """The column at `x`, from the left of the viewport; -1 for none."""
        index = int((x + self.offset) // self.column_width) if 0 <= x < self.width else -1
        return index if 0 <= index < self.count else -1

    def seen(self) -> range:
        """The columns that are at least partly visible."""
        first = int(self.offset // self.column_width)
        return range(first, min(self.count, int((self.offset + self.width) // self.column_width) + 1))


class ScrollingChart(Chart):
    """A chart of equal columns that scrolls sideways by wheel, and by a press or a drag in its overview.

    A subclass overrides `overview`, `centre`, and `fit`, which lays out `columns`.
    """

    def __init__(self, theme: Theme, title: str) -> None:
        super().__init__(theme, title)
        self.columns = Columns()
        self._dragging = False

    def fit(self) -> None:
        """Lay out the columns for the widget's size."""
        raise NotImplementedError

    def overview(self) -> QRectF:
        """The rectangle of the overview; empty if everything is visible."""
        raise NotImplementedError

    def centre(self, across: float, down: float) -> None:
        """Scroll to a point of the overview, given as fractions of its width and its height."""
        raise NotImplementedError

    def _drag(self, point: QPointF) -> None:
        rect = self.overview()
        self.centre((point.x() - rect.left()) / rect.width(), (point.y() - rect.top()) / rect.height())
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._dragging = self.overview().contains(event.position())
        if self._dragging:
            self._drag(event.position())
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._drag(event.position())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False
        super().mouseReleaseEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        across = event.angleDelta().x() or (event.angleDelta().y() if shift else 0)
        if not across or not self.columns.scrolls:
            event.ignore()  # the page scrolls
            return
        self.columns.scroll_to(self.columns.offset - across)
        self.update()
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    @Slot()
    def restyle(self) -> None:
        self.fit()
        super().restyle()


class RowsChart(Chart):
    """A chart whose places are rows below a heading, walked with Up and Down as well as Left and Right.

    A subclass overrides `top`, the heading's height, and `row_height`, both in pixels.
    """

    def top(self) -> float:
        """The height of the heading in pixels."""
        raise NotImplementedError

    def row_height(self) -> float:
        """The height of a row in pixels."""
        raise NotImplementedError

    def place_at(self, point: QPointF) -> int:
        row = int((point.y() - self.top()) // self.row_height())
        return row if 0 <= row < self.count() else -1

    def stepped(self, key: int, leap: bool) -> int | None:
        arrows = {Qt.Key.Key_Up: Qt.Key.Key_Left, Qt.Key.Key_Down: Qt.Key.Key_Right}
        return super().stepped(arrows.get(Qt.Key(key), Qt.Key(key)), leap)
