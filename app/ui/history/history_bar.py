"""What stands below the history: whether one is kept, export, and deleting everything."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QStackedLayout

from app.core.wording import count
from app.ui.kit.theme import Theme, mark


class HistoryBar(QFrame):
    """A switch, Export… with its formats, and Delete everything…, which asks in its own place.

    `kept` carries whether a history is wanted; `export_asked` a format's key; `delete_all_asked` is sent once that has
    been confirmed.
    """

    kept = Signal(bool)
    export_asked = Signal(str)
    delete_all_asked = Signal()

    def __init__(self, theme: Theme, formats: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._theme = theme
        self._formats = tuple(formats)
        self.keep = QCheckBox("Keep a history")
        self.keep.setToolTip("Questions, their answers and pasted texts are kept, on this computer only")
        self.keep.clicked.connect(self.kept)
        self.export = QPushButton("Export…")
        self.menu = QMenu(self.export)
        self.export.setMenu(self.menu)
        for key, title in self._formats:
            action = QAction(title, self.menu)
            action.setData(key)
            action.triggered.connect(self._format_chosen)
            self.menu.addAction(action)
        self.delete_all = QPushButton("Delete everything…")
        self.delete_all.clicked.connect(self._ask)
        self._sure = QLabel()
        self._sure.setWordWrap(True)
        self.confirm = QPushButton("Delete everything")
        self.confirm.clicked.connect(self._confirmed)
        self.cancel = QPushButton("Keep it")
        self.cancel.clicked.connect(self.calm)
        for button in (self.keep, self.export, self.delete_all, self.confirm, self.cancel):
            button.setAccessibleName(button.text())
        mark(self.confirm, kind="danger")
        usual, sure = QFrame(), QFrame()
        self._rows = (QHBoxLayout(usual), QHBoxLayout(sure))
        self._rows[0].addWidget(self.keep)
        self._rows[0].addStretch(1)
        self._rows[0].addWidget(self.export)
        self._rows[0].addWidget(self.delete_all)
        self._rows[1].addWidget(self._sure, 1)
        self._rows[1].addWidget(self.cancel)
        self._rows[1].addWidget(self.confirm)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(usual)
        self._stack.addWidget(sure)
        self._total = 0
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_total(self, total: int, whole: int) -> None:
        """Take how many entries are listed, and how many there are in the whole history."""
        self.export.setEnabled(bool(total))
        self.delete_all.setEnabled(bool(whole))
        self._total = whole
        if not whole:
            self.calm()

    @property
    def asking(self) -> bool:
        """Whether it is asked if everything is to be deleted."""
        return self._stack.currentIndex() == 1

    @Slot()
    def calm(self) -> None:
        """Take the question away."""
        if self.asking:
            self._stack.setCurrentIndex(0)
            self.delete_all.setFocus(Qt.FocusReason.OtherFocusReason)

    def question(self) -> str:
        """What is asked before everything is deleted."""
        return self._sure.text()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc takes the question away."""
        if event.key() == Qt.Key.Key_Escape and self.asking:
            self.calm()
            return
        super().keyPressEvent(event)

    @Slot()
    def _ask(self) -> None:
        entries = count(self._total, "question and its answer", "questions and their answers")
        self._sure.setText(f"Delete {entries} for good? This cannot be undone.")
        self._stack.setCurrentIndex(1)
        self.cancel.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _confirmed(self) -> None:
        self.calm()
        self.delete_all_asked.emit()

    @Slot()
    def _format_chosen(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self.export_asked.emit(action.data())

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._sure.setFont(theme.font("strong"))
        for button, icon in ((self.export, "save"), (self.delete_all, "delete"), (self.confirm, "delete")):
            button.setIcon(theme.icon(icon, "ink"))
            button.setIconSize(QSize(theme.step(4), theme.step(4)))
        for row in self._rows:
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme.step(2))
