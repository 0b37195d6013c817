"""The page of a document while its file is read, needs a password, or cannot be opened."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QWidget

from app.ui.kit.boxes import column, row
from app.ui.kit.notice import Notice
from app.ui.kit.parts import ElidedLabel, in_the_middle, push_button
from app.ui.kit.password_line import PasswordLine
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import tr


class OpeningPage(QFrame):
    """The file's name with its progress (`strip`), a field for its password (`lock`), or its fault (`notice`).

    The button `close_button` is shown below the last two, `again` only below a fault.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("kind", "desk")
        self._name = ElidedLabel()
        mark(self._name, type="answer")
        self.strip = ProgressStrip(theme)
        self.notice = Notice(theme, closable=False)
        self.lock = PasswordLine(theme)
        self.again = push_button(theme, tr("Try again"), icon="open")
        self.close_button = push_button(theme, tr("Close"))
        self._actions = QWidget()
        row(theme, self.again, self.close_button, 1, gap=2, parent=self._actions)
        inner = QWidget()
        column(theme, self._name, self.strip, self.lock, self.notice, self._actions, gap=3, parent=inner)
        column(theme, in_the_middle(theme, inner), parent=self)

    def reading(self, name: str) -> None:
        """Show that a file is being read."""
        self._begin(name)
        self.strip.show_busy(tr("Opening"))

    def ask_password(self, name: str, wrong: bool) -> None:
        """Ask for the file's password; `wrong`: the last one was wrong."""
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
        self._name.set_full_text(name)
        self.strip.clear()
        self.notice.hide()
        for part in (self.lock, self._actions):
            part.hide()
