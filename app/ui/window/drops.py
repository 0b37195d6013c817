"""Sorts what is dropped on the window: models and folders are taken out, files reach the widget under the mouse."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from app.ui.kit.dropped import SortedPaths, local_files, look_like_documents, sort_paths
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.messages import fault_of


class Drops(QObject):
    """Filters drops on a window before its widgets get them.

    `models` carries the paths of models, `folders` those of other folders. Other files reach the widget that they were
    dropped on, a moment later.
    """

    models = Signal(list)
    folders = Signal(list)

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
        """Begin to filter, once the window is on the screen."""
        if handle := self._window.windowHandle():
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hold back a drop that may contain folders or models, and sort it in a lane."""
        if event.type() != QEvent.Type.Drop or not self.enabled or self._passing:
            return False
        assert isinstance(event, QDropEvent)
        paths = local_files(event.mimeData())
        if look_like_documents(paths):
            return False
        self._place = event.position()
        self._paths = paths
        event.acceptProposedAction()
        QGuiApplication.sendEvent(watched, QDragLeaveEvent())  # the target shows the drag no longer
        job = self._lanes.files.start(sort_paths, paths)
        self._job = job.replacing(self._job).then(self._sorted, self._not_sorted)
        return True

    @Slot(object)
    def _sorted(self, given: SortedPaths) -> None:
        if given.files:
            self._pass_on(given.files)
        if given.folders:
            self.folders.emit(given.folders)
        if given.models:
            self.models.emit(given.models)

    @Slot(object)
    def _not_sorted(self, error: BaseException) -> None:
        fault_of(error)  # logged only: opening the files shows their faults
        self._pass_on(self._paths)

    def _pass_on(self, paths: list[Path]) -> None:
        """Drop files at the same point again, past this filter."""
        data = QMimeData()
        data.setUrls([QUrl(path.as_uri()) for path in paths])  # a QString has no bytes that are no UTF-8
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
