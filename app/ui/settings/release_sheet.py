"""What a check for a newer version brought: its version, what is new, and where it is."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout

from app.core.about import NAME
from app.core.days import plain_date
from app.core.releases import Update
from app.core.wording import size
from app.ui.kit.theme import Theme, mark

_MOST_LINES = 9


class ReleaseSheet(QFrame):
    """A sentence; where there is a newer version, its notes and the ways to it as well. Hidden until there is one.

    `open_asked` is sent where its page is to be opened. All of it is shown as plain text: somebody else wrote it.
    """

    open_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._address = ""
        self.sentence, self.file = QLabel(), QLabel()
        for label in (self.sentence, self.file):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.notes = QPlainTextEdit()
        self.notes.setReadOnly(True)
        self.notes.setTabChangesFocus(True)
        self.notes.setAccessibleName("What is new")
        self.notes.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.open = QPushButton("Open its page")
        self.copy = QPushButton()
        self.open.clicked.connect(self.open_asked)
        self.copy.clicked.connect(self._copy)
        self._buttons = QHBoxLayout()
        self._buttons.addWidget(self.open)
        self._buttons.addWidget(self.copy)
        self._buttons.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        for part in (self.sentence, self.notes, self.file):
            self._column.addWidget(part)
        self._column.addLayout(self._buttons)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    def show_update(self, update: Update) -> None:
        """Say which version is the newest, and what there is of it."""
        release = update.newest
        newer = release is not None
        if release is not None:
            self._address = release.page
            self.sentence.setText(f"Version {release.version} of {plain_date(release.day)} is there.")
            self.notes.setPlainText(release.notes)
            self.open.setToolTip(release.page)
            self.open.setAccessibleName(f"Open the page of version {release.version}")
        else:
            self.sentence.setText(f"{NAME} {update.own} is the newest version.")
        self.file.setText(
            f"For this computer: {update.file.name}, {size(update.file.size)}" if update.file else ""
        )
        self.copy.setText("Copy the address")
        self.copy.setAccessibleName("Copy the address of its page")
        self.notes.setVisible(release is not None and bool(release.notes))
        self.file.setVisible(bool(self.file.text()))
        for button in (self.open, self.copy):
            button.setVisible(newer)
        self.setAccessibleName(self.sentence.text())
        mark(self.sentence, ink="likely" if not newer else "")
        self.show()
        self._restyle()

    def clear(self) -> None:
        """Take away what was said."""
        self._address = ""
        self.sentence.clear()
        self.notes.clear()
        self.hide()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._address)
        self.copy.setText("Copied")

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self.sentence.setFont(theme.font("strong"))
        self.notes.setFont(theme.font("ui"))
        self.file.setFont(theme.font("small"))
        self._column.setSpacing(theme.step(2))
        self._column.setContentsMargins(0, theme.step(2), 0, 0)
        self._buttons.setSpacing(theme.step(2))
        lines = min(_MOST_LINES, max(2, self.notes.document().blockCount()))
        edges = 2 * (self.notes.frameWidth() + int(self.notes.document().documentMargin()))
        self.notes.setFixedHeight(lines * self.notes.fontMetrics().lineSpacing() + edges + theme.step(2))
