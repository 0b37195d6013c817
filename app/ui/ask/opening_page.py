"""The page of a tab while its file is read, needs a password, or cannot be opened."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.report import Progress
from app.ui.kit.notice import Notice
from app.ui.kit.password_line import PasswordLine
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme


class OpeningPage(QFrame):
    """The file's name with its progress, a field for its password, or its fault.

    The requests are sent by their buttons; `password_given` carries the typed password.
    """

    stop_requested = Signal()
    read_requested = Signal()
    close_requested = Signal()
    password_given = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "desk")
        self._name = QLabel()
        self._name.setWordWrap(True)
        self._name.setTextFormat(Qt.TextFormat.PlainText)
        self.strip = ProgressStrip(theme)
        self.notice = Notice(theme, closable=False)
        self._lock = PasswordLine(theme)
        self.password = self._lock.field
        self._again = QPushButton("Try again")
        self._close = QPushButton("Close")
        for button in (self._again, self._close):
            button.setAccessibleName(button.text())
        self._actions = QWidget()
        actions = QHBoxLayout(self._actions)
        actions.setContentsMargins(0, 0, 0, 0)
        actions.addWidget(self._again)
        actions.addWidget(self._close)
        actions.addStretch(1)
        self._actions_row = actions
        self._inner = QWidget()
        self._column = QVBoxLayout(self._inner)
        for part in (self._name, self.strip, self._lock, self.notice, self._actions):
            self._column.addWidget(part)
        whole = QVBoxLayout(self)
        whole.addStretch(2)
        # Stretches, not an alignment: Qt then gives wrapped lines the height that they need.
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._inner)
        middle.addStretch(1)
        whole.addLayout(middle)
        whole.addStretch(3)
        self.strip.stop_asked.connect(self.stop_requested)
        self._again.clicked.connect(self.read_requested)
        self._close.clicked.connect(self.close_requested)
        self._lock.entered.connect(self.password_given)
        theme.changed.connect(self._restyle)
        self._restyle()

    def reading(self, name: str) -> None:
        """Show that a file is being read."""
        self._begin(name)
        self.strip.waiting("Opening")

    def show_progress(self, progress: Progress) -> None:
        """Show how far the reading of the file has come."""
        self.strip.show_progress(progress)

    def ask_password(self, name: str, wrong: bool) -> None:
        """Ask for the file's password; `wrong`: the last one did not fit."""
        self._begin(name)
        self._again.hide()
        self._actions.show()
        self._lock.ask("This file", wrong)

    def asks_password(self) -> bool:
        """Whether the file's password is asked for."""
        return not self._lock.isHidden()

    def show_fault(self, name: str, sentence: str, hint: str = "", report: str = "") -> None:
        """Show why the file cannot be opened."""
        self._begin(name)
        self.notice.show_fault(sentence, hint, report)
        self._again.show()
        self._actions.show()

    def _begin(self, name: str) -> None:
        self._name.setText(name)
        self.strip.clear()
        self.notice.clear()
        for part in (self._lock, self._actions):
            part.hide()

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self._name.setFont(theme.font("answer"))
        self._inner.setFixedWidth(theme.step(110))
        self._column.setSpacing(theme.step(3))
        self._actions_row.setSpacing(theme.step(2))
        self._again.setIcon(theme.icon("open", "ink"))
        self._again.setIconSize(QSize(theme.step(4), theme.step(4)))
