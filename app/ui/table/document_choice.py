"""The dialog in which the documents of a table are chosen."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

from PySide6.QtCore import QAbstractItemModel, QEvent, QRectF, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from app.core.library import FileState, LibraryFile
from app.core.wording import equal_names, name_with_folder
from app.ui.kit.boxes import flow
from app.ui.kit.page import PageDialog
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.row_list import Index, RowDelegate, RowList, RowModel
from app.ui.kit.search_line import SearchLine
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr
from app.ui.table.cells import Row


class _Documents(RowModel):
    """Documents with check boxes; `ticked` has the rows that are ticked."""

    def __init__(self, files: Sequence[LibraryFile], ticked: Sequence[str]) -> None:
        super().__init__(partial(_row_texts, equal_names(file.path for file in files)))
        self.take([Row(file) for file in files])
        wanted = frozenset(ticked)
        self.ticked = {at for at, file in enumerate(files) if not wanted or file.path in wanted}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.CheckStateRole:
            return super().data(index, role)
        return Qt.CheckState.Checked if index.row() in self.ticked else Qt.CheckState.Unchecked

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsUserCheckable

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole:
            return False
        self.tick([index.row()], Qt.CheckState(value) is Qt.CheckState.Checked)
        return True

    def tick(self, rows: Sequence[int], on: bool) -> None:
        """Tick rows, or take their ticks away."""
        if rows:
            (self.ticked.update if on else self.ticked.difference_update)(rows)
            ends = self.index(min(rows)), self.index(max(rows))
            self.dataChanged.emit(*ends, [Qt.ItemDataRole.CheckStateRole])


class _TickDelegate(RowDelegate):
    """Draws a document with its check box: its name, and its length or why it was not read whole."""

    MIRRORS = True

    def row_height(self, index: Index) -> int:
        return self.line_height("ui") + self.line_height("small") + self._theme.step(4.5)

    def draw(self, painter: QPainter, rect: QRectF, row: Row, option: QStyleOptionViewItem) -> None:
        step, view = self._theme.step, option.widget
        self.draw_ground(painter, rect, option, bar=False)
        self.draw_focus(painter, rect, option)
        side = step(4)
        line = rect.adjusted(step(3), step(2), -step(3), 0)
        box = QStyleOptionViewItem(option)
        box.rect = self.mirrored(QRectF(line.left(), rect.center().y() - side / 2, side, side)).toRect()
        is_ticked = _is_ticked(option.index)
        box.state |= QStyle.StateFlag.State_On if is_ticked else QStyle.StateFlag.State_Off
        view.style().drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck, box, painter, view)
        line.setLeft(line.left() + side + step(3))
        line.setHeight(self.line_height("ui"))
        self.draw_text(painter, line, option.index.data(), elide=Qt.TextElideMode.ElideMiddle)
        line.translate(0, line.height() + step(0.5))
        line.setHeight(self.line_height("small"))
        self.draw_text(painter, line, _below(row), "small", "ink" if row.file.why_unread else "ink_quiet")

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        """Tick a row, or take its tick away, on a click anywhere in it; the keys are Qt's."""
        if not isinstance(event, QMouseEvent):
            return super().editorEvent(event, model, option, index)
        if (event.type(), event.button()) != (QEvent.Type.MouseButtonRelease, Qt.MouseButton.LeftButton):
            return False
        now = Qt.CheckState.Unchecked if _is_ticked(index) else Qt.CheckState.Checked
        return model.setData(index, now, Qt.ItemDataRole.CheckStateRole)


class DocumentChoice(PageDialog):
    """The files of a library, each with a check box, and a search.

    `chosen` carries the paths of the ticked files; it is empty for the whole library, including files added later.
    """

    chosen = Signal(tuple)

    def __init__(
        self, theme: Theme, name: str, files: Sequence[LibraryFile], ticked: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(theme, tr("Documents of the table"), 175, 130, parent)
        self.words = plain_label(ink="quiet")
        self.search = SearchLine(theme, tr("Find a document"))
        present = [each for each in files if each.state is not FileState.GONE]
        self.documents = _Documents(present, ticked)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self.documents)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list = RowList(theme, tr("Documents"), self.documents, _TickDelegate(theme, line=True))
        self.list.setModel(self._found)
        self.list.setUniformItemSizes(True)
        mark(self.list, kind="ticks")
        self.tick = push_button(theme, tr("Tick all"), tip=tr("All that are shown"))
        self.untick = push_button(theme, tr("Tick none"), tip=tr("None of those that are shown"))
        self.save = push_button(theme, tr("Save"), kind="primary")
        self.cancel = push_button(theme, tr("Cancel"))
        self.save.setDefault(True)
        ticks = flow(theme, self.tick, self.untick)
        for part in (plain_label(name, type="title"), self.words, self.search, self.list):
            self.column.addWidget(part)
        self.column.addLayout(ticks)
        self.foot.addStretch(1)
        for button in (self.cancel, self.save):
            self.foot.addWidget(button)
        self.documents.dataChanged.connect(self._count)
        self.search.textChanged.connect(self._found.setFilterFixedString)
        self.search.down_requested.connect(self.list.setFocus)
        self.tick.clicked.connect(self._tick)
        self.untick.clicked.connect(self._untick)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self._count()

    def ticked(self) -> tuple[str, ...]:
        return tuple(self.documents.rows[at].file.path for at in sorted(self.documents.ticked))

    @Slot()
    def _count(self, *_: object) -> None:
        ticked, every = len(self.documents.ticked), len(self.documents.rows)
        if ticked == every:
            words = tr(
                "All {n:,} document, including any added later",
                "All {n:,} documents, including any added later",
                n=every,
            )
        else:
            words = tr(
                "{ticked:,} of {n:,} document", "{ticked:,} of {n:,} documents", ticked=ticked, n=every
            )
        self.words.setText(words)
        self.save.setEnabled(ticked > 0)

    @Slot()
    def _tick(self) -> None:
        self._set_shown(True)

    @Slot()
    def _untick(self) -> None:
        self._set_shown(False)

    def _set_shown(self, on: bool) -> None:
        shown = (self._found.index(row, 0) for row in range(self._found.rowCount()))
        self.documents.tick([self._found.mapToSource(index).row() for index in shown], on)

    @Slot()
    def _save(self) -> None:
        ticked = self.ticked()
        self.accept()
        self.chosen.emit(ticked if len(ticked) < len(self.documents.rows) else ())


def _is_ticked(index: Index) -> bool:
    return Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) is Qt.CheckState.Checked


def _below(row: Row) -> str:
    return " · ".join(filter(None, (row.below, localised(row.file.why_unread))))


def _row_texts(equal: Collection[str], row: Row) -> tuple[str, str, str]:
    path, why = row.file.path, localised(row.file.why_unread)
    name = name_with_folder(path, equal)
    return name, ", ".join(filter(None, (name, _below(row)))), "\n".join(filter(None, (path, why)))
