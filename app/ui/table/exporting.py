"""Writes the current table to a file, or its answers into the list that its questions came from."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.flows.workspace import Workspace
from app.ui.kit.file_dialog import as_file_name, kinds_of, open_name, save_name
from app.ui.kit.jobs import Job, Lanes
from app.ui.kit.translation import localised, tr
from app.ui.table.head import BACK
from app.ui.table.questions import LIST_KINDS, Questions
from app.ui.table.store import TableStore


class Exporting(QObject):
    """Asks where to write to, and writes in the lane of documents.

    `noted` carries a line for the status line once a file was written, `failed` an error.
    """

    noted = Signal(str)
    failed = Signal(object)

    def __init__(
        self, workspace: Workspace, lanes: Lanes, store: TableStore, questions: Questions, page: QWidget
    ) -> None:
        super().__init__(page)
        self._workspace, self._lane, self._store = workspace, lanes.documents, store
        self._questions, self._page = questions, page
        self._name = ""

    @Slot(str)
    def ask(self, key: str) -> None:
        """Ask where to write the table to, by a format's extension, or for BACK the answered list."""
        table = self._store.table
        if table is None:
            return
        if key == BACK:
            self._ask_back(table.number)
            return
        kinds = kinds_of(key)
        if name := save_name(self._page, tr("Export the table"), f"{as_file_name(table.name)}{key}", kinds):
            self.export_to(Path(name))

    def export_to(self, path: Path) -> None:
        """Write the table, in the format of the file's extension."""
        from app.flows.answer_table.export import export_table

        self._follow(self._lane.start(export_table, self._workspace, self._store.table, path), path)

    def write_back(self, source: Path, path: Path) -> None:
        """Write a list with the answers beside its questions."""
        from app.flows.answer_table.export import write_back

        self._follow(self._lane.start(write_back, self._workspace, self._store.table, source, path), path)

    def _ask_back(self, number: int) -> None:
        source = self._questions.sources.get(number)
        if source is None:
            name = open_name(self._page, tr("The list that the questions came from"), localised(LIST_KINDS))
            source = Path(name) if name else None
        if source is None:
            return
        suffix = ".xlsx" if source.suffix.lower() == ".xlsx" else ".csv"
        suggested = tr("{list} answered", list=source.stem) + suffix
        kind = tr("The list with its answers (*{suffix})", suffix=suffix)
        if name := save_name(self._page, tr("The list with its answers"), suggested, kind):
            self.write_back(source, Path(name))

    def _follow(self, job: Job, path: Path) -> None:
        self._name = path.name
        job.done.connect(self._written)
        job.failed.connect(self.failed)

    @Slot()
    def _written(self, _: object = None) -> None:
        self.noted.emit(tr("Exported to {file}", file=self._name))
