"""Files dropped anywhere on the window: models go to the page of models, other files to where they were dropped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.core.report import Report
from app.ui.kit.dropped import local_files
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of

# Endings of documents; anything else may be a model's folder or a zip.
_DOCUMENTS = {
    ".pdf", ".docx", ".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".text", ".rst", ".log", ".csv", ".tsv",
    ".jsonl", ".json", ".xz",
}  # fmt: skip


def sort_files(paths: list[Path], report: Report) -> tuple[list[Path], list[Path]]:
    """The models among dropped files, and all others."""
    from app.flows.models.take_in import looks_like_model

    models = [path for path in paths if looks_like_model(path)]
    return models, [path for path in paths if path not in models]


class Drops(QObject):
    """Filters drops on a window before its widgets get them.

    `models` carries the paths of models. Other files arrive a moment later where they were dropped, as without this.
    """

    models = Signal(list)

    def __init__(self, lanes: Lanes, window: QWidget) -> None:
        super().__init__(window)
        self._lanes = lanes
        self._window = window
        self._passing = False
        self._place = QPointF()
        self._paths: list[Path] = []
        self._job: Job | None = None
        self.enabled = True

    def watch(self) -> None:
        """Begin, once the window is on the screen."""
        if handle := self._window.windowHandle():
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hold back a drop that may contain a model."""
        if event.type() != QEvent.Type.Drop or not self.enabled or self._passing:
            return False
        assert isinstance(event, QDropEvent)
        paths = local_files(event.mimeData())
        if all(path.suffix.lower() in _DOCUMENTS for path in paths):
            return False
        if self._job is not None:
            self._job.drop()
        self._place = event.position()
        self._paths = paths
        event.acceptProposedAction()
        QGuiApplication.sendEvent(watched, QDragLeaveEvent())  # ends the marking of the drag's target
        self._job = self._lanes.files.start(sort_files, paths)
        self._job.done.connect(self._sorted)
        self._job.failed.connect(self._not_sorted)
        return True

    @Slot(object)
    def _sorted(self, found: tuple[list[Path], list[Path]]) -> None:
        models, others = found
        if others:
            self._pass_on(others)
        if models:
            self.models.emit(models)

    @Slot(object)
    def _not_sorted(self, error: BaseException) -> None:
        fault_of(error)  # logged; opening the files shows their faults
        self._pass_on(self._paths)

    def _pass_on(self, paths: list[Path]) -> None:
        """Drop files at the same place again, past this filter."""
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        action, button, keys = (
            Qt.DropAction.CopyAction,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        self._passing = True
        try:
            enter = QDragEnterEvent(self._place.toPoint(), action, data, button, keys)
            if handle := self._window.windowHandle():
                QGuiApplication.sendEvent(handle, enter)
                QGuiApplication.sendEvent(handle, QDropEvent(self._place, action, data, button, keys))
        finally:
            self._passing = False
