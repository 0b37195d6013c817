"""Reading files into the papers (the text editors) of a page, with passwords and errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.core.errors import PasswordNeeded
from app.core.layout import Opened
from app.core.report import Report
from app.flows.ask.read import read_document
from app.flows.workspace import Workspace
from app.ui.heads.text_panel import TextPanel
from app.ui.kit.jobs import Job, Lanes


class FileLocked(PasswordNeeded):
    """The file at `path` needs its password."""

    def __init__(self, path: Path, needed: PasswordNeeded) -> None:
        super().__init__(needed.message, needed.hint, needed.wrong)
        self.path = path


def read_documents(
    workspace: Workspace, paths: list[Path], passwords: Mapping[Path, str], report: Report
) -> tuple[Opened, ...]:
    """The documents of files; raises FileLocked for an encrypted one, otherwise as flows.read.read_document."""
    opened = []
    for path in paths:
        try:
            opened.append(read_document(workspace, path, report, password=passwords.get(path, "")))
        except PasswordNeeded as needed:
            raise FileLocked(path, needed) from needed
    return tuple(opened)


class PaperFiles(QObject):
    """Reads files, and shows the progress or a password prompt in the panel.

    `read` carries the number of the first paper and the opened files, `failed` the error.
    """

    read = Signal(int, object)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, lanes: Lanes, panel: TextPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._lanes = lanes
        self._panel = panel
        self._job: Job | None = None
        self._number = 0
        self._paths: list[Path] = []
        self._passwords: dict[Path, str] = {}
        self._locked: Path | None = None
        panel.lock.entered.connect(self._unlock)
        panel.lock.left.connect(self._leave)

    def open(self, number: int, paths: list[Path]) -> None:
        """Read files into the papers from this number on."""
        self._number, self._paths, self._passwords = number, paths, {}
        self._panel.notice.clear()
        self._panel.lock.put_away()
        self._read()

    def stop(self) -> bool:
        """Stop reading, or asking for a password; False if neither was going on."""
        if self._job is not None and self._job.running:
            self._job.stop()
            return True
        asked = self._panel.lock.is_asking()
        self._panel.lock.put_away()
        return asked

    def _read(self) -> None:
        if self._job is not None:
            self._job.drop()
        self._panel.strip.waiting(f"Opening {' and '.join(path.name for path in self._paths)}")
        self._job = self._lanes.documents.start(read_documents, self._workspace, self._paths, self._passwords)
        self._job.progress.connect(self._panel.strip.show_progress)
        self._job.done.connect(self._done)
        self._job.failed.connect(self._failed)
        self._job.stopped.connect(self._panel.strip.clear)

    @Slot(object)
    def _done(self, opened: tuple[Opened, ...]) -> None:
        self._panel.strip.clear()
        self.read.emit(self._number, opened)

    @Slot(object)
    def _failed(self, error: BaseException) -> None:
        self._panel.strip.clear()
        if isinstance(error, FileLocked):
            self._locked = error.path
            self._panel.lock.ask(error.path.name, error.wrong)
        else:
            self.failed.emit(error)

    @Slot(str)
    def _unlock(self, password: str) -> None:
        if self._locked is not None:
            self._passwords = {**self._passwords, self._locked: password}
            self._panel.lock.put_away()
            self._read()

    @Slot()
    def _leave(self) -> None:
        self.stop()
