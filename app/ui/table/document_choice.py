"""The dialog in which the documents of a table are chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QWidget

from app.core.library import FileState, LibraryFile
from app.ui.kit.boxes import flow
from app.ui.kit.page import PageDialog
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.search_line import SearchLine
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr

_PATH = Qt.ItemDataRole.UserRole


class DocumentChoice(PageDialog):
    """The files of a library, each with a check box, and a search.

    `chosen` carries the paths of the ticked files; it is empty for the whole library, including files added later.
    """

    chosen = Signal(tuple)

    def __init__(
        self, theme: Theme, name: str, files: Sequence[LibraryFile], ticked: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(theme, tr("Documents of the table"), 140, 130, parent)
        self.words = plain_label(ink="quiet")
        self.search = SearchLine(theme, tr("Find a document"))
        self.items = QStandardItemModel(self)
        self._found = QSortFilterProxyModel(self)
        self._found.setSourceModel(self.items)
        self._found.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.list = QListView()
        self.list.setModel(self._found)
        self.list.setAccessibleName(tr("Documents"))
        self.list.setUniformItemSizes(True)
        mark(self.list, kind="ticks")
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        wanted = frozenset(ticked)
        paths = [Path(each.path) for each in files if each.state is not FileState.GONE]
        names = Counter(path.name for path in paths)
        for path in paths:
            item = QStandardItem(path.name if names[path.name] == 1 else f"{path.name} · {path.parent.name}")
            item.setData(str(path), _PATH)
            item.setToolTip(as_tip(str(path)))
            item.setCheckable(True)
            item.setCheckState(_state(not wanted or str(path) in wanted))
            self.items.appendRow(item)
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
        self.items.itemChanged.connect(self._count)
        self.search.textChanged.connect(self._found.setFilterFixedString)
        self.search.down_requested.connect(self.list.setFocus)
        self.tick.clicked.connect(self._tick)
        self.untick.clicked.connect(self._untick)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self._count()

    def ticked(self) -> tuple[str, ...]:
        every = (self.items.item(row) for row in range(self.items.rowCount()))
        return tuple(item.data(_PATH) for item in every if item.checkState() is Qt.CheckState.Checked)

    @Slot()
    def _count(self, *_: QStandardItem) -> None:
        ticked, every = len(self.ticked()), self.items.rowCount()
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
        self.items.blockSignals(True)
        for row in range(self._found.rowCount()):
            item = self.items.itemFromIndex(self._found.mapToSource(self._found.index(row, 0)))
            item.setCheckState(_state(on))
        self.items.blockSignals(False)
        self.list.viewport().update()
        self._count()

    @Slot()
    def _save(self) -> None:
        ticked = self.ticked()
        self.accept()
        self.chosen.emit(ticked if len(ticked) < self.items.rowCount() else ())


def _state(on: bool) -> Qt.CheckState:
    return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
