"""The page of a document while its file is read, needs a password, or cannot be opened."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core.legible import legible
from app.ui.kit.notice import Notice
from app.ui.kit.parts import plain_label, push_button
from app.ui.kit.password_line import PasswordLine
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme
from app.ui.kit.translation import tr


class OpeningPage(QFrame):
    """The file's name with its progress (`strip`), a field for its password (`lock`), or its fault (`notice`).

    The button `close_button` is below the last two, `again` below a fault only.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "desk")
        self._name = plain_label(type="answer")
        self.strip = ProgressStrip(theme)
        self.notice = Notice(theme, closable=False)
        self.lock = PasswordLine(theme)
        self.again = push_button(theme, tr("Try again"), icon="open")
        self.close_button = push_button(theme, tr("Close"))
        self._actions = QWidget()
        actions = QHBoxLayout(self._actions)
        actions.setContentsMargins(0, 0, 0, 0)
        actions.addWidget(self.again)
        actions.addWidget(self.close_button)
        actions.addStretch(1)
        inner = QWidget()
        column = QVBoxLayout(inner)
        for part in (self._name, self.strip, self.lock, self.notice, self._actions):
            column.addWidget(part)
        whole = QVBoxLayout(self)
        whole.addStretch(2)
        # Stretches, not an alignment: Qt then gives wrapped lines the height that they need.
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(inner)
        middle.addStretch(1)
        whole.addLayout(middle)
        whole.addStretch(3)
        theme.in_steps(inner.setFixedWidth, 110)
        theme.in_steps(column.setSpacing, 3)
        theme.in_steps(actions.setSpacing, 2)

    def reading(self, name: str) -> None:
        """Show that a file is being read."""
        self._begin(name)
        self.strip.waiting(tr("Opening"))

    def ask_password(self, name: str, wrong: bool) -> None:
        """Ask for the file's password; `wrong`: the last one did not fit."""
        self._begin(name)
        self.again.hide()
        self._actions.show()
        self.lock.ask("", wrong)

    def show_fault(self, name: str, sentence: str, hint: str = "", report: str = "") -> None:
        """Show why the file cannot be opened."""
        self._begin(name)
        self.notice.show_fault(sentence, hint, report)
        self.again.show()
        self._actions.show()

    def _begin(self, name: str) -> None:
        self._name.setText(legible(name))
        self.strip.clear()
        self.notice.clear()
        for part in (self.lock, self._actions):
            part.hide()
