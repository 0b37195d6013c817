"""The card that imports models from this computer: folders and zips, one after the other."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QCheckBox, QFrame

from app.core.models import ModelCard
from app.core.report import Progress
from app.flows.models.import_model import import_model
from app.flows.workspace import Workspace
from app.ui.kit.boxes import column, flow
from app.ui.kit.dropped import accept_files_only, dropped_files
from app.ui.kit.file_dialog import folder_name, open_names
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr


class ImportCard(QFrame):
    """A drop area, two buttons, and a check box to leave a folder's files where they are.

    `strip` shows a running import, `notice` why one failed. `installed` carries an imported model's card, `note` a line
    for the status line.
    """

    installed = Signal(object)
    note = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace = workspace
        self._lanes = lanes
        self._waiting: list[Path] = []
        self._importing = Path()
        self._job: Job | None = None
        self.folder = push_button(theme, tr("Folder…"), icon="open", name=tr("Import a folder"))
        self.folder.clicked.connect(self._choose_folder)
        self.zip = push_button(theme, tr("Zip…"), icon="document", name=tr("Import a zip"))
        self.zip.clicked.connect(self._choose_zip)
        self.leave_in_place = QCheckBox(tr("Leave the folder where it is"))
        self.leave_in_place.setProperty("type", "small")
        tip = tr("Nothing is copied: the model is gone when the folder is moved or deleted")
        self.leave_in_place.setToolTip(as_tip(tip))
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop)
        title = plain_label(tr("A model you have already"), type="strong")
        words = plain_label(
            tr("Drop its folder or zip here. It is checked first."), type="small", ink="quiet"
        )
        parts = (
            title,
            words,
            flow(theme, self.folder, self.zip),
            self.leave_in_place,
            self.strip,
            self.notice,
        )
        column(theme, *parts, gap=2, margins=(3, 3, 3, 3), parent=self)
        self.setAcceptDrops(True)
        self.setProperty("kind", "card")

    @property
    def running(self) -> bool:
        """Whether an import is running."""
        return self._job is not None and self._job.running

    def take(self, paths: list[Path]) -> None:
        """Import the models at these paths, after those that are being imported."""
        self._waiting += paths
        if not self.running:
            self._next()

    @Slot()
    def stop(self) -> bool:
        """Stop the running import, and drop the queued ones; returns whether an import was running."""
        self._waiting.clear()
        running = self.running
        if running and self._job is not None:
            self._job.stop()
        return running

    @Slot()
    def _choose_folder(self) -> None:
        if name := folder_name(self, tr("Import a model's folder"), show_files=True):
            self.take([Path(name)])

    @Slot()
    def _choose_zip(self) -> None:
        if names := open_names(self, tr("Import a zip"), "", tr("Zip files (*.zip)")):
            self.take([Path(name) for name in names])

    def _next(self) -> None:
        if not self._waiting:
            return
        self._importing = self._waiting.pop(0)
        self.notice.hide()
        self.strip.show_busy(tr("{file} waits for the download", file=self._importing.name))
        self._set_busy(True)
        link = self.leave_in_place.isChecked() and self._importing.is_dir()
        job = self._lanes.network.start(import_model, self._workspace, self._importing, link=link)
        job.started.connect(self._started)
        self._job = job.then(self._done, self._failed, self._stopped, progress=self._show_progress)

    @Slot()
    def _started(self) -> None:
        self.strip.show_busy(tr("Checking {file}", file=self._importing.name))
        self.note.emit(tr("Importing {file}", file=self._importing.name))

    @Slot(object)
    def _show_progress(self, progress: Progress) -> None:
        what = localised(progress.what) or tr("Importing it")
        named = what
        if self._importing.name not in what:
            named = tr("{file}: {what}", file=self._importing.name, what=what)
        self.strip.show_progress(Progress(progress.done, progress.total, named, progress.seconds_left))

    @Slot(object)
    def _done(self, card: ModelCard) -> None:
        self._finish()
        self.note.emit(tr("{model} is installed", model=card.title))
        self.installed.emit(card)
        self._next()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._finish()
        self.notice.show_error(error)
        self.note.emit(tr("{file} was not imported", file=self._importing.name))
        self._waiting.clear()  # the next import would hide why this one failed

    @Slot()
    def _stopped(self) -> None:
        self._finish()
        self.note.emit(tr("Import stopped; nothing was added"))

    def _finish(self) -> None:
        self._set_busy(False)
        self.strip.clear()

    def _set_busy(self, busy: bool) -> None:
        """Disable the controls during an import; the keyboard focus moves to a control that is enabled."""
        parts = (self.folder, self.zip, self.leave_in_place)
        focused = any(part.hasFocus() for part in parts)
        returning = self.strip.has_focus() and not busy
        if focused and busy:
            self.strip.focus_stop()
        for part in parts:
            part.setEnabled(not busy)
        if returning:
            self.folder.setFocus(Qt.FocusReason.OtherFocusReason)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        accept_files_only(event)
        if event.isAccepted():
            mark(self, kind="hint")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        mark(self, kind="card")

    def dropEvent(self, event: QDropEvent) -> None:
        mark(self, kind="card")
        if files := dropped_files(event):
            self.take(files)
