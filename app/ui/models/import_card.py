"""Importing models from this computer: folders and zips, one after the other."""

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
from app.ui.kit.dropped import dropped_files, take_files_only
from app.ui.kit.file_dialog import folder_name, open_names
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.notice import Notice
from app.ui.kit.parts import as_tip, plain_label, push_button
from app.ui.kit.progress_strip import ProgressStrip
from app.ui.kit.theme import Theme, mark
from app.ui.kit.translation import localised, tr


class ImportCard(QFrame):
    """A drop area, two buttons, and a box to check to leave a folder's files where they are.

    `strip` shows a running import, `notice` a failed one. `installed` carries a card, `note` one line.
    """

    installed = Signal(object)
    note = Signal(str)

    def __init__(self, workspace: Workspace, theme: Theme, lanes: Lanes) -> None:
        super().__init__()
        self._workspace = workspace
        self._lanes = lanes
        self._waiting: list[Path] = []
        self._path = Path()
        self._job: Job | None = None
        self.folder = push_button(theme, tr("Folder…"), icon="open", name=tr("Import a folder"))
        self.folder.clicked.connect(self._choose_folder)
        self.zip = push_button(theme, tr("Zip…"), icon="document", name=tr("Import a zip"))
        self.zip.clicked.connect(self._choose_zip)
        self.leave = QCheckBox(tr("Leave the folder where it is"))
        self.leave.setProperty("type", "small")
        tip = tr("Nothing is copied: the model is gone when the folder is moved or deleted")
        self.leave.setToolTip(as_tip(tip))
        self.notice = Notice(theme)
        self.strip = ProgressStrip(theme)
        self.strip.stop_asked.connect(self.stop)
        title = plain_label(tr("A model you have already"), type="strong")
        words = plain_label(
            tr("Drop its folder or zip here. It is checked first."), type="small", ink="quiet"
        )
        parts = (title, words, flow(theme, self.folder, self.zip), self.leave, self.strip, self.notice)
        column(theme, *parts, gap=2, margins=(3, 3, 3, 3), parent=self)
        self.setAcceptDrops(True)
        self.setProperty("kind", "card")

    @property
    def running(self) -> bool:
        """Whether an import is running."""
        return self._job is not None and self._job.running

    def take(self, paths: list[Path]) -> None:
        """Import the models at these paths, after the running import."""
        self._waiting += paths
        if not self.running:
            self._next()

    @Slot()
    def stop(self) -> bool:
        """Stop, and drop what waits; returns whether an import was running."""
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
        self._path = self._waiting.pop(0)
        self.notice.clear()
        self.strip.waiting(tr("{file} waits for the download", file=self._path.name))
        self._set_busy(True)
        link = self.leave.isChecked() and self._path.is_dir()
        job = self._lanes.network.start(import_model, self._workspace, self._path, link=link)
        job.started.connect(self._started)
        self._job = job.then(self._done, self._failed, self._stopped, progress=self._progressed)

    @Slot()
    def _started(self) -> None:
        self.strip.waiting(tr("Checking {file}", file=self._path.name))
        self.note.emit(tr("Importing {file}", file=self._path.name))

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        what = localised(progress.what) or tr("Importing it")
        named = what
        if self._path.name not in what:
            named = tr("{file}: {what}", file=self._path.name, what=what)
        self.strip.show_progress(Progress(progress.done, progress.total, named, progress.seconds_left))

    @Slot(object)
    def _done(self, card: ModelCard) -> None:
        self._rest()
        self.note.emit(tr("{model} is installed", model=card.title))
        self.installed.emit(card)
        self._next()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._rest()
        self.notice.show_error(error)
        self.note.emit(tr("{file} was not imported", file=self._path.name))
        self._waiting.clear()  # so that the reason of the failed one can be read first

    @Slot()
    def _stopped(self) -> None:
        self._rest()
        self.note.emit(tr("Import stopped; nothing was added"))

    def _rest(self) -> None:
        self._set_busy(False)
        self.strip.clear()

    def _set_busy(self, busy: bool) -> None:
        """Disable the controls during an import; the keyboard focus moves to an enabled one."""
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
            self.take(files)
