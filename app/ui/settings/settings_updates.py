"""Whether there is a newer version: asked when the person presses the button, and only then."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.addresses import feed_remark, host_of
from app.core.errors import SpanlightError
from app.core.releases import Update
from app.core.report import Progress
from app.flows.network.updates import check_for_updates
from app.flows.workspace import Workspace
from app.ui.kit.checked_line import CheckedLine
from app.ui.kit.form_card import say
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_outside
from app.ui.kit.theme import Theme
from app.ui.settings.release_sheet import ReleaseSheet

_NONE = (
    "No address is known yet where new versions are announced: write one here when you have it."
    " Spanlight never looks by itself."
)
_ASKED = "Asked only when you press the button; Spanlight never looks by itself."


class UpdatesRow(QWidget):
    """The address where versions are announced, the button that asks there, and what came.

    `changed` carries the setting's name once the address was changed and saved; `answered` says that there is something
    to see.
    """

    changed = Signal(str)
    answered = Signal()

    def __init__(
        self, workspace: Workspace, theme: Theme, lanes: Lanes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace, self._theme, self._lanes = workspace, theme, lanes
        self._job: Job | None = None
        self._page = ""
        self.line = CheckedLine(theme, "Where new versions are announced", "https://…")
        self.button = QPushButton()
        self.hint = QLabel()
        self.hint.setWordWrap(True)
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.sheet = ReleaseSheet(theme)
        self.notice = Notice(theme)
        self.setFocusProxy(self.line)
        self._upper = QHBoxLayout()
        self._upper.addWidget(self.line, 1)
        self._upper.addWidget(self.button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._upper)
        self._column.addWidget(self.hint)
        self._column.addWidget(self.sheet)
        self._lower = QVBoxLayout()
        self._lower.addWidget(self.notice)
        self._column.addLayout(self._lower)
        self.line.typed.connect(self._typed)
        self.line.line.returnPressed.connect(self._entered)
        self.button.clicked.connect(self._pressed)
        self.sheet.open_asked.connect(self._open_page)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.settings_changed()

    @property
    def checking(self) -> bool:
        """Whether an answer is waited for."""
        return self._job is not None and self._job.running

    def settings_changed(self) -> None:
        """Show the address that is kept, unless one is being typed."""
        typed, kept = self.line.text(), self._workspace.settings.updates
        if not self.line.line.hasFocus() and not feed_remark(typed).bad and typed.strip() != kept:
            self.line.set_text(kept)
            self._forget()
        self._show_state()

    def stop(self) -> bool:
        """Wait for no answer any more; whether one was waited for."""
        if self._job is None or not self._job.running:
            return False
        self._job.stop()
        return True

    @Slot()
    def check(self) -> None:
        """Ask whether there is a newer version."""
        if self.checking or not self.button.isEnabled():
            return
        self._forget()
        self._job = job = self._lanes.lookups.start(check_for_updates, self._workspace)
        job.progress.connect(self._heard)
        job.done.connect(self._came)
        job.failed.connect(self._failed)
        job.stopped.connect(self._show_state)
        self._show_state()

    # What is typed and pressed

    @Slot(str)
    def _typed(self, text: str) -> None:
        settings, address = self._workspace.settings, text.strip()
        if address != settings.updates:
            self.stop()
            self._forget()
        if not feed_remark(address).bad and address != settings.updates:
            settings.updates = address
            try:
                self._workspace.save_settings()
            except SpanlightError as error:
                self._failed(error)
            self.changed.emit("updates")
        self._show_state()

    @Slot()
    def _entered(self) -> None:
        self._typed(self.line.text())
        self.check()

    @Slot()
    def _pressed(self) -> None:
        if not self.stop():
            self.check()

    @Slot()
    def _open_page(self) -> None:
        if not open_outside(QUrl(self._page)):
            self.notice.show_hint("No program opened the page.", "Its address can be copied instead.")

    # What came

    @Slot(object)
    def _heard(self, progress: Progress) -> None:
        say(self.hint, f"{progress.what}…")

    @Slot(object)
    def _came(self, update: Update) -> None:
        self._page = update.newest.page if update.newest is not None else ""
        self.sheet.show_update(update)
        self._show_state()
        self.answered.emit()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        fault = fault_of(error)
        self.notice.show_fault(fault.sentence, fault.hint, fault.report)
        self._show_state()
        self.answered.emit()

    def _forget(self) -> None:
        """Take away what came of an earlier check."""
        self.sheet.clear()
        self.notice.clear()

    @Slot()
    def _show_state(self) -> None:
        """Say what holds of the address, and whether it is being asked."""
        typed = self.line.text().strip()
        remark = feed_remark(typed)
        self.button.setText("Stop" if self.checking else "Check now")
        self.button.setAccessibleName("Stop" if self.checking else "Check now for a newer version")
        self.button.setEnabled(self.checking or (bool(typed) and not remark.bad))
        if remark.bad:
            say(self.hint, f"{remark.words.rstrip('.')}. It is not used yet.", "fault")
        elif self.checking:
            say(self.hint, f"Asking {host_of(typed)}…")
        else:
            say(self.hint, _ASKED if typed else _NONE)
        self.line.line.setAccessibleDescription(self.hint.text())

    @Slot()
    def _restyle(self) -> None:
        theme = self._theme
        self.hint.setFont(theme.font("small"))
        self._upper.setSpacing(theme.step(2))
        self._column.setSpacing(theme.step(1))
        self._column.setContentsMargins(0, 0, 0, theme.step(3))
        self._lower.setContentsMargins(0, theme.step(1), 0, 0)
        self.button.setMinimumWidth(theme.step(26))
