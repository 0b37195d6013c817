"""The list of documents: its model, how its rows are drawn, and its keys and mouse."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QRectF, QStringListModel, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import QLineEdit, QListView, QStyle, QStyleOptionViewItem

from app.core.legible import legible_lines
from app.ui.ask.document_rows import Part, Row, row_of_file
from app.ui.kit.parts import as_tip
from app.ui.kit.row_list import RIGHT, ROW, Index, RowDelegate, RowList, menu_place
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr

if TYPE_CHECKING:
    from app.core.library import LibraryFile

_ROW = 7.25  # the height of every row, in steps
_MIDDLE = Qt.TextElideMode.ElideMiddle
_CLOSE = QKeySequence("Ctrl+W")


_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole)


class DocumentModel(QStringListModel):
    """The rows of the list; a library's file is made into a Row only when it comes into view.

    The view asks for the number of rows once for each row. Qt's own model answers that: 100,000 calls into Python would
    stop the window for half a second.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[Row | LibraryFile] = []
        self._current = ""
        self._equal: Collection[str] = ()

    def take(self, rows: list[Row | LibraryFile], current: str, equal: Collection[str]) -> None:
        """Show these rows; `current` is the path of the file on the page, `equal` are names that need their folders."""
        self._rows, self._current, self._equal = rows, current, equal
        self.setStringList([""] * len(rows))

    def put(self, at: int, row: Row | LibraryFile) -> None:
        """Replace a row."""
        self._rows[at] = row
        self.dataChanged.emit(self.index(at), self.index(at))

    def row(self, at: int) -> Row:
        """Return the row at an index."""
        row = self._rows[at]
        return row if isinstance(row, Row) else row_of_file(row, self._current, self._equal)

    def heads(self) -> Iterator[tuple[int, Row]]:
        """Return all rows that are not files of a library, with their indexes."""
        return ((at, row) for at, row in enumerate(self._rows) if isinstance(row, Row))

    def first_file(self) -> int:
        """Return the index of the first row that is a file of a library, -1 without any."""
        return next((at for at, row in enumerate(self._rows) if not isinstance(row, Row)), -1)

    def find(self, wanted: Row) -> int:
        """Return the index of the row with the same identity, whatever its state, -1 without one."""
        if wanted.part is Part.FILE:
            path = wanted.path
            files = enumerate(self._rows)
            return next((at for at, row in files if row.path == path and not isinstance(row, Row)), -1)
        return next((at for at, row in self.heads() if row.identity == wanted.identity), -1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or (role != ROW and role not in _ROLES):
            return None
        row = self.row(index.row())
        if role == ROW:
            return row
        words = row.words[_ROLES.index(Qt.ItemDataRole(role))]
        return as_tip(words) if role == Qt.ItemDataRole.ToolTipRole else legible_lines(words)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the keys pass over headings."""
        if not index.isValid() or not self.row(index.row()).can_be_chosen:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class DocumentDelegate(RowDelegate):
    """Draws the rows: documents with their names elided in the middle, libraries with a thin line of progress."""

    def row_height(self, index: Index) -> int:
        return self._theme.step(_ROW)

    def draw(self, painter: QPainter, rect: QRectF, row: Row, option: QStyleOptionViewItem) -> None:
        step = self._theme.step
        inner = rect.adjusted(step(2.5), 0, -step(2), -1)
        match row.part:
            case Part.HEADING:
                place = rect.adjusted(step(1.5), step(1.5), 0, 0)
                self.draw_text(painter, place, row.name, "small_strong", "ink_quiet")
            case Part.NOTHING:
                self.draw_text(painter, inner, row.name, "small", "ink_quiet")
            case Part.LIBRARY:
                self._draw_hover(painter, rect, option)
                self._draw_library(painter, rect.adjusted(step(1.5), step(1.5), -step(2), 0), row)
            case Part.READING:
                self._draw_hover(painter, rect, option)
                used = self.draw_text(painter, inner, row.note, "small", "accent", RIGHT)
                inner.setRight(inner.right() - used - step(2))
                self.draw_text(painter, inner, row.name, "small", "ink_quiet")
            case _:
                self._draw_hover(painter, rect, option, is_current=row.is_current)
                font = "strong" if row.is_current else "ui"
                if note := self._note(row, font, inner):
                    used = self.draw_text(painter, inner, note, "small", "ink_quiet", RIGHT)
                    inner.setRight(inner.right() - used - step(2))
                self.draw_text(painter, inner, row.name, font, "ink", elide=_MIDDLE)
        self.draw_focus(painter, rect, option)

    def _note(self, row: Row, font: str, place: QRectF) -> str:
        """Return the note beside a name: the brief one where the full note would leave too little room for the name."""
        if row.brief_note is None:
            return row.note
        note = QFontMetrics(self._theme.font("small")).horizontalAdvance(row.note)
        room = place.width() - note - self._theme.step(2)
        fits = QFontMetrics(self._theme.font(font)).horizontalAdvance(row.name) <= room
        return row.note if fits else row.brief_note

    def _draw_hover(
        self, painter: QPainter, rect: QRectF, option: QStyleOptionViewItem, *, is_current: bool = False
    ) -> None:
        if is_current or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("raised" if is_current else "frame_hover"))
            radius = self._theme.step(1.5)
            painter.drawRoundedRect(rect.adjusted(0, 0, 0, -1), radius, radius)

    def _draw_library(self, painter: QPainter, place: QRectF, row: Row) -> None:
        theme = self._theme
        side = theme.step(3)
        icon = theme.icon("down" if row.is_expanded else "next")
        sign = QRectF(place.left() - theme.step(0.75), place.center().y() - side / 2, side, side)
        icon.paint(painter, sign.toRect())
        names = place.adjusted(side, 0, 0, 0)
        note = self._note(row, "small_strong", names)
        used = self.draw_text(painter, names, note, "small", "ink_quiet", RIGHT)
        names.setRight(names.right() - used - theme.step(2))
        self.draw_text(painter, names, row.name, "small_strong", "ink_quiet", elide=_MIDDLE)
        if row.fraction >= 0:
            line = QRectF(place.left(), place.bottom() - theme.step(0.75), place.width(), theme.step(0.5))
            painter.fillRect(line, theme.colour("line"))
            line.setWidth(line.width() * row.fraction)
            painter.fillRect(line, theme.colour("accent"))


class DocumentListView(RowList):
    """The list: the arrow keys choose, Enter or a click opens, the middle button or Ctrl+W closes.

    `chosen` carries the Row to open, expand or stop, `close_asked` the Row to close, `menu_asked` a Row and where
    to show its menu, `renamed` the Row of a library and its new name. `up_requested` is sent when Up is pressed on the
    first row; `typed` carries letters typed here, which begin a search.
    """

    chosen = Signal(object)
    close_asked = Signal(object)
    menu_asked = Signal(object, QPoint)
    renamed = Signal(object, str)
    up_requested = Signal()
    typed = Signal(str)

    def __init__(self, theme: Theme) -> None:
        self.rows = DocumentModel()
        super().__init__(theme, tr("Documents"), self.rows, DocumentDelegate(theme), bare=True)  # type: ignore[arg-type]
        self.setUniformItemSizes(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self._editor: QLineEdit | None = None
        self._renaming: Row | None = None
        self._pressed_twice = False
        self.clicked.connect(self._clicked)

    def show_rows(self, rows: list[Row | LibraryFile], current: str, equal: Collection[str] = ()) -> None:
        """Show these rows, with the file at the path `current` on the page; selection and scroll position stay.

        `equal` are the names that need their folders.
        """
        before, place = self.row(), self.verticalScrollBar().value()
        self.rows.take(rows, current, equal)
        if before is not None and (at := self.rows.find(before)) >= 0:
            self.selectionModel().setCurrentIndex(
                self.rows.index(at), self.selectionModel().SelectionFlag.ClearAndSelect
            )
        self.verticalScrollBar().setValue(place)

    def row(self) -> Row | None:
        """Return the current row."""
        index = self.currentIndex()
        return self.rows.row(index.row()) if index.isValid() else None

    def choose_first(self) -> None:
        """Select the first document."""
        heads = (at for at, row in self.rows.heads() if row.is_document)
        found = [at for at in (next(heads, -1), self.rows.first_file()) if at >= 0]
        if found:
            self.setCurrentIndex(self.rows.index(min(found)))

    def rename(self, row: Row) -> None:
        """Have a new name of a library typed in its row; Enter takes it, Esc leaves the old one."""
        index = self.rows.index(self.rows.find(row))
        self._renaming = row
        self._editor = editor = QLineEdit(row.name, self.viewport())
        editor.setAccessibleName(tr("New name of the library {library}", library=row.name))
        editor.setGeometry(self.visualRect(index))
        editor.selectAll()
        editor.editingFinished.connect(self._rename_ended)
        editor.installEventFilter(self)
        editor.show()
        editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Cancel renaming on Esc."""
        is_key = event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
        if (
            watched is self._editor
            and is_key
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            if event.type() == QEvent.Type.KeyPress:
                self._renaming = None
                self._rename_ended()
            event.accept()
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _rename_ended(self) -> None:
        editor, row = self._editor, self._renaming
        if editor is None:
            return
        self._editor = self._renaming = None
        name = editor.text().strip()
        editor.hide()
        editor.deleteLater()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        if row is not None and name and name != row.name:
            self.renamed.emit(row, name)

    # Keys and mouse

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._closes(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row, key = self.row(), event.key()
        if self._closes(event) and row is not None:
            self.close_asked.emit(row)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.chosen.emit(row)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and row is not None and row.part is Part.LIBRARY:
            if row.is_expanded == (key == Qt.Key.Key_Left):
                self.chosen.emit(row)
        elif key == Qt.Key.Key_F2 and row is not None and row.part is Part.LIBRARY:
            self.rename(row)
        elif key == Qt.Key.Key_Up and not self._has_row_above():
            self.up_requested.emit()
        elif event.text().isprintable() and event.text().strip() and not event.modifiers() & _COMMANDS:
            self.typed.emit(event.text())
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason and self.row() is None:
            at = next((at for at, row in self.rows.heads() if row.is_current), -1)
            if at >= 0:
                self.setCurrentIndex(self.rows.index(at))
            else:
                self.choose_first()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_twice = False
        # The middle button would choose a row, too.
        if event.button() != Qt.MouseButton.MiddleButton:
            super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The first click has opened a document, which may have moved the rows before the second.
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_twice = True
        else:
            self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed_twice:
            self._pressed_twice = False
        elif event.button() == Qt.MouseButton.MiddleButton:
            index = self.indexAt(event.position().toPoint())
            if index.isValid():
                self.close_asked.emit(self.rows.row(index.row()))
        else:
            super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index, place = menu_place(self, event)
        if index.isValid() and self.rows.row(index.row()).can_be_chosen:
            self.setCurrentIndex(index)
            self.menu_asked.emit(self.rows.row(index.row()), place)

    def _closes(self, event: QKeyEvent) -> bool:
        row = self.row()
        is_close = QKeySequence(event.keyCombination()) == _CLOSE
        return is_close and row is not None and row.part is Part.OPEN

    def _has_row_above(self) -> bool:
        here = self.currentIndex().row()
        return any(at < here and row.can_be_chosen for at, row in self.rows.heads())

    @Slot(QModelIndex)
    def _clicked(self, index: QModelIndex) -> None:
        row = self.rows.row(index.row())
        if row.can_be_chosen:
            self.chosen.emit(row)


_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)
