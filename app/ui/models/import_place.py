"""The place to import a model from this computer: a drop area, two buttons, one choice."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QPushButton, QVBoxLayout

from app.ui.kit.dropped import dropped_files, take_files_only
from app.ui.kit.flow_row import FlowRow
from app.ui.kit.notice import Notice
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark


class ImportPlace(QFrame):
    """The drop area; `folder_asked` and `zip_asked` are sent by the buttons, `dropped` carries paths.

    `strip` shows a running import, `notice` a failed one; `leave` is checked to leave a folder's files where they are.
    """

    folder_asked = Signal()
    zip_asked = Signal()
    dropped = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._title = QLabel("A model you have already")
        self._words = QLabel("Drop its folder or zip here. It is checked first.")
        self._words.setProperty("ink", "quiet")
        self._words.setWordWrap(True)
        self.folder = QPushButton("Folder…")
        self.folder.clicked.connect(self.folder_asked)
        self.zip = QPushButton("Zip…")
        self.zip.clicked.connect(self.zip_asked)
        self._buttons = FlowRow()
        for button in (self.folder, self.zip):
            button.setAccessibleName(f"Import a {button.text().rstrip('…').lower()}")
            self._buttons.add(button)
        self.leave = QCheckBox("Leave the folder where it is")
        self.leave.setToolTip("Nothing is copied: the model is gone when the folder is moved or deleted")
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self._column = QVBoxLayout(self)
        for part in (self._title, self._words):
            self._column.addWidget(part)
        self._column.addLayout(self._buttons)
        self._column.addWidget(self.leave)
        self._column.addWidget(self.strip)
        self._column.addWidget(self.notice)
        self.setAcceptDrops(True)
        mark(self, kind="card")
        theme.changed.connect(self._restyle)
        self._restyle()

    def set_busy(self, busy: bool) -> None:
        """Set whether an import is running; the keyboard focus moves to an enabled control."""
        parts = (self.folder, self.zip, self.leave)
        here = any(part.hasFocus() for part in parts)
        back = self.strip.has_focus() and not busy
        if here and busy:
            self.strip.focus_stop()
        for part in parts:
            part.setEnabled(not busy)
        if back:
            self.folder.setFocus(Qt.FocusReason.OtherFocusReason)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        take_files_only(event)
        if event.isAccepted():
            mark(self, kind="hint")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        mark(self, kind="card")

    def dropEvent(self, event: QDropEvent) -> None:
        mark(self, kind="card")
        if files := dropped_files(event):
            self.dropped.emit(files)

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._title.setFont(theme.font("strong"))
        self._words.setFont(theme.font("small"))
        self.leave.setFont(theme.font("small"))
        for button, icon in ((self.folder, "open"), (self.zip, "document")):
            button.setIcon(theme.icon(icon, "ink"))
            button.setIconSize(QSize(theme.step(4), theme.step(4)))
        edge = theme.step(3)
        self._column.setContentsMargins(edge, edge, edge, edge)
        self._column.setSpacing(theme.step(2))
        self._buttons.setSpacing(theme.step(2))
