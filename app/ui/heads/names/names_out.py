"""Names to the clipboard and to files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.core import wording
from app.flows.heads.export_names import FORMATS, names_csv, save_names
from app.ui.heads.names.names_panel import NamesPanel
from app.ui.heads.names.names_shown import NamesShown
from app.ui.kit.file_dialog import save_name
from app.ui.kit.jobs import Job, Lanes


class NamesOut(QObject):
    """Copies and saves what is shown; `note` is one line for the status line, `failed` carries the error."""

    note = Signal(str)
    failed = Signal(object)

    def __init__(self, shown: NamesShown, panel: NamesPanel, lanes: Lanes, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = shown
        self._lanes = lanes
        self._window = parent
        self._job: Job | None = None
        panel.copy_asked.connect(self.copy)
        panel.save_asked.connect(self._ask_where)

    @Slot()
    def copy(self) -> None:
        """Put the names on the clipboard as a table whose cells are parted by tabs."""
        document = self._shown.found.document()
        if document is not None and not self._shown.is_outdated():
            QGuiApplication.clipboard().setText(names_csv([document], "\t"))
            self.note.emit(f"{self._count()} copied")

    @Slot(str)
    def _ask_where(self, kind: str) -> None:
        form = next(one for one in FORMATS if one.key == kind)
        kinds = f"{form.title} (*{form.suffix})"
        if name := save_name(self._window, "Save the names", f"names{form.suffix}", kinds):
            self.save_as(kind, Path(name))

    def save_as(self, kind: str, path: Path) -> None:
        """Write the names in a format, in the files lane."""
        document, result = self._shown.found.document(), self._shown.found.result
        if document is None or result is None:
            return
        self._job = self._lanes.files.start(save_names, kind, [document], result.labels, result.model, path)
        self._job.done.connect(self._saved)
        self._job.failed.connect(self.failed)

    @Slot()
    def _saved(self) -> None:
        self.note.emit(f"{self._count()} saved")

    def _count(self) -> str:
        return wording.count(len(self._shown.found.entities), "name")
