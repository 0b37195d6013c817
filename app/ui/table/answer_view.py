"""The view of a table of answers: its headers, its sizes, its keys and the mouse."""

from __future__ import annotations

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableView,
)

from app.ui.kit.parts import draw_line, plain_label
from app.ui.kit.row_list import LEFT, menu_place
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr
from app.ui.table.answer_delegate import AnswerDelegate, LineCache, font_of
from app.ui.table.answer_model import AnswerModel, Index, tab_separated

_MOST_HEADER_LINES = 3
# The least and the greatest width of the files' names, and of a column that the person has not resized, in steps.
_LEAST_NAMES, _MOST_NAMES, _LEAST_COLUMN, _MOST_COLUMN = 28, 52, 40, 84
# How long the current cell, and how long the scroll position, must stay the same before they are announced.
_MOVED_MS, _SETTLED_MS = 150, 600


class _QuestionHeader(QHeaderView):
    """The questions, in up to three lines, with a note below each; they can be moved with the mouse."""

    def __init__(self, theme: Theme, lines: LineCache) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme, self._lines = theme, lines
        self.setSectionsClickable(True)
        self.setSectionsMovable(True)
        self.setHighlightSections(False)
        theme.in_steps(self.setMinimumSectionSize, 24)
        self.setAccessibleName(tr("Questions"))

    def fit(self) -> None:
        """Be as high as the longest question needs."""
        model = self.model()
        if not isinstance(model, AnswerModel):
            return
        most = self._lines.height("small_strong") + self._lines.height("small")
        for at in range(len(model.columns)):
            question, note = self._lines_of(at, self.sectionSize(at))
            high = len(question) * self._lines.height("small_strong") + len(note) * self._lines.height(
                "small"
            )
            most = max(most, high)
        self.setFixedHeight(most + self._theme.step(4.5))

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        model, theme = self.model(), self._theme
        if not isinstance(model, AnswerModel) or section >= len(model.columns):
            return
        painter.save()
        painter.fillRect(rect, theme.colour("desk"))
        inner = QRectF(rect).adjusted(theme.step(2.5), theme.step(1.75), -theme.step(2.5), 0)
        for lines, use, ink in zip(
            self._lines_of(section, rect.width()),
            ("small_strong", "small"),
            ("ink", "ink_quiet"),
            strict=True,
        ):
            inner.setTop(self._lines.draw(painter, inner, lines, use, ink) + theme.step(0.5))
        at, descending = model.sorted_by()
        if at == section:
            side = theme.step(3.5)
            arrow = QRect(
                rect.right() - side - theme.step(1), rect.bottom() - side - theme.step(1), side, side
            )
            theme.icon("arrow-down" if descending else "arrow-up", "accent").paint(painter, arrow)
        painter.setPen(theme.colour("line"))
        painter.drawLine(rect.topRight(), rect.bottomRight())
        painter.setPen(theme.colour("line_strong"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.restore()

    def _lines_of(self, section: int, width: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The lines of a question, and those of the note below it."""
        model = self.model()
        assert isinstance(model, AnswerModel)
        room = max(20, width - self._theme.step(5) - 1)
        question = model.columns[section].question
        return (
            self._lines.lines_of(question, "small_strong", room, _MOST_HEADER_LINES),
            self._lines.lines_of(model.note(section), "small", room),
        )


class _DocumentHeader(QHeaderView):
    """The files' names, elided in the middle, each with a line below."""

    def __init__(self, theme: Theme, lines: LineCache) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._theme, self._lines = theme, lines
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName(tr("Documents"))

    def sizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), 0)  # it has a fixed width; Qt would ask a hundred rows for theirs

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        model, theme = self.model(), self._theme
        if not isinstance(model, AnswerModel) or section >= len(model.rows):
            return
        painter.save()
        view = self.parent()
        current = isinstance(view, QTableView) and view.currentIndex().row() == section
        painter.fillRect(rect, theme.colour("accent_ground" if current else "panel"))
        row = model.rows[section]
        inner = QRectF(rect).adjusted(theme.step(2.5), theme.step(2), -theme.step(2), 0)
        line = QRectF(inner.left(), inner.top(), inner.width(), self._lines.height("quote"))
        draw_line(painter, theme, line, row.name, "strong", "ink", LEFT, Qt.TextElideMode.ElideMiddle)
        below = QRectF(
            inner.left(), line.bottom() + theme.step(0.5), inner.width(), self._lines.height("small")
        )
        draw_line(painter, theme, below, row.below, "small", "ink_quiet", LEFT)
        painter.setPen(theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        painter.setPen(theme.colour("line_strong"))
        painter.drawLine(rect.topRight(), rect.bottomRight())
        painter.restore()


class AnswerView(QTableView):
    """The view of the table, with one current cell.

    `opened` is sent on Enter or a click, to open the current cell's document. `moved` is sent a moment after the
    current cell has changed, `settled` a moment after the view was scrolled or resized. `column_menu` carries the
    column whose menu is wanted, and a position on the screen; `column_moved` a column's positions before and after it
    was dragged; `letter` one of `LETTERS` that was pressed without a modifier.
    """

    opened = Signal()
    moved = Signal()
    settled = Signal()
    column_menu = Signal(int, QPoint)
    column_moved = Signal(int, int)
    letter = Signal(str)

    LETTERS = "AEXU"

    def __init__(self, theme: Theme, model: AnswerModel) -> None:
        super().__init__()
        self._theme = theme
        self.answers = model
        self._lines = LineCache(theme)
        self._delegate = AnswerDelegate(theme, self._lines)
        self.widths: dict[int, int] = {}  # that the person has set, by the columns' numbers
        self._fitting = False
        self._fitted: set[int] = set()  # the rows whose heights suit their words and the present widths
        self._pressed = -1  # the column whose header was pressed
        self._move_timer = QTimer(self, singleShot=True, interval=_MOVED_MS)
        self._move_timer.timeout.connect(self.moved)
        self._settle_timer = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settle_timer.timeout.connect(self.settled)
        self.questions = _QuestionHeader(theme, self._lines)
        self.documents = _DocumentHeader(theme, self._lines)
        self._corner = plain_label(tr("Document"), type="small_strong", wrap=False)
        self._corner.setParent(self)
        self._corner.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setHorizontalHeader(self.questions)
        self.setVerticalHeader(self.documents)
        self.setItemDelegate(self._delegate)
        self.setModel(model)
        self.setAccessibleName(tr("Answers: documents by questions"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        mark(self, kind="sheet")
        self.setWordWrap(False)
        # Scrolling then moves the pixels, and only what comes into view is painted.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.questions.sectionMoved.connect(self._section_moved)
        self.questions.sectionResized.connect(self._section_resized)
        self.questions.viewport().installEventFilter(self)
        self.questions.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.questions.customContextMenuRequested.connect(self._header_menu_requested)
        self.documents.sectionClicked.connect(self._document_clicked)
        self.clicked.connect(self._clicked)
        self.verticalScrollBar().valueChanged.connect(self._settle)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled_sideways)
        model.modelReset.connect(self.fit)
        model.dataChanged.connect(self._data_changed)
        model.headerDataChanged.connect(self.questions.fit)
        theme.changed.connect(self._restyle)
        self._restyle()

    # The current cell, and the visible ones

    def current_cell(self) -> tuple[int, int]:
        """The row and the column of the current cell; -1 for none."""
        index = self.currentIndex()
        return index.row(), index.column()

    def go_to(self, row: int, column: int) -> None:
        """Make a cell the current one, and scroll it into view."""
        index = self.answers.index(max(0, row), max(0, column))
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def shown_rows(self) -> range:
        """The visible rows."""
        first = self.rowAt(0)
        if first < 0:
            return range(0)
        last = self.rowAt(self.viewport().height() - 1)
        return range(first, (last if last >= 0 else len(self.answers.rows) - 1) + 1)

    def chosen(self) -> list[tuple[int, int]]:
        """The row and the column of each selected cell."""
        return [(index.row(), index.column()) for index in self.selectionModel().selectedIndexes()]

    # Sizes

    @Slot()
    def fit(self) -> None:
        """Set the sizes of the columns, the headers and the visible rows."""
        model, step = self.answers, self._theme.step
        self.documents.setFixedWidth(max(step(_LEAST_NAMES), min(step(_MOST_NAMES), self.width() * 2 // 5)))
        self.clearSpans()
        self._fitting = True
        if model.columns:
            share = (self.width() - self.documents.width() - step(4)) // len(model.columns)
            usual = min(step(_MOST_COLUMN), max(step(_LEAST_COLUMN), share))
            for at, column in enumerate(model.columns):
                self.questions.resizeSection(at, self.widths.get(column.number, usual))
        self._fitting = False
        for at, row in enumerate(model.rows):
            if row.message and len(model.columns) > 1:
                self.setSpan(at, 0, 1, len(model.columns))
        self.questions.fit()
        self._refit_rows()

    def _refit_rows(self) -> None:
        """Fit the visible rows now, and the others once they come into view."""
        self._fitted.clear()
        self._fit_shown()

    def _fit_shown(self) -> None:
        """Make the visible rows as high as their words need; the first that was so before stays where it is."""
        if self._fitting:
            return
        self._fitting = True
        one, two = self._delegate.height_for(1), self._delegate.height_for(2)
        rooms = [
            self._delegate.room(self.questions.sectionSize(at)) for at in range(len(self.answers.columns))
        ]
        anchor = next((row for row in self.shown_rows() if row in self._fitted), 0)
        before, length = self.documents.sectionPosition(anchor), self.documents.length()
        while new := [row for row in self.shown_rows() if row not in self._fitted]:
            for row in new:
                self._fitted.add(row)
                high = two if self._needs_two_lines(row, rooms) else one
                if self.documents.sectionSize(row) != high:
                    self.documents.resizeSection(row, high)
        moved = self.documents.sectionPosition(anchor) - before
        if moved or self.documents.length() != length:
            self.updateGeometries()  # the scroll bar's range, which Qt would set later
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved)
        self._fitting = False

    def _needs_two_lines(self, row: int, rooms: list[int]) -> bool:
        """Whether a cell of the row does not fit one line, in columns with room for these widths."""
        if self.answers.rows[row].message:
            return False
        for column, room in enumerate(rooms):
            words = self.answers.words(row, column)
            sign = self._theme.step(4.25) if words.sign else 0
            if (
                self._lines.width(words.words, font_of(words.look)) > room
                or self._lines.width(words.below, "small") + sign > room
            ):
                return True
        return False

    @Slot(QModelIndex, QModelIndex)
    def _data_changed(self, first: QModelIndex, last: QModelIndex) -> None:
        rows, columns = range(first.row(), last.row() + 1), len(self.answers.columns)
        for row in rows:
            span = columns if self.answers.rows[row].message else 1
            if columns > 1 and self.columnSpan(row, 0) != span:
                self.setSpan(row, 0, 1, span)
        self._fitted.difference_update(rows)
        self._fit_shown()

    @Slot(int, int, int)
    def _section_resized(self, section: int, before: int, now: int) -> None:
        if not self._fitting and section < len(self.answers.columns):
            self.widths[self.answers.columns[section].number] = now
            self._refit_rows()
            self.questions.fit()

    @Slot(int, int, int)
    def _section_moved(self, section: int, before: int, now: int) -> None:
        """Undo the header's own move, and announce it: the order of the columns is the model's."""
        if not self._fitting:
            self._fitting = True
            self.questions.moveSection(now, before)
            self._fitting = False
            self._pressed = -1
            self.column_moved.emit(before, now)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._lines.ink("panel"))
        painter.end()
        super().paintEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        if dy:
            self._fit_shown()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        super().scrollTo(index, hint)
        super().scrollTo(index, hint)  # its row may have become higher as it came into view

    def updateGeometries(self) -> None:
        super().updateGeometries()
        step = self._theme.step
        self._corner.setGeometry(step(2.5), step(2), self.documents.width() - step(5), step(6))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()
        else:
            self._fit_shown()
        self._settle()

    @Slot()
    def _restyle(self) -> None:
        self._lines.forget()
        self.documents.setDefaultSectionSize(self._delegate.height_for(1))
        self.fit()

    @Slot()
    def _scrolled_sideways(self) -> None:
        """Repaint the messages, which stay in view while the columns scroll."""
        for row in self.shown_rows():
            if self.answers.rows[row].message:
                self.viewport().update(self.visualRect(self.answers.index(row, 0)))

    @Slot()
    def _settle(self) -> None:
        self._settle_timer.start()

    # Keys and the mouse

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.documents.viewport().update()
        self._move_timer.start()

    def event(self, event: QEvent) -> bool:
        # Esc is left to the window, which has the page close the document beside or pause: Qt's table would accept it.
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(tab_separated(self.answers, self.chosen()))
        elif plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open_now()
        elif plain and event.text() and event.text().upper() in self.LETTERS:
            self.letter.emit(event.text().upper())
        elif plain and event.text().isalnum():
            event.accept()  # no search by typing, as some letters are keys
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, place = menu_place(self, event)
        if index.isValid():
            self.column_menu.emit(index.column(), place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Open a question's menu on a click, unless the press resized or moved a column."""
        if watched is self.questions.viewport() and isinstance(event, QMouseEvent):
            at = self.questions.logicalIndexAt(event.position().toPoint())
            if event.type() == QEvent.Type.MouseButtonPress:
                near = self.questions.cursor().shape() == Qt.CursorShape.SplitHCursor
                self._pressed = -1 if near or event.button() != Qt.MouseButton.LeftButton else at
            elif event.type() == QEvent.Type.MouseButtonRelease and at == self._pressed >= 0:
                self._pressed = -1
                self._menu_below(at)
        return super().eventFilter(watched, event)

    @Slot(QPoint)
    def _header_menu_requested(self, point: QPoint) -> None:
        at = self.questions.logicalIndexAt(point)
        if at >= 0:
            self.column_menu.emit(at, self.questions.viewport().mapToGlobal(point))

    def _menu_below(self, column: int) -> None:
        x = self.questions.sectionViewportPosition(column)
        below = QPoint(max(0, x), self.questions.height())
        self.column_menu.emit(column, self.questions.viewport().mapToGlobal(below))

    @Slot(int)
    def _document_clicked(self, row: int) -> None:
        self.go_to(row, max(0, self.currentIndex().column()))
        self._open_now()

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        if len(self.chosen()) == 1:
            self._open_now()

    def _open_now(self) -> None:
        self._move_timer.stop()
        if self.currentIndex().isValid():
            self.opened.emit()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.step(160), self._theme.step(80))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.step(70), self._theme.step(40))
