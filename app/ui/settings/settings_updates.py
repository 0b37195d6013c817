"""The check for a newer version, which is made only when the person presses the button."""

from __future__ import annotations

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtGui import QGuiApplication, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from app.core.days import plain_date
from app.core.errors import SpanlightError
from app.core.message import Message
from app.core.network import feed_remark, host_of
from app.core.releases import Update
from app.core.report import Progress
from app.core.wording import size
from app.flows.network.network import check_for_updates
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, row
from app.ui.kit.form_card import CheckedLine, set_hint
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.outside import open_outside
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr

_NONE = Message(
    "No address is known yet where new versions are announced: write one here when you have it."
    " Spanlight never looks by itself."
)
_ON_REQUEST = Message("Asked only when you press the button; Spanlight never looks by itself.")
_MOST_LINES = 9  # of the notes, without scrolling


class ReleaseSheet(QFrame):
    """The result of a check: a sentence and, for a newer version, its notes and buttons that lead to its page.

    Hidden until there is a result. Everything is shown as plain text, as it was written by others.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.address = ""
        self.sentence = plain_label(type="strong", selectable=True)
        self.file = plain_label(type="small", selectable=True)
        self.notes = QPlainTextEdit()
        self.notes.setReadOnly(True)
        self.notes.setTabChangesFocus(True)
        self.notes.setAccessibleName(tr("What is new"))
        self.notes.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.open = QPushButton(tr("Open its page"))
        self.copy = push_button(theme, tr("Copy the address"), name=tr("Copy the address of its page"))
        self.copy.clicked.connect(self._copy)
        parts = (self.sentence, self.notes, self.file, row(theme, self.open, self.copy, 1, gap=2))
        column(theme, *parts, gap=2, margins=(0, 2, 0, 0), parent=self)
        theme.changed.connect(self._fit_notes)
        self._fit_notes()
        self.hide()

    def show_update(self, update: Update) -> None:
        """Show the newest version with its notes, or that this is the newest one."""
        release = update.newest
        if release is not None:
            self.address = release.page
            self.sentence.setText(
                tr(
                    "Version {version} of {day} is there.",
                    version=release.version,
                    day=plain_date(release.day),
                )
            )
            self.notes.setPlainText(release.notes)
            self.open.setToolTip(as_tip(release.page))
            self.open.setAccessibleName(tr("Open the page of version {version}", version=release.version))
        else:
            self.sentence.setText(tr("Spanlight {version} is the newest version.", version=update.own))
        self.file.setText(
            tr("For this computer: {file}, {size}", file=update.file.name, size=size(update.file.size))
            if update.file
            else ""
        )
        self.copy.setText(tr("Copy the address"))
        self.notes.setVisible(release is not None and bool(release.notes))
        self.file.setVisible(bool(self.file.text()))
        for button in (self.open, self.copy):
            button.setVisible(release is not None)
        self.setAccessibleName(self.sentence.text())
        mark(self.sentence, ink="likely" if release is None else "")
        self.show()
        self._fit_notes()

    def clear(self) -> None:
        """Hide the result."""
        self.address = ""
        self.sentence.clear()
        self.notes.clear()
        self.hide()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.address)
        self.copy.setText(tr("Copied"))

    @Slot()
    def _fit_notes(self) -> None:
        lines = min(_MOST_LINES, max(2, self.notes.document().blockCount()))
        edges = 2 * (self.notes.frameWidth() + int(self.notes.document().documentMargin()))
        self.notes.setFixedHeight(
            lines * self.notes.fontMetrics().lineSpacing() + edges + self._theme.step(2)
        )


class UpdatesRow(QWidget):
    """The address where versions are announced, the button that checks it, and the result.

    `changed` carries the setting's name once the address was changed and saved; `answered` is sent when a check has
    ended with a result or an error.
    """

    changed = Signal(str)
    answered = Signal()

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace, self._theme, self._lanes = workspace, theme, lanes
        self._job: Job | None = None
        self.line = CheckedLine(theme, tr("Where new versions are announced"), "https://…")
        self.button = QPushButton()
        self.hint = plain_label(type="small")
        self.sheet = ReleaseSheet(theme)
        self.notice = Notice(theme)
        self.setFocusProxy(self.line)
        upper = row(theme, (self.line, 1), self.button, gap=2)
        lower = column(theme, self.notice, gap=1.5, margins=(0, 1, 0, 0))
        column(theme, upper, self.hint, self.sheet, lower, gap=1, margins=(0, 0.75, 0, 3), parent=self)
        self.line.typed.connect(self._typed)
        self.line.line.returnPressed.connect(self._entered)
        self.button.clicked.connect(self._pressed)
        self.sheet.open.clicked.connect(self._open_page)
        theme.in_steps(self.button.setMinimumWidth, 26)
        self.settings_changed()

    @property
    def checking(self) -> bool:
        """Whether a check is running."""
        return self._job is not None and self._job.running

    def settings_changed(self) -> None:
        """Show the saved address, unless one is being typed."""
        typed, saved = self.line.text(), self._workspace.settings.updates
        if not self.line.line.hasFocus() and not feed_remark(typed).bad and typed.strip() != saved:
            self.line.set_text(saved)
            self._forget()
        self._show_state()

    def stop(self) -> bool:
        """Stop the check; returns whether one was running."""
        if self._job is None or not self.checking:
            return False
        self._job.stop()
        return True

    @Slot()
    def check(self) -> None:
        """Check whether there is a newer version, unless that is running or the address cannot be used."""
        if self.checking or not self.button.isEnabled():
            return
        self._forget()
        job = self._lanes.lookups.start(check_for_updates, self._workspace)
        self._job = job.then(self._checked, self._failed, self._show_state, progress=self._progressed)
        self._show_state()

    # Input

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
        if not open_outside(QUrl(self.sheet.address)):
            self.notice.show_hint(tr("No program opened the page."), tr("Its address can be copied instead."))

    # Results

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        set_hint(self.hint, f"{localised(progress.what)}…")

    @Slot(object)
    def _checked(self, update: Update) -> None:
        self.sheet.show_update(update)
        self._show_state()
        self.answered.emit()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self.notice.show_error(error)
        self._show_state()
        self.answered.emit()

    def _forget(self) -> None:
        """Clear the result of an earlier check."""
        self.sheet.clear()
        self.notice.hide()

    @Slot()
    def _show_state(self) -> None:
        """Show the state of the address, and whether a check is running."""
        typed = self.line.text().strip()
        remark = feed_remark(typed)
        self.button.setText(tr("Stop") if self.checking else tr("Check now"))
        self.button.setAccessibleName(tr("Stop") if self.checking else tr("Check now for a newer version"))
        self.button.setEnabled(self.checking or (bool(typed) and not remark.bad))
        if remark.bad:
            set_hint(self.hint, tr("{remark} It is not used yet.", remark=remark.words), "fault")
        elif self.checking:
            set_hint(self.hint, tr("Asking {host}…", host=host_of(typed)))
        else:
            set_hint(self.hint, _ON_REQUEST if typed else _NONE)
        self.line.line.setAccessibleDescription(self.hint.text())
