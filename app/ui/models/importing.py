"""Importing models from this computer: folders and zips, one after the other."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.core.models import ModelCard
from app.core.report import Progress
from app.flows.models.take_in import import_model
from app.flows.workspace import Workspace
from app.ui.kit.file_dialog import file_dialog
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of
from app.ui.models.import_place import ImportPlace


class Importing(QObject):
    """Controls the ImportPlace. `installed` carries a card, `note` one line."""

    installed = Signal(object)
    note = Signal(str)

    def __init__(self, workspace: Workspace, lanes: Lanes, place: ImportPlace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._place = place
        self._waiting: list[Path] = []
        self._path = Path()
        self._job: Job | None = None
        place.folder_asked.connect(self._choose_folder)
        place.zip_asked.connect(self._choose_zip)
        place.dropped.connect(self.take)
        place.strip.stop_asked.connect(self._stop)

    @property
    def running(self) -> bool:
        """Whether an import is running."""
        return self._job is not None and self._job.running

    @Slot(list)
    def take(self, paths: list[Path]) -> None:
        """Import the models at these paths, after the running import."""
        self._waiting += paths
        if not self.running:
            self._next()

    def stop(self) -> bool:
        """Stop, and drop what waits; returns whether an import was running."""
        self._waiting.clear()
        running = self.running
        if running and self._job is not None:
            self._job.stop()
        return running

    @Slot()
    def _stop(self) -> None:
        self.stop()

    @Slot()
    def _choose_folder(self) -> None:
        dialog = file_dialog(self._place, "Import a model's folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        self._open_dialog(dialog)

    @Slot()
    def _choose_zip(self) -> None:
        dialog = file_dialog(self._place, "Import a zip", kinds="Zip files (*.zip)")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        self._open_dialog(dialog)

    def _open_dialog(self, dialog: QFileDialog) -> None:
        if dialog.exec():
            self.take([Path(path) for path in dialog.selectedFiles()])
        dialog.deleteLater()

    def _next(self) -> None:
        if not self._waiting:
            return
        self._path = self._waiting.pop(0)
        self._place.notice.clear()
        self._place.strip.waiting(f"{self._path.name} waits for the download")
        self._place.set_busy(True)
        link = self._place.leave.isChecked() and self._path.is_dir()
        self._job = self._lanes.network.start(import_model, self._workspace, self._path, link=link)
        self._job.started.connect(self._started)
        self._job.progress.connect(self._progressed)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)
        self._job.stopped.connect(self._stopped)

    @Slot()
    def _started(self) -> None:
        self._place.strip.waiting(f"Checking {self._path.name}")
        self.note.emit(f"Importing {self._path.name}")

    @Slot(object)
    def _progressed(self, progress: Progress) -> None:
        what = progress.what or "Importing it"
        named = what if self._path.name in what else f"{self._path.name}: {what[:1].lower()}{what[1:]}"
        self._place.strip.show_progress(Progress(progress.done, progress.total, named, progress.seconds_left))

    @Slot(object)
    def _done(self, card: ModelCard) -> None:
        self._rest()
        self.note.emit(f"{card.name} is installed")
        self.installed.emit(card)
        self._next()

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._rest()
        fault = fault_of(error)
        self._place.notice.show_fault(fault.sentence, fault.hint, fault.report)
        self.note.emit(f"{self._path.name} was not imported")
        self._waiting.clear()  # so that the reason of the failed one can be read first

    @Slot()
    def _stopped(self) -> None:
        self._rest()
        self.note.emit("Import stopped; nothing was added")

    def _rest(self) -> None:
        self._place.set_busy(False)
        self._place.strip.clear()
