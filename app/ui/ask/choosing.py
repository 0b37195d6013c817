"""Which files to open: by the system's dialog, or from among those opened last."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.flows.workspace import Workspace
from app.ui.ask.document_tabs import DocumentTabs
from app.ui.ask.sheets import Sheets


class Choosing(QObject):
    """Asks for files; `chosen` carries their paths."""

    chosen = Signal(list)

    def __init__(self, workspace: Workspace, tabs: DocumentTabs, sheets: Sheets, parent: QWidget) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._window = parent
        self._tabs = tabs
        self._sheets = sheets
        tabs.open_asked.connect(self.choose)
        tabs.recent_asked.connect(self._recent_chosen)
        sheets.recent_asked.connect(self._recent_chosen)
        self.offer()

    @Slot()
    def choose(self) -> None:
        """Ask for files by the system's dialog, in the folder of the file opened last."""
        from app.ui.kit.file_dialog import DOCUMENTS, open_names

        names = open_names(self._window, "Open files", self._folder(), DOCUMENTS)
        if names:
            self.chosen.emit([Path(name) for name in names])

    @Slot()
    def offer(self) -> None:
        """Offer the files opened last, the latest first."""
        recent = self._workspace.settings.recent_files
        self._tabs.set_recent(recent)
        self._sheets.offer_recent(recent)

    @Slot(str)
    def _recent_chosen(self, path: str) -> None:
        if path:
            self.chosen.emit([Path(path)])
        else:
            self._workspace.settings.recent_files.clear()
            self.offer()

    def _folder(self) -> str:
        recent = self._workspace.settings.recent_files
        if recent:
            return str(Path(recent[0]).parent)
        return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
