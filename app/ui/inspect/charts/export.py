"""Charts as files and on the clipboard: numbers as CSV, pictures as PNG and SVG."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
    SignalInstance,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.ui.inspect.charts.numbers_table import NumbersTable
from app.ui.kit.chart import Chart, Table
from app.ui.kit.theme import Theme

_SHARP = 2
# No side of a picture is longer than this in pixels: enough for print, and small enough for any memory.
_LONGEST = 16_000
# Pixels per inch by the SVG specification.
_PIXELS_AN_INCH = 96


class Figures(Protocol):
    """The interface that a ChartBar needs of its widget: its title, its numbers, and a signal when they change."""

    title: str

    @property
    def renewed(self) -> SignalInstance:
        """Sent when its numbers changed."""

    def table(self) -> Table:
        """All its numbers."""


def picture(widget: QWidget) -> QImage:
    """A chart, or any widget, as an image at twice the resolution: a chart in full, without a current place."""
    size = _size(widget)
    sharp = min(float(_SHARP), _LONGEST / max(size.width(), size.height(), 1))
    image = QImage(size * sharp, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(sharp)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    _paint(widget, painter)
    painter.end()
    return image


def picture_bytes(widget: QWidget, kind: str) -> bytes:
    """A picture as the bytes of a file; `kind` is "png" or "svg". Raises ValueError for another."""
    if kind == "png":
        content = QByteArray()
        buffer = QBuffer(content)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        QImageWriter(buffer, QByteArray(b"png")).write(picture(widget))
        buffer.close()
        return bytes(content.data())
    if kind == "svg":
        return _svg(widget)
    raise ValueError(f"no picture is written as {kind}")


def copy_picture(widget: QWidget) -> None:
    """Put the picture on the clipboard."""
    QGuiApplication.clipboard().setImage(picture(widget))


def copy_numbers(chart: Figures) -> None:
    """Put the chart's numbers on the clipboard, with tabs between cells as spreadsheets take them."""
    QGuiApplication.clipboard().setText(chart.table().csv("\t"))


def _svg(widget: QWidget) -> bytes:
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    size = _size(widget)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_PIXELS_AN_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    generator.setTitle(widget.accessibleName())
    painter = QPainter(generator)
    _paint(widget, painter)
    painter.end()
    buffer.close()
    return bytes(content.data())


def _size(widget: QWidget) -> QSize:
    size = widget.picture_size() if isinstance(widget, Chart) else widget.size()
    return size.expandedTo(QSize(1, 1))


def _paint(widget: QWidget, painter: QPainter) -> None:
    if isinstance(widget, Chart):
        widget.paint_picture(painter)
    else:
        widget.render(painter, QPoint(0, 0))


class ChartBar(QWidget):
    """The bar under a chart: a table of its numbers to unfold, and buttons to copy or save numbers and picture.

    `save_asked` carries the chart whose numbers or picture are to be saved; `note` is a line for the status line.
    """

    save_asked = Signal(object)
    note = Signal(str)

    def __init__(self, theme: Theme, chart: Figures) -> None:
        super().__init__()
        self._theme = theme
        self._chart = chart
        self._stale = True
        self._table: NumbersTable | None = None
        self.numbers = self._button("Numbers", "Show the numbers as a table")
        self.numbers.setCheckable(True)
        self.numbers.toggled.connect(self.show_numbers)
        copy_table = self._button("Copy numbers", "Copy the numbers for a spreadsheet")
        copy_table.clicked.connect(self._copy_numbers)
        copy_image = self._button("Copy picture", "Copy the chart as a picture")
        copy_image.clicked.connect(self._copy_picture)
        save = self._button("Save…", "Save the numbers (CSV) or the picture (PNG, SVG)")
        save.clicked.connect(self._save)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.numbers)
        row.addStretch(1)
        for button in (copy_table, copy_image, save):
            row.addWidget(button)
        self._row = row
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(row)
        chart.renewed.connect(self._renewed)
        theme.changed.connect(self._restyle)
        self._restyle()

    def table(self) -> NumbersTable | None:
        """The table, once it was unfolded."""
        return self._table

    @Slot(bool)
    def show_numbers(self, shown: bool) -> None:
        """Show or hide the table."""
        self.numbers.setChecked(shown)
        self.numbers.setText("Hide the numbers" if shown else "Numbers")
        if shown:
            if self._table is None:
                self._table = NumbersTable(self._theme, f"{self._chart.title}: numbers")
                self._column.addWidget(self._table)
            self._fill()
        if self._table is not None:
            self._table.setVisible(shown)

    @Slot()
    def _renewed(self) -> None:
        self._stale = True
        if self.numbers.isChecked():
            self._fill()

    def _fill(self) -> None:
        if self._stale and self._table is not None:
            self._table.set_table(self._chart.table())
            self._stale = False

    @Slot()
    def _copy_numbers(self) -> None:
        copy_numbers(self._chart)
        self.note.emit("Numbers copied")

    @Slot()
    def _copy_picture(self) -> None:
        if isinstance(self._chart, QWidget):
            copy_picture(self._chart)
        self.note.emit("Picture copied")

    @Slot()
    def _save(self) -> None:
        self.save_asked.emit(self._chart)

    def _button(self, words: str, tip: str) -> QPushButton:
        button = QPushButton(words)
        button.setProperty("kind", "link")
        button.setAccessibleName(f"{words.removesuffix('…')}: {self._chart.title}")
        button.setToolTip(tip)
        return button

    @Slot()
    def _restyle(self) -> None:
        self._row.setSpacing(self._theme.step(2))
        self._column.setSpacing(self._theme.step(1))
