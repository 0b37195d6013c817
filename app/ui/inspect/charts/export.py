"""Charts as tables of numbers, as files (CSV, PNG, SVG) and on the clipboard, and the bar of buttons for that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QPushButton, QWidget

from app.core.message import Message
from app.ui.kit.boxes import FlowRow, column, row
from app.ui.kit.chart import Figures, Table, shown
from app.ui.kit.parts import push_button
from app.ui.kit.table import Column, RowTable
from app.ui.kit.theme import Theme
from app.ui.kit.translation import localised, tr

_ROWS_SEEN = 9
_ROWS_MEASURED = 30
NUMBERS = Message("Numbers (*.csv)")
PICTURES = {".png": Message("Picture (*.png)"), ".svg": Message("Drawing (*.svg)")}
_SCALE = 2
# The longest side of a picture in pixels: enough for print, and small enough for any memory.
_LONGEST_SIDE = 16_000
# Pixels per inch, by the SVG specification.
_PIXELS_AN_INCH = 96


def _column(table: Table, at: int) -> Column:
    """The column at an index of a table; numbers are shown with a few digits, and sorted by their full value."""

    def text(row: Sequence[Any]) -> str:
        return localised(row[at]) if isinstance(row[at], str) else shown(row[at])

    def key(row: Sequence[Any]) -> Any:
        return text(row).casefold() if isinstance(row[at], str) else row[at]

    name = localised(table.columns[at])
    number = bool(table.rows) and not isinstance(table.rows[0][at], str)
    return Column(
        name[:1].upper() + name[1:], lambda row: " ".join(text(row).split())[:300], key, number=number
    )


class NumbersTable(RowTable):
    """The table of numbers; Ctrl+C copies the chosen rows, or else all, with their heading.

    `row_reached` carries the row that the user moved to, by its index before sorting.
    """

    PADDING = 3
    row_reached = Signal(int)

    def __init__(self, theme: Theme, name: str = "") -> None:
        super().__init__(theme, name)
        self._table = Table()
        self.selectionModel().currentRowChanged.connect(self._moved)

    @Slot(QModelIndex, QModelIndex)
    def _moved(self, now: QModelIndex, before: QModelIndex) -> None:
        if now.isValid():
            row = self._model.shown[now.row()]
            self.row_reached.emit(next(at for at, each in enumerate(self._table.rows) if each is row))

    def set_table(self, table: Table) -> None:
        """Show these numbers in their order."""
        others, self._table = table.columns != self._table.columns, table
        self._model.set_rows(table.rows, [_column(table, at) for at in range(len(table.columns))])
        if others:
            self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.fit_columns()
        self.updateGeometry()

    def text_of(self, rows: Sequence[Any]) -> str:
        return Table(self._table.columns, tuple(rows)).csv("\t")

    def sizeHint(self) -> QSize:
        """The height of its rows, up to nine of them."""
        rows = min(_ROWS_SEEN, max(1, len(self._model.rows)))
        return QSize(self._theme.step(120), self.height_of(rows) + self._theme.step(4))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(40), self.sizeHint().height())

    def fit_columns(self) -> None:
        """Make columns as wide as their headings and first cells, but no wider than a sentence."""
        for at, shown_column in enumerate(self._model.columns):
            first = [shown_column.text(each)[:80] for each in self._model.rows[:_ROWS_MEASURED]]
            self.setColumnWidth(at, min(self._theme.step(64), self.needed_width(at, first)))


def picture(figures: Figures) -> QImage:
    """The whole chart, without a current place, as an image at twice the screen's resolution."""
    size = figures.picture_size().expandedTo(QSize(1, 1))
    scale = min(float(_SCALE), _LONGEST_SIDE / max(size.width(), size.height(), 1))
    image = QImage(size * scale, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    figures.paint_picture(painter)
    painter.end()
    return image


def file_name(title: str, filters: Sequence[str]) -> str:
    """A name for a file with a chart or its numbers, with the suffix of the first filter."""
    stem = re.sub(r"[\W_]+", "-", title.lower()).strip("-")
    return stem + filters[0].partition("*")[2].removesuffix(")")


def file_bytes(figures: Figures, suffix: str) -> bytes:
    """The bytes of a file with a chart's picture (.png, .svg), or for any other suffix with its numbers as CSV."""
    if suffix not in PICTURES:
        return figures.csv().encode("utf-8")
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if suffix == ".png":
        QImageWriter(buffer, QByteArray(b"png")).write(picture(figures))
    else:
        _write_svg(figures, buffer)
    return bytes(buffer.data().data())


def _write_svg(figures: Figures, buffer: QBuffer) -> None:
    size = figures.picture_size().expandedTo(QSize(1, 1))
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(_PIXELS_AN_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(QPoint(0, 0), size))
    generator.setTitle(figures.accessibleName())
    painter = QPainter(generator)
    figures.paint_picture(painter)
    painter.end()


class ChartBar(QWidget):
    """The bar under a chart: a table of its numbers to unfold, and buttons to copy or save numbers and picture.

    `save_requested` carries the chart whose numbers or picture are to be saved; `note` is a line for the status line.
    """

    save_requested = Signal(object)
    note = Signal(str)

    def __init__(self, theme: Theme, chart: Figures) -> None:
        super().__init__()
        self._theme = theme
        self._chart = chart
        self._stale = True
        self._table: NumbersTable | None = None
        self.numbers = self._button(tr("Numbers"), tr("Show the numbers as a table"))
        self.numbers.setCheckable(True)
        self.numbers.toggled.connect(self.show_numbers)
        copy_table = self._button(tr("Copy numbers"), tr("Copy the numbers for a spreadsheet"))
        copy_table.clicked.connect(self._copy_numbers)
        copy_image = self._button(tr("Copy picture"), tr("Copy the chart as a picture"))
        copy_image.clicked.connect(self._copy_picture)
        save = self._button(tr("Save…"), tr("Save the numbers (CSV) or the picture (PNG, SVG)"))
        save.clicked.connect(partial(self.save_requested.emit, chart))
        buttons = FlowRow()
        for button in (copy_table, copy_image, save):
            buttons.addWidget(button)
        theme.in_steps(buttons.setSpacing, 2)
        self._save_button = save
        self._column = column(theme, row(theme, self.numbers, 1, buttons, gap=2), gap=1, parent=self)
        chart.renewed.connect(self._refresh)

    @Slot(bool)
    def show_numbers(self, shown: bool) -> None:
        """Show or hide the table."""
        self.numbers.setChecked(shown)
        self.numbers.setText(tr("Hide the numbers") if shown else tr("Numbers"))
        if shown:
            if self._table is None:
                self._table = NumbersTable(self._theme, tr("{chart}: numbers", chart=self._chart.title))
                self._column.addWidget(self._table)
                QWidget.setTabOrder(self._save_button, self._table)
            self._fill()
        if self._table is not None:
            self._table.setVisible(shown)

    @Slot()
    def _refresh(self) -> None:
        self._stale = True
        if self.numbers.isChecked():
            self._fill()

    def _fill(self) -> None:
        if self._stale and self._table is not None:
            self._table.set_table(self._chart.table())
            self._stale = False

    @Slot()
    def _copy_numbers(self) -> None:
        # With tabs between cells, as spreadsheets expect it.
        QGuiApplication.clipboard().setText(self._chart.table().csv("\t"))
        self.note.emit(tr("Numbers copied"))

    @Slot()
    def _copy_picture(self) -> None:
        QGuiApplication.clipboard().setImage(picture(self._chart))
        self.note.emit(tr("Picture copied"))

    def _button(self, words: str, tip: str) -> QPushButton:
        name = f"{words.removesuffix('…')}: {self._chart.title}"
        return push_button(self._theme, words, kind="link", name=name, tip=tip)
